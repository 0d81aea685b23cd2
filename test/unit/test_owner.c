/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The owner's policy: host memory and device 1's pool, on a stream of device 0. Needs two devices; what is expected of
 * them is from public reports. Batches with this policy are in test_owner_batch.c.
 */
#include "owned.h"

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
    assert_int_equal(isActive(f->world->awayDevice), 0); /* no reference was left behind */
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

static void no_context_is_made_for_it(void **state)
{
    const struct fixture *const f = *state;
    needTwoDevices(f->world);
    assert_int_equal(isActive(f->world->awayDevice), 0);
    assert_result(toPool(f, CUCOPY_CONTEXT_OWNER), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(isActive(f->world->awayDevice), 0);
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

/* The second try is refused, too, and then one pop or every one from then on fails. */
static void checkRefusedAndNotPopped(const struct fixture *f, unsigned long nth, bool onwards)
{
    const struct simulator *const sim = needSimulator();
    const struct stack before = stackNow();
    CUcontext primary = NULL;
    assert_success(cudrvDevicePrimaryCtxRetain(&primary, f->world->awayDevice));
    sim->refuse("cuMemcpyAsync", 2, CUDA_ERROR_INVALID_VALUE, 0);
    sim->refuse("cuCtxPopCurrent_v2", nth, CUDA_ERROR_ILLEGAL_STATE, onwards);
    assert_result(toPool(f, CUCOPY_CONTEXT_OWNER), CUDA_ERROR_INVALID_VALUE);
    sim->refuseNone();

    cucopyFailure failure = CUCOPY_FAILURE_INIT;
    assert_success(cucopyLastFailure(&failure));
    assert_int_equal(failure.step, CUCOPY_STEP_COPY);
    assert_int_equal(failure.enqueued, 0);
    assert_int_not_equal(failure.streamDevice, f->world->awayDevice); /* older drivers may not tell */
    if (failure.stillPushed) {
        CUcontext left = NULL;
        assert_success(cudrvCtxPopCurrent(&left));
        assert_ptr_equal(left, failure.stillPushed);
        if (left == primary)
            assert_success(cudrvDevicePrimaryCtxRelease(f->world->awayDevice)); /* still held for it */
    }
    assertStackIs(&before);
    assert_success(cudrvDevicePrimaryCtxRelease(f->world->awayDevice));
    assert_int_equal(isActive(f->world->awayDevice), 0);
}

static void a_reference_is_kept_for_what_is_still_pushed_and_for_nothing_else(void **state)
{
    const struct fixture *const f = *state;
    needTwoDevices(f->world);
    for (int current = 0; current < 2; current++) {
        if (current)
            assert_success(cudrvCtxPushCurrent(f->world->home));
        for (unsigned long nth = 1; nth <= 4; nth++) {
            checkRefusedAndNotPopped(f, nth, false);
            checkRefusedAndNotPopped(f, nth, true);
        }
    }
}

static void the_context_that_was_refused_is_not_tried_again(void **state)
{
    const struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    const cucopyOptions options = {sizeof(options), CUCOPY_CONTEXT_OWNER};
    const CUmemAllocationProp properties = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = f->world->homeDevice}};
    CUmemGenericAllocationHandle handle = 0;
    CUdeviceptr nobodys = 0;
    CUcontext primary = NULL;
    CUstream stream = NULL;
    size_t size = 0;
    assert_success(cudrvDevicePrimaryCtxRetain(&primary, f->world->homeDevice));
    assert_success(cudrvCtxPushCurrent(primary));
    assert_success(cudrvStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    assert_success(cudrvMemGetAllocationGranularity(&size, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    assert_success(cudrvMemAddressReserve(&nobodys, size, 0, 0, 0));
    assert_success(cudrvMemCreate(&handle, size, &properties, 0));
    assert_success(cudrvMemMap(nobodys, size, 0, handle, 0));
    assert_success(cudrvCtxPopCurrent(NULL));

    sim->resetCalls();
    assert_result(cucopyMemcpyAsyncEx(nobodys, f->host, bytes, &options, stream), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(sim->calls("cuMemcpyAsync"), 1);
    assert_int_equal(stackNow().depth, 0);

    assert_success(cudrvMemUnmap(nobodys, size));
    assert_success(cudrvMemRelease(handle));
    assert_success(cudrvMemAddressFree(nobodys, size));
    assert_success(cudrvStreamDestroy(stream));
    assert_success(cudrvDevicePrimaryCtxRelease(f->world->homeDevice));
    assert_int_equal(isActive(f->world->homeDevice), 0);
}

/* ---- Under capture ---- */

static const CUstreamCaptureMode modes[] = {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                            CU_STREAM_CAPTURE_MODE_RELAXED};

static void a_captured_copy_becomes_a_node_by_its_second_try(void **state)
{
    const struct fixture *const f = *state;
    unsigned char *const host = (unsigned char *)(uintptr_t)f->host;
    CUcontext primary = NULL;
    needTwoDevices(f->world);
    assert_success(cudrvDevicePrimaryCtxRetain(&primary, f->world->awayDevice));
    for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
        CUgraph graph = NULL;
        CUgraphExec exec = NULL;
        assert_success(cudrvStreamBeginCapture(f->world->homeStream, modes[m]));
        assert_success(toPool(f, CUCOPY_CONTEXT_OWNER));
        assert_int_equal(stackNow().depth, 0);
        assert_success(cudrvStreamEndCapture(f->world->homeStream, &graph));
        assert_success(cudrvCtxPushCurrent(f->world->home));
        assert_success(cudrvGraphInstantiate(&exec, graph, 0));
        memset(host, (int)m + 1, bytes);
        assert_success(cudrvGraphLaunch(exec, f->world->homeStream));
        assert_success(cudrvStreamSynchronize(f->world->homeStream));
        assert_success(cudrvGraphExecDestroy(exec));
        assert_success(cudrvGraphDestroy(graph));
        assert_success(cudrvCtxPopCurrent(NULL));
        memset(host, 0, bytes);
        assert_success(fromPool(f, CUCOPY_CONTEXT_OWNER));
        assert_success(cudrvStreamSynchronize(f->world->homeStream));
        assert_int_equal(host[0], m + 1);
        assert_int_equal(host[bytes - 1], m + 1);
    }
    assert_success(cudrvDevicePrimaryCtxRelease(f->world->awayDevice));
}

static void a_captured_copy_that_is_refused_twice_leaves_the_capture_alive(void **state)
{
    const struct fixture *const f = *state;
    needTwoDevices(f->world);
    for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++)
        for (int active = 0; active < 2; active++) {
            CUgraph graph = NULL;
            CUcontext primary = NULL;
            size_t nodes = 1;
            if (active)
                assert_success(cudrvDevicePrimaryCtxRetain(&primary, f->world->awayDevice));
            assert_success(cudrvStreamBeginCapture(f->world->homeStream, modes[m]));
            if (active && simulator())
                simulator()->refuse("cuMemcpyAsync", 2, CUDA_ERROR_INVALID_VALUE, 0);
            if (!active || simulator())
                assert_result(toPool(f, CUCOPY_CONTEXT_OWNER), CUDA_ERROR_INVALID_VALUE);
            assert_success(cudrvStreamEndCapture(f->world->homeStream, &graph));
            assert_success(cudrvGraphGetNodes(graph, NULL, &nodes));
            assert_int_equal(nodes, 0);
            assert_success(cudrvGraphDestroy(graph));
            if (active)
                assert_success(cudrvDevicePrimaryCtxRelease(f->world->awayDevice));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OWNED_TEST(the_streams_context_alone_is_refused),
        OWNED_TEST(the_owners_active_primary_context_serves_with_nothing_current),
        OWNED_TEST(the_callers_context_serves_if_it_is_on_the_owners_device),
        OWNED_TEST(no_context_is_made_for_it),
        OWNED_TEST(a_copy_that_works_at_once_costs_no_more_than_without_the_policy),
        OWNED_TEST(another_code_than_invalid_value_is_not_tried_again),
        OWNED_TEST(a_special_stream_is_not_tried_under_another_context),
        OWNED_TEST(options_that_this_version_does_not_know_are_refused_and_nothing_is_copied),
        OWNED_TEST(each_pop_that_fails_in_turn_is_reported_if_it_left_something),
        OWNED_TEST(a_reference_is_kept_for_what_is_still_pushed_and_for_nothing_else),
        OWNED_TEST(the_context_that_was_refused_is_not_tried_again),
        OWNED_TEST(a_captured_copy_becomes_a_node_by_its_second_try),
        OWNED_TEST(a_captured_copy_that_is_refused_twice_leaves_the_capture_alive),
        OWNED_TEST(each_call_of_the_second_try_that_fails_in_turn_leaves_the_stack_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
