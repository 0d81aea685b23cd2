/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every asynchronous copy of the driver, as a raw and as a safe call that moves BYTES bytes from one operand to the
 * other. Boxes are 1 KiB wide, and batches have four entries.
 */
#include "tool/report.h"

enum { WIDTH = 1024, HEIGHT = BYTES / WIDTH, LAYERS_OF_BOX = 4, ENTRIES_OF_BATCH = 4 };

/* ---- Descriptors ---- */

/* The address decides, as in the unified copies; a typed descriptor is the same check with fewer ways through. */
static CUDA_MEMCPY2D rows2D(const struct operands *o)
{
    return (CUDA_MEMCPY2D){
        .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
        .srcDevice = o->src,
        .srcPitch = WIDTH,
        .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
        .dstDevice = o->dst,
        .dstPitch = WIDTH,
        .WidthInBytes = WIDTH,
        .Height = HEIGHT,
    };
}

static CUDA_MEMCPY3D box(const struct operands *o)
{
    return (CUDA_MEMCPY3D){
        .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
        .srcDevice = o->src,
        .srcPitch = WIDTH,
        .srcHeight = HEIGHT / LAYERS_OF_BOX,
        .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
        .dstDevice = o->dst,
        .dstPitch = WIDTH,
        .dstHeight = HEIGHT / LAYERS_OF_BOX,
        .WidthInBytes = WIDTH,
        .Height = HEIGHT / LAYERS_OF_BOX,
        .Depth = LAYERS_OF_BOX,
    };
}

static CUDA_MEMCPY3D_PEER peerBox(const struct operands *o)
{
    return (CUDA_MEMCPY3D_PEER){
        .srcMemoryType = CU_MEMORYTYPE_DEVICE,
        .srcDevice = o->src,
        .srcContext = o->srcContext,
        .srcPitch = WIDTH,
        .srcHeight = HEIGHT / LAYERS_OF_BOX,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
        .dstDevice = o->dst,
        .dstContext = o->dstContext,
        .dstPitch = WIDTH,
        .dstHeight = HEIGHT / LAYERS_OF_BOX,
        .WidthInBytes = WIDTH,
        .Height = HEIGHT / LAYERS_OF_BOX,
        .Depth = LAYERS_OF_BOX,
    };
}

static CUmemcpyAttributes inStreamOrder(void)
{
    return (CUmemcpyAttributes){.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
}

/* The operation's bytes from offset on, height rows deep. */
static CUDA_MEMCPY3D_BATCH_OP operation(const struct operands *o, size_t offset, size_t height)
{
    return (CUDA_MEMCPY3D_BATCH_OP){
        .src = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER,
                .op.ptr = {.ptr = o->src + offset, .rowLength = WIDTH, .layerHeight = height}},
        .dst = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER,
                .op.ptr = {.ptr = o->dst + offset, .rowLength = WIDTH, .layerHeight = height}},
        .extent = {.width = WIDTH, .height = height, .depth = 1},
        .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
    };
}

/* ---- Batches: older drivers have a form with failIdx ---- */

typedef CUresult(CUDAAPI *batchCall)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *,
                                     size_t, CUstream);
typedef CUresult(CUDAAPI *boxBatchCall)(size_t, CUDA_MEMCPY3D_BATCH_OP *, unsigned long long, CUstream);

static CUresult CUDAAPI oldBatch(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                 CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, CUstream stream)
{
    size_t failed = 0;
    return cudrvMemcpyBatchAsync_v12080(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, &failed, stream);
}

static CUresult CUDAAPI oldBoxBatch(size_t count, CUDA_MEMCPY3D_BATCH_OP *operations, unsigned long long flags,
                                    CUstream stream)
{
    size_t failed = 0;
    return cudrvMemcpy3DBatchAsync_v12080(count, operations, &failed, flags, stream);
}

static CUresult batch(const struct operands *o, batchCall call)
{
    CUdeviceptr dsts[ENTRIES_OF_BATCH];
    CUdeviceptr srcs[ENTRIES_OF_BATCH];
    size_t sizes[ENTRIES_OF_BATCH];
    for (size_t i = 0; i < ENTRIES_OF_BATCH; i++) {
        sizes[i] = BYTES / ENTRIES_OF_BATCH;
        dsts[i] = o->dst + i * sizes[i];
        srcs[i] = o->src + i * sizes[i];
    }
    CUmemcpyAttributes attributes = inStreamOrder();
    size_t firstEntry = 0;
    return call(dsts, srcs, sizes, ENTRIES_OF_BATCH, &attributes, &firstEntry, 1, o->stream);
}

static CUresult boxBatch(const struct operands *o, boxBatchCall call)
{
    CUDA_MEMCPY3D_BATCH_OP operations[ENTRIES_OF_BATCH];
    for (size_t i = 0; i < ENTRIES_OF_BATCH; i++)
        operations[i] = operation(o, i * (BYTES / ENTRIES_OF_BATCH), HEIGHT / ENTRIES_OF_BATCH);
    return call(ENTRIES_OF_BATCH, operations, 0, o->stream);
}

static CUresult rawBatch(const struct operands *o)
{
    return batch(o, cudrvHas("cuMemcpyBatchAsync") ? cudrvMemcpyBatchAsync : oldBatch);
}

static CUresult safeBatch(const struct operands *o)
{
    return batch(o, cucopyMemcpyBatchAsync);
}

static CUresult rawBoxBatch(const struct operands *o)
{
    return boxBatch(o, cudrvHas("cuMemcpy3DBatchAsync") ? cudrvMemcpy3DBatchAsync : oldBoxBatch);
}

static CUresult safeBoxBatch(const struct operands *o)
{
    return boxBatch(o, cucopyMemcpy3DBatchAsync);
}

/* ---- Single copies ---- */

static void *host(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

/* raw<name> and safe<name>, which call their layer's function with the same arguments. */
#define BOTH(name, ...)                                                                                                \
    static CUresult raw##name(const struct operands *o)                                                                \
    {                                                                                                                  \
        return cudrv##name(__VA_ARGS__);                                                                               \
    }                                                                                                                  \
    static CUresult safe##name(const struct operands *o)                                                               \
    {                                                                                                                  \
        return cucopy##name(__VA_ARGS__);                                                                              \
    }

BOTH(MemcpyAsync, o->dst, o->src, BYTES, o->stream)
BOTH(MemcpyPeerAsync, o->dst, o->dstContext, o->src, o->srcContext, BYTES, o->stream)
BOTH(MemcpyHtoDAsync, o->dst, host(o->src), BYTES, o->stream)
BOTH(MemcpyDtoHAsync, host(o->dst), o->src, BYTES, o->stream)
BOTH(MemcpyDtoDAsync, o->dst, o->src, BYTES, o->stream)
BOTH(MemcpyHtoAAsync, o->array, 0, host(o->src), BYTES, o->stream)
BOTH(MemcpyAtoHAsync, host(o->dst), o->array, 0, BYTES, o->stream)
BOTH(Memcpy2DAsync, (CUDA_MEMCPY2D[]){rows2D(o)}, o->stream)
BOTH(Memcpy3DAsync, (CUDA_MEMCPY3D[]){box(o)}, o->stream)
BOTH(Memcpy3DPeerAsync, (CUDA_MEMCPY3D_PEER[]){peerBox(o)}, o->stream)
BOTH(MemcpyWithAttributesAsync, o->dst, o->src, BYTES, (CUmemcpyAttributes[]){inStreamOrder()}, o->stream)
BOTH(Memcpy3DWithAttributesAsync, (CUDA_MEMCPY3D_BATCH_OP[]){operation(o, 0, HEIGHT)}, 0, o->stream)
#undef BOTH

/* ---- The table ---- */

#define ANY (HOST_TO_DEVICE | DEVICE_TO_HOST | DEVICE_TO_DEVICE)
#define SINGLE(name, shapes)                                                                                           \
    {                                                                                                                  \
        "cu" #name, {"cu" #name, NULL}, shapes,                                                                        \
        {                                                                                                              \
            raw##name, safe##name                                                                                      \
        }                                                                                                              \
    }
const struct copy doctorCopies[] = {
    SINGLE(MemcpyAsync, ANY),
    SINGLE(MemcpyHtoDAsync, HOST_TO_DEVICE),
    SINGLE(MemcpyDtoHAsync, DEVICE_TO_HOST),
    SINGLE(MemcpyDtoDAsync, DEVICE_TO_DEVICE),
    SINGLE(MemcpyPeerAsync, BETWEEN_CONTEXTS),
    SINGLE(MemcpyHtoAAsync, HOST_TO_ARRAY),
    SINGLE(MemcpyAtoHAsync, ARRAY_TO_HOST),
    SINGLE(Memcpy2DAsync, ANY),
    SINGLE(Memcpy3DAsync, ANY),
    SINGLE(Memcpy3DPeerAsync, BETWEEN_CONTEXTS),
    {"cuMemcpyBatchAsync", {"cuMemcpyBatchAsync", "cuMemcpyBatchAsync_v12080"}, ANY, {rawBatch, safeBatch}},
    {"cuMemcpy3DBatchAsync", {"cuMemcpy3DBatchAsync", "cuMemcpy3DBatchAsync_v12080"}, ANY, {rawBoxBatch, safeBoxBatch}},
    SINGLE(MemcpyWithAttributesAsync, ANY),
    SINGLE(Memcpy3DWithAttributesAsync, ANY),
};
#undef ANY
#undef SINGLE
const int doctorCopyCount = sizeof(doctorCopies) / sizeof(doctorCopies[0]);

int doctorCopyExists(const struct copy *copy)
{
    return cudrvHas(copy->entry[0]) || (copy->entry[1] && cudrvHas(copy->entry[1]));
}
