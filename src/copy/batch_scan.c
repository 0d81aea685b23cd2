/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops over the caller's arrays that decide what a large batch costs the host: no branches, no calls, so that
 * compilers turn them into vector code. Offsets are below 1 << 63, so the top bit of a difference is its sign.
 */
#include "copy/batch_pack.h"
#include "copy/batch_survey.h"

int cucopyBatchScan(const struct cucopyBatch *batch, struct cucopyScan *scan)
{
    const CUdeviceptr *const dsts = batch->dsts;
    const CUdeviceptr *const srcs = batch->srcs;
    const size_t *const sizes = batch->sizes;
    const size_t count = batch->count;
    const size_t size = scan->size;
    const CUdeviceptr dstStart = scan->dstStart;
    const CUdeviceptr srcStart = scan->srcStart;
    const CUdeviceptr dstRoom = scan->dstRoom;
    const CUdeviceptr srcRoom = scan->srcRoom;
    size_t otherSize = 0;
    CUdeviceptr outside = 0;
    CUdeviceptr dstBits = 0;
    CUdeviceptr srcBits = 0;
    for (size_t i = 0; i < count; i++) {
        const CUdeviceptr dst = dsts[i] - dstStart;
        const CUdeviceptr src = srcs[i] - srcStart;
        otherSize |= sizes[i] ^ size;
        outside |= (dstRoom - dst) | (srcRoom - src);
        dstBits |= dst;
        srcBits |= src;
    }
    if (otherSize || (outside | dstBits | srcBits) >> 63)
        return 0;

    /* The low words will do: who joins copies looks at all of it. */
    const uint32_t step = (uint32_t)size;
    uint32_t continued = 0;
    for (size_t i = 1; i < count; i++)
        continued +=
            !(((uint32_t)dsts[i] - (uint32_t)dsts[i - 1] - step) | ((uint32_t)srcs[i] - (uint32_t)srcs[i - 1] - step));
    scan->dstBits = dstBits;
    scan->srcBits = srcBits;
    scan->continued = continued;
    return 1;
}

void cucopyPackNarrow(uint32_t *words, const struct cucopyPacking *packing, const CUdeviceptr *dsts,
                      const CUdeviceptr *srcs, size_t count)
{
    const CUdeviceptr dstBase = packing->dstBase;
    const CUdeviceptr srcBase = packing->srcBase;
    const unsigned shift = packing->shift;
    for (size_t i = 0; i < count; i++)
        words[i] = (uint32_t)((dsts[i] - dstBase) >> shift) | (uint32_t)((srcs[i] - srcBase) >> shift) << 16;
}

void cucopyPackWide(uint32_t *words, const struct cucopyPacking *packing, const CUdeviceptr *dsts,
                    const CUdeviceptr *srcs, size_t count)
{
    const CUdeviceptr dstBase = packing->dstBase;
    const CUdeviceptr srcBase = packing->srcBase;
    const unsigned shift = packing->shift;
    for (size_t i = 0; i < count; i++) {
        words[2 * i] = (uint32_t)((dsts[i] - dstBase) >> shift);
        words[2 * i + 1] = (uint32_t)((srcs[i] - srcBase) >> shift);
    }
}
