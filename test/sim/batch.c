/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The batch copies, and the two copies with attributes. The rules of the first are measured: a batch checks what it can
 * see at once, then its entries one by one, and what came before a bad entry is copied.
 */
#include "capture.h"
#include "copy.h"
#include "device.h"

#define NO_INDEX ((size_t)-1)

/* The stream of a batch. Measured: only CU_STREAM_PER_THREAD of the special ones will do, and that to the per-thread
   variant too; without a current context INVALID_VALUE, even while the stream captures; a capture survives. */
static CUresult streamOfBatch(CUstream handle, Stream **stream)
{
    if (handle == NULL || handle == CU_STREAM_LEGACY)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = streamResolve(handle, false, stream);
    if (result != CUDA_SUCCESS)
        return result;
    const Context *current = contextCurrent();
    if (current == NULL || !current->object.alive)
        return CUDA_ERROR_INVALID_VALUE;
    return (*stream)->capture != NULL ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

/* Measured: a green context's stream, pinned host memory to mapped memory. */
static void crashOnGreenStream(const Stream *stream, const Place *dst, const Place *src)
{
    if (stream->context->kind != CONTEXT_GREEN || dst->isArray || src->isArray)
        return;
    const Range *to = rangeFind(dst->address);
    const Range *from = rangeFind(src->address);
    if (to != NULL && to->kind == RANGE_MAPPED && from != NULL &&
        (from->kind == RANGE_PINNED || from->kind == RANGE_REGISTERED))
        crash("a batch on a green context's stream from pinned memory to mapped memory");
}

static bool orderIsValid(CUmemcpySrcAccessOrder order, unsigned flags)
{
    return (int)order >= CU_MEMCPY_SRC_ACCESS_ORDER_STREAM && (int)order <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY &&
           flags <= 1;
}

static SourceOrder sourceOrder(CUmemcpySrcAccessOrder order)
{
    switch ((int)order) {
    case CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL:
        return SOURCE_DURING_CALL;
    case CU_MEMCPY_SRC_ACCESS_ORDER_ANY:
        return SOURCE_ANY;
    default:
        return SOURCE_STREAM;
    }
}

static bool attributesAreValid(const CUmemcpyAttributes *attributes, const size_t *firsts, size_t attributeCount,
                               size_t count)
{
    if (attributes == NULL || firsts == NULL || attributeCount == 0 || attributeCount > count || firsts[0] != 0)
        return false;
    for (size_t i = 0; i < attributeCount; i++) {
        if (firsts[i] >= count || (i > 0 && firsts[i] <= firsts[i - 1]) ||
            !orderIsValid(attributes[i].srcAccessOrder, attributes[i].flags))
            return false;
    }
    return true;
}

typedef struct Batch {
    const CUdeviceptr *dsts, *srcs;
    const size_t *sizes;
    size_t count;
    const CUmemcpyAttributes *attributes;
    const size_t *firsts; /* of attribute i: the first entry it is for */
    size_t attributeCount;
} Batch;

static CUresult copyBatch(const Batch *batch, size_t *failedIndex, CUstream handle)
{
    size_t ignored;
    size_t *failed = failedIndex != NULL ? failedIndex : &ignored;
    *failed = NO_INDEX;
    Stream *stream;
    const CUresult result = streamOfBatch(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (batch->dsts == NULL || batch->srcs == NULL || batch->sizes == NULL || batch->count == 0 ||
        !attributesAreValid(batch->attributes, batch->firsts, batch->attributeCount, batch->count))
        return CUDA_ERROR_INVALID_VALUE;
    const bool wasIdle = streamIsIdle(stream);
    size_t attribute = 0;
    for (size_t i = 0; i < batch->count; i++) {
        if (attribute + 1 < batch->attributeCount && batch->firsts[attribute + 1] == i)
            attribute++;
        const Copy copy = copyOfBytes(placeUnknown(batch->dsts[i]), placeUnknown(batch->srcs[i]), batch->sizes[i]);
        *failed = i;
        if (batch->sizes[i] == 0)
            return CUDA_ERROR_INVALID_VALUE;
        crashOnGreenStream(stream, &copy.dst, &copy.src);
        const CUresult issued =
            copyIssue(stream, &copy, sourceOrder(batch->attributes[attribute].srcAccessOrder), wasIdle);
        if (issued != CUDA_SUCCESS)
            return issued;
    }
    *failed = NO_INDEX;
    return CUDA_SUCCESS;
}

/* No memory is as large as SIZE_MAX. */
static size_t bytesOf(size_t elements, size_t elementSize)
{
    return elements > SIZE_MAX / elementSize ? SIZE_MAX : elements * elementSize;
}

/* The box of one operation: sizes are in elements of its arrays, in bytes if it has none. */
static bool placeOfOperand(const CUmemcpy3DOperand *operand, size_t elementSize, const CUextent3D *extent, Place *place)
{
    switch ((int)operand->type) {
    case CU_MEMCPY_OPERAND_TYPE_POINTER:
        *place = placeUnknown(operand->op.ptr.ptr);
        place->pitch = bytesOf(operand->op.ptr.rowLength, elementSize);
        place->layerHeight = operand->op.ptr.layerHeight;
        return (operand->op.ptr.rowLength == 0 || operand->op.ptr.rowLength >= extent->width) &&
               (operand->op.ptr.layerHeight == 0 || operand->op.ptr.layerHeight >= extent->height);
    case CU_MEMCPY_OPERAND_TYPE_ARRAY:
        *place = placeInArray(operand->op.array.array, bytesOf(operand->op.array.offset.x, elementSize));
        place->y = operand->op.array.offset.y;
        place->z = operand->op.array.offset.z;
        return true;
    default:
        return false;
    }
}

static size_t elementSizeOf(const CUDA_MEMCPY3D_BATCH_OP *operation)
{
    const CUmemcpy3DOperand *const operands[] = {&operation->dst, &operation->src};
    for (size_t i = 0; i < 2; i++) {
        const Array *array =
            operands[i]->type == CU_MEMCPY_OPERAND_TYPE_ARRAY ? arrayFind(operands[i]->op.array.array) : NULL;
        if (array != NULL)
            return array->elementSize;
    }
    return 1;
}

static CUresult issue3D(Stream *stream, const CUDA_MEMCPY3D_BATCH_OP *operation, bool inBatch, bool wasIdle)
{
    const CUextent3D *extent = &operation->extent;
    const size_t elementSize = elementSizeOf(operation);
    Copy copy = {.width = bytesOf(extent->width, elementSize), .height = extent->height, .depth = extent->depth};
    if (extent->width == 0 || extent->height == 0 || extent->depth == 0 ||
        !orderIsValid(operation->srcAccessOrder, operation->flags) ||
        !placeOfOperand(&operation->dst, elementSize, extent, &copy.dst) ||
        !placeOfOperand(&operation->src, elementSize, extent, &copy.src))
        return CUDA_ERROR_INVALID_VALUE;
    if (inBatch)
        crashOnGreenStream(stream, &copy.dst, &copy.src);
    return copyIssue(stream, &copy, sourceOrder(operation->srcAccessOrder), wasIdle);
}

static CUresult copyBatch3D(const CUDA_MEMCPY3D_BATCH_OP *operations, size_t count, unsigned long long flags,
                            size_t *failedIndex, CUstream handle)
{
    size_t ignored;
    size_t *failed = failedIndex != NULL ? failedIndex : &ignored;
    *failed = NO_INDEX;
    Stream *stream;
    const CUresult result = streamOfBatch(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (operations == NULL || count == 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    const bool wasIdle = streamIsIdle(stream);
    for (size_t i = 0; i < count; i++) {
        const CUresult issued = issue3D(stream, &operations[i], true, wasIdle);
        if (issued != CUDA_SUCCESS) {
            *failed = i;
            return issued;
        }
    }
    return CUDA_SUCCESS;
}

/* CUDA 13.2's copies with attributes; nobody of us has measured them: as cuMemcpyAsync, with the order of a batch. */
static CUresult copyWithAttributes(CUdeviceptr dst, CUdeviceptr src, size_t size, const CUmemcpyAttributes *attributes,
                                   CUstream handle, bool perThread)
{
    Stream *stream;
    const CUresult result = streamForWork(handle, perThread, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (attributes == NULL || !orderIsValid(attributes->srcAccessOrder, attributes->flags))
        return CUDA_ERROR_INVALID_VALUE;
    const Copy copy = copyOfBytes(placeUnknown(dst), placeUnknown(src), size);
    return copyIssue(stream, &copy, sourceOrder(attributes->srcAccessOrder), streamIsIdle(stream));
}

static CUresult copy3DWithAttributes(const CUDA_MEMCPY3D_BATCH_OP *operation, unsigned long long flags, CUstream handle,
                                     bool perThread)
{
    Stream *stream;
    const CUresult result = streamForWork(handle, perThread, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (operation == NULL || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    return issue3D(stream, operation, false, streamIsIdle(stream));
}

/* Measured: to the per-thread variants of the older forms NULL is the per-thread default stream; to those of the newer
   ones it is refused as ever, see streamOfBatch. */
static CUstream oldStream(CUstream stream, bool perThread)
{
    return stream == NULL && perThread ? CU_STREAM_PER_THREAD : stream;
}

#define API_BATCH(symbol, parameters, call)                                                                            \
    API(symbol, parameters, call)                                                                                      \
    API(symbol##_ptsz, parameters, call)

API_PTSZ(cuMemcpyBatchAsync,
         (CUdeviceptr * dsts, CUdeviceptr *srcs, size_t *sizes, size_t count, CUmemcpyAttributes *attributes,
          size_t *firsts, size_t attributeCount, size_t *failedIndex, CUstream stream),
         copyBatch(&(Batch){dsts, srcs, sizes, count, attributes, firsts, attributeCount}, failedIndex,
                   oldStream(stream, perThread)))
API_BATCH(cuMemcpyBatchAsync_v2,
          (CUdeviceptr * dsts, CUdeviceptr *srcs, size_t *sizes, size_t count, CUmemcpyAttributes *attributes,
           size_t *firsts, size_t attributeCount, CUstream stream),
          copyBatch(&(Batch){dsts, srcs, sizes, count, attributes, firsts, attributeCount}, NULL, stream))
API_PTSZ(cuMemcpy3DBatchAsync,
         (size_t count, CUDA_MEMCPY3D_BATCH_OP *operations, size_t *failedIndex, unsigned long long flags,
          CUstream stream),
         copyBatch3D(operations, count, flags, failedIndex, oldStream(stream, perThread)))
API_BATCH(cuMemcpy3DBatchAsync_v2,
          (size_t count, CUDA_MEMCPY3D_BATCH_OP *operations, unsigned long long flags, CUstream stream),
          copyBatch3D(operations, count, flags, NULL, stream))
API_PTSZ(cuMemcpyWithAttributesAsync,
         (CUdeviceptr dst, CUdeviceptr src, size_t size, CUmemcpyAttributes *attributes, CUstream stream),
         copyWithAttributes(dst, src, size, attributes, stream, perThread))
API_PTSZ(cuMemcpy3DWithAttributesAsync, (CUDA_MEMCPY3D_BATCH_OP * operation, unsigned long long flags, CUstream stream),
         copy3DWithAttributes(operation, flags, stream, perThread))
