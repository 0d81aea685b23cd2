/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The safe copies: each of them arrives whatever context is current, makes no more driver calls than it promises, and
 * leaves the context stack as it found it, also when any of its steps fails.
 */
#include "copycases.h"

#include <pthread.h>
#include <stdlib.h>

/* Run check for each copy that this driver has, with the copy's name in front of what it says. */
#define FOR_EACH_COPY(copy)                                                                                            \
    for (const struct copyCase *copy = copyCases; copy < copyCases + copyCaseCount; copy++)                            \
        if (cudrvHas(copy->needs))

struct fixture {
    struct world *world;
    struct buffers buffers;
};

static int setUp(void **state)
{
    struct fixture *const f = calloc(1, sizeof(*f));
    if (!f || worldSetUp((void **)&f->world))
        return -1;
    buffersMake(&f->buffers, f->world);
    *state = f;
    return 0;
}

static int tearDown(void **state)
{
    struct fixture *const f = *state;
    if (simulator())
        simulator()->refuseNone();
    stackEmpty();
    buffersFree(&f->buffers);
    (void)worldTearDown((void **)&f->world);
    free(f);
    return 0;
}

static void push(CUcontext context)
{
    assert_success(cudrvCtxPushCurrent(context));
}

/* ---- What arrives ---- */

static void checkArrives(const struct fixture *f, const struct copyCase *copy, unsigned seed)
{
    copyPrepare(copy, &f->buffers, seed);
    const struct stack before = stackNow();
    assert_success(copy->safe(&f->buffers, f->world->awayStream));
    assertStackIs(&before);
    assert_int_equal(copyArrived(copy, &f->buffers, seed, f->world->awayStream), 1);
}

static void a_copy_arrives_with_no_context_current(void **state)
{
    const struct fixture *const f = *state;
    FOR_EACH_COPY(copy) checkArrives(f, copy, 1);
}

static void a_copy_arrives_with_another_context_current(void **state)
{
    const struct fixture *const f = *state;
    push(f->world->home);
    FOR_EACH_COPY(copy) checkArrives(f, copy, 2);
}

static void a_copy_arrives_with_the_streams_context_current(void **state)
{
    const struct fixture *const f = *state;
    push(f->world->away);
    FOR_EACH_COPY(copy) checkArrives(f, copy, 3);
}

static void a_copy_leaves_a_deep_stack_whole(void **state)
{
    const struct fixture *const f = *state;
    push(f->world->away);
    push(f->world->home);
    push(f->world->home);
    push(f->world->away);
    push(f->world->home);
    FOR_EACH_COPY(copy) checkArrives(f, copy, 4);
}

/* The report that started this library: everything is on device 1, and device 0 is current. */
static void pool_memory_and_stream_on_device_1_with_device_0_current(void **state)
{
    const struct fixture *const f = *state;
    needTwoDevices(f->world);
    const struct copyCase *const copy = &copyCases[0];
    assert_string_equal(copy->name, "MemcpyAsync");
    push(f->world->home);
    const struct stack before = stackNow();
    copyPrepare(copy, &f->buffers, 5);

    assert_result(copy->raw(&f->buffers, f->world->awayStream), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(copyArrived(copy, &f->buffers, 5, f->world->awayStream), 0);

    assert_success(copy->safe(&f->buffers, f->world->awayStream));
    assert_int_equal(copyArrived(copy, &f->buffers, 5, f->world->awayStream), 1);
    assertStackIs(&before);
}

static void a_copy_on_a_special_stream_is_the_current_contexts(void **state)
{
    const struct fixture *const f = *state;
    const CUstream special[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};
    push(f->world->away);
    for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
        FOR_EACH_COPY(copy)
        {
            if (copy->refusesSpecial)
                continue;
            copyPrepare(copy, &f->buffers, 6);
            assert_success(copy->safe(&f->buffers, special[i]));
            assert_int_equal(copyArrived(copy, &f->buffers, 6, special[i]), 1);
        }
}

static void a_copy_on_a_special_stream_with_no_context_gives_the_drivers_code(void **state)
{
    const struct fixture *const f = *state;
    FOR_EACH_COPY(copy)
    {
        if (copy->refusesSpecial)
            continue;
        assert_int_equal(copy->safe(&f->buffers, NULL), copy->raw(&f->buffers, NULL));
        assert_result(copy->safe(&f->buffers, NULL), CUDA_ERROR_INVALID_CONTEXT);
        assert_int_equal(stackNow().depth, 0);
    }
}

static void a_box_that_is_NULL_is_an_invalid_value(void **state)
{
    const struct fixture *const f = *state;
    assert_result(cucopyMemcpy2DAsync(NULL, f->world->awayStream), CUDA_ERROR_INVALID_VALUE);
    assert_result(cucopyMemcpy3DAsync(NULL, f->world->awayStream), CUDA_ERROR_INVALID_VALUE);
    assert_result(cucopyMemcpy3DPeerAsync(NULL, f->world->awayStream), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(stackNow().depth, 0);
}

/* ---- What it costs ---- */

static unsigned long driverCalls(const struct simulator *sim, const struct fixture *f, const struct copyCase *copy,
                                 CUresult (*run)(const struct buffers *, CUstream), CUstream stream)
{
    assert_success(run(&f->buffers, stream)); /* once before, for what a process does only once */
    sim->resetCalls();
    assert_success(run(&f->buffers, stream));
    const unsigned long all = sim->calls(NULL);
    assert_int_equal(sim->calls(copy->entry), 1);
    return all;
}

static int isBatch(const struct copyCase *copy)
{
    return strstr(copy->name, "Batch") != NULL; /* test_batch.c counts those */
}

static void a_raw_copy_is_exactly_one_driver_call(void **state)
{
    const struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    push(f->world->away);
    FOR_EACH_COPY(copy)
    assert_int_equal(driverCalls(sim, f, copy, copy->raw, f->world->awayStream), 1);
}

static void a_safe_copy_makes_two_extra_calls_with_the_streams_context_current(void **state)
{
    const struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    push(f->world->away);
    FOR_EACH_COPY(copy)
    {
        if (isBatch(copy))
            continue;
        assert_int_equal(driverCalls(sim, f, copy, copy->safe, f->world->awayStream), 3);
        assert_int_equal(sim->calls("cuCtxPushCurrent_v2"), 0);
    }
}

static void a_safe_copy_makes_four_extra_calls_with_another_context_or_none_current(void **state)
{
    const struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    for (int other = 0; other < 2; other++) {
        if (other)
            push(f->world->home);
        FOR_EACH_COPY(copy)
        {
            if (isBatch(copy))
                continue;
            assert_int_equal(driverCalls(sim, f, copy, copy->safe, f->world->awayStream), 5);
            assert_int_equal(sim->calls("cuCtxPushCurrent_v2"), 1);
            assert_int_equal(sim->calls("cuCtxPopCurrent_v2"), 1);
        }
    }
}

static void a_safe_copy_on_a_special_stream_makes_no_extra_call(void **state)
{
    const struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    push(f->world->away);
    FOR_EACH_COPY(copy)
    {
        if (isBatch(copy) || copy->refusesSpecial)
            continue;
        assert_int_equal(driverCalls(sim, f, copy, copy->safe, NULL), 1);
    }
}

static void no_copy_makes_or_retains_a_context_or_touches_a_capture(void **state)
{
    static const char *const never[] = {"cuDevicePrimaryCtxRetain", "cuCtxCreate_v2", "cuCtxCreate_v4",
                                        "cuCtxSetCurrent",          "cuStreamGetId",  "cuStreamGetDevice"};
    const struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    push(f->world->home);
    sim->resetCalls();
    FOR_EACH_COPY(copy) assert_success(copy->safe(&f->buffers, f->world->awayStream));
    for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
        assert_int_equal(sim->calls(never[i]), 0);
}

/* ---- When a step fails ---- */

/* Refuse a driver call of a safe copy, with another context current, and see what is left. */
static void checkStep(const struct fixture *f, const struct copyCase *copy, const char *entry, cucopyStep step,
                      int arrives)
{
    const struct simulator *const sim = simulator();
    const CUresult code = CUDA_ERROR_ILLEGAL_STATE; /* 401: nothing here gives it by itself */
    copyPrepare(copy, &f->buffers, 7);
    const struct stack before = stackNow();
    sim->refuse(entry, 1, (int)code, 0);
    const CUresult result = copy->safe(&f->buffers, f->world->awayStream);
    sim->refuseNone();
    assert_int_equal(result, code);
    if (step == CUCOPY_STEP_RESTORE)
        assert_success(cudrvCtxPopCurrent(NULL)); /* the pop that was refused is the only exception */
    assertStackIs(&before);
    assert_int_equal(copyArrived(copy, &f->buffers, 7, f->world->awayStream), arrives);

    cucopyFailure failure = CUCOPY_FAILURE_INIT;
    assert_success(cucopyLastFailure(&failure));
    assert_int_equal(failure.step, step);
    assert_int_equal(failure.result, code);
    assert_int_equal(failure.enqueued, arrives);
    assert_string_equal(failure.function + strlen("cucopy"), copy->name);
    assert_ptr_equal(failure.stream, f->world->awayStream);
}

static void each_step_that_fails_in_turn_leaves_the_stack_whole(void **state)
{
    const struct fixture *const f = *state;
    (void)needSimulator();
    for (int other = 0; other < 2; other++) {
        if (other)
            push(f->world->home);
        FOR_EACH_COPY(copy)
        {
            if (isBatch(copy))
                continue;
            checkStep(f, copy, "cuStreamGetCtx", CUCOPY_STEP_QUERY, 0);
            checkStep(f, copy, "cuCtxGetCurrent", CUCOPY_STEP_QUERY, 0);
            checkStep(f, copy, "cuCtxPushCurrent_v2", CUCOPY_STEP_ENTER, 0);
            checkStep(f, copy, copy->entry, CUCOPY_STEP_COPY, 0);
            checkStep(f, copy, "cuCtxPopCurrent_v2", CUCOPY_STEP_RESTORE, 1);
        }
    }
}

static void the_copys_code_wins_over_that_of_a_failing_pop(void **state)
{
    const struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    push(f->world->home);
    FOR_EACH_COPY(copy)
    {
        if (isBatch(copy))
            continue;
        sim->refuse(copy->entry, 1, CUDA_ERROR_ILLEGAL_STATE, 0);
        sim->refuse("cuCtxPopCurrent_v2", 1, CUDA_ERROR_NOT_PERMITTED, 0);
        assert_result(copy->safe(&f->buffers, f->world->awayStream), CUDA_ERROR_ILLEGAL_STATE);
        sim->refuseNone();
        assert_success(cudrvCtxPopCurrent(NULL));
    }
}

/* ---- Threads ---- */

enum { threadCount = 8, rounds = 50 };

static void *copyManyTimes(void *argument)
{
    const struct fixture *const f = argument;
    struct buffers mine;
    buffersMake(&mine, f->world);
    for (unsigned round = 0; round < rounds; round++) {
        const int other = round % 2 != 0;
        if (other)
            push(f->world->home);
        FOR_EACH_COPY(copy)
        {
            copyPrepare(copy, &mine, round);
            assert_success(copy->safe(&mine, f->world->awayStream));
            assert_int_equal(copyArrived(copy, &mine, round, f->world->awayStream), 1);
        }
        assert_int_equal(stackNow().depth, other);
        if (other)
            assert_success(cudrvCtxPopCurrent(NULL));
    }
    buffersFree(&mine);
    return argument;
}

static void eight_threads_copy_at_once_and_each_keeps_its_own_stack(void **state)
{
    pthread_t threads[threadCount];
    for (int i = 0; i < threadCount; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, copyManyTimes, *state), 0);
    for (int i = 0; i < threadCount; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, *state);
    }
    assert_int_equal(stackNow().depth, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setUp, tearDown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_copy_arrives_with_no_context_current),
        TEST(a_copy_arrives_with_another_context_current),
        TEST(a_copy_arrives_with_the_streams_context_current),
        TEST(a_copy_leaves_a_deep_stack_whole),
        TEST(pool_memory_and_stream_on_device_1_with_device_0_current),
        TEST(a_copy_on_a_special_stream_is_the_current_contexts),
        TEST(a_copy_on_a_special_stream_with_no_context_gives_the_drivers_code),
        TEST(a_box_that_is_NULL_is_an_invalid_value),
        TEST(a_raw_copy_is_exactly_one_driver_call),
        TEST(a_safe_copy_makes_two_extra_calls_with_the_streams_context_current),
        TEST(a_safe_copy_makes_four_extra_calls_with_another_context_or_none_current),
        TEST(a_safe_copy_on_a_special_stream_makes_no_extra_call),
        TEST(no_copy_makes_or_retains_a_context_or_touches_a_capture),
        TEST(each_step_that_fails_in_turn_leaves_the_stack_whole),
        TEST(the_copys_code_wins_over_that_of_a_failing_pop),
        TEST(eight_threads_copy_at_once_and_each_keeps_its_own_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
