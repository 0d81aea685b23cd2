/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The single copies: each is its raw function inside a scope. copies_ptsz.c reads this file a second time for the
 * per-thread variants.
 */
#include "copy/failure.h"
#include "copy/options.h"
#include "copy/owner.h"
#include "copy/scope.h"

/* Run call with the context of hStream current; if anything fails, fail keeps what was to be copied. */
#define IN_SCOPE(bytes, call, fail, ...)                                                                               \
    do {                                                                                                               \
        struct cucopyScope scope;                                                                                      \
        cucopyTraceBegin(__func__, bytes);                                                                             \
        CUresult result = cucopyScopeEnter(&scope, hStream);                                                           \
        if (result == CUDA_SUCCESS) {                                                                                  \
            scope.step = CUCOPY_STEP_COPY;                                                                             \
            result = call;                                                                                             \
        }                                                                                                              \
        if (result == CUDA_SUCCESS)                                                                                    \
            result = cucopyScopeRestore(&scope);                                                                       \
        cucopyTraceEnd();                                                                                              \
        return result == CUDA_SUCCESS ? result : fail(&scope, result, CUCOPY_THIS_CALL, __VA_ARGS__);                  \
    } while (0)

#define ADDRESS(host) ((CUdeviceptr)(uintptr_t)(host))

CUresult CUDAAPI cucopyMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream)
{
    IN_SCOPE(ByteCount, cudrvMemcpyAsync(dst, src, ByteCount, hStream), cucopyFailCopy, dst, src, ByteCount);
}

/* Inside its scope: a refused copy is still within it when the owner's turn comes. */
static CUresult copyWithPolicy(struct cucopyScope *scope, CUdeviceptr dst, CUdeviceptr src, size_t bytes,
                               cucopyContextPolicy policy)
{
    const CUresult result = cudrvMemcpyAsync(dst, src, bytes, scope->stream);
    if (result != CUDA_ERROR_INVALID_VALUE || policy != CUCOPY_CONTEXT_OWNER)
        return result;
    return cucopyCopyAsOwner(scope, dst, src, bytes);
}

CUresult CUDAAPI cucopyMemcpyAsyncEx(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, const cucopyOptions *options,
                                     CUstream hStream)
{
    cucopyOptions chosen = CUCOPY_OPTIONS_INIT;
    if (!cucopyReadOptions(options, &chosen, sizeof(chosen)) || (unsigned)chosen.context > CUCOPY_CONTEXT_OWNER) {
        struct cucopyScope scope = {.stream = hStream, .step = CUCOPY_STEP_COPY};
        return cucopyFailCall(&scope, CUDA_ERROR_INVALID_VALUE, CUCOPY_THIS_CALL,
                              "the options have a size or a context policy that this version of cucopy does not know");
    }
    IN_SCOPE(ByteCount, copyWithPolicy(&scope, dst, src, ByteCount, chosen.context), cucopyFailCopy, dst, src,
             ByteCount);
}

CUresult CUDAAPI cucopyMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                                       CUcontext srcContext, size_t ByteCount, CUstream hStream)
{
    IN_SCOPE(ByteCount, cudrvMemcpyPeerAsync(dstDevice, dstContext, srcDevice, srcContext, ByteCount, hStream),
             cucopyFailPeer, dstDevice, dstContext, srcDevice, srcContext, ByteCount);
}

CUresult CUDAAPI cucopyMemcpyHtoDAsync(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream)
{
    IN_SCOPE(ByteCount, cudrvMemcpyHtoDAsync(dstDevice, srcHost, ByteCount, hStream), cucopyFailCopy, dstDevice,
             ADDRESS(srcHost), ByteCount);
}

CUresult CUDAAPI cucopyMemcpyDtoHAsync(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    IN_SCOPE(ByteCount, cudrvMemcpyDtoHAsync(dstHost, srcDevice, ByteCount, hStream), cucopyFailCopy, ADDRESS(dstHost),
             srcDevice, ByteCount);
}

CUresult CUDAAPI cucopyMemcpyDtoDAsync(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    IN_SCOPE(ByteCount, cudrvMemcpyDtoDAsync(dstDevice, srcDevice, ByteCount, hStream), cucopyFailCopy, dstDevice,
             srcDevice, ByteCount);
}

CUresult CUDAAPI cucopyMemcpyHtoAAsync(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount,
                                       CUstream hStream)
{
    IN_SCOPE(ByteCount, cudrvMemcpyHtoAAsync(dstArray, dstOffset, srcHost, ByteCount, hStream), cucopyFailToArray,
             dstArray, dstOffset, ADDRESS(srcHost), ByteCount);
}

CUresult CUDAAPI cucopyMemcpyAtoHAsync(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                                       CUstream hStream)
{
    IN_SCOPE(ByteCount, cudrvMemcpyAtoHAsync(dstHost, srcArray, srcOffset, ByteCount, hStream), cucopyFailFromArray,
             ADDRESS(dstHost), srcArray, srcOffset, ByteCount);
}

#define VOLUME(box, depth) ((box) ? (box)->WidthInBytes * (box)->Height * (depth) : 0)

CUresult CUDAAPI cucopyMemcpy2DAsync(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
    IN_SCOPE(VOLUME(pCopy, 1), cudrvMemcpy2DAsync(pCopy, hStream), cucopyFail2D, pCopy);
}

CUresult CUDAAPI cucopyMemcpy3DAsync(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
    IN_SCOPE(VOLUME(pCopy, pCopy->Depth), cudrvMemcpy3DAsync(pCopy, hStream), cucopyFail3D, pCopy);
}

/* The driver returns INVALID_VALUE for a NULL box everywhere but here, where it crashes. */
CUresult CUDAAPI cucopyMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream)
{
    IN_SCOPE(VOLUME(pCopy, pCopy->Depth), pCopy ? cudrvMemcpy3DPeerAsync(pCopy, hStream) : CUDA_ERROR_INVALID_VALUE,
             cucopyFail3DPeer, pCopy);
}

CUresult CUDAAPI cucopyMemcpyWithAttributesAsync(CUdeviceptr dst, CUdeviceptr src, size_t size,
                                                 CUmemcpyAttributes *attr, CUstream hStream)
{
    IN_SCOPE(size, cudrvMemcpyWithAttributesAsync(dst, src, size, attr, hStream), cucopyFailCopy, dst, src, size);
}

CUresult CUDAAPI cucopyMemcpy3DWithAttributesAsync(CUDA_MEMCPY3D_BATCH_OP *op, unsigned long long flags,
                                                   CUstream hStream)
{
    IN_SCOPE(op ? op->extent.width * op->extent.height * op->extent.depth : 0,
             cudrvMemcpy3DWithAttributesAsync(op, flags, hStream), cucopyFail3DBatchOp, op);
}

#undef IN_SCOPE
#undef ADDRESS
#undef VOLUME
