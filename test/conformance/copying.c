/* SPDX-License-Identifier: Apache-2.0 */
#include "copying.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { HEIGHT = 16, DEPTH = 4 };

static CUresult async(const struct copyFunctions *f, const struct memory *dst, const struct memory *src, size_t bytes,
                      CUstream stream)
{
    return f->MemcpyAsync(dst->address, src->address, bytes, stream);
}

static CUresult peer(const struct copyFunctions *f, const struct memory *dst, const struct memory *src, size_t bytes,
                     CUstream stream)
{
    return f->MemcpyPeerAsync(dst->address, dst->context, src->address, src->context, bytes, stream);
}

static CUresult hostToDevice(const struct copyFunctions *f, const struct memory *dst, const struct memory *src,
                             size_t bytes, CUstream stream)
{
    return f->MemcpyHtoDAsync(dst->address, src->host, bytes, stream);
}

static CUresult deviceToHost(const struct copyFunctions *f, const struct memory *dst, const struct memory *src,
                             size_t bytes, CUstream stream)
{
    return f->MemcpyDtoHAsync(dst->host, src->address, bytes, stream);
}

static CUresult deviceToDevice(const struct copyFunctions *f, const struct memory *dst, const struct memory *src,
                               size_t bytes, CUstream stream)
{
    return f->MemcpyDtoDAsync(dst->address, src->address, bytes, stream);
}

static CUresult hostToArray(const struct copyFunctions *f, const struct memory *dst, const struct memory *src,
                            size_t bytes, CUstream stream)
{
    return f->MemcpyHtoAAsync(dst->array, 0, src->host, bytes, stream);
}

static CUresult arrayToHost(const struct copyFunctions *f, const struct memory *dst, const struct memory *src,
                            size_t bytes, CUstream stream)
{
    return f->MemcpyAtoHAsync(dst->host, src->array, 0, bytes, stream);
}

/* An address given as the type that the memory has, or as one of the unified space. */
#define SIDE(box, side, memory, unified)                                                                               \
    do {                                                                                                               \
        if ((memory)->array) {                                                                                         \
            (box)->side##MemoryType = CU_MEMORYTYPE_ARRAY;                                                             \
            (box)->side##Array = (memory)->array;                                                                      \
        } else if ((memory)->typedHost && !(unified)) {                                                                \
            (box)->side##MemoryType = CU_MEMORYTYPE_HOST;                                                              \
            (box)->side##Host = (memory)->host;                                                                        \
        } else {                                                                                                       \
            (box)->side##MemoryType = (unified) ? CU_MEMORYTYPE_UNIFIED : CU_MEMORYTYPE_DEVICE;                        \
            (box)->side##Device = (memory)->address;                                                                   \
        }                                                                                                              \
    } while (0)

static CUresult rows(const struct copyFunctions *f, const struct memory *dst, const struct memory *src, size_t bytes,
                     CUstream stream, bool unified)
{
    /* Our arrays have one dimension. */
    const size_t height = dst->array || src->array ? 1 : HEIGHT;
    const size_t pitch = bytes / height;
    CUDA_MEMCPY2D box = {.srcPitch = pitch, .dstPitch = pitch, .WidthInBytes = pitch, .Height = height};
    SIDE(&box, dst, dst, unified);
    SIDE(&box, src, src, unified);
    return f->Memcpy2DAsync(&box, stream);
}

static CUresult typedRows(const struct copyFunctions *f, const struct memory *dst, const struct memory *src,
                          size_t bytes, CUstream stream)
{
    return rows(f, dst, src, bytes, stream, false);
}

static CUresult unifiedRows(const struct copyFunctions *f, const struct memory *dst, const struct memory *src,
                            size_t bytes, CUstream stream)
{
    return rows(f, dst, src, bytes, stream, true);
}

static CUresult box(const struct copyFunctions *f, const struct memory *dst, const struct memory *src, size_t bytes,
                    CUstream stream)
{
    const size_t pitch = bytes / HEIGHT / DEPTH;
    CUDA_MEMCPY3D box = {.srcPitch = pitch,
                         .srcHeight = HEIGHT,
                         .dstPitch = pitch,
                         .dstHeight = HEIGHT,
                         .WidthInBytes = pitch,
                         .Height = HEIGHT,
                         .Depth = DEPTH};
    SIDE(&box, dst, dst, true);
    SIDE(&box, src, src, true);
    return f->Memcpy3DAsync(&box, stream);
}

static CUresult peerBox(const struct copyFunctions *f, const struct memory *dst, const struct memory *src, size_t bytes,
                        CUstream stream)
{
    const size_t pitch = bytes / HEIGHT / DEPTH;
    CUDA_MEMCPY3D_PEER box = {.srcContext = src->context,
                              .srcPitch = pitch,
                              .srcHeight = HEIGHT,
                              .dstContext = dst->context,
                              .dstPitch = pitch,
                              .dstHeight = HEIGHT,
                              .WidthInBytes = pitch,
                              .Height = HEIGHT,
                              .Depth = DEPTH};
    SIDE(&box, dst, dst, true);
    SIDE(&box, src, src, true);
    return f->Memcpy3DPeerAsync(&box, stream);
}
#undef SIDE

/* Two entries, so that there is a batch to speak of. */
struct entries {
    CUdeviceptr dsts[2], srcs[2];
    size_t sizes[2];
    CUmemcpyAttributes attributes;
    size_t first;
};

static struct entries entriesOf(const struct memory *dst, const struct memory *src, size_t bytes)
{
    return (struct entries){.dsts = {dst->address, dst->address + bytes / 4},
                            .srcs = {src->address, src->address + bytes / 4},
                            .sizes = {bytes / 4, bytes - bytes / 4},
                            .attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM}};
}

static CUresult batch(const struct copyFunctions *f, const struct memory *dst, const struct memory *src, size_t bytes,
                      CUstream stream)
{
    struct entries e = entriesOf(dst, src, bytes);
    return f->MemcpyBatchAsync(e.dsts, e.srcs, e.sizes, 2, &e.attributes, &e.first, 1, stream);
}

static CUresult oldBatch(const struct copyFunctions *f, const struct memory *dst, const struct memory *src,
                         size_t bytes, CUstream stream)
{
    struct entries e = entriesOf(dst, src, bytes);
    size_t failed = 0;
    return f->MemcpyBatchAsync_v12080(e.dsts, e.srcs, e.sizes, 2, &e.attributes, &e.first, 1, &failed, stream);
}

static CUresult withAttributes(const struct copyFunctions *f, const struct memory *dst, const struct memory *src,
                               size_t bytes, CUstream stream)
{
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    return f->MemcpyWithAttributesAsync(dst->address, src->address, bytes, &attributes, stream);
}

static CUDA_MEMCPY3D_BATCH_OP boxOf(const struct memory *dst, const struct memory *src, size_t bytes)
{
    const size_t pitch = bytes / HEIGHT / DEPTH;
    return (CUDA_MEMCPY3D_BATCH_OP){
        .src = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER,
                .op.ptr = {.ptr = src->address, .rowLength = pitch, .layerHeight = HEIGHT}},
        .dst = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER,
                .op.ptr = {.ptr = dst->address, .rowLength = pitch, .layerHeight = HEIGHT}},
        .extent = {.width = pitch, .height = HEIGHT, .depth = DEPTH},
        .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
    };
}

static CUresult batchOfBoxes(const struct copyFunctions *f, const struct memory *dst, const struct memory *src,
                             size_t bytes, CUstream stream)
{
    CUDA_MEMCPY3D_BATCH_OP op = boxOf(dst, src, bytes);
    return f->Memcpy3DBatchAsync(1, &op, 0, stream);
}

static CUresult oldBatchOfBoxes(const struct copyFunctions *f, const struct memory *dst, const struct memory *src,
                                size_t bytes, CUstream stream)
{
    CUDA_MEMCPY3D_BATCH_OP op = boxOf(dst, src, bytes);
    size_t failed = 0;
    return f->Memcpy3DBatchAsync_v12080(1, &op, &failed, 0, stream);
}

static CUresult boxWithAttributes(const struct copyFunctions *f, const struct memory *dst, const struct memory *src,
                                  size_t bytes, CUstream stream)
{
    CUDA_MEMCPY3D_BATCH_OP op = boxOf(dst, src, bytes);
    return f->Memcpy3DWithAttributesAsync(&op, 0, stream);
}

static unsigned char valueOf(size_t bytes, CUdeviceptr address)
{
    return (unsigned char)(0xa5U ^ (bytes >> 8) ^ (address >> 12));
}

static CUresult set(const struct copyFunctions *f, const struct memory *dst, const struct memory *src, size_t bytes,
                    CUstream stream)
{
    (void)src;
    return f->MemsetD8Async(dst->address, valueOf(bytes, dst->address), bytes, stream);
}

static CUresult setRows(const struct copyFunctions *f, const struct memory *dst, const struct memory *src, size_t bytes,
                        CUstream stream)
{
    (void)src;
    return f->MemsetD2D8Async(dst->address, bytes / HEIGHT, valueOf(bytes, dst->address), bytes / HEIGHT, HEIGHT,
                              stream);
}

const struct operation *operationNamed(const char *name)
{
    static const struct operation operations[] = {
        {"Async", async, false},
        {"Peer", peer, false},
        {"HtoD", hostToDevice, false},
        {"DtoH", deviceToHost, false},
        {"DtoD", deviceToDevice, false},
        {"HtoA", hostToArray, false},
        {"AtoH", arrayToHost, false},
        {"2D.typed", typedRows, false},
        {"2D.unified", unifiedRows, false},
        {"3D", box, false},
        {"3DPeer", peerBox, false},
        {"Batch", batch, false},
        {"3DBatch", batchOfBoxes, false},
        {"Batch_v12080", oldBatch, false},
        {"3DBatch_v12080", oldBatchOfBoxes, false},
        {"Attributes", withAttributes, false},
        {"3DAttributes", boxWithAttributes, false},
        {"MemsetD8", set, true},
        {"MemsetD2D8", setRows, true},
    };
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
        if (strcmp(operations[i].name, name) == 0)
            return &operations[i];
    return NULL;
}

/* The guard's two calls around a raw one; what fails first is the result. */
static CUresult guarded(const struct attempt *attempt, const struct copyFunctions *raw, CUstream stream)
{
    cucopyGuard guard;
    CUresult result = attempt->way == GUARDED ? cucopyGuardEnter(&guard, stream)
                                              : cucopyGuardEnterContext(&guard, attempt->stream->owner->context);
    if (result != CUDA_SUCCESS)
        return result;
    result = attempt->operation->call(raw, attempt->dst, attempt->src, attempt->bytes, stream);
    const CUresult left = cucopyGuardExit(&guard);
    return result != CUDA_SUCCESS ? result : left;
}

static const struct copyFunctions *functionsOf(const struct attempt *attempt)
{
    switch (attempt->way) {
    case SAFE:
        return attempt->perThread ? &safeFunctionsPerThread : &safeFunctions;
    case OWNER:
        return &ownerFunctions;
    default:
        return attempt->perThread ? &rawFunctionsPerThread : &rawFunctions;
    }
}

static CUresult perform(const struct attempt *attempt)
{
    const struct copyFunctions *const functions = functionsOf(attempt);
    const CUstream stream = attempt->stream->handle;
    if (attempt->way == GUARDED || attempt->way == EXPLICIT)
        return guarded(attempt, functions, stream);
    return attempt->operation->call(functions, attempt->dst, attempt->src, attempt->bytes, stream);
}

const char *outcomeOf(const struct attempt *attempt)
{
    static unsigned seed;
    static char text[128];
    const unsigned before = ++seed;
    const unsigned arriving = attempt->dst == attempt->src ? before : ++seed;
    fillMemory(attempt->dst, attempt->bytes, before);
    if (!attempt->operation->sets && arriving != before)
        fillMemory(attempt->src, attempt->bytes, arriving);

    stackStand(attempt->current->context);
    const CUresult result = perform(attempt);
    const bool whole = stackStillStands(attempt->current->context);
    settle();

    const bool arrived = attempt->operation->sets ? memoryHoldsValue(attempt->dst, attempt->bytes,
                                                                     valueOf(attempt->bytes, attempt->dst->address))
                                                  : memoryHolds(attempt->dst, attempt->bytes, arriving);
    const char *bytes = "";
    if (result == CUDA_SUCCESS)
        bytes = arrived ? "" : ", bytes lost";
    else
        bytes = memoryHolds(attempt->dst, attempt->bytes, before) ? "" : ", bytes moved";
    (void)snprintf(text, sizeof(text), "%s%s%s", result == CUDA_SUCCESS ? "copied" : resultName(result), bytes,
                   whole ? "" : ", stack changed");
    return text;
}
