/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The raw layer: the CUDA driver, loaded at run time, each call forwarded unchanged.
 *
 * A function here is the driver's with its `cu` replaced by `cudrv`: same parameters, same order, same CUresult. It
 * never looks at, sets, pushes or pops a context. The first call loads the driver; every later one is a single indirect
 * jump.
 *
 *  - No driver: CUDA_ERROR_SHARED_OBJECT_INIT_FAILED from every call. The toolkit's stub in its place:
 *    CUDA_ERROR_STUB_LIBRARY. A driver without that entry point: CUDA_ERROR_NOT_SUPPORTED. A call that did not reach
 * the driver leaves its outputs untouched; a code of the driver's is returned as it is.
 *  - A name has one signature for ever, that of CUDA 13.0's cuda.h, whatever toolkit compiles the caller. Older forms
 *    end in the version that introduced them, as in cudaTypedefs.h: cudrvCtxCreate_v3020. The version beside each
 *    function is the CUDA version of the driver that first had this form.
 *  - A translation unit compiled with CUDA_API_PER_THREAD_DEFAULT_STREAM gets the per-thread variant of every function
 *    that has one (cudrvMemcpyAsync_ptsz), as it would from cuda.h.
 *  - A function is declared if this toolkit's cuda.h has the types that it needs; the library exports all of them
 * always.
 *  - All functions may be called from any thread at any time.
 */
#ifndef CUCOPY_DRV_H
#define CUCOPY_DRV_H

#include <cuda.h>

#if !defined(CUDA_VERSION) || CUDA_VERSION < 11080
#error "cucopy needs the headers of CUDA Toolkit 11.8 or later"
#endif

/* CUDRV_ALL_TYPES is for the library itself, which declares the types that an old cuda.h lacks. */

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define cudrvStreamSynchronize cudrvStreamSynchronize_ptsz
#define cudrvStreamQuery cudrvStreamQuery_ptsz
#define cudrvStreamWaitEvent cudrvStreamWaitEvent_ptsz
#define cudrvStreamGetCtx cudrvStreamGetCtx_ptsz
#define cudrvStreamGetCtx_v2 cudrvStreamGetCtx_v2_ptsz
#define cudrvStreamGetDevice cudrvStreamGetDevice_ptsz
#define cudrvStreamGetId cudrvStreamGetId_ptsz
#define cudrvStreamGetFlags cudrvStreamGetFlags_ptsz
#define cudrvStreamGetPriority cudrvStreamGetPriority_ptsz
#define cudrvStreamGetAttribute cudrvStreamGetAttribute_ptsz
#define cudrvStreamSetAttribute cudrvStreamSetAttribute_ptsz
#define cudrvStreamCopyAttributes cudrvStreamCopyAttributes_ptsz
#define cudrvStreamAttachMemAsync cudrvStreamAttachMemAsync_ptsz
#define cudrvStreamAddCallback cudrvStreamAddCallback_ptsz
#define cudrvLaunchHostFunc cudrvLaunchHostFunc_ptsz
#define cudrvStreamWaitValue32 cudrvStreamWaitValue32_ptsz
#define cudrvStreamWaitValue64 cudrvStreamWaitValue64_ptsz
#define cudrvStreamWriteValue32 cudrvStreamWriteValue32_ptsz
#define cudrvStreamWriteValue64 cudrvStreamWriteValue64_ptsz
#define cudrvStreamBeginCapture cudrvStreamBeginCapture_ptsz
#define cudrvStreamBeginCaptureToGraph cudrvStreamBeginCaptureToGraph_ptsz
#define cudrvStreamEndCapture cudrvStreamEndCapture_ptsz
#define cudrvStreamIsCapturing cudrvStreamIsCapturing_ptsz
#define cudrvStreamGetCaptureInfo cudrvStreamGetCaptureInfo_ptsz
#define cudrvStreamGetCaptureInfo_v11030 cudrvStreamGetCaptureInfo_v11030_ptsz
#define cudrvStreamUpdateCaptureDependencies cudrvStreamUpdateCaptureDependencies_ptsz
#define cudrvStreamUpdateCaptureDependencies_v11030 cudrvStreamUpdateCaptureDependencies_v11030_ptsz
#define cudrvEventRecord cudrvEventRecord_ptsz
#define cudrvEventRecordWithFlags cudrvEventRecordWithFlags_ptsz
#define cudrvMemPrefetchAsync cudrvMemPrefetchAsync_ptsz
#define cudrvMemPrefetchAsync_v8000 cudrvMemPrefetchAsync_v8000_ptsz
#define cudrvMemPrefetchBatchAsync cudrvMemPrefetchBatchAsync_ptsz
#define cudrvMemDiscardBatchAsync cudrvMemDiscardBatchAsync_ptsz
#define cudrvMemDiscardAndPrefetchBatchAsync cudrvMemDiscardAndPrefetchBatchAsync_ptsz
#define cudrvMemAllocAsync cudrvMemAllocAsync_ptsz
#define cudrvMemAllocFromPoolAsync cudrvMemAllocFromPoolAsync_ptsz
#define cudrvMemFreeAsync cudrvMemFreeAsync_ptsz
#define cudrvMemcpy cudrvMemcpy_ptds
#define cudrvMemcpyPeer cudrvMemcpyPeer_ptds
#define cudrvMemcpyHtoD cudrvMemcpyHtoD_ptds
#define cudrvMemcpyDtoH cudrvMemcpyDtoH_ptds
#define cudrvMemcpyDtoD cudrvMemcpyDtoD_ptds
#define cudrvMemcpyDtoA cudrvMemcpyDtoA_ptds
#define cudrvMemcpyAtoD cudrvMemcpyAtoD_ptds
#define cudrvMemcpyHtoA cudrvMemcpyHtoA_ptds
#define cudrvMemcpyAtoH cudrvMemcpyAtoH_ptds
#define cudrvMemcpyAtoA cudrvMemcpyAtoA_ptds
#define cudrvMemcpy2D cudrvMemcpy2D_ptds
#define cudrvMemcpy2DUnaligned cudrvMemcpy2DUnaligned_ptds
#define cudrvMemcpy3D cudrvMemcpy3D_ptds
#define cudrvMemcpy3DPeer cudrvMemcpy3DPeer_ptds
#define cudrvMemcpyAsync cudrvMemcpyAsync_ptsz
#define cudrvMemcpyPeerAsync cudrvMemcpyPeerAsync_ptsz
#define cudrvMemcpyHtoDAsync cudrvMemcpyHtoDAsync_ptsz
#define cudrvMemcpyDtoHAsync cudrvMemcpyDtoHAsync_ptsz
#define cudrvMemcpyDtoDAsync cudrvMemcpyDtoDAsync_ptsz
#define cudrvMemcpyHtoAAsync cudrvMemcpyHtoAAsync_ptsz
#define cudrvMemcpyAtoHAsync cudrvMemcpyAtoHAsync_ptsz
#define cudrvMemcpy2DAsync cudrvMemcpy2DAsync_ptsz
#define cudrvMemcpy3DAsync cudrvMemcpy3DAsync_ptsz
#define cudrvMemcpy3DPeerAsync cudrvMemcpy3DPeerAsync_ptsz
#define cudrvMemcpyBatchAsync cudrvMemcpyBatchAsync_ptsz
#define cudrvMemcpyBatchAsync_v12080 cudrvMemcpyBatchAsync_v12080_ptsz
#define cudrvMemcpy3DBatchAsync cudrvMemcpy3DBatchAsync_ptsz
#define cudrvMemcpy3DBatchAsync_v12080 cudrvMemcpy3DBatchAsync_v12080_ptsz
#define cudrvMemcpyWithAttributesAsync cudrvMemcpyWithAttributesAsync_ptsz
#define cudrvMemcpy3DWithAttributesAsync cudrvMemcpy3DWithAttributesAsync_ptsz
#define cudrvMemsetD8 cudrvMemsetD8_ptds
#define cudrvMemsetD16 cudrvMemsetD16_ptds
#define cudrvMemsetD32 cudrvMemsetD32_ptds
#define cudrvMemsetD2D8 cudrvMemsetD2D8_ptds
#define cudrvMemsetD2D16 cudrvMemsetD2D16_ptds
#define cudrvMemsetD2D32 cudrvMemsetD2D32_ptds
#define cudrvMemsetD8Async cudrvMemsetD8Async_ptsz
#define cudrvMemsetD16Async cudrvMemsetD16Async_ptsz
#define cudrvMemsetD32Async cudrvMemsetD32Async_ptsz
#define cudrvMemsetD2D8Async cudrvMemsetD2D8Async_ptsz
#define cudrvMemsetD2D16Async cudrvMemsetD2D16Async_ptsz
#define cudrvMemsetD2D32Async cudrvMemsetD2D32Async_ptsz
#define cudrvGraphInstantiateWithParams cudrvGraphInstantiateWithParams_ptsz
#define cudrvGraphUpload cudrvGraphUpload_ptsz
#define cudrvGraphLaunch cudrvGraphLaunch_ptsz
#define cudrvLaunchKernel cudrvLaunchKernel_ptsz
#define cudrvLaunchKernelEx cudrvLaunchKernelEx_ptsz
#define cudrvLaunchCooperativeKernel cudrvLaunchCooperativeKernel_ptsz
#endif

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* ---- The loader ---- */

/**
 * Load the driver now, from path, or with NULL the platform's: libcuda.so.1, or nvcuda.dll of the system folder.
 * Optional: the first call of any function does it. cuInit stays the caller's to call. Nothing is ever unloaded.
 *
 * CUDA_SUCCESS; again: no effect, and with a path other than the one loaded: CUDA_ERROR_INVALID_VALUE.
 * CUDA_ERROR_SHARED_OBJECT_INIT_FAILED or CUDA_ERROR_STUB_LIBRARY: cudrvLoadError says why. A failed load is
 * remembered, so that calls stay cheap; cudrvLoad tries anew.
 */
CUresult cudrvLoad(const char *path);

/** Why the last load failed, "" if it did not fail or was never tried. The text stays valid until the process ends. */
const char *cudrvLoadError(void);

/** The file that the driver came from, NULL before it is loaded. Valid until the process ends. */
const char *cudrvPath(void);

/**
 * 1 if the driver has the entry point that a function here calls: cudrvHas("cuMemcpyBatchAsync") asks about
 * cudrvMemcpyBatchAsync, in exactly that form. 0 if it lacks it, if there is no driver, or for a name that is not in
 * this header. Loads the driver.
 */
int cudrvHas(const char *name);

/** "CUDA_ERROR_INVALID_VALUE" for CUDA_ERROR_INVALID_VALUE; needs no driver. "unknown CUresult" for others; never NULL.
 */
const char *cudrvResultName(CUresult result);

/* ---- Start and errors ----
 * None of these needs a context; only cuDriverGetVersion and the error texts work before cuInit. */

/** cuInit, 2.0: once per process before any other call; Flags is 0. */
CUresult CUDAAPI cudrvInit(unsigned int Flags);
/** cuDriverGetVersion, 2.2: the CUDA version of the driver, 1000 * major + 10 * minor. */
CUresult CUDAAPI cudrvDriverGetVersion(int *driverVersion);
/** cuGetErrorName, 6.0: the name of a code, a string of the driver's; cudrvResultName needs no driver. */
CUresult CUDAAPI cudrvGetErrorName(CUresult error, const char **pStr);
/** cuGetErrorString, 6.0: one sentence about a code, a string of the driver's. */
CUresult CUDAAPI cudrvGetErrorString(CUresult error, const char **pStr);
#if CUDA_VERSION >= 12000 || defined(CUDRV_ALL_TYPES)
/** cuGetProcAddress, 12.0: an entry point that this header lacks; symbolStatus may be NULL. */
CUresult CUDAAPI cudrvGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                                     CUdriverProcAddressQueryResult *symbolStatus);
#endif

/* ---- Devices ----
 * A device is an ordinal, not a resource: nothing to free, and no context is needed to ask. */

/** cuDeviceGetCount, 2.0: how many devices there are. */
CUresult CUDAAPI cudrvDeviceGetCount(int *count);
/** cuDeviceGet, 2.0: the device with that ordinal, from 0. */
CUresult CUDAAPI cudrvDeviceGet(CUdevice *device, int ordinal);
/** cuDeviceGetName, 2.0: its name into name, at most len bytes with the terminator. */
CUresult CUDAAPI cudrvDeviceGetName(char *name, int len, CUdevice dev);
/** cuDeviceGetUuid, 11.4: its 16 byte identity, a MIG slice's own. */
CUresult CUDAAPI cudrvDeviceGetUuid(CUuuid *uuid, CUdevice dev);
/** cuDeviceGetLuid, 10.0: its 8 byte identity on Windows. */
CUresult CUDAAPI cudrvDeviceGetLuid(char *luid, unsigned int *deviceNodeMask, CUdevice dev);
/** cuDeviceTotalMem, 3.2: its memory in bytes. */
CUresult CUDAAPI cudrvDeviceTotalMem(size_t *bytes, CUdevice dev);
/** cuDeviceGetAttribute, 2.0: one number about it. */
CUresult CUDAAPI cudrvDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev);
/** cuDeviceGetByPCIBusId, 4.1: the device at "domain:bus:device.function". */
CUresult CUDAAPI cudrvDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId);
/** cuDeviceGetPCIBusId, 4.1: where it is, into a buffer of at least 13 bytes. */
CUresult CUDAAPI cudrvDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev);
/** cuDeviceCanAccessPeer, 4.0: 1 if dev could be given access to peerDev's memory; says nothing of whether it was. */
CUresult CUDAAPI cudrvDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev);
/** cuDeviceGetP2PAttribute, 8.0: what the link between two devices can do. */
CUresult CUDAAPI cudrvDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice,
                                            CUdevice dstDevice);
/** cuDeviceGetDefaultMemPool, 11.2: the pool that the device was born with; not to be destroyed. */
CUresult CUDAAPI cudrvDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev);
/** cuDeviceGetMemPool, 11.2: the pool that cuMemAllocAsync takes from. */
CUresult CUDAAPI cudrvDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev);
/** cuDeviceSetMemPool, 11.2: which pool cuMemAllocAsync takes from. */
CUresult CUDAAPI cudrvDeviceSetMemPool(CUdevice dev, CUmemoryPool pool);

/* ---- Primary contexts ----
 * One for each device, shared with the runtime API and counted. */

/** cuDevicePrimaryCtxRetain, 7.0: the device's primary context, made if need be; every retain wants a release. */
CUresult CUDAAPI cudrvDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev);
/** cuDevicePrimaryCtxRelease, 11.0: give one retain back; the last one destroys the context. */
CUresult CUDAAPI cudrvDevicePrimaryCtxRelease(CUdevice dev);
/** cuDevicePrimaryCtxSetFlags, 11.0: flags for the next time that it is made, or now. */
CUresult CUDAAPI cudrvDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags);
/** cuDevicePrimaryCtxGetState, 7.0: its flags, and 1 in active if it exists. */
CUresult CUDAAPI cudrvDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active);
/** cuDevicePrimaryCtxReset, 11.0: destroy it whoever holds it. */
CUresult CUDAAPI cudrvDevicePrimaryCtxReset(CUdevice dev);

/* ---- Contexts and the context stack ----
 * Every thread has a stack of contexts of its own; its top is the current one. These calls are what the raw layer
 * never makes by itself. */

#if CUDA_VERSION >= 12050 || defined(CUDRV_ALL_TYPES)
/** cuCtxCreate, 12.5: a new context, pushed on this thread's stack; ctxCreateParams may be NULL. */
CUresult CUDAAPI cudrvCtxCreate(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags, CUdevice dev);
#endif
/** cuCtxCreate, 3.2: the form of drivers before 12.5; destroy it with cudrvCtxDestroy. */
CUresult CUDAAPI cudrvCtxCreate_v3020(CUcontext *pctx, unsigned int flags, CUdevice dev);
/** cuCtxDestroy, 4.0: destroy it, also while other threads have it current; popped if it is on top here. */
CUresult CUDAAPI cudrvCtxDestroy(CUcontext ctx);
/** cuCtxPushCurrent, 4.0: make it current; also succeeds for a context that was destroyed. */
CUresult CUDAAPI cudrvCtxPushCurrent(CUcontext ctx);
/** cuCtxPopCurrent, 4.0: remove the current one and, unless pctx is NULL, return it; INVALID_CONTEXT when the stack
 *  is empty. */
CUresult CUDAAPI cudrvCtxPopCurrent(CUcontext *pctx);
/** cuCtxSetCurrent, 4.0: replace the top, or push on an empty stack; NULL pops. */
CUresult CUDAAPI cudrvCtxSetCurrent(CUcontext ctx);
/** cuCtxGetCurrent, 4.0: the current context, NULL in *pctx if there is none. */
CUresult CUDAAPI cudrvCtxGetCurrent(CUcontext *pctx);
/** cuCtxGetDevice, 2.0: the device of the current context. */
CUresult CUDAAPI cudrvCtxGetDevice(CUdevice *device);
/** cuCtxGetDevice, 13.0: the device of ctx. */
CUresult CUDAAPI cudrvCtxGetDevice_v2(CUdevice *device, CUcontext ctx);
/** cuCtxGetFlags, 7.0: the flags of the current context. */
CUresult CUDAAPI cudrvCtxGetFlags(unsigned int *flags);
/** cuCtxSetFlags, 12.1: change the flags of the current context. */
CUresult CUDAAPI cudrvCtxSetFlags(unsigned int flags);
/** cuCtxGetId, 12.0: a number that no other context of this process ever has; CONTEXT_IS_DESTROYED for one that is
 *  gone. */
CUresult CUDAAPI cudrvCtxGetId(CUcontext ctx, unsigned long long *ctxId);
/** cuCtxGetApiVersion, 3.2: the API version that ctx was made with. */
CUresult CUDAAPI cudrvCtxGetApiVersion(CUcontext ctx, unsigned int *version);
/** cuCtxSynchronize, 2.0: wait for all work of the current context. */
CUresult CUDAAPI cudrvCtxSynchronize(void);
/** cuCtxSynchronize, 13.0: wait for all work of ctx. */
CUresult CUDAAPI cudrvCtxSynchronize_v2(CUcontext ctx);
/** cuCtxSetLimit, 3.1: a limit of the current context, in the unit of that limit. */
CUresult CUDAAPI cudrvCtxSetLimit(CUlimit limit, size_t value);
/** cuCtxGetLimit, 3.1: the value of a limit of the current context. */
CUresult CUDAAPI cudrvCtxGetLimit(size_t *pvalue, CUlimit limit);
/** cuCtxGetStreamPriorityRange, 5.5: the range for cuStreamCreateWithPriority; greatest is the smaller number. */
CUresult CUDAAPI cudrvCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority);
/** cuCtxRecordEvent, 12.5: record hEvent after all work of hCtx. */
CUresult CUDAAPI cudrvCtxRecordEvent(CUcontext hCtx, CUevent hEvent);
/** cuCtxWaitEvent, 12.5: all later work of hCtx waits for hEvent. */
CUresult CUDAAPI cudrvCtxWaitEvent(CUcontext hCtx, CUevent hEvent);
/** cuCtxEnablePeerAccess, 4.0: let the current context reach cuMemAlloc memory of peerContext; covers neither pools
 *  nor mapped memory. */
CUresult CUDAAPI cudrvCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags);
/** cuCtxDisablePeerAccess, 4.0: take that back. */
CUresult CUDAAPI cudrvCtxDisablePeerAccess(CUcontext peerContext);

/* ---- Green contexts ----
 * A part of a device's multiprocessors. cuCtxFromGreenCtx gives the CUcontext that can be pushed. */

#if CUDA_VERSION >= 12040 || defined(CUDRV_ALL_TYPES)
/** cuDeviceGetDevResource, 12.4: what a device has to share out. */
CUresult CUDAAPI cudrvDeviceGetDevResource(CUdevice device, CUdevResource *resource, CUdevResourceType type);
/** cuDevSmResourceSplitByCount, 12.4: split multiprocessors into groups of at least minCount. */
CUresult CUDAAPI cudrvDevSmResourceSplitByCount(CUdevResource *result, unsigned int *nbGroups,
                                                const CUdevResource *input, CUdevResource *remaining,
                                                unsigned int useFlags, unsigned int minCount);
/** cuDevResourceGenerateDesc, 12.4: a descriptor of resources, for cuGreenCtxCreate. */
CUresult CUDAAPI cudrvDevResourceGenerateDesc(CUdevResourceDesc *phDesc, CUdevResource *resources,
                                              unsigned int nbResources);
/** cuGreenCtxCreate, 12.4: a green context; flags is CU_GREEN_CTX_DEFAULT_STREAM. */
CUresult CUDAAPI cudrvGreenCtxCreate(CUgreenCtx *phCtx, CUdevResourceDesc desc, CUdevice dev, unsigned int flags);
/** cuGreenCtxDestroy, 12.4: destroy it; its streams are the caller's to destroy first. */
CUresult CUDAAPI cudrvGreenCtxDestroy(CUgreenCtx hCtx);
/** cuCtxFromGreenCtx, 12.4: its CUcontext, the same one each time; not to be destroyed. */
CUresult CUDAAPI cudrvCtxFromGreenCtx(CUcontext *pContext, CUgreenCtx hCtx);
/** cuCtxGetDevResource, 12.4: what a context has. */
CUresult CUDAAPI cudrvCtxGetDevResource(CUcontext hCtx, CUdevResource *resource, CUdevResourceType type);
/** cuGreenCtxGetDevResource, 12.4: what a green context has. */
CUresult CUDAAPI cudrvGreenCtxGetDevResource(CUgreenCtx hCtx, CUdevResource *resource, CUdevResourceType type);
/** cuGreenCtxRecordEvent, 12.4: record hEvent after all work of hCtx. */
CUresult CUDAAPI cudrvGreenCtxRecordEvent(CUgreenCtx hCtx, CUevent hEvent);
/** cuGreenCtxWaitEvent, 12.4: all later work of hCtx waits for hEvent. */
CUresult CUDAAPI cudrvGreenCtxWaitEvent(CUgreenCtx hCtx, CUevent hEvent);
/** cuGreenCtxStreamCreate, 12.5: a stream of greenCtx, whatever context is current. */
CUresult CUDAAPI cudrvGreenCtxStreamCreate(CUstream *phStream, CUgreenCtx greenCtx, unsigned int flags, int priority);
/** cuGreenCtxGetId, 12.9: a number that no other green context of this process ever has. */
CUresult CUDAAPI cudrvGreenCtxGetId(CUgreenCtx greenCtx, unsigned long long *greenCtxId);
/** cuStreamGetGreenCtx, 12.4: the green context of a stream, NULL in *phCtx if it has none. */
CUresult CUDAAPI cudrvStreamGetGreenCtx(CUstream hStream, CUgreenCtx *phCtx);
#endif

/* ---- Streams ----
 * A stream belongs to the context that was current when it was made. A destroyed or invented handle crashes inside
 * the driver. */

/** cuStreamCreate, 2.0: a stream of the current context. */
CUresult CUDAAPI cudrvStreamCreate(CUstream *phStream, unsigned int Flags);
/** cuStreamCreateWithPriority, 5.5: the same with a priority; smaller numbers go first. */
CUresult CUDAAPI cudrvStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority);
/** cuStreamDestroy, 4.0: no wait: its work still runs to the end. */
CUresult CUDAAPI cudrvStreamDestroy(CUstream hStream);
/** cuStreamSynchronize, 2.0: wait for its work. */
CUresult CUDAAPI cudrvStreamSynchronize(CUstream hStream);
/** cuStreamQuery, 2.0: CUDA_ERROR_NOT_READY while it has work. */
CUresult CUDAAPI cudrvStreamQuery(CUstream hStream);
/** cuStreamWaitEvent, 3.2: its later work waits for hEvent. */
CUresult CUDAAPI cudrvStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags);
/** cuStreamGetCtx, 9.2: the context that it belongs to, a green one as its CUcontext. */
CUresult CUDAAPI cudrvStreamGetCtx(CUstream hStream, CUcontext *pctx);
#if CUDA_VERSION >= 12040 || defined(CUDRV_ALL_TYPES)
/** cuStreamGetCtx, 12.5: for a green stream the primary context and the green one, otherwise its context and NULL. */
CUresult CUDAAPI cudrvStreamGetCtx_v2(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx);
#endif
/** cuStreamGetDevice, 12.8: its device; invalidates the capture that it is in. */
CUresult CUDAAPI cudrvStreamGetDevice(CUstream hStream, CUdevice *device);
/** cuStreamGetId, 12.0: a number that no other stream of this process ever has; invalidates the capture that it is
 *  in. */
CUresult CUDAAPI cudrvStreamGetId(CUstream hStream, unsigned long long *streamId);
/** cuStreamGetFlags, 5.5: the flags that it was made with. */
CUresult CUDAAPI cudrvStreamGetFlags(CUstream hStream, unsigned int *flags);
/** cuStreamGetPriority, 5.5: its priority. */
CUresult CUDAAPI cudrvStreamGetPriority(CUstream hStream, int *priority);
/** cuStreamGetAttribute, 11.0: one of its attributes. */
CUresult CUDAAPI cudrvStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value_out);
/** cuStreamSetAttribute, 11.0: change one of its attributes. */
CUresult CUDAAPI cudrvStreamSetAttribute(CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *value);
/** cuStreamCopyAttributes, 11.0: give dst the attributes of src. */
CUresult CUDAAPI cudrvStreamCopyAttributes(CUstream dst, CUstream src);
/** cuStreamAttachMemAsync, 6.0: tie managed memory to it. */
CUresult CUDAAPI cudrvStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags);
/** cuStreamAddCallback, 5.0: call back after its work so far, also after an error; no driver call is allowed in
 *  there. */
CUresult CUDAAPI cudrvStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData,
                                        unsigned int flags);
/** cuLaunchHostFunc, 10.0: a host function in stream order; no driver call is allowed in there. */
CUresult CUDAAPI cudrvLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData);
/** cuStreamWaitValue32, 11.7: its later work waits until a word in memory compares. */
CUresult CUDAAPI cudrvStreamWaitValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags);
/** cuStreamWaitValue64, 11.7: the same for 64 bits. */
CUresult CUDAAPI cudrvStreamWaitValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags);
/** cuStreamWriteValue32, 11.7: write a word in stream order. */
CUresult CUDAAPI cudrvStreamWriteValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags);
/** cuStreamWriteValue64, 11.7: the same for 64 bits. */
CUresult CUDAAPI cudrvStreamWriteValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags);

/* ---- Capture ----
 * What is enqueued on a capturing stream becomes nodes of a graph instead of running. */

/** cuStreamBeginCapture, 10.1: begin; mode says which threads may make which unsafe calls meanwhile. */
CUresult CUDAAPI cudrvStreamBeginCapture(CUstream hStream, CUstreamCaptureMode mode);
#if CUDA_VERSION >= 12030 || defined(CUDRV_ALL_TYPES)
/** cuStreamBeginCaptureToGraph, 12.3: begin, into a graph that exists; the arrays have numDependencies elements. */
CUresult CUDAAPI cudrvStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies,
                                                const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                                CUstreamCaptureMode mode);
#endif
/** cuStreamEndCapture, 10.0: end; the graph in *phGraph is the caller's to destroy, NULL if the capture was
 *  invalidated. */
CUresult CUDAAPI cudrvStreamEndCapture(CUstream hStream, CUgraph *phGraph);
/** cuStreamIsCapturing, 10.0: whether it captures; for NULL beside a blocking stream that does:
 *  STREAM_CAPTURE_IMPLICIT, harmless. */
CUresult CUDAAPI cudrvStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus);
#if CUDA_VERSION >= 12030 || defined(CUDRV_ALL_TYPES)
/** cuStreamGetCaptureInfo, 12.3: status, id, graph and dependencies; the arrays are the driver's, until the next
 *  call. */
CUresult CUDAAPI cudrvStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                           cuuint64_t *id_out, CUgraph *graph_out, const CUgraphNode **dependencies_out,
                                           const CUgraphEdgeData **edgeData_out, size_t *numDependencies_out);
#endif
/** cuStreamGetCaptureInfo, 11.3: the form of drivers before 12.3, with no edge data. */
CUresult CUDAAPI cudrvStreamGetCaptureInfo_v11030(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                                  cuuint64_t *id_out, CUgraph *graph_out,
                                                  const CUgraphNode **dependencies_out, size_t *numDependencies_out);
#if CUDA_VERSION >= 12030 || defined(CUDRV_ALL_TYPES)
/** cuStreamUpdateCaptureDependencies, 12.3: what the next captured node depends on. */
CUresult CUDAAPI cudrvStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies,
                                                      const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                                      unsigned int flags);
#endif
/** cuStreamUpdateCaptureDependencies, 11.3: the form of drivers before 12.3, with no edge data. */
CUresult CUDAAPI cudrvStreamUpdateCaptureDependencies_v11030(CUstream hStream, CUgraphNode *dependencies,
                                                             size_t numDependencies, unsigned int flags);
/** cuThreadExchangeStreamCaptureMode, 10.1: swap this thread's mode with *mode. */
CUresult CUDAAPI cudrvThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode);

/* ---- Events ----
 * Made in the current context; recorded in a stream of that context only (INVALID_HANDLE otherwise). */

/** cuEventCreate, 2.0: an event of the current context. */
CUresult CUDAAPI cudrvEventCreate(CUevent *phEvent, unsigned int Flags);
/** cuEventRecord, 2.0: put it after the work of hStream so far. */
CUresult CUDAAPI cudrvEventRecord(CUevent hEvent, CUstream hStream);
/** cuEventRecordWithFlags, 11.1: the same, with CU_EVENT_RECORD_EXTERNAL to stay an event inside a capture. */
CUresult CUDAAPI cudrvEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags);
/** cuEventQuery, 2.0: CUDA_ERROR_NOT_READY while it is not reached. */
CUresult CUDAAPI cudrvEventQuery(CUevent hEvent);
/** cuEventSynchronize, 2.0: wait for it. */
CUresult CUDAAPI cudrvEventSynchronize(CUevent hEvent);
/** cuEventDestroy, 4.0: no wait. */
CUresult CUDAAPI cudrvEventDestroy(CUevent hEvent);
/** cuEventElapsedTime, 12.8: milliseconds between two events, to about half a microsecond. */
CUresult CUDAAPI cudrvEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd);
/** cuEventElapsedTime, 2.0: the form of drivers before 12.8. */
CUresult CUDAAPI cudrvEventElapsedTime_v2000(float *pMilliseconds, CUevent hStart, CUevent hEnd);

/* ---- Memory ----
 * Sizes are in bytes. What is allocated belongs to the current context and is freed with it. */

/** cuMemGetInfo, 3.2: free and total memory of the current context's device. */
CUresult CUDAAPI cudrvMemGetInfo(size_t *free, size_t *total);
/** cuMemAlloc, 3.2: device memory, aligned to 256 bytes. */
CUresult CUDAAPI cudrvMemAlloc(CUdeviceptr *dptr, size_t bytesize);
/** cuMemAllocPitch, 3.2: rows of device memory, *pPitch bytes apart. */
CUresult CUDAAPI cudrvMemAllocPitch(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
                                    unsigned int ElementSizeBytes);
/** cuMemFree, 3.2: free it; waits for work that uses it. */
CUresult CUDAAPI cudrvMemFree(CUdeviceptr dptr);
/** cuMemGetAddressRange, 3.2: the allocation that dptr is in; either output may be NULL; NOT_FOUND for other memory.
 *  */
CUresult CUDAAPI cudrvMemGetAddressRange(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr);
/** cuMemAllocHost, 3.2: pinned host memory. */
CUresult CUDAAPI cudrvMemAllocHost(void **pp, size_t bytesize);
/** cuMemFreeHost, 2.0: free pinned host memory. */
CUresult CUDAAPI cudrvMemFreeHost(void *p);
/** cuMemHostAlloc, 2.2: pinned host memory with CU_MEMHOSTALLOC_ flags. */
CUresult CUDAAPI cudrvMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags);
/** cuMemHostRegister, 6.5: pin memory of the caller's, who keeps it until it is unregistered. */
CUresult CUDAAPI cudrvMemHostRegister(void *p, size_t bytesize, unsigned int Flags);
/** cuMemHostUnregister, 4.0: take that back. */
CUresult CUDAAPI cudrvMemHostUnregister(void *p);
/** cuMemHostGetDevicePointer, 3.2: the device's address of pinned memory. */
CUresult CUDAAPI cudrvMemHostGetDevicePointer(CUdeviceptr *pdptr, void *p, unsigned int Flags);
/** cuMemHostGetFlags, 2.3: the flags that pinned memory was made with. */
CUresult CUDAAPI cudrvMemHostGetFlags(unsigned int *pFlags, void *p);
/** cuMemAllocManaged, 6.0: memory that moves between host and devices. */
CUresult CUDAAPI cudrvMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags);
/** cuMemPrefetchAsync, 12.2: move managed memory to location in stream order. */
CUresult CUDAAPI cudrvMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags,
                                       CUstream hStream);
/** cuMemPrefetchAsync, 8.0: the form of drivers before 12.2, to a device or CU_DEVICE_CPU. */
CUresult CUDAAPI cudrvMemPrefetchAsync_v8000(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream);
/** cuMemAdvise, 12.2: how managed memory will be used, at location. */
CUresult CUDAAPI cudrvMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location);
/** cuMemAdvise, 8.0: the form of drivers before 12.2, for a device or CU_DEVICE_CPU. */
CUresult CUDAAPI cudrvMemAdvise_v8000(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device);
/** cuMemPrefetchBatchAsync, 13.0: prefetch many ranges at once. */
CUresult CUDAAPI cudrvMemPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                            CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                            size_t numPrefetchLocs, unsigned long long flags, CUstream hStream);
/** cuMemDiscardBatchAsync, 13.0: drop the contents of many ranges at once. */
CUresult CUDAAPI cudrvMemDiscardBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count, unsigned long long flags,
                                           CUstream hStream);
/** cuMemDiscardAndPrefetchBatchAsync, 13.0: both at once. */
CUresult CUDAAPI cudrvMemDiscardAndPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                                      CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                                      size_t numPrefetchLocs, unsigned long long flags,
                                                      CUstream hStream);
/** cuMemRangeGetAttribute, 8.0: one attribute of a managed range, into dataSize bytes. */
CUresult CUDAAPI cudrvMemRangeGetAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute,
                                           CUdeviceptr devPtr, size_t count);
/** cuMemRangeGetAttributes, 8.0: several at once. */
CUresult CUDAAPI cudrvMemRangeGetAttributes(void **data, size_t *dataSizes, CUmem_range_attribute *attributes,
                                            size_t numAttributes, CUdeviceptr devPtr, size_t count);
/** cuPointerGetAttribute, 4.0: one attribute of a pointer; INVALID_VALUE for memory that CUDA does not know. */
CUresult CUDAAPI cudrvPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr);
/** cuPointerGetAttributes, 7.0: several at once; memory that CUDA does not know gives zeros and success. */
CUresult CUDAAPI cudrvPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes, void **data,
                                           CUdeviceptr ptr);
/** cuPointerSetAttribute, 6.0: change one attribute of a pointer. */
CUresult CUDAAPI cudrvPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr);
/** cuMemGetHandleForAddressRange, 11.7: an operating system handle (dma-buf) for a range. */
CUresult CUDAAPI cudrvMemGetHandleForAddressRange(void *handle, CUdeviceptr dptr, size_t size,
                                                  CUmemRangeHandleType handleType, unsigned long long flags);
/** cuIpcGetMemHandle, 4.1: a handle for another process, to cuMemAlloc memory. */
CUresult CUDAAPI cudrvIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr);
/** cuIpcOpenMemHandle, 11.0: map another process's memory here. */
CUresult CUDAAPI cudrvIpcOpenMemHandle(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags);
/** cuIpcCloseMemHandle, 4.1: unmap it. */
CUresult CUDAAPI cudrvIpcCloseMemHandle(CUdeviceptr dptr);
/** cuIpcGetEventHandle, 4.1: a handle for another process, to an event. */
CUresult CUDAAPI cudrvIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event);
/** cuIpcOpenEventHandle, 4.1: another process's event here. */
CUresult CUDAAPI cudrvIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle);

/* ---- Arrays ----
 * Opaque memory for textures. Offsets and pitches are in bytes, widths in elements. */

/** cuArrayCreate, 3.2: one or two dimensions. */
CUresult CUDAAPI cudrvArrayCreate(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray);
/** cuArray3DCreate, 3.2: up to three, or layers. */
CUresult CUDAAPI cudrvArray3DCreate(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray);
/** cuArrayGetDescriptor, 3.2: what it was made from. */
CUresult CUDAAPI cudrvArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray);
/** cuArray3DGetDescriptor, 3.2: the same with depth and flags. */
CUresult CUDAAPI cudrvArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray);
/** cuArrayDestroy, 2.0: free it. */
CUresult CUDAAPI cudrvArrayDestroy(CUarray hArray);
/** cuMipmappedArrayCreate, 5.0: an array for each level. */
CUresult CUDAAPI cudrvMipmappedArrayCreate(CUmipmappedArray *pHandle,
                                           const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
                                           unsigned int numMipmapLevels);
/** cuMipmappedArrayGetLevel, 5.0: the array of one level; not to be destroyed. */
CUresult CUDAAPI cudrvMipmappedArrayGetLevel(CUarray *pLevelArray, CUmipmappedArray hMipmappedArray,
                                             unsigned int level);
/** cuMipmappedArrayDestroy, 5.0: free all levels. */
CUresult CUDAAPI cudrvMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray);

/* ---- Pools ----
 * Allocation in stream order. Access is granted to devices, per pool; no context owns this memory. Asking a pool
 * for its access or attributes invalidates a capture on this thread, and a global one on any. */

/** cuMemAllocAsync, 11.2: from the pool of the stream's device. */
CUresult CUDAAPI cudrvMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream);
/** cuMemAllocFromPoolAsync, 11.2: from pool. */
CUresult CUDAAPI cudrvMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream);
/** cuMemFreeAsync, 11.2: give it back in stream order; any stream will do. */
CUresult CUDAAPI cudrvMemFreeAsync(CUdeviceptr dptr, CUstream hStream);
/** cuMemPoolCreate, 11.2: a pool on the device in poolProps. */
CUresult CUDAAPI cudrvMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps);
/** cuMemPoolDestroy, 11.2: it goes when its last allocation is freed. */
CUresult CUDAAPI cudrvMemPoolDestroy(CUmemoryPool pool);
/** cuMemPoolTrimTo, 11.2: give memory back to the system, down to minBytesToKeep. */
CUresult CUDAAPI cudrvMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep);
/** cuMemPoolSetAttribute, 11.2: change an attribute. */
CUresult CUDAAPI cudrvMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value);
/** cuMemPoolGetAttribute, 11.2: read an attribute. */
CUresult CUDAAPI cudrvMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value);
/** cuMemPoolSetAccess, 11.2: which devices may reach its memory, for allocations that exist and that will. */
CUresult CUDAAPI cudrvMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count);
/** cuMemPoolGetAccess, 11.2: which access a device has. */
CUresult CUDAAPI cudrvMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool, CUmemLocation *location);
/** cuMemGetDefaultMemPool, 13.0: the default pool of a location and kind of memory. */
CUresult CUDAAPI cudrvMemGetDefaultMemPool(CUmemoryPool *pool_out, CUmemLocation *location, CUmemAllocationType type);
/** cuMemGetMemPool, 13.0: the current pool of a location and kind of memory. */
CUresult CUDAAPI cudrvMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type);
/** cuMemSetMemPool, 13.0: choose that pool. */
CUresult CUDAAPI cudrvMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool);
/** cuMemPoolExportToShareableHandle, 11.2: a handle of the whole pool for another process. */
CUresult CUDAAPI cudrvMemPoolExportToShareableHandle(void *handle_out, CUmemoryPool pool,
                                                     CUmemAllocationHandleType handleType, unsigned long long flags);
/** cuMemPoolImportFromShareableHandle, 11.2: another process's pool. */
CUresult CUDAAPI cudrvMemPoolImportFromShareableHandle(CUmemoryPool *pool_out, void *handle,
                                                       CUmemAllocationHandleType handleType, unsigned long long flags);
/** cuMemPoolExportPointer, 11.2: what another process needs to find one allocation. */
CUresult CUDAAPI cudrvMemPoolExportPointer(CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr);
/** cuMemPoolImportPointer, 11.2: another process's allocation. */
CUresult CUDAAPI cudrvMemPoolImportPointer(CUdeviceptr *ptr_out, CUmemoryPool pool, CUmemPoolPtrExportData *shareData);

/* ---- Virtual memory ----
 * Addresses, memory and access are three separate things: reserve, create, map, then cuMemSetAccess. Without the
 * last, copies fail with INVALID_VALUE, or crash the driver when no context is current. */

/** cuMemAddressReserve, 10.2: a range of addresses; size is a multiple of the granularity. */
CUresult CUDAAPI cudrvMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
                                        unsigned long long flags);
/** cuMemAddressFree, 10.2: give it back whole. */
CUresult CUDAAPI cudrvMemAddressFree(CUdeviceptr ptr, size_t size);
/** cuMemCreate, 10.2: memory, not mapped. */
CUresult CUDAAPI cudrvMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
                                unsigned long long flags);
/** cuMemRelease, 10.2: drop the handle; the memory stays while it is mapped. */
CUresult CUDAAPI cudrvMemRelease(CUmemGenericAllocationHandle handle);
/** cuMemMap, 10.2: put memory at an address; nobody may access it yet. */
CUresult CUDAAPI cudrvMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                             unsigned long long flags);
/** cuMemUnmap, 10.2: take it away from there. */
CUresult CUDAAPI cudrvMemUnmap(CUdeviceptr ptr, size_t size);
/** cuMemSetAccess, 10.2: which devices may reach a mapped range. */
CUresult CUDAAPI cudrvMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count);
/** cuMemGetAccess, 10.2: which access a device has. */
CUresult CUDAAPI cudrvMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr);
/** cuMemGetAllocationGranularity, 10.2: what sizes and addresses are multiples of. */
CUresult CUDAAPI cudrvMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                                  CUmemAllocationGranularity_flags option);
/** cuMemGetAllocationPropertiesFromHandle, 10.2: what memory was created from. */
CUresult CUDAAPI cudrvMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                                           CUmemGenericAllocationHandle handle);
/** cuMemRetainAllocationHandle, 11.0: the handle of mapped memory; wants a release. */
CUresult CUDAAPI cudrvMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr);
/** cuMemExportToShareableHandle, 10.2: a handle for another process. */
CUresult CUDAAPI cudrvMemExportToShareableHandle(void *shareableHandle, CUmemGenericAllocationHandle handle,
                                                 CUmemAllocationHandleType handleType, unsigned long long flags);
/** cuMemImportFromShareableHandle, 10.2: another process's memory. */
CUresult CUDAAPI cudrvMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle,
                                                   CUmemAllocationHandleType shHandleType);

/* ---- Copies that wait ----
 * In the legacy default stream, or the per-thread one, of the current context. Copies between device addresses may
 * return before they are done. */

/** cuMemcpy, 4.0: between any two unified addresses. */
CUresult CUDAAPI cudrvMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount);
/** cuMemcpyPeer, 4.0: between two contexts. */
CUresult CUDAAPI cudrvMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                                 CUcontext srcContext, size_t ByteCount);
/** cuMemcpyHtoD, 3.2: host to device. */
CUresult CUDAAPI cudrvMemcpyHtoD(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount);
/** cuMemcpyDtoH, 3.2: device to host. */
CUresult CUDAAPI cudrvMemcpyDtoH(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount);
/** cuMemcpyDtoD, 3.2: device to device. */
CUresult CUDAAPI cudrvMemcpyDtoD(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount);
/** cuMemcpyDtoA, 3.2: device to array. */
CUresult CUDAAPI cudrvMemcpyDtoA(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice, size_t ByteCount);
/** cuMemcpyAtoD, 3.2: array to device. */
CUresult CUDAAPI cudrvMemcpyAtoD(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset, size_t ByteCount);
/** cuMemcpyHtoA, 3.2: host to array. */
CUresult CUDAAPI cudrvMemcpyHtoA(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount);
/** cuMemcpyAtoH, 3.2: array to host. */
CUresult CUDAAPI cudrvMemcpyAtoH(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount);
/** cuMemcpyAtoA, 3.2: array to array. */
CUresult CUDAAPI cudrvMemcpyAtoA(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset,
                                 size_t ByteCount);
/** cuMemcpy2D, 3.2: rows; widths and pitches in bytes. */
CUresult CUDAAPI cudrvMemcpy2D(const CUDA_MEMCPY2D *pCopy);
/** cuMemcpy2DUnaligned, 3.2: rows of any pitch. */
CUresult CUDAAPI cudrvMemcpy2DUnaligned(const CUDA_MEMCPY2D *pCopy);
/** cuMemcpy3D, 3.2: a box. */
CUresult CUDAAPI cudrvMemcpy3D(const CUDA_MEMCPY3D *pCopy);
/** cuMemcpy3DPeer, 4.0: a box, between two contexts. */
CUresult CUDAAPI cudrvMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy);

/* ---- Asynchronous copies ----
 * Checked against the current context, not against the stream's; cucopy/copy.h has the same functions with the
 * stream's context made current. Host memory that is not pinned is read at the call, ahead of earlier work in the
 * stream. A wild pointer in an untyped copy crashes. */

/** cuMemcpyAsync, 4.0: between any two unified addresses. */
CUresult CUDAAPI cudrvMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream);
/** cuMemcpyPeerAsync, 4.0: between two contexts, which the driver does not check; ends a capture. */
CUresult CUDAAPI cudrvMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                                      CUcontext srcContext, size_t ByteCount, CUstream hStream);
/** cuMemcpyHtoDAsync, 3.2: host to device. */
CUresult CUDAAPI cudrvMemcpyHtoDAsync(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream);
/** cuMemcpyDtoHAsync, 3.2: device to host. */
CUresult CUDAAPI cudrvMemcpyDtoHAsync(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream);
/** cuMemcpyDtoDAsync, 3.2: device to device. */
CUresult CUDAAPI cudrvMemcpyDtoDAsync(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream);
/** cuMemcpyHtoAAsync, 3.2: host to array. */
CUresult CUDAAPI cudrvMemcpyHtoAAsync(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount,
                                      CUstream hStream);
/** cuMemcpyAtoHAsync, 3.2: array to host. */
CUresult CUDAAPI cudrvMemcpyAtoHAsync(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                                      CUstream hStream);
/** cuMemcpy2DAsync, 3.2: rows; widths and pitches in bytes. */
CUresult CUDAAPI cudrvMemcpy2DAsync(const CUDA_MEMCPY2D *pCopy, CUstream hStream);
/** cuMemcpy3DAsync, 3.2: a box. */
CUresult CUDAAPI cudrvMemcpy3DAsync(const CUDA_MEMCPY3D *pCopy, CUstream hStream);
/** cuMemcpy3DPeerAsync, 4.0: a box, between two contexts; crashes on NULL. */
CUresult CUDAAPI cudrvMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream);
#if CUDA_VERSION >= 12080 || defined(CUDRV_ALL_TYPES)
/** cuMemcpyBatchAsync, 13.0: count copies in no order among themselves; refuses the legacy stream and captures, and
 *  may have copied some when it fails. */
CUresult CUDAAPI cudrvMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                       CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, CUstream hStream);
/** cuMemcpyBatchAsync, 12.8: the form of drivers 12.8 and 12.9. */
CUresult CUDAAPI cudrvMemcpyBatchAsync_v12080(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                              CUmemcpyAttributes *attrs, size_t *attrIdxs, size_t numAttrs,
                                              size_t *failIdx, CUstream hStream);
/** cuMemcpy3DBatchAsync, 13.0: numOps boxes, with the same limits. */
CUresult CUDAAPI cudrvMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, unsigned long long flags,
                                         CUstream hStream);
/** cuMemcpy3DBatchAsync, 12.8: the form of drivers 12.8 and 12.9. */
CUresult CUDAAPI cudrvMemcpy3DBatchAsync_v12080(size_t numParams, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx,
                                                unsigned long long flags, CUstream hStream);
/** cuMemcpyWithAttributesAsync, 13.2: one copy with the attributes of a batch. */
CUresult CUDAAPI cudrvMemcpyWithAttributesAsync(CUdeviceptr dst, CUdeviceptr src, size_t size, CUmemcpyAttributes *attr,
                                                CUstream hStream);
/** cuMemcpy3DWithAttributesAsync, 13.2: one box with the attributes of a batch. */
CUresult CUDAAPI cudrvMemcpy3DWithAttributesAsync(CUDA_MEMCPY3D_BATCH_OP *op, unsigned long long flags,
                                                  CUstream hStream);
#endif

/* ---- Memsets ----
 * N, Width and Height count elements of 8, 16 or 32 bits; dstPitch is in bytes. */

/** cuMemsetD8, 3.2: N bytes. */
CUresult CUDAAPI cudrvMemsetD8(CUdeviceptr dstDevice, unsigned char uc, size_t N);
/** cuMemsetD16, 3.2: N half words. */
CUresult CUDAAPI cudrvMemsetD16(CUdeviceptr dstDevice, unsigned short us, size_t N);
/** cuMemsetD32, 3.2: N words. */
CUresult CUDAAPI cudrvMemsetD32(CUdeviceptr dstDevice, unsigned int ui, size_t N);
/** cuMemsetD2D8, 3.2: Height rows of Width bytes. */
CUresult CUDAAPI cudrvMemsetD2D8(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height);
/** cuMemsetD2D16, 3.2: Height rows of Width half words. */
CUresult CUDAAPI cudrvMemsetD2D16(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                                  size_t Height);
/** cuMemsetD2D32, 3.2: Height rows of Width words. */
CUresult CUDAAPI cudrvMemsetD2D32(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height);
/** cuMemsetD8Async, 3.2: N bytes in stream order. */
CUresult CUDAAPI cudrvMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream);
/** cuMemsetD16Async, 3.2: N half words in stream order. */
CUresult CUDAAPI cudrvMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream);
/** cuMemsetD32Async, 3.2: N words in stream order. */
CUresult CUDAAPI cudrvMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream);
/** cuMemsetD2D8Async, 3.2: Height rows of Width bytes in stream order. */
CUresult CUDAAPI cudrvMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                                      size_t Height, CUstream hStream);
/** cuMemsetD2D16Async, 3.2: Height rows of Width half words in stream order. */
CUresult CUDAAPI cudrvMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                                       size_t Height, CUstream hStream);
/** cuMemsetD2D32Async, 3.2: Height rows of Width words in stream order. */
CUresult CUDAAPI cudrvMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                                       size_t Height, CUstream hStream);

/* ---- Graphs ----
 * As far as captured graphs go. */

/** cuGraphCreate, 10.0: an empty graph; flags is 0. */
CUresult CUDAAPI cudrvGraphCreate(CUgraph *phGraph, unsigned int flags);
/** cuGraphDestroy, 10.0: destroy it; what was instantiated from it lives on. */
CUresult CUDAAPI cudrvGraphDestroy(CUgraph hGraph);
/** cuGraphGetNodes, 10.0: its nodes, at most *numNodes of them; with nodes NULL, how many. */
CUresult CUDAAPI cudrvGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes);
/** cuGraphNodeGetType, 10.0: what a node is. */
CUresult CUDAAPI cudrvGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type);
/** cuGraphDebugDotPrint, 11.3: write it to a file for Graphviz. */
CUresult CUDAAPI cudrvGraphDebugDotPrint(CUgraph hGraph, const char *path, unsigned int flags);
/** cuGraphInstantiate, 11.4: make it executable (what the driver calls cuGraphInstantiateWithFlags); wants a current
 *  context. */
CUresult CUDAAPI cudrvGraphInstantiate(CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags);
#if CUDA_VERSION >= 12000 || defined(CUDRV_ALL_TYPES)
/** cuGraphInstantiateWithParams, 12.0: the same, with where it failed in the parameters. */
CUresult CUDAAPI cudrvGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
                                                 CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams);
/** cuGraphExecUpdate, 12.0: give an executable graph the parameters of another of the same shape. */
CUresult CUDAAPI cudrvGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResultInfo *resultInfo);
#endif
/** cuGraphUpload, 11.1: prepare a launch. */
CUresult CUDAAPI cudrvGraphUpload(CUgraphExec hGraphExec, CUstream hStream);
/** cuGraphLaunch, 10.0: run it in stream order. */
CUresult CUDAAPI cudrvGraphLaunch(CUgraphExec hGraphExec, CUstream hStream);
/** cuGraphExecDestroy, 10.0: destroy what cuGraphInstantiate made. */
CUresult CUDAAPI cudrvGraphExecDestroy(CUgraphExec hGraphExec);

/* ---- Code ----
 * Libraries belong to no context; a module belongs to the current one. */

#if CUDA_VERSION >= 12000 || defined(CUDRV_ALL_TYPES)
/** cuLibraryLoadData, 12.0: PTX, cubin or fatbin from memory, which may be freed afterwards. */
CUresult CUDAAPI cudrvLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                                      void **jitOptionsValues, unsigned int numJitOptions,
                                      CUlibraryOption *libraryOptions, void **libraryOptionValues,
                                      unsigned int numLibraryOptions);
/** cuLibraryLoadFromFile, 12.0: the same from a file. */
CUresult CUDAAPI cudrvLibraryLoadFromFile(CUlibrary *library, const char *fileName, CUjit_option *jitOptions,
                                          void **jitOptionsValues, unsigned int numJitOptions,
                                          CUlibraryOption *libraryOptions, void **libraryOptionValues,
                                          unsigned int numLibraryOptions);
/** cuLibraryUnload, 12.0: unload it everywhere. */
CUresult CUDAAPI cudrvLibraryUnload(CUlibrary library);
/** cuLibraryGetKernel, 12.0: a kernel by its name. */
CUresult CUDAAPI cudrvLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name);
/** cuLibraryGetModule, 12.0: the module of a library in the current context. */
CUresult CUDAAPI cudrvLibraryGetModule(CUmodule *pMod, CUlibrary library);
/** cuLibraryGetGlobal, 12.0: a variable in the current context. */
CUresult CUDAAPI cudrvLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name);
/** cuKernelGetFunction, 12.0: the kernel as a function of the current context. */
CUresult CUDAAPI cudrvKernelGetFunction(CUfunction *pFunc, CUkernel kernel);
/** cuKernelGetAttribute, 12.0: one number about a kernel on a device. */
CUresult CUDAAPI cudrvKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev);
/** cuKernelSetAttribute, 12.0: change one. */
CUresult CUDAAPI cudrvKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev);
#endif
/** cuModuleLoadData, 2.0: PTX, cubin or fatbin into the current context. */
CUresult CUDAAPI cudrvModuleLoadData(CUmodule *module, const void *image);
/** cuModuleLoadDataEx, 2.1: the same with options for the compiler. */
CUresult CUDAAPI cudrvModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
                                       CUjit_option *options, void **optionValues);
/** cuModuleUnload, 2.0: unload it. */
CUresult CUDAAPI cudrvModuleUnload(CUmodule hmod);
/** cuModuleGetFunction, 2.0: a kernel by its name. */
CUresult CUDAAPI cudrvModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name);
/** cuModuleGetGlobal, 3.2: a variable by its name. */
CUresult CUDAAPI cudrvModuleGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name);
/** cuFuncGetAttribute, 2.2: one number about a function. */
CUresult CUDAAPI cudrvFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc);
/** cuFuncSetAttribute, 9.0: change one. */
CUresult CUDAAPI cudrvFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value);
/** cuOccupancyMaxActiveBlocksPerMultiprocessor, 6.5: how many blocks fit on one multiprocessor. */
CUresult CUDAAPI cudrvOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
                                                                size_t dynamicSMemSize);
/** cuLaunchKernel, 4.0: launch f, a function of the current context or a CUkernel; parameters by address or as one
 *  buffer in extra. */
CUresult CUDAAPI cudrvLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                   unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra);
/** cuLaunchKernelEx, 11.6: the same with attributes. */
CUresult CUDAAPI cudrvLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra);
/** cuLaunchCooperativeKernel, 9.0: a launch whose blocks may wait for each other. */
CUresult CUDAAPI cudrvLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                              unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                                              unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                                              void **kernelParams);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
