/* SPDX-License-Identifier: Apache-2.0 */
/* Memory pools. */
#ifndef CUSIM_POOL_H
#define CUSIM_POOL_H

#include "driver.h"
#include "object.h"

typedef struct Pool {
    Object object;
    int device;
    bool isDefault;
    unsigned readable, written; /* a bit for each other device that may read, may write */
    unsigned long long threshold;
    int reuse[3];
    size_t used, usedHigh;
    size_t pending; /* allocations not yet freed */
    bool dismissed; /* destroyed while allocations live on */
} Pool;

/* The live pool behind a handle, or NULL. */
Pool *poolFind(CUmemoryPool handle);
/* The device's own pool, and the one that cuMemAllocAsync takes. */
Pool *poolDefault(int device);
Pool *poolCurrent(int device);

/* An allocation of that many bytes is gone. */
void poolRelease(Pool *pool, size_t bytes);

/* Whether the device may touch memory of the pool. */
bool poolAllows(const Pool *pool, int device, bool write);

#endif
