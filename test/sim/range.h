/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses: every piece of memory that the driver knows, and the window in which device memory lies.
 *
 * A device address cannot be dereferenced by the program: the window is reserved and never accessible. The bytes are in
 * a second reservation of the same size, the shadow, at a constant distance.
 */
#ifndef CUSIM_RANGE_H
#define CUSIM_RANGE_H

#include "context.h"

struct Pool;
struct Physical;

typedef enum RangeKind {
    RANGE_DEVICE,     /* cuMemAlloc */
    RANGE_POOL,       /* cuMemAllocAsync */
    RANGE_GRAPH,      /* cuMemAllocAsync under capture: copies and kernels know it, queries do not (measured) */
    RANGE_MAPPED,     /* cuMemMap */
    RANGE_MANAGED,    /* cuMemAllocManaged */
    RANGE_PINNED,     /* cuMemHostAlloc */
    RANGE_REGISTERED, /* cuMemHostRegister */
} RangeKind;

typedef struct Range {
    uintptr_t base;
    size_t size;
    RangeKind kind;
    int device;
    Context *context; /* where it was made; NULL for pool and mapped memory */
    unsigned flags;   /* as given to the call that made it */
    unsigned long long id;
    struct Pool *pool;          /* of RANGE_POOL */
    struct Physical *physical;  /* of RANGE_MAPPED */
    unsigned readable, written; /* of RANGE_MAPPED: a bit for each device that may read, may write */
} Range;

/* The range that holds the address, or NULL. */
Range *rangeFind(uintptr_t address);
/* The ranges are kept in order of address. */
Range *rangeAfter(const Range *range);
/* The first range that ends behind `address`, or NULL. */
Range *rangeFrom(uintptr_t address);
/* Whether [base, base + size) touches a range. */
bool rangeOverlaps(uintptr_t base, size_t size);

/* Makes a copy of `model` known, with an id of its own. */
Range *rangeAdd(const Range *model);
void rangeRemove(Range *range);

void rangeEach(void (*visit)(Range *range, void *data), void *data);

/* The window. */
bool windowHolds(uintptr_t address);
/* Free addresses for `size` bytes, not used for a long time; 0 if there are none. Nothing is behind them yet. */
uintptr_t windowReserve(size_t size, size_t alignment);
void windowUnreserve(uintptr_t base);
/* Puts fresh zeroed memory, or bytes of a file, behind reserved addresses; false if there is no memory. */
bool windowCommit(uintptr_t base, size_t size);
bool windowMapFile(uintptr_t base, size_t size, int file);
void windowDecommit(uintptr_t base, size_t size);

/* Where the bytes of an address are: the shadow for the window, the address itself elsewhere. */
void *rangeBytes(uintptr_t address);

void rangeReset(void);

#endif
