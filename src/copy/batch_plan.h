/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which entries go which way. Private to the batches.
 */
#ifndef CUCOPY_COPY_BATCH_PLAN_H
#define CUCOPY_COPY_BATCH_PLAN_H

#include "copy/batch_survey.h"

/* By direction: larger entries are better done by the engine, however many there are. */
const size_t *cucopyLargestForKernel(cucopyBatchPath path);

/* Whether a launch is faster than the engine for so many copies. */
int cucopyKernelIsFaster(enum cucopyDirection direction, size_t copies, size_t bytes);

/* Whether the kernel is to do what it can do. */
int cucopyKernelIsChosen(const struct cucopyBatch *batch, const struct cucopySurvey *survey);

#endif
