/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the benchmark between two devices copies: memory of both, lists of copies from one to another, and whether their
 * bytes arrived.
 */
#ifndef CUCOPY_BENCH_DEVICES_WORLD_H
#define CUCOPY_BENCH_DEVICES_WORLD_H

#include <cucopy/copy.h>
#include <stddef.h>

/* Of device 0 and device 1. Primary contexts, non-blocking streams. */
struct devices {
    CUcontext contexts[2];
    CUstream streams[2];
    size_t bytes;                 /* of each of the next */
    CUdeviceptr dsts[2], srcs[2]; /* cuMemAlloc */
    CUdeviceptr pools[2];         /* cuMemAllocAsync: nobody else was given access */
    CUdeviceptr pinned;
    unsigned char *got; /* for the check */
    char names[2][128];
    int driverVersion;
    int canAccess; /* each the other's memory */
};

/* 1; or 0, and a sentence on stderr, if something fails; or -1, and a sentence, if there are fewer than two devices. */
int devicesSetUp(struct devices *devices, size_t bytes);
void devicesTearDown(struct devices *devices);

/* 0, and a sentence on stderr, if that fails. */
int devicesEnablePeers(const struct devices *devices);

/* Copies of one size, first to last on one side and last to first on the other, so that none continues another. */
enum { MOST_COPIES = 64 };
struct crossing {
    CUdeviceptr dsts[MOST_COPIES], srcs[MOST_COPIES];
    size_t sizes[MOST_COPIES];
    size_t count;
    int home; /* the device in whose context the destination can be read */
};

struct crossing crossingOf(CUdeviceptr dst, int home, CUdeviceptr src, size_t count, size_t size);

/* Whether every byte arrived; clear comes before the copies. Both leave the context stack as it was. */
int crossingClear(const struct devices *devices, const struct crossing *crossing);
int crossingArrived(const struct devices *devices, const struct crossing *crossing);

#endif
