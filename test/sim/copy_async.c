/* SPDX-License-Identifier: Apache-2.0 */
/* The asynchronous memcpy functions of one copy each. */
#include "capture.h"
#include "copy.h"

static CUresult issue(CUstream handle, bool perThread, const Copy *copy)
{
    Stream *stream;
    const CUresult result = streamForWork(handle, perThread, &stream);
    return result == CUDA_SUCCESS ? copyIssue(stream, copy, SOURCE_PLAIN, streamIsIdle(stream)) : result;
}

/* Measured: a peer copy cannot be captured, and the capture is lost. */
static CUresult issuePeer(CUstream handle, bool perThread, const Copy *copy)
{
    Stream *stream;
    const CUresult result = streamForWork(handle, perThread, &stream);
    if (result != CUDA_SUCCESS || stream->capture == NULL)
        return result == CUDA_SUCCESS ? copyIssue(stream, copy, SOURCE_PLAIN, streamIsIdle(stream)) : result;
    captureInvalidate(stream->capture);
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

static CUresult copyPeer(Place dst, Place src, size_t bytes, CUstream stream, bool perThread)
{
    const Copy copy = copyOfBytes(dst, src, bytes);
    return issuePeer(stream, perThread, &copy);
}

static CUresult copyBytes(Place dst, Place src, size_t bytes, CUstream stream, bool perThread)
{
    const Copy copy = copyOfBytes(dst, src, bytes);
    return issue(stream, perThread, &copy);
}

static CUresult copy2D(const CUDA_MEMCPY2D *descriptor, CUstream stream, bool perThread)
{
    Copy copy;
    if (descriptor == NULL || !copyOf2D(descriptor, &copy))
        return CUDA_ERROR_INVALID_VALUE;
    return issue(stream, perThread, &copy);
}

static CUresult copy3D(const CUDA_MEMCPY3D *descriptor, CUstream stream, bool perThread)
{
    Copy copy;
    if (descriptor == NULL || !copyOf3D(descriptor, &copy))
        return CUDA_ERROR_INVALID_VALUE;
    return issue(stream, perThread, &copy);
}

static CUresult copy3DPeer(const CUDA_MEMCPY3D_PEER *descriptor, CUstream stream, bool perThread)
{
    Copy copy;
    if (descriptor == NULL)
        crash("a null descriptor"); /* measured */
    if (!copyOf3DPeer(descriptor, &copy))
        return CUDA_ERROR_INVALID_VALUE;
    return issuePeer(stream, perThread, &copy);
}

API_PTSZ(cuMemcpyAsync, (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream),
         copyBytes(placeUnknown(dst), placeUnknown(src), bytes, stream, perThread))
API_PTSZ(cuMemcpyPeerAsync,
         (CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src, CUcontext srcContext, size_t bytes, CUstream stream),
         copyPeer(placeOnPeer(dst, dstContext), placeOnPeer(src, srcContext), bytes, stream, perThread))
API_PTSZ(cuMemcpyHtoDAsync_v2, (CUdeviceptr dst, const void *src, size_t bytes, CUstream stream),
         copyBytes(placeOnDevice(dst), placeOnHost(src), bytes, stream, perThread))
API_PTSZ(cuMemcpyDtoHAsync_v2, (void *dst, CUdeviceptr src, size_t bytes, CUstream stream),
         copyBytes(placeOnHost(dst), placeOnDevice(src), bytes, stream, perThread))
API_PTSZ(cuMemcpyDtoDAsync_v2, (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream),
         copyBytes(placeOnDevice(dst), placeOnDevice(src), bytes, stream, perThread))
API_PTSZ(cuMemcpyHtoAAsync_v2, (CUarray dst, size_t offset, const void *src, size_t bytes, CUstream stream),
         copyBytes(placeInArray(dst, offset), placeOnHost(src), bytes, stream, perThread))
API_PTSZ(cuMemcpyAtoHAsync_v2, (void *dst, CUarray src, size_t offset, size_t bytes, CUstream stream),
         copyBytes(placeOnHost(dst), placeInArray(src, offset), bytes, stream, perThread))
API_PTSZ(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *copy, CUstream stream), copy2D(copy, stream, perThread))
API_PTSZ(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *copy, CUstream stream), copy3D(copy, stream, perThread))
API_PTSZ(cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D_PEER *copy, CUstream stream), copy3DPeer(copy, stream, perThread))
