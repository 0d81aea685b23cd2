/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The owner's policy: host memory and device 1's pool, on a stream of device 0. Needs two devices; what is expected of
 * them is from public reports.
 */
#include "support.h"

#include <stdlib.h>

enum { bytes = 4096 };

struct fixture {
    struct world *world;
    CUdeviceptr pool; /* of the away device */
    CUdeviceptr host; /* pinned */
};

static void make(void *argument)
{
    struct fixture *const f = argument;
    void *host = NULL;
    assert_success(cudrvMemAllocAsync(&f->pool, bytes, f->world->awayStream));
    assert_success(cudrvStreamSynchronize(f->world->awayStream));
    assert_success(cudrvMemHostAlloc(&host, bytes, CU_MEMHOSTALLOC_PORTABLE));
    f->host = (CUdeviceptr)(uintptr_t)host;
}

static void unmake(void *argument)
{
    struct fixture *const f = argument;
    assert_success(cudrvMemFreeAsync(f->pool, f->world->awayStream));
    assert_success(cudrvMemFreeHost((void *)(uintptr_t)f->host));
}

static int setUp(void **state)
{
    struct fixture *const f = calloc(1, sizeof(*f));
    if (!f || worldSetUp((void **)&f->world))
        return -1;
    withContext(f->world->away, make, f);
    *state = f;
    return 0;
}

static int tearDown(void **state)
{
    struct fixture *const f = *state;
    if (simulator())
        simulator()->refuseNone();
    stackEmpty();
    withContext(f->world->away, unmake, f);
    (void)worldTearDown((void **)&f->world);
    free(f);
    return 0;
}

static CUresult toPool(const struct fixture *f, cucopyContextPolicy policy)
{
    const cucopyOptions options = {sizeof(options), policy};
    return cucopyMemcpyAsyncEx(f->pool, f->host, bytes, &options, f->world->homeStream);
}

static CUresult fromPool(const struct fixture *f, cucopyContextPolicy policy)
{
    const cucopyOptions options = {sizeof(options), policy};
    return cucopyMemcpyAsyncEx(f->host, f->pool, bytes, &options, f->world->homeStream);
}

static void checkArrives(const struct fixture *f)
{
    unsigned char *const host = (unsigned char *)(uintptr_t)f->host;
    const struct stack before = stackNow();
    for (int i = 0; i < bytes; i++)
        host[i] = (unsigned char)(i * 3);
    assert_success(toPool(f, CUCOPY_CONTEXT_OWNER));
    assert_success(cudrvStreamSynchronize(f->world->homeStream));
    memset(host, 0, bytes);
    assert_success(fromPool(f, CUCOPY_CONTEXT_OWNER));
    assert_success(cudrvStreamSynchronize(f->world->homeStream));
    for (int i = 0; i < bytes; i++)
        assert_int_equal(host[i], (unsigned char)(i * 3));
    assertStackIs(&before);
}

static void the_streams_context_alone_is_refused(void **state)
{
    const struct fixture *const f = *state;
    needTwoDevices(f->world);
    assert_result(toPool(f, CUCOPY_CONTEXT_STREAM), CUDA_ERROR_INVALID_VALUE);
    assert_result(fromPool(f, CUCOPY_CONTEXT_STREAM), CUDA_ERROR_INVALID_VALUE);
    assert_result(cucopyMemcpyAsyncEx(f->pool, f->host, bytes, NULL, f->world->homeStream), CUDA_ERROR_INVALID_VALUE);
}

static void the_owners_active_primary_context_serves_with_nothing_current(void **state)
{
    const struct fixture *const f = *state;
    CUcontext primary = NULL;
    needTwoDevices(f->world);
    assert_success(cudrvDevicePrimaryCtxRetain(&primary, f->world->awayDevice));
    checkArrives(f);
    assert_success(cudrvDevicePrimaryCtxRelease(f->world->awayDevice));

    unsigned int flags = 0;
    int active = 1;
    assert_success(cudrvDevicePrimaryCtxGetState(f->world->awayDevice, &flags, &active));
    assert_int_equal(active, 0); /* no reference was left behind */
}

static void the_callers_context_serves_if_it_is_on_the_owners_device(void **state)
{
    const struct fixture *const f = *state;
    needTwoDevices(f->world);
    assert_success(cudrvCtxPushCurrent(f->world->home));
    assert_success(cudrvCtxPushCurrent(f->world->away));
    if (simulator())
        simulator()->resetCalls();
    checkArrives(f);
    if (simulator())
        assert_int_equal(simulator()->calls("cuDevicePrimaryCtxRetain"), 0);
}

/* To the pool and from it, among copies that need no owner. */
static void each_copy_of_a_batch_that_needs_its_owner_gets_it(void **state)
{
    enum { part = bytes / 8, entries = 8 };
    const struct fixture *const f = *state;
    unsigned char *const host = (unsigned char *)(uintptr_t)f->host;
    CUcontext primary = NULL;
    needTwoDevices(f->world);
    assert_success(cudrvDevicePrimaryCtxRetain(&primary, f->world->awayDevice));
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    for (int current = 0; current < 3; current++) {
        CUdeviceptr dsts[entries], srcs[entries];
        size_t sizes[entries];
        if (current)
            assert_success(cudrvCtxPushCurrent(current == 1 ? f->world->home : f->world->away));
        const struct stack before = stackNow();
        for (size_t i = 0; i < entries; i++) { /* half of the host memory, across */
            const size_t other = i % 2 ? entries - 1 - i : i;
            dsts[i] = (i % 2 ? f->host + bytes / 2 : f->pool) + other / 2 * part;
            srcs[i] = f->host + i / 2 * part;
            sizes[i] = part;
        }
        for (size_t i = 0; i < bytes; i++)
            host[i] = (unsigned char)(i / part * 7 + (size_t)current);
        options.context = CUCOPY_CONTEXT_STREAM;
        assert_result(cucopyMemcpyBatchAsyncEx(dsts, srcs, sizes, entries, &options, f->world->homeStream),
                      CUDA_ERROR_INVALID_VALUE);
        assertStackIs(&before);
        options.context = CUCOPY_CONTEXT_OWNER;
        assert_success(cucopyMemcpyBatchAsyncEx(dsts, srcs, sizes, entries, &options, f->world->homeStream));
        assertStackIs(&before);
        assert_success(cudrvStreamSynchronize(f->world->homeStream));
        for (size_t i = 1; i < entries; i += 2)
            assert_memory_equal(host + (dsts[i] - f->host), host + i / 2 * part, part);
        memset(host + bytes / 2, 0, bytes / 2);
        for (size_t i = 0; i < entries; i += 2) {
            dsts[i / 2] = f->host + bytes / 2 + i / 2 * part;
            srcs[i / 2] = f->pool + i / 2 * part;
        }
        assert_success(cucopyMemcpyBatchAsyncEx(dsts, srcs, sizes, 1, &options, f->world->homeStream));
        assert_success(cucopyMemcpyBatchAsyncEx(dsts, srcs, sizes, entries / 2, &options, f->world->homeStream));
        assertStackIs(&before);
        assert_success(cudrvStreamSynchronize(f->world->homeStream));
        assert_memory_equal(host + bytes / 2, host, bytes / 2);
    }
    assert_success(cudrvDevicePrimaryCtxRelease(f->world->awayDevice));
}

static void a_batch_that_needs_no_owner_costs_no_more_than_without_the_policy(void **state)
{
    const struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    const CUdeviceptr dsts[] = {f->pool, f->pool + 512}, srcs[] = {f->host + 512, f->host};
    const size_t sizes[] = {512, 512};
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    unsigned long calls[2];
    for (int i = 0; i < 2; i++) {
        options.context = i ? CUCOPY_CONTEXT_OWNER : CUCOPY_CONTEXT_STREAM;
        sim->resetCalls();
        assert_success(cucopyMemcpyBatchAsyncEx(dsts, srcs, sizes, 2, &options, f->world->awayStream));
        calls[i] = sim->calls(NULL);
        assert_success(cudrvStreamSynchronize(f->world->awayStream));
    }
    assert_int_equal(calls[0], calls[1]);
}

static void no_context_is_made_for_it(void **state)
{
    const struct fixture *const f = *state;
    unsigned int flags = 0;
    int active = 1;
    needTwoDevices(f->world);
    assert_success(cudrvDevicePrimaryCtxGetState(f->world->awayDevice, &flags, &active));
    assert_int_equal(active, 0);
    assert_result(toPool(f, CUCOPY_CONTEXT_OWNER), CUDA_ERROR_INVALID_VALUE);
    assert_success(cudrvDevicePrimaryCtxGetState(f->world->awayDevice, &flags, &active));
    assert_int_equal(active, 0);
    assert_int_equal(stackNow().depth, 0);
}

static void a_copy_that_works_at_once_costs_no_more_than_without_the_policy(void **state)
{
    const struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    const cucopyOptions options = {sizeof(options), CUCOPY_CONTEXT_OWNER};
    sim->resetCalls();
    assert_success(cucopyMemcpyAsyncEx(f->pool, f->host, bytes, &options, f->world->awayStream));
    assert_int_equal(sim->calls(NULL), 5);
    assert_success(cudrvStreamSynchronize(f->world->awayStream));
}

static void another_code_than_invalid_value_is_not_tried_again(void **state)
{
    const struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    sim->refuse("cuMemcpyAsync", 1, CUDA_ERROR_ILLEGAL_STATE, 0);
    sim->resetCalls();
    assert_result(toPool(f, CUCOPY_CONTEXT_OWNER), CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(sim->calls("cuMemcpyAsync"), 1);
}

static void a_special_stream_is_not_tried_under_another_context(void **state)
{
    const struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    const cucopyOptions options = {sizeof(options), CUCOPY_CONTEXT_OWNER};
    CUcontext primary = NULL;
    needTwoDevices(f->world);
    assert_success(cudrvDevicePrimaryCtxRetain(&primary, f->world->awayDevice));
    assert_success(cudrvCtxPushCurrent(f->world->home));
    sim->resetCalls();
    assert_result(cucopyMemcpyAsyncEx(f->pool, f->host, bytes, &options, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(sim->calls("cuMemcpyAsync"), 1);
    assert_success(cudrvDevicePrimaryCtxRelease(f->world->awayDevice));
}

static void options_that_this_version_does_not_know_are_refused_and_nothing_is_copied(void **state)
{
    const struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    const cucopyOptions tooSmall = {sizeof(size_t), CUCOPY_CONTEXT_STREAM};
    const cucopyOptions endless = {SIZE_MAX, CUCOPY_CONTEXT_STREAM};
    const struct {
        cucopyOptions options;
        size_t later;
    } later = {{sizeof(later), CUCOPY_CONTEXT_STREAM}, 1};
    const cucopyOptions unknown = {sizeof(unknown), (cucopyContextPolicy)7};
    sim->resetCalls();
    assert_result(cucopyMemcpyAsyncEx(f->pool, f->host, bytes, &tooSmall, f->world->awayStream),
                  CUDA_ERROR_INVALID_VALUE);
    assert_result(cucopyMemcpyAsyncEx(f->pool, f->host, bytes, &unknown, f->world->awayStream),
                  CUDA_ERROR_INVALID_VALUE);
    assert_result(cucopyMemcpyAsyncEx(f->pool, f->host, bytes, &endless, f->world->awayStream),
                  CUDA_ERROR_INVALID_VALUE);
    assert_result(cucopyMemcpyAsyncEx(f->pool, f->host, bytes, &later.options, f->world->awayStream),
                  CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(sim->calls("cuMemcpyAsync"), 0);
}

static void each_call_of_the_second_try_that_fails_in_turn_leaves_the_stack_whole(void **state)
{
    static const char *const steps[] = {"cuPointerGetAttributes",     "cuCtxPushCurrent_v2",      "cuCtxGetDevice",
                                        "cuDevicePrimaryCtxGetState", "cuDevicePrimaryCtxRetain", "cuMemcpyAsync"};
    const struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    CUcontext primary = NULL;
    needTwoDevices(f->world);
    assert_success(cudrvDevicePrimaryCtxRetain(&primary, f->world->awayDevice));
    assert_success(cudrvCtxPushCurrent(f->world->home));
    const struct stack before = stackNow();
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        for (unsigned long nth = 1; nth <= 4; nth++) {
            sim->refuse(steps[i], nth, CUDA_ERROR_ILLEGAL_STATE, 0);
            (void)toPool(f, CUCOPY_CONTEXT_OWNER);
            sim->refuseNone();
            assertStackIs(&before);
        }
    assert_success(cudrvStreamSynchronize(f->world->homeStream));
    assert_success(cudrvDevicePrimaryCtxRelease(f->world->awayDevice));
}

/* The depth changes by what could not be popped, and the record names it; the copy's own fate is told as it is. */
static void each_pop_that_fails_in_turn_is_reported_if_it_left_something(void **state)
{
    const struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    CUcontext primary = NULL;
    needTwoDevices(f->world);
    assert_success(cudrvDevicePrimaryCtxRetain(&primary, f->world->awayDevice));
    for (int other = 0; other < 2; other++) {
        if (other)
            assert_success(cudrvCtxPushCurrent(f->world->home));
        const struct stack before = stackNow();
        for (unsigned long nth = 1; nth <= 4; nth++) {
            sim->refuse("cuCtxPopCurrent_v2", nth, CUDA_ERROR_ILLEGAL_STATE, 0);
            const CUresult result = toPool(f, CUCOPY_CONTEXT_OWNER);
            sim->refuseNone();
            cucopyFailure failure = CUCOPY_FAILURE_INIT;
            if (stackNow().depth != before.depth) {
                assert_result(result, CUDA_ERROR_ILLEGAL_STATE);
                assert_success(cucopyLastFailure(&failure));
                assert_int_equal(failure.step, CUCOPY_STEP_RESTORE);
                assert_int_equal(failure.enqueued, 1);
                assert_ptr_equal(failure.stillPushed, primary);
                assert_success(cudrvCtxPopCurrent(NULL));
                assert_success(cudrvDevicePrimaryCtxRelease(f->world->awayDevice)); /* still held for it */
            }
            assertStackIs(&before);
        }
    }
    assert_success(cudrvStreamSynchronize(f->world->homeStream));
    assert_success(cudrvDevicePrimaryCtxRelease(f->world->awayDevice));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setUp, tearDown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_streams_context_alone_is_refused),
        TEST(the_owners_active_primary_context_serves_with_nothing_current),
        TEST(the_callers_context_serves_if_it_is_on_the_owners_device),
        TEST(each_copy_of_a_batch_that_needs_its_owner_gets_it),
        TEST(a_batch_that_needs_no_owner_costs_no_more_than_without_the_policy),
        TEST(no_context_is_made_for_it),
        TEST(a_copy_that_works_at_once_costs_no_more_than_without_the_policy),
        TEST(another_code_than_invalid_value_is_not_tried_again),
        TEST(a_special_stream_is_not_tried_under_another_context),
        TEST(options_that_this_version_does_not_know_are_refused_and_nothing_is_copied),
        TEST(each_pop_that_fails_in_turn_is_reported_if_it_left_something),
        TEST(each_call_of_the_second_try_that_fails_in_turn_leaves_the_stack_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
