/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The single copies: each is its raw function inside a scope. copies_ptsz.c reads this file a second time for the
 * per-thread variants.
 */
#include "copy/failure.h"
#include "copy/scope.h"

/* Run call with the context of hStream current, and keep what was to be copied if anything fails. */
#define IN_SCOPE(call, dst, src, bytes)                                                                                \
    do {                                                                                                               \
        struct cucopyScope scope;                                                                                      \
        CUresult result = cucopyScopeEnter(&scope, hStream);                                                           \
        if (result == CUDA_SUCCESS)                                                                                    \
            result = cucopyScopeLeave(&scope, call);                                                                   \
        return result == CUDA_SUCCESS ? result : cucopyFailCopy(&scope, result, __func__, dst, src, bytes);            \
    } while (0)

#define ADDRESS(host) ((CUdeviceptr)(uintptr_t)(host))

CUresult CUDAAPI cucopyMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream)
{
    IN_SCOPE(cudrvMemcpyAsync(dst, src, ByteCount, hStream), dst, src, ByteCount);
}

CUresult CUDAAPI cucopyMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                                       CUcontext srcContext, size_t ByteCount, CUstream hStream)
{
    IN_SCOPE(cudrvMemcpyPeerAsync(dstDevice, dstContext, srcDevice, srcContext, ByteCount, hStream), dstDevice,
             srcDevice, ByteCount);
}

CUresult CUDAAPI cucopyMemcpyHtoDAsync(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream)
{
    IN_SCOPE(cudrvMemcpyHtoDAsync(dstDevice, srcHost, ByteCount, hStream), dstDevice, ADDRESS(srcHost), ByteCount);
}

CUresult CUDAAPI cucopyMemcpyDtoHAsync(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    IN_SCOPE(cudrvMemcpyDtoHAsync(dstHost, srcDevice, ByteCount, hStream), ADDRESS(dstHost), srcDevice, ByteCount);
}

CUresult CUDAAPI cucopyMemcpyDtoDAsync(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    IN_SCOPE(cudrvMemcpyDtoDAsync(dstDevice, srcDevice, ByteCount, hStream), dstDevice, srcDevice, ByteCount);
}

CUresult CUDAAPI cucopyMemcpyHtoAAsync(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount,
                                       CUstream hStream)
{
    IN_SCOPE(cudrvMemcpyHtoAAsync(dstArray, dstOffset, srcHost, ByteCount, hStream), 0, ADDRESS(srcHost), ByteCount);
}

CUresult CUDAAPI cucopyMemcpyAtoHAsync(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                                       CUstream hStream)
{
    IN_SCOPE(cudrvMemcpyAtoHAsync(dstHost, srcArray, srcOffset, ByteCount, hStream), ADDRESS(dstHost), 0, ByteCount);
}

/* The boxes name each side by type: an address of one kind or the other, or an array. */
#define SIDE(box, side)                                                                                                \
    (!(box)                                           ? 0                                                              \
     : (box)->side##MemoryType == CU_MEMORYTYPE_HOST  ? ADDRESS((box)->side##Host)                                     \
     : (box)->side##MemoryType == CU_MEMORYTYPE_ARRAY ? 0                                                              \
                                                      : (box)->side##Device)
#define VOLUME(box) ((box) ? (box)->WidthInBytes * (box)->Height * (box)->Depth : 0)

CUresult CUDAAPI cucopyMemcpy2DAsync(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
    IN_SCOPE(cudrvMemcpy2DAsync(pCopy, hStream), SIDE(pCopy, dst), SIDE(pCopy, src),
             pCopy ? pCopy->WidthInBytes * pCopy->Height : 0);
}

CUresult CUDAAPI cucopyMemcpy3DAsync(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
    IN_SCOPE(cudrvMemcpy3DAsync(pCopy, hStream), SIDE(pCopy, dst), SIDE(pCopy, src), VOLUME(pCopy));
}

/* The driver returns INVALID_VALUE for a NULL box everywhere but here, where it crashes. */
CUresult CUDAAPI cucopyMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream)
{
    IN_SCOPE(pCopy ? cudrvMemcpy3DPeerAsync(pCopy, hStream) : CUDA_ERROR_INVALID_VALUE, SIDE(pCopy, dst),
             SIDE(pCopy, src), VOLUME(pCopy));
}

CUresult CUDAAPI cucopyMemcpyWithAttributesAsync(CUdeviceptr dst, CUdeviceptr src, size_t size,
                                                 CUmemcpyAttributes *attr, CUstream hStream)
{
    IN_SCOPE(cudrvMemcpyWithAttributesAsync(dst, src, size, attr, hStream), dst, src, size);
}

/* A pointer operand has an address; an array has none. */
#define OPERAND(op, side)                                                                                              \
    ((op) && (int)(op)->side.type == (int)CU_MEMCPY_OPERAND_TYPE_POINTER ? (op)->side.op.ptr.ptr : 0)

CUresult CUDAAPI cucopyMemcpy3DWithAttributesAsync(CUDA_MEMCPY3D_BATCH_OP *op, unsigned long long flags,
                                                   CUstream hStream)
{
    IN_SCOPE(cudrvMemcpy3DWithAttributesAsync(op, flags, hStream), OPERAND(op, dst), OPERAND(op, src),
             op ? op->extent.width * op->extent.height * op->extent.depth : 0);
}

#undef IN_SCOPE
#undef ADDRESS
#undef SIDE
#undef VOLUME
#undef OPERAND
