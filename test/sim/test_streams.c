/* SPDX-License-Identifier: Apache-2.0 */
/* In what order work runs, and what the host sees of it. */
#include "test_support.h"

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

enum { BYTES = 1 << 16 };

typedef struct World {
    CUstream blocking, other;
    CUdeviceptr a, b;
    unsigned char *pinned;
} World;

static World world;

static int setUp(void **state)
{
    freshProcess(state);
    OK(cuCtxSetCurrent(primary[0]));
    OK(cuStreamCreate(&world.blocking, CU_STREAM_DEFAULT));
    OK(cuStreamCreate(&world.other, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&world.a, BYTES));
    OK(cuMemAlloc(&world.b, BYTES));
    void *pinned;
    OK(cuMemHostAlloc(&pinned, BYTES, 0));
    world.pinned = pinned;
    return 0;
}

static unsigned char firstByte(CUdeviceptr memory)
{
    unsigned char byte;
    OK(cuMemcpyDtoH(&byte, memory, 1));
    return byte;
}

static void a_copy_moves_its_bytes_after_the_call(void **state)
{
    (void)state;
    cusimHold();
    memset(world.pinned, 1, BYTES);
    OK(cuMemcpyHtoDAsync(world.a, world.pinned, BYTES, world.other));
    memset(world.pinned, 2, BYTES);
    GIVES(CUDA_ERROR_NOT_READY, cuStreamQuery(world.other));
    cusimRelease();
    OK(cuStreamSynchronize(world.other));
    OK(cuStreamQuery(world.other));
    assert_int_equal(firstByte(world.a), 2);
}

static void work_starts_although_nobody_waits(void **state)
{
    (void)state;
    OK(cuMemsetD8Async(world.a, 9, BYTES, world.other));
    while (cusimPending() > 0)
        usleep(200);
}

static void a_small_pinned_source_is_read_at_the_call_when_the_stream_is_idle(void **state)
{
    (void)state;
    cusimHold();
    world.pinned[0] = 1;
    OK(cuMemcpyHtoDAsync(world.a, world.pinned, 4096, world.other));
    world.pinned[0] = 2;
    OK(cuMemcpyHtoDAsync(world.b, world.pinned, 4096, world.other));
    world.pinned[0] = 3;
    cusimRelease();
    OK(cuStreamSynchronize(world.other));
    assert_int_equal(firstByte(world.a), 1);
    assert_int_equal(firstByte(world.b), 3);
}

static void a_pageable_source_is_read_at_the_call(void **state)
{
    (void)state;
    static unsigned char pageable[BYTES];
    cusimHold();
    OK(cuMemsetD8Async(world.b, 0, BYTES, world.other));
    pageable[0] = 1;
    OK(cuMemcpyHtoDAsync(world.a, pageable, BYTES, world.other));
    pageable[0] = 2;
    cusimRelease();
    OK(cuStreamSynchronize(world.other));
    assert_int_equal(firstByte(world.a), 1);
}

static void a_pageable_destination_is_written_when_the_call_returns(void **state)
{
    (void)state;
    unsigned char byte = 0;
    OK(cuMemsetD8Async(world.a, 7, BYTES, world.other));
    OK(cuMemcpyDtoHAsync(&byte, world.a, 1, world.other));
    assert_int_equal(byte, 7);
}

static void waitForPost(void *semaphore)
{
    sem_wait(semaphore);
}

/* Whether work in `second` waits for what `first` does meanwhile, a host function that takes its time. */
static bool runsBehind(CUstream first, CUstream second)
{
    sem_t go;
    CUevent event;
    CUresult done = CUDA_ERROR_NOT_READY;
    sem_init(&go, 0, 0);
    OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    OK(cuLaunchHostFunc(first, waitForPost, &go));
    OK(cuMemsetD8Async(world.a, 1, 1, second));
    OK(cuEventRecord(event, second));
    for (int i = 0; i < 100 && done == CUDA_ERROR_NOT_READY; i++) {
        done = cuEventQuery(event);
        usleep(200);
    }
    sem_post(&go);
    OK(cuCtxSynchronize());
    OK(cuEventDestroy(event));
    sem_destroy(&go);
    return done == CUDA_ERROR_NOT_READY;
}

static void the_legacy_stream_and_blocking_streams_wait_for_each_other(void **state)
{
    (void)state;
    assert_true(runsBehind(world.blocking, NULL));
    assert_true(runsBehind(NULL, world.blocking));
    assert_true(runsBehind(CU_STREAM_PER_THREAD, CU_STREAM_LEGACY));
    assert_true(runsBehind(CU_STREAM_LEGACY, CU_STREAM_PER_THREAD));
}

static void other_streams_do_not_wait_for_each_other(void **state)
{
    (void)state;
    assert_false(runsBehind(world.other, NULL));
    assert_false(runsBehind(NULL, world.other));
    assert_false(runsBehind(world.blocking, world.other));
    assert_false(runsBehind(world.blocking, CU_STREAM_PER_THREAD));
}

static void the_legacy_stream_of_another_context_does_not_wait(void **state)
{
    (void)state;
    CUstream second;
    OK(cuCtxPushCurrent(primary[1]));
    OK(cuStreamCreate(&second, CU_STREAM_DEFAULT));
    OK(cuCtxPopCurrent(NULL));
    sem_t go;
    sem_init(&go, 0, 0);
    OK(cuLaunchHostFunc(second, waitForPost, &go));
    OK(cuMemsetD8(world.a, 1, 1));
    sem_post(&go);
    OK(cuStreamSynchronize(second));
    sem_destroy(&go);
}

static void a_stream_waits_for_an_event_of_another_device(void **state)
{
    (void)state;
    CUstream second;
    CUevent event;
    OK(cuCtxPushCurrent(primary[1]));
    OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&event, CU_EVENT_DEFAULT));
    OK(cuCtxPopCurrent(NULL));
    cusimHold();
    OK(cuMemsetD8Async(world.a, 5, 1, second));
    OK(cuEventRecord(event, second));
    OK(cuStreamWaitEvent(world.other, event, 0));
    OK(cuMemcpyDtoDAsync(world.b, world.a, 1, world.other));
    GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(event));
    cusimRelease();
    OK(cuStreamSynchronize(world.other));
    OK(cuEventQuery(event));
    assert_int_equal(firstByte(world.b), 5);
}

static void an_event_wants_a_stream_of_its_own_context(void **state)
{
    (void)state;
    CUevent event;
    OK(cuCtxPushCurrent(primary[1]));
    OK(cuEventCreate(&event, CU_EVENT_DEFAULT));
    OK(cuCtxPopCurrent(NULL));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(event, world.other));
}

static void events_measure_time(void **state)
{
    (void)state;
    CUevent start;
    CUevent end;
    float milliseconds = -1;
    OK(cuEventCreate(&start, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&end, CU_EVENT_DEFAULT));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&milliseconds, start, end));
    OK(cuEventRecord(start, world.other));
    OK(cuMemsetD8Async(world.a, 5, BYTES, world.other));
    OK(cuEventRecord(end, world.other));
    OK(cuEventSynchronize(end));
    OK(cuEventElapsedTime(&milliseconds, start, end));
    assert_true(milliseconds >= 0);
}

static void *idOfPerThreadStream(void *id)
{
    OK(cuCtxSetCurrent(primary[0]));
    OK(cuStreamGetId(CU_STREAM_PER_THREAD, id));
    return NULL;
}

static void each_thread_has_a_default_stream_of_its_own(void **state)
{
    (void)state;
    unsigned long long mine;
    unsigned long long again;
    unsigned long long theirs = 0;
    pthread_t thread;
    idOfPerThreadStream(&mine);
    idOfPerThreadStream(&again);
    assert_int_equal(pthread_create(&thread, NULL, idOfPerThreadStream, &theirs), 0);
    pthread_join(thread, NULL);
    assert_int_equal(mine, again);
    assert_int_not_equal(mine, theirs);
}

typedef struct Seen {
    CUstream stream;
    CUresult current, push, copy, context;
    CUcontext found;
} Seen;

static void lookAround(void *data)
{
    Seen *seen = data;
    CUcontext ignored;
    seen->current = cuCtxGetCurrent(&ignored);
    seen->push = cuCtxPushCurrent(primary[0]);
    seen->copy = cuMemcpyAsync(world.a, world.b, 16, world.other);
    seen->context = cuStreamGetCtx(seen->stream, &seen->found);
}

static void a_host_function_may_ask_for_a_streams_context_and_nothing_else(void **state)
{
    (void)state;
    Seen seen = {.stream = world.other};
    OK(cuLaunchHostFunc(world.other, lookAround, &seen));
    OK(cuStreamSynchronize(world.other));
    GIVES(CUDA_ERROR_NOT_PERMITTED, seen.current);
    GIVES(CUDA_ERROR_NOT_PERMITTED, seen.push);
    GIVES(CUDA_ERROR_NOT_PERMITTED, seen.copy);
    OK(seen.context);
    assert_ptr_equal(seen.found, primary[0]);
}

static void CUDA_CB noteStatus(CUstream stream, CUresult status, void *data)
{
    (void)stream;
    *(CUresult *)data = status;
}

static void a_callback_gets_its_streams_status(void **state)
{
    (void)state;
    CUresult status = CUDA_ERROR_UNKNOWN;
    OK(cuStreamAddCallback(world.other, noteStatus, &status, 0));
    OK(cuStreamSynchronize(world.other));
    OK(status);
}

static void freed_pool_memory_is_unknown_at_once_and_goes_in_stream_order(void **state)
{
    (void)state;
    CUdeviceptr pool;
    cusimHold();
    OK(cuMemAllocAsync(&pool, BYTES, world.other));
    OK(cuMemsetD8Async(pool, 3, BYTES, world.other));
    OK(cuMemcpyAsync(world.a, pool, BYTES, world.other));
    OK(cuMemFreeAsync(pool, world.other));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyAsync(world.a, pool, BYTES, world.other));
    cusimRelease();
    OK(cuStreamSynchronize(world.other));
    assert_int_equal(firstByte(world.a), 3);
}

static void destroying_a_stream_lets_its_work_finish(void **state)
{
    (void)state;
    cusimHold();
    OK(cuMemsetD8Async(world.a, 8, 1, world.other));
    OK(cuStreamDestroy(world.other));
    cusimRelease();
    OK(cuCtxSynchronize());
    assert_int_equal(firstByte(world.a), 8);
}

#define TEST(test) cmocka_unit_test_setup(test, setUp)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_copy_moves_its_bytes_after_the_call),
        TEST(work_starts_although_nobody_waits),
        TEST(a_small_pinned_source_is_read_at_the_call_when_the_stream_is_idle),
        TEST(a_pageable_source_is_read_at_the_call),
        TEST(a_pageable_destination_is_written_when_the_call_returns),
        TEST(the_legacy_stream_and_blocking_streams_wait_for_each_other),
        TEST(other_streams_do_not_wait_for_each_other),
        TEST(the_legacy_stream_of_another_context_does_not_wait),
        TEST(a_stream_waits_for_an_event_of_another_device),
        TEST(an_event_wants_a_stream_of_its_own_context),
        TEST(events_measure_time),
        TEST(each_thread_has_a_default_stream_of_its_own),
        TEST(a_host_function_may_ask_for_a_streams_context_and_nothing_else),
        TEST(a_callback_gets_its_streams_status),
        TEST(freed_pool_memory_is_unknown_at_once_and_goes_in_stream_order),
        TEST(destroying_a_stream_lets_its_work_finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
