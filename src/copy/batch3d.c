/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of boxes: by the driver's own copies alone, with the guarantees of batch.c. batch3d_ptsz.c reads this file a
 * second time for the per-thread variants.
 */
#include "copy/batch3d.h"

#include "copy/failure.h"

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define OWN_STREAM(stream) ((stream) ? (stream) : CU_STREAM_PER_THREAD)
#else
#define OWN_STREAM(stream) (stream)
#endif

/* For the profiler; without one the compiler leaves it out. */
static uint64_t bytesOf(const struct cucopyBatch3D *batch)
{
    uint64_t bytes = 0;
    for (size_t i = 0; batch->ops && i < batch->count; i++)
        bytes += batch->ops[i].extent.width * batch->ops[i].extent.height * batch->ops[i].extent.depth;
    return bytes;
}

/* The scope keeps the stream as the caller gave it. */
static CUresult enqueue(struct cucopyBatch3D *batch, struct cucopyScope *scope)
{
    CUresult result = cucopyScopeEnter(scope, batch->stream);
    batch->stream = OWN_STREAM(batch->stream);
    if (result == CUDA_SUCCESS) {
        scope->step = CUCOPY_STEP_COPY;
        result = cucopyBatch3DRun(batch);
    }
    return result == CUDA_SUCCESS ? cucopyScopeRestore(scope) : result;
}

static CUresult run(struct cucopyBatch3D *batch, struct cucopyCall call, size_t *failIdx)
{
    struct cucopyScope scope;
    if (batch->count == 0)
        return CUDA_SUCCESS;
    batch->entry = CUCOPY_NO_ENTRY;
    cucopyTraceBegin(call.function, bytesOf(batch));
    const CUresult result = enqueue(batch, &scope);
    cucopyTraceEnd();
    if (result == CUDA_SUCCESS)
        return result;
    if (failIdx && cudrvPath())
        *failIdx = batch->entry;
    return cucopyFail3DBatch(&scope, result, call, batch->entry < batch->count ? &batch->ops[batch->entry] : NULL,
                             &(cucopyFailure){.entry = batch->entry,
                                              .enqueued = batch->isEnqueued,
                                              .entriesEnqueued = batch->enqueued,
                                              .reason = batch->reason});
}

CUresult CUDAAPI cucopyMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, unsigned long long flags,
                                          CUstream hStream)
{
    struct cucopyBatch3D batch = {.ops = opList, .count = numOps, .flags = flags, .stream = hStream};
    return run(&batch, CUCOPY_THIS_CALL, NULL);
}

CUresult CUDAAPI cucopyMemcpy3DBatchAsync_v12080(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx,
                                                 unsigned long long flags, CUstream hStream)
{
    struct cucopyBatch3D batch = {.ops = opList, .count = numOps, .flags = flags, .stream = hStream};
    return run(&batch, CUCOPY_THIS_CALL, failIdx);
}

#undef OWN_STREAM
