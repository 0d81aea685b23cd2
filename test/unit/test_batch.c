/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of ranges: where they work, and what is refused before anything is copied.
 */
#include "types.h"

#include "areas.h"

#include <sys/mman.h>
#include <unistd.h>

enum { BLOCK = 512, SPACE = 64 << 10 };
static const size_t large = 4 << 20;

/* count blocks, each to the place of another. */
static struct entries blocks(const struct bench *bench, size_t count)
{
    struct entries entries = entriesMake(count);
    for (size_t i = 0; i < count; i++)
        entrySet(&entries, i, bench, (count - 1 - i) * BLOCK, i * BLOCK, BLOCK);
    return entries;
}

static CUresult copyWith(const struct entries *entries, CUmemcpyAttributes *attrs, size_t *idxs, size_t numAttrs,
                         CUstream stream)
{
    return cucopyMemcpyBatchAsync(entries->dsts, entries->srcs, entries->sizes, entries->count, attrs, idxs, numAttrs,
                                  stream);
}

static cucopyFailure lastFailure(void)
{
    cucopyFailure failure = CUCOPY_FAILURE_INIT;
    assert_success(cucopyLastFailure(&failure));
    return failure;
}

/* ---- Where it works ---- */

static void on_every_kind_of_memory(void **state)
{
    static const char kinds[] = ALL_KINDS;
    for (size_t d = 0; kinds[d]; d++)
        for (size_t s = 0; kinds[s]; s++) {
            struct bench bench = benchMake(*state, kinds[d], kinds[s], SPACE);
            struct entries entries = blocks(&bench, 100);
            assertCopies(&bench, &entries, NULL, bench.stream);
            entriesFree(&entries);
            benchFree(&bench);
        }
}

static void on_every_stream(void **state)
{
    const struct world *const world = *state;
    const CUstream streams[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, world->awayStream};
    for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
        for (size_t count = 1; count <= 64; count *= 4) {
            struct bench bench = benchMake(world, 'D', 'H', SPACE);
            struct entries entries = blocks(&bench, count);
            assertCopies(&bench, &entries, NULL, streams[i]);
            entriesFree(&entries);
            benchFree(&bench);
        }
}

static void with_no_context_or_another_ones_current(void **state)
{
    const struct world *const world = *state;
    const CUcontext contexts[] = {NULL, world->home, world->away};
    for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++) {
        struct bench bench = benchMake(world, 'P', 'H', SPACE);
        struct entries entries = blocks(&bench, 20);
        struct stack before;
        assert_success(cudrvCtxPopCurrent(NULL));
        if (contexts[i])
            assert_success(cudrvCtxPushCurrent(contexts[i]));
        before = stackNow();
        assert_success(copyWith(&entries, NULL, NULL, 0, bench.stream));
        assertStackIs(&before);
        if (contexts[i])
            assert_success(cudrvCtxPopCurrent(NULL));
        assert_success(cudrvCtxPushCurrent(world->away));
        modelCopy(&bench, &entries);
        areaCheck(&bench.dst);
        entriesFree(&entries);
        benchFree(&bench);
    }
}

static void a_special_stream_without_a_context_is_an_error(void **state)
{
    struct bench bench = benchMake(*state, 'D', 'H', SPACE);
    struct entries entries = blocks(&bench, 20);
    assert_success(cudrvCtxPopCurrent(NULL));
    assert_result(copyWith(&entries, NULL, NULL, 0, NULL), CUDA_ERROR_INVALID_CONTEXT);
    assert_success(cudrvCtxPushCurrent(bench.world->away));
    areaCheck(&bench.dst);
    entriesFree(&entries);
    benchFree(&bench);
}

static void the_older_form_works_as_well(void **state)
{
    struct bench bench = benchMake(*state, 'D', 'H', SPACE);
    struct entries entries = blocks(&bench, 20);
    size_t failed = 7;
    assert_success(cucopyMemcpyBatchAsync_v12080(entries.dsts, entries.srcs, entries.sizes, entries.count, NULL, NULL,
                                                 0, &failed, bench.stream));
    assert_int_equal(failed, 7);
    modelCopy(&bench, &entries);
    areaCheck(&bench.dst);
    entries.sizes[13] = SPACE;
    assert_result(cucopyMemcpyBatchAsync_v12080(entries.dsts, entries.srcs, entries.sizes, entries.count, NULL, NULL, 0,
                                                &failed, bench.stream),
                  CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(failed, 13);
    assert_result(cucopyMemcpyBatchAsync_v12080(NULL, entries.srcs, entries.sizes, entries.count, NULL, NULL, 0,
                                                &failed, bench.stream),
                  CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(failed, SIZE_MAX);
    entriesFree(&entries);
    benchFree(&bench);
}

static void a_green_contexts_stream_takes_pinned_to_mapped_memory(void **state)
{
#if CUDA_VERSION >= 12040
    const struct world *const world = *state;
    needEntry("cuGreenCtxStreamCreate");
    struct bench bench = benchMake(world, 'V', 'H', SPACE);
    struct entries entries = blocks(&bench, 20);
    CUcontext primary = NULL;
    CUdevResource all, some;
    unsigned int groups = 1;
    CUdevResourceDesc description;
    CUgreenCtx green;
    CUstream stream;
    assert_success(cudrvDevicePrimaryCtxRetain(&primary, world->awayDevice));
    assert_success(cudrvDeviceGetDevResource(world->awayDevice, &all, CU_DEV_RESOURCE_TYPE_SM));
    assert_success(cudrvDevSmResourceSplitByCount(&some, &groups, &all, NULL, 0, 16));
    assert_success(cudrvDevResourceGenerateDesc(&description, &some, 1));
    assert_success(cudrvGreenCtxCreate(&green, description, world->awayDevice, CU_GREEN_CTX_DEFAULT_STREAM));
    assert_success(cudrvGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    static const cucopyBatchPath paths[] = {CUCOPY_BATCH_AUTO, CUCOPY_BATCH_ENGINE};
    for (size_t i = 0; i < 2; i++) {
        cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
        options.path = paths[i];
        areaFill(&bench.dst, 3);
        assert_success(
            cucopyMemcpyBatchAsyncEx(entries.dsts, entries.srcs, entries.sizes, entries.count, &options, stream));
        assert_success(cudrvStreamSynchronize(stream));
        modelCopy(&bench, &entries);
        areaCheck(&bench.dst);
    }
    assert_success(cudrvStreamDestroy(stream));
    assert_success(cudrvGreenCtxDestroy(green));
    assert_success(cudrvDevicePrimaryCtxRelease(world->awayDevice));
    entriesFree(&entries);
    benchFree(&bench);
#else
    (void)state;
    print_message("skipped: the headers of this toolkit know no green contexts\n");
    skip();
#endif
}

/* ---- What is nothing ---- */

static void a_count_of_0_succeeds_whatever_else_is_given(void **state)
{
    const struct world *const world = *state;
    assert_success(cucopyMemcpyBatchAsync(NULL, NULL, NULL, 0, NULL, NULL, 0, world->awayStream));
    assert_success(cucopyMemcpyBatchAsync(NULL, NULL, NULL, 0, NULL, NULL, 3, NULL));
    assert_success(cucopyMemcpyBatchAsyncEx(NULL, NULL, NULL, 0, NULL, world->awayStream));
}

static void entries_of_size_0_are_skipped_whatever_they_point_to(void **state)
{
    for (int all = 0; all < 2; all++)
        for (size_t count = 1; count < 64; count *= 8) {
            struct bench bench = benchMake(*state, 'D', 'H', SPACE);
            struct entries entries = blocks(&bench, count);
            for (size_t i = 0; i < count; i++)
                if (all || i % 3 == 0) {
                    entries.dsts[i] = i % 2 ? 0 : 0xdead;
                    entries.srcs[i] = 0;
                    entries.sizes[i] = 0;
                }
            assertCopies(&bench, &entries, NULL, bench.stream);
            entriesFree(&entries);
            benchFree(&bench);
        }
}

/* ---- What is refused: then nothing is copied ---- */

static void assertRefused(struct bench *bench, struct entries *entries, size_t entry)
{
    assert_result(copyWith(entries, NULL, NULL, 0, bench->stream), CUDA_ERROR_INVALID_VALUE);
    const cucopyFailure failure = lastFailure();
    assert_int_equal(failure.entry, entry);
    assert_int_equal(failure.entriesEnqueued, 0);
    assert_int_equal(failure.enqueued, 0);
    areaCheck(&bench->dst);
}

static void a_null_pointer_with_a_size(void **state)
{
    struct bench bench = benchMake(*state, 'D', 'H', SPACE);
    struct entries entries = blocks(&bench, 40);
    const CUdeviceptr dst = entries.dsts[33];
    entries.dsts[33] = 0;
    assertRefused(&bench, &entries, 33);
    assert_int_equal(lastFailure().bytes, BLOCK);
    entries.dsts[33] = dst;
    entries.srcs[39] = 0;
    assertRefused(&bench, &entries, 39);
    entries.count = 1;
    entries.srcs[0] = 0;
    assertRefused(&bench, &entries, 0);
    entriesFree(&entries);
    benchFree(&bench);
}

static void a_range_past_its_allocation(void **state)
{
    static const char kinds[] = KERNEL_KINDS;
    for (size_t k = 0; kinds[k]; k++) {
        struct bench bench = benchMake(*state, kinds[k], 'H', large);
        struct entries entries = blocks(&bench, 40);
        entrySet(&entries, 27, &bench, bench.dst.bytes - BLOCK + 1, 0, BLOCK);
        assertRefused(&bench, &entries, 27);
        entrySet(&entries, 27, &bench, 0, 0, bench.dst.bytes + 1);
        assertRefused(&bench, &entries, 27);
        entriesFree(&entries);
        benchFree(&bench);
        bench = benchMake(*state, 'D', kinds[k], large);
        entries = blocks(&bench, 40);
        entrySet(&entries, 3, &bench, 0, bench.src.bytes - BLOCK + 1, BLOCK);
        assertRefused(&bench, &entries, 3);
        entriesFree(&entries);
        benchFree(&bench);
    }
}

static void ranges_may_cross_into_the_next_mapping_but_not_into_a_hole(void **state)
{
    const size_t mapping = 2 << 20;
    struct bench bench = benchMake(*state, 'V', 'D', 3 * mapping);
    struct entries entries = blocks(&bench, 40);
    entrySet(&entries, 5, &bench, mapping - 100, mapping + 100, 200);
    entrySet(&entries, 6, &bench, mapping + 300, 0, mapping);
    assertCopies(&bench, &entries, NULL, bench.stream);
    assert_success(cudrvMemUnmap(bench.dst.address + mapping, mapping));
    assert_result(copyWith(&entries, NULL, NULL, 0, bench.stream), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(lastFailure().entry, 5);
    entrySet(&entries, 5, &bench, mapping + 100, 0, 200);
    assert_result(copyWith(&entries, NULL, NULL, 0, bench.stream), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(lastFailure().entry, 5);
    entriesFree(&entries);
    areaFree(&bench.src, bench.stream);
    assert_success(cudrvMemUnmap(bench.dst.address, mapping));
    assert_success(cudrvMemUnmap(bench.dst.address + 2 * mapping, mapping));
    assert_success(cudrvMemAddressFree(bench.dst.address, bench.dst.bytes));
    free(bench.dst.model);
    assert_success(cudrvCtxPopCurrent(NULL));
}

static void ranges_may_not_cross_into_the_next_registration(void **state)
{
    struct bench bench = benchMake(*state, 'D', 'U', SPACE);
    struct entries entries = blocks(&bench, 40);
    void *const pages = aligned_alloc(4096, SPACE);
    assert_non_null(pages);
    assert_success(cudrvMemHostRegister(pages, SPACE / 2, 0));
    assert_success(cudrvMemHostRegister((char *)pages + SPACE / 2, SPACE / 2, 0));
    entries.srcs[20] = (CUdeviceptr)(uintptr_t)pages + SPACE / 2 - BLOCK / 2;
    assertRefused(&bench, &entries, 20);
    assert_success(cudrvMemHostUnregister((char *)pages + SPACE / 2));
    assertRefused(&bench, &entries, 20);
    assert_success(cudrvMemHostUnregister(pages));
    free(pages);
    entriesFree(&entries);
    benchFree(&bench);
}

static void attributes_that_are_not_there(void **state)
{
    struct bench bench = benchMake(*state, 'D', 'H', SPACE);
    struct entries entries = blocks(&bench, 40);
    CUmemcpyAttributes attrs[3] = {{.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM},
                                   {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY},
                                   {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM}};
    static const struct {
        size_t idxs[3];
        int order;
        unsigned int flags;
    } bad[] = {
        {{1, 2, 3}, CU_MEMCPY_SRC_ACCESS_ORDER_ANY, 0},  /* does not begin at 0 */
        {{0, 2, 2}, CU_MEMCPY_SRC_ACCESS_ORDER_ANY, 0},  /* does not rise */
        {{0, 5, 3}, CU_MEMCPY_SRC_ACCESS_ORDER_ANY, 0},  /* falls */
        {{0, 5, 40}, CU_MEMCPY_SRC_ACCESS_ORDER_ANY, 0}, /* ends past count */
        {{0, 5, 30}, 0, 0},
        {{0, 5, 30}, 4, 0},
        {{0, 5, 30}, CU_MEMCPY_SRC_ACCESS_ORDER_ANY, 2},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        size_t idxs[3];
        memcpy(idxs, bad[i].idxs, sizeof(idxs));
        attrs[1].srcAccessOrder = (CUmemcpySrcAccessOrder)bad[i].order;
        attrs[1].flags = bad[i].flags;
        assert_result(copyWith(&entries, attrs, idxs, 3, bench.stream), CUDA_ERROR_INVALID_VALUE);
        areaCheck(&bench.dst);
    }
    size_t idxs[3] = {0, 5, 30};
    attrs[1] = attrs[0];
    assert_result(copyWith(&entries, NULL, idxs, 3, bench.stream), CUDA_ERROR_INVALID_VALUE);
    assert_result(copyWith(&entries, attrs, NULL, 3, bench.stream), CUDA_ERROR_INVALID_VALUE);
    assert_result(cucopyMemcpyBatchAsync(NULL, entries.srcs, entries.sizes, 1, NULL, NULL, 0, bench.stream),
                  CUDA_ERROR_INVALID_VALUE);
    areaCheck(&bench.dst);
    assert_success(copyWith(&entries, attrs, idxs, 3, bench.stream));
    modelCopy(&bench, &entries);
    areaCheck(&bench.dst);
    entriesFree(&entries);
    benchFree(&bench);
}

static void only_as_many_indices_are_read_as_there_are_attributes(void **state)
{
    struct bench bench = benchMake(*state, 'D', 'H', SPACE);
    struct entries entries = blocks(&bench, 40);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *const pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    size_t *const idxs = (size_t *)(void *)(pages + page) - 2;
    CUmemcpyAttributes *const attrs = (CUmemcpyAttributes *)(void *)(pages + page) - 2;
    for (size_t i = 0; i < 2; i++) {
        const CUmemcpyAttributes one = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
        CUmemcpyAttributes list[2] = {one, one};
        idxs[0] = 0;
        idxs[1] = 20;
        assert_success(copyWith(&entries, list, idxs, 2, bench.stream));
        size_t first[2] = {0, 20};
        attrs[0] = attrs[1] = one;
        assert_success(copyWith(&entries, attrs, first, 2, bench.stream));
    }
    modelCopy(&bench, &entries);
    areaCheck(&bench.dst);
    assert_int_equal(munmap(pages, 2 * page), 0);
    entriesFree(&entries);
    benchFree(&bench);
}

static void options_of_another_version_are_refused_if_they_ask_for_what_we_do_not_know(void **state)
{
    struct bench bench = benchMake(*state, 'D', 'H', SPACE);
    struct entries entries = blocks(&bench, 40);
    struct {
        cucopyBatchOptions known;
        size_t unknown;
    } longer = {CUCOPY_BATCH_OPTIONS_INIT, 0};
    longer.known.size = sizeof(longer);
    assertCopies(&bench, &entries, &longer.known, bench.stream);
    longer.unknown = 1;
    static const cucopyBatchOptions bad[] = {{0},
                                             {.size = 4},
                                             {.size = SIZE_MAX},
                                             {.size = sizeof(cucopyBatchOptions), .path = 4},
                                             {.size = sizeof(cucopyBatchOptions), .context = 2},
                                             {.size = sizeof(cucopyBatchOptions), .srcAccessOrder = 4},
                                             {.size = sizeof(cucopyBatchOptions), .preferOverlapWithCompute = 2}};
    areaFill(&bench.dst, 9);
    for (size_t i = 0; i <= sizeof(bad) / sizeof(bad[0]); i++)
        assert_result(cucopyMemcpyBatchAsyncEx(entries.dsts, entries.srcs, entries.sizes, entries.count,
                                               i ? &bad[i - 1] : &longer.known, bench.stream),
                      CUDA_ERROR_INVALID_VALUE);
    areaCheck(&bench.dst);
    entriesFree(&entries);
    benchFree(&bench);
}

/* ---- Failures midway ---- */

static void the_record_says_how_many_entries_were_enqueued(void **state)
{
    const struct simulator *const sim = needSimulator();
    const struct world *const world = *state;
    struct bench bench = benchMake(world, 'D', 'H', SPACE);
    struct entries entries = blocks(&bench, 40);
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    options.path = CUCOPY_BATCH_ENGINE;
    sim->refuse("cuMemcpyAsync", 8, CUDA_ERROR_OUT_OF_MEMORY, 0);
    assert_result(cucopyMemcpyBatchAsyncEx(entries.dsts, entries.srcs, entries.sizes, entries.count, &options, NULL),
                  CUDA_ERROR_OUT_OF_MEMORY);
    sim->refuseNone();
    assert_int_equal(lastFailure().entriesEnqueued, 7);
    assert_int_equal(lastFailure().entry, 7);
    entries.count = 7;
    modelCopy(&bench, &entries);
    areaCheck(&bench.dst);
    entriesFree(&entries);
    benchFree(&bench);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_every_kind_of_memory),
        cmocka_unit_test(on_every_stream),
        cmocka_unit_test(with_no_context_or_another_ones_current),
        cmocka_unit_test(a_special_stream_without_a_context_is_an_error),
        cmocka_unit_test(the_older_form_works_as_well),
        cmocka_unit_test(a_green_contexts_stream_takes_pinned_to_mapped_memory),
        cmocka_unit_test(a_count_of_0_succeeds_whatever_else_is_given),
        cmocka_unit_test(entries_of_size_0_are_skipped_whatever_they_point_to),
        cmocka_unit_test(a_null_pointer_with_a_size),
        cmocka_unit_test(a_range_past_its_allocation),
        cmocka_unit_test(ranges_may_cross_into_the_next_mapping_but_not_into_a_hole),
        cmocka_unit_test(ranges_may_not_cross_into_the_next_registration),
        cmocka_unit_test(attributes_that_are_not_there),
        cmocka_unit_test(only_as_many_indices_are_read_as_there_are_attributes),
        cmocka_unit_test(options_of_another_version_are_refused_if_they_ask_for_what_we_do_not_know),
        cmocka_unit_test(the_record_says_how_many_entries_were_enqueued),
    };
    return cmocka_run_group_tests(tests, worldSetUp, worldTearDown);
}
