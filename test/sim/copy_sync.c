/* SPDX-License-Identifier: Apache-2.0 */
/* The synchronous memcpy functions: a copy in the default stream of the current context, waited for. */
#include "capture.h"
#include "copy.h"

static CUresult run(bool perThread, const Copy *copy)
{
    Stream *stream;
    CUresult result = streamForWork(NULL, perThread, &stream);
    if (result == CUDA_SUCCESS)
        result = captureAllowsWaiting(stream);
    return result == CUDA_SUCCESS ? copyNow(stream, copy) : result;
}

static CUresult copyBytes(Place dst, Place src, size_t bytes, bool perThread)
{
    const Copy copy = copyOfBytes(dst, src, bytes);
    return run(perThread, &copy);
}

static CUresult copy2D(const CUDA_MEMCPY2D *descriptor, bool perThread)
{
    Copy copy;
    if (descriptor == NULL || !copyOf2D(descriptor, &copy))
        return CUDA_ERROR_INVALID_VALUE;
    return run(perThread, &copy);
}

static CUresult copy3D(const CUDA_MEMCPY3D *descriptor, bool perThread)
{
    Copy copy;
    if (descriptor == NULL || !copyOf3D(descriptor, &copy))
        return CUDA_ERROR_INVALID_VALUE;
    return run(perThread, &copy);
}

static CUresult copy3DPeer(const CUDA_MEMCPY3D_PEER *descriptor, bool perThread)
{
    Copy copy;
    if (descriptor == NULL || !copyOf3DPeer(descriptor, &copy))
        return CUDA_ERROR_INVALID_VALUE;
    return run(perThread, &copy);
}

API_PTDS(cuMemcpy, (CUdeviceptr dst, CUdeviceptr src, size_t bytes),
         copyBytes(placeUnknown(dst), placeUnknown(src), bytes, perThread))
API_PTDS(cuMemcpyPeer, (CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src, CUcontext srcContext, size_t bytes),
         copyBytes(placeOnPeer(dst, dstContext), placeOnPeer(src, srcContext), bytes, perThread))
API_PTDS(cuMemcpyHtoD_v2, (CUdeviceptr dst, const void *src, size_t bytes),
         copyBytes(placeOnDevice(dst), placeOnHost(src), bytes, perThread))
API_PTDS(cuMemcpyDtoH_v2, (void *dst, CUdeviceptr src, size_t bytes),
         copyBytes(placeOnHost(dst), placeOnDevice(src), bytes, perThread))
API_PTDS(cuMemcpyDtoD_v2, (CUdeviceptr dst, CUdeviceptr src, size_t bytes),
         copyBytes(placeOnDevice(dst), placeOnDevice(src), bytes, perThread))
API_PTDS(cuMemcpyDtoA_v2, (CUarray dst, size_t offset, CUdeviceptr src, size_t bytes),
         copyBytes(placeInArray(dst, offset), placeOnDevice(src), bytes, perThread))
API_PTDS(cuMemcpyAtoD_v2, (CUdeviceptr dst, CUarray src, size_t offset, size_t bytes),
         copyBytes(placeOnDevice(dst), placeInArray(src, offset), bytes, perThread))
API_PTDS(cuMemcpyHtoA_v2, (CUarray dst, size_t offset, const void *src, size_t bytes),
         copyBytes(placeInArray(dst, offset), placeOnHost(src), bytes, perThread))
API_PTDS(cuMemcpyAtoH_v2, (void *dst, CUarray src, size_t offset, size_t bytes),
         copyBytes(placeOnHost(dst), placeInArray(src, offset), bytes, perThread))
API_PTDS(cuMemcpyAtoA_v2, (CUarray dst, size_t dstOffset, CUarray src, size_t srcOffset, size_t bytes),
         copyBytes(placeInArray(dst, dstOffset), placeInArray(src, srcOffset), bytes, perThread))
API_PTDS(cuMemcpy2D_v2, (const CUDA_MEMCPY2D *copy), copy2D(copy, perThread))
API_PTDS(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *copy), copy2D(copy, perThread))
API_PTDS(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *copy), copy3D(copy, perThread))
API_PTDS(cuMemcpy3DPeer, (const CUDA_MEMCPY3D_PEER *copy), copy3DPeer(copy, perThread))
