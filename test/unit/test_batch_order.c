/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a batch reads its sources: each access order, for memory of every kind, with the stream idle and busy. The
 * stream is kept busy by a host function, which then writes the source: what is read in stream order is what it wrote.
 */
#include "types.h"

#include "areas.h"

#include <stdlib.h>
#include <time.h>

enum { BLOCK = 2048, COUNT = 24, BUSY_MS = 30 };

static void sleepFor(long milliseconds)
{
    const struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
    (void)nanosleep(&time, NULL);
}

static void CUDA_CB busy(void *unused)
{
    (void)unused;
    sleepFor(BUSY_MS);
}

/* Host memory gets new bytes when the stream comes to this. */
static void CUDA_CB rewrite(void *argument)
{
    struct area *const area = argument;
    sleepFor(BUSY_MS);
    memset(area->host, 0x5A, area->bytes);
}

static struct entries blocks(const struct bench *bench)
{
    struct entries entries = entriesMake(COUNT);
    for (size_t i = 0; i < COUNT; i++)
        entrySet(&entries, i, bench, (COUNT - 1 - i) * BLOCK, i * BLOCK, BLOCK);
    return entries;
}

static CUresult copyInOrder(const struct entries *entries, int order, cucopyBatchPath path, CUstream stream)
{
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    options.srcAccessOrder = order;
    options.path = path;
    return cucopyMemcpyBatchAsyncEx(entries->dsts, entries->srcs, entries->sizes, entries->count, &options, stream);
}

static void stream_order_reads_what_earlier_work_wrote(void **state)
{
    const struct world *const world = *state;
    static const char kinds[] = "HRU";
    const CUstream streams[] = {world->awayStream, NULL, CU_STREAM_PER_THREAD};
    for (size_t k = 0; kinds[k]; k++)
        for (size_t s = 0; s < sizeof(streams) / sizeof(streams[0]); s++)
            for (size_t count = 1; count <= COUNT; count += COUNT - 1) {
                struct bench bench = benchMake(world, 'D', kinds[k], (size_t)COUNT * BLOCK);
                struct entries entries = blocks(&bench);
                entries.count = count;
                assert_success(cudrvLaunchHostFunc(streams[s], rewrite, &bench.src));
                assert_success(copyInOrder(&entries, 1, CUCOPY_BATCH_AUTO, streams[s]));
                memset(bench.src.model, 0x5A, bench.src.bytes);
                modelCopy(&bench, &entries);
                areaCheck(&bench.dst);
                entriesFree(&entries);
                benchFree(&bench);
            }
}

/* Whether the driver's batch call may be used is asked once: what is not to be read at once is waited for otherwise. */
static void stream_order_holds_if_the_driver_answers_but_once(void **state)
{
    const struct simulator *const sim = needSimulator();
    struct bench bench = benchMake(*state, 'D', 'U', (size_t)COUNT * BLOCK);
    struct entries entries = blocks(&bench);
    assert_success(cudrvLaunchHostFunc(bench.stream, rewrite, &bench.src));
    sim->resetCalls();
    assert_success(copyInOrder(&entries, 1, CUCOPY_BATCH_ENGINE, bench.stream));
    assert_in_range(sim->calls("cuStreamGetCtx_v2"), 0, 1);
    memset(bench.src.model, 0x5A, bench.src.bytes);
    modelCopy(&bench, &entries);
    areaCheck(&bench.dst);
    entriesFree(&entries);
    benchFree(&bench);
}

/* The source may be gone when the call returns: it is overwritten at once. */
static void during_the_call_reads_nothing_afterwards(void **state)
{
    const struct world *const world = *state;
    static const char kinds[] = "HRUM";
    for (size_t k = 0; kinds[k]; k++)
        for (int isBusy = 0; isBusy < 2; isBusy++)
            for (int path = CUCOPY_BATCH_AUTO; path <= CUCOPY_BATCH_ENGINE; path++) {
                struct bench bench = benchMake(world, 'D', kinds[k], (size_t)COUNT * BLOCK);
                struct entries entries = blocks(&bench);
                if (isBusy)
                    assert_success(cudrvLaunchHostFunc(bench.stream, busy, NULL));
                assert_success(copyInOrder(&entries, 2, (cucopyBatchPath)path, bench.stream));
                memset((void *)(uintptr_t)bench.src.address, 0x5A, bench.src.bytes);
                modelCopy(&bench, &entries);
                areaCheck(&bench.dst);
                entriesFree(&entries);
                benchFree(&bench);
            }
}

static void during_the_call_a_device_source_is_read_as_well(void **state)
{
    struct bench bench = benchMake(*state, 'D', 'D', (size_t)COUNT * BLOCK);
    struct entries entries = blocks(&bench);
    assert_success(cudrvLaunchHostFunc(bench.stream, busy, NULL));
    assert_success(copyInOrder(&entries, 2, CUCOPY_BATCH_AUTO, bench.stream));
    assert_success(cudrvStreamQuery(bench.stream));
    modelCopy(&bench, &entries);
    areaCheck(&bench.dst);
    entriesFree(&entries);
    benchFree(&bench);
}

static void any_order_copies_whatever_the_memory_is(void **state)
{
    static const char kinds[] = ALL_KINDS;
    for (size_t k = 0; kinds[k]; k++) {
        struct bench bench = benchMake(*state, 'D', kinds[k], (size_t)COUNT * BLOCK);
        struct entries entries = blocks(&bench);
        assert_success(cudrvLaunchHostFunc(bench.stream, busy, NULL));
        assert_success(copyInOrder(&entries, 3, CUCOPY_BATCH_AUTO, bench.stream));
        modelCopy(&bench, &entries);
        areaCheck(&bench.dst);
        entriesFree(&entries);
        benchFree(&bench);
    }
}

/* Each entry keeps its own. */
static void orders_may_differ_from_entry_to_entry(void **state)
{
    struct bench bench = benchMake(*state, 'D', 'U', (size_t)COUNT * BLOCK);
    struct entries entries = blocks(&bench);
    CUmemcpyAttributes attrs[] = {{.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL},
                                  {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM},
                                  {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL}};
    size_t idxs[] = {0, 8, 16};
    struct area written = bench.src;
    written.host = (char *)bench.src.host + (size_t)8 * BLOCK;
    written.bytes = (size_t)8 * BLOCK;
    assert_success(cudrvLaunchHostFunc(bench.stream, rewrite, &written));
    assert_success(
        cucopyMemcpyBatchAsync(entries.dsts, entries.srcs, entries.sizes, COUNT, attrs, idxs, 3, bench.stream));
    memset(bench.src.host, 0x77, (size_t)8 * BLOCK);
    memset((char *)bench.src.host + (size_t)16 * BLOCK, 0x77, (size_t)8 * BLOCK);
    memset(bench.src.model + (size_t)8 * BLOCK, 0x5A, (size_t)8 * BLOCK);
    modelCopy(&bench, &entries);
    areaCheck(&bench.dst);
    entriesFree(&entries);
    benchFree(&bench);
}

/* A batch that is to read pinned memory during the call waits; nothing less will do if the driver does not say. */
static void during_the_call_reads_what_the_driver_says_nothing_of(void **state)
{
    const struct simulator *const sim = needSimulator();
    struct bench bench = benchMake(*state, 'D', 'H', (size_t)COUNT * BLOCK);
    struct entries entries = blocks(&bench);
    assert_success(cudrvLaunchHostFunc(bench.stream, busy, NULL));
    sim->refuse("cuPointerGetAttributes", 1, CUDA_ERROR_INVALID_VALUE, 1);
    assert_success(copyInOrder(&entries, 2, CUCOPY_BATCH_AUTO, bench.stream));
    sim->refuseNone();
    memset((void *)(uintptr_t)bench.src.address, 0x5A, bench.src.bytes);
    modelCopy(&bench, &entries);
    areaCheck(&bench.dst);
    entriesFree(&entries);
    benchFree(&bench);
}

static void a_batch_whose_wait_fails_is_enqueued(void **state)
{
    const struct simulator *const sim = needSimulator();
    struct bench bench = benchMake(*state, 'D', 'H', (size_t)COUNT * BLOCK);
    struct entries entries = blocks(&bench);
    cucopyFailure failure = CUCOPY_FAILURE_INIT;
    sim->refuse("cuStreamSynchronize", 1, CUDA_ERROR_UNKNOWN, 0);
    assert_result(copyInOrder(&entries, 2, CUCOPY_BATCH_AUTO, bench.stream), CUDA_ERROR_UNKNOWN);
    sim->refuseNone();
    assert_success(cucopyLastFailure(&failure));
    assert_int_equal(failure.enqueued, 1);
    assert_int_equal(failure.entriesEnqueued, COUNT);
    modelCopy(&bench, &entries);
    areaCheck(&bench.dst);
    entriesFree(&entries);
    benchFree(&bench);
}

static void during_the_call_a_registration_may_begin_inside_a_page(void **state)
{
    enum { PAGE = 4096, BEFORE = 64 };
    struct bench bench = benchMake(*state, 'D', 'U', (size_t)COUNT * BLOCK);
    struct entries entries = blocks(&bench);
    unsigned char *const pages = aligned_alloc(PAGE, (size_t)2 * COUNT * BLOCK);
    assert_non_null(pages);
    memcpy(pages + BEFORE, bench.src.model, bench.src.bytes);
    assert_success(cudrvMemHostRegister(pages + BEFORE, bench.src.bytes, 0));
    for (size_t i = 0; i < COUNT; i++)
        entries.srcs[i] = (CUdeviceptr)(uintptr_t)pages + BEFORE + i * BLOCK;
    entries.srcs[0] = (CUdeviceptr)(uintptr_t)pages; /* the page is first seen by what is not registered */
    entries.sizes[0] = BEFORE;
    entries.count = 2;
    memset(pages, 0x11, BEFORE);
    assert_success(cudrvLaunchHostFunc(bench.stream, busy, NULL));
    assert_success(copyInOrder(&entries, 2, CUCOPY_BATCH_AUTO, bench.stream));
    memset(pages, 0x5A, (size_t)2 * COUNT * BLOCK);
    memset(bench.dst.model + (entries.dsts[0] - bench.dst.address), 0x11, BEFORE);
    memcpy(bench.dst.model + (entries.dsts[1] - bench.dst.address), bench.src.model + BLOCK, BLOCK);
    areaCheck(&bench.dst);
    assert_success(cudrvMemHostUnregister(pages + BEFORE));
    free(pages);
    entriesFree(&entries);
    benchFree(&bench);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_order_reads_what_earlier_work_wrote),
        cmocka_unit_test(stream_order_holds_if_the_driver_answers_but_once),
        cmocka_unit_test(during_the_call_reads_nothing_afterwards),
        cmocka_unit_test(during_the_call_a_device_source_is_read_as_well),
        cmocka_unit_test(any_order_copies_whatever_the_memory_is),
        cmocka_unit_test(orders_may_differ_from_entry_to_entry),
        cmocka_unit_test(during_the_call_reads_what_the_driver_says_nothing_of),
        cmocka_unit_test(a_batch_whose_wait_fails_is_enqueued),
        cmocka_unit_test(during_the_call_a_registration_may_begin_inside_a_page),
    };
    return cmocka_run_group_tests(tests, worldSetUp, worldTearDown);
}
