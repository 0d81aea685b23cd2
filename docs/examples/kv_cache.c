/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page table's worth of small copies in one call: blocks of a key-value cache, scattered over device memory, go to
 * one pinned buffer, and come back into other blocks. Needs the headers of CUDA 12.8, which brought the batch's types.
 */
#include "check.h"
#include <cucopy/copy.h>
#include <string.h>

#if CUDA_VERSION >= 12080
enum { BLOCK = 4096, BLOCKS = 32, SEQUENCE = 12 };

/* Block table[i] of the cache is piece i of the host buffer. toHost: which way. */
static CUresult copyBlocks(CUdeviceptr cache, const size_t *table, void *host, int toHost, CUstream stream)
{
    CUdeviceptr blocks[SEQUENCE];
    CUdeviceptr pieces[SEQUENCE];
    size_t sizes[SEQUENCE];
    for (size_t i = 0; i < SEQUENCE; i++) {
        blocks[i] = cache + table[i] * BLOCK;
        pieces[i] = (CUdeviceptr)host + i * BLOCK;
        sizes[i] = BLOCK;
    }
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    size_t first = 0; /* the entry from which on these attributes hold */
    return cucopyMemcpyBatchAsync(toHost ? pieces : blocks, toHost ? blocks : pieces, sizes, SEQUENCE, &attributes,
                                  &first, 1, stream);
}

int main(void)
{
    static const size_t from[SEQUENCE] = {3, 17, 4, 30, 9, 21, 0, 12, 25, 6, 31, 14};
    static const size_t to[SEQUENCE] = {1, 2, 5, 7, 8, 10, 11, 13, 15, 16, 18, 19};
    static unsigned char cache[BLOCKS][BLOCK];
    int devices = 0;
    CUcontext last;
    CUstream stream;
    CUdeviceptr memory;
    void *host = NULL;
    CHECK(cudrvInit(0));
    CHECK(cudrvDeviceGetCount(&devices));
    CHECK(cudrvDevicePrimaryCtxRetain(&last, devices - 1));
    CHECK(cudrvCtxPushCurrent(last));
    CHECK(cudrvStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cudrvMemAllocAsync(&memory, sizeof(cache), stream));
    CHECK(cudrvMemHostAlloc(&host, (size_t)SEQUENCE * BLOCK, CU_MEMHOSTALLOC_PORTABLE));
    CHECK(cudrvCtxPopCurrent(NULL));

    for (int i = 0; i < BLOCKS; i++)
        memset(cache[i], i, BLOCK);
    CHECK(cucopyMemcpyHtoDAsync(memory, cache, sizeof(cache), stream));
    CHECK(copyBlocks(memory, from, host, 1, stream)); /* out: the driver's own batch refuses a thread without context */
    CHECK(copyBlocks(memory, to, host, 0, stream));   /* and in again */
    CHECK(cucopyMemcpyDtoHAsync(cache, memory, sizeof(cache), stream));
    CHECK(cudrvStreamSynchronize(stream));
    for (int i = 0; i < SEQUENCE; i++)
        EXPECT(cache[to[i]][0] == from[i] && cache[to[i]][BLOCK - 1] == from[i]);
    printf("%d blocks moved\n", SEQUENCE);
    return EXIT_SUCCESS;
}
#else
int main(void)
{
    printf("the headers of CUDA 12.8 or later are needed\n");
    return EXIT_SUCCESS;
}
#endif
