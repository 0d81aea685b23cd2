/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each kind of copy was given, in the terms of a record. Only for calls that failed, so that the copies carry none
 * of it.
 */
#include "copy/failure.h"

CUresult cucopyFailCall(struct cucopyScope *scope, CUresult result, struct cucopyCall call, const char *reason)
{
    return cucopyFail(
        scope, result,
        &(cucopyFailure){.function = call.function, .caller = call.caller, .reason = reason, .entry = CUCOPY_NO_ENTRY});
}

static CUresult failNull(struct cucopyScope *scope, CUresult result, struct cucopyCall call, const char *reason)
{
    return cucopyFailCall(scope, result, call, result == CUDA_ERROR_INVALID_VALUE ? reason : NULL);
}

CUresult cucopyFailCopy(struct cucopyScope *scope, CUresult result, struct cucopyCall call, CUdeviceptr dst,
                        CUdeviceptr src, size_t bytes)
{
    return cucopyFailPeer(scope, result, call, dst, NULL, src, NULL, bytes);
}

CUresult cucopyFailPeer(struct cucopyScope *scope, CUresult result, struct cucopyCall call, CUdeviceptr dst,
                        CUcontext dstContext, CUdeviceptr src, CUcontext srcContext, size_t bytes)
{
    return cucopyFail(scope, result,
                      &(cucopyFailure){.function = call.function,
                                       .caller = call.caller,
                                       .dst = dst,
                                       .src = src,
                                       .bytes = bytes,
                                       .dstSide.context = dstContext,
                                       .srcSide.context = srcContext,
                                       .entry = CUCOPY_NO_ENTRY});
}

CUresult cucopyFailToArray(struct cucopyScope *scope, CUresult result, struct cucopyCall call, CUarray dst,
                           size_t offset, CUdeviceptr src, size_t bytes)
{
    return cucopyFail(scope, result,
                      &(cucopyFailure){.function = call.function,
                                       .caller = call.caller,
                                       .src = src,
                                       .bytes = bytes,
                                       .dstSide.array = dst,
                                       .dstSide.x = offset,
                                       .entry = CUCOPY_NO_ENTRY});
}

CUresult cucopyFailFromArray(struct cucopyScope *scope, CUresult result, struct cucopyCall call, CUdeviceptr dst,
                             CUarray src, size_t offset, size_t bytes)
{
    return cucopyFail(scope, result,
                      &(cucopyFailure){.function = call.function,
                                       .caller = call.caller,
                                       .dst = dst,
                                       .bytes = bytes,
                                       .srcSide.array = src,
                                       .srcSide.x = offset,
                                       .entry = CUCOPY_NO_ENTRY});
}

/* One side of a box names its address or its array by type; a type that is none is kept, for somebody to see. */
#define ADDRESS(box, side)                                                                                             \
    ((box)->side##MemoryType == CU_MEMORYTYPE_HOST    ? (CUdeviceptr)(uintptr_t)(box)->side##Host                      \
     : (box)->side##MemoryType == CU_MEMORYTYPE_ARRAY ? 0                                                              \
                                                      : (box)->side##Device)
#define FLAT(box, side)                                                                                                \
    .memoryType = (box)->side##MemoryType,                                                                             \
    .array = (box)->side##MemoryType == CU_MEMORYTYPE_ARRAY ? (box)->side##Array : NULL, .x = (box)->side##XInBytes,   \
    .y = (box)->side##Y, .pitch = (box)->side##Pitch
#define DEEP(box, side) FLAT(box, side), .z = (box)->side##Z, .rows = (box)->side##Height
#define BOX(box, depth_)                                                                                               \
    .function = call.function, .caller = call.caller, .entry = CUCOPY_NO_ENTRY, .dst = ADDRESS(box, dst),              \
    .src = ADDRESS(box, src), .width = (box)->WidthInBytes, .height = (box)->Height, .depth = (depth_),                \
    .bytes = (box)->WidthInBytes * (box)->Height * (depth_)

CUresult cucopyFail2D(struct cucopyScope *scope, CUresult result, struct cucopyCall call, const CUDA_MEMCPY2D *box)
{
    if (!box)
        return failNull(scope, result, call, "pCopy is NULL");
    return cucopyFail(scope, result,
                      &(cucopyFailure){BOX(box, 1), .dstSide = {FLAT(box, dst)}, .srcSide = {FLAT(box, src)}});
}

CUresult cucopyFail3D(struct cucopyScope *scope, CUresult result, struct cucopyCall call, const CUDA_MEMCPY3D *box)
{
    if (!box)
        return failNull(scope, result, call, "pCopy is NULL");
    return cucopyFail(scope, result,
                      &(cucopyFailure){BOX(box, box->Depth), .dstSide = {DEEP(box, dst)}, .srcSide = {DEEP(box, src)}});
}

CUresult cucopyFail3DPeer(struct cucopyScope *scope, CUresult result, struct cucopyCall call,
                          const CUDA_MEMCPY3D_PEER *box)
{
    if (!box)
        return failNull(scope, result, call, "pCopy is NULL");
    return cucopyFail(scope, result,
                      &(cucopyFailure){BOX(box, box->Depth), .dstSide = {DEEP(box, dst), .context = box->dstContext},
                                       .srcSide = {DEEP(box, src), .context = box->srcContext}});
}

#undef ADDRESS
#undef FLAT
#undef DEEP
#undef BOX

/* A length of 0 means as long as the copy. */
static cucopySide sideOf(const CUmemcpy3DOperand *operand, size_t width, size_t height)
{
    if ((int)operand->type == CU_MEMCPY_OPERAND_TYPE_ARRAY)
        return (cucopySide){.memoryType = CU_MEMORYTYPE_ARRAY,
                            .array = operand->op.array.array,
                            .x = operand->op.array.offset.x,
                            .y = operand->op.array.offset.y,
                            .z = operand->op.array.offset.z};
    return (cucopySide){.memoryType = (int)operand->type == CU_MEMCPY_OPERAND_TYPE_POINTER ? CU_MEMORYTYPE_UNIFIED : 0,
                        .pitch = operand->op.ptr.rowLength ? operand->op.ptr.rowLength : width,
                        .rows = operand->op.ptr.layerHeight ? operand->op.ptr.layerHeight : height};
}

CUresult cucopyFail3DBatchOp(struct cucopyScope *scope, CUresult result, struct cucopyCall call,
                             const CUDA_MEMCPY3D_BATCH_OP *op)
{
    if (!op)
        return failNull(scope, result, call, "op is NULL");
    return cucopyFail3DBatch(scope, result, call, op, &(cucopyFailure){.entry = CUCOPY_NO_ENTRY});
}

CUresult cucopyFail3DBatch(struct cucopyScope *scope, CUresult result, struct cucopyCall call,
                           const CUDA_MEMCPY3D_BATCH_OP *op, const cucopyFailure *batch)
{
    cucopyFailure what = {.function = call.function,
                          .caller = call.caller,
                          .reason = batch->reason,
                          .entry = batch->entry,
                          .enqueued = batch->enqueued,
                          .entriesEnqueued = batch->entriesEnqueued};
    if (op) {
        what.width = op->extent.width;
        what.height = op->extent.height;
        what.depth = op->extent.depth;
        what.bytes = what.width * what.height * what.depth;
        what.dstSide = sideOf(&op->dst, what.width, what.height);
        what.srcSide = sideOf(&op->src, what.width, what.height);
        what.dst = what.dstSide.array ? 0 : op->dst.op.ptr.ptr;
        what.src = what.srcSide.array ? 0 : op->src.op.ptr.ptr;
    }
    return cucopyFail(scope, result, &what);
}
