/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch of boxes, as the caller made it. Private to copy/.
 */
#ifndef CUCOPY_COPY_BATCH3D_H
#define CUCOPY_COPY_BATCH3D_H

#include "types.h"

#include <cucopy/copy.h>

struct cucopyBatch3D {
    const CUDA_MEMCPY3D_BATCH_OP *ops;
    size_t count;
    unsigned long long flags;
    CUstream stream;

    int capturing;
    int readsInOrder;   /* memory that CUDA does not know is to be read in stream order */
    int waitsForCopy;   /* the stream must be waited for, since a source is to be read during the call */
    size_t entry;       /* the op that a failure is about, or CUCOPY_NO_ENTRY */
    size_t enqueued;    /* ops that are enqueued */
    int isEnqueued;     /* all of it, and what failed is the wait for it */
    const char *reason; /* of a failure that we find ourselves */
};

/* Everything between the guard's two ends; in batch3d_run.c. */
CUresult cucopyBatch3DRun(struct cucopyBatch3D *batch);

#endif
