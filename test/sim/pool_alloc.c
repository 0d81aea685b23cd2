/* SPDX-License-Identifier: Apache-2.0 */
/* Allocating and freeing in stream order. */
#include "capture.h"
#include "check.h"
#include "device.h"
#include "memory.h"
#include "pool.h"
#include "stream.h"

static CUresult allocateFrom(CUdeviceptr *out, size_t size, Pool *pool, Stream *stream)
{
    if (out == NULL || size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    const bool captured = stream->capture != NULL;
    const Range model = {.kind = captured ? RANGE_GRAPH : RANGE_POOL, .device = pool->device, .pool = pool};
    const Range *range = memoryAllocate(&model, size);
    if (range == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    pool->pending++;
    pool->used += size;
    if (pool->used > pool->usedHigh)
        pool->usedHigh = pool->used;
    *out = (CUdeviceptr)range->base;
    return captured ? captureAllocate(stream, range) : CUDA_SUCCESS;
}

static CUresult allocate(CUdeviceptr *out, size_t size, CUstream handle, bool perThread)
{
    Stream *stream;
    const CUresult result = streamForWork(handle, perThread, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    return allocateFrom(out, size, poolCurrent(stream->context->device), stream);
}

/* The pool may be of another device than the stream. */
static CUresult allocateFromPool(CUdeviceptr *out, size_t size, CUmemoryPool handle, CUstream streamHandle,
                                 bool perThread)
{
    Stream *stream;
    const CUresult result = streamForWork(streamHandle, perThread, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    Pool *pool = poolFind(handle);
    return pool == NULL ? CUDA_ERROR_INVALID_VALUE : allocateFrom(out, size, pool, stream);
}

/* The address is unknown from the call on; the bytes go when the stream gets there. */
static CUresult release(CUdeviceptr pointer, CUstream handle, bool perThread)
{
    Stream *stream;
    const CUresult result = streamForWork(handle, perThread, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    Range *range = rangeFind((uintptr_t)pointer);
    if (range == NULL || range->base != (uintptr_t)pointer ||
        (range->kind != RANGE_POOL && range->kind != RANGE_GRAPH)) {
        checkUnknownMemory((uintptr_t)pointer);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (stream->capture != NULL)
        return captureFree(stream);
    Work work;
    memoryForget(range, &work);
    return streamSubmit(stream, &work, NULL);
}

API_PTSZ(cuMemAllocAsync, (CUdeviceptr * pointer, size_t size, CUstream stream),
         allocate(pointer, size, stream, perThread))
API_PTSZ(cuMemAllocFromPoolAsync, (CUdeviceptr * pointer, size_t size, CUmemoryPool pool, CUstream stream),
         allocateFromPool(pointer, size, pool, stream, perThread))
API_PTSZ(cuMemFreeAsync, (CUdeviceptr pointer, CUstream stream), release(pointer, stream, perThread))
