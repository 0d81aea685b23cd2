/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which entries go which way, if the caller leaves it to us. The numbers are from docs/measurements (one H200, driver
 * 580): a launch costs what four to ten copies of the engine do, and then next to nothing for each further copy, while
 * the engine moves large host copies a little faster than a kernel does.
 */
#include "copy/batch_plan.h"

/* From this many copies on the kernel is faster, for copies below a size. The last one ends the list. */
struct threshold {
    size_t below;
    size_t copies;
};

enum { THRESHOLDS = 8 };

static const struct threshold thresholds[CUCOPY_DIRECTIONS][THRESHOLDS] = {
    [CUCOPY_DEVICE_TO_DEVICE] = {{SIZE_MAX, 2}},
    [CUCOPY_HOST_TO_DEVICE] = {{1536, 6}, {3 << 10, 5}, {6 << 10, 4}, {24 << 10, 3}, {192 << 10, 8}, {384 << 10, 64}},
    [CUCOPY_DEVICE_TO_HOST] = {{96 << 10, 7}, {192 << 10, 8}, {384 << 10, 20}, {768 << 10, 32}},
    [CUCOPY_HOST_TO_HOST] = {{0, 0}},
};

size_t cucopyLargestForKernel(const struct cucopyBatch *batch, enum cucopyDirection direction)
{
    if (batch->path == CUCOPY_BATCH_ENGINE)
        return 0;
    if (batch->path == CUCOPY_BATCH_KERNEL)
        return SIZE_MAX;
    size_t largest = 0;
    for (size_t i = 0; i < THRESHOLDS && thresholds[direction][i].below != 0; i++)
        largest = thresholds[direction][i].below - 1;
    return largest;
}

static int isFaster(enum cucopyDirection direction, size_t copies, size_t bytes)
{
    if (copies == 0)
        return 0;
    for (size_t i = 0; i < THRESHOLDS; i++)
        if (bytes / copies < thresholds[direction][i].below)
            return copies >= thresholds[direction][i].copies;
    return 0;
}

/* A launch that is worth its cost takes along what would not have been worth one. */
int cucopyKernelIsChosen(const struct cucopyBatch *batch, const struct cucopySurvey *survey)
{
    int chosen = batch->path == CUCOPY_BATCH_KERNEL;
    for (int i = 0; i < CUCOPY_DIRECTIONS; i++)
        chosen |= isFaster((enum cucopyDirection)i, survey->copies[i], survey->bytes[i]);
    return chosen;
}
