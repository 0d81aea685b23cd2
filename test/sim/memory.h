/* SPDX-License-Identifier: Apache-2.0 */
/* Allocating and freeing, for the files that make memory of one kind or another. */
#ifndef CUSIM_MEMORY_H
#define CUSIM_MEMORY_H

#include "range.h"

/* Device memory of `size` bytes of `model`'s kind, device, context and pool; NULL if there is not enough. */
Range *memoryAllocate(const Range *model, size_t size);
/* Host memory, for pinned and managed allocations. */
Range *memoryAllocateHost(const Range *model, size_t size);

/* Ends a range of any kind that has no reservation of its own, and gives its memory back. */
void memoryFree(Range *range);

/* The window's part of it: `size` bytes of the device's memory at `base` whose range is gone already. */
void memoryGiveBack(int device, uintptr_t base, size_t size);

/* Frees what was allocated in a context that ends. */
void memoryFreeOfContext(const Context *context);

/* The context that memory allocated in `context` belongs to: for a green one the primary one (measured). */
Context *memoryOwner(Context *context);

#endif
