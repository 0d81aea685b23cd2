/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What memory an address is in: each allocation is asked about once in a call and kept, on the caller's stack. Private
 * to the batches.
 *
 * The range of an address is what a copy may cover: the allocation, the host registration, or neighbouring mappings of
 * virtual memory. Memory that CUDA does not know has no range that could be asked for, and is asked about each time.
 */
#ifndef CUCOPY_COPY_BATCH_RANGES_H
#define CUCOPY_COPY_BATCH_RANGES_H

#include "types.h"

#include <cucopy/drv.h>
#include <stdint.h>

/*
 * Of what a small batch does without: a large frame, or code that is seldom run. What it takes such a batch to be
 * enqueued is mostly getting its code and its stack into the processor's caches.
 */
#if defined(__GNUC__)
#define CUCOPY_APART __attribute__((noinline))
#else
#define CUCOPY_APART
#endif

enum cucopyMemory {
    CUCOPY_MEMORY_UNKNOWN, /* pageable, wild, or allocated under capture: the driver's copies alone can tell */
    CUCOPY_MEMORY_HOST,    /* pinned or registered */
    CUCOPY_MEMORY_DEVICE,
    CUCOPY_MEMORY_MANAGED
};

/* What a kernel on the stream's device may do there. */
enum { CUCOPY_KERNEL_READS = 1, CUCOPY_KERNEL_WRITES = 2 };

struct cucopyRange {
    CUdeviceptr start;
    size_t size;
    CUdeviceptr moved; /* what to add to an address for the kernel, 0 nearly always */
    uint8_t memory;
    uint8_t access;
    uint8_t mapping; /* virtual memory: another mapping may follow */
    uint8_t unsized; /* the driver does not say where it ends */
    uint8_t foreign; /* another device's, and the stream's has no access */
    uint8_t unasked; /* the driver did not answer, so that it may be memory of any kind */
};

/* Few entries lie in few ranges, which are looked through one by one. */
enum { CUCOPY_FEW_ENTRIES = 8, CUCOPY_FEW_RANGES = 2 * CUCOPY_FEW_ENTRIES + 1 };

/* Of more, this many are remembered, sorted by address; the one of an address is guessed at before it is searched for.
 */
enum { CUCOPY_RANGES = 512, CUCOPY_GUESS_BITS = 10, CUCOPY_GUESS_FROM = 4 };

enum cucopySideOfCopy { CUCOPY_DST, CUCOPY_SRC };

/* Ranges by address. */
struct cucopyOrder {
    unsigned count;
    CUdeviceptr starts[CUCOPY_RANGES];
    uint16_t ranges[CUCOPY_RANGES];
};

/*
 * 31 KB. A range is in the order of the side that met it first: sources often lie one behind the other, and so do
 * destinations, but not the two together.
 */
struct cucopyManyRanges {
    struct cucopyRange range[CUCOPY_RANGES + 1];
    struct cucopyOrder order[2];
    uint16_t guess[1 << CUCOPY_GUESS_BITS]; /* where an address was lately, by its 2 MiB */
};

struct cucopyRanges {
    struct cucopyRange *range;     /* the first is empty: where nothing is */
    struct cucopyManyRanges *many; /* what range is in; NULL for few */
    CUcontext context;             /* the stream's, NULL if nobody has asked */
    CUdevice device;               /* the stream's; -1 until somebody asks */
    int managed;     /* whether kernels there may touch managed memory at any time; -1 until somebody asks */
    unsigned count;  /* of many */
    unsigned plain;  /* how many of the latest answers in a row were plain device memory of this context */
    unsigned next;   /* where the next is written to */
    unsigned victim; /* what was dropped last, since all were taken */
    uint16_t at[2];  /* the last range of each side */
};

/* For at most CUCOPY_FEW_ENTRIES, with room for CUCOPY_FEW_RANGES and one more. */
static inline struct cucopyRanges cucopyRangesOfFew(struct cucopyRange *range, CUcontext context)
{
    range[0] = (struct cucopyRange){.size = 0};
    return (struct cucopyRanges){.range = range, .context = context, .device = -1, .managed = -1, .next = 1};
}

static inline struct cucopyRanges cucopyRangesOfMany(struct cucopyManyRanges *many, CUcontext context)
{
    struct cucopyRanges ranges = cucopyRangesOfFew(many->range, context);
    many->order[CUCOPY_DST].count = 0;
    many->order[CUCOPY_SRC].count = 0;
    ranges.many = many;
    return ranges;
}

const struct cucopyRange *cucopyRangeFind(struct cucopyRanges *ranges, enum cucopySideOfCopy side, CUdeviceptr address,
                                          size_t size);

/* Large allocations begin at multiples of 2 MiB. The multiplication spreads what lies in even distances. */
static inline uint16_t *cucopyGuessFor(struct cucopyManyRanges *many, CUdeviceptr address)
{
    return &many->guess[(address >> 21) * 0x9e3779b97f4a7c15ULL >> (64 - CUCOPY_GUESS_BITS)];
}

static inline int cucopyRangeHolds(const struct cucopyRange *range, CUdeviceptr address, size_t size)
{
    const size_t offset = (size_t)(address - range->start);
    return offset < range->size && size <= range->size - offset;
}

/*
 * The range that address and size lie in; NULL if it ends before they do, or if nothing is mapped there. Valid until
 * the next but one call for the same side.
 */
static inline const struct cucopyRange *cucopyRangeOf(struct cucopyRanges *ranges, enum cucopySideOfCopy side,
                                                      CUdeviceptr address, size_t size)
{
    const struct cucopyRange *range = &ranges->range[ranges->at[side]];
    if (cucopyRangeHolds(range, address, size))
        return range;
    if (ranges->many && ranges->count >= CUCOPY_GUESS_FROM) {
        const uint16_t guess = *cucopyGuessFor(ranges->many, address);
        range = &ranges->range[guess];
        if (cucopyRangeHolds(range, address, size)) {
            ranges->at[side] = guess;
            return range;
        }
    }
    return cucopyRangeFind(ranges, side, address, size);
}

#endif
