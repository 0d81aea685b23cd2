/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The edges of what a batch takes, to be asked of either layer.
 */
#ifndef CONFORMANCE_BATCH_ARGUMENTS_H
#define CONFORMANCE_BATCH_ARGUMENTS_H

#include "functions.h"
#include "world.h"

/*
 * Asks "<prefix><Batch or 3DBatch> <case>" on a stream with a context current. The answer is "copied" if every entry
 * that has a size arrived, else the result; with `strict` also whether a refused batch moved bytes.
 */
void askBatches(const char *prefix, const struct copyFunctions *functions, const struct stream *stream,
                const struct place *current, bool strict);

#endif
