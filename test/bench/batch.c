/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cucopy-bench batch: batches of copies against their peers, side by side: a loop of cuMemcpyAsync, the driver's own
 * batch call, the same after the questions that a few safe copies take, cub::DeviceMemcpy::Batched where it was built
 * in, and cucopyMemcpyBatchAsync. A time is the median from
 * the call to the end of the copies, with the stream idle before. Each way is repeated by itself, as a program would
 * repeat it, a few times before the next has its turn.
 *
 *   --json          one JSON document in place of the table
 *   --thresholds    few copies of many sizes, and cucopy by either path as well: what the automatic choice is made from
 *   --repeat N      medians of N (21), and of ten times as many where a loop takes less than 200 microseconds
 *   --gib N         size of each of four allocations (4, which the largest cells need; less leaves those out)
 *   --only TEXT     the cases whose name contains it
 */
#include "types.h" /* first: it has the types that an old cuda.h lacks */

#include "batch_world.h"
#include "bench.h"
#include "timing.h"

#ifdef CUCOPY_BENCH_CUB
#include "batch_cub.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The ways ---- */

enum way { LOOP, DRIVER, ASKED, CUB, CUCOPY, ENGINE, KERNEL, WAYS };

static const char *const wayNames[] = {"loop", "driver", "asked", "cub", "cucopy", "engine", "kernel"};

static CUresult byLoop(const struct list *list, CUstream stream)
{
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < list->count && result == CUDA_SUCCESS; i++)
        result = cudrvMemcpyAsync(list->dsts[i], list->srcs[i], list->sizes[i], stream);
    return result;
}

static CUresult byDriver(const struct list *list, CUstream stream)
{
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    size_t first = 0;
    return cudrvMemcpyBatchAsync(list->dsts, list->srcs, list->sizes, list->count, &attributes, &first, 1, stream);
}

/*
 * The driver's batch call after the questions that a safe batch of a few copies asks: about the stream, the current
 * context and both allocations. The rest of what cucopy takes is its own.
 */
static CUresult byAsked(const struct list *list, CUstream stream)
{
    enum { FEW = 8 };
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,   CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                        CU_POINTER_ATTRIBUTE_RANGE_SIZE,    CU_POINTER_ATTRIBUTE_CONTEXT,
                                        CU_POINTER_ATTRIBUTE_IS_MANAGED,    CU_POINTER_ATTRIBUTE_ACCESS_FLAGS,
                                        CU_POINTER_ATTRIBUTE_DEVICE_POINTER};
    enum { ATTRIBUTES = sizeof(attributes) / sizeof(attributes[0]) };
    uint64_t answers[ATTRIBUTES];
    void *values[ATTRIBUTES];
    CUcontext context = NULL;
    CUgreenCtx green = NULL;
    if (list->count > FEW)
        return CUDA_ERROR_NOT_SUPPORTED;
    for (size_t i = 0; i < ATTRIBUTES; i++)
        values[i] = &answers[i];
    (void)cudrvStreamGetCtx_v2(stream, &context, &green);
    (void)cudrvCtxGetCurrent(&context);
    (void)cudrvPointerGetAttributes(ATTRIBUTES, attributes, values, list->dsts[0]);
    (void)cudrvPointerGetAttributes(ATTRIBUTES, attributes, values, list->srcs[0]);
    return byDriver(list, stream);
}

static CUresult byCub(const struct list *list, CUstream stream)
{
#ifdef CUCOPY_BENCH_CUB
    return cubCopy(list->dsts, list->srcs, list->sizes, list->count, stream) ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
#else
    (void)list;
    (void)stream;
    return CUDA_ERROR_NOT_SUPPORTED;
#endif
}

static CUresult byCucopy(const struct list *list, CUstream stream)
{
    return cucopyMemcpyBatchAsyncEx(list->dsts, list->srcs, list->sizes, list->count, NULL, stream);
}

static CUresult byPath(const struct list *list, cucopyBatchPath path, CUstream stream)
{
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    options.path = path;
    return cucopyMemcpyBatchAsyncEx(list->dsts, list->srcs, list->sizes, list->count, &options, stream);
}

static CUresult byEngine(const struct list *list, CUstream stream)
{
    return byPath(list, CUCOPY_BATCH_ENGINE, stream);
}

static CUresult byKernel(const struct list *list, CUstream stream)
{
    return byPath(list, CUCOPY_BATCH_KERNEL, stream);
}

static CUresult (*const ways[])(const struct list *, CUstream) = {byLoop,   byDriver, byAsked, byCub,
                                                                  byCucopy, byEngine, byKernel};

/* ---- Measuring ---- */

struct times {
    struct spread issued; /* until the call returned, microseconds */
    struct spread done;   /* until the copies were; 0 if this way cannot do it */
};

/*
 * Where a loop takes less than that, repeats cost little and noise is a larger part of what is compared, so there are
 * more of them.
 */
enum { SHORT_LOOP = 200, SHORT_TIMES = 10 };

enum { MOST_REPEATS = 1001, MOST_SAMPLES = SHORT_TIMES * MOST_REPEATS, WARM_UP = 2, TURN = 7 };

static double issued[WAYS][MOST_SAMPLES], done[WAYS][MOST_SAMPLES];

/* 0 if it cannot. Nothing is kept of the first two. */
static int repeat(const struct world *world, const struct list *list, int way, int begin, int end)
{
    for (int i = begin - WARM_UP; i < end; i++) {
        const double start = timeNow();
        if (ways[way](list, world->stream) != CUDA_SUCCESS)
            return 0;
        const double returned = timeNow();
        (void)cudrvStreamSynchronize(world->stream);
        if (i >= begin) {
            issued[way][i] = returned - start;
            done[way][i] = timeNow() - start;
        }
    }
    return 1;
}

/* Returns how often. The ways take turns, so that what drifts is shared by all. */
static int measure(const struct world *world, const struct list *list, int repeats, int paths, struct times times[WAYS])
{
    int can[WAYS] = {1, 1, 1, 1, 1, paths, paths};
    int count = repeats;
    for (int begin = 0; begin < count; begin += TURN) {
        const int end = begin + TURN < count ? begin + TURN : count;
        for (int way = 0; way < WAYS; way++)
            can[way] = can[way] && repeat(world, list, way, begin, end);
        if (begin == 0 && done[LOOP][0] < SHORT_LOOP)
            count = SHORT_TIMES * repeats;
    }
    for (int way = 0; way < WAYS; way++) {
        const size_t samples = can[way] ? (size_t)count : 0;
        times[way] = (struct times){spreadOf(issued[way], samples), spreadOf(done[way], samples)};
    }
    return count;
}

/* ---- Reporting ---- */

struct report {
    int json;
    int thresholds;
    int repeats;
    const char *only;
    int cases;
    int wrong;
    double asking; /* the driver about 320 allocations, microseconds; 0 if that was not done */
    int slow;      /* cases above 1.05 times the better of loop and driver */
};

static void printTimes(const struct report *report, const char *name, const struct list *list,
                       const struct times times[WAYS], int repeats, double ratio, int arrived)
{
    if (report->json) {
        (void)printf("%s\n    {\"case\": \"%s\", \"direction\": \"%s\", \"copies\": %zu, \"bytes\": %zu",
                     report->cases > 1 ? "," : "", name, directionNames[list->direction], list->count, listBytes(list));
        (void)printf(", \"repeats\": %d", repeats);
        for (int way = 0; way < WAYS; way++)
            if (times[way].done.median > 0)
                (void)printf(", \"%s\": %.2f, \"%sSpread\": [%.2f, %.2f], \"%sIssued\": %.2f", wayNames[way],
                             times[way].done.median, wayNames[way], times[way].done.low, times[way].done.high,
                             wayNames[way], times[way].issued.median);
        (void)printf(", \"ratio\": %.3f, \"arrived\": %s}", ratio, arrived ? "true" : "false");
        return;
    }
    (void)printf("%-28s", name);
    for (int way = 0; way < (report->thresholds ? WAYS : ENGINE); way++) {
        if (times[way].done.median > 0)
            (void)printf("%11.1f", times[way].done.median);
        else
            (void)printf("%11s", "-");
    }
    (void)printf("%10.1f%10.2f%s\n", times[CUCOPY].issued.median, ratio, arrived ? "" : "  WRONG BYTES");
}

static void runCase(const struct world *world, struct report *report, const char *name, struct list list)
{
    struct times times[WAYS];
    if (report->only && !strstr(name, report->only)) {
        listFree(&list);
        return;
    }
    listClear(world, &list);
    int arrived = byCucopy(&list, world->stream) == CUDA_SUCCESS;
    arrived = cudrvStreamSynchronize(world->stream) == CUDA_SUCCESS && arrived && listArrived(world, &list);
    const int repeats = measure(world, &list, report->repeats, report->thresholds, times);
    const double loop = times[LOOP].done.median, driver = times[DRIVER].done.median;
    const double better = driver > 0 && driver < loop ? driver : loop;
    const double ratio = better > 0 ? times[CUCOPY].done.median / better : 0;
    report->cases++;
    report->wrong += !arrived;
    report->slow += ratio > 1.05;
    printTimes(report, name, &list, times, repeats, ratio, arrived);
    (void)fflush(stdout);
    listFree(&list);
}

/* ---- The cases ---- */

static void runGrid(const struct world *world, struct report *report)
{
    static const size_t counts[] = {1, 2, 4, 8, 16, 64, 256, 1024, 4096};
    static const size_t sizes[] = {64, 512, 4 << 10, 16 << 10, 64 << 10, 1 << 20};
    for (int direction = DEVICE_TO_DEVICE; direction <= DEVICE_TO_HOST; direction++)
        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
            for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
                char name[64];
                (void)snprintf(name, sizeof(name), "%s %zu x %zu", directionNames[direction], counts[c], sizes[s]);
                if (counts[c] * sizes[s] <= world->bytes)
                    runCase(world, report, name, listBlocks(world, (enum direction)direction, counts[c], sizes[s]));
            }
}

static void runThresholds(const struct world *world, struct report *report)
{
    static const size_t counts[] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 64};
    for (int direction = DEVICE_TO_DEVICE; direction <= DEVICE_TO_HOST; direction++)
        for (size_t size = 64; size <= 1 << 20; size = size < 512 ? 8 * size : 2 * size)
            for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
                char name[64];
                (void)snprintf(name, sizeof(name), "%s %zu x %zu", directionNames[direction], counts[c], size);
                runCase(world, report, name, listBlocks(world, (enum direction)direction, counts[c], size));
            }
}

/* What a batch over that many allocations must ask the driver, which nothing of ours can hasten. By the case it limits.
 */
static double askAboutLayers(const struct world *world, int repeats)
{
    static double took[MOST_REPEATS];
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                        CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_CONTEXT,
                                        CU_POINTER_ATTRIBUTE_IS_MANAGED};
    unsigned int type = 0, isManaged = 0;
    CUdeviceptr base = 0;
    size_t size = 0;
    CUcontext context = NULL;
    void *values[] = {&type, &base, &size, &context, &isManaged};
    for (int i = 0; i < repeats; i++) {
        const double start = timeNow();
        for (int layer = 0; layer < layers; layer++) {
            (void)cudrvPointerGetAttributes(5, attributes, values, world->layerDsts[layer]);
            (void)cudrvPointerGetAttributes(5, attributes, values, world->layerSrcs[layer]);
        }
        took[i] = timeNow() - start;
    }
    return spreadOf(took, (size_t)repeats).median;
}

static void runOthers(const struct world *world, struct report *report)
{
    enum { PER_LAYER = 26, BLOCK = 8 << 10, MANY = 4096 };
    report->asking = askAboutLayers(world, report->repeats);
    runCase(world, report, "160 pairs x 26 x 8192", listLayers(world, PER_LAYER, BLOCK, 0, 0));
    runCase(world, report, "the same, block by block", listLayers(world, PER_LAYER, BLOCK, 1, 0));
    runCase(world, report, "the same, within 160", listLayers(world, PER_LAYER, BLOCK, 0, 1));
    runCase(world, report, "DtoD contiguous 4096 x 64", listContiguous(world, DEVICE_TO_DEVICE, MANY, 64));
    runCase(world, report, "DtoD spread 4096 x 4096", listSpread(world, DEVICE_TO_DEVICE, MANY, 4096));
    runCase(world, report, "DtoD odd 4096 x 64", listOdd(world, DEVICE_TO_DEVICE, MANY, 64));
    runCase(world, report, "DtoD odd 4096 x 4099", listOdd(world, DEVICE_TO_DEVICE, MANY, 4099));
    runCase(world, report, "HtoD odd 4096 x 4099", listOdd(world, HOST_TO_DEVICE, MANY, 4099));
    runCase(world, report, "DtoH odd 4096 x 4099", listOdd(world, DEVICE_TO_HOST, MANY, 4099));
    runCase(world, report, "DtoD mixed 4096 x 0..1000", listMixed(world, DEVICE_TO_DEVICE, MANY, 1000));
    runCase(world, report, "DtoD mixed 4096 x 0..70000", listMixed(world, DEVICE_TO_DEVICE, MANY, 70000));
    runCase(world, report, "HtoD mixed 1024 x 0..70000", listMixed(world, HOST_TO_DEVICE, MANY / 4, 70000));
    runCase(world, report, "DtoH mixed 1024 x 0..70000", listMixed(world, DEVICE_TO_HOST, MANY / 4, 70000));
    runCase(world, report, "DtoD 100000 x 512", listBlocks(world, DEVICE_TO_DEVICE, 100000, 512));
}

/* What happens once: the kernels are made for the device and loaded. */
static double firstBatch(const struct world *world, size_t count)
{
    struct list list = listBlocks(world, DEVICE_TO_DEVICE, count, 64);
    const double start = timeNow();
    (void)byKernel(&list, world->stream);
    (void)cudrvStreamSynchronize(world->stream);
    const double took = timeNow() - start;
    listFree(&list);
    return took;
}

static void printHead(const struct report *report, const struct world *world)
{
    const struct day day = today();
    const double small = firstBatch(world, 2), large = firstBatch(world, 4096);
    if (report->json) {
        (void)printf("{\n  \"date\": \"%s\",\n  \"device\": \"%s\",\n  \"cudaVersion\": %d,\n  \"repeats\": %d,\n"
                     "  \"unit\": \"microseconds\",\n  \"firstSmallBatch\": %.0f,\n  \"firstLargeBatch\": %.0f,\n"
                     "  \"cases\": [",
                     day.text, world->device, world->driverVersion, report->repeats, small, large);
        return;
    }
    (void)printf("%s, %s, CUDA driver %d.%d, medians of %d, microseconds from the call to the last copy's end\n"
                 "once: %.0f for the first batch of 2, %.0f for the first of 4096\n%-28s",
                 day.text, world->device, world->driverVersion / 1000, world->driverVersion % 1000 / 10,
                 report->repeats, small, large, "copies x bytes");
    for (int way = 0; way < (report->thresholds ? WAYS : ENGINE); way++)
        (void)printf("%11s", wayNames[way]);
    (void)printf("%10s%10s\n", "(issued)", "of best");
}

static void printFoot(const struct report *report)
{
    if (report->json)
        (void)printf("\n  ],\n  \"askingAbout320Allocations\": %.1f,\n  \"wrong\": %d,\n  \"above1.05\": %d\n}\n",
                     report->asking, report->wrong, report->slow);
    else
        (void)printf("%d cases, %d with wrong bytes, %d above 1.05 times the better of loop and driver; "
                     "asking the driver about 320 allocations: %.1f\n",
                     report->cases, report->wrong, report->slow, report->asking);
}

/* A process that has just begun is slower for a while, and would be so in the first case alone. */
static void warmUp(const struct world *world)
{
    enum { BLOCKS = 8, MICROSECONDS = 500000 };
    struct list list = listBlocks(world, DEVICE_TO_DEVICE, BLOCKS, 64);
    const double start = timeNow();
    while (timeNow() - start < MICROSECONDS) {
        (void)byLoop(&list, world->stream);
        (void)byCucopy(&list, world->stream);
        (void)cudrvStreamSynchronize(world->stream);
    }
    listFree(&list);
}

int benchBatch(int argc, char **argv)
{
    struct report report = {.repeats = 21};
    double gibibytes = 4;
    for (int i = 1; i < argc; i++) {
        const char *const value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--json") || !strcmp(argv[i], "--thresholds")) {
            *(argv[i][2] == 'j' ? &report.json : &report.thresholds) = 1;
            continue;
        }
        if (value && !strcmp(argv[i], "--repeat")) {
            report.repeats = (int)strtol(value, NULL, 10);
        } else if (value && !strcmp(argv[i], "--gib")) {
            gibibytes = strtod(value, NULL);
        } else if (value && !strcmp(argv[i], "--only")) {
            report.only = value;
        } else {
            (void)fprintf(stderr,
                          "usage: cucopy-bench batch [--json] [--thresholds] [--repeat N] [--gib N] [--only TEXT]\n");
            return 2;
        }
        i++;
    }
    if (report.repeats < 1 || report.repeats > MOST_REPEATS || gibibytes * 16 < 5) {
        (void)fprintf(stderr, "cucopy-bench: --repeat from 1 to %d, --gib from 0.3125\n", MOST_REPEATS);
        return 2;
    }
    struct world world;
    if (!worldSetUp(&world, (size_t)(gibibytes * (double)(1 << 30))))
        return 1;
#ifdef CUCOPY_BENCH_CUB
    if (!cubSetUp(100000))
        return 1;
#endif
    printHead(&report, &world);
    warmUp(&world);
    if (report.thresholds) {
        runThresholds(&world, &report);
    } else {
        runGrid(&world, &report);
        runOthers(&world, &report);
    }
    printFoot(&report);
#ifdef CUCOPY_BENCH_CUB
    cubTearDown();
#endif
    worldTearDown(&world);
    return report.wrong != 0;
}
