/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of a batch share. Private to copy/. A call goes through them in this order:
 *
 *   batch.c         the public functions
 *   batch_check.c   the arguments, before anything is enqueued
 *   batch_few.c     a few simple entries, from here on at once
 *   batch_survey.c  every entry's memory, before anything is enqueued
 *   batch_plan.c    which entries go which way
 *   batch_engine.c  the way of the driver's own copies
 *   batch_kernel.c  the way of one kernel that does many copies
 *
 * Nothing is allocated, so what must be known twice is asked twice: of batch_ranges.c, which remembers.
 */
#ifndef CUCOPY_COPY_BATCH_H
#define CUCOPY_COPY_BATCH_H

#include "copy/scope.h"
#include "types.h"

#include <cucopy/copy.h>
#include <stdint.h>

/* A call, as the caller made it. */
struct cucopyBatch {
    CUdeviceptr *dsts;
    CUdeviceptr *srcs;
    size_t *sizes;
    size_t count;
    const CUmemcpyAttributes *attrs; /* at least one */
    const size_t *attrsIdxs;         /* numAttrs of them; the first is 0 */
    size_t numAttrs;
    cucopyBatchPath path; /* never CUCOPY_BATCH_DEFAULT */
    unsigned int maxBlocks;
    cucopyContextPolicy context;
    CUstream stream;
    struct cucopyScope scope; /* entered from cucopyBatchCheck on */

    CUgreenCtx green; /* of the stream, and whether the driver could tell */
    int greenIsKnown;
    CUdevice device; /* the stream's, or -1 until somebody asks */
    int capturing;   /* the stream is, so the copies become nodes of a graph; if captureIsKnown */
    int captureIsKnown;
    int orders;         /* the access orders that occur, 1 << order */
    int overlaps;       /* an entry prefers to overlap with compute */
    size_t entry;       /* the entry that a failure is about, or CUCOPY_NO_ENTRY */
    const char *reason; /* of a failure that we find ourselves */
    size_t enqueued;    /* entries that are enqueued */
    int isEnqueued;     /* all of it, and what failed is the wait for it */
    int byDriver;       /* whether the driver's batch call takes it: 0 until somebody asks, then 1 or -1 */
    int waitsForCopy;   /* the stream must be waited for, since a source is to be read during the call */
};

#define CUCOPY_ORDER_BIT(order) (1 << (int)(order))

/* The attributes of one entry after the other. */
struct cucopyAttributes {
    const struct cucopyBatch *batch;
    size_t index;
    size_t end; /* the first entry that has others */
};

static inline struct cucopyAttributes cucopyAttributesOf(const struct cucopyBatch *batch)
{
    return (struct cucopyAttributes){batch, 0, batch->numAttrs > 1 ? batch->attrsIdxs[1] : batch->count};
}

static inline const CUmemcpyAttributes *cucopyAttributesAt(struct cucopyAttributes *attributes, size_t entry)
{
    const struct cucopyBatch *const batch = attributes->batch;
    while (entry >= attributes->end) {
        attributes->index++;
        attributes->end =
            attributes->index + 1 < batch->numAttrs ? batch->attrsIdxs[attributes->index + 1] : batch->count;
    }
    return &batch->attrs[attributes->index];
}

/* ---- batch_check.c ---- */

/* Fills orders and overlaps. CUDA_ERROR_INVALID_VALUE, with batch->entry set if it is about one. */
CUresult cucopyBatchCheck(struct cucopyBatch *batch);

/* The path that CUCOPY_BATCH_PATH names, read once. */
cucopyBatchPath cucopyBatchDefaultPath(void);

/*
 * Wait for the stream. By itself cuStreamSynchronize ends a global capture of any thread, and any of this one but a
 * relaxed one, though it takes no part in them (measured); a thread whose own mode is relaxed may.
 */
static inline CUresult cucopyBatchWait(CUstream stream)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    const CUresult exchanged = cudrvThreadExchangeStreamCaptureMode(&mode);
    const CUresult waited = cudrvStreamSynchronize(stream);
    if (exchanged == CUDA_SUCCESS)
        (void)cudrvThreadExchangeStreamCaptureMode(&mode);
    return waited;
}

/* ---- batch.c ---- */

/* Everything between the guard's two ends. */
CUresult cucopyBatchRun(struct cucopyBatch *batch);

#endif
