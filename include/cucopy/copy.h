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
#define cucopyMemcpyAsyncEx cucopyMemcpyAsyncEx_ptsz
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
#define cucopyMemcpyBatchAsyncEx cucopyMemcpyBatchAsyncEx_ptsz
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
/** cuMemcpyPeerAsync, 4.0: between two contexts; also where neither device may access the other's pool or mapping. The
 *  driver cannot capture it: on a capturing stream CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, and the capture is lost. */
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
/** cuMemcpy3DPeerAsync, 4.0: a box, between two contexts; not to be captured either. NULL, on which the driver crashes,
 *  is INVALID_VALUE. */
CUresult CUDAAPI cucopyMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream);

/* ---- The owner's context, for copies that the stream's does not serve ----
 * Some copies between devices work only with another context current than the stream's: public reports say so of host
 * memory and device 1's pool, on a stream of device 0 to whom the pool grants nothing. */

/** Which context a copy runs in. */
typedef enum cucopyContextPolicy {
    CUCOPY_CONTEXT_STREAM = 0, /**< the stream's, as everywhere else in this layer */
    CUCOPY_CONTEXT_OWNER = 1,  /**< if the driver refuses that one, the memory's owner's */
} cucopyContextPolicy;

/** Starts with its size, which the caller sets, so that later versions can append to it. */
typedef struct cucopyOptions {
    size_t size;                 /**< sizeof(cucopyOptions) */
    cucopyContextPolicy context; /**< 0 is the default */
} cucopyOptions;

/** The defaults: cucopyOptions options = CUCOPY_OPTIONS_INIT; */
#define CUCOPY_OPTIONS_INIT                                                                                            \
    {                                                                                                                  \
        sizeof(cucopyOptions), CUCOPY_CONTEXT_STREAM                                                                   \
    }

/**
 * cucopyMemcpyAsync with options; NULL for the defaults. With CUCOPY_CONTEXT_OWNER a copy that the driver refuses with
 * CUDA_ERROR_INVALID_VALUE under the stream's context is tried once more, in the same stream, under a context of the
 * device that owns the side which the stream's device cannot reach: the caller's current context if it is on that
 * device, otherwise its primary context if that is active. Of that one a reference is held for the time of the call; it
 * is made only if another thread gives back the last reference at the very moment; it stays only with a context that
 * could not be popped, which the failure record names. If there is none, or the second try is refused too: the first
 * try's code. A copy on a special stream is not tried again, since under another context that is another stream. A copy
 * that works at once costs nothing more.
 *
 * CUDA_ERROR_INVALID_VALUE, and nothing copied, for a size or a policy that this version does not know.
 */
CUresult CUDAAPI cucopyMemcpyAsyncEx(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, const cucopyOptions *options,
                                     CUstream hStream);

/* ---- Batches ----
 * Many copies in one call, in no order among themselves. They work on every stream, under capture, and on every driver;
 * docs/batches.md says which way they go, and how fast.
 *
 * Everything is checked before anything is enqueued, and then nothing is copied: CUDA_ERROR_INVALID_VALUE for a null
 * pointer with a size, a range that passes the end of its allocation, an access order or flag that there is not,
 * indices that do not begin at 0 or do not rise. Entries of size 0 are skipped; a count of 0 succeeds.
 *
 * CU_MEMCPY_SRC_ACCESS_ORDER_STREAM reads every source in stream order, also memory that is not pinned. DURING_API_CALL
 * has read every source when the call returns: that of host memory on a capturing stream is
 * CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, and so is that of memory allocated under capture, which the driver does not
 * tell from host memory. ANY may read at any time, also after the call.
 *
 * If the driver fails midway, the failure record says how many entries are known to be enqueued. */

/** How the copies of a batch are done. */
typedef enum cucopyBatchPath {
    CUCOPY_BATCH_DEFAULT = 0, /**< as the environment's CUCOPY_BATCH_PATH says: auto, engine or kernel; else auto */
    CUCOPY_BATCH_AUTO = 1,    /**< the fastest way */
    CUCOPY_BATCH_ENGINE = 2,  /**< the driver's own copies */
    CUCOPY_BATCH_KERNEL = 3,  /**< kernels that do many copies each; CUDA_ERROR_NOT_SUPPORTED where none can */
} cucopyBatchPath;

/** What a caller may choose. Starts with its size, so that it can grow; what is 0 is the default. */
typedef struct cucopyBatchOptions {
    size_t size;                  /**< sizeof(cucopyBatchOptions) */
    int srcAccessOrder;           /**< as CUmemcpySrcAccessOrder: 1 stream (the default), 2 during the call, 3 any */
    int preferOverlapWithCompute; /**< 1: keep the copies off the multiprocessors */
    cucopyBatchPath path;
    unsigned int maxBlocks; /**< the most blocks of 256 threads that a kernel may occupy; 0: as many as help */
    /** CUCOPY_CONTEXT_OWNER: what the stream's device cannot reach is copied singly, each as by cucopyMemcpyAsyncEx */
    cucopyContextPolicy context;
} cucopyBatchOptions;

/** Options to fill in: cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT; */
#define CUCOPY_BATCH_OPTIONS_INIT                                                                                      \
    {                                                                                                                  \
        sizeof(cucopyBatchOptions), 0, 0, CUCOPY_BATCH_DEFAULT, 0, CUCOPY_CONTEXT_STREAM                               \
    }

/** count copies, with the same options for all of them; NULL for the defaults. On every toolkit. */
CUresult CUDAAPI cucopyMemcpyBatchAsyncEx(const CUdeviceptr *dsts, const CUdeviceptr *srcs, const size_t *sizes,
                                          size_t count, const cucopyBatchOptions *options, CUstream hStream);

#if CUDA_VERSION >= 12080 || defined(CUDRV_ALL_TYPES)
/** cuMemcpyBatchAsync, 13.0: numAttrs 0 means stream order for all. Works on drivers that have no such call. */
CUresult CUDAAPI cucopyMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                        CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                        CUstream hStream);
/** The form that toolkits 12.8 and 12.9 declare: if it fails, *failIdx is the entry that it is about, SIZE_MAX if it is
 *  about none. Without a driver, and on success, *failIdx is left as it is; failIdx may be NULL. */
CUresult CUDAAPI cucopyMemcpyBatchAsync_v12080(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                               CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                               size_t *failIdx, CUstream hStream);
/** cuMemcpy3DBatchAsync, 13.0: numOps boxes; flags is 0. By the driver's own copies alone, on every driver. */
CUresult CUDAAPI cucopyMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, unsigned long long flags,
                                          CUstream hStream);
/** The form that toolkits 12.8 and 12.9 declare: failIdx as for ranges. */
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

/** Whether a context was still there. */
typedef enum cucopyContextState {
    CUCOPY_CONTEXT_UNKNOWN = 0, /**< not asked, or the driver could not tell: cuCtxGetId came with 12.0 */
    CUCOPY_CONTEXT_ALIVE = 1,
    CUCOPY_CONTEXT_DESTROYED = 2,
    CUCOPY_CONTEXT_NONE = 3, /**< asked, and there was none */
} cucopyContextState;

/** Whether a stream was being captured. */
typedef enum cucopyCapture {
    CUCOPY_CAPTURE_UNKNOWN = 0, /**< not asked, or the driver could not tell */
    CUCOPY_CAPTURE_NONE = 1,
    CUCOPY_CAPTURE_ACTIVE = 2,
    CUCOPY_CAPTURE_INVALIDATED = 3, /**< an earlier call spoiled it; it is still to be ended */
    CUCOPY_CAPTURE_IMPLICIT = 4,    /**< the legacy stream, while a blocking stream of its context is captured */
} cucopyCapture;

/** What a device may do with memory. */
typedef enum cucopyAccess {
    CUCOPY_ACCESS_UNKNOWN = 0, /**< not asked, or the driver could not tell */
    CUCOPY_ACCESS_NONE = 1,
    CUCOPY_ACCESS_READ = 2,
    CUCOPY_ACCESS_READ_WRITE = 3,
} cucopyAccess;

/** More of the destination or the source of a copy than its address. What a function does not take is 0. */
typedef struct cucopySide {
    CUarray array;           /**< the array, NULL if it is not one */
    CUcontext context;       /**< the context that a peer copy was given for this side */
    size_t x;                /**< bytes into the array, or into the row where a box begins */
    size_t y;                /**< rows before the box */
    size_t z;                /**< layers before the box */
    size_t pitch;            /**< bytes from one row to the next */
    size_t rows;             /**< rows from one layer to the next */
    unsigned int memoryType; /**< of a box: the CUmemorytype it was given, right or wrong */
    cucopyAccess access;     /**< what the device that the copy ran for may do with the memory at dst or src */
} cucopySide;

/**
 * A failed call. It starts with its size, which the caller sets, so that later versions can append to it; a field that
 * is unknown is 0 unless it says otherwise. Handles are what they were at the time of the call, and may be gone by now.
 */
typedef struct cucopyFailure {
    size_t size;          /**< sizeof(cucopyFailure) */
    size_t entry;         /**< which entry of a batch, or CUCOPY_NO_ENTRY */
    int streamDevice;     /**< the device of the stream's context, -1 if not learned */
    int currentDevice;    /**< the device of the context that was current, -1 if not learned or none was */
    CUresult result;      /**< what the call returned */
    cucopyStep step;      /**< where it failed */
    int enqueued;         /**< 1 if the whole copy was enqueued all the same */
    int driverVersion;    /**< 13000 for a driver of CUDA 13.0 */
    const char *function; /**< "cucopyMemcpyAsync", ending in _ptsz for a per-thread variant; valid for ever */
    const char *missing;  /**< the entry point that this driver lacks, NULL if that is not it; valid for ever */
    const char *reason;   /**< what cucopy itself finds wrong, "pCopy is NULL"; NULL if nothing; valid for ever */
    const void *caller;   /**< the address that the call returns to, NULL if the compiler cannot say */

    CUstream stream;                       /**< what it was called with */
    cucopyCapture capture;                 /**< of that stream */
    cucopyContextState streamContextState; /**< of streamContext */
    cucopyContextState currentContextState;
    CUcontext streamContext;  /**< the stream's context; of a special stream the current one; NULL if not learned */
    CUcontext currentContext; /**< the context that was current when the call began, NULL if none or not learned */
    unsigned long long streamContextId; /**< as cuCtxGetId says; a handle can come back, an id cannot */
    unsigned long long currentContextId;

    CUdeviceptr dst; /**< where to, 0 for an array */
    CUdeviceptr src; /**< where from, 0 for an array */
    size_t bytes;    /**< how much; of a box, its width times height times depth; of a batch, of the entry */
    size_t width;    /**< of a box, in bytes; a copy that is no box has width, height and depth 0 */
    size_t height;   /**< of a box, in rows */
    size_t depth;    /**< of a box, in layers; 1 in two dimensions */
    cucopySide dstSide;
    cucopySide srcSide;
    size_t entriesEnqueued; /**< of a batch, how many entries are known to be enqueued */
    CUcontext stillPushed;  /**< what cucopy pushed and could not pop; NULL: the stack is as it was */
} cucopyFailure;

/** A record in which nothing is known: cucopyFailure failure = CUCOPY_FAILURE_INIT; */
#if defined(__cplusplus)
static inline cucopyFailure cucopyFailureInit()
{
    cucopyFailure failure = cucopyFailure();
    failure.size = sizeof(cucopyFailure);
    failure.entry = CUCOPY_NO_ENTRY;
    failure.streamDevice = failure.currentDevice = -1;
    return failure;
}
#define CUCOPY_FAILURE_INIT cucopyFailureInit()
#else
#define CUCOPY_FAILURE_INIT                                                                                            \
    {                                                                                                                  \
        .size = sizeof(cucopyFailure), .entry = CUCOPY_NO_ENTRY, .streamDevice = -1, .currentDevice = -1               \
    }
#endif

/**
 * The last failure of this layer on this thread, up to failure->size bytes of it. CUDA_ERROR_NOT_FOUND if there was
 * none; CUDA_ERROR_INVALID_VALUE for NULL or a size that is too small for any version. A success in between changes
 * nothing.
 */
CUresult cucopyLastFailure(cucopyFailure *failure);

/**
 * For a raw call that failed, so that cucopyExplain can explain it too. Begin with CUCOPY_FAILURE_INIT; say what you
 * know: function ("cuMemcpyAsync"), result, stream, dst, src, bytes, and of a box or an array the sides; then call
 * this, at once, on the same thread and with the same context current. It adds what is only known now: both contexts,
 * the capture, the driver's version, the access. A record that was not completed so is explained with what is in it.
 * Asks the driver only what does no harm in any state, changes no context, and leaves the thread's last failure alone.
 */
void cucopyObserveFailure(cucopyFailure *failure);

/**
 * A failure in plain English, in a few lines: what was called, what each pointer is, what is wrong and what to do about
 * it; or that the cause is not known. NULL means the last failure of this thread. The caller is given as addr2line -e
 * takes it.
 *
 * Returns the length of the whole text without its terminator, as snprintf does; writes at most size bytes, always
 * terminated if size is not 0. text may be NULL if size is 0. 4,096 bytes hold any text.
 *
 * Asks the driver about the pointers now, so ask soon. Never touches the stream or an array, changes no context,
 * invalidates no capture, allocates nothing, and is safe with pointers that are wrong and with a driver that is gone.
 * It never asks a pool for its access, since that would invalidate a capture under way on another thread; what a pool
 * grants is known from the moment of failure, or if a context of the device that matters is current.
 */
size_t cucopyExplain(const cucopyFailure *failure, char *text, size_t size);

/** Is given each failure, once, after the caller's context stack is as it was. Must return. */
typedef void (*cucopyFailureHandler)(const cucopyFailure *failure, void *user);

/**
 * Give every failing call of this layer in this process, on any thread, to handler; NULL: no longer. A call that is
 * failing meanwhile on another thread may still use the handler it found. The handler runs on the failing thread and
 * may call anything, this layer too; what fails within it is not handed to it again, nor logged, and when it returns
 * cucopyLastFailure is its failure again. CUDA_ERROR_OUT_OF_MEMORY if it cannot be kept; the old one then stays.
 *
 * Without touching the program: CUCOPY_LOG=1 in the environment prints the explanation of each failure on stderr, once
 * for each function, step, result and place of the call; CUCOPY_LOG=all prints every one.
 */
CUresult cucopySetFailureHandler(cucopyFailureHandler handler, void *user);

#ifdef __cplusplus
}
#endif

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
