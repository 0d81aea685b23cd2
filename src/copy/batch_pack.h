/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries as the kernel reads them (batch_block.h). Private to the batches.
 */
#ifndef CUCOPY_COPY_BATCH_PACK_H
#define CUCOPY_COPY_BATCH_PACK_H

#include "types.h"

#include <stdint.h>

/* Addresses as offsets from two bases, in units of 1 << shift bytes. */
struct cucopyPacking {
    CUdeviceptr dstBase;
    CUdeviceptr srcBase;
    unsigned shift;
};

/* count entries into words, one or two words each; in batch_scan.c. */
void cucopyPackNarrow(uint32_t *words, const struct cucopyPacking *packing, const CUdeviceptr *dsts,
                      const CUdeviceptr *srcs, size_t count);
void cucopyPackWide(uint32_t *words, const struct cucopyPacking *packing, const CUdeviceptr *dsts,
                    const CUdeviceptr *srcs, size_t count);

/* One copy of any size below 4 GiB, into four words. */
static inline void cucopyPackOne(uint32_t *words, CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    words[0] = (uint32_t)dst;
    words[1] = (uint32_t)src;
    words[2] = (uint32_t)(dst >> 32) | (uint32_t)(src >> 32) << 16;
    words[3] = (uint32_t)size;
}

/* count of them; returns their bytes. */
size_t cucopyPackGeneral(uint32_t *words, const CUdeviceptr *dsts, const CUdeviceptr *srcs, const size_t *sizes,
                         size_t count);

#endif
