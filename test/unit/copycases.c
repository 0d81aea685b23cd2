/* SPDX-License-Identifier: Apache-2.0 */
#include "types.h" /* first: it has the types that an old cuda.h lacks */

#include "copycases.h"

#define UNTOUCHED 0xEE

static unsigned char patternByte(unsigned seed, size_t i)
{
    return (unsigned char)((seed * (size_t)31 + i * 7) & 0x7F);
}

/* ---- The boxes of the structured copies ---- */

static CUDA_MEMCPY2D box2D(const struct buffers *b)
{
    return (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                           .srcDevice = b->deviceSrc,
                           .srcPitch = copyBytes / 8,
                           .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstDevice = b->deviceDst,
                           .dstPitch = copyBytes / 8,
                           .WidthInBytes = copyBytes / 8,
                           .Height = 8};
}

static CUDA_MEMCPY3D box3D(const struct buffers *b)
{
    return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                           .srcDevice = b->deviceSrc,
                           .srcPitch = copyBytes / 8,
                           .srcHeight = 4,
                           .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstDevice = b->deviceDst,
                           .dstPitch = copyBytes / 8,
                           .dstHeight = 4,
                           .WidthInBytes = copyBytes / 8,
                           .Height = 4,
                           .Depth = 2};
}

static CUDA_MEMCPY3D_PEER box3DPeer(const struct buffers *b)
{
    return (CUDA_MEMCPY3D_PEER){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice = b->deviceSrc,
                                .srcContext = b->world->away,
                                .srcPitch = copyBytes / 8,
                                .srcHeight = 4,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = b->deviceDst,
                                .dstContext = b->world->away,
                                .dstPitch = copyBytes / 8,
                                .dstHeight = 4,
                                .WidthInBytes = copyBytes / 8,
                                .Height = 4,
                                .Depth = 2};
}

static CUDA_MEMCPY3D_BATCH_OP op3D(const struct buffers *b)
{
    CUDA_MEMCPY3D_BATCH_OP op = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    op.src.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    op.src.op.ptr.ptr = b->deviceSrc;
    op.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    op.dst.op.ptr.ptr = b->deviceDst;
    op.extent.width = copyBytes;
    op.extent.height = 1;
    op.extent.depth = 1;
    return op;
}

/* ---- Each function, safe and raw ---- */

#define CASE(name, call, prepare)                                                                                      \
    static CUresult safe##name(const struct buffers *b, CUstream stream)                                               \
    {                                                                                                                  \
        prepare return cucopy##call;                                                                                   \
    }                                                                                                                  \
    static CUresult raw##name(const struct buffers *b, CUstream stream)                                                \
    {                                                                                                                  \
        prepare return cudrv##call;                                                                                    \
    }
#define NOTHING

CASE(Async, MemcpyAsync(b->deviceDst, b->deviceSrc, copyBytes, stream), NOTHING)
CASE(Peer, MemcpyPeerAsync(b->deviceDst, b->world->away, b->deviceSrc, b->world->away, copyBytes, stream), NOTHING)
CASE(HtoD, MemcpyHtoDAsync(b->deviceDst, b->hostSrc, copyBytes, stream), NOTHING)
CASE(DtoH, MemcpyDtoHAsync(b->hostDst, b->deviceSrc, copyBytes, stream), NOTHING)
CASE(DtoD, MemcpyDtoDAsync(b->deviceDst, b->deviceSrc, copyBytes, stream), NOTHING)
CASE(HtoA, MemcpyHtoAAsync(b->arrayDst, 0, b->hostSrc, copyBytes, stream), NOTHING)
CASE(AtoH, MemcpyAtoHAsync(b->hostDst, b->arraySrc, 0, copyBytes, stream), NOTHING)
CASE(Box2D, Memcpy2DAsync(&box, stream), CUDA_MEMCPY2D box = box2D(b);)
CASE(Box3D, Memcpy3DAsync(&box, stream), CUDA_MEMCPY3D box = box3D(b);)
CASE(Box3DPeer, Memcpy3DPeerAsync(&box, stream), CUDA_MEMCPY3D_PEER box = box3DPeer(b);)
#define BATCH                                                                                                          \
    CUdeviceptr dst = b->deviceDst, src = b->deviceSrc;                                                                \
    size_t size = copyBytes, first = 0;                                                                                \
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
CASE(Batch, MemcpyBatchAsync(&dst, &src, &size, 1, &attributes, &first, 1, stream), BATCH)
CASE(Batch12, MemcpyBatchAsync_v12080(&dst, &src, &size, 1, &attributes, &first, 1, &failed, stream),
     BATCH size_t failed = 0;)
CASE(Batch3D, Memcpy3DBatchAsync(1, &op, 0, stream), CUDA_MEMCPY3D_BATCH_OP op = op3D(b);)
CASE(Batch3D12, Memcpy3DBatchAsync_v12080(1, &op, &failed, 0, stream), CUDA_MEMCPY3D_BATCH_OP op = op3D(b);
     size_t failed = 0;)
CASE(Attributes, MemcpyWithAttributesAsync(b->deviceDst, b->deviceSrc, copyBytes, &attributes, stream),
     CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};)
CASE(Attributes3D, Memcpy3DWithAttributesAsync(&op, 0, stream), CUDA_MEMCPY3D_BATCH_OP op = op3D(b);)
#undef BATCH
#undef NOTHING
#undef CASE

#define ROW(name, entry, function, from, to, refusesSpecial, needs)                                                    \
    {                                                                                                                  \
        name, entry, safe##function, raw##function, from, to, refusesSpecial, needs                                    \
    }
const struct copyCase copyCases[] = {
    ROW("MemcpyAsync", "cuMemcpyAsync", Async, 'D', 'D', 0, "cuMemcpyAsync"),
    ROW("MemcpyPeerAsync", "cuMemcpyPeerAsync", Peer, 'D', 'D', 0, "cuMemcpyPeerAsync"),
    ROW("MemcpyHtoDAsync", "cuMemcpyHtoDAsync_v2", HtoD, 'H', 'D', 0, "cuMemcpyHtoDAsync"),
    ROW("MemcpyDtoHAsync", "cuMemcpyDtoHAsync_v2", DtoH, 'D', 'H', 0, "cuMemcpyDtoHAsync"),
    ROW("MemcpyDtoDAsync", "cuMemcpyDtoDAsync_v2", DtoD, 'D', 'D', 0, "cuMemcpyDtoDAsync"),
    ROW("MemcpyHtoAAsync", "cuMemcpyHtoAAsync_v2", HtoA, 'H', 'A', 0, "cuMemcpyHtoAAsync"),
    ROW("MemcpyAtoHAsync", "cuMemcpyAtoHAsync_v2", AtoH, 'A', 'H', 0, "cuMemcpyAtoHAsync"),
    ROW("Memcpy2DAsync", "cuMemcpy2DAsync_v2", Box2D, 'D', 'D', 0, "cuMemcpy2DAsync"),
    ROW("Memcpy3DAsync", "cuMemcpy3DAsync_v2", Box3D, 'D', 'D', 0, "cuMemcpy3DAsync"),
    ROW("Memcpy3DPeerAsync", "cuMemcpy3DPeerAsync", Box3DPeer, 'D', 'D', 0, "cuMemcpy3DPeerAsync"),
    ROW("MemcpyBatchAsync", "cuMemcpyBatchAsync_v2", Batch, 'D', 'D', 1, "cuMemcpyBatchAsync"),
    ROW("MemcpyBatchAsync_v12080", "cuMemcpyBatchAsync", Batch12, 'D', 'D', 1, "cuMemcpyBatchAsync_v12080"),
    ROW("Memcpy3DBatchAsync", "cuMemcpy3DBatchAsync_v2", Batch3D, 'D', 'D', 1, "cuMemcpy3DBatchAsync"),
    ROW("Memcpy3DBatchAsync_v12080", "cuMemcpy3DBatchAsync", Batch3D12, 'D', 'D', 1, "cuMemcpy3DBatchAsync_v12080"),
    ROW("MemcpyWithAttributesAsync", "cuMemcpyWithAttributesAsync", Attributes, 'D', 'D', 1,
        "cuMemcpyWithAttributesAsync"),
    ROW("Memcpy3DWithAttributesAsync", "cuMemcpy3DWithAttributesAsync", Attributes3D, 'D', 'D', 1,
        "cuMemcpy3DWithAttributesAsync"),
};
#undef ROW
const size_t copyCaseCount = sizeof(copyCases) / sizeof(copyCases[0]);

/* ---- Memory ---- */

static void make(void *argument)
{
    struct buffers *const b = argument;
    const CUstream stream = b->world->awayStream;
    const CUDA_ARRAY_DESCRIPTOR row = {
        .Width = copyBytes, .Height = 0, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    void *dst = NULL;
    void *src = NULL;
    assert_success(cudrvMemAllocAsync(&b->deviceDst, copyBytes, stream));
    assert_success(cudrvMemAllocAsync(&b->deviceSrc, copyBytes, stream));
    assert_success(cudrvMemHostAlloc(&dst, copyBytes, CU_MEMHOSTALLOC_PORTABLE));
    assert_success(cudrvMemHostAlloc(&src, copyBytes, CU_MEMHOSTALLOC_PORTABLE));
    assert_success(cudrvArrayCreate(&b->arrayDst, &row));
    assert_success(cudrvArrayCreate(&b->arraySrc, &row));
    assert_success(cudrvStreamSynchronize(stream));
    b->hostDst = dst;
    b->hostSrc = src;
}

static void unmake(void *argument)
{
    struct buffers *const b = argument;
    assert_success(cudrvMemFreeAsync(b->deviceDst, b->world->awayStream));
    assert_success(cudrvMemFreeAsync(b->deviceSrc, b->world->awayStream));
    assert_success(cudrvStreamSynchronize(b->world->awayStream));
    assert_success(cudrvMemFreeHost(b->hostDst));
    assert_success(cudrvMemFreeHost(b->hostSrc));
    assert_success(cudrvArrayDestroy(b->arrayDst));
    assert_success(cudrvArrayDestroy(b->arraySrc));
}

void buffersMake(struct buffers *buffers, const struct world *world)
{
    *buffers = (struct buffers){.world = world};
    withContext(world->away, make, buffers);
}

void buffersFree(struct buffers *buffers)
{
    withContext(buffers->world->away, unmake, buffers);
}

struct job {
    const struct copyCase *copy;
    const struct buffers *buffers;
    unsigned char bytes[copyBytes];
    unsigned seed;
};

static void prepare(void *argument)
{
    struct job *const job = argument;
    const struct buffers *const b = job->buffers;
    for (size_t i = 0; i < copyBytes; i++)
        job->bytes[i] = patternByte(job->seed, i);
    if (job->copy->from == 'D')
        assert_success(cudrvMemcpyHtoD(b->deviceSrc, job->bytes, copyBytes));
    else if (job->copy->from == 'H')
        memcpy(b->hostSrc, job->bytes, copyBytes);
    else
        assert_success(cudrvMemcpyHtoA(b->arraySrc, 0, job->bytes, copyBytes));

    memset(job->bytes, UNTOUCHED, copyBytes);
    if (job->copy->to == 'D')
        assert_success(cudrvMemcpyHtoD(b->deviceDst, job->bytes, copyBytes));
    else if (job->copy->to == 'H')
        memset(b->hostDst, UNTOUCHED, copyBytes);
    else
        assert_success(cudrvMemcpyHtoA(b->arrayDst, 0, job->bytes, copyBytes));
    /* A copy from pageable memory may return when it is staged, and the tests' streams do not wait for the legacy one.
     */
    assert_success(cudrvCtxSynchronize());
}

static void collect(void *argument)
{
    struct job *const job = argument;
    const struct buffers *const b = job->buffers;
    if (job->copy->to == 'D')
        assert_success(cudrvMemcpyDtoH(job->bytes, b->deviceDst, copyBytes));
    else if (job->copy->to == 'H')
        memcpy(job->bytes, b->hostDst, copyBytes);
    else
        assert_success(cudrvMemcpyAtoH(job->bytes, b->arrayDst, 0, copyBytes));
}

void copyPrepare(const struct copyCase *copy, const struct buffers *buffers, unsigned seed)
{
    struct job job = {.copy = copy, .buffers = buffers, .seed = seed};
    withContext(buffers->world->away, prepare, &job);
}

int copyArrived(const struct copyCase *copy, const struct buffers *buffers, unsigned seed, CUstream stream)
{
    struct job job = {.copy = copy, .buffers = buffers, .seed = seed};
    assert_success(cudrvStreamSynchronize(stream));
    withContext(buffers->world->away, collect, &job);
    size_t moved = 0;
    for (size_t i = 0; i < copyBytes; i++) {
        if (job.bytes[i] == UNTOUCHED)
            continue;
        assert_int_equal(job.bytes[i], patternByte(seed, i));
        moved++;
    }
    assert_true(moved == 0 || moved == copyBytes);
    return moved != 0;
}
