/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches whose driver calls are counted, on the simulated driver.
 */
#ifndef CUCOPY_TEST_COUNTED_H
#define CUCOPY_TEST_COUNTED_H

#include "areas.h"

enum { BLOCK = 4096, COUNT = 1000 };

/* Blocks of which none continues the one before. */
struct entries scattered(const struct bench *bench, size_t count);

CUresult copyBy(const struct entries *entries, cucopyBatchPath path, CUstream stream);

/* Calls since resetCalls: launches of kernels, the driver's batch calls. */
unsigned long launches(const struct simulator *sim);
unsigned long batches(const struct simulator *sim);

/* The kernel must be there, and is loaded; no calls are counted yet. */
const struct simulator *needKernel(const struct world *world);

#endif
