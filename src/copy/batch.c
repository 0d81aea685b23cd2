/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of copies: the driver's own call inside a scope. batch_ptsz.c reads this file a second time for the
 * per-thread variants.
 */
#include "copy/failure.h"
#include "copy/scope.h"

/* Drivers before 13.0 have the form that also reports which entry failed, in no promised way. */
static CUresult enqueue(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count, CUmemcpyAttributes *attrs,
                        size_t *attrsIdxs, size_t numAttrs, size_t *failIdx, CUstream stream)
{
    CUresult result = CUDA_ERROR_NOT_SUPPORTED;
    if (cudrvHas("cuMemcpyBatchAsync"))
        result = cudrvMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, stream);
    else
        result = cudrvMemcpyBatchAsync_v12080(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx, stream);
    return result;
}

static CUresult enqueue3D(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx, unsigned long long flags,
                          CUstream stream)
{
    CUresult result = CUDA_ERROR_NOT_SUPPORTED;
    if (cudrvHas("cuMemcpy3DBatchAsync"))
        result = cudrvMemcpy3DBatchAsync(numOps, opList, flags, stream);
    else
        result = cudrvMemcpy3DBatchAsync_v12080(numOps, opList, failIdx, flags, stream);
    return result;
}

static CUresult batch(const char *function, CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                      CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, size_t *failIdx, CUstream stream)
{
    struct cucopyScope scope;
    size_t failed = CUCOPY_NO_ENTRY;
    CUresult result = cucopyScopeEnter(&scope, stream);
    if (result == CUDA_SUCCESS)
        result =
            cucopyScopeLeave(&scope, enqueue(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, &failed, stream));
    if (result == CUDA_SUCCESS)
        return result;
    if (failIdx)
        *failIdx = failed;
    return cucopyFail(&scope, result, &(cucopyFailure){.function = function, .entry = failed});
}

static CUresult batch3D(const char *function, size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx,
                        unsigned long long flags, CUstream stream)
{
    struct cucopyScope scope;
    size_t failed = CUCOPY_NO_ENTRY;
    CUresult result = cucopyScopeEnter(&scope, stream);
    if (result == CUDA_SUCCESS)
        result = cucopyScopeLeave(&scope, enqueue3D(numOps, opList, &failed, flags, stream));
    if (result == CUDA_SUCCESS)
        return result;
    if (failIdx)
        *failIdx = failed;
    return cucopyFail(&scope, result, &(cucopyFailure){.function = function, .entry = failed});
}

CUresult CUDAAPI cucopyMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                        CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, CUstream hStream)
{
    return batch(__func__, dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, NULL, hStream);
}

CUresult CUDAAPI cucopyMemcpyBatchAsync_v12080(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                               CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                               size_t *failIdx, CUstream hStream)
{
    return batch(__func__, dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx, hStream);
}

CUresult CUDAAPI cucopyMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, unsigned long long flags,
                                          CUstream hStream)
{
    return batch3D(__func__, numOps, opList, NULL, flags, hStream);
}

CUresult CUDAAPI cucopyMemcpy3DBatchAsync_v12080(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx,
                                                 unsigned long long flags, CUstream hStream)
{
    return batch3D(__func__, numOps, opList, failIdx, flags, hStream);
}
