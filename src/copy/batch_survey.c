/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a batch consists of. Every entry is looked at before anything is enqueued, so that a batch with a mistake in it
 * copies nothing; the driver's own call may have copied some entries by the time it refuses.
 */
#include "copy/batch_survey.h"

#include "copy/batch_engine.h"
#include "copy/batch_plan.h"

/* Host memory that is to be read during a call must not be read when a graph is launched. */
CUCOPY_APART static CUresult readDuringCall(struct cucopyBatch *batch, const struct cucopyRange *src)
{
    const CUresult asked = cucopyBatchAskCapture(batch);
    if (asked != CUDA_SUCCESS)
        return asked;
    if (batch->capturing) {
        if (src->memory == CUCOPY_MEMORY_DEVICE)
            return CUDA_SUCCESS;
        batch->reason = "the access order is DURING_API_CALL, and a graph reads its sources when it is launched";
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    if (src->memory != CUCOPY_MEMORY_UNKNOWN || src->unasked)
        batch->waitsForCopy = 1;
    return CUDA_SUCCESS;
}

/* What neighbours have in common that lie in the same two ranges and have the same attributes. */
struct stretch {
    const struct cucopyRange *dst;
    const struct cucopyRange *src;
    size_t end;     /* the first entry with other attributes */
    size_t largest; /* that a kernel can do and is wanted to; 0 if none */
    enum cucopyDirection direction;
    int isKnown;
};

CUCOPY_APART static CUresult refuse(struct cucopyBatch *batch, size_t i)
{
    batch->entry = i;
    batch->reason = !batch->dsts[i] ? "the destination is NULL" : !batch->srcs[i] ? "the source is NULL" : NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

/* Of entry i, which is not empty. */
static inline CUresult locate(struct cucopyBatch *batch, struct cucopyRanges *ranges,
                              struct cucopyAttributes *attributes, size_t i, const size_t *largest,
                              struct cucopySurvey *survey, struct stretch *stretch)
{
    const CUdeviceptr dst = batch->dsts[i];
    const CUdeviceptr src = batch->srcs[i];
    const size_t size = batch->sizes[i];
    const struct cucopyRange *const to = dst ? cucopyRangeOf(ranges, CUCOPY_DST, dst, size) : NULL;
    const struct cucopyRange *const from = src ? cucopyRangeOf(ranges, CUCOPY_SRC, src, size) : NULL;
    if (!to || !from)
        return refuse(batch, i);
    const CUmemcpyAttributes *const its = cucopyAttributesAt(attributes, i);
    const enum cucopyDirection direction = cucopyDirectionOf(to, from);
    const int byKernel = cucopyKernelReaches(to, from) && !(its->flags & CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE);
    *stretch =
        (struct stretch){.dst = to,
                         .src = from,
                         .end = attributes->end,
                         .largest = byKernel ? largest[direction] : 0,
                         .direction = direction,
                         .isKnown = to->memory != CUCOPY_MEMORY_UNKNOWN && from->memory != CUCOPY_MEMORY_UNKNOWN};
    survey->moved |= (to->moved | from->moved) != 0;
    survey->unknown |= !stretch->isKnown;
    if (batch->context == CUCOPY_CONTEXT_OWNER && (to->foreign || from->foreign))
        batch->byDriver = -1; /* which of its copies a refused batch has enqueued cannot be told */
    survey->readsInOrder |=
        from->memory == CUCOPY_MEMORY_UNKNOWN && (int)its->srcAccessOrder == CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    if ((int)its->srcAccessOrder != CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL)
        return CUDA_SUCCESS;
    batch->entry = i;
    return readDuringCall(batch, from);
}

/* A side of the entries so far. Offsets are from the beginnings of their ranges. */
struct side {
    CUdeviceptr first, low, high; /* beginnings; the first is 0 until there is one */
    CUdeviceptr between;          /* all beginnings, from the first, bit by bit */
    CUdeviceptr offsets;          /* all offsets, bit by bit */
};

static inline void widen(struct side *side, const struct cucopyRange *range)
{
    side->first = side->first ? side->first : range->start;
    side->between |= range->start - side->first;
    side->low = range->start < side->low ? range->start : side->low;
    side->high = range->start > side->high ? range->start : side->high;
}

static struct cucopySpan spanOf(const struct side *side)
{
    return (struct cucopySpan){side->low, side->between | side->offsets, side->high - side->low + side->offsets};
}

/* What is known of the entries so far. */
struct tally {
    struct cucopySurvey *survey;
    struct side dsts, srcs;
    size_t allBits, commonBits; /* of the sizes */
};

/* Entries from i on, of one size, of which so many continue the one before. */
static inline void count(struct tally *tally, const struct stretch *stretch, size_t i, size_t entries, size_t size,
                         size_t continued)
{
    struct cucopySurvey *const survey = tally->survey;
    survey->continued += continued;
    if (size <= stretch->largest) {
        survey->copies[stretch->direction] += entries - continued;
        survey->bytes[stretch->direction] += entries * size;
    } else {
        survey->firstOther = survey->others == 0 ? i : survey->firstOther;
        survey->others += entries;
    }
    tally->allBits |= size;
    tally->commonBits &= size;
}

/* Whether there may be CUCOPY_SCANNED behind entry i that are like it. */
static inline int isScanned(const struct cucopyBatch *batch, const struct stretch *stretch, size_t i)
{
    const size_t size = batch->sizes[i];
    const size_t last = i + CUCOPY_SCANNED;
    return stretch->isKnown && last < stretch->end && size <= INT64_MAX && batch->sizes[last] == size &&
           cucopyRangeHolds(stretch->dst, batch->dsts[last], size);
}

/* As many as there are behind entry i, of its size and in its ranges; the loops of cucopyBatchScan take them in bulk.
 */
CUCOPY_APART static size_t scan(const struct cucopyBatch *batch, const struct stretch *stretch, size_t i,
                                struct tally *tally)
{
    const size_t size = batch->sizes[i];
    struct cucopyScan found = {.size = size,
                               .dstStart = stretch->dst->start,
                               .dstRoom = stretch->dst->size - size,
                               .srcStart = stretch->src->start,
                               .srcRoom = stretch->src->size - size};
    const size_t entries = cucopyBatchScan(batch, i + 1, stretch->end, &found);
    count(tally, stretch, i + 1, entries, size, found.continued);
    tally->dsts.offsets |= found.dstBits;
    tally->srcs.offsets |= found.srcBits;
    return entries;
}

CUresult cucopyBatchSurvey(struct cucopyBatch *batch, struct cucopyRanges *ranges, struct cucopySurvey *survey)
{
    static const struct cucopyRange nowhere = {.size = 0};
    struct cucopyAttributes attributes = cucopyAttributesOf(batch);
    struct stretch stretch = {.dst = &nowhere, .src = &nowhere};
    struct tally tally = {
        .survey = survey, .dsts = {.low = ~(CUdeviceptr)0}, .srcs = {.low = ~(CUdeviceptr)0}, .commonBits = ~(size_t)0};
    CUdeviceptr dstEnd = 0;
    CUdeviceptr srcEnd = 0;
    const size_t *const largest = cucopyLargestForKernel(batch->path);
    *survey = (struct cucopySurvey){.firstOther = CUCOPY_NO_ENTRY};
    for (size_t i = 0; i < batch->count; i++) {
        CUdeviceptr dst = batch->dsts[i];
        CUdeviceptr src = batch->srcs[i];
        const size_t size = batch->sizes[i];
        int isNew = 0;
        if (size == 0) {
            survey->empty++;
            continue;
        }
        if (i >= stretch.end || !cucopyRangeHolds(stretch.dst, dst, size) ||
            !cucopyRangeHolds(stretch.src, src, size)) {
            const CUresult result = locate(batch, ranges, &attributes, i, largest, survey, &stretch);
            if (result != CUDA_SUCCESS)
                return result;
            widen(&tally.dsts, stretch.dst);
            widen(&tally.srcs, stretch.src);
            dstEnd = 0; /* whatever this continues, it is in another range or has other attributes */
            isNew = 1;
        }
        count(&tally, &stretch, i, 1, size, dst == dstEnd && src == srcEnd && stretch.isKnown);
        tally.dsts.offsets |= dst - stretch.dst->start;
        tally.srcs.offsets |= src - stretch.src->start;
        if (isNew && isScanned(batch, &stretch, i)) {
            i += scan(batch, &stretch, i, &tally);
            dst = batch->dsts[i];
            src = batch->srcs[i];
        }
        dstEnd = dst + size;
        srcEnd = src + size;
    }
    batch->entry = CUCOPY_NO_ENTRY;
    survey->size = tally.allBits;
    survey->sizes = tally.allBits;
    survey->uniform = tally.allBits == tally.commonBits && !survey->empty && tally.allBits <= UINT32_MAX;
    survey->dst = spanOf(&tally.dsts);
    survey->src = spanOf(&tally.srcs);
    return CUDA_SUCCESS;
}
