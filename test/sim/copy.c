/* SPDX-License-Identifier: Apache-2.0 */
#include "copy.h"

#include "device.h"

#include <stdlib.h>

/* Measured: pinned memory of 4096 bytes is read at the call when the stream is idle, 65536 bytes are not. Where between
   them the real driver changes its way is not known. */
enum { INLINE_PINNED = 4096 };
/* Measured: under the orders DURING_API_CALL and ANY a batch on a busy stream reads pageable memory of 65536 bytes at
   the call and 1 MiB later, whatever it promised. */
enum { INLINE_PAGEABLE = 65536 };

/* A side after checking: where its first byte is, and how its rows lie. */
typedef struct Side {
    unsigned char *bytes;
    size_t pitch, slice;
    Memory memory;
} Side;

static Place placeOf(Role role, uintptr_t address)
{
    return (Place){.role = role, .address = address};
}

Place placeUnknown(CUdeviceptr pointer)
{
    return placeOf(ROLE_UNKNOWN, (uintptr_t)pointer);
}

Place placeOnDevice(CUdeviceptr pointer)
{
    return placeOf(ROLE_DEVICE, (uintptr_t)pointer);
}

Place placeOnHost(const void *pointer)
{
    return placeOf(ROLE_HOST, (uintptr_t)pointer);
}

Place placeOnPeer(CUdeviceptr pointer, CUcontext context)
{
    (void)context;
    return placeOf(ROLE_PEER, (uintptr_t)pointer);
}

Place placeInArray(CUarray array, size_t offset)
{
    return (Place){.isArray = true, .array = array, .x = offset};
}

Copy copyOfBytes(Place dst, Place src, size_t bytes)
{
    return (Copy){.dst = dst, .src = src, .width = bytes, .height = 1, .depth = 1};
}

static CUresult resolveArray(const Place *place, const Copy *copy, Side *side)
{
    Array *array = arrayFind(place->array);
    if (array == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (place->x > array->rowBytes || copy->width > array->rowBytes - place->x || place->y > array->rows ||
        copy->height > array->rows - place->y || place->z > array->layers || copy->depth > array->layers - place->z)
        return CUDA_ERROR_INVALID_VALUE;
    side->memory = MEMORY_ARRAY;
    side->pitch = array->rowBytes;
    side->slice = array->rowBytes * array->rows;
    side->bytes = array->bytes + place->z * side->slice + place->y * side->pitch + place->x;
    return CUDA_SUCCESS;
}

/* a * b + c, or SIZE_MAX if that is too much; no memory is as large. */
static size_t product(size_t a, size_t b, size_t c)
{
    size_t result;
    return __builtin_mul_overflow(a, b, &result) || __builtin_add_overflow(result, c, &result) ? SIZE_MAX : result;
}

static CUresult resolve(const Place *place, const Copy *copy, Accessor accessor, bool write, Side *side)
{
    if (place->isArray)
        return resolveArray(place, copy, side);
    const size_t row = product(1, place->x, copy->width);
    const size_t rows = product(1, place->y, copy->height);
    side->pitch = place->pitch > 0 ? place->pitch : row;
    const size_t layerHeight = place->layerHeight > 0 ? place->layerHeight : rows;
    if (((copy->height > 1 || copy->depth > 1) && side->pitch < row) || (copy->depth > 1 && layerHeight < copy->height))
        return CUDA_ERROR_INVALID_VALUE;
    side->slice = product(side->pitch, layerHeight, 0);
    const size_t offset = product(place->z, side->slice, product(place->y, side->pitch, place->x));
    const size_t extent = product(copy->depth - 1, side->slice, product(copy->height - 1, side->pitch, copy->width));
    if (place->address == 0 || extent == SIZE_MAX || offset > UINTPTR_MAX - place->address)
        return CUDA_ERROR_INVALID_VALUE;
    side->bytes = rangeBytes(place->address + offset);
    return accessCheck(place->address + offset, extent, place->role, accessor, write, &side->memory);
}

static CUresult prepare(const Copy *copy, Accessor accessor, Side *dst, Side *src)
{
    const CUresult result = resolve(&copy->dst, copy, accessor, true, dst);
    return result == CUDA_SUCCESS ? resolve(&copy->src, copy, accessor, false, src) : result;
}

static Work workOf(const Copy *copy, const Side *dst, const Side *src)
{
    return (Work){.kind = WORK_COPY,
                  .copy = {.dst = dst->bytes,
                           .src = src->bytes,
                           .width = copy->width,
                           .height = copy->height,
                           .depth = copy->depth,
                           .dstPitch = dst->pitch,
                           .dstSlice = dst->slice,
                           .srcPitch = src->pitch,
                           .srcSlice = src->slice}};
}

/* Reads the source now: the work will read what was there at the call. */
static void stage(Work *work)
{
    CopyWork *copy = &work->copy;
    const size_t slice = copy->width * copy->height;
    unsigned char *staging = memoryNew(slice * copy->depth, 1);
    Work reading = *work;
    reading.copy.dst = staging;
    reading.copy.dstPitch = copy->width;
    reading.copy.dstSlice = slice;
    workPerform(&reading);
    work->staging = staging;
    copy->src = staging;
    copy->srcPitch = copy->width;
    copy->srcSlice = slice;
}

/* Whether the source is to be read before the call returns, and whether the call has to wait for the stream first. */
static bool readsAtCall(const Copy *copy, Memory source, SourceOrder order, bool idle, bool *waitFirst)
{
    const size_t bytes = copy->width * copy->height * copy->depth;
    *waitFirst = false;
    switch (source) {
    case MEMORY_PAGEABLE:
        if (order == SOURCE_STREAM)
            *waitFirst = !idle;
        return order == SOURCE_PLAIN || order == SOURCE_STREAM || idle || bytes <= INLINE_PAGEABLE;
    case MEMORY_PINNED:
        return idle && bytes <= INLINE_PINNED;
    case MEMORY_MANAGED:
    case MEMORY_DEVICE:
    case MEMORY_ARRAY:
        break;
    }
    return false;
}

CUresult copyIssue(Stream *stream, const Copy *copy, SourceOrder order, bool wasIdle)
{
    if (copy->width == 0 || copy->height == 0 || copy->depth == 0)
        return CUDA_SUCCESS;
    Side dst = {.memory = MEMORY_DEVICE};
    Side src = {.memory = MEMORY_DEVICE};
    const CUresult result = prepare(copy, accessorOfCopy(stream), &dst, &src);
    if (result != CUDA_SUCCESS)
        return result;
    Work work = workOf(copy, &dst, &src);
    if (stream->capture != NULL)
        return streamSubmit(stream, &work, NULL);
    bool waitFirst;
    const bool stages = readsAtCall(copy, src.memory, order, wasIdle, &waitFirst);
    if (waitFirst)
        streamWait(stream);
    if (stages)
        stage(&work);
    const int device = stream->context->device;
    Op *op;
    streamSubmit(stream, &work, &op);
    /* The call returns when pageable memory is written, or when pinned memory is read that it promised to read. */
    const bool waits = dst.memory == MEMORY_PAGEABLE || (order == SOURCE_DURING_CALL && src.memory == MEMORY_PINNED);
    if (waits)
        opWait(op);
    opRelease(op);
    return waits ? deviceError(device) : CUDA_SUCCESS;
}

CUresult copyNow(Stream *stream, const Copy *copy)
{
    if (copy->width == 0 || copy->height == 0 || copy->depth == 0)
        return CUDA_SUCCESS;
    Side dst = {.memory = MEMORY_DEVICE};
    Side src = {.memory = MEMORY_DEVICE};
    const CUresult result = prepare(copy, accessorOfCopy(stream), &dst, &src);
    if (result != CUDA_SUCCESS)
        return result;
    const int device = stream->context->device;
    Work work = workOf(copy, &dst, &src);
    Op *op;
    streamSubmit(stream, &work, &op);
    opWait(op);
    opRelease(op);
    return deviceError(device);
}

/* Translating descriptors. All three structs have the same members, up to the kind of copy. */
static bool placeOfType(CUmemorytype type, uintptr_t host, uintptr_t device, CUarray array, bool peer, Place *place)
{
    switch (type) {
    case CU_MEMORYTYPE_HOST:
        *place = placeOf(ROLE_HOST, host);
        return true;
    case CU_MEMORYTYPE_DEVICE:
        *place = placeOf(peer ? ROLE_PEER : ROLE_DEVICE, device);
        return true;
    case CU_MEMORYTYPE_ARRAY:
        *place = placeInArray(array, 0);
        return true;
    case CU_MEMORYTYPE_UNIFIED:
        *place = placeOf(peer ? ROLE_PEER_UNKNOWN : ROLE_UNKNOWN, device);
        return true;
    }
    return false;
}

#define SIDE(copy, side, descriptor, peer)                                                                             \
    placeOfType((descriptor)->side##MemoryType, (uintptr_t)(descriptor)->side##Host,                                   \
                (uintptr_t)(descriptor)->side##Device, (descriptor)->side##Array, peer, &(copy)->side)
#define OFFSETS_2D(copy, side, descriptor)                                                                             \
    do {                                                                                                               \
        (copy)->side.x = (descriptor)->side##XInBytes;                                                                 \
        (copy)->side.y = (descriptor)->side##Y;                                                                        \
        (copy)->side.pitch = (descriptor)->side##Pitch;                                                                \
    } while (0)
#define OFFSETS_3D(copy, side, descriptor)                                                                             \
    do {                                                                                                               \
        OFFSETS_2D(copy, side, descriptor);                                                                            \
        (copy)->side.z = (descriptor)->side##Z;                                                                        \
        (copy)->side.layerHeight = (descriptor)->side##Height;                                                         \
    } while (0)

/* A pitch or a layer that is too small for the box (measured: refused, whatever the box's other sizes). */
static bool fits(const Copy *copy, const Place *place)
{
    return place->isArray || ((place->pitch == 0 || place->pitch >= copy->width) &&
                              (place->layerHeight == 0 || place->layerHeight >= copy->height));
}

bool copyOf2D(const CUDA_MEMCPY2D *descriptor, Copy *copy)
{
    *copy = (Copy){.width = descriptor->WidthInBytes, .height = descriptor->Height, .depth = 1};
    if (!SIDE(copy, dst, descriptor, false) || !SIDE(copy, src, descriptor, false))
        return false;
    OFFSETS_2D(copy, dst, descriptor);
    OFFSETS_2D(copy, src, descriptor);
    return fits(copy, &copy->dst) && fits(copy, &copy->src);
}

bool copyOf3D(const CUDA_MEMCPY3D *descriptor, Copy *copy)
{
    *copy = (Copy){.width = descriptor->WidthInBytes, .height = descriptor->Height, .depth = descriptor->Depth};
    if (!SIDE(copy, dst, descriptor, false) || !SIDE(copy, src, descriptor, false))
        return false;
    OFFSETS_3D(copy, dst, descriptor);
    OFFSETS_3D(copy, src, descriptor);
    return fits(copy, &copy->dst) && fits(copy, &copy->src);
}

bool copyOf3DPeer(const CUDA_MEMCPY3D_PEER *descriptor, Copy *copy)
{
    *copy = (Copy){.width = descriptor->WidthInBytes, .height = descriptor->Height, .depth = descriptor->Depth};
    if (!SIDE(copy, dst, descriptor, true) || !SIDE(copy, src, descriptor, true))
        return false;
    OFFSETS_3D(copy, dst, descriptor);
    OFFSETS_3D(copy, src, descriptor);
    return fits(copy, &copy->dst) && fits(copy, &copy->src);
}

#undef SIDE
#undef OFFSETS_2D
#undef OFFSETS_3D
