/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which entries go which way. Private to the batches.
 */
#ifndef CUCOPY_COPY_BATCH_PLAN_H
#define CUCOPY_COPY_BATCH_PLAN_H

#include "copy/batch_survey.h"

/* Larger entries are better done by the engine, however many there are. */
size_t cucopyLargestForKernel(const struct cucopyBatch *batch, enum cucopyDirection direction);

/* Whether the kernel is to do what it can do. */
int cucopyKernelIsChosen(const struct cucopyBatch *batch, const struct cucopySurvey *survey);

#endif
