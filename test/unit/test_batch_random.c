/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random batches, byte by byte: sizes from 0 to 70,000, every alignment, blocks that touch both ends of their
 * allocations and each other, up to 100,000 entries, on every path. What lies between the blocks must stay.
 */
#include "types.h"

#include "areas.h"

static const size_t largest = 70000;

/* One thread that moves many bytes has little to show to the thread sanitizer, which makes it ten times as slow. */
#if defined(__SANITIZE_THREAD__)
enum { manyEntries = 10000, mostOfAllKinds = 30 };
#else
enum { manyEntries = 100000, mostOfAllKinds = 300 };
#endif

/* The whole width of both sides, cut into count places in two orders; an entry fills its place or leaves a rest. */
static struct entries randomEntries(const struct bench *bench, size_t count)
{
    const size_t bytes = bench->src.bytes < bench->dst.bytes ? bench->src.bytes : bench->dst.bytes;
    const size_t room = bytes / count;
    struct entries entries = entriesMake(count);
    size_t *const places = malloc(count * sizeof(*places));
    assert_non_null(places);
    for (size_t i = 0; i < count; i++)
        places[i] = i;
    for (size_t i = count; i > 1; i--) {
        const size_t other = randomBelow(i), kept = places[i - 1];
        places[i - 1] = places[other];
        places[other] = kept;
    }
    for (size_t i = 0; i < count; i++) {
        size_t size = randomBelow(8) == 0 ? room : randomBelow(room + 1);
        if (size > largest)
            size = largest;
        const size_t rest = room - size;
        const size_t before = rest ? randomBelow(rest + 1) : 0;
        const size_t srcBefore = rest ? randomBelow(rest + 1) : 0;
        entrySet(&entries, i, bench, places[i] * room + before, i * room + srcBefore, size);
    }
    /* Both ends of both allocations. */
    entrySet(&entries, 0, bench, places[0] * room, 0, 1);
    if (count > 1)
        entrySet(&entries, count - 1, bench, places[count - 1] * room, bench->src.bytes - 1, 1);
    free(places);
    return entries;
}

static void copyRandomly(const struct world *world, char dst, char src, size_t bytes, size_t count, int path)
{
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    options.path = (cucopyBatchPath)path;
    options.maxBlocks = randomBelow(3) ? 0 : (unsigned)randomBelow(100) + 1;
    struct bench bench = benchMake(world, dst, src, bytes);
    struct entries entries = randomEntries(&bench, count);
    assertCopies(&bench, &entries, &options, bench.stream);
    entriesFree(&entries);
    benchFree(&bench);
}

static int kernelIsThere(void)
{
    return cudrvHas("cuLibraryLoadData");
}

static void sizes_from_0_to_70000_between_all_kinds_of_memory(void **state)
{
    static const char kinds[] = ALL_KINDS;
    for (size_t d = 0; kinds[d]; d++)
        for (size_t s = 0; kinds[s]; s++)
            for (size_t count = 3; count <= mostOfAllKinds; count *= 10)
                copyRandomly(*state, kinds[d], kinds[s], count * (largest + 17) / 2, count, CUCOPY_BATCH_AUTO);
}

static void the_same_by_kernel_wherever_it_reaches(void **state)
{
    static const char kinds[] = KERNEL_KINDS;
    for (size_t d = 0; kinds[d] && kernelIsThere(); d++)
        for (size_t s = 0; kinds[s]; s++)
            copyRandomly(*state, kinds[d], kinds[s], 100 * (largest + 17), 200, CUCOPY_BATCH_KERNEL);
}

static void the_same_by_engine(void **state)
{
    copyRandomly(*state, 'D', 'D', 100 * (largest + 17), 200, CUCOPY_BATCH_ENGINE);
    copyRandomly(*state, 'D', 'H', 100 * (largest + 17), 200, CUCOPY_BATCH_ENGINE);
    copyRandomly(*state, 'H', 'D', 100 * (largest + 17), 200, CUCOPY_BATCH_ENGINE);
}

static void every_alignment_of_both_sides_at_every_small_size(void **state)
{
    enum { ALIGNMENTS = 16, STRIDE = 160 };
    static const size_t sizes[] = {1, 2, 3, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 80, 127};
    const size_t count = sizeof(sizes) / sizeof(sizes[0]) * ALIGNMENTS * ALIGNMENTS;
    struct bench bench = benchMake(*state, 'D', 'D', count * STRIDE);
    struct entries entries = entriesMake(count);
    for (size_t i = 0; i < count; i++) {
        const size_t dst = i % ALIGNMENTS, src = i / ALIGNMENTS % ALIGNMENTS;
        entrySet(&entries, i, &bench, (count - 1 - i) * STRIDE + dst, i * STRIDE + src,
                 sizes[i / ALIGNMENTS / ALIGNMENTS]);
    }
    assertCopies(&bench, &entries, NULL, bench.stream);
    entriesFree(&entries);
    benchFree(&bench);
}

/* Blocks of one size are written down as offsets: of 16 bits, of 32 bits, or as addresses. */
static void blocks_of_one_size_near_and_far_apart(void **state)
{
    static const struct {
        size_t size, stride, count, base;
    } cases[] = {
        {64, 64, 4096, 0},    /* narrow, one launch of the medium kernel */
        {64, 64, 1016, 0},    /* as many as fit into a small block */
        {64, 64, 1017, 0},    /* one more */
        {64, 64, 9000, 0},    /* two launches */
        {4096, 4096, 700, 0}, /* larger than a team takes at once */
        {100, 131, 4000, 3},  /* wide: odd places over more than 64 KiB */
        {16, 2048, 5000, 16}, {7, 11, 600, 1}, {70001, 70016, 33, 5}, {614400, 614400, 9, 0},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        const size_t count = cases[c].count, stride = cases[c].stride;
        struct bench bench = benchMake(*state, 'D', 'D', cases[c].base + count * stride);
        struct entries entries = entriesMake(count);
        for (size_t i = 0; i < count; i++)
            entrySet(&entries, i, &bench, cases[c].base + (i * 7919 + 3) % count * stride,
                     cases[c].base + (count - 1 - i) * stride, cases[c].size);
        assertCopies(&bench, &entries, NULL, bench.stream);
        entriesFree(&entries);
        benchFree(&bench);
    }
}

static void a_hundred_thousand_entries(void **state)
{
    for (int uniform = 0; uniform < 2; uniform++) {
        enum { COUNT = manyEntries, STRIDE = 96 };
        struct bench bench = benchMake(*state, 'D', 'H', (size_t)COUNT * STRIDE);
        struct entries entries = uniform ? entriesMake(COUNT) : randomEntries(&bench, COUNT);
        for (size_t i = 0; i < COUNT && uniform; i++)
            entrySet(&entries, i, &bench, (i * 7919 + 3) % COUNT * STRIDE, i * STRIDE, STRIDE - 16);
        assertCopies(&bench, &entries, NULL, bench.stream);
        entriesFree(&entries);
        benchFree(&bench);
    }
}

/* One batch over many allocations: more than are remembered. */
static void more_allocations_than_a_call_keeps(void **state)
{
    enum { AREAS = 700, EACH = 3, STRIDE = 256 };
    struct bench bench = benchMake(*state, 'D', 'H', (size_t)AREAS * EACH * STRIDE);
    static struct area areas[AREAS];
    struct entries entries = entriesMake((size_t)AREAS * EACH);
    for (int byArea = 0; byArea < 2; byArea++) {
        for (size_t a = 0; a < AREAS; a++) {
            areas[a] = areaMake('D', (size_t)EACH * STRIDE, bench.stream);
            areaFill(&areas[a], (unsigned)a);
        }
        for (size_t i = 0; i < entries.count; i++) {
            const size_t a = byArea ? i / EACH : i % AREAS, block = byArea ? i % EACH : i / AREAS;
            entrySet(&entries, i, &bench, 0, i * STRIDE, 1 + i % STRIDE);
            entries.dsts[i] = areas[a].address + block * STRIDE;
            memcpy(areas[a].model + block * STRIDE, bench.src.model + i * STRIDE, 1 + i % STRIDE);
        }
        assert_success(
            cucopyMemcpyBatchAsyncEx(entries.dsts, entries.srcs, entries.sizes, entries.count, NULL, bench.stream));
        for (size_t a = 0; a < AREAS; a++) {
            areaCheck(&areas[a]);
            areaFree(&areas[a], bench.stream);
        }
    }
    entriesFree(&entries);
    benchFree(&bench);
}

/* Neighbours that continue each other are joined, but not over the end of an allocation. */
static void runs_of_neighbours(void **state)
{
    for (size_t run = 1; run <= 64; run *= 4) {
        enum { COUNT = 1024, SIZE = 48 };
        struct bench bench = benchMake(*state, 'D', 'D', (size_t)COUNT * SIZE);
        struct entries entries = entriesMake(COUNT);
        for (size_t i = 0; i < COUNT; i++)
            entrySet(&entries, i, &bench, (COUNT / run - 1 - i / run) * run * SIZE + i % run * SIZE, i * SIZE, SIZE);
        assertCopies(&bench, &entries, NULL, bench.stream);
        entriesFree(&entries);
        benchFree(&bench);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_from_0_to_70000_between_all_kinds_of_memory),
        cmocka_unit_test(the_same_by_kernel_wherever_it_reaches),
        cmocka_unit_test(the_same_by_engine),
        cmocka_unit_test(every_alignment_of_both_sides_at_every_small_size),
        cmocka_unit_test(blocks_of_one_size_near_and_far_apart),
        cmocka_unit_test(a_hundred_thousand_entries),
        cmocka_unit_test(more_allocations_than_a_call_keeps),
        cmocka_unit_test(runs_of_neighbours),
    };
    return cmocka_run_group_tests(tests, worldSetUp, worldTearDown);
}
