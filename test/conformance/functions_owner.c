/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The copies that take options, by the signatures of those that do not.
 */
#include "functions.h"

static CUresult CUDAAPI single(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
    cucopyOptions options = CUCOPY_OPTIONS_INIT;
    options.context = CUCOPY_CONTEXT_OWNER;
    return cucopyMemcpyAsyncEx(dst, src, bytes, &options, stream);
}

static CUresult CUDAAPI batch(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                              CUmemcpyAttributes *attributes, size_t *firsts, size_t attributeCount, CUstream stream)
{
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    (void)firsts;
    if (attributeCount)
        options.srcAccessOrder = (int)attributes->srcAccessOrder;
    options.context = CUCOPY_CONTEXT_OWNER;
    return cucopyMemcpyBatchAsyncEx(dsts, srcs, sizes, count, &options, stream);
}

const struct copyFunctions ownerFunctions = {.MemcpyAsync = single, .MemcpyBatchAsync = batch};
