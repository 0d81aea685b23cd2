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

enum { CUCOPY_RANGES = 512, CUCOPY_GUESS_BITS = 10 };

/* From this many ranges on, the one of an address is guessed at before it is searched for. */
enum { CUCOPY_MANY_RANGES = 4 };

enum cucopySideOfCopy { CUCOPY_DST, CUCOPY_SRC };

/* Ranges by address. */
struct cucopyOrder {
    unsigned count;
    CUdeviceptr starts[CUCOPY_RANGES];
    uint16_t ranges[CUCOPY_RANGES];
};

/*
 * 31 KB, of which a small batch touches little. A range is in the order of the side that met it first: sources often
 * lie one behind the other, and so do destinations, but not the two together.
 */
struct cucopyRanges {
    CUcontext context; /* the stream's, NULL if nobody has asked */
    CUdevice device;   /* the stream's; -1 until somebody asks */
    int managed;       /* whether kernels there may touch managed memory at any time; -1 until somebody asks */
    unsigned count;
    unsigned plain;  /* how many of the latest answers in a row were plain device memory of this context */
    unsigned next;   /* where the next is written to */
    unsigned victim; /* what was dropped last, since all were taken */
    uint16_t at[2];  /* the last range of each side */
    struct cucopyRange range[CUCOPY_RANGES + 1]; /* the first is empty: where nothing is */
    struct cucopyOrder order[2];
    uint16_t guess[1 << CUCOPY_GUESS_BITS]; /* where an address was lately, by its 2 MiB */
};

static inline void cucopyRangesInit(struct cucopyRanges *ranges, CUcontext context)
{
    ranges->context = context;
    ranges->device = -1;
    ranges->managed = -1;
    ranges->count = 0;
    ranges->plain = 0;
    ranges->next = 1;
    ranges->victim = 0;
    ranges->order[CUCOPY_DST].count = 0;
    ranges->order[CUCOPY_SRC].count = 0;
    ranges->at[CUCOPY_DST] = 0;
    ranges->at[CUCOPY_SRC] = 0;
    ranges->range[0] = (struct cucopyRange){.size = 0};
}

const struct cucopyRange *cucopyRangeFind(struct cucopyRanges *ranges, enum cucopySideOfCopy side, CUdeviceptr address,
                                          size_t size);

/* Large allocations begin at multiples of 2 MiB. The multiplication spreads what lies in even distances. */
static inline uint16_t *cucopyGuessFor(struct cucopyRanges *ranges, CUdeviceptr address)
{
    return &ranges->guess[(address >> 21) * 0x9e3779b97f4a7c15ULL >> (64 - CUCOPY_GUESS_BITS)];
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
    if (ranges->count >= CUCOPY_MANY_RANGES) {
        const uint16_t guess = *cucopyGuessFor(ranges, address);
        range = &ranges->range[guess];
        if (cucopyRangeHolds(range, address, size)) {
            ranges->at[side] = guess;
            return range;
        }
    }
    return cucopyRangeFind(ranges, side, address, size);
}

#endif
