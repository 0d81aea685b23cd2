/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The safe layer: every asynchronous memory copy with the stream's own context current.
 *
 * A function here is the driver's with its `cu` replaced by `cucopy`: same parameters, same order, same CUresult. The
 * driver checks the pointers of an asynchronous copy against the current context; here that is the context of the
 * stream for the time of the call, and afterwards the caller's context stack is exactly what it was: same depth, same
 * contexts, an empty stack still empty, whether the call succeeded or failed.
 *
 *  - The special streams (NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD) belong to the current context by definition:
 * such a call is forwarded as it is.
 *  - For any other stream: cuStreamGetCtx and cuCtxGetCurrent, and only if those two differ a push before the copy and
 * a pop after it. Nothing else is asked, no context is created or retained, and captures are not disturbed.
 *  - If the copy fails, its code is returned; otherwise that of the step that failed. A copy that could not be guarded
 * is not attempted. cucopyLastFailure tells which step it was, and cucopyExplain what to do about it.
 *  - A stream handle that was destroyed or never was one crashes inside the driver, here as there.
 *  - Compile with CUDA_API_PER_THREAD_DEFAULT_STREAM for the per-thread variants, as with cuda.h.
 *  - All functions may be called from any thread at any time. None allocates or locks.
 */
#ifndef CUCOPY_COPY_H
#define CUCOPY_COPY_H

#include <cucopy/drv.h>
#include <stddef.h>

#if defined(__GNUC__)
#define CUCOPY_CHECK_RESULT __attribute__((warn_unused_result))
#pragma GCC visibility push(default)
#elif defined(_MSC_VER)
#define CUCOPY_CHECK_RESULT _Check_return_
#else
#define CUCOPY_CHECK_RESULT
#endif

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define cucopyMemcpyAsync cucopyMemcpyAsync_ptsz
#define cucopyMemcpyPeerAsync cucopyMemcpyPeerAsync_ptsz
#define cucopyMemcpyHtoDAsync cucopyMemcpyHtoDAsync_ptsz
#define cucopyMemcpyDtoHAsync cucopyMemcpyDtoHAsync_ptsz
#define cucopyMemcpyDtoDAsync cucopyMemcpyDtoDAsync_ptsz
#define cucopyMemcpyHtoAAsync cucopyMemcpyHtoAAsync_ptsz
#define cucopyMemcpyAtoHAsync cucopyMemcpyAtoHAsync_ptsz
#define cucopyMemcpy2DAsync cucopyMemcpy2DAsync_ptsz
#define cucopyMemcpy3DAsync cucopyMemcpy3DAsync_ptsz
#define cucopyMemcpy3DPeerAsync cucopyMemcpy3DPeerAsync_ptsz
#define cucopyMemcpyBatchAsync cucopyMemcpyBatchAsync_ptsz
#define cucopyMemcpyBatchAsync_v12080 cucopyMemcpyBatchAsync_v12080_ptsz
#define cucopyMemcpy3DBatchAsync cucopyMemcpy3DBatchAsync_ptsz
#define cucopyMemcpy3DBatchAsync_v12080 cucopyMemcpy3DBatchAsync_v12080_ptsz
#define cucopyMemcpyWithAttributesAsync cucopyMemcpyWithAttributesAsync_ptsz
#define cucopyMemcpy3DWithAttributesAsync cucopyMemcpy3DWithAttributesAsync_ptsz
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Single copies ----
 * Each returns what the driver's function returns; sizes, widths and pitches are in bytes. Host memory that is not
 * pinned is read at the call, ahead of earlier work in the stream; pinned memory must stay as it is until the copy has
 * run. */

/** cuMemcpyAsync, 4.0: between any two unified addresses. */
CUresult CUDAAPI cucopyMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream);
/** cuMemcpyPeerAsync, 4.0: between two contexts; also where neither device may access the other's pool or mapping. */
CUresult CUDAAPI cucopyMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                                       CUcontext srcContext, size_t ByteCount, CUstream hStream);
/** cuMemcpyHtoDAsync, 3.2: host to device. */
CUresult CUDAAPI cucopyMemcpyHtoDAsync(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream);
/** cuMemcpyDtoHAsync, 3.2: device to host. */
CUresult CUDAAPI cucopyMemcpyDtoHAsync(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream);
/** cuMemcpyDtoDAsync, 3.2: device to device. */
CUresult CUDAAPI cucopyMemcpyDtoDAsync(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                                       CUstream hStream);
/** cuMemcpyHtoAAsync, 3.2: host to array, dstOffset bytes into it. */
CUresult CUDAAPI cucopyMemcpyHtoAAsync(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount,
                                       CUstream hStream);
/** cuMemcpyAtoHAsync, 3.2: array to host, from srcOffset bytes into it. */
CUresult CUDAAPI cucopyMemcpyAtoHAsync(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                                       CUstream hStream);
/** cuMemcpy2DAsync, 3.2: rows. */
CUresult CUDAAPI cucopyMemcpy2DAsync(const CUDA_MEMCPY2D *pCopy, CUstream hStream);
/** cuMemcpy3DAsync, 3.2: a box. */
CUresult CUDAAPI cucopyMemcpy3DAsync(const CUDA_MEMCPY3D *pCopy, CUstream hStream);
/** cuMemcpy3DPeerAsync, 4.0: a box, between two contexts. NULL, on which the driver crashes, is INVALID_VALUE. */
CUresult CUDAAPI cucopyMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream);

/* ---- Batches ---- */

#if CUDA_VERSION >= 12080 || defined(CUDRV_ALL_TYPES)
/** cuMemcpyBatchAsync, 13.0: count copies in no order among themselves. */
CUresult CUDAAPI cucopyMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                        CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                        CUstream hStream);
/** The form that toolkits 12.8 and 12.9 declare: failIdx, if it is not NULL, gets the entry that failed, or SIZE_MAX.
 */
CUresult CUDAAPI cucopyMemcpyBatchAsync_v12080(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                               CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                               size_t *failIdx, CUstream hStream);
/** cuMemcpy3DBatchAsync, 13.0: numOps boxes in no order among themselves; flags is 0. */
CUresult CUDAAPI cucopyMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, unsigned long long flags,
                                          CUstream hStream);
/** The form that toolkits 12.8 and 12.9 declare: failIdx, if it is not NULL, gets the entry that failed, or SIZE_MAX.
 */
CUresult CUDAAPI cucopyMemcpy3DBatchAsync_v12080(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx,
                                                 unsigned long long flags, CUstream hStream);
/** cuMemcpyWithAttributesAsync, 13.2: one copy with the attributes of a batch. */
CUresult CUDAAPI cucopyMemcpyWithAttributesAsync(CUdeviceptr dst, CUdeviceptr src, size_t size,
                                                 CUmemcpyAttributes *attr, CUstream hStream);
/** cuMemcpy3DWithAttributesAsync, 13.2: one box with the attributes of a batch. */
CUresult CUDAAPI cucopyMemcpy3DWithAttributesAsync(CUDA_MEMCPY3D_BATCH_OP *op, unsigned long long flags,
                                                   CUstream hStream);
#endif

/* ---- The guard ----
 * One guard around many raw calls, in place of a safe call each. Guards nest, last in first out, on one thread. */

/** On the caller's stack; what is in it is the library's. 32 bytes, for ever. */
typedef struct cucopyGuard {
    CUcontext pushed;
    unsigned long long reserved[3];
} cucopyGuard;

/**
 * Make the stream's context current until cucopyGuardExit: nothing to do if it is current already, or if the stream is
 * a special one; otherwise it is pushed. If one of the driver's calls fails: its code, nothing changed, and an empty
 * guard. CUDA_ERROR_INVALID_VALUE for a NULL guard.
 */
CUCOPY_CHECK_RESULT CUresult cucopyGuardEnter(cucopyGuard *guard, CUstream stream);

/** The same for a context of the caller's choice; CUDA_ERROR_INVALID_VALUE for a NULL context. */
CUCOPY_CHECK_RESULT CUresult cucopyGuardEnterContext(cucopyGuard *guard, CUcontext context);

/**
 * Pop what Enter pushed. If something else is on top, it is put back: CUDA_ERROR_INVALID_CONTEXT, and the guard stays
 * open, so that the caller can mend the stack and exit again; so it does if the pop itself fails, with the driver's
 * code. An empty guard, and one that was exited: nothing to do, CUDA_SUCCESS. CUDA_ERROR_INVALID_VALUE for a NULL
 * guard.
 */
CUCOPY_CHECK_RESULT CUresult cucopyGuardExit(cucopyGuard *guard);

/* ---- Failures ---- */

/** What a call was doing when it failed. */
typedef enum cucopyStep {
    CUCOPY_STEP_LOAD = 1,    /**< finding the driver */
    CUCOPY_STEP_QUERY = 2,   /**< asking for the stream's context or the current one */
    CUCOPY_STEP_ENTER = 3,   /**< pushing the stream's context */
    CUCOPY_STEP_COPY = 4,    /**< the copy itself */
    CUCOPY_STEP_RESTORE = 5, /**< popping, after a copy that was enqueued */
} cucopyStep;

/** Not an entry of a batch. */
#define CUCOPY_NO_ENTRY ((size_t)-1)

/** A failed call of this layer. Starts with its size, which the caller sets, so that it can grow. */
typedef struct cucopyFailure {
    size_t size;              /**< sizeof(cucopyFailure) */
    const char *function;     /**< "cucopyMemcpyAsync"; valid until the process ends */
    cucopyStep step;          /**< where it failed */
    CUresult result;          /**< what it returned */
    CUstream stream;          /**< what it was called with; may be gone by now */
    CUcontext streamContext;  /**< the stream's context, NULL for a special stream or if it was not learned */
    CUcontext currentContext; /**< the context that was current when the call began, NULL if none or not learned */
    CUdeviceptr dst;          /**< where to, 0 for an array */
    CUdeviceptr src;          /**< where from, 0 for an array */
    size_t bytes;             /**< how much; of a box, its width times height times depth */
    size_t entry;             /**< which entry of a batch, or CUCOPY_NO_ENTRY */
    int enqueued;             /**< 1 if the copy was enqueued all the same */
} cucopyFailure;

/** A record that cucopyLastFailure can fill: cucopyFailure failure = CUCOPY_FAILURE_INIT; */
#define CUCOPY_FAILURE_INIT                                                                                            \
    {                                                                                                                  \
        sizeof(cucopyFailure)                                                                                          \
    }

/**
 * The last failure of this layer on this thread, up to failure->size bytes of it. CUDA_ERROR_NOT_FOUND if there was
 * none; CUDA_ERROR_INVALID_VALUE for NULL or a size that is too small for any version. A success in between changes
 * nothing.
 */
CUresult cucopyLastFailure(cucopyFailure *failure);

/**
 * A failure in plain English. Returns the length of the whole text without its terminator, as snprintf does; writes at
 * most size bytes, always terminated if size is not 0. text may be NULL if size is 0.
 */
size_t cucopyExplain(const cucopyFailure *failure, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
