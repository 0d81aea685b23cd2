/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a batch consists of, learned before anything is enqueued: whether every range is valid, which entries a kernel
 * could do, how many bytes go in which direction. Private to the batches.
 */
#ifndef CUCOPY_COPY_BATCH_SURVEY_H
#define CUCOPY_COPY_BATCH_SURVEY_H

#include "copy/batch.h"
#include "copy/batch_ranges.h"

/* Bits: 1 the source is host memory, 2 the destination is. */
enum cucopyDirection {
    CUCOPY_DEVICE_TO_DEVICE,
    CUCOPY_HOST_TO_DEVICE,
    CUCOPY_DEVICE_TO_HOST,
    CUCOPY_HOST_TO_HOST,
    CUCOPY_DIRECTIONS
};

/* A side of all entries, as offsets from one address. */
struct cucopySpan {
    CUdeviceptr base;
    CUdeviceptr bits;    /* whose low zeros all offsets have */
    CUdeviceptr highest; /* no offset has a higher bit than this */
};

struct cucopySurvey {
    size_t copies[CUCOPY_DIRECTIONS]; /* that a kernel could do; neighbours that continue each other count as one */
    size_t bytes[CUCOPY_DIRECTIONS];  /* of those */
    size_t others;                    /* entries for the engine alone */
    size_t firstOther;
    size_t continued; /* entries that continue the one before, inside the same allocations */
    size_t empty;
    int moved;        /* the kernel has another address for some of the memory */
    int unknown;      /* CUDA does not know some of the memory */
    int readsInOrder; /* some of that is to be read in stream order */

    /* Of all entries, for the kernel. */
    size_t size; /* if all have the same */
    int uniform;
    size_t sizes; /* all of them, bit by bit */
    struct cucopySpan dst;
    struct cucopySpan src;
};

/*
 * CUDA_ERROR_INVALID_VALUE for a null pointer or a range past its allocation,
 * CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED for host memory to be read during a captured call; batch->entry says which.
 */
CUresult cucopyBatchSurvey(struct cucopyBatch *batch, struct cucopyRanges *ranges, struct cucopySurvey *survey);

static inline enum cucopyDirection cucopyDirectionOf(const struct cucopyRange *dst, const struct cucopyRange *src)
{
    return (enum cucopyDirection)((src->memory == CUCOPY_MEMORY_HOST) | (dst->memory == CUCOPY_MEMORY_HOST) << 1);
}

/* Whether a kernel can do an entry, however large. */
static inline int cucopyKernelReaches(const struct cucopyRange *dst, const struct cucopyRange *src)
{
    return (dst->access & CUCOPY_KERNEL_WRITES) && (src->access & CUCOPY_KERNEL_READS);
}

/* Whether the link to the host is what limits the kernel. */
static inline int cucopyTouchesHost(const struct cucopySurvey *survey)
{
    return (survey->bytes[CUCOPY_HOST_TO_DEVICE] | survey->bytes[CUCOPY_DEVICE_TO_HOST] |
            survey->bytes[CUCOPY_HOST_TO_HOST]) != 0;
}

/* ---- batch_scan.c: the usual case, many at a time ---- */

enum { CUCOPY_SCANNED = 8 }; /* at a time */

/* Entries of one size inside one range on each side. */
struct cucopyScan {
    size_t size;
    CUdeviceptr dstStart, dstRoom; /* the range, and the last offset at which size bytes fit */
    CUdeviceptr srcStart, srcRoom;
    CUdeviceptr dstBits, srcBits; /* found, from 0 on: all offsets, bit by bit */
    size_t continued;             /* found, from 0 on: how many entries continue the one before */
};

/*
 * How many entries there are from begin on, which is not the first of all, that have that size and lie inside; a
 * multiple of CUCOPY_SCANNED, up to what precedes the first that is different.
 */
size_t cucopyBatchScan(const struct cucopyBatch *batch, size_t begin, size_t end, struct cucopyScan *scan);

#endif
