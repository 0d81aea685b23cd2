/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the batch benchmark copies. A source byte depends on its offset in its allocation, so that what must arrive can
 * be told without reading it back.
 */
#include "batch_world.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const directionNames[] = {"DtoD", "HtoD", "DtoH"};

enum { POISON = 0xEE, LAYER_BYTES = 4 << 20, CHECKED = 64 << 20 };

/* ---- Memory ---- */

static int check(CUresult result, const char *what)
{
    if (result != CUDA_SUCCESS)
        (void)fprintf(stderr, "cucopy-bench: %s: %s\n", what, cudrvResultName(result));
    return result == CUDA_SUCCESS;
}

static uint64_t mixed(uint64_t value)
{
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdULL;
    value ^= value >> 33;
    return value;
}

static void fill(uint64_t *words, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(*words); i++)
        words[i] = mixed(i + 1);
}

int worldSetUp(struct world *world, size_t bytes)
{
    CUdevice device = 0;
    void *host[2] = {NULL, NULL};
    *world = (struct world){.bytes = bytes};
    if (!check(cudrvInit(0), "cuInit") || !check(cudrvDeviceGet(&device, 0), "cuDeviceGet") ||
        !check(cudrvDevicePrimaryCtxRetain(&world->context, device), "cuDevicePrimaryCtxRetain") ||
        !check(cudrvCtxSetCurrent(world->context), "cuCtxSetCurrent") ||
        !check(cudrvStreamCreate(&world->stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate") ||
        !check(cudrvMemAlloc(&world->deviceDst, bytes), "cuMemAlloc") ||
        !check(cudrvMemAlloc(&world->deviceSrc, bytes), "cuMemAlloc") ||
        !check(cudrvMemHostAlloc(&host[0], bytes, 0), "cuMemHostAlloc") ||
        !check(cudrvMemHostAlloc(&host[1], bytes, 0), "cuMemHostAlloc"))
        return 0;
    world->hostDst = (CUdeviceptr)(uintptr_t)host[0];
    world->hostSrc = (CUdeviceptr)(uintptr_t)host[1];
    fill(host[1], bytes);
    if (!check(cudrvMemcpyHtoD(world->deviceSrc, host[1], bytes), "cuMemcpyHtoD"))
        return 0;
    for (int i = 0; i < layers; i++)
        if (!check(cudrvMemAlloc(&world->layerDsts[i], LAYER_BYTES), "cuMemAlloc") ||
            !check(cudrvMemAlloc(&world->layerSrcs[i], LAYER_BYTES), "cuMemAlloc") ||
            !check(cudrvMemcpyHtoD(world->layerSrcs[i], host[1], LAYER_BYTES), "cuMemcpyHtoD"))
            return 0;
    (void)cudrvDeviceGetName(world->device, sizeof(world->device), device);
    (void)cudrvDriverGetVersion(&world->driverVersion);
    return 1;
}

void worldTearDown(struct world *world)
{
    for (int i = 0; i < layers; i++) {
        (void)cudrvMemFree(world->layerDsts[i]);
        (void)cudrvMemFree(world->layerSrcs[i]);
    }
    (void)cudrvMemFreeHost((void *)(uintptr_t)world->hostDst);
    (void)cudrvMemFreeHost((void *)(uintptr_t)world->hostSrc);
    (void)cudrvMemFree(world->deviceDst);
    (void)cudrvMemFree(world->deviceSrc);
    (void)cudrvStreamDestroy(world->stream);
}

/* ---- Lists ---- */

static uint64_t randomState = 88172645463325252ULL;

static size_t below(size_t limit)
{
    randomState ^= randomState << 13;
    randomState ^= randomState >> 7;
    randomState ^= randomState << 17;
    return (size_t)(randomState % limit);
}

static void shuffle(CUdeviceptr *addresses, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t other = below(i);
        const CUdeviceptr kept = addresses[i - 1];
        addresses[i - 1] = addresses[other];
        addresses[other] = kept;
    }
}

static void *need(size_t count, size_t size)
{
    void *const memory = calloc(count, size);
    if (!memory)
        abort();
    return memory;
}

struct list listOf(enum direction direction, size_t count)
{
    return (struct list){.dsts = need(count, sizeof(CUdeviceptr)),
                         .srcs = need(count, sizeof(CUdeviceptr)),
                         .sizes = need(count, sizeof(size_t)),
                         .count = count,
                         .direction = direction};
}

void listFree(struct list *list)
{
    free(list->dsts);
    free(list->srcs);
    free(list->sizes);
}

size_t listBytes(const struct list *list)
{
    size_t bytes = 0;
    for (size_t i = 0; i < list->count; i++)
        bytes += list->sizes[i];
    return bytes;
}

static CUdeviceptr dstOf(const struct world *world, enum direction direction)
{
    return direction == DEVICE_TO_HOST ? world->hostDst : world->deviceDst;
}

static CUdeviceptr srcOf(const struct world *world, enum direction direction)
{
    return direction == HOST_TO_DEVICE ? world->hostSrc : world->deviceSrc;
}

/* Entry i is at base + i * stride. */
static struct list strided(const struct world *world, enum direction direction, size_t count, size_t size,
                           size_t stride)
{
    struct list list = listOf(direction, count);
    for (size_t i = 0; i < count; i++) {
        list.dsts[i] = dstOf(world, direction) + i * stride;
        list.srcs[i] = srcOf(world, direction) + i * stride;
        list.sizes[i] = size;
    }
    return list;
}

struct list listContiguous(const struct world *world, enum direction direction, size_t count, size_t size)
{
    return strided(world, direction, count, size, size);
}

struct list listBlocks(const struct world *world, enum direction direction, size_t count, size_t size)
{
    struct list list = strided(world, direction, count, size, size);
    shuffle(list.dsts, count);
    shuffle(list.srcs, count);
    return list;
}

struct list listSpread(const struct world *world, enum direction direction, size_t count, size_t size)
{
    struct list list = strided(world, direction, count, size, world->bytes / count / size * size);
    shuffle(list.dsts, count);
    shuffle(list.srcs, count);
    return list;
}

struct list listMixed(const struct world *world, enum direction direction, size_t count, size_t largest)
{
    const size_t stride = largest + 32;
    struct list list = strided(world, direction, count, 0, stride);
    shuffle(list.dsts, count);
    shuffle(list.srcs, count);
    for (size_t i = 0; i < count; i++) {
        list.dsts[i] += below(16);
        list.srcs[i] += below(16);
        list.sizes[i] = below(largest + 1);
    }
    return list;
}

struct list listOdd(const struct world *world, enum direction direction, size_t count, size_t size)
{
    struct list list = strided(world, direction, count, size, size + 16);
    shuffle(list.dsts, count);
    shuffle(list.srcs, count);
    for (size_t i = 0; i < count; i++) {
        list.dsts[i] += 1;
        list.srcs[i] += 6;
    }
    return list;
}

struct list listLayers(const struct world *world, size_t perLayer, size_t size, int blockByBlock, int within)
{
    struct list list = listOf(DEVICE_TO_DEVICE, layers * perLayer);
    const size_t half = LAYER_BYTES / 2 / size * size;
    for (size_t i = 0; i < list.count; i++) {
        const size_t layer = blockByBlock ? i % layers : i / perLayer;
        const size_t block = blockByBlock ? i / layers : i % perLayer;
        list.srcs[i] = world->layerSrcs[layer] + block * 7 % (half / size) * size;
        list.dsts[i] =
            (within ? world->layerSrcs[layer] + half : world->layerDsts[layer]) + block * 5 % (half / size) * size;
        list.sizes[i] = size;
    }
    return list;
}

/* ---- Checking ---- */

/* Where the last entry of the list ends. */
static size_t extent(const struct list *list, CUdeviceptr base)
{
    size_t end = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->dsts[i] - base + list->sizes[i] > end)
            end = (size_t)(list->dsts[i] - base) + list->sizes[i];
    return end;
}

static int isLayered(const struct world *world, const struct list *list)
{
    const CUdeviceptr base = dstOf(world, list->direction);
    return list->dsts[0] - base >= world->bytes;
}

void listClear(const struct world *world, const struct list *list)
{
    const CUdeviceptr base = dstOf(world, list->direction);
    if (isLayered(world, list)) {
        for (size_t i = 0; i < list->count; i++)
            (void)cudrvMemsetD8(list->dsts[i], POISON, list->sizes[i]);
    } else if (list->direction == DEVICE_TO_HOST) {
        memset((void *)(uintptr_t)base, POISON, extent(list, base));
    } else {
        (void)cudrvMemsetD8(base, POISON, extent(list, base));
    }
    (void)cudrvCtxSynchronize();
}

/* What the source holds there, by its offset in its allocation. */
static const unsigned char *expected(const struct world *world, const struct list *list, size_t i)
{
    CUdeviceptr base = srcOf(world, list->direction);
    for (int layer = 0; isLayered(world, list) && layer < layers; layer++)
        if (list->srcs[i] - world->layerSrcs[layer] < LAYER_BYTES)
            base = world->layerSrcs[layer];
    return (const unsigned char *)(uintptr_t)world->hostSrc + (list->srcs[i] - base);
}

/* Of very large lists, the entries that make up the first bytes. */
int listArrived(const struct world *world, const struct list *list)
{
    const CUdeviceptr base = dstOf(world, list->direction);
    const size_t whole = isLayered(world, list) ? 0 : extent(list, base);
    const int inOne = whole != 0 && whole <= CHECKED;
    const size_t room = inOne ? whole : (size_t)CHECKED;
    unsigned char *const got = need(room, 1);
    size_t covered = 0;
    int ok = 1;
    if (inOne)
        ok = cudrvMemcpy((CUdeviceptr)(uintptr_t)got, base, whole) == CUDA_SUCCESS;
    for (size_t i = 0; i < list->count && ok && covered < CHECKED; i++) {
        const size_t size = list->sizes[i];
        unsigned char *const bytes = inOne ? got + (list->dsts[i] - base) : got;
        if (!inOne)
            ok = cudrvMemcpy((CUdeviceptr)(uintptr_t)got, list->dsts[i], size) == CUDA_SUCCESS;
        ok = ok && !memcmp(bytes, expected(world, list, i), size);
        memset(bytes, POISON, size);
        covered += size;
    }
    for (size_t i = 0; i < whole && ok && inOne; i++)
        ok = got[i] == POISON;
    free(got);
    return ok;
}
