/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: created, primary and green ones, and the stack. */
#include "test_support.h"

#include <pthread.h>

/* cuda.h declares the one version of its own toolkit; the exports are the same under each. */
CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);

static CUcontext create(int device)
{
    CUcontext context;
    OK(cuCtxCreate_v2(&context, 0, device));
    return context;
}

static CUcontext current(void)
{
    CUcontext context;
    OK(cuCtxGetCurrent(&context));
    return context;
}

static void creating_a_context_pushes_it(void **state)
{
    (void)state;
    OK(cuCtxPushCurrent(primary[0]));
    CUcontext created = create(1);
    assert_ptr_equal(current(), created);
    OK(cuCtxPopCurrent(NULL));
    assert_ptr_equal(current(), primary[0]);
}

static void destroying_the_current_context_uncovers_what_is_below(void **state)
{
    (void)state;
    OK(cuCtxPushCurrent(primary[0]));
    CUcontext created = create(1);
    OK(cuCtxDestroy(created));
    assert_ptr_equal(current(), primary[0]);
}

static void a_destroyed_context_stays_where_it_lies(void **state)
{
    (void)state;
    CUcontext created = create(0);
    OK(cuCtxPushCurrent(primary[0]));
    OK(cuCtxDestroy(created));
    OK(cuCtxPopCurrent(NULL));
    assert_ptr_equal(current(), created);
    unsigned long long id = 0;
    GIVES(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxGetId(created, &id));
    CUdeviceptr memory;
    GIVES(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc(&memory, 16));
    OK(cuCtxPushCurrent(created));
    OK(cuCtxSetCurrent(NULL));
    OK(cuCtxPopCurrent(NULL));
    assert_null(current());
}

static void destroying_a_context_frees_what_was_made_in_it(void **state)
{
    (void)state;
    CUcontext created = create(0);
    CUdeviceptr memory;
    CUstream stream;
    OK(cuMemAlloc(&memory, 4096));
    OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    assert_int_equal(cusimLiveAllocations(), 1);
    assert_int_equal(cusimLiveHandles("stream"), 1);
    OK(cuCtxDestroy(created));
    assert_int_equal(cusimLiveAllocations(), 0);
    assert_int_equal(cusimLiveHandles(NULL), 0);
}

static void a_primary_context_lives_while_it_is_retained(void **state)
{
    (void)state;
    CUcontext again;
    unsigned flags;
    int active;
    OK(cuDevicePrimaryCtxRetain(&again, 0));
    assert_ptr_equal(again, primary[0]);
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 1);
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 0);
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
    OK(cuDevicePrimaryCtxRetain(&again, 0));
    assert_ptr_equal(again, primary[0]);
}

static void a_primary_context_is_not_destroyed(void **state)
{
    (void)state;
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(primary[0]));
}

static void resetting_a_primary_context_frees_its_memory_and_keeps_it_retained(void **state)
{
    (void)state;
    CUdeviceptr memory;
    int active;
    unsigned flags;
    OK(cuCtxSetCurrent(primary[0]));
    OK(cuMemAlloc(&memory, 4096));
    OK(cuDevicePrimaryCtxReset(0));
    assert_int_equal(cusimLiveAllocations(), 0);
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 1);
    OK(cuMemAlloc(&memory, 4096));
}

static CUgreenCtx greenOf(int device, unsigned multiprocessors)
{
    CUdevResource all;
    CUdevResource part;
    CUdevResource rest;
    CUdevResourceDesc descriptor;
    CUgreenCtx green;
    unsigned count = 1;
    OK(cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM));
    OK(cuDevSmResourceSplitByCount(&part, &count, &all, &rest, 0, multiprocessors));
    assert_int_equal(part.sm.smCount, multiprocessors);
    assert_int_equal(rest.sm.smCount, all.sm.smCount - multiprocessors);
    OK(cuDevResourceGenerateDesc(&descriptor, &part, 1));
    OK(cuGreenCtxCreate(&green, descriptor, device, CU_GREEN_CTX_DEFAULT_STREAM));
    return green;
}

static void a_green_context_has_a_part_of_the_device_and_streams_of_its_own(void **state)
{
    (void)state;
    CUgreenCtx green = greenOf(1, 16);
    CUcontext context;
    CUcontext again;
    CUstream stream;
    CUdevResource part;
    OK(cuCtxFromGreenCtx(&context, green));
    OK(cuCtxFromGreenCtx(&again, green));
    assert_ptr_equal(context, again);
    OK(cuCtxGetDevResource(context, &part, CU_DEV_RESOURCE_TYPE_SM));
    assert_int_equal(part.sm.smCount, 16);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuGreenCtxStreamCreate(&stream, green, CU_STREAM_DEFAULT, 0));
    OK(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    CUgreenCtx found = NULL;
    OK(cuStreamGetGreenCtx(stream, &found));
    assert_ptr_equal(found, green);
    OK(cuStreamGetCtx(stream, &again));
    assert_ptr_equal(again, context);
    OK(cuStreamGetCtx_v2(stream, &again, &found));
    assert_ptr_equal(again, primary[1]);
    OK(cuStreamDestroy(stream));
    OK(cuGreenCtxDestroy(green));
    assert_int_equal(cusimLiveHandles(NULL), 0);
}

static void a_green_context_keeps_the_primary_one(void **state)
{
    (void)state;
    CUgreenCtx green = greenOf(0, 8);
    unsigned flags;
    int active;
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 1);
    OK(cuGreenCtxDestroy(green));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 0);
}

static void a_split_without_outputs_counts(void **state)
{
    (void)state;
    CUdevResource all;
    unsigned count = 0;
    OK(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
    OK(cuDevSmResourceSplitByCount(NULL, &count, &all, NULL, 0, 16));
    assert_int_equal(count, all.sm.smCount / 16);
}

static void *stackOfAnotherThread(void *found)
{
    *(CUcontext *)found = current();
    OK(cuCtxPushCurrent(primary[1]));
    return NULL;
}

static void each_thread_has_its_own_stack(void **state)
{
    (void)state;
    CUcontext theirs = primary[1];
    pthread_t thread;
    OK(cuCtxPushCurrent(primary[0]));
    assert_int_equal(pthread_create(&thread, NULL, stackOfAnotherThread, &theirs), 0);
    pthread_join(thread, NULL);
    assert_null(theirs);
    assert_ptr_equal(current(), primary[0]);
}

static void the_stack_grows(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    for (int i = 0; i < DEPTH; i++)
        OK(cuCtxPushCurrent(primary[i % 2]));
    for (int i = DEPTH; i-- > 0;) {
        CUcontext popped;
        OK(cuCtxPopCurrent(&popped));
        assert_ptr_equal(popped, primary[i % 2]);
    }
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent(NULL));
}

static void a_garbage_handle_is_not_pushed(void **state)
{
    (void)state;
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxPushCurrent((CUcontext)(uintptr_t)0x1234560));
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent((CUcontext)(uintptr_t)0x1234560));
    assert_null(current());
}

static void peer_access_is_asked_for_by_context(void **state)
{
    (void)state;
    int can = 0;
    OK(cuDeviceCanAccessPeer(&can, 0, 1));
    assert_int_equal(can, 1);
    OK(cuCtxSetCurrent(primary[0]));
    GIVES(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(primary[1]));
    OK(cuCtxEnablePeerAccess(primary[1], 0));
    GIVES(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, cuCtxEnablePeerAccess(primary[1], 0));
    OK(cuCtxDisablePeerAccess(primary[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FRESH(creating_a_context_pushes_it),
        FRESH(destroying_the_current_context_uncovers_what_is_below),
        FRESH(a_destroyed_context_stays_where_it_lies),
        FRESH(destroying_a_context_frees_what_was_made_in_it),
        FRESH(a_primary_context_lives_while_it_is_retained),
        FRESH(a_primary_context_is_not_destroyed),
        FRESH(resetting_a_primary_context_frees_its_memory_and_keeps_it_retained),
        FRESH(a_green_context_has_a_part_of_the_device_and_streams_of_its_own),
        FRESH(a_green_context_keeps_the_primary_one),
        FRESH(a_split_without_outputs_counts),
        FRESH(each_thread_has_its_own_stack),
        FRESH(the_stack_grows),
        FRESH(a_garbage_handle_is_not_pushed),
        FRESH(peer_access_is_asked_for_by_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
