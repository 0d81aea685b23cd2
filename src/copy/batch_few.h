/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The usual small batch. Private to the batches.
 */
#ifndef CUCOPY_COPY_BATCH_FEW_H
#define CUCOPY_COPY_BATCH_FEW_H

#include "copy/batch.h"
#include "copy/batch_ranges.h"

/* 1, and *result, if it was one; otherwise nothing was enqueued, and ranges knows more than before. */
int cucopyBatchFew(struct cucopyBatch *batch, struct cucopyRanges *ranges, CUresult *result);

#endif
