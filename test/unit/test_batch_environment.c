/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What surrounds a process: CUCOPY_BATCH_PATH, which is read once, run with each value of it; and a driver that cannot
 * say whether a stream captures.
 */
#include "types.h"

#include "areas.h"

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
    assert_int_equal(sim->calls("cuLaunchKernelEx") != 0, kernelIsThere && !pathIs("engine"));
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
        assert_int_equal(sim->calls("cuLaunchKernelEx") != 0,
                         cudrvHas("cuLibraryLoadData") && path == CUCOPY_BATCH_AUTO);
        assert_success(cudrvStreamSynchronize(bench.stream));
    }
    entriesFree(&entries);
    benchFree(&bench);
}

static void a_driver_that_cannot_tell_captures_is_named_as_the_reason(void **state)
{
    if (cudrvHas("cuStreamIsCapturing"))
        skip();
    struct bench bench = benchMake(*state, 'D', 'D', (size_t)COUNT * BLOCK);
    struct entries entries = entriesMake(COUNT);
    CUDA_MEMCPY3D_BATCH_OP op;
    memset(&op, 0, sizeof(op));
    for (int boxes = 0; boxes < 2; boxes++) {
        cucopyFailure failure = CUCOPY_FAILURE_INIT;
        assert_result(boxes ? cucopyMemcpy3DBatchAsync(1, &op, 0, bench.stream) : copy(&bench, &entries, NULL),
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
        cmocka_unit_test(the_environment_chooses_where_the_caller_does_not),
        cmocka_unit_test(what_a_kernel_cannot_do_is_refused_if_the_environment_asks_for_one),
        cmocka_unit_test(the_caller_comes_first),
        cmocka_unit_test(a_driver_that_cannot_tell_captures_is_named_as_the_reason),
    };
    return cmocka_run_group_tests(tests, worldSetUp, worldTearDown);
}
