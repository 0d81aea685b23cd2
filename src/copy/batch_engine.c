/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of the driver's own copies: its batch call where there is one that takes this batch, single copies otherwise.
 * The guard is entered already.
 */
#include "copy/batch_engine.h"

#include "copy/owner.h"
#include "copy/scope.h"

#include <stdatomic.h>

/* Asked once: the loaded driver does not change. */
enum cucopyDriverForm cucopyFormOfDriver(enum cucopyDriverCall call)
{
    static const char *const names[][2] = {{"cuMemcpyBatchAsync", "cuMemcpyBatchAsync_v12080"},
                                           {"cuMemcpy3DBatchAsync", "cuMemcpy3DBatchAsync_v12080"}};
    static atomic_int known[] = {CUCOPY_CALL_UNASKED, CUCOPY_CALL_UNASKED};
    int form = atomic_load_explicit(&known[call], memory_order_relaxed);
    if (form == CUCOPY_CALL_UNASKED) {
        form = cudrvHas(names[call][0])   ? CUCOPY_CALL_13000
               : cudrvHas(names[call][1]) ? CUCOPY_CALL_12080
                                          : CUCOPY_CALL_MISSING;
        atomic_store_explicit(&known[call], form, memory_order_relaxed);
    }
    return (enum cucopyDriverForm)form;
}

CUresult cucopyBatchIsCaptured(CUstream stream, int *capturing, const char **reason)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult result = cudrvStreamIsCapturing(stream, &status);
    *capturing = status != CU_STREAM_CAPTURE_STATUS_NONE;
    if (result == CUDA_ERROR_NOT_SUPPORTED && !cudrvHas("cuStreamIsCapturing"))
        *reason = "this driver has no cuStreamIsCapturing, and a batch must know whether its stream captures";
    return result;
}

/*
 * The driver refuses its batch calls on the legacy stream and under capture. On the stream of a green context they
 * crash for some kinds of memory, so they must not be made there, nor where that cannot be told.
 */
int cucopyDriverTakesBatch(enum cucopyDriverCall call, CUstream stream, int capturing)
{
    if (capturing || cucopyFormOfDriver(call) == CUCOPY_CALL_MISSING)
        return 0;
    if (cucopyStreamIsSpecial(stream) && stream != CU_STREAM_PER_THREAD)
        return 0;
    CUcontext context = NULL;
    CUgreenCtx green = NULL;
    return cudrvStreamGetCtx_v2(stream, &context, &green) == CUDA_SUCCESS && !green;
}

/*
 * Whether the driver's call takes this batch, asked once: it is enqueued as it was waited for.
 *
 * The batch call of 13.0 says itself that the stream captures, copies nothing then and leaves the capture alive
 * (measured), so the driver is not asked that before.
 */
static CUresult takesBatch(struct cucopyBatch *batch, int *takes)
{
    CUresult result = CUDA_SUCCESS;
    if (batch->byDriver == 0) {
        const enum cucopyDriverForm form = cucopyFormOfDriver(CUCOPY_BATCH_OF_RANGES);
        int can = !batch->green && form != CUCOPY_CALL_MISSING;
        if (can && (form != CUCOPY_CALL_13000 || !batch->greenIsKnown || batch->captureIsKnown)) {
            result = cucopyBatchAskCapture(batch);
            can = batch->greenIsKnown ? !batch->capturing
                                      : cucopyDriverTakesBatch(CUCOPY_BATCH_OF_RANGES, batch->stream, batch->capturing);
        }
        batch->byDriver = can ? 1 : -1;
    }
    *takes = batch->byDriver > 0;
    return result;
}

/* 1 if that was the answer of the driver's batch call, which is then not made again. */
static int isRefusedAsCapturing(struct cucopyBatch *batch, CUresult result)
{
    if (result != CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED || batch->captureIsKnown)
        return 0;
    batch->capturing = 1;
    batch->captureIsKnown = 1;
    batch->byDriver = -1;
    return 1;
}

/* A copy that worked as its owner's has left the stream's context, which the rest of the batch needs. */
static CUresult copyAsOwner(struct cucopyBatch *batch, CUdeviceptr dst, CUdeviceptr src, size_t size, size_t entries)
{
    CUresult result = cucopyCopyAsOwner(&batch->scope, dst, src, size);
    if (result == CUDA_ERROR_INVALID_VALUE)
        return result;
    batch->enqueued += entries;
    if (result == CUDA_SUCCESS)
        result = cucopyScopeEnterTarget(&batch->scope);
    if (result == CUDA_SUCCESS)
        batch->scope.step = CUCOPY_STEP_COPY;
    return result;
}

CUresult cucopyEngineCopyOne(struct cucopyBatch *batch, CUdeviceptr dst, CUdeviceptr src, size_t size, size_t entries)
{
    const CUresult result = cudrvMemcpyAsync(dst, src, size, batch->stream);
    if (result == CUDA_ERROR_INVALID_VALUE && batch->context == CUCOPY_CONTEXT_OWNER)
        return copyAsOwner(batch, dst, src, size, entries);
    if (result == CUDA_SUCCESS)
        batch->enqueued += entries;
    return result;
}

static CUresult copySingly(struct cucopyEngine *engine)
{
    struct cucopyBatch *const batch = engine->batch;
    for (size_t i = 0; i < engine->count; i++) {
        const CUresult result =
            cucopyEngineCopyOne(batch, engine->dsts[i], engine->srcs[i], engine->sizes[i], engine->entries[i]);
        if (result != CUDA_SUCCESS) {
            batch->entry = engine->firsts[i];
            return result;
        }
    }
    return CUDA_SUCCESS;
}

/* failed gets the entry that the driver names, if it names one. */
static CUresult call(const struct cucopyBatch *batch, size_t *failed)
{
    CUmemcpyAttributes *const attrs = (CUmemcpyAttributes *)batch->attrs; /* the driver's own prototype has no const */
    size_t *const attrsIdxs = (size_t *)batch->attrsIdxs;
    *failed = SIZE_MAX;
    return cucopyFormOfDriver(CUCOPY_BATCH_OF_RANGES) == CUCOPY_CALL_13000
               ? cudrvMemcpyBatchAsync(batch->dsts, batch->srcs, batch->sizes, batch->count, attrs, attrsIdxs,
                                       batch->numAttrs, batch->stream)
               : cudrvMemcpyBatchAsync_v12080(batch->dsts, batch->srcs, batch->sizes, batch->count, attrs, attrsIdxs,
                                              batch->numAttrs, failed, batch->stream);
}

int cucopyEngineCopyAll(struct cucopyBatch *batch, CUresult *result)
{
    size_t failed = SIZE_MAX;
    int takes;
    *result = takesBatch(batch, &takes);
    if (*result != CUDA_SUCCESS || !takes)
        return *result != CUDA_SUCCESS;
    *result = call(batch, &failed);
    if (*result == CUDA_SUCCESS)
        batch->enqueued = batch->count;
    else if (isRefusedAsCapturing(batch, *result))
        return 0;
    else if (failed < batch->count)
        batch->entry = failed;
    return 1;
}

/*
 * The driver waits for the stream if it is to read pinned memory during the call, and does not read pageable memory
 * then. So it is never asked to: the stream is waited for once, in the end.
 */
static CUresult copyTogether(struct cucopyEngine *engine)
{
    struct cucopyBatch *const batch = engine->batch;
    CUmemcpyAttributes attributes = *engine->attributes;
    const size_t first = 0;
    size_t failed = SIZE_MAX;
    if ((int)attributes.srcAccessOrder == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL)
        attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    const struct cucopyBatch part = {.dsts = engine->dsts,
                                     .srcs = engine->srcs,
                                     .sizes = engine->sizes,
                                     .count = engine->count,
                                     .attrs = &attributes,
                                     .attrsIdxs = &first,
                                     .numAttrs = 1,
                                     .stream = batch->stream};
    const CUresult result = call(&part, &failed);
    if (result != CUDA_SUCCESS) {
        if (isRefusedAsCapturing(batch, result))
            return copySingly(engine);
        if (failed < engine->count)
            batch->entry = engine->firsts[failed];
        return result;
    }
    for (size_t i = 0; i < engine->count; i++)
        batch->enqueued += engine->entries[i];
    return CUDA_SUCCESS;
}

CUresult cucopyEngineFlush(struct cucopyEngine *engine)
{
    int isBatch = 0;
    CUresult result = CUDA_SUCCESS;
    if (engine->count > 1)
        result = takesBatch(engine->batch, &isBatch);
    if (result == CUDA_SUCCESS)
        result = isBatch ? copyTogether(engine) : copySingly(engine);
    engine->count = 0;
    return result;
}

/*
 * Memory that CUDA does not know is for single copies. The driver's batch call has ended in a sticky
 * CUDA_ERROR_LAUNCH_FAILED for it, and does not read it during the call where that is asked for. Single copies do, and
 * for stream order the stream has been waited for, as the batch call would have waited itself.
 */
CUresult cucopyEngineAdd(struct cucopyEngine *engine, const struct cucopyRun *run)
{
    CUresult result = CUDA_SUCCESS;
    if (run->isUnknown) {
        result = cucopyEngineCopyOne(engine->batch, run->dst, run->src, run->size, run->entries);
        if (result != CUDA_SUCCESS)
            engine->batch->entry = run->first;
        return result;
    }
    if (engine->count == CUCOPY_GATHERED || (engine->count != 0 && engine->attributes != run->attributes))
        result = cucopyEngineFlush(engine);
    const size_t i = engine->count++;
    engine->attributes = run->attributes;
    engine->dsts[i] = run->dst;
    engine->srcs[i] = run->src;
    engine->sizes[i] = run->size;
    engine->firsts[i] = run->first;
    engine->entries[i] = run->entries;
    return result;
}
