/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a batch consists of. Every entry is looked at before anything is enqueued, so that a batch with a mistake in it
 * copies nothing; the driver's own call may have copied some entries by the time it refuses.
 */
#include "copy/batch_survey.h"

#include "copy/batch_plan.h"

/* ---- The usual case: one size, one allocation on each side ---- */

enum { SCAN_FROM = 16 }; /* entries; below, entry by entry is as good */

static int scan(const struct cucopyBatch *batch, struct cucopyRanges *ranges, struct cucopySurvey *survey)
{
    const size_t size = batch->sizes[0];
    if (batch->count < SCAN_FROM || batch->numAttrs > 1 || batch->overlaps || size == 0 || size > UINT32_MAX ||
        (batch->orders & CUCOPY_ORDER_BIT(CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL)))
        return 0;
    const struct cucopyRange *const dst = cucopyRangeOf(ranges, CUCOPY_DST, batch->dsts[0], size);
    const struct cucopyRange *const src = dst ? cucopyRangeOf(ranges, CUCOPY_SRC, batch->srcs[0], size) : NULL;
    if (!src || !cucopyKernelReaches(dst, src) || dst->moved || src->moved)
        return 0;
    const enum cucopyDirection direction = cucopyDirectionOf(dst, src);
    struct cucopyScan found = {.size = size,
                               .dstStart = dst->start,
                               .dstRoom = dst->size - size,
                               .srcStart = src->start,
                               .srcRoom = src->size - size};
    if (size > cucopyLargestForKernel(batch->path)[direction] || !cucopyBatchScan(batch, &found))
        return 0;
    survey->copies[direction] = batch->count - found.continued;
    survey->bytes[direction] = batch->count * size;
    survey->continued = found.continued;
    survey->uniform = 1;
    survey->size = size;
    survey->sizes = size;
    survey->dst = (struct cucopySpan){found.dstStart, found.dstBits, found.dstBits};
    survey->src = (struct cucopySpan){found.srcStart, found.srcBits, found.srcBits};
    return 1;
}

/* ---- Entry by entry ---- */

/* Host memory that is to be read during a call must not be read when a graph is launched. */
static CUresult checkOrder(struct cucopyBatch *batch, struct cucopySurvey *survey, const struct cucopyRange *src,
                           int order)
{
    if (src->memory == CUCOPY_MEMORY_UNKNOWN && order == CU_MEMCPY_SRC_ACCESS_ORDER_STREAM)
        survey->readsInOrder = 1;
    if (order != CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL)
        return CUDA_SUCCESS;
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
    batch->entry = i;
    if (!to || !from) {
        batch->reason = !dst ? "the destination is NULL" : !src ? "the source is NULL" : NULL;
        return CUDA_ERROR_INVALID_VALUE;
    }
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
    return checkOrder(batch, survey, from, (int)its->srcAccessOrder);
}

/* A side of the entries so far, by whole ranges. */
struct side {
    CUdeviceptr low, high;
    CUdeviceptr bits; /* of every offset from the first range, whose beginning is 0 until there is one */
    CUdeviceptr first;
};

static inline void widen(struct side *side, const struct cucopyRange *range)
{
    side->first = side->first ? side->first : range->start;
    side->bits |= range->start - side->first;
    side->low = range->start < side->low ? range->start : side->low;
    side->high = range->start + range->size > side->high ? range->start + range->size : side->high;
}

static struct cucopySpan spanOf(const struct side *side)
{
    return (struct cucopySpan){side->low, side->bits, side->high - side->low};
}

CUresult cucopyBatchSurvey(struct cucopyBatch *batch, struct cucopyRanges *ranges, struct cucopySurvey *survey)
{
    *survey = (struct cucopySurvey){.firstOther = CUCOPY_NO_ENTRY};
    if (scan(batch, ranges, survey))
        return CUDA_SUCCESS;

    static const struct cucopyRange nowhere = {.size = 0};
    struct cucopyAttributes attributes = cucopyAttributesOf(batch);
    struct stretch stretch = {.dst = &nowhere, .src = &nowhere};
    struct side dsts = {.low = ~(CUdeviceptr)0};
    struct side srcs = {.low = ~(CUdeviceptr)0};
    CUdeviceptr dstEnd = 0;
    CUdeviceptr srcEnd = 0;
    size_t allBits = 0;
    size_t commonBits = ~(size_t)0;
    const size_t *const largest = cucopyLargestForKernel(batch->path);
    for (size_t i = 0; i < batch->count; i++) {
        const CUdeviceptr dst = batch->dsts[i];
        const CUdeviceptr src = batch->srcs[i];
        const size_t size = batch->sizes[i];
        if (size == 0) {
            survey->empty++;
            continue;
        }
        if (i >= stretch.end || !cucopyRangeHolds(stretch.dst, dst, size) ||
            !cucopyRangeHolds(stretch.src, src, size)) {
            const CUresult result = locate(batch, ranges, &attributes, i, largest, survey, &stretch);
            if (result != CUDA_SUCCESS)
                return result;
            widen(&dsts, stretch.dst);
            widen(&srcs, stretch.src);
            dstEnd = 0; /* whatever this continues, it is in another range or has other attributes */
        }
        const size_t continues = dst == dstEnd && src == srcEnd && stretch.isKnown;
        survey->continued += continues;
        if (size <= stretch.largest) {
            survey->copies[stretch.direction] += !continues;
            survey->bytes[stretch.direction] += size;
        } else if (survey->others++ == 0) {
            survey->firstOther = i;
        }
        dsts.bits |= dst - stretch.dst->start;
        srcs.bits |= src - stretch.src->start;
        allBits |= size;
        commonBits &= size;
        dstEnd = dst + size;
        srcEnd = src + size;
    }
    batch->entry = CUCOPY_NO_ENTRY;
    survey->size = allBits;
    survey->sizes = allBits;
    survey->uniform = allBits == commonBits && !survey->empty && allBits <= UINT32_MAX;
    survey->dst = spanOf(&dsts);
    survey->src = spanOf(&srcs);
    return CUDA_SUCCESS;
}
