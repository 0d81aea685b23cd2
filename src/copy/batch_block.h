/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one launch of the batch kernel is given: a header and the copies, all of it in the kernel's parameters. Shared
 * by the kernel, the code that launches it and the simulated driver, so it is plain C that nvcc and C compilers read
 * alike.
 */
#ifndef CUCOPY_COPY_BATCH_BLOCK_H
#define CUCOPY_COPY_BATCH_BLOCK_H

#include <stdint.h>

/*
 * There is a kernel for either size of block. Small ones exist on every driver and device; large ones need CUDA 12.1
 * and compute capability 7.0. A launch hands over no more of a block than it uses, since that costs time in proportion.
 */
#define CUCOPY_BLOCK_SMALL 4096
#define CUCOPY_BLOCK_LARGE 32752

/* How a copy is written down, in 4, 8 or 16 bytes. */
enum {
    CUCOPY_FORM_NARROW, /* two 16-bit offsets in one word, the destination's in the low half */
    CUCOPY_FORM_WIDE,   /* two words of 32-bit offsets, destination and source */
    CUCOPY_FORM_GENERAL /* low words of destination and source; their high halves in one word, as above; the size */
};

/* An offset counts units of 1 << shift bytes from dst or src; these copies have one size. */
struct cucopyBlockHeader {
    uint64_t dst;
    uint64_t src;
    uint32_t count;
    uint32_t size;
    uint8_t form;
    uint8_t shift;
    uint8_t team; /* 1 << team neighbouring threads share a copy */
    uint8_t unused[5];
};

#define CUCOPY_BLOCK_WORDS(bytes) (((bytes)-32) / 4)

#endif
