/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a batch costs in driver calls. All of it is counted on the simulated driver.
 */
#include "types.h"

#include "counted.h"

static void many_copies_are_one_launch_and_a_handful_of_queries(void **state)
{
    const struct simulator *const sim = needKernel(*state);
    needEntry("cuMemcpyBatchAsync"); /* 13.0: large parameters */
    struct bench bench = benchMake(*state, 'D', 'H', (size_t)COUNT * BLOCK);
    struct entries entries = scattered(&bench, COUNT);
    assert_success(copyBy(&entries, CUCOPY_BATCH_AUTO, bench.stream));
    sim->resetCalls();
    assert_success(copyBy(&entries, CUCOPY_BATCH_AUTO, bench.stream));
    assert_int_equal(launches(sim), 1);
    assert_int_equal(sim->calls("cuPointerGetAttributes"), 2);
    assert_int_equal(sim->calls("cuStreamGetCtx_v2"), 1);
    assert_int_equal(sim->calls("cuCtxGetCurrent"), 1);
    assert_int_equal(sim->calls(NULL), 5);
    assert_success(cudrvStreamSynchronize(bench.stream));
    entriesFree(&entries);
    benchFree(&bench);
}

/* What counts for a few copies is how little is asked. */
static void two_copies_are_one_call_and_four_queries(void **state)
{
    const struct simulator *const sim = needKernel(*state);
    needEntry("cuMemcpyBatchAsync"); /* 13.0 */
    struct bench bench = benchMake(*state, 'D', 'H', (size_t)2 * BLOCK);
    struct entries entries = scattered(&bench, 2);
    sim->resetCalls();
    assertCopies(&bench, &entries, NULL, bench.stream);
    assert_int_equal(batches(sim), 1);
    sim->resetCalls();
    assert_success(copyBy(&entries, CUCOPY_BATCH_AUTO, bench.stream));
    assert_int_equal(sim->calls("cuStreamGetCtx_v2"), 1);
    assert_int_equal(sim->calls("cuCtxGetCurrent"), 1);
    assert_int_equal(sim->calls("cuPointerGetAttributes"), 2);
    assert_int_equal(sim->calls(NULL), 5);
    assert_success(cudrvStreamSynchronize(bench.stream));
    entriesFree(&entries);
    benchFree(&bench);
}

/* It is the driver's batch call that says so, and only once. */
static void on_a_capturing_stream_the_drivers_batch_call_is_made_once_at_most(void **state)
{
    const struct simulator *const sim = needKernel(*state);
    struct bench bench = benchMake(*state, 'D', 'H', (size_t)COUNT * BLOCK);
    struct entries entries = scattered(&bench, COUNT);
    for (entries.count = 2; entries.count <= COUNT; entries.count += COUNT - 2) {
        CUgraph graph = NULL;
        size_t nodes = 0;
        assert_success(cudrvStreamBeginCapture(bench.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
        sim->resetCalls();
        assert_success(copyBy(&entries, CUCOPY_BATCH_ENGINE, bench.stream));
        assert_in_range(batches(sim), 0, 1);
        assert_int_equal(sim->calls("cuMemcpyAsync"), entries.count);
        assert_success(cudrvStreamEndCapture(bench.stream, &graph));
        assert_success(cudrvGraphGetNodes(graph, NULL, &nodes));
        assert_int_equal(nodes, entries.count);
        assert_success(cudrvGraphDestroy(graph));
    }
    entries.count = COUNT;
    entriesFree(&entries);
    benchFree(&bench);
}

static void one_guard_serves_all(void **state)
{
    const struct world *const world = *state;
    const struct simulator *const sim = needSimulator();
    struct bench bench = benchMake(world, 'D', 'H', (size_t)COUNT * BLOCK);
    struct entries entries = scattered(&bench, COUNT);
    assert_success(cudrvCtxPopCurrent(NULL));
    for (int path = CUCOPY_BATCH_AUTO; path <= CUCOPY_BATCH_ENGINE; path++) {
        sim->resetCalls();
        assert_success(copyBy(&entries, (cucopyBatchPath)path, bench.stream));
        assert_int_equal(sim->calls("cuCtxPushCurrent_v2"), 1);
        assert_int_equal(sim->calls("cuCtxPopCurrent_v2"), 1);
        assert_int_equal(sim->calls("cuStreamGetCtx") + sim->calls("cuStreamGetCtx_v2"), 1);
    }
    assert_success(cudrvCtxPushCurrent(world->away));
    assert_success(cudrvStreamSynchronize(bench.stream));
    entriesFree(&entries);
    benchFree(&bench);
}

static void one_copy_is_the_copy_itself(void **state)
{
    const struct simulator *const sim = needSimulator();
    struct bench bench = benchMake(*state, 'D', 'H', BLOCK);
    struct entries entries = scattered(&bench, 1);
    sim->resetCalls();
    assert_success(copyBy(&entries, CUCOPY_BATCH_AUTO, bench.stream));
    assert_int_equal(sim->calls("cuMemcpyAsync"), 1);
    assert_int_equal(sim->calls(NULL), 4); /* two for the guard, one for the order of the source */
    assert_success(cudrvStreamSynchronize(bench.stream));
    entriesFree(&entries);
    benchFree(&bench);
}

static void each_allocation_is_asked_about_once(void **state)
{
    enum { AREAS = 40 };
    const struct simulator *const sim = needSimulator();
    struct bench bench = benchMake(*state, 'D', 'H', (size_t)COUNT * BLOCK);
    struct entries entries = scattered(&bench, COUNT);
    struct area areas[AREAS];
    for (size_t a = 0; a < AREAS; a++)
        areas[a] = areaMake('D', (size_t)COUNT / AREAS * BLOCK, bench.stream);
    for (int byArea = 0; byArea < 2; byArea++) {
        for (size_t i = 0; i < COUNT; i++) {
            const size_t a = byArea ? i / (COUNT / AREAS) : i % AREAS;
            const size_t block = byArea ? i % (COUNT / AREAS) : i / AREAS;
            entries.dsts[i] = areas[a].address + block * BLOCK;
        }
        for (int path = CUCOPY_BATCH_AUTO; path <= CUCOPY_BATCH_ENGINE; path++) {
            sim->resetCalls();
            assert_success(copyBy(&entries, (cucopyBatchPath)path, bench.stream));
            assert_int_equal(sim->calls("cuPointerGetAttributes"), AREAS + 1);
            assert_success(cudrvStreamSynchronize(bench.stream));
        }
    }
    for (size_t a = 0; a < AREAS; a++)
        areaFree(&areas[a], bench.stream);
    entriesFree(&entries);
    benchFree(&bench);
}

static void pools_are_never_asked(void **state)
{
    const struct simulator *const sim = needSimulator();
    for (int path = CUCOPY_BATCH_AUTO; path <= CUCOPY_BATCH_ENGINE; path++) {
        struct bench bench = benchMake(*state, 'P', 'P', (size_t)COUNT * BLOCK);
        struct entries entries = scattered(&bench, COUNT);
        sim->resetCalls();
        assert_success(copyBy(&entries, (cucopyBatchPath)path, bench.stream));
        assert_int_equal(sim->calls("cuMemPoolGetAccess"), 0);
        assert_int_equal(sim->calls("cuMemPoolGetAttribute"), 0);
        assert_int_equal(sim->calls("cuStreamGetDevice"), 0);
        assert_int_equal(sim->calls("cuStreamGetId"), 0);
        assert_success(cudrvStreamSynchronize(bench.stream));
        entriesFree(&entries);
        benchFree(&bench);
    }
}

static void neighbours_are_one_copy(void **state)
{
    const struct simulator *const sim = needSimulator();
    struct bench bench = benchMake(*state, 'D', 'H', (size_t)COUNT * BLOCK);
    struct entries entries = entriesMake(COUNT);
    for (size_t i = 0; i < COUNT; i++)
        entrySet(&entries, i, &bench, i * BLOCK, i * BLOCK, BLOCK);
    sim->resetCalls();
    assertCopies(&bench, &entries, NULL, bench.stream);
    assert_int_equal(sim->calls("cuMemcpyAsync"), 1);
    assert_int_equal(launches(sim) + batches(sim), 0);
    entriesFree(&entries);
    benchFree(&bench);
}

static void neighbouring_allocations_are_not(void **state)
{
    enum { PAGES = 2 * BLOCK };
    const struct simulator *const sim = needSimulator();
    struct bench bench = benchMake(*state, 'D', 'U', PAGES);
    struct entries entries = entriesMake(2);
    void *const pages = aligned_alloc(BLOCK, PAGES);
    assert_non_null(pages);
    memcpy(pages, bench.src.model, PAGES);
    assert_success(cudrvMemHostRegister(pages, BLOCK, 0));
    assert_success(cudrvMemHostRegister((char *)pages + BLOCK, BLOCK, 0));
    for (size_t i = 0; i < 2; i++) {
        entrySet(&entries, i, &bench, i * BLOCK, i * BLOCK, BLOCK);
        entries.srcs[i] = (CUdeviceptr)(uintptr_t)pages + i * BLOCK;
    }
    sim->resetCalls();
    assert_success(copyBy(&entries, CUCOPY_BATCH_ENGINE, NULL));
    assert_int_equal(sim->calls("cuMemcpyAsync"), 2);
    memcpy(bench.dst.model, bench.src.model, PAGES);
    areaCheck(&bench.dst);
    assert_success(cudrvMemHostUnregister((char *)pages + BLOCK));
    assert_success(cudrvMemHostUnregister(pages));
    free(pages);
    entriesFree(&entries);
    benchFree(&bench);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_copies_are_one_launch_and_a_handful_of_queries),
        cmocka_unit_test(two_copies_are_one_call_and_four_queries),
        cmocka_unit_test(on_a_capturing_stream_the_drivers_batch_call_is_made_once_at_most),
        cmocka_unit_test(one_guard_serves_all),
        cmocka_unit_test(one_copy_is_the_copy_itself),
        cmocka_unit_test(each_allocation_is_asked_about_once),
        cmocka_unit_test(pools_are_never_asked),
        cmocka_unit_test(neighbours_are_one_copy),
        cmocka_unit_test(neighbouring_allocations_are_not),
    };
    return cmocka_run_group_tests(tests, worldSetUp, worldTearDown);
}
