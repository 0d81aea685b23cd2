/* SPDX-License-Identifier: Apache-2.0 */
/* Allocating and freeing, for the files that make memory of one kind or another. */
#ifndef CUSIM_MEMORY_H
#define CUSIM_MEMORY_H

#include "range.h"
#include "work.h"

/* Device memory of `size` bytes of `model`'s kind, device, context and pool; NULL if there is not enough. */
Range *memoryAllocate(const Range *model, size_t size);
/* Host memory, for pinned and managed allocations. */
Range *memoryAllocateHost(const Range *model, size_t size);

/* Ends a range. Memory of its own goes when all that was issued so far is done. */
void memoryFree(Range *range);
/* Ends it, and describes the memory that is left to give back; false if there is none. */
bool memoryForget(Range *range, Work *work);
void memoryGiveBack(const ReleaseWork *release);

/* Frees what was allocated in a context that ends. */
void memoryFreeOfContext(const Context *context);

#endif
