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
    if (size > cucopyLargestForKernel(batch, direction) || !cucopyBatchScan(batch, &found))
        return 0;
    survey->copies[direction] = batch->count - found.continued;
    survey->bytes[direction] = batch->count * size;
    survey->continued = found.continued;
    survey->uniform = 1;
    survey->size = size;
    survey->dst = (struct cucopySpan){found.dstStart, found.dstBits, found.dstBits};
    survey->src = (struct cucopySpan){found.srcStart, found.srcBits, found.srcBits};
    return 1;
}

/* ---- Entry by entry ---- */

/* A side of the entries so far. */
struct side {
    CUdeviceptr first, low, high, bits;
};

static inline void widen(struct side *side, CUdeviceptr address)
{
    side->low = address < side->low ? address : side->low;
    side->high = address > side->high ? address : side->high;
    side->bits |= address - side->first;
}

static struct cucopySpan spanOf(const struct side *side)
{
    return (struct cucopySpan){side->low, side->bits, side->high - side->low};
}

struct entries {
    struct side dst, src;
    size_t size;      /* of the first that is not empty */
    size_t otherSize; /* bits in which sizes differ from it */
};

/* Neighbours between the same two ranges and with the same attributes. */
struct stretch {
    const struct cucopyRange *dst, *src;
    size_t begin, end;
    size_t largest; /* that a kernel can do or is wanted to, 0 if none */
    enum cucopyDirection direction;
};

/* Returns the first entry behind the stretch: one that is empty or lies elsewhere, or stretch->end. */
static size_t walk(const struct cucopyBatch *batch, const struct stretch *stretch, struct entries *all,
                   struct cucopySurvey *survey)
{
    const struct cucopyRange dstRange = *stretch->dst;
    const struct cucopyRange srcRange = *stretch->src;
    const int isKnown = dstRange.memory != CUCOPY_MEMORY_UNKNOWN && srcRange.memory != CUCOPY_MEMORY_UNKNOWN;
    struct entries seen = *all;
    CUdeviceptr dstEnd = 0;
    CUdeviceptr srcEnd = 0;
    size_t continued = 0;
    size_t bytes = 0;
    size_t tooLarge = 0;
    size_t i = stretch->begin;
    do {
        const CUdeviceptr dst = batch->dsts[i];
        const CUdeviceptr src = batch->srcs[i];
        const size_t size = batch->sizes[i];
        if (size > stretch->largest) {
            if (survey->others + tooLarge++ == 0)
                survey->firstOther = i;
        } else {
            bytes += size;
        }
        continued += dst == dstEnd && src == srcEnd && isKnown;
        seen.otherSize |= size ^ seen.size;
        widen(&seen.dst, dst);
        widen(&seen.src, src);
        dstEnd = dst + size;
        srcEnd = src + size;
        i++;
    } while (i < stretch->end && batch->sizes[i] != 0 && cucopyRangeHolds(&dstRange, batch->dsts[i], batch->sizes[i]) &&
             cucopyRangeHolds(&srcRange, batch->srcs[i], batch->sizes[i]));
    *all = seen;
    survey->bytes[stretch->direction] += bytes;
    survey->copies[stretch->direction] += stretch->largest ? i - stretch->begin - continued - tooLarge : 0;
    survey->continued += continued;
    survey->others += tooLarge;
    survey->moved |= (dstRange.moved | srcRange.moved) != 0;
    return i;
}

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
    if (src->memory != CUCOPY_MEMORY_UNKNOWN)
        batch->waitsForCopy = 1;
    return CUDA_SUCCESS;
}

/* Of an entry that is not empty. */
static CUresult locate(struct cucopyBatch *batch, struct cucopyRanges *ranges, size_t i, struct stretch *stretch)
{
    const CUdeviceptr dst = batch->dsts[i];
    const CUdeviceptr src = batch->srcs[i];
    stretch->begin = i;
    stretch->dst = dst ? cucopyRangeOf(ranges, CUCOPY_DST, dst, batch->sizes[i]) : NULL;
    stretch->src = src ? cucopyRangeOf(ranges, CUCOPY_SRC, src, batch->sizes[i]) : NULL;
    if (stretch->dst && stretch->src)
        return CUDA_SUCCESS;
    batch->reason = !dst ? "the destination is NULL" : !src ? "the source is NULL" : NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cucopyBatchSurvey(struct cucopyBatch *batch, struct cucopyRanges *ranges, struct cucopySurvey *survey)
{
    *survey = (struct cucopySurvey){.firstOther = CUCOPY_NO_ENTRY};
    if (scan(batch, ranges, survey))
        return CUDA_SUCCESS;

    struct cucopyAttributes attributes = cucopyAttributesOf(batch);
    struct entries all = {.dst = {.low = ~(CUdeviceptr)0}, .src = {.low = ~(CUdeviceptr)0}, .size = 0};
    size_t largest[CUCOPY_DIRECTIONS];
    for (int i = 0; i < CUCOPY_DIRECTIONS; i++)
        largest[i] = cucopyLargestForKernel(batch, (enum cucopyDirection)i);
    for (size_t i = 0; i < batch->count;) {
        if (batch->sizes[i] == 0) {
            survey->empty++;
            i++;
            continue;
        }
        struct stretch stretch;
        const CUmemcpyAttributes *const its = cucopyAttributesAt(&attributes, i);
        batch->entry = i;
        CUresult result = locate(batch, ranges, i, &stretch);
        if (result == CUDA_SUCCESS)
            result = checkOrder(batch, survey, stretch.src, (int)its->srcAccessOrder);
        if (result != CUDA_SUCCESS)
            return result;
        stretch.end = attributes.end;
        stretch.direction = cucopyDirectionOf(stretch.dst, stretch.src);
        stretch.largest =
            cucopyKernelReaches(stretch.dst, stretch.src) && !(its->flags & CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE)
                ? largest[stretch.direction]
                : 0;
        if (!all.size) {
            all.size = batch->sizes[i];
            all.dst.first = batch->dsts[i];
            all.src.first = batch->srcs[i];
        }
        i = walk(batch, &stretch, &all, survey);
    }
    batch->entry = CUCOPY_NO_ENTRY;
    survey->size = all.size;
    survey->uniform = !all.otherSize && !survey->empty && all.size <= UINT32_MAX;
    survey->dst = spanOf(&all.dst);
    survey->src = spanOf(&all.src);
    return CUDA_SUCCESS;
}
