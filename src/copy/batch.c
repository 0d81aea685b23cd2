/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of copies: the public functions. batch_ptsz.c reads this file a second time for the per-thread variants,
 * which differ in what stream 0 is and in nothing else: a per-thread stream by its handle is the same stream.
 */
#include "copy/batch.h"

#include "copy/failure.h"
#include "copy/options.h"

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define OWN_STREAM(stream) ((stream) ? (stream) : CU_STREAM_PER_THREAD)
#else
#define OWN_STREAM(stream) (stream)
#endif

static const CUmemcpyAttributes streamOrder = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
static const size_t fromTheFirst = 0;

static CUresult fail(struct cucopyBatch *batch, CUresult result, struct cucopyCall call)
{
    cucopyFailure what = {.function = call.function,
                          .caller = call.caller,
                          .reason = batch->reason,
                          .entry = batch->entry,
                          .enqueued = batch->isEnqueued,
                          .entriesEnqueued = batch->enqueued};
    if (batch->entry < batch->count && batch->dsts && batch->srcs && batch->sizes) {
        what.dst = batch->dsts[batch->entry];
        what.src = batch->srcs[batch->entry];
        what.bytes = batch->sizes[batch->entry];
    }
    return cucopyFail(&batch->scope, result, &what);
}

/* For the profiler; without one the compiler leaves it out. */
static uint64_t bytesOf(const struct cucopyBatch *batch)
{
    uint64_t bytes = 0;
    for (size_t i = 0; batch->sizes && i < batch->count; i++)
        bytes += batch->sizes[i];
    return bytes;
}

/*
 * cucopyScopeEnter, by the query that tells of green contexts as well (CUDA 12.5). For them it names the device's
 * primary context, and the older query the one to enter.
 */
static CUresult enter(struct cucopyBatch *batch)
{
    struct cucopyScope *const scope = &batch->scope;
    if (cucopyStreamIsSpecial(batch->stream))
        return cucopyScopeEnter(scope, batch->stream);
    *scope = (struct cucopyScope){.stream = batch->stream, .step = CUCOPY_STEP_QUERY};
    CUresult result = cudrvStreamGetCtx_v2(batch->stream, &scope->target, &batch->green);
    batch->greenIsKnown = result == CUDA_SUCCESS;
    if (result == CUDA_ERROR_NOT_SUPPORTED || batch->green)
        result = cudrvStreamGetCtx(batch->stream, &scope->target);
    return result == CUDA_SUCCESS ? cucopyScopeEnterTarget(scope) : result;
}

/* The scope keeps the stream as the caller gave it. */
static CUresult enqueue(struct cucopyBatch *batch)
{
    CUresult result = enter(batch);
    batch->stream = OWN_STREAM(batch->stream);
    if (result == CUDA_SUCCESS) {
        batch->scope.step = CUCOPY_STEP_COPY;
        result = cucopyBatchCheck(batch);
    }
    if (result == CUDA_SUCCESS)
        result = cucopyBatchRun(batch);
    return result == CUDA_SUCCESS ? cucopyScopeRestore(&batch->scope) : result;
}

static CUresult run(struct cucopyBatch *batch, struct cucopyCall call, size_t *failIdx)
{
    if (batch->count == 0)
        return CUDA_SUCCESS;
    if (batch->numAttrs == 0) {
        batch->attrs = &streamOrder;
        batch->attrsIdxs = &fromTheFirst;
        batch->numAttrs = 1;
    }
    batch->entry = CUCOPY_NO_ENTRY;
    batch->device = -1;
    cucopyTraceBegin(call.function, bytesOf(batch));
    const CUresult result = enqueue(batch);
    cucopyTraceEnd();
    if (result == CUDA_SUCCESS)
        return result;
    if (failIdx && cudrvPath())
        *failIdx = batch->entry;
    return fail(batch, result, call);
}

CUresult CUDAAPI cucopyMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                        CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, CUstream hStream)
{
    struct cucopyBatch batch = {.dsts = dsts,
                                .srcs = srcs,
                                .sizes = sizes,
                                .count = count,
                                .attrs = attrs,
                                .attrsIdxs = attrsIdxs,
                                .numAttrs = numAttrs,
                                .path = cucopyBatchDefaultPath(),
                                .stream = hStream};
    return run(&batch, CUCOPY_THIS_CALL, NULL);
}

CUresult CUDAAPI cucopyMemcpyBatchAsync_v12080(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                               CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                               size_t *failIdx, CUstream hStream)
{
    struct cucopyBatch batch = {.dsts = dsts,
                                .srcs = srcs,
                                .sizes = sizes,
                                .count = count,
                                .attrs = attrs,
                                .attrsIdxs = attrsIdxs,
                                .numAttrs = numAttrs,
                                .path = cucopyBatchDefaultPath(),
                                .stream = hStream};
    return run(&batch, CUCOPY_THIS_CALL, failIdx);
}

CUresult CUDAAPI cucopyMemcpyBatchAsyncEx(const CUdeviceptr *dsts, const CUdeviceptr *srcs, const size_t *sizes,
                                          size_t count, const cucopyBatchOptions *options, CUstream hStream)
{
    cucopyBatchOptions chosen = CUCOPY_BATCH_OPTIONS_INIT;
    const int valid = cucopyReadOptions(options, &chosen, sizeof(chosen)) &&
                      (unsigned)chosen.context <= CUCOPY_CONTEXT_OWNER &&
                      (unsigned)chosen.path <= CUCOPY_BATCH_KERNEL && (chosen.preferOverlapWithCompute | 1) == 1;
    CUmemcpyAttributes attributes = streamOrder;
    if (chosen.srcAccessOrder != 0)
        attributes.srcAccessOrder = (CUmemcpySrcAccessOrder)chosen.srcAccessOrder;
    if (chosen.preferOverlapWithCompute)
        attributes.flags = CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE;
    struct cucopyBatch batch = {.dsts = (CUdeviceptr *)dsts, /* nothing is written to */
                                .srcs = (CUdeviceptr *)srcs,
                                .sizes = (size_t *)sizes,
                                .count = count,
                                .attrs = &attributes,
                                .attrsIdxs = &fromTheFirst,
                                .numAttrs = 1,
                                .path = !valid        ? CUCOPY_BATCH_DEFAULT
                                        : chosen.path ? chosen.path
                                                      : cucopyBatchDefaultPath(),
                                .maxBlocks = chosen.maxBlocks,
                                .context = chosen.context,
                                .stream = hStream};
    return run(&batch, CUCOPY_THIS_CALL, NULL);
}

#undef OWN_STREAM
