/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops over the caller's arrays that decide what a large batch costs the host: no branches, no calls, so that
 * compilers turn them into vector code. Offsets are below 1 << 63, so the top bit of a difference is its sign.
 */
#include "copy/batch_pack.h"
#include "copy/batch_survey.h"

/* What is found in entries from begin to end is added; entry end - 1 is one of them, and so is what precedes begin. */
static CUdeviceptr scanSome(const struct cucopyBatch *batch, size_t begin, size_t end, struct cucopyScan *scan)
{
    const CUdeviceptr *const dsts = batch->dsts;
    const CUdeviceptr *const srcs = batch->srcs;
    const size_t *const sizes = batch->sizes;
    const size_t size = scan->size;
    const CUdeviceptr dstStart = scan->dstStart;
    const CUdeviceptr srcStart = scan->srcStart;
    const CUdeviceptr dstRoom = scan->dstRoom;
    const CUdeviceptr srcRoom = scan->srcRoom;
    size_t otherSize = 0;
    CUdeviceptr outside = 0;
    CUdeviceptr dstBits = 0;
    CUdeviceptr srcBits = 0;
    for (size_t i = begin; i < end; i++) {
        const CUdeviceptr dst = dsts[i] - dstStart;
        const CUdeviceptr src = srcs[i] - srcStart;
        otherSize |= sizes[i] ^ size;
        outside |= (dstRoom - dst) | (srcRoom - src);
        dstBits |= dst;
        srcBits |= src;
    }

    /* The low words will do: who joins copies looks at all of it. */
    const uint32_t step = (uint32_t)size;
    uint32_t continued = 0;
    for (size_t i = begin ? begin : 1; i < end; i++)
        continued +=
            !(((uint32_t)dsts[i] - (uint32_t)dsts[i - 1] - step) | ((uint32_t)srcs[i] - (uint32_t)srcs[i - 1] - step));
    scan->dstBits |= dstBits;
    scan->srcBits |= srcBits;
    scan->continued += continued;
    return otherSize | (outside | dstBits | srcBits) >> 63;
}

/* Block by block, so that what the first loop reads is still in the cache for the second. */
int cucopyBatchScan(const struct cucopyBatch *batch, struct cucopyScan *scan)
{
    enum { BLOCK = 512 };
    for (size_t begin = 0; begin < batch->count; begin += BLOCK)
        if (scanSome(batch, begin, batch->count - begin < BLOCK ? batch->count : begin + BLOCK, scan))
            return 0;
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

size_t cucopyPackGeneral(uint32_t *words, const CUdeviceptr *dsts, const CUdeviceptr *srcs, const size_t *sizes,
                         size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        cucopyPackOne(&words[4 * i], dsts[i], srcs[i], sizes[i]);
        bytes += sizes[i];
    }
    return bytes;
}
