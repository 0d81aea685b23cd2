/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hints for managed memory: prefetching, advice, attaching. The bytes are where they are, so all that is modelled is
 * what the calls refuse and that they keep the order of their stream.
 */
#include "device.h"
#include "memory.h"
#include "stream.h"

enum { LOCATION_HOST = 2, LOCATION_HOST_NUMA = 3, LOCATION_HOST_NUMA_CURRENT = 4 }; /* newer than some headers */

static bool isManaged(CUdeviceptr pointer, size_t size)
{
    const Range *range = rangeFind((uintptr_t)pointer);
    return range != NULL && range->kind == RANGE_MANAGED && size > 0 &&
           size <= range->base + range->size - (uintptr_t)pointer;
}

static bool isLocation(CUmemLocation location)
{
    switch ((int)location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        return deviceIsValid(location.id);
    case LOCATION_HOST:
    case LOCATION_HOST_NUMA:
    case LOCATION_HOST_NUMA_CURRENT:
        return true;
    default:
        return false;
    }
}

/* The older calls take a device, or CU_DEVICE_CPU. */
static CUmemLocation locationOf(CUdevice device)
{
    return device == CU_DEVICE_CPU ? (CUmemLocation){.type = (CUmemLocationType)LOCATION_HOST, .id = 0}
                                   : (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device};
}

static CUresult prefetch(CUdeviceptr pointer, size_t size, CUmemLocation location, unsigned flags, CUstream handle,
                         bool perThread)
{
    Stream *stream;
    const CUresult result = streamForWork(handle, perThread, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (!isLocation(location))
        return CUDA_ERROR_INVALID_DEVICE;
    if (!isManaged(pointer, size) || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream->capture != NULL)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    Work nothing = {.kind = WORK_NOTHING};
    return streamSubmit(stream, &nothing, NULL);
}

static CUresult advise(CUdeviceptr pointer, size_t size, CUmem_advise advice, CUmemLocation location)
{
    if (!isManaged(pointer, size) || (int)advice < CU_MEM_ADVISE_SET_READ_MOSTLY ||
        (int)advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
        return CUDA_ERROR_INVALID_VALUE;
    /* Being read mostly is of no place. */
    const bool placeless = advice == CU_MEM_ADVISE_SET_READ_MOSTLY || advice == CU_MEM_ADVISE_UNSET_READ_MOSTLY;
    return placeless || isLocation(location) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult attach(CUstream handle, bool perThread, CUdeviceptr pointer, size_t length, unsigned flags)
{
    Stream *stream;
    const CUresult result = streamForWork(handle, perThread, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    const Range *range = rangeFind((uintptr_t)pointer);
    if (range == NULL || range->kind != RANGE_MANAGED || (length != 0 && length != range->size) ||
        (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST && flags != CU_MEM_ATTACH_SINGLE))
        return CUDA_ERROR_INVALID_VALUE;
    if (stream->capture != NULL)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    Work nothing = {.kind = WORK_NOTHING};
    return streamSubmit(stream, &nothing, NULL);
}

API_PTSZ(cuMemPrefetchAsync, (CUdeviceptr pointer, size_t size, CUdevice device, CUstream stream),
         prefetch(pointer, size, locationOf(device), 0, stream, perThread))
API_PTSZ(cuMemPrefetchAsync_v2,
         (CUdeviceptr pointer, size_t size, CUmemLocation location, unsigned flags, CUstream stream),
         prefetch(pointer, size, location, flags, stream, perThread))
API(cuMemAdvise, (CUdeviceptr pointer, size_t size, CUmem_advise advice, CUdevice device),
    advise(pointer, size, advice, locationOf(device)))
API(cuMemAdvise_v2, (CUdeviceptr pointer, size_t size, CUmem_advise advice, CUmemLocation location),
    advise(pointer, size, advice, location))
API_PTSZ(cuStreamAttachMemAsync, (CUstream stream, CUdeviceptr pointer, size_t length, unsigned flags),
         attach(stream, perThread, pointer, length, flags))
