/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of the driver's own copies. Private to the batches.
 */
#ifndef CUCOPY_COPY_BATCH_ENGINE_H
#define CUCOPY_COPY_BATCH_ENGINE_H

#include "copy/batch.h"

/* Neighbouring entries that are one copy. */
struct cucopyRun {
    CUdeviceptr dst;
    CUdeviceptr src;
    size_t size;
    size_t first; /* entry */
    size_t entries;
    const CUmemcpyAttributes *attributes;
    int isUnknown; /* CUDA does not know one of its sides */
};

enum { CUCOPY_GATHERED = 256 };

/* Runs that wait to be enqueued by one call. */
struct cucopyEngine {
    struct cucopyBatch *batch;
    size_t count;
    const CUmemcpyAttributes *attributes; /* of all of them */
    CUdeviceptr dsts[CUCOPY_GATHERED];
    CUdeviceptr srcs[CUCOPY_GATHERED];
    size_t sizes[CUCOPY_GATHERED];
    size_t firsts[CUCOPY_GATHERED];
    size_t entries[CUCOPY_GATHERED];
};

/* The driver's two batch calls, each in the form of 13.0 or in the older one, which names the entry that failed. */
enum cucopyDriverCall { CUCOPY_BATCH_OF_RANGES, CUCOPY_BATCH_OF_BOXES };
enum cucopyDriverForm { CUCOPY_CALL_UNASKED, CUCOPY_CALL_MISSING, CUCOPY_CALL_12080, CUCOPY_CALL_13000 };

enum cucopyDriverForm cucopyFormOfDriver(enum cucopyDriverCall call);

/*
 * Whether the stream captures. On the legacy stream, while a stream that blocks it captures, any copy or launch ends
 * that capture; asking does not, and answers with the same code. *reason is set if the driver cannot tell.
 */
CUresult cucopyBatchIsCaptured(CUstream stream, int *capturing, const char **reason);

/* Fills capturing, once. */
static inline CUresult cucopyBatchAskCapture(struct cucopyBatch *batch)
{
    if (batch->captureIsKnown)
        return CUDA_SUCCESS;
    batch->captureIsKnown = 1;
    return cucopyBatchIsCaptured(batch->stream, &batch->capturing, &batch->reason);
}

/* Whether there is such a call and it takes a batch on this stream, in the current context. */
int cucopyDriverTakesBatch(enum cucopyDriverCall call, CUstream stream, int capturing);

static inline void cucopyEngineInit(struct cucopyEngine *engine, struct cucopyBatch *batch)
{
    engine->batch = batch;
    engine->count = 0;
}

/*
 * The whole batch by one call, as the caller wrote it: 0 if the driver does not take it so, and nothing was enqueued;
 * otherwise 1, and *result. Counts and sets as those below.
 */
int cucopyEngineCopyAll(struct cucopyBatch *batch, CUresult *result);

/* A single copy, which stands for that many entries. */
CUresult cucopyEngineCopyOne(struct cucopyBatch *batch, CUdeviceptr dst, CUdeviceptr src, size_t size, size_t entries);

/* These count in batch->enqueued what they enqueue, and set batch->entry when they fail. */
CUresult cucopyEngineAdd(struct cucopyEngine *engine, const struct cucopyRun *run);
CUresult cucopyEngineFlush(struct cucopyEngine *engine);

#endif
