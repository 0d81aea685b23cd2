/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record of a failure: when it is written and what is in it. Who is told of it is test_failure_report.c's, what an
 * explanation makes of it test_explain.c's.
 */
#include "scenes.h"

#include <pthread.h>

static cucopyFailure lastFailure(void)
{
    cucopyFailure failure = CUCOPY_FAILURE_INIT;
    assert_success(cucopyLastFailure(&failure));
    return failure;
}

/* A copy that fails on every driver: nothing is at either address. */
static CUresult failingCopy(CUstream stream)
{
    return cucopyMemcpyDtoDAsync(0, 0, 1, stream);
}

static void push(CUcontext context)
{
    assert_success(cudrvCtxPushCurrent(context));
}

static void pop(void)
{
    assert_success(cudrvCtxPopCurrent(NULL));
}

static int tidy(void **state)
{
    (void)state;
    sceneTidy();
    return 0;
}

/* Run body on a thread of its own, and give what it returns. */
static void *onAnotherThread(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    void *result = NULL;
    assert_int_equal(pthread_create(&thread, NULL, body, argument), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    return result;
}

/* ---- When it is written ---- */

static void *failBySelf(void *stream)
{
    cucopyFailure failure = CUCOPY_FAILURE_INIT;
    const CUresult before = cucopyLastFailure(&failure);
    const CUresult failed = failingCopy(stream);
    const CUresult after = cucopyLastFailure(&failure);
    return before == CUDA_ERROR_NOT_FOUND && failed == CUDA_ERROR_INVALID_VALUE && after == CUDA_SUCCESS ? stream
                                                                                                         : NULL;
}

static void each_thread_has_its_own_last_failure_and_none_at_first(void **state)
{
    const struct world *const world = *state;
    assert_result(failingCopy(world->homeStream), CUDA_ERROR_INVALID_VALUE);
    assert_ptr_equal(onAnotherThread(failBySelf, world->awayStream), world->awayStream);
    assert_ptr_equal(lastFailure().stream, world->homeStream);
}

static void a_success_changes_nothing(void **state)
{
    const struct world *const world = *state;
    assert_result(failingCopy(world->homeStream), CUDA_ERROR_INVALID_VALUE);
    const cucopyFailure before = lastFailure();
    assert_success(cucopyMemcpyAsync(0, 0, 0, world->awayStream));
    const cucopyFailure after = lastFailure();
    assert_memory_equal(&before, &after, sizeof(before));
}

static void a_record_is_given_up_to_the_size_that_is_asked_for(void **state)
{
    const struct world *const world = *state;
    struct {
        cucopyFailure failure;
        char later[64];
    } newer = {.failure = CUCOPY_FAILURE_INIT};
    assert_result(failingCopy(world->homeStream), CUDA_ERROR_INVALID_VALUE);
    newer.failure.size = sizeof(newer);
    memset(newer.later, 'x', sizeof(newer.later));
    assert_success(cucopyLastFailure(&newer.failure));
    assert_int_equal(newer.failure.size, sizeof(cucopyFailure));
    assert_int_equal(newer.later[0], 'x');

    cucopyFailure small = {.size = 64};
    assert_result(cucopyLastFailure(&small), CUDA_ERROR_INVALID_VALUE);
    assert_result(cucopyLastFailure(NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(small.result, CUDA_SUCCESS);
}

/* ---- What is in it ---- */

static void a_record_tells_the_call_the_stream_and_both_contexts(void **state)
{
    const struct world *const world = *state;
    unsigned long long homeId = 0, awayId = 0;
    if (cudrvHas("cuCtxGetId")) {
        assert_success(cudrvCtxGetId(world->home, &homeId));
        assert_success(cudrvCtxGetId(world->away, &awayId));
    }
    push(world->home);
    assert_result(cucopyMemcpyHtoDAsync(0, &homeId, 8, world->awayStream), CUDA_ERROR_INVALID_VALUE);
    pop();
    const cucopyFailure failure = lastFailure();
    assert_string_equal(failure.function, "cucopyMemcpyHtoDAsync");
    assert_int_equal(failure.step, CUCOPY_STEP_COPY);
    assert_int_equal(failure.result, CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(failure.enqueued, 0);
    assert_int_equal(failure.entry, CUCOPY_NO_ENTRY);
    assert_int_equal(failure.bytes, 8);
    assert_int_equal(failure.dst, 0);
    assert_int_equal(failure.src, (uintptr_t)&homeId);
    assert_ptr_equal(failure.stream, world->awayStream);
    assert_int_equal(failure.capture, CUCOPY_CAPTURE_NONE);
    assert_ptr_equal(failure.streamContext, world->away);
    assert_int_equal(failure.streamContextId, awayId);
    assert_int_equal(failure.streamDevice, world->awayDevice);
    assert_ptr_equal(failure.currentContext, world->home);
    assert_int_equal(failure.currentContextId, homeId);
    assert_int_equal(failure.currentDevice, world->homeDevice);
    assert_int_equal(failure.driverVersion > 11000, 1);
    assert_null(failure.stillPushed);
    assert_null(failure.missing);
    assert_null(failure.reason);
}

static void a_special_stream_is_the_current_contexts_and_may_have_none(void **state)
{
    const struct world *const world = *state;
    assert_result(cucopyMemcpyAsync(0, 0, 0, NULL), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(lastFailure().currentContextState, CUCOPY_CONTEXT_NONE);
    assert_null(lastFailure().streamContext);
    push(world->away);
    assert_result(failingCopy(CU_STREAM_PER_THREAD), CUDA_ERROR_INVALID_VALUE);
    pop();
    assert_ptr_equal(lastFailure().streamContext, world->away);
    assert_ptr_equal(lastFailure().currentContext, world->away);
    assert_int_equal(lastFailure().streamDevice, world->awayDevice);
}

static void a_record_tells_arrays_and_the_contexts_of_a_peer_copy(void **state)
{
    const struct world *const world = *state;
    const CUDA_ARRAY_DESCRIPTOR shape = {.Width = 64, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    CUarray array = NULL;
    push(world->away);
    must(cudrvArrayCreate(&array, &shape));
    pop();
    assert_result(cucopyMemcpyHtoAAsync(array, 16, NULL, 8, world->awayStream), CUDA_ERROR_INVALID_VALUE);
    assert_ptr_equal(lastFailure().dstSide.array, array);
    assert_int_equal(lastFailure().dstSide.x, 16);
    assert_result(cucopyMemcpyAtoHAsync(NULL, array, 24, 8, world->awayStream), CUDA_ERROR_INVALID_VALUE);
    assert_ptr_equal(lastFailure().srcSide.array, array);
    assert_int_equal(lastFailure().srcSide.x, 24);
    push(world->away);
    must(cudrvArrayDestroy(array));
    pop();

    assert_result(cucopyMemcpyPeerAsync(0, world->home, 0, world->away, 8, world->awayStream),
                  CUDA_ERROR_INVALID_VALUE);
    assert_ptr_equal(lastFailure().dstSide.context, world->home);
    assert_ptr_equal(lastFailure().srcSide.context, world->away);
}

static void a_record_tells_a_box_side_by_side(void **state)
{
    const struct world *const world = *state;
    const CUDA_MEMCPY3D box = {.dstMemoryType = CU_MEMORYTYPE_DEVICE,
                               .dstPitch = 256,
                               .dstHeight = 8,
                               .dstXInBytes = 1,
                               .dstY = 2,
                               .dstZ = 3,
                               .srcMemoryType = CU_MEMORYTYPE_HOST,
                               .srcHost = &box,
                               .srcPitch = 512,
                               .WidthInBytes = 16,
                               .Height = 4,
                               .Depth = 2};
    assert_result(cucopyMemcpy3DAsync(&box, world->awayStream), CUDA_ERROR_INVALID_VALUE);
    const cucopyFailure failure = lastFailure();
    assert_int_equal(failure.width, 16);
    assert_int_equal(failure.height, 4);
    assert_int_equal(failure.depth, 2);
    assert_int_equal(failure.bytes, 128);
    assert_int_equal(failure.dstSide.memoryType, CU_MEMORYTYPE_DEVICE);
    assert_int_equal(failure.dstSide.pitch, 256);
    assert_int_equal(failure.dstSide.rows, 8);
    assert_int_equal(failure.dstSide.x, 1);
    assert_int_equal(failure.dstSide.y, 2);
    assert_int_equal(failure.dstSide.z, 3);
    assert_int_equal(failure.srcSide.memoryType, CU_MEMORYTYPE_HOST);
    assert_int_equal(failure.src, (uintptr_t)&box);
}

/* What the stream's device may do is asked while its context is current; afterwards it could not be. */
static void a_record_tells_the_access_of_the_streams_device(void **state)
{
    const struct world *const world = *state;
    const CUdeviceptr mapped = mappedMemory(world->awayDevice, 1, 1);
    const CUdeviceptr pool = poolMemory(world->away, world->awayStream, sceneBytes);
    push(world->home);
    assert_result(cucopyMemcpyDtoDAsync(mapped, pool, 8, world->awayStream), CUDA_ERROR_INVALID_VALUE);
    pop();
    assert_int_not_equal(lastFailure().dstSide.access, CUCOPY_ACCESS_READ_WRITE);
    assert_int_equal(lastFailure().srcSide.access, CUCOPY_ACCESS_READ_WRITE);
}

static void a_record_outlives_its_stream_and_contexts(void **state)
{
    struct world *mortal = NULL;
    (void)state;
    assert_int_equal(worldSetUp((void **)(void *)&mortal), 0);
    const CUstream stream = mortal->awayStream;
    const CUcontext context = mortal->away;
    assert_result(failingCopy(stream), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(worldTearDown((void **)(void *)&mortal), 0);
    assert_ptr_equal(lastFailure().stream, stream);
    assert_ptr_equal(lastFailure().streamContext, context);
    char text[4096];
    assert_true(cucopyExplain(NULL, text, sizeof(text)) < sizeof(text));
    if (cudrvHas("cuCtxGetId"))
        assert_non_null(strstr(text, "destroyed since"));
}

static void the_per_thread_variant_goes_by_its_own_name(void **state)
{
    CUresult CUDAAPI cucopyMemcpyAsync_ptsz(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream);
    const struct world *const world = *state;
    push(world->away);
    assert_result(cucopyMemcpyAsync_ptsz(0, 0, 1, NULL), CUDA_ERROR_INVALID_VALUE);
    pop();
    char text[4096];
    assert_string_equal(lastFailure().function, "cucopyMemcpyAsync_ptsz");
    (void)cucopyExplain(NULL, text, sizeof(text));
    assert_non_null(strstr(text, "the per-thread default stream"));
}

__attribute__((noinline)) static const void *failHere(CUstream stream)
{
    (void)failingCopy(stream);
    return lastFailure().caller;
}

__attribute__((noinline)) static const void *failThere(CUstream stream)
{
    (void)cucopyMemcpyDtoDAsync(0, 0, 1, stream);
    return lastFailure().caller;
}

static void a_record_tells_where_it_was_called(void **state)
{
    const struct world *const world = *state;
    const void *const here = failHere(world->awayStream);
    assert_non_null(here);
    assert_ptr_equal(failHere(world->awayStream), here);
    assert_ptr_not_equal(failThere(world->awayStream), here);
}

/* ---- Of a raw call ---- */

static void a_raw_failure_is_observed_and_the_last_one_stays(void **state)
{
    const struct world *const world = *state;
    assert_result(failingCopy(world->awayStream), CUDA_ERROR_INVALID_VALUE);
    cucopyFailure raw = CUCOPY_FAILURE_INIT;
    raw.function = "cuMemcpyAsync";
    raw.stream = world->awayStream;
    raw.bytes = 1;
    push(world->home);
    raw.result = cudrvMemcpyAsync(0, 0, 1, world->awayStream);
    cucopyObserveFailure(&raw);
    pop();
    assert_int_equal(raw.step, CUCOPY_STEP_COPY);
    assert_ptr_equal(raw.streamContext, world->away);
    assert_ptr_equal(raw.currentContext, world->home);
    assert_int_equal(raw.capture, CUCOPY_CAPTURE_NONE);
    assert_string_equal(lastFailure().function, "cucopyMemcpyDtoDAsync");
    cucopyObserveFailure(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thread_has_its_own_last_failure_and_none_at_first),
        cmocka_unit_test(a_success_changes_nothing),
        cmocka_unit_test(a_record_is_given_up_to_the_size_that_is_asked_for),
        cmocka_unit_test(a_record_tells_the_call_the_stream_and_both_contexts),
        cmocka_unit_test(a_special_stream_is_the_current_contexts_and_may_have_none),
        cmocka_unit_test(a_record_tells_arrays_and_the_contexts_of_a_peer_copy),
        cmocka_unit_test(a_record_tells_a_box_side_by_side),
        cmocka_unit_test_teardown(a_record_tells_the_access_of_the_streams_device, tidy),
        cmocka_unit_test(a_record_outlives_its_stream_and_contexts),
        cmocka_unit_test(the_per_thread_variant_goes_by_its_own_name),
        cmocka_unit_test(a_record_tells_where_it_was_called),
        cmocka_unit_test(a_raw_failure_is_observed_and_the_last_one_stays),
    };
    return cmocka_run_group_tests(tests, worldSetUp, worldTearDown);
}
