/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The usual small batch: a few copies between the same two ranges. What it costs is mostly the code and the stack that
 * it touches, so what the parts of a batch do in general is done here at once, for what is simple about it.
 */
#include "copy/batch_few.h"

#include "copy/batch_engine.h"
#include "copy/batch_kernel.h"
#include "copy/batch_plan.h"

/* 0 unless all are in those ranges, and none is empty or continues the one before. */
static inline size_t bytesOf(const struct cucopyBatch *batch, const struct cucopyRange *to,
                             const struct cucopyRange *from, size_t *largest)
{
    size_t bytes = 0;
    CUdeviceptr dstEnd = 0;
    CUdeviceptr srcEnd = 0;
    *largest = 0;
    for (size_t i = 0; i < batch->count; i++) {
        const CUdeviceptr dst = batch->dsts[i];
        const CUdeviceptr src = batch->srcs[i];
        const size_t size = batch->sizes[i];
        if (size == 0 || (dst == dstEnd && src == srcEnd) || !cucopyRangeHolds(to, dst, size) ||
            !cucopyRangeHolds(from, src, size))
            return 0;
        bytes += size;
        *largest = size > *largest ? size : *largest;
        dstEnd = dst + size;
        srcEnd = src + size;
    }
    return bytes;
}

int cucopyBatchFew(struct cucopyBatch *batch, struct cucopyRanges *ranges, CUresult *result)
{
    const CUdeviceptr dst = batch->dsts[0];
    const CUdeviceptr src = batch->srcs[0];
    const size_t size = batch->sizes[0];
    if (batch->path == CUCOPY_BATCH_KERNEL || batch->numAttrs > 1 || batch->overlaps || !dst || !src || size == 0 ||
        (batch->orders & CUCOPY_ORDER_BIT(CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL)))
        return 0;
    const struct cucopyRange *const to = cucopyRangeOf(ranges, CUCOPY_DST, dst, size);
    const struct cucopyRange *const from = to ? cucopyRangeOf(ranges, CUCOPY_SRC, src, size) : NULL;
    size_t largest;
    if (!from || to->moved || from->moved || to->foreign || from->foreign)
        return 0;
    const size_t bytes = bytesOf(batch, to, from, &largest); /* memory that CUDA does not know holds nothing */
    const enum cucopyDirection direction = cucopyDirectionOf(to, from);
    if (bytes == 0)
        return 0;
    if (cucopyKernelReaches(to, from) && cucopyKernelIsFaster(direction, batch->count, bytes)) {
        if (largest > cucopyLargestForKernel(batch->path)[direction] || largest >= CUCOPY_CUT_FROM ||
            !cucopyKernelIsUsable(batch))
            return 0;
        *result = cucopyKernelCopyFew(batch, bytes, direction != CUCOPY_DEVICE_TO_DEVICE);
        return 1;
    }
    return cucopyEngineCopyAll(batch, result);
}
