/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch of boxes from beginning to end, inside the guard: every op is checked, then they are enqueued, by the
 * driver's batch call where it takes this one and as single boxes otherwise. Access orders are kept as for ranges.
 */
#include "copy/batch3d.h"
#include "copy/batch_engine.h"
#include "copy/batch_ranges.h"

/* ---- Checking ---- */

static CUresult refuse(struct cucopyBatch3D *batch, const char *reason)
{
    batch->reason = reason;
    return CUDA_ERROR_INVALID_VALUE;
}

static int isArray(const CUmemcpy3DOperand *operand)
{
    return (int)operand->type == CU_MEMCPY_OPERAND_TYPE_ARRAY;
}

static int isEmpty(const CUDA_MEMCPY3D_BATCH_OP *op)
{
    return op->extent.width == 0 || op->extent.height == 0 || op->extent.depth == 0;
}

/* No memory is as large as SIZE_MAX, so that stands for whatever is larger. */
static size_t plus(size_t a, size_t b)
{
    return a < SIZE_MAX - b ? a + b : SIZE_MAX;
}

static size_t times(size_t a, size_t b)
{
    return b == 0 || a < SIZE_MAX / b ? a * b : SIZE_MAX;
}

static size_t elementOf(const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
    size_t size = 0;
    switch ((int)descriptor->Format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        size = 1;
        break;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        size = 2;
        break;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
        size = 4;
        break;
    default:
        break;
    }
    return size * descriptor->NumChannels;
}

/* An array in elements, and their bytes; 0 if the driver does not say: it alone can copy block formats. */
struct shape {
    size_t element, width, height, depth;
};

static struct shape shapeOf(const CUmemcpy3DOperand *operand)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {.NumChannels = 0};
    if (!isArray(operand) || !operand->op.array.array ||
        cudrvArray3DGetDescriptor(&descriptor, operand->op.array.array) != CUDA_SUCCESS)
        return (struct shape){.element = 0};
    return (struct shape){elementOf(&descriptor), descriptor.Width, descriptor.Height ? descriptor.Height : 1,
                          descriptor.Depth ? descriptor.Depth : 1};
}

/* Widths and row lengths count the elements of the array that takes part, or bytes if none does. */
static size_t elementOfOp(const CUDA_MEMCPY3D_BATCH_OP *op, const struct shape *dst, const struct shape *src)
{
    return isArray(&op->src) ? src->element : isArray(&op->dst) ? dst->element : 1;
}

static size_t rowOf(const CUmemcpy3DOperand *operand, const CUDA_MEMCPY3D_BATCH_OP *op)
{
    return operand->op.ptr.rowLength ? operand->op.ptr.rowLength : op->extent.width;
}

static size_t layerOf(const CUmemcpy3DOperand *operand, const CUDA_MEMCPY3D_BATCH_OP *op)
{
    return operand->op.ptr.layerHeight ? operand->op.ptr.layerHeight : op->extent.height;
}

/* From the first byte that the box touches to the last. */
static size_t bytesOf(const CUmemcpy3DOperand *operand, const CUDA_MEMCPY3D_BATCH_OP *op, size_t element)
{
    const size_t rows = plus(times(op->extent.depth - 1, layerOf(operand, op)), op->extent.height - 1);
    return times(plus(times(rows, rowOf(operand, op)), op->extent.width), element);
}

static int fits(size_t offset, size_t extent, size_t whole)
{
    return offset <= whole && extent <= whole - offset;
}

static CUresult checkArray(struct cucopyBatch3D *batch, const CUmemcpy3DOperand *operand,
                           const CUDA_MEMCPY3D_BATCH_OP *op, const struct shape *shape, size_t element)
{
    if (!operand->op.array.array)
        return refuse(batch, "an operand's array is NULL");
    if (element == 0 || shape->element == 0)
        return CUDA_SUCCESS;
    return fits(times(operand->op.array.offset.x, shape->element), times(op->extent.width, element),
                times(shape->width, shape->element)) &&
                   fits(operand->op.array.offset.y, op->extent.height, shape->height) &&
                   fits(operand->op.array.offset.z, op->extent.depth, shape->depth)
               ? CUDA_SUCCESS
               : refuse(batch, "the box is not inside the array");
}

static CUresult checkPointer(struct cucopyBatch3D *batch, struct cucopyRanges *ranges, enum cucopySideOfCopy side,
                             const CUDA_MEMCPY3D_BATCH_OP *op, size_t element, const struct cucopyRange **range)
{
    const CUmemcpy3DOperand *const operand = side == CUCOPY_DST ? &op->dst : &op->src;
    if ((int)operand->type != CU_MEMCPY_OPERAND_TYPE_POINTER)
        return refuse(batch, "an operand is neither a pointer nor an array");
    if (!operand->op.ptr.ptr)
        return refuse(batch, "an operand's pointer is NULL");
    if (rowOf(operand, op) < op->extent.width || layerOf(operand, op) < op->extent.height)
        return refuse(batch, "an operand's rows or layers are shorter than the box");
    const size_t bytes = element ? bytesOf(operand, op, element) : 1;
    if (bytes == SIZE_MAX || times(rowOf(operand, op), element) == SIZE_MAX)
        return refuse(batch, "the box is larger than any memory");
    *range = cucopyRangeOf(ranges, side, operand->op.ptr.ptr, bytes);
    return *range ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* As for ranges: memory that CUDA does not know is for single copies. An array has no range. */
static int isUnknown(const struct cucopyRange *range)
{
    return range && range->memory == CUCOPY_MEMORY_UNKNOWN;
}

static CUresult checkOrder(struct cucopyBatch3D *batch, const CUDA_MEMCPY3D_BATCH_OP *op, const struct cucopyRange *src)
{
    switch ((int)op->srcAccessOrder) {
    case CU_MEMCPY_SRC_ACCESS_ORDER_STREAM:
        batch->readsInOrder |= isUnknown(src);
        return CUDA_SUCCESS;
    case CU_MEMCPY_SRC_ACCESS_ORDER_ANY:
        return CUDA_SUCCESS;
    case CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL:
        if (batch->capturing && src && src->memory != CUCOPY_MEMORY_DEVICE) {
            batch->reason = "the access order is DURING_API_CALL, and a graph reads its sources when it is launched";
            return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        }
        batch->waitsForCopy |= !batch->capturing && (!isUnknown(src) || src->unasked);
        return CUDA_SUCCESS;
    default:
        return refuse(batch, "there is no such source access order");
    }
}

static CUresult checkOp(struct cucopyBatch3D *batch, struct cucopyRanges *ranges, const CUDA_MEMCPY3D_BATCH_OP *op,
                        int together)
{
    const struct cucopyRange *to = NULL;
    const struct cucopyRange *from = NULL;
    const struct shape dst = shapeOf(&op->dst);
    const struct shape src = shapeOf(&op->src);
    const size_t element = elementOfOp(op, &dst, &src);
    if ((op->flags & ~(unsigned)CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE) != 0)
        return refuse(batch, "there is no such flag");
    CUresult result = isArray(&op->dst) ? checkArray(batch, &op->dst, op, &dst, element)
                                        : checkPointer(batch, ranges, CUCOPY_DST, op, element, &to);
    if (result == CUDA_SUCCESS)
        result = isArray(&op->src) ? checkArray(batch, &op->src, op, &src, element)
                                   : checkPointer(batch, ranges, CUCOPY_SRC, op, element, &from);
    if (result == CUDA_SUCCESS)
        result = checkOrder(batch, op, from);
    if (result == CUDA_SUCCESS && element == 0 && (!together || isUnknown(to) || isUnknown(from))) {
        batch->reason = "the driver does not say how large the array's elements are, so only its batch call could copy "
                        "them, and that cannot be used here";
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return result;
}

static CUresult check(struct cucopyBatch3D *batch, struct cucopyRanges *ranges, int together)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (isEmpty(&batch->ops[i]))
            continue;
        batch->entry = i;
        const CUresult result = checkOp(batch, ranges, &batch->ops[i], together);
        if (result != CUDA_SUCCESS)
            return result;
    }
    batch->entry = CUCOPY_NO_ENTRY;
    return CUDA_SUCCESS;
}

/* ---- Enqueueing ---- */

/* The same box for cuMemcpy3DAsync, which counts widths in bytes. */
static CUDA_MEMCPY3D boxOf(const CUDA_MEMCPY3D_BATCH_OP *op, size_t element)
{
    CUDA_MEMCPY3D box = {
        .WidthInBytes = op->extent.width * element, .Height = op->extent.height, .Depth = op->extent.depth};
#define SIDE(side)                                                                                                     \
    if (isArray(&op->side)) {                                                                                          \
        box.side##MemoryType = CU_MEMORYTYPE_ARRAY;                                                                    \
        box.side##Array = op->side.op.array.array;                                                                     \
        box.side##XInBytes = op->side.op.array.offset.x * element;                                                     \
        box.side##Y = op->side.op.array.offset.y;                                                                      \
        box.side##Z = op->side.op.array.offset.z;                                                                      \
    } else {                                                                                                           \
        box.side##MemoryType = CU_MEMORYTYPE_UNIFIED;                                                                  \
        box.side##Device = op->side.op.ptr.ptr;                                                                        \
        box.side##Pitch = rowOf(&op->side, op) * element;                                                              \
        box.side##Height = layerOf(&op->side, op);                                                                     \
    }
    SIDE(dst)
    SIDE(src)
#undef SIDE
    return box;
}

static CUresult copySingly(struct cucopyBatch3D *batch, size_t i)
{
    const CUDA_MEMCPY3D_BATCH_OP *const op = &batch->ops[i];
    const struct shape src = shapeOf(&op->src);
    const struct shape dst = isArray(&op->src) ? src : shapeOf(&op->dst);
    const size_t element = elementOfOp(op, &dst, &src);
    const CUDA_MEMCPY3D box = boxOf(op, element);
    const CUresult result = element ? cudrvMemcpy3DAsync(&box, batch->stream) : CUDA_ERROR_NOT_SUPPORTED;
    if (result == CUDA_SUCCESS)
        batch->enqueued++;
    else
        batch->entry = i;
    return result;
}

enum { GATHERED = 32 };

struct gathered {
    size_t count;
    size_t entries[GATHERED];
    CUDA_MEMCPY3D_BATCH_OP ops[GATHERED];
};

static CUresult copyTogether(struct cucopyBatch3D *batch, struct gathered *gathered)
{
    size_t failed = SIZE_MAX;
    if (gathered->count == 0)
        return CUDA_SUCCESS;
    const CUresult result =
        cucopyFormOfDriver(CUCOPY_BATCH_OF_BOXES) == CUCOPY_CALL_13000
            ? cudrvMemcpy3DBatchAsync(gathered->count, gathered->ops, 0, batch->stream)
            : cudrvMemcpy3DBatchAsync_v12080(gathered->count, gathered->ops, &failed, 0, batch->stream);
    if (result == CUDA_SUCCESS)
        batch->enqueued += gathered->count;
    else if (failed < gathered->count)
        batch->entry = gathered->entries[failed];
    gathered->count = 0;
    return result;
}

/* As for ranges, the driver is never asked to read during the call: the stream is waited for once, in the end. */
static CUresult gather(struct cucopyBatch3D *batch, struct gathered *gathered, size_t i)
{
    CUDA_MEMCPY3D_BATCH_OP *const op = &gathered->ops[gathered->count];
    *op = batch->ops[i];
    if ((int)op->srcAccessOrder == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL)
        op->srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    gathered->entries[gathered->count++] = i;
    return gathered->count == GATHERED ? copyTogether(batch, gathered) : CUDA_SUCCESS;
}

static CUresult enqueue(struct cucopyBatch3D *batch, struct cucopyRanges *ranges, int together)
{
    struct gathered gathered;
    CUresult result = CUDA_SUCCESS;
    gathered.count = 0;
    for (size_t i = 0; i < batch->count && result == CUDA_SUCCESS; i++) {
        const CUDA_MEMCPY3D_BATCH_OP *const op = &batch->ops[i];
        if (isEmpty(op))
            continue;
        const struct cucopyRange *const dst =
            isArray(&op->dst) ? NULL : cucopyRangeOf(ranges, CUCOPY_DST, op->dst.op.ptr.ptr, 1);
        const struct cucopyRange *const src =
            isArray(&op->src) ? NULL : cucopyRangeOf(ranges, CUCOPY_SRC, op->src.op.ptr.ptr, 1);
        result = together && !isUnknown(dst) && !isUnknown(src) ? gather(batch, &gathered, i) : copySingly(batch, i);
    }
    return result == CUDA_SUCCESS ? copyTogether(batch, &gathered) : result;
}

CUresult cucopyBatch3DRun(struct cucopyBatch3D *batch)
{
    struct cucopyManyRanges many;
    if (!batch->ops)
        return refuse(batch, "opList is NULL");
    if (batch->flags != 0)
        return refuse(batch, "flags is not 0");
    CUresult result = cucopyBatchIsCaptured(batch->stream, &batch->capturing, &batch->reason);
    if (result != CUDA_SUCCESS)
        return result;
    struct cucopyRanges ranges = cucopyRangesOfMany(&many, NULL);
    const int together = cucopyDriverTakesBatch(CUCOPY_BATCH_OF_BOXES, batch->stream, batch->capturing);
    result = check(batch, &ranges, together);
    if (result == CUDA_SUCCESS && batch->readsInOrder && !batch->capturing)
        result = cucopyBatchWait(batch->stream);
    if (result == CUDA_SUCCESS)
        result = enqueue(batch, &ranges, together);
    if (batch->waitsForCopy && batch->enqueued != 0) {
        const CUresult waited = cucopyBatchWait(batch->stream);
        batch->isEnqueued = result == CUDA_SUCCESS;
        result = result == CUDA_SUCCESS ? waited : result;
    }
    return result;
}
