/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What surrounds a process: the kernels are loaded at its first batch; CUCOPY_BATCH_PATH is read once, so this runs
 * with each value of it; and a driver may be unable to say whether a stream captures.
 */
#include "types.h"

#include "areas.h"

#include <pthread.h>
#include <stdlib.h>

enum { BLOCK = 256, COUNT = 100 };

static int pathIs(const char *name)
{
    const char *const path = getenv("CUCOPY_BATCH_PATH"); /* NOLINT(concurrency-mt-unsafe) */
    return path && !strcmp(path, name);
}

static CUresult copy(const struct bench *bench, struct entries *entries, const cucopyBatchOptions *options)
{
    for (size_t i = 0; i < COUNT; i++)
        entrySet(entries, i, bench, (COUNT - 1 - i) * BLOCK, i * BLOCK, BLOCK);
    return cucopyMemcpyBatchAsyncEx(entries->dsts, entries->srcs, entries->sizes, COUNT, options, bench->stream);
}

/* ---- The first batches, at once ---- */

enum { THREADS = 8 };

static void *copyInAThread(void *argument)
{
    const struct bench *const bench = argument;
    struct entries entries = entriesMake(COUNT);
    const CUresult result = copy(bench, &entries, NULL);
    entriesFree(&entries);
    return (void *)(uintptr_t)result;
}

static void threads_may_race_the_first_batch(void **state)
{
    struct bench benches[THREADS];
    pthread_t threads[THREADS];
    void *results[THREADS];
    needEntry("cuStreamIsCapturing");
    if (pathIs("kernel"))
        needEntry("cuLibraryLoadData");
    for (size_t i = 0; i < THREADS; i++)
        benches[i] = benchMake(*state, 'D', 'H', (size_t)COUNT * BLOCK);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, copyInAThread, &benches[i]), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], &results[i]), 0);
    for (size_t i = THREADS; i-- > 0;) {
        struct entries entries = entriesMake(COUNT);
        assert_success((CUresult)(uintptr_t)results[i]);
        for (size_t k = 0; k < COUNT; k++)
            entrySet(&entries, k, &benches[i], (COUNT - 1 - k) * BLOCK, k * BLOCK, BLOCK);
        modelCopy(&benches[i], &entries);
        areaCheck(&benches[i].dst);
        entriesFree(&entries);
        benchFree(&benches[i]);
    }
}

/* ---- The path ---- */

static void the_environment_chooses_where_the_caller_does_not(void **state)
{
    const struct simulator *const sim = needSimulator();
    const int kernelIsThere = cudrvHas("cuLibraryLoadData");
    needEntry("cuStreamIsCapturing");
    struct bench bench = benchMake(*state, 'D', 'D', (size_t)COUNT * BLOCK);
    struct entries entries = entriesMake(COUNT);
    sim->resetCalls();
    if (pathIs("kernel") && !kernelIsThere)
        assert_result(copy(&bench, &entries, NULL), CUDA_ERROR_NOT_SUPPORTED);
    else
        assert_success(copy(&bench, &entries, NULL));
    assert_int_equal(sim->calls("cuLaunchKernel") != 0, kernelIsThere && !pathIs("engine"));
    assert_success(cudrvStreamSynchronize(bench.stream));
    entriesFree(&entries);
    benchFree(&bench);
}

static void what_a_kernel_cannot_do_is_refused_if_the_environment_asks_for_one(void **state)
{
    needEntry("cuStreamIsCapturing");
    struct bench bench = benchMake(*state, 'D', 'U', (size_t)COUNT * BLOCK);
    struct entries entries = entriesMake(COUNT);
    if (pathIs("kernel"))
        assert_result(copy(&bench, &entries, NULL), CUDA_ERROR_NOT_SUPPORTED);
    else
        assert_success(copy(&bench, &entries, NULL));
    assert_success(cudrvStreamSynchronize(bench.stream));
    entriesFree(&entries);
    benchFree(&bench);
}

static void the_caller_comes_first(void **state)
{
    const struct simulator *const sim = needSimulator();
    needEntry("cuStreamIsCapturing");
    struct bench bench = benchMake(*state, 'D', 'D', (size_t)COUNT * BLOCK);
    struct entries entries = entriesMake(COUNT);
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    for (int path = CUCOPY_BATCH_AUTO; path <= CUCOPY_BATCH_ENGINE; path++) {
        options.path = (cucopyBatchPath)path;
        sim->resetCalls();
        assert_success(copy(&bench, &entries, &options));
        assert_int_equal(sim->calls("cuLaunchKernel") != 0, cudrvHas("cuLibraryLoadData") && path == CUCOPY_BATCH_AUTO);
        assert_success(cudrvStreamSynchronize(bench.stream));
    }
    entriesFree(&entries);
    benchFree(&bench);
}

/* The stream that nobody made is the one whose copies may end another's capture. */
static void a_driver_that_cannot_tell_captures_is_asked_only_where_it_matters(void **state)
{
    if (cudrvHas("cuStreamIsCapturing")) {
        print_message("skipped: this driver can tell captures; it is one before 10.0 that is wanted here\n");
        skip();
    }
    struct bench bench = benchMake(*state, 'D', 'D', (size_t)COUNT * BLOCK);
    struct entries entries = entriesMake(COUNT);
    CUDA_MEMCPY3D_BATCH_OP op;
    memset(&op, 0, sizeof(op));
    for (size_t i = 0; i < COUNT; i++)
        entrySet(&entries, i, &bench, i * BLOCK, i * BLOCK, BLOCK);
    assertCopies(&bench, &entries, NULL, bench.stream);
    for (int boxes = 0; boxes < 2; boxes++) {
        cucopyFailure failure = CUCOPY_FAILURE_INIT;
        assert_result(boxes ? cucopyMemcpy3DBatchAsync(1, &op, 0, bench.stream)
                            : cucopyMemcpyBatchAsyncEx(entries.dsts, entries.srcs, entries.sizes, COUNT, NULL, NULL),
                      CUDA_ERROR_NOT_SUPPORTED);
        assert_success(cucopyLastFailure(&failure));
        assert_non_null(failure.reason);
        assert_non_null(strstr(failure.reason, "cuStreamIsCapturing"));
    }
    entriesFree(&entries);
    benchFree(&bench);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_may_race_the_first_batch),
        cmocka_unit_test(the_environment_chooses_where_the_caller_does_not),
        cmocka_unit_test(what_a_kernel_cannot_do_is_refused_if_the_environment_asks_for_one),
        cmocka_unit_test(the_caller_comes_first),
        cmocka_unit_test(a_driver_that_cannot_tell_captures_is_asked_only_where_it_matters),
    };
    return cmocka_run_group_tests(tests, worldSetUp, worldTearDown);
}
