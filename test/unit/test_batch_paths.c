/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which way a batch goes, told by the driver calls that it makes, on the simulated driver.
 */
#include "types.h"

#include "counted.h"

#include <cusim.h>
#include <dlfcn.h>

/* ---- What the caller chooses ---- */

static void the_engine_if_asked_for(void **state)
{
    const struct simulator *const sim = needSimulator();
    struct bench bench = benchMake(*state, 'D', 'D', (size_t)COUNT * BLOCK);
    struct entries entries = scattered(&bench, COUNT);
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    for (int overlap = 0; overlap < 2; overlap++) {
        options.path = overlap ? CUCOPY_BATCH_AUTO : CUCOPY_BATCH_ENGINE;
        options.preferOverlapWithCompute = overlap;
        sim->resetCalls();
        assertCopies(&bench, &entries, &options, bench.stream);
        assert_int_equal(launches(sim), 0);
        assert_true(batches(sim) > 0 || sim->calls("cuMemcpyAsync") == COUNT);
    }
    entriesFree(&entries);
    benchFree(&bench);
}

static void an_entry_that_is_to_overlap_stays_off_the_kernel(void **state)
{
    const struct simulator *const sim = needKernel(*state);
    struct bench bench = benchMake(*state, 'D', 'D', (size_t)COUNT * BLOCK);
    struct entries entries = scattered(&bench, COUNT);
    CUmemcpyAttributes attrs[] = {
        {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM},
        {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, .flags = CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE}};
    size_t idxs[] = {0, COUNT - 3};
    assert_success(cucopyMemcpyBatchAsync(entries.dsts, entries.srcs, entries.sizes, COUNT, attrs, idxs, 2, NULL));
    assert_true(launches(sim) > 0);
    assert_int_equal(sim->calls("cuMemcpyAsync"), 3);
    modelCopy(&bench, &entries);
    areaCheck(&bench.dst);
    entriesFree(&entries);
    benchFree(&bench);
}

static void the_kernel_or_nothing_if_asked_for(void **state)
{
    (void)needKernel(*state);
    struct bench bench = benchMake(*state, 'D', 'D', (size_t)COUNT * BLOCK);
    struct area pageable = areaMake('U', BLOCK, bench.stream);
    struct entries entries = scattered(&bench, COUNT);
    cucopyFailure failure = CUCOPY_FAILURE_INIT;
    entries.srcs[COUNT / 2] = pageable.address;
    assert_result(copyBy(&entries, CUCOPY_BATCH_KERNEL, bench.stream), CUDA_ERROR_NOT_SUPPORTED);
    assert_success(cucopyLastFailure(&failure));
    assert_int_equal(failure.entry, COUNT / 2);
    areaCheck(&bench.dst);
    entries.count = 1;
    entries.srcs[0] = pageable.address;
    assert_result(copyBy(&entries, CUCOPY_BATCH_KERNEL, bench.stream), CUDA_ERROR_NOT_SUPPORTED);
    areaCheck(&bench.dst);
    entriesFree(&entries);
    areaFree(&pageable, bench.stream);
    benchFree(&bench);
}

static void one_bad_source_does_not_keep_the_others_off_the_kernel(void **state)
{
    const struct simulator *const sim = needKernel(*state);
    struct bench bench = benchMake(*state, 'D', 'D', (size_t)COUNT * BLOCK);
    struct area pageable = areaMake('U', BLOCK, bench.stream);
    struct entries entries = scattered(&bench, COUNT);
    areaFill(&pageable, 7);
    entries.srcs[COUNT / 2] = pageable.address;
    assert_success(copyBy(&entries, CUCOPY_BATCH_AUTO, bench.stream));
    assert_true(launches(sim) > 0);
    assert_int_equal(batches(sim) + sim->calls("cuMemcpyAsync"), 1);
    const CUdeviceptr dst = entries.dsts[COUNT / 2];
    entries.sizes[COUNT / 2] = 0;
    modelCopy(&bench, &entries);
    memcpy(bench.dst.model + (dst - bench.dst.address), pageable.model, BLOCK);
    areaCheck(&bench.dst);
    entriesFree(&entries);
    areaFree(&pageable, bench.stream);
    benchFree(&bench);
}

static struct {
    unsigned int blocks, threads;
} launched;

static void spy(const cusimLaunch *launch)
{
    launched.blocks = launch->grid[0];
    launched.threads = launch->block[0];
}

static void no_more_blocks_than_asked_for(void **state)
{
    (void)needKernel(*state);
    void (*registerKernel)(const char *, cusimKernel, void *) = NULL;
    void *const driver = dlopen(cudrvPath(), RTLD_NOW | RTLD_NOLOAD);
    void *const address = driver ? dlsym(driver, "cusimRegisterKernel") : NULL;
    assert_non_null(address);
    memcpy(&registerKernel, &address, sizeof(address));
    registerKernel("cucopyBatchSmall", spy, NULL);
    struct bench bench = benchMake(*state, 'D', 'D', (size_t)COUNT * BLOCK);
    struct entries entries = scattered(&bench, COUNT / 2);
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    for (unsigned int most = 0; most <= 300; most += 100) {
        options.maxBlocks = most;
        assert_success(
            cucopyMemcpyBatchAsyncEx(entries.dsts, entries.srcs, entries.sizes, entries.count, &options, bench.stream));
        assert_success(cudrvStreamSynchronize(bench.stream));
        assert_int_equal(launched.threads, 256);
        assert_in_range(launched.blocks, 1, most ? most : COUNT);
    }
    registerKernel("cucopyBatchSmall", NULL, NULL);
    entriesFree(&entries);
    benchFree(&bench);
}

/* On hardware such a batch ended in a sticky error. */
static void memory_that_cuda_does_not_know_is_never_given_to_the_drivers_batch(void **state)
{
    const struct simulator *const sim = needSimulator();
    static const char kinds[][2] = {"DU", "UD", "UH"};
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
        for (int order = 1; order <= 3; order++) {
            struct bench bench = benchMake(*state, kinds[k][0], kinds[k][1], (size_t)COUNT * BLOCK);
            struct entries entries = scattered(&bench, COUNT);
            cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
            options.srcAccessOrder = order;
            sim->resetCalls();
            assertCopies(&bench, &entries, &options, bench.stream);
            assert_int_equal(sim->calls("cuMemcpyAsync"), COUNT);
            assert_int_equal(launches(sim) + batches(sim), 0);
            entriesFree(&entries);
            benchFree(&bench);
        }
}

/* ---- Several devices ---- */

static void another_devices_pool_is_for_the_kernel_only_with_access(void **state)
{
    const struct world *const world = *state;
    needTwoDevices(world);
    const struct simulator *const sim = needKernel(world);
    struct bench bench = benchMake(world, 'D', 'D', (size_t)COUNT * BLOCK);
    struct entries entries = scattered(&bench, COUNT);
    for (int granted = 0; granted < 2; granted++) {
        CUmemoryPool pool;
        CUdeviceptr memory;
        const CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                           .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = world->homeDevice}};
        const CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = world->awayDevice},
                                        .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
        assert_success(cudrvMemPoolCreate(&pool, &properties));
        if (granted)
            assert_success(cudrvMemPoolSetAccess(pool, &access, 1));
        assert_success(cudrvCtxPushCurrent(world->home));
        assert_success(cudrvMemAllocFromPoolAsync(&memory, (size_t)COUNT * BLOCK, pool, world->homeStream));
        assert_success(cudrvStreamSynchronize(world->homeStream));
        assert_success(cudrvMemcpyHtoD(memory, bench.src.model, (size_t)COUNT * BLOCK));
        assert_success(cudrvCtxPopCurrent(NULL));
        struct entries from = scattered(&bench, COUNT);
        for (size_t i = 0; i < COUNT; i++)
            from.srcs[i] = memory + i * BLOCK;
        sim->resetCalls();
        if (granted)
            assert_success(copyBy(&from, CUCOPY_BATCH_AUTO, bench.stream));
        else
            assert_result(copyBy(&from, CUCOPY_BATCH_AUTO, bench.stream), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(launches(sim) > 0, granted);
        if (granted) {
            modelCopy(&bench, &entries);
            areaCheck(&bench.dst);
        }
        assert_success(cudrvMemFreeAsync(memory, world->homeStream));
        assert_success(cudrvStreamSynchronize(world->homeStream));
        assert_success(cudrvMemPoolDestroy(pool));
        entriesFree(&from);
    }
    entriesFree(&entries);
    benchFree(&bench);
}

/* Whether peer access is enabled cannot be asked. */
static void another_devices_plain_memory_goes_by_the_engine(void **state)
{
    const struct world *const world = *state;
    needTwoDevices(world);
    const struct simulator *const sim = needKernel(world);
    struct bench bench = benchMake(world, 'D', 'H', (size_t)COUNT * BLOCK);
    struct entries entries = scattered(&bench, COUNT);
    CUdeviceptr memory;
    assert_success(cudrvCtxPushCurrent(world->home));
    assert_success(cudrvMemAlloc(&memory, (size_t)COUNT * BLOCK));
    assert_success(cudrvMemcpyHtoD(memory, bench.src.model, (size_t)COUNT * BLOCK));
    assert_success(cudrvCtxPopCurrent(NULL));
    for (size_t i = 0; i < COUNT; i++)
        entries.srcs[i] = memory + i * BLOCK;
    sim->resetCalls();
    assert_success(copyBy(&entries, CUCOPY_BATCH_AUTO, bench.stream));
    assert_int_equal(launches(sim), 0);
    for (size_t i = 0; i < COUNT; i++)
        entries.srcs[i] = bench.src.address + i * BLOCK;
    modelCopy(&bench, &entries);
    areaCheck(&bench.dst);
    assert_success(cudrvMemFree(memory));
    entriesFree(&entries);
    benchFree(&bench);
}

/* ---- Launches that fail ---- */

/* The drivers that were measured take as many parameters as a launch needs. */
static void a_driver_that_wants_all_parameters_gets_them_from_then_on(void **state)
{
    const struct simulator *const sim = needKernel(*state);
    struct bench bench = benchMake(*state, 'D', 'D', (size_t)COUNT * BLOCK);
    struct entries entries = scattered(&bench, COUNT);
    sim->refuse("cuLaunchKernel", 1, CUDA_ERROR_INVALID_VALUE, 0);
    for (unsigned long tries = 2; tries >= 1; tries--) {
        sim->resetCalls();
        areaFill(&bench.dst, (unsigned)tries);
        assertCopies(&bench, &entries, NULL, bench.stream);
        assert_int_equal(launches(sim), tries);
    }
    sim->refuseNone();
    entriesFree(&entries);
    benchFree(&bench);
}

static void a_launch_that_fails_either_way_tells_why(void **state)
{
    const struct simulator *const sim = needKernel(*state);
    struct bench bench = benchMake(*state, 'D', 'D', (size_t)COUNT * BLOCK);
    struct entries entries = scattered(&bench, COUNT);
    sim->refuse("cuLaunchKernel", 1, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 1);
    assert_result(copyBy(&entries, CUCOPY_BATCH_AUTO, bench.stream), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    sim->refuseNone();
    areaCheck(&bench.dst);
    entriesFree(&entries);
    benchFree(&bench);
}

static void the_record_says_how_many_entries_earlier_launches_took(void **state)
{
    enum { MANY = 10000, SMALL = 64 };
    const struct simulator *const sim = needKernel(*state);
    needEntry("cuMemcpyBatchAsync"); /* 13.0: large parameters */
    struct bench bench = benchMake(*state, 'D', 'D', (size_t)MANY * SMALL);
    struct entries entries = entriesMake(MANY);
    cucopyFailure failure = CUCOPY_FAILURE_INIT;
    for (size_t i = 0; i < MANY; i++)
        entrySet(&entries, i, &bench, (MANY - 1 - i) * SMALL, i * SMALL, SMALL);
    sim->refuse("cuLaunchKernel", 2, CUDA_ERROR_OUT_OF_MEMORY, 0);
    assert_result(copyBy(&entries, CUCOPY_BATCH_AUTO, bench.stream), CUDA_ERROR_OUT_OF_MEMORY);
    sim->refuseNone();
    assert_success(cucopyLastFailure(&failure));
    assert_int_equal(failure.entriesEnqueued, MANY / 2);
    entries.count = MANY / 2;
    modelCopy(&bench, &entries);
    areaCheck(&bench.dst);
    entriesFree(&entries);
    benchFree(&bench);
}

/* The last two tests: from then on that device has no kernel. Of the copies that stand in, the eighth fails at first.
 */
static void a_device_that_cannot_run_the_kernel_gets_the_engine_and_is_not_tried_again(void **state)
{
    const struct simulator *const sim = needKernel(*state);
    struct bench bench = benchMake(*state, 'D', 'D', (size_t)COUNT * BLOCK);
    struct entries entries = scattered(&bench, COUNT / 2);
    cucopyFailure failure = CUCOPY_FAILURE_INIT;
    sim->refuse("cuMemcpyAsync", 8, CUDA_ERROR_OUT_OF_MEMORY, 1);
    sim->refuse("cuLaunchKernel", 1, CUDA_ERROR_NO_BINARY_FOR_GPU, 0);
    assert_result(copyBy(&entries, CUCOPY_BATCH_AUTO, bench.stream), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(launches(sim), 1);
    sim->refuseNone();
    assert_success(cucopyLastFailure(&failure));
    assert_int_equal(failure.entriesEnqueued, 7);
    assert_int_equal(failure.entry, 7);
    areaFill(&bench.dst, 4);
    assertCopies(&bench, &entries, NULL, bench.stream);
    assert_int_equal(launches(sim), 1);
    assert_result(copyBy(&entries, CUCOPY_BATCH_KERNEL, bench.stream), CUDA_ERROR_NOT_SUPPORTED);
    entriesFree(&entries);
    benchFree(&bench);
}

static void another_device_keeps_the_kernel(void **state)
{
    const struct world *const world = *state;
    const struct simulator *const sim = needSimulator();
    needEntry("cuLibraryLoadData");
    needTwoDevices(world);
    struct world swapped = *world;
    swapped.away = world->home;
    swapped.awayStream = world->homeStream;
    struct bench bench = benchMake(&swapped, 'D', 'D', (size_t)COUNT * BLOCK);
    struct entries entries = scattered(&bench, COUNT / 2);
    sim->resetCalls();
    assertCopies(&bench, &entries, NULL, bench.stream);
    assert_int_equal(launches(sim), 1);
    entriesFree(&entries);
    benchFree(&bench);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_engine_if_asked_for),
        cmocka_unit_test(an_entry_that_is_to_overlap_stays_off_the_kernel),
        cmocka_unit_test(the_kernel_or_nothing_if_asked_for),
        cmocka_unit_test(one_bad_source_does_not_keep_the_others_off_the_kernel),
        cmocka_unit_test(no_more_blocks_than_asked_for),
        cmocka_unit_test(memory_that_cuda_does_not_know_is_never_given_to_the_drivers_batch),
        cmocka_unit_test(another_devices_pool_is_for_the_kernel_only_with_access),
        cmocka_unit_test(another_devices_plain_memory_goes_by_the_engine),
        cmocka_unit_test(a_launch_that_fails_either_way_tells_why),
        cmocka_unit_test(the_record_says_how_many_entries_earlier_launches_took),
        cmocka_unit_test(a_driver_that_wants_all_parameters_gets_them_from_then_on),
        cmocka_unit_test(a_device_that_cannot_run_the_kernel_gets_the_engine_and_is_not_tried_again),
        cmocka_unit_test(another_device_keeps_the_kernel),
    };
    return cmocka_run_group_tests(tests, worldSetUp, worldTearDown);
}
