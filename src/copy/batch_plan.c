/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which entries go which way, if the caller leaves it to us. The numbers are from docs/measurements,
 * batch-thresholds.json (one H200, CUDA driver 13.0, 2026-12-02): a launch costs what two to eight copies of the engine
 * do, and then next to nothing for each further copy, while the engine moves large host copies a little faster than a
 * kernel does.
 */
#include "copy/batch_plan.h"

/* From this many copies on the kernel is faster, for copies below a size. */
struct threshold {
    size_t below;
    size_t copies;
};

enum { THRESHOLDS = 8 };

static const struct threshold thresholds[CUCOPY_DIRECTIONS][THRESHOLDS] = {
    [CUCOPY_DEVICE_TO_DEVICE] = {{SIZE_MAX, 2}},
    [CUCOPY_HOST_TO_DEVICE] = {{256, 6},
                               {3 << 10, 5},
                               {6 << 10, 4},
                               {12 << 10, 3},
                               {24 << 10, 2},
                               {48 << 10, 6},
                               {192 << 10, 8},
                               {384 << 10, 12}},
    [CUCOPY_DEVICE_TO_HOST] = {{48 << 10, 8}, {192 << 10, 10}, {384 << 10, 12}, {768 << 10, 20}},
};

const size_t *cucopyLargestForKernel(cucopyBatchPath path)
{
    static const size_t none[CUCOPY_DIRECTIONS] = {0};
    static const size_t any[CUCOPY_DIRECTIONS] = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX};
    static const size_t fast[CUCOPY_DIRECTIONS] = {[CUCOPY_DEVICE_TO_DEVICE] = SIZE_MAX,
                                                   [CUCOPY_HOST_TO_DEVICE] = (384 << 10) - 1,
                                                   [CUCOPY_DEVICE_TO_HOST] = (768 << 10) - 1};
    return path == CUCOPY_BATCH_ENGINE ? none : path == CUCOPY_BATCH_KERNEL ? any : fast;
}

int cucopyKernelIsFaster(enum cucopyDirection direction, size_t copies, size_t bytes)
{
    for (size_t i = 0; i < THRESHOLDS && copies != 0; i++)
        if (thresholds[direction][i].below == SIZE_MAX || bytes < copies * thresholds[direction][i].below)
            return copies >= thresholds[direction][i].copies;
    return 0;
}

/* A launch that is worth its cost takes along what would not have been worth one. */
int cucopyKernelIsChosen(const struct cucopyBatch *batch, const struct cucopySurvey *survey)
{
    int chosen = batch->path == CUCOPY_BATCH_KERNEL;
    for (int i = 0; i < CUCOPY_DIRECTIONS; i++)
        chosen |= cucopyKernelIsFaster((enum cucopyDirection)i, survey->copies[i], survey->bytes[i]);
    return chosen;
}
