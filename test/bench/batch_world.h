/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the batch benchmark copies: memory, and lists of copies in it.
 */
#ifndef CUCOPY_BENCH_BATCH_WORLD_H
#define CUCOPY_BENCH_BATCH_WORLD_H

#include <cucopy/copy.h>
#include <stddef.h>

enum direction { DEVICE_TO_DEVICE, HOST_TO_DEVICE, DEVICE_TO_HOST };
extern const char *const directionNames[];

enum { layers = 160 };

struct world {
    CUcontext context;
    CUstream stream;
    size_t bytes; /* of each of the next four */
    CUdeviceptr deviceDst, deviceSrc;
    CUdeviceptr hostDst, hostSrc; /* pinned */
    CUdeviceptr layerDsts[layers], layerSrcs[layers];
    char device[128];
    int driverVersion;
};

/* 0, and a word of why on stderr, if there is no device or too little memory. */
int worldSetUp(struct world *world, size_t bytes);
void worldTearDown(struct world *world);

/* A list of copies. */
struct list {
    CUdeviceptr *dsts, *srcs;
    size_t *sizes;
    size_t count;
    enum direction direction;
};

struct list listOf(enum direction direction, size_t count);
void listFree(struct list *list);
size_t listBytes(const struct list *list);

/* Blocks of one size in two large allocations, each side in a random order of its own. */
struct list listBlocks(const struct world *world, enum direction direction, size_t count, size_t size);
/* The same, spread over all of the memory. */
struct list listSpread(const struct world *world, enum direction direction, size_t count, size_t size);
/* One after the other on both sides. */
struct list listContiguous(const struct world *world, enum direction direction, size_t count, size_t size);
/* Sizes from 0 to `largest`, each block at addresses of any alignment. */
struct list listMixed(const struct world *world, enum direction direction, size_t count, size_t largest);
/* Blocks of one size at odd addresses that differ in their alignment. */
struct list listOdd(const struct world *world, enum direction direction, size_t count, size_t size);
/* Blocks of every layer's allocations, layer by layer or block by block; from one allocation to another or within it.
 */
struct list listLayers(const struct world *world, size_t perLayer, size_t size, int blockByBlock, int within);

/* Whether every byte arrived and, between the blocks, none was changed. clear comes before the copies. */
void listClear(const struct world *world, const struct list *list);
int listArrived(const struct world *world, const struct list *list);

#endif
