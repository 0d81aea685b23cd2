/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of the driver's functions as a struct, and what the parts of the loader owe each other. Private to drv/.
 */
#ifndef CUCOPY_DRV_TABLE_H
#define CUCOPY_DRV_TABLE_H

#include "types.h"

#include "drv/rows.h"
#include <stdatomic.h>

/* These sources name both variants of a function, so cuda.h's way of choosing one must not reach them. */
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#error "compile the library without CUDA_API_PER_THREAD_DEFAULT_STREAM: it has both variants"
#endif

#define CUDRV_ONE(name, lookup, version, plain, stream, toolkit, pfn, count, ...)                                      \
    CUresult(CUDAAPI *name)(CUDRV_PARAMS(count, __VA_ARGS__));
struct cudrvTable {
#include "drv/entries.h"
};
#undef CUDRV_ONE

/* ---- forward.c ---- */

/* Every slot of this one finds the driver first; a slot that a loaded driver lacks keeps its value from here. */
extern const struct cudrvTable cudrvUnloaded;

/* The table in use, &cudrvUnloaded until a driver is loaded. Replaced once and never again. */
extern _Atomic(const struct cudrvTable *) cudrvPublished;

/* ---- loader.c ---- */

/*
 * The table to call through, loading the driver if nobody has tried. *code is what a call of a slot that is still
 * cudrvUnloaded's must return: why there is no driver, or CUDA_ERROR_NOT_SUPPORTED if there is one without that entry.
 */
const struct cudrvTable *cudrvResolve(CUresult *code);

/* ---- loader_posix.c, loader_windows.c ---- */

/* Open path, or with NULL the platform's driver. NULL: error holds the system's reason. */
void *cudrvLibraryOpen(const char *path, char *error, size_t size);
void cudrvLibraryClose(void *library);

/* The address of a symbol into *function, a pointer to function; 0 and *function untouched if there is none. */
int cudrvLibrarySymbol(void *library, const char *symbol, void *function);

/* Whether path names that very library, which is open; opens nothing. */
int cudrvLibraryIs(void *library, const char *path);

/* The file that the library came from; returns 0 if the system will not say. */
int cudrvLibraryPath(void *library, char *path, size_t size);

#endif
