/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is told of a failure, by the handler and by CUCOPY_LOG, and that neither a record nor an explanation does harm.
 */
#include "types.h" /* and what an older cuda.h lacks */

#include "scenes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

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
    assert_success(cucopySetFailureHandler(NULL, NULL));
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

/* ---- Who is told ---- */

struct heard {
    int times;
    cucopyFailure failure;
    size_t depth;
};

static void listen(const cucopyFailure *failure, void *user)
{
    struct heard *const heard = user;
    heard->times++;
    heard->failure = *failure;
    heard->depth = stackNow().depth;
}

static void a_handler_hears_of_each_failure_once_with_the_stack_as_it_was(void **state)
{
    const struct world *const world = *state;
    struct heard heard = {0};
    push(world->home);
    assert_success(cucopySetFailureHandler(listen, &heard));
    assert_success(cucopyMemcpyAsync(0, 0, 0, world->awayStream));
    assert_int_equal(heard.times, 0);
    assert_result(failingCopy(world->awayStream), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(heard.times, 1);
    assert_int_equal(heard.depth, 1);
    assert_string_equal(heard.failure.function, "cucopyMemcpyDtoDAsync");
    assert_result(failingCopy(world->awayStream), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(heard.times, 2);
    assert_success(cucopySetFailureHandler(NULL, NULL));
    assert_result(failingCopy(world->awayStream), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(heard.times, 2);
    pop();
}

static void a_batch_is_one_failure_under_the_name_that_was_called(void **state)
{
    const struct world *const world = *state;
    struct heard heard = {0};
    CUdeviceptr none = 0;
    size_t bytes = 64, first = 0, failed = 0;
    CUmemcpyAttributes order = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    assert_success(cucopySetFailureHandler(listen, &heard));
    assert_int_not_equal(
        cucopyMemcpyBatchAsync_v12080(&none, &none, &bytes, 1, &order, &first, 1, &failed, world->awayStream),
        CUDA_SUCCESS);
    assert_int_equal(heard.times, 1);
    assert_string_equal(heard.failure.function, "cucopyMemcpyBatchAsync_v12080");
}

static void failAgain(const cucopyFailure *failure, void *user)
{
    struct heard *const heard = user;
    heard->times++;
    assert_int_equal(cucopyMemcpyPeerAsync(0, NULL, 0, NULL, 1, failure->stream), CUDA_ERROR_INVALID_VALUE);
    assert_string_equal(lastFailure().function, "cucopyMemcpyPeerAsync");
}

static void a_failure_within_the_handler_is_not_handed_to_it_and_is_forgotten(void **state)
{
    const struct world *const world = *state;
    struct heard heard = {0};
    assert_success(cucopySetFailureHandler(failAgain, &heard));
    assert_result(failingCopy(world->awayStream), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(heard.times, 1);
    assert_string_equal(lastFailure().function, "cucopyMemcpyDtoDAsync");
}

enum { threadCount = 8, rounds = 200 };

/* Each handler gets the user pointer that it was set with, or this counts too few. */
static atomic_int heardByOne, heardByTwo, mixedUp;

static void one(const cucopyFailure *failure, void *user)
{
    (void)failure;
    atomic_fetch_add(user == &heardByOne ? &heardByOne : &mixedUp, 1);
}

static void two(const cucopyFailure *failure, void *user)
{
    (void)failure;
    atomic_fetch_add(user == &heardByTwo ? &heardByTwo : &mixedUp, 1);
}

static void *failAndSet(void *stream)
{
    for (int round = 0; round < rounds; round++) {
        (void)cucopySetFailureHandler(round % 2 ? one : two, round % 2 ? &heardByOne : &heardByTwo);
        (void)failingCopy(stream);
    }
    return stream;
}

static void handlers_are_set_while_other_threads_fail(void **state)
{
    const struct world *const world = *state;
    pthread_t threads[threadCount];
    assert_success(cucopySetFailureHandler(one, &heardByOne));
    for (int i = 0; i < threadCount; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, failAndSet, world->awayStream), 0);
    for (int i = 0; i < threadCount; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(atomic_load(&mixedUp), 0);
    assert_int_equal(atomic_load(&heardByOne) + atomic_load(&heardByTwo), threadCount * rounds);
}

/* ---- CUCOPY_LOG ---- */

static void failOften(void)
{
    void *world = NULL;
    must(worldSetUp(&world) == 0 ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN);
    const CUstream stream = ((const struct world *)world)->awayStream;
    volatile int i; /* so that no loop is unrolled into several places */
    for (i = 0; i < 100; i++)
        (void)failingCopy(stream); /* one place */
    for (i = 0; i < 2; i++)
        (void)cucopyMemcpyAsync(0, 0, 1, stream); /* another kind */
    (void)cucopyMemcpyAsync(0, 0, 1, stream);     /* another place */
    (void)cucopyMemcpyAsync(0, 0, 0, NULL);       /* another result */
    (void)worldTearDown(&world);
}

/* How many explanations this program, started anew with CUCOPY_LOG=value, prints in failOften. */
static int logged(const char *value)
{
    int ends[2], status = 0, count = 0;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        if (value)
            (void)setenv("CUCOPY_LOG", value, 1); /* NOLINT(concurrency-mt-unsafe) */
        else
            (void)unsetenv("CUCOPY_LOG"); /* NOLINT(concurrency-mt-unsafe) */
        (void)execl("/proc/self/exe", "test_failure_report", "--fail-often", (char *)NULL);
        _exit(127);
    }
    (void)close(ends[1]);
    FILE *const lines = fdopen(ends[0], "r");
    assert_non_null(lines);
    char line[1024];
    while (fgets(line, sizeof(line), lines))
        count += strncmp(line, "cucopyMemcpy", strlen("cucopyMemcpy")) == 0;
    (void)fclose(lines);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return count;
}

static void nothing_is_logged_unless_it_is_asked_for(void **state)
{
    (void)state;
    assert_int_equal(logged(NULL), 0);
    assert_int_equal(logged(""), 0);
    assert_int_equal(logged("0"), 0);
}

static void each_kind_is_logged_once_for_each_place(void **state)
{
    (void)state;
    assert_int_equal(logged("1"), 4);
}

static void all_failures_are_logged_if_that_is_asked_for(void **state)
{
    (void)state;
    assert_int_equal(logged("all"), 104);
}

/* ---- No harm ---- */

static void *failAndExplain(void *stream)
{
    char text[4096];
    (void)failingCopy(stream);
    (void)cucopyExplain(NULL, text, sizeof(text));
    return NULL;
}

/* Of pool memory too: asking its pool would spoil the capture. */
static CUdeviceptr pool;

static void *failOnPools(void *argument)
{
    const struct world *const world = argument;
    char text[4096];
    cucopyFailure raw = CUCOPY_FAILURE_INIT;
    raw.function = "cuMemcpyAsync";
    raw.result = CUDA_ERROR_INVALID_VALUE;
    raw.stream = world->homeStream;
    raw.bytes = 1;
    raw.dst = raw.src = pool;
    cucopyObserveFailure(&raw);
    (void)cucopyExplain(&raw, text, sizeof(text));
    (void)cucopyMemcpyDtoDAsync(pool, pool, (size_t)2 * sceneBytes, world->homeStream);
    (void)cucopyExplain(NULL, text, sizeof(text));
    return NULL;
}

static void a_capture_of_another_thread_survives_failures_and_explanations(void **state)
{
    struct world *const world = *state;
    CUgraph graph = NULL;
    pool = poolMemory(world->home, world->homeStream, sceneBytes);
    must(cudrvStreamBeginCapture(world->awayStream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    onAnotherThread(failAndExplain, world->homeStream);
    onAnotherThread(failOnPools, world);
    assert_success(cudrvStreamEndCapture(world->awayStream, &graph));
    must(cudrvGraphDestroy(graph));
}

static void a_capture_of_this_thread_survives_failures_and_explanations(void **state)
{
    static const CUstreamCaptureMode modes[] = {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                                CU_STREAM_CAPTURE_MODE_RELAXED};
    struct world *const world = *state;
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        CUgraph graph = NULL;
        must(cudrvStreamBeginCapture(world->awayStream, modes[i]));
        failAndExplain(world->awayStream);
        assert_int_equal(lastFailure().capture, CUCOPY_CAPTURE_ACTIVE);
        failAndExplain(world->homeStream);
        assert_success(cudrvStreamEndCapture(world->awayStream, &graph));
        must(cudrvGraphDestroy(graph));
    }
}

/* A code after which the driver is not to be asked is followed by no call at all. */
static void after_some_codes_the_driver_is_asked_nothing(void **state)
{
    static const CUresult codes[] = {CUDA_ERROR_NOT_PERMITTED, CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_NOT_INITIALIZED,
                                     CUDA_ERROR_ILLEGAL_ADDRESS};
    const struct world *const world = *state;
    const struct simulator *const sim = needSimulator();
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        char text[4096];
        sim->refuse("cuStreamGetCtx", 1, (int)codes[i], false);
        sim->resetCalls();
        assert_int_equal(failingCopy(world->awayStream), codes[i]);
        (void)cucopyExplain(NULL, text, sizeof(text));
        assert_int_equal(sim->calls(NULL), 1);
        sim->refuseNone();
    }
}

int main(int argumentCount, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_handler_hears_of_each_failure_once_with_the_stack_as_it_was, tidy),
        cmocka_unit_test_teardown(a_batch_is_one_failure_under_the_name_that_was_called, tidy),
        cmocka_unit_test_teardown(a_failure_within_the_handler_is_not_handed_to_it_and_is_forgotten, tidy),
        cmocka_unit_test_teardown(handlers_are_set_while_other_threads_fail, tidy),
        cmocka_unit_test(nothing_is_logged_unless_it_is_asked_for),
        cmocka_unit_test(each_kind_is_logged_once_for_each_place),
        cmocka_unit_test(all_failures_are_logged_if_that_is_asked_for),
        cmocka_unit_test_teardown(a_capture_of_another_thread_survives_failures_and_explanations, tidy),
        cmocka_unit_test(a_capture_of_this_thread_survives_failures_and_explanations),
        cmocka_unit_test(after_some_codes_the_driver_is_asked_nothing),
    };
    if (argumentCount == 2 && strcmp(arguments[1], "--fail-often") == 0) {
        failOften();
        return 0;
    }
    return cmocka_run_group_tests(tests, worldSetUp, worldTearDown);
}
