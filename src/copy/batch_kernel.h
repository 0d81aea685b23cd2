/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of one kernel that does many copies. Private to the batches.
 */
#ifndef CUCOPY_COPY_BATCH_KERNEL_H
#define CUCOPY_COPY_BATCH_KERNEL_H

#include "copy/batch.h"
#include "copy/batch_block.h"
#include "copy/batch_survey.h"

/* Whether the kernel could be loaded, which the first call tries. What failed once is not tried again. */
int cucopyKernelIsUsable(struct cucopyBatch *batch);

/* What a launch is given, in the making. */
struct cucopySmallBlock {
    struct cucopyBlockHeader header;
    uint32_t words[CUCOPY_BLOCK_WORDS(CUCOPY_BLOCK_SMALL)];
};

struct cucopyLargeBlock {
    struct cucopyBlockHeader header;
    uint32_t words[CUCOPY_BLOCK_WORDS(CUCOPY_BLOCK_LARGE)];
};

struct cucopyLauncher {
    struct cucopyBlockHeader *header;
    uint32_t *words; /* behind the header */
    size_t room;     /* of the block, in bytes */
    struct cucopyBatch *batch;
    int touchesHost;
    int isEntryEach; /* no copy stands for several entries, or for a part of one */
    size_t capacity; /* in copies */
    size_t bytes;    /* of all copies so far */
    size_t entries;  /* of the caller's */
};

/* With that block, for about `expected` copies written down in that form; Add takes the general one. */
void cucopyLauncherInit(struct cucopyLauncher *launcher, struct cucopyLargeBlock *block, struct cucopyBatch *batch,
                        int touchesHost, size_t expected);

/*
 * These count in batch->enqueued what they enqueue. A launch may be the first to show that the device or the driver has
 * no use for the kernel: what it was to do is then done by single copies, unless the caller insists on the kernel.
 */
CUresult cucopyLauncherAdd(struct cucopyLauncher *launcher, CUdeviceptr dst, CUdeviceptr src, size_t size,
                           size_t entries);
CUresult cucopyLauncherFlush(struct cucopyLauncher *launcher);

/* Copies of at least this are cut into pieces, so that a large one does not keep one team busy for long. */
enum { CUCOPY_CUT_FROM = 512 << 10 };

/* A whole batch of at most CUCOPY_FEW_ENTRIES smaller copies, none of them empty. */
CUresult cucopyKernelCopyFew(struct cucopyBatch *batch, size_t bytes, int touchesHost);

/* The whole batch, if the survey found that a kernel can do every entry as it is. */
CUresult cucopyKernelCopyAll(struct cucopyBatch *batch, const struct cucopySurvey *survey);

#endif
