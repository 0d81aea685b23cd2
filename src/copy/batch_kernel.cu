/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The batch kernel: copies of any size and alignment, described in its own parameters. batch_kernel_ptx.h is made from
 * this file by cmake/BatchKernel.cmake and committed, so that building cucopy takes no CUDA compiler.
 *
 * A team of 1 << team threads does a copy together, 16 bytes a thread at a time and four such loads in flight. Where
 * source and destination disagree modulo 16, destination words are aligned and each is put together from two aligned
 * source words: nothing outside the source is read, nothing outside the destination is written.
 */
#include "batch_block.h"

#define THREADS 256
#define IN_FLIGHT 4
#define IN_FLIGHT_SKEWED 2

typedef uint4 word; /* 16 bytes, one access */

template <unsigned bytes> struct alignas(16) Block {
    cucopyBlockHeader header;
    uint32_t words[CUCOPY_BLOCK_WORDS(bytes)];
};

static __device__ __forceinline__ void copyWords(uint64_t dst, uint64_t src, uint32_t count, uint32_t lane,
                                                 uint32_t team)
{
    word *const to = (word *)dst;
    const word *const from = (const word *)src;
    for (uint32_t i = lane; i < count; i += IN_FLIGHT * team) {
        word held[IN_FLIGHT];
#pragma unroll
        for (uint32_t k = 0; k < IN_FLIGHT; k++)
            if (i + k * team < count)
                held[k] = from[i + k * team];
#pragma unroll
        for (uint32_t k = 0; k < IN_FLIGHT; k++)
            if (i + k * team < count)
                to[i + k * team] = held[k];
    }
}

/* The 16 bytes that begin skew bytes into two neighbouring words. */
static __device__ __forceinline__ word joined(word low, word high, uint32_t skew)
{
    uint32_t part[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    if (skew & 8) {
#pragma unroll
        for (int i = 0; i < 6; i++)
            part[i] = part[i + 2];
    }
    if (skew & 4) {
#pragma unroll
        for (int i = 0; i < 5; i++)
            part[i] = part[i + 1];
    }
    const uint32_t bits = 8 * (skew & 3);
    return make_uint4(__funnelshift_r(part[0], part[1], bits), __funnelshift_r(part[1], part[2], bits),
                      __funnelshift_r(part[2], part[3], bits), __funnelshift_r(part[3], part[4], bits));
}

/* The second word of one thread is the first of the next, and comes from the cache. */
static __device__ __forceinline__ void copySkewed(uint64_t dst, uint64_t src, uint32_t skew, uint32_t count,
                                                  uint32_t lane, uint32_t team)
{
    word *const to = (word *)dst;
    const word *const from = (const word *)(src - skew);
    for (uint32_t i = lane; i < count; i += IN_FLIGHT_SKEWED * team) {
        word low[IN_FLIGHT_SKEWED];
        word high[IN_FLIGHT_SKEWED];
#pragma unroll
        for (uint32_t k = 0; k < IN_FLIGHT_SKEWED; k++)
            if (i + k * team < count) {
                low[k] = from[i + k * team];
                high[k] = from[i + k * team + 1];
            }
#pragma unroll
        for (uint32_t k = 0; k < IN_FLIGHT_SKEWED; k++)
            if (i + k * team < count)
                to[i + k * team] = joined(low[k], high[k], skew);
    }
}

static __device__ __forceinline__ void copyBytes(uint64_t dst, uint64_t src, uint32_t count, uint32_t lane,
                                                 uint32_t team)
{
    for (uint32_t i = lane; i < count; i += team)
        ((uint8_t *)dst)[i] = ((const uint8_t *)src)[i];
}

static __device__ __forceinline__ void copyOne(uint64_t dst, uint64_t src, uint32_t size, uint32_t lane, uint32_t team)
{
    uint32_t head = (uint32_t)(0 - dst) & 15;
    const uint32_t skew = (uint32_t)(src + head) & 15;
    /* A skewed word's first part lies before src + head, its last part behind it: both must be inside the source. */
    if (head < skew)
        head += 16;
    if (head > size)
        head = size;
    uint32_t words = (size - head) >> 4;
    if (skew != 0 && words != 0 && size - head - 16 * words < 16 - skew)
        words--;
    const uint32_t tail = head + 16 * words;
    if (head != 0)
        copyBytes(dst, src, head, lane, team);
    if (skew == 0)
        copyWords(dst + head, src + head, words, lane, team);
    else
        copySkewed(dst + head, src + head, skew, words, lane, team);
    if (tail != size)
        copyBytes(dst + tail, src + tail, size - tail, lane, team);
}

template <unsigned bytes> static __device__ __forceinline__ void copyAll(const Block<bytes> &block)
{
    const cucopyBlockHeader &header = block.header;
    const uint32_t thread = blockIdx.x * THREADS + threadIdx.x;
    const uint32_t team = 1u << header.team;
    const uint32_t lane = thread & (team - 1);
    const uint32_t teams = (gridDim.x * THREADS) >> header.team;
    for (uint32_t i = thread >> header.team; i < header.count; i += teams) {
        uint64_t dst = header.dst;
        uint64_t src = header.src;
        uint32_t size = header.size;
        if (header.form == CUCOPY_FORM_NARROW) {
            const uint32_t packed = block.words[i];
            dst += (uint64_t)(packed & 0xffff) << header.shift;
            src += (uint64_t)(packed >> 16) << header.shift;
        } else if (header.form == CUCOPY_FORM_WIDE) {
            const uint2 packed = *(const uint2 *)&block.words[2 * i];
            dst += (uint64_t)packed.x << header.shift;
            src += (uint64_t)packed.y << header.shift;
        } else {
            const uint4 packed = *(const uint4 *)&block.words[4 * i];
            dst = (uint64_t)(packed.z & 0xffff) << 32 | packed.x;
            src = (uint64_t)(packed.z >> 16) << 32 | packed.y;
            size = packed.w;
        }
        copyOne(dst, src, size, lane, team);
    }
}

#define KERNEL(name, bytes)                                                                                            \
    extern "C" __global__ void __launch_bounds__(THREADS) name(const __grid_constant__ Block<bytes> block)             \
    {                                                                                                                  \
        copyAll(block);                                                                                                \
    }

#ifdef CUCOPY_SMALL_IMAGE
KERNEL(cucopyBatchSmall, CUCOPY_BLOCK_SMALL)
#else
KERNEL(cucopyBatchLarge, CUCOPY_BLOCK_LARGE)
#endif
