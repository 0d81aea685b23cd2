/* SPDX-License-Identifier: Apache-2.0 */
/* cuMemAlloc and its kin, managed memory, and what can be asked of an allocation. */
#include "memory.h"

#include "capture.h"
#include "check.h"
#include "device.h"
#include "exec.h"
#include "pool.h"

#include <sys/mman.h>

enum { PITCH_ALIGNMENT = 512, ALLOCATION_ALIGNMENT = 4096 };

Range *memoryAllocate(const Range *model, size_t size)
{
    Device *device = &devices[model->device];
    if (size > DEVICE_MEMORY - device->used)
        return NULL;
    Range range = *model;
    range.base = windowReserve(size, ALLOCATION_ALIGNMENT);
    if (range.base == 0)
        return NULL;
    if (!windowCommit(range.base, size)) {
        windowUnreserve(range.base);
        return NULL;
    }
    range.size = size;
    device->used += size;
    return rangeAdd(&range);
}

Range *memoryAllocateHost(const Range *model, size_t size)
{
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
        return NULL;
    Range range = *model;
    range.base = (uintptr_t)bytes;
    range.size = size;
    return rangeAdd(&range);
}

void memoryGiveBack(const ReleaseWork *release)
{
    if (!release->inWindow) {
        munmap((void *)release->base, release->size);
        return;
    }
    devices[release->device].used -= release->size;
    windowDecommit(release->base, release->size);
    windowUnreserve(release->base);
}

bool memoryForget(Range *range, Work *work)
{
    *work = (Work){
        .kind = WORK_RELEASE,
        .release = {
            .base = range->base, .size = range->size, .inWindow = windowHolds(range->base), .device = range->device}};
    const bool ours = range->kind != RANGE_REGISTERED && range->kind != RANGE_MAPPED;
    if (range->pool != NULL)
        poolRelease(range->pool, range->size);
    rangeRemove(range);
    return ours;
}

void memoryFree(Range *range)
{
    Work work;
    if (memoryForget(range, &work))
        execAfterEverything(&work);
}

typedef struct Search {
    const Context *context;
    Range *found;
} Search;

static void findOfContext(Range *range, void *data)
{
    Search *search = data;
    if (search->found == NULL && range->context == search->context)
        search->found = range;
}

void memoryFreeOfContext(const Context *context)
{
    for (;;) {
        Search search = {.context = context};
        rangeEach(findOfContext, &search);
        if (search.found == NULL)
            return;
        memoryFree(search.found);
    }
}

static CUresult allocate(CUdeviceptr *out, size_t size)
{
    Context *context;
    CUresult result = contextRequire(&context);
    if (result == CUDA_SUCCESS)
        result = captureAllowsUnsafeCall();
    if (result != CUDA_SUCCESS)
        return result;
    if (out == NULL || size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    const Range model = {.kind = RANGE_DEVICE, .device = context->device, .context = contextBase(context)};
    const Range *range = memoryAllocate(&model, size);
    if (range == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *out = (CUdeviceptr)range->base;
    return CUDA_SUCCESS;
}

static CUresult allocatePitch(CUdeviceptr *out, size_t *pitch, size_t width, size_t height, unsigned elementSize)
{
    if (pitch == NULL || width == 0 || height == 0 || (elementSize != 4 && elementSize != 8 && elementSize != 16))
        return CUDA_ERROR_INVALID_VALUE;
    if (width > DEVICE_MEMORY || height > DEVICE_MEMORY / width)
        return CUDA_ERROR_OUT_OF_MEMORY;
    const size_t row = (width + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
    const CUresult result = allocate(out, row * height);
    if (result == CUDA_SUCCESS)
        *pitch = row;
    return result;
}

static CUresult allocateManaged(CUdeviceptr *out, size_t size, unsigned flags)
{
    Context *context;
    CUresult result = contextRequire(&context);
    if (result == CUDA_SUCCESS)
        result = captureAllowsUnsafeCall();
    if (result != CUDA_SUCCESS)
        return result;
    if (out == NULL || size == 0 || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
        return CUDA_ERROR_INVALID_VALUE;
    const Range model = {
        .kind = RANGE_MANAGED, .device = context->device, .context = contextBase(context), .flags = flags};
    const Range *range = memoryAllocateHost(&model, size);
    if (range == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *out = (CUdeviceptr)range->base;
    return CUDA_SUCCESS;
}

/* Waits for the device first, as the real one does. Pool memory may be freed with it too. */
static CUresult release(CUdeviceptr pointer)
{
    Context *context;
    CUresult result = contextRequire(&context);
    if (result == CUDA_SUCCESS)
        result = captureAllowsUnsafeCall();
    if (result != CUDA_SUCCESS)
        return result;
    if (pointer == 0)
        return CUDA_SUCCESS;
    Range *range = rangeFind((uintptr_t)pointer);
    if (range == NULL || range->base != (uintptr_t)pointer ||
        (range->kind != RANGE_DEVICE && range->kind != RANGE_POOL && range->kind != RANGE_MANAGED)) {
        checkUnknownMemory((uintptr_t)pointer);
        return CUDA_ERROR_INVALID_VALUE;
    }
    execWaitDevice(range->device);
    range = rangeFind((uintptr_t)pointer);
    if (range == NULL || range->base != (uintptr_t)pointer)
        return CUDA_ERROR_INVALID_VALUE; /* somebody else freed it meanwhile */
    memoryFree(range);
    return CUDA_SUCCESS;
}

static CUresult getInfo(size_t *available, size_t *total)
{
    Context *context;
    const CUresult result = contextRequire(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (available == NULL || total == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *available = DEVICE_MEMORY - devices[context->device].used;
    *total = DEVICE_MEMORY;
    return CUDA_SUCCESS;
}

/* Measured: one mapping, not its whole reservation; what was allocated under capture is not found; a context must be
   current. */
static CUresult getAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr pointer)
{
    Context *context;
    const CUresult result = contextRequire(&context);
    if (result != CUDA_SUCCESS)
        return result;
    const Range *range = rangeFind((uintptr_t)pointer);
    if (range == NULL || range->kind == RANGE_GRAPH)
        return CUDA_ERROR_NOT_FOUND;
    if (base != NULL)
        *base = (CUdeviceptr)range->base;
    if (size != NULL)
        *size = range->size;
    return CUDA_SUCCESS;
}

API(cuMemAlloc_v2, (CUdeviceptr * pointer, size_t size), allocate(pointer, size))
API(cuMemAllocPitch_v2, (CUdeviceptr * pointer, size_t *pitch, size_t width, size_t height, unsigned elementSize),
    allocatePitch(pointer, pitch, width, height, elementSize))
API(cuMemAllocManaged, (CUdeviceptr * pointer, size_t size, unsigned flags), allocateManaged(pointer, size, flags))
API(cuMemFree_v2, (CUdeviceptr pointer), release(pointer))
API(cuMemGetInfo_v2, (size_t * available, size_t *total), getInfo(available, total))
API(cuMemGetAddressRange_v2, (CUdeviceptr * base, size_t *size, CUdeviceptr pointer),
    getAddressRange(base, size, pointer))
