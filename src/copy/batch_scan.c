/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops over the caller's arrays that decide what a large batch costs the host: no branches, no calls, so that
 * compilers turn them into vector code. Offsets are below 1 << 63, so the top bit of a difference is its sign.
 */
#include "copy/batch_pack.h"
#include "copy/batch_survey.h"

static inline int continuesAt(const CUdeviceptr *dsts, const CUdeviceptr *srcs, size_t i, size_t size)
{
    return dsts[i] == dsts[i - 1] + size && srcs[i] == srcs[i - 1] + size;
}

/*
 * Where copies come in groups that continue each other, of any two neighbours at least one continues. If neither does,
 * nothing is worth counting here.
 */
static inline size_t continuedIn(const CUdeviceptr *dsts, const CUdeviceptr *srcs, size_t size)
{
    size_t continued = 0;
    if (continuesAt(dsts, srcs, 0, size) || continuesAt(dsts, srcs, 1, size))
        for (size_t i = 0; i < CUCOPY_SCANNED; i++)
            continued += (size_t)continuesAt(dsts, srcs, i, size);
    return continued;
}

size_t cucopyBatchScan(const struct cucopyBatch *batch, size_t begin, size_t end, struct cucopyScan *scan)
{
    const size_t size = scan->size;
    const CUdeviceptr dstStart = scan->dstStart;
    const CUdeviceptr srcStart = scan->srcStart;
    const CUdeviceptr dstRoom = scan->dstRoom;
    const CUdeviceptr srcRoom = scan->srcRoom;
    CUdeviceptr dstBits = 0;
    CUdeviceptr srcBits = 0;
    size_t continued = 0;
    size_t next = begin;
    for (; end - next >= CUCOPY_SCANNED; next += CUCOPY_SCANNED) {
        const CUdeviceptr *const dsts = &batch->dsts[next];
        const CUdeviceptr *const srcs = &batch->srcs[next];
        const size_t *const sizes = &batch->sizes[next];
        if (dsts[CUCOPY_SCANNED - 1] - dstStart > dstRoom || srcs[CUCOPY_SCANNED - 1] - srcStart > srcRoom)
            break; /* where ranges change, the last of these mostly tells */
        size_t otherSize = 0;
        CUdeviceptr outside = 0;
        CUdeviceptr dstSome = 0;
        CUdeviceptr srcSome = 0;
        for (size_t i = 0; i < CUCOPY_SCANNED; i++) {
            const CUdeviceptr dst = dsts[i] - dstStart;
            const CUdeviceptr src = srcs[i] - srcStart;
            otherSize |= sizes[i] ^ size;
            outside |= (dstRoom - dst) | (srcRoom - src);
            dstSome |= dst;
            srcSome |= src;
        }
        if (otherSize | (outside | dstSome | srcSome) >> 63)
            break;
        dstBits |= dstSome;
        srcBits |= srcSome;
        continued += continuedIn(dsts, srcs, size);
    }
    scan->dstBits = dstBits;
    scan->srcBits = srcBits;
    scan->continued = continued;
    return next - begin;
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
