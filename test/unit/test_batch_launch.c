/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that load but cannot be launched: the driver compiles them when they are first launched. What a batch learned
 * of a kernel is kept for the process, so the order of these tests matters.
 */
#include "types.h"

#include "areas.h"

enum { BLOCK = 1024, FEW = 500, MANY = 2000 }; /* the parameters of few are small, those of many are not */

static const struct simulator *needKernels(void)
{
    needEntry("cuMemcpyBatchAsync"); /* 13.0: kernels with large parameters */
    return needSimulator();
}

static struct entries scattered(const struct bench *bench, size_t count)
{
    struct entries entries = entriesMake(count);
    for (size_t i = 0; i < count; i++)
        entrySet(&entries, i, bench, (count - 1 - i) * BLOCK, i * BLOCK, BLOCK);
    return entries;
}

/* They are one copy, and a large one: the engine's. */
static void large_neighbours_load_no_kernel(void **state)
{
    const struct simulator *const sim = needKernels();
    const size_t size = 1 << 20;
    struct bench bench = benchMake(*state, 'D', 'H', 3 * size);
    struct entries entries = entriesMake(3);
    for (size_t i = 0; i < 3; i++)
        entrySet(&entries, i, &bench, i * size, i * size, size);
    sim->resetCalls();
    assertCopies(&bench, &entries, NULL, bench.stream);
    assert_int_equal(sim->calls("cuLibraryLoadData"), 0);
    entriesFree(&entries);
    benchFree(&bench);
}

static void a_kernel_asked_for_that_cannot_be_launched_copies_nothing(void **state)
{
    const struct simulator *const sim = needKernels();
    struct bench bench = benchMake(*state, 'D', 'D', (size_t)MANY * BLOCK);
    struct entries entries = scattered(&bench, MANY);
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    options.path = CUCOPY_BATCH_KERNEL;
    sim->refuse("cuLaunchKernel", 1, CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 0);
    assert_result(cucopyMemcpyBatchAsyncEx(entries.dsts, entries.srcs, entries.sizes, MANY, &options, bench.stream),
                  CUDA_ERROR_NOT_SUPPORTED);
    areaCheck(&bench.dst);
    sim->refuseNone();
    entriesFree(&entries);
    benchFree(&bench);
}

static void the_small_kernel_serves_where_the_large_ones_cannot_be_launched(void **state)
{
    const struct simulator *const sim = needKernels();
    struct bench bench = benchMake(*state, 'D', 'D', (size_t)MANY * BLOCK);
    struct entries entries = scattered(&bench, MANY);
    sim->resetCalls();
    assertCopies(&bench, &entries, NULL, bench.stream);
    assert_int_equal(sim->calls("cuLaunchKernel"), 2); /* 1,016 copies each */
    entriesFree(&entries);
    benchFree(&bench);
}

/* Others are enqueued by then. */
static void a_mixed_batch_whose_launch_fails_is_done_by_single_copies(void **state)
{
    const struct simulator *const sim = needKernels();
    struct bench bench = benchMake(*state, 'D', 'U', (size_t)2 * FEW * BLOCK);
    struct area device = areaMake('D', (size_t)FEW * BLOCK, bench.stream);
    struct entries entries = scattered(&bench, (size_t)2 * FEW);
    modelCopy(&bench, &entries);
    areaFill(&device, 7);
    for (size_t i = FEW; i < entries.count; i++) {
        const size_t odd = i % 2;
        entries.srcs[i] = device.address + (i - FEW) * BLOCK;
        entries.sizes[i] -= odd;
        memcpy(bench.dst.model + (entries.dsts[i] - bench.dst.address), device.model + (i - FEW) * BLOCK, BLOCK - odd);
        if (odd) /* as it was */
            assert_success(cudrvMemcpyDtoH(bench.dst.model + (entries.dsts[i] - bench.dst.address) + BLOCK - 1,
                                           entries.dsts[i] + BLOCK - 1, 1));
    }
    sim->refuse("cuLaunchKernel", 1, CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 1);
    for (int again = 0; again < 2; again++) {
        sim->resetCalls();
        assert_success(
            cucopyMemcpyBatchAsyncEx(entries.dsts, entries.srcs, entries.sizes, entries.count, NULL, bench.stream));
        areaCheck(&bench.dst);
        assert_int_equal(sim->calls("cuLaunchKernel"), !again);
    }
    sim->refuseNone();
    areaFree(&device, bench.stream);
    entriesFree(&entries);
    benchFree(&bench);
}

static void a_batch_of_any_size_does_without_kernels_then(void **state)
{
    const struct simulator *const sim = needKernels();
    struct bench bench = benchMake(*state, 'D', 'D', (size_t)MANY * BLOCK);
    struct entries entries = scattered(&bench, MANY);
    sim->resetCalls();
    assertCopies(&bench, &entries, NULL, bench.stream);
    assert_int_equal(sim->calls("cuLaunchKernel"), 0);
    entriesFree(&entries);
    benchFree(&bench);
}

/* It was loaded; what is wrong with it is the same as when it was first launched. */
static void asking_for_the_kernel_then_says_that_it_cannot_run(void **state)
{
    (void)needKernels();
    struct bench bench = benchMake(*state, 'D', 'D', (size_t)FEW * BLOCK);
    struct entries entries = scattered(&bench, FEW);
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    cucopyFailure failure = CUCOPY_FAILURE_INIT;
    options.path = CUCOPY_BATCH_KERNEL;
    assert_result(cucopyMemcpyBatchAsyncEx(entries.dsts, entries.srcs, entries.sizes, FEW, &options, bench.stream),
                  CUDA_ERROR_NOT_SUPPORTED);
    assert_success(cucopyLastFailure(&failure));
    assert_string_equal(failure.reason, "the path is that of the kernel, which this device or driver cannot run");
    areaCheck(&bench.dst);
    entriesFree(&entries);
    benchFree(&bench);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_neighbours_load_no_kernel),
        cmocka_unit_test(a_kernel_asked_for_that_cannot_be_launched_copies_nothing),
        cmocka_unit_test(the_small_kernel_serves_where_the_large_ones_cannot_be_launched),
        cmocka_unit_test(a_mixed_batch_whose_launch_fails_is_done_by_single_copies),
        cmocka_unit_test(a_batch_of_any_size_does_without_kernels_then),
        cmocka_unit_test(asking_for_the_kernel_then_says_that_it_cannot_run),
    };
    return cmocka_run_group_tests(tests, worldSetUp, worldTearDown);
}
