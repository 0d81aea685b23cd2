/* SPDX-License-Identifier: Apache-2.0 */
/* The fills. A synchronous one runs in the default stream and is waited for. */
#include "access.h"
#include "capture.h"
#include "device.h"

static CUresult prepare(const Stream *stream, bool special, CUdeviceptr dst, FillWork fill, Work *work)
{
    if (dst % fill.elementSize != 0 || (fill.height > 1 && fill.pitch / fill.elementSize < fill.width) ||
        fill.pitch % fill.elementSize != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (fill.width == 0 || fill.height == 0)
        return CUDA_SUCCESS;
    size_t extent;
    size_t row;
    if (__builtin_mul_overflow(fill.height - 1, fill.pitch, &extent) ||
        __builtin_mul_overflow(fill.width, (size_t)fill.elementSize, &row) ||
        __builtin_add_overflow(extent, row, &extent))
        return CUDA_ERROR_INVALID_VALUE;
    Memory memory;
    const CUresult result =
        accessCheck((uintptr_t)dst, extent, ROLE_DEVICE, accessorOfFill(stream, special), true, &memory);
    if (result != CUDA_SUCCESS)
        return result;
    fill.dst = rangeBytes((uintptr_t)dst);
    *work = (Work){.kind = WORK_FILL, .fill = fill};
    return CUDA_SUCCESS;
}

static CUresult fillAsync(CUstream handle, bool perThread, CUdeviceptr dst, FillWork fill)
{
    Stream *stream;
    CUresult result = streamForWork(handle, perThread, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    Work work = {.kind = WORK_NOTHING};
    result = prepare(stream, stream->kind != STREAM_EXPLICIT, dst, fill, &work);
    if (result != CUDA_SUCCESS || work.kind == WORK_NOTHING)
        return result;
    return streamSubmit(stream, &work, NULL);
}

static CUresult fillNow(bool perThread, CUdeviceptr dst, FillWork fill)
{
    Stream *stream;
    CUresult result = streamForWork(NULL, perThread, &stream);
    if (result == CUDA_SUCCESS)
        result = captureAllowsWaiting(stream);
    if (result != CUDA_SUCCESS)
        return result;
    Work work = {.kind = WORK_NOTHING};
    result = prepare(stream, true, dst, fill, &work);
    if (result != CUDA_SUCCESS || work.kind == WORK_NOTHING)
        return result;
    const int device = stream->context->device;
    Op *op;
    streamSubmit(stream, &work, &op);
    opWait(op);
    opRelease(op);
    return deviceError(device);
}

static FillWork row(unsigned value, unsigned elementSize, size_t count)
{
    return (FillWork){.value = value, .elementSize = elementSize, .width = count, .height = 1};
}

static FillWork rows(unsigned value, unsigned elementSize, size_t pitch, size_t width, size_t height)
{
    return (FillWork){.value = value, .elementSize = elementSize, .pitch = pitch, .width = width, .height = height};
}

API_PTDS(cuMemsetD8_v2, (CUdeviceptr dst, unsigned char value, size_t count),
         fillNow(perThread, dst, row(value, 1, count)))
API_PTDS(cuMemsetD16_v2, (CUdeviceptr dst, unsigned short value, size_t count),
         fillNow(perThread, dst, row(value, 2, count)))
API_PTDS(cuMemsetD32_v2, (CUdeviceptr dst, unsigned value, size_t count), fillNow(perThread, dst, row(value, 4, count)))
API_PTDS(cuMemsetD2D8_v2, (CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, size_t height),
         fillNow(perThread, dst, rows(value, 1, pitch, width, height)))
API_PTDS(cuMemsetD2D16_v2, (CUdeviceptr dst, size_t pitch, unsigned short value, size_t width, size_t height),
         fillNow(perThread, dst, rows(value, 2, pitch, width, height)))
API_PTDS(cuMemsetD2D32_v2, (CUdeviceptr dst, size_t pitch, unsigned value, size_t width, size_t height),
         fillNow(perThread, dst, rows(value, 4, pitch, width, height)))
API_PTSZ(cuMemsetD8Async, (CUdeviceptr dst, unsigned char value, size_t count, CUstream stream),
         fillAsync(stream, perThread, dst, row(value, 1, count)))
API_PTSZ(cuMemsetD16Async, (CUdeviceptr dst, unsigned short value, size_t count, CUstream stream),
         fillAsync(stream, perThread, dst, row(value, 2, count)))
API_PTSZ(cuMemsetD32Async, (CUdeviceptr dst, unsigned value, size_t count, CUstream stream),
         fillAsync(stream, perThread, dst, row(value, 4, count)))
API_PTSZ(cuMemsetD2D8Async,
         (CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream),
         fillAsync(stream, perThread, dst, rows(value, 1, pitch, width, height)))
API_PTSZ(cuMemsetD2D16Async,
         (CUdeviceptr dst, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream),
         fillAsync(stream, perThread, dst, rows(value, 2, pitch, width, height)))
API_PTSZ(cuMemsetD2D32Async,
         (CUdeviceptr dst, size_t pitch, unsigned value, size_t width, size_t height, CUstream stream),
         fillAsync(stream, perThread, dst, rows(value, 4, pitch, width, height)))
