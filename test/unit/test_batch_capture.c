/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches under capture: they become nodes, and the graph copies what is in the sources when it is launched.
 */
#include "types.h"

#include "areas.h"

enum { BLOCK = 1024, COUNT = 600 };

static const CUstreamCaptureMode modes[] = {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                            CU_STREAM_CAPTURE_MODE_RELAXED};

static struct entries blocks(const struct bench *bench, size_t count)
{
    struct entries entries = entriesMake(count);
    for (size_t i = 0; i < count; i++)
        entrySet(&entries, i, bench, (count - 1 - i) * BLOCK, i * BLOCK, BLOCK);
    return entries;
}

static CUresult copyBy(const struct entries *entries, cucopyBatchPath path, int order, CUstream stream)
{
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    options.path = path;
    options.srcAccessOrder = order;
    return cucopyMemcpyBatchAsyncEx(entries->dsts, entries->srcs, entries->sizes, entries->count, &options, stream);
}

static CUgraphExec endCapture(CUstream stream)
{
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    assert_success(cudrvStreamEndCapture(stream, &graph));
    assert_success(cudrvGraphInstantiate(&exec, graph, 0));
    assert_success(cudrvGraphDestroy(graph));
    return exec;
}

/* Launches it twice, with other bytes in the source each time. */
static void replay(struct bench *bench, const struct entries *entries, CUgraphExec exec)
{
    areaCheck(&bench->dst); /* nothing was copied yet */
    for (unsigned seed = 50; seed < 52; seed++) {
        areaFill(&bench->src, seed);
        assert_success(cudrvGraphLaunch(exec, bench->stream));
        modelCopy(bench, entries);
        areaCheck(&bench->dst);
    }
    assert_success(cudrvGraphExecDestroy(exec));
}

static void a_captured_batch_copies_what_is_there_when_it_is_launched(void **state)
{
    static const char kinds[] = "DHPUM";
    for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++)
        for (size_t k = 0; kinds[k]; k++)
            for (size_t count = 1; count <= COUNT; count = count * 9 + 1) {
                struct bench bench = benchMake(*state, 'D', kinds[k], (size_t)COUNT * BLOCK);
                struct entries entries = blocks(&bench, count);
                assert_success(cudrvStreamBeginCapture(bench.stream, modes[m]));
                assert_success(copyBy(&entries, CUCOPY_BATCH_DEFAULT, 1, bench.stream));
                replay(&bench, &entries, endCapture(bench.stream));
                entriesFree(&entries);
                benchFree(&bench);
            }
}

static void by_engine_and_by_kernel(void **state)
{
    for (int path = CUCOPY_BATCH_ENGINE; path <= CUCOPY_BATCH_KERNEL; path++) {
        if (path == CUCOPY_BATCH_KERNEL)
            needEntry("cuLibraryLoadData");
        struct bench bench = benchMake(*state, 'D', 'H', (size_t)COUNT * BLOCK);
        struct entries entries = blocks(&bench, COUNT);
        assert_success(cudrvStreamBeginCapture(bench.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
        assert_success(copyBy(&entries, (cucopyBatchPath)path, 1, bench.stream));
        replay(&bench, &entries, endCapture(bench.stream));
        entriesFree(&entries);
        benchFree(&bench);
    }
}

static void with_no_context_current(void **state)
{
    const struct world *const world = *state;
    struct bench bench = benchMake(world, 'D', 'H', (size_t)COUNT * BLOCK);
    struct entries entries = blocks(&bench, COUNT);
    assert_success(cudrvStreamBeginCapture(bench.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_success(cudrvCtxPopCurrent(NULL));
    assert_success(copyBy(&entries, CUCOPY_BATCH_AUTO, 1, bench.stream));
    assert_int_equal(stackNow().depth, 0);
    assert_success(cudrvCtxPushCurrent(world->away));
    replay(&bench, &entries, endCapture(bench.stream));
    entriesFree(&entries);
    benchFree(&bench);
}

static void on_the_per_thread_stream(void **state)
{
    struct bench bench = benchMake(*state, 'D', 'H', (size_t)COUNT * BLOCK);
    struct entries entries = blocks(&bench, COUNT);
    assert_success(cudrvStreamBeginCapture(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_success(copyBy(&entries, CUCOPY_BATCH_AUTO, 1, CU_STREAM_PER_THREAD));
    replay(&bench, &entries, endCapture(CU_STREAM_PER_THREAD));
    entriesFree(&entries);
    benchFree(&bench);
}

static void a_source_that_is_to_be_read_during_the_call_cannot_be_captured(void **state)
{
    static const char kinds[] = "HRUM";
    for (size_t k = 0; kinds[k]; k++)
        for (size_t count = 1; count <= COUNT; count += COUNT - 1) {
            struct bench bench = benchMake(*state, 'D', kinds[k], (size_t)COUNT * BLOCK);
            struct entries entries = blocks(&bench, count);
            CUgraph graph = NULL;
            size_t nodes = 0;
            assert_success(cudrvStreamBeginCapture(bench.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
            assert_result(copyBy(&entries, CUCOPY_BATCH_AUTO, 2, bench.stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
            assert_success(cudrvStreamEndCapture(bench.stream, &graph)); /* the capture lives, and holds nothing */
            assert_success(cudrvGraphGetNodes(graph, NULL, &nodes));
            assert_int_equal(nodes, 0);
            assert_success(cudrvGraphDestroy(graph));
            areaCheck(&bench.dst);
            entriesFree(&entries);
            benchFree(&bench);
        }
}

/* Every query answers that there is no such memory, and copies work. */
static void memory_that_is_allocated_under_capture(void **state)
{
    enum { FEW = 8 };
    struct bench bench = benchMake(*state, 'D', 'H', (size_t)FEW * BLOCK);
    struct entries there = blocks(&bench, FEW), back = blocks(&bench, FEW);
    CUdeviceptr memory = 0;
    assert_success(cudrvStreamBeginCapture(bench.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_success(cudrvMemAllocAsync(&memory, (size_t)FEW * BLOCK, bench.stream));
    for (size_t i = 0; i < FEW; i++)
        there.dsts[i] = back.srcs[i] = memory + i * BLOCK;
    assert_success(copyBy(&there, CUCOPY_BATCH_AUTO, 1, bench.stream));
    assert_success(copyBy(&back, CUCOPY_BATCH_AUTO, 1, bench.stream));
    assert_success(cudrvMemFreeAsync(memory, bench.stream));
    struct entries whole = blocks(&bench, FEW);
    replay(&bench, &whole, endCapture(bench.stream));
    entriesFree(&whole);
    entriesFree(&there);
    entriesFree(&back);
    benchFree(&bench);
}

static void the_legacy_stream_does_not_end_another_streams_capture(void **state)
{
    const struct world *const world = *state;
    const CUstream legacy[] = {NULL, CU_STREAM_LEGACY};
    for (size_t s = 0; s < 2; s++)
        for (size_t count = 1; count <= COUNT; count += COUNT - 1) {
            struct bench bench = benchMake(world, 'D', 'H', (size_t)COUNT * BLOCK);
            struct entries entries = blocks(&bench, count);
            CUstream blocking;
            assert_success(cudrvStreamCreate(&blocking, CU_STREAM_DEFAULT));
            assert_success(cudrvStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
            assert_result(copyBy(&entries, CUCOPY_BATCH_AUTO, 1, legacy[s]), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
            assert_success(copyBy(&entries, CUCOPY_BATCH_AUTO, 1, blocking));
            replay(&bench, &entries, endCapture(blocking));
            assert_success(cudrvStreamDestroy(blocking));
            entriesFree(&entries);
            benchFree(&bench);
        }
}

static void a_capture_elsewhere_lives_on(void **state)
{
    const struct world *const world = *state;
    for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
        struct bench bench = benchMake(world, 'D', 'P', (size_t)COUNT * BLOCK);
        struct entries entries = blocks(&bench, COUNT);
        CUstream other;
        assert_success(cudrvStreamCreate(&other, CU_STREAM_NON_BLOCKING));
        assert_success(cudrvStreamBeginCapture(other, modes[m]));
        assert_success(copyBy(&entries, CUCOPY_BATCH_AUTO, 1, bench.stream));
        assert_success(copyBy(&entries, CUCOPY_BATCH_AUTO, 1, other));
        const CUgraphExec exec = endCapture(other);
        assert_success(cudrvStreamSynchronize(bench.stream));
        modelCopy(&bench, &entries);
        replay(&bench, &entries, exec);
        assert_success(cudrvStreamDestroy(other));
        entriesFree(&entries);
        benchFree(&bench);
    }
}

/* cuStreamSynchronize by itself would end this thread's capture, and a global one of any thread. */
static void a_capture_elsewhere_lives_on_while_a_batch_waits(void **state)
{
    const struct world *const world = *state;
    for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
        struct bench bench = benchMake(world, 'D', 'H', (size_t)COUNT * BLOCK);
        struct entries entries = blocks(&bench, COUNT);
        cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
        CUstream other;
        options.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
        assert_success(cudrvStreamCreate(&other, CU_STREAM_NON_BLOCKING));
        assert_success(cudrvStreamBeginCapture(other, modes[m]));
        assert_success(
            cucopyMemcpyBatchAsyncEx(entries.dsts, entries.srcs, entries.sizes, entries.count, &options, bench.stream));
        assert_success(copyBy(&entries, CUCOPY_BATCH_AUTO, 1, other));
        const CUgraphExec exec = endCapture(other);
        modelCopy(&bench, &entries);
        replay(&bench, &entries, exec);
        assert_success(cudrvStreamDestroy(other));
        entriesFree(&entries);
        benchFree(&bench);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_captured_batch_copies_what_is_there_when_it_is_launched),
        cmocka_unit_test(by_engine_and_by_kernel),
        cmocka_unit_test(with_no_context_current),
        cmocka_unit_test(on_the_per_thread_stream),
        cmocka_unit_test(a_source_that_is_to_be_read_during_the_call_cannot_be_captured),
        cmocka_unit_test(memory_that_is_allocated_under_capture),
        cmocka_unit_test(the_legacy_stream_does_not_end_another_streams_capture),
        cmocka_unit_test(a_capture_elsewhere_lives_on),
        cmocka_unit_test(a_capture_elsewhere_lives_on_while_a_batch_waits),
    };
    return cmocka_run_group_tests(tests, worldSetUp, worldTearDown);
}
