/* SPDX-License-Identifier: Apache-2.0 */
/* Pinned and registered host memory. Both have one address for host and device. */
#include "capture.h"
#include "check.h"
#include "device.h"
#include "exec.h"
#include "memory.h"
#include "pageable.h"

static CUresult allocate(void **out, size_t size, unsigned flags)
{
    Context *context;
    CUresult result = contextRequire(&context);
    if (result == CUDA_SUCCESS)
        result = captureAllowsUnsafeCall();
    if (result != CUDA_SUCCESS)
        return result;
    if (out == NULL || size == 0 || (flags & ~7u) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    /* Every address is mapped, as everywhere with unified addressing. */
    const Range model = {.kind = RANGE_PINNED,
                         .device = context->device,
                         .context = contextBase(context),
                         .flags = flags | CU_MEMHOSTALLOC_DEVICEMAP};
    const Range *range = memoryAllocateHost(&model, size);
    if (range == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *out = (void *)range->base;
    return CUDA_SUCCESS;
}

/* The range of `kind` that begins at `pointer`, once the work that may use it is done. */
static CUresult settle(const void *pointer, RangeKind kind, CUresult otherwise, Range **range)
{
    Context *context;
    CUresult result = contextRequire(&context);
    if (result == CUDA_SUCCESS)
        result = captureAllowsUnsafeCall();
    if (result != CUDA_SUCCESS)
        return result;
    for (int attempt = 0; attempt < 2; attempt++) {
        *range = rangeFind((uintptr_t)pointer);
        if (*range == NULL || (*range)->base != (uintptr_t)pointer || (*range)->kind != kind) {
            checkUnknownMemory((uintptr_t)pointer);
            return otherwise;
        }
        if (attempt == 0 && kind == RANGE_REGISTERED)
            execWaitAll(); /* the memory is the program's, to do with what it likes */
        else if (attempt == 0)
            execWaitDevice((*range)->device);
    }
    return CUDA_SUCCESS;
}

static CUresult release(void *pointer)
{
    if (pointer == NULL)
        return CUDA_SUCCESS;
    Range *range;
    const CUresult result = settle(pointer, RANGE_PINNED, CUDA_ERROR_INVALID_VALUE, &range);
    if (result == CUDA_SUCCESS)
        memoryFree(range);
    return result;
}

static CUresult registerMemory(void *pointer, size_t size, unsigned flags)
{
    Context *context;
    CUresult result = contextRequire(&context);
    if (result == CUDA_SUCCESS)
        result = captureAllowsUnsafeCall();
    if (result != CUDA_SUCCESS)
        return result;
    if (pointer == NULL || size == 0 || (flags & ~15u) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (rangeOverlaps((uintptr_t)pointer, size))
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    if (windowHolds((uintptr_t)pointer) || !pageableIsMapped((uintptr_t)pointer, size))
        return CUDA_ERROR_INVALID_VALUE;
    const Range range = {.base = (uintptr_t)pointer,
                         .size = size,
                         .kind = RANGE_REGISTERED,
                         .device = context->device,
                         .context = contextBase(context),
                         .flags = flags | CU_MEMHOSTREGISTER_DEVICEMAP};
    rangeAdd(&range);
    return CUDA_SUCCESS;
}

static CUresult unregister(const void *pointer)
{
    if (pointer == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    Range *range;
    const CUresult result = settle(pointer, RANGE_REGISTERED, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, &range);
    if (result == CUDA_SUCCESS)
        memoryFree(range);
    return result;
}

static bool isHost(const Range *range)
{
    return range != NULL && (range->kind == RANGE_PINNED || range->kind == RANGE_REGISTERED);
}

static CUresult getDevicePointer(CUdeviceptr *out, void *pointer, unsigned flags)
{
    Context *context;
    const CUresult result = contextRequire(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (out == NULL || flags != 0 || !isHost(rangeFind((uintptr_t)pointer)))
        return CUDA_ERROR_INVALID_VALUE;
    *out = (CUdeviceptr)(uintptr_t)pointer;
    return CUDA_SUCCESS;
}

static CUresult getFlags(unsigned *flags, const void *pointer)
{
    Context *context;
    const CUresult result = contextRequire(&context);
    if (result != CUDA_SUCCESS)
        return result;
    const Range *range = rangeFind((uintptr_t)pointer);
    if (flags == NULL || range == NULL || range->kind != RANGE_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = range->flags;
    return CUDA_SUCCESS;
}

API(cuMemHostAlloc, (void **pointer, size_t size, unsigned flags), allocate(pointer, size, flags))
API(cuMemAllocHost_v2, (void **pointer, size_t size), allocate(pointer, size, 0))
API(cuMemFreeHost, (void *pointer), release(pointer))
API(cuMemHostRegister, (void *pointer, size_t size, unsigned flags), registerMemory(pointer, size, flags))
API(cuMemHostRegister_v2, (void *pointer, size_t size, unsigned flags), registerMemory(pointer, size, flags))
API(cuMemHostUnregister, (void *pointer), unregister(pointer))
API(cuMemHostGetDevicePointer_v2, (CUdeviceptr * out, void *pointer, unsigned flags),
    getDevicePointer(out, pointer, flags))
API(cuMemHostGetFlags, (unsigned *flags, void *pointer), getFlags(flags, pointer))
