/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cucopy-bench devices: single copies and batches between two devices, and from pinned memory to each, on streams of
 * either: raw with a context current that serves, safe with that one, with the other device's and with none, and under
 * the owner's policy where the stream's own context does not serve, side by side. The stream is idle before each call.
 * The ways take turns twice, so that what drifts shows.
 *
 *   --json          one JSON document in place of the tables
 *   --repeat N      N times each (101), a fifth of that for the large ones
 *   --mib N         how much a large copy moves (64)
 *
 * Exits with 77 if there are fewer than two devices, and with 1 if a byte or the current context is not what it must
 * be.
 */
#include "types.h" /* first: it has the types that an old cuda.h lacks */

#include "bench.h"
#include "devices_world.h"
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The ways ---- */

enum way { RAW, SAFE, SAFE_OTHER, SAFE_NONE, OWNER, OWNER_NONE, WAYS };

/* What is current: a context that serves the raw copy, that of the other device, or none. */
enum current { SERVES, OTHER, NONE };

static const struct {
    const char *name, *title;
    enum current current;
} ways[WAYS] = {
    [RAW] = {"raw", "raw", SERVES},
    [SAFE] = {"safe", "safe", SERVES},
    [SAFE_OTHER] = {"safeOther", "safe, other current", OTHER},
    [SAFE_NONE] = {"safeNone", "safe, none current", NONE},
    [OWNER] = {"owner", "owner", SERVES},
    [OWNER_NONE] = {"ownerNone", "owner, none current", NONE},
};

struct route {
    const char *name;
    struct crossing crossing;
    int stream;  /* whose */
    int serving; /* the device whose context serves */
    int peers;   /* enabled */
    int isLarge;
};

static CUresult rawBatch(struct crossing *crossing, CUstream stream)
{
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    size_t first = 0;
    return cudrvMemcpyBatchAsync(crossing->dsts, crossing->srcs, crossing->sizes, crossing->count, &attributes, &first,
                                 1, stream);
}

static CUresult safeBatch(const struct crossing *crossing, cucopyContextPolicy policy, CUstream stream)
{
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    options.context = policy;
    return cucopyMemcpyBatchAsyncEx(crossing->dsts, crossing->srcs, crossing->sizes, crossing->count, &options, stream);
}

static CUresult perform(enum way way, struct crossing *crossing, CUstream stream)
{
    const cucopyOptions owner = {sizeof(owner), CUCOPY_CONTEXT_OWNER};
    const CUdeviceptr dst = crossing->dsts[0], src = crossing->srcs[0];
    const size_t size = crossing->sizes[0];
    const int single = crossing->count == 1;
    switch (way) {
    case RAW:
        return single ? cudrvMemcpyAsync(dst, src, size, stream) : rawBatch(crossing, stream);
    case OWNER:
    case OWNER_NONE:
        return single ? cucopyMemcpyAsyncEx(dst, src, size, &owner, stream)
                      : safeBatch(crossing, CUCOPY_CONTEXT_OWNER, stream);
    default:
        return single ? cucopyMemcpyAsync(dst, src, size, stream) : safeBatch(crossing, CUCOPY_CONTEXT_STREAM, stream);
    }
}

/* The owner's policy is for what the stream's context does not serve. */
static int concerns(enum way way, const struct route *route)
{
    return (way != OWNER && way != OWNER_NONE) || route->serving != route->stream;
}

/* ---- Measuring ---- */

enum { MOST_REPEATS = 10001, WARM_UP = 2, TURNS = 2 };

struct times {
    CUresult result;
    int wrong;                  /* a byte did not arrive, or another context was current afterwards */
    struct spread issued, done; /* microseconds until the call returned, and until the copies were done */
};

static CUcontext currentFor(const struct devices *devices, const struct route *route, enum way way)
{
    switch (ways[way].current) {
    case SERVES:
        return devices->contexts[route->serving];
    case OTHER:
        return devices->contexts[1 - route->serving];
    default:
        return NULL;
    }
}

static int isCurrent(CUcontext context)
{
    CUcontext current = NULL;
    return cudrvCtxGetCurrent(&current) == CUDA_SUCCESS && current == context;
}

/* Once, with every byte looked at. */
static void tryOnce(const struct devices *devices, struct route *route, enum way way, struct times *times)
{
    const CUcontext current = currentFor(devices, route, way);
    const CUstream stream = devices->streams[route->stream];
    const int cleared = crossingClear(devices, &route->crossing);
    if (current)
        (void)cudrvCtxPushCurrent(current);
    times->result = perform(way, &route->crossing, stream);
    const int kept = isCurrent(current);
    const int finished = cudrvStreamSynchronize(stream) == CUDA_SUCCESS;
    if (current)
        (void)cudrvCtxPopCurrent(NULL);
    times->wrong = !cleared || !kept || !finished || !isCurrent(NULL) ||
                   (times->result == CUDA_SUCCESS && !crossingArrived(devices, &route->crossing));
}

static void repeat(const struct devices *devices, struct route *route, enum way way, int begin, int end, double *issued,
                   double *done)
{
    const CUcontext current = currentFor(devices, route, way);
    const CUstream stream = devices->streams[route->stream];
    if (current)
        (void)cudrvCtxPushCurrent(current);
    for (int i = begin - WARM_UP; i < end; i++) {
        const double start = timeNow();
        (void)perform(way, &route->crossing, stream);
        const double returned = timeNow();
        (void)cudrvStreamSynchronize(stream);
        if (i >= begin) {
            issued[i] = returned - start;
            done[i] = timeNow() - start;
        }
    }
    if (current)
        (void)cudrvCtxPopCurrent(NULL);
}

static void measure(const struct devices *devices, struct route *route, int repeats, struct times times[WAYS])
{
    static double issued[WAYS][MOST_REPEATS], done[WAYS][MOST_REPEATS];
    const int count = route->isLarge ? (repeats + 4) / 5 : repeats;
    for (enum way way = 0; way < WAYS; way++) {
        times[way] = (struct times){.result = CUDA_ERROR_NOT_SUPPORTED};
        if (concerns(way, route))
            tryOnce(devices, route, way, &times[way]);
    }
    for (int turn = 0; turn < TURNS; turn++)
        for (enum way way = 0; way < WAYS; way++)
            if (times[way].result == CUDA_SUCCESS)
                repeat(devices, route, way, turn * count / TURNS, (turn + 1) * count / TURNS, issued[way], done[way]);
    for (enum way way = 0; way < WAYS; way++)
        if (times[way].result == CUDA_SUCCESS) {
            times[way].issued = spreadOf(issued[way], (size_t)count);
            times[way].done = spreadOf(done[way], (size_t)count);
        }
}

/* ---- Reporting ---- */

struct report {
    int json;
    int repeats;
    size_t mebibytes;
    int cases;
    int wrong;
};

static const char *resultOf(CUresult result)
{
    return cudrvResultName(result) + strlen(result == CUDA_SUCCESS ? "CUDA_" : "CUDA_ERROR_");
}

static size_t bytesOf(const struct crossing *crossing)
{
    return crossing->count * crossing->sizes[0];
}

static void printSpread(const char *name, struct spread spread)
{
    (void)printf("\"%s\": [%.3f, %.3f, %.3f]", name, spread.low, spread.median, spread.high);
}

static void printJson(const struct report *report, const struct route *route, const struct times times[WAYS])
{
    int wrong = 0;
    (void)printf("%s\n    {\"route\": \"%s\", \"streamOf\": %d, \"served\": %s, \"peers\": %s, \"copies\": %zu, "
                 "\"bytes\": %zu, \"ways\": {",
                 report->cases > 1 ? "," : "", route->name, route->stream,
                 route->serving == route->stream ? "true" : "false", route->peers ? "true" : "false",
                 route->crossing.count, bytesOf(&route->crossing));
    for (enum way way = 0; way < WAYS; way++) {
        wrong |= times[way].wrong;
        if (!concerns(way, route))
            continue;
        (void)printf("%s\n      \"%s\": {\"result\": \"%s\"", way ? "," : "", ways[way].name,
                     resultOf(times[way].result));
        if (times[way].result == CUDA_SUCCESS) {
            (void)printf(", ");
            printSpread("issued", times[way].issued);
            (void)printf(", ");
            printSpread("done", times[way].done);
        }
        (void)printf("}");
    }
    (void)printf("}, \"arrived\": %s}", wrong ? "false" : "true");
}

/* Small copies by what the call costs, large ones by what they move. */
static void printCell(const struct route *route, enum way way, const struct times *times)
{
    char text[64];
    const double bytes = (double)bytesOf(&route->crossing);
    if (!concerns(way, route))
        (void)snprintf(text, sizeof(text), "-");
    else if (times->result != CUDA_SUCCESS)
        (void)snprintf(text, sizeof(text), "%s", resultOf(times->result));
    else if (!route->isLarge)
        (void)snprintf(text, sizeof(text), "%.2f [%.2f %.2f]", times->issued.median, times->issued.low,
                       times->issued.high);
    else
        (void)snprintf(text, sizeof(text), "%.1f [%.1f %.1f]", bytes / times->done.median * 1e-3,
                       bytes / times->done.high * 1e-3, bytes / times->done.low * 1e-3);
    (void)printf("  %-20s", text);
}

static void printRow(const struct route *route, const struct times times[WAYS])
{
    int wrong = 0;
    char copies[32];
    (void)snprintf(copies, sizeof(copies), "%zu x %zu", route->crossing.count, route->crossing.sizes[0]);
    (void)printf("%-18s %-6d %-5s %-13s", route->name, route->stream, route->peers ? "on" : "off", copies);
    for (enum way way = 0; way < WAYS; way++) {
        printCell(route, way, &times[way]);
        wrong |= times[way].wrong;
    }
    (void)printf("%s\n", wrong ? "  WRONG" : "");
}

static void printTitle(int isLarge)
{
    (void)printf("\n%s: the median, and in brackets the quartiles\n%-18s %-6s %-5s %-13s",
                 isLarge ? "Gigabytes a second until the copies were done" : "Microseconds until the call returned",
                 "from -> to", "stream", "peers", "copies");
    for (enum way way = 0; way < WAYS; way++)
        (void)printf("  %-20s", ways[way].title);
    (void)printf("\n");
}

static void printHead(const struct report *report, const struct devices *devices)
{
    const struct day day = today();
    if (report->json)
        (void)printf("{\n  \"date\": \"%s\",\n  \"devices\": [\"%s\", \"%s\"],\n  \"cudaVersion\": %d,\n"
                     "  \"repeats\": %d,\n  \"unit\": \"microseconds\",\n  \"canAccess\": %s,\n  \"cases\": [",
                     day.text, devices->names[0], devices->names[1], devices->driverVersion, report->repeats,
                     devices->canAccess ? "true" : "false");
    else
        (void)printf("%s, %s and %s, CUDA driver %d.%d, %d times each%s\n", day.text, devices->names[0],
                     devices->names[1], devices->driverVersion / 1000, devices->driverVersion % 1000 / 10,
                     report->repeats, devices->canAccess ? "" : "; neither can be given access to the other's memory");
}

static void printFoot(const struct report *report)
{
    if (report->json)
        (void)printf("\n  ],\n  \"wrong\": %d\n}\n", report->wrong);
    else
        (void)printf("\n%d cases, %d with wrong bytes or another context current afterwards\n", report->cases,
                     report->wrong);
}

/* ---- The cases ---- */

static void runRoute(const struct devices *devices, struct report *report, struct route route)
{
    struct times times[WAYS];
    measure(devices, &route, report->repeats, times);
    report->cases++;
    for (enum way way = 0; way < WAYS; way++)
        if (times[way].wrong) {
            report->wrong++;
            break;
        }
    if (report->json)
        printJson(report, &route, times);
    else
        printRow(&route, times);
    (void)fflush(stdout);
}

/* Single and in a batch, on a stream of either device. owner: whose pool it is, -1 if it is nobody's. */
static void runCrossing(const struct devices *devices, struct report *report, const char *name, CUdeviceptr dst,
                        int home, CUdeviceptr src, int owner, int peers, int isLarge)
{
    for (size_t count = 1; count <= MOST_COPIES; count *= MOST_COPIES)
        for (int stream = 0; stream < 2; stream++) {
            const size_t size = isLarge ? devices->bytes / count : 64;
            runRoute(devices, report,
                     (struct route){.name = name,
                                    .crossing = crossingOf(dst, home, src, count, size),
                                    .stream = stream,
                                    .serving = owner < 0 ? stream : owner,
                                    .peers = peers,
                                    .isLarge = isLarge});
        }
}

static void runBetween(const struct devices *devices, struct report *report, int peers, int isLarge)
{
    static const char *const names[] = {"plain1 -> plain0", "plain0 -> plain1"};
    for (int to = 1; to >= 0; to--)
        runCrossing(devices, report, names[to], devices->dsts[to], to, devices->srcs[1 - to], -1, peers, isLarge);
}

static void runFromHost(const struct devices *devices, struct report *report, int isLarge)
{
    static const char *const names[][2] = {{"pinned -> plain0", "pinned -> pool0"},
                                           {"pinned -> plain1", "pinned -> pool1"}};
    for (int to = 0; to < 2; to++) {
        runCrossing(devices, report, names[to][0], devices->dsts[to], to, devices->pinned, -1, 0, isLarge);
        runCrossing(devices, report, names[to][1], devices->pools[to], to, devices->pinned, to, 0, isLarge);
    }
}

/* Peer access cannot be had before it is enabled, so what is without comes first. */
static int runAll(const struct devices *devices, struct report *report)
{
    for (int isLarge = 0; isLarge < 2; isLarge++) {
        if (!report->json)
            printTitle(isLarge);
        runBetween(devices, report, 0, isLarge);
        runFromHost(devices, report, isLarge);
    }
    if (!devices->canAccess)
        return 1;
    if (!devicesEnablePeers(devices))
        return 0;
    for (int isLarge = 0; isLarge < 2; isLarge++) {
        if (!report->json)
            printTitle(isLarge);
        runBetween(devices, report, 1, isLarge);
    }
    return 1;
}

static int usage(void)
{
    (void)fprintf(stderr, "usage: cucopy-bench devices [--json] [--repeat N] [--mib N]\n");
    return 2;
}

int benchDevices(int argc, char **argv)
{
    struct report report = {.repeats = 101, .mebibytes = 64};
    for (int i = 1; i < argc; i++) {
        const char *const value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--json")) {
            report.json = 1;
            continue;
        }
        if (value && !strcmp(argv[i], "--repeat"))
            report.repeats = (int)strtol(value, NULL, 10);
        else if (value && !strcmp(argv[i], "--mib"))
            report.mebibytes = strtoul(value, NULL, 10);
        else
            return usage();
        i++;
    }
    if (report.repeats < 1 || report.repeats > MOST_REPEATS || report.mebibytes < 1 || report.mebibytes > 4096) {
        (void)fprintf(stderr, "cucopy-bench: --repeat from 1 to %d, --mib from 1 to 4096\n", MOST_REPEATS);
        return 2;
    }
    struct devices devices;
    const int ready = devicesSetUp(&devices, report.mebibytes << 20);
    int ok = 0;
    if (ready > 0) {
        printHead(&report, &devices);
        ok = runAll(&devices, &report);
        printFoot(&report);
    }
    devicesTearDown(&devices);
    return ready < 0 ? 77 : ready == 0 || !ok || report.wrong != 0;
}
