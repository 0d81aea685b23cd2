/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of the raw layer. Each loads the pointer to the table and jumps through its slot: no lock, no
 * allocation, no thread-local access. Until a driver is loaded, the slot leads to cudrvResolve.
 */
#include "drv/table.h"

#include <cucopy/drv.h>

/* Released by the loader with the whole table written; on x86-64 and 64-bit Arm this load costs what a plain one does.
 */
#define TABLE atomic_load_explicit(&cudrvPublished, memory_order_acquire)

#define CUDRV_ONE(name, lookup, version, plain, stream, toolkit, pfn, count, ...)                                      \
    static CUresult CUDAAPI resolve_##name(CUDRV_PARAMS(count, __VA_ARGS__))                                           \
    {                                                                                                                  \
        CUresult code = CUDA_SUCCESS;                                                                                  \
        const struct cudrvTable *const table = cudrvResolve(&code);                                                    \
        return table->name == resolve_##name ? code : table->name(CUDRV_ARGS_##count);                                 \
    }
#include "drv/entries.h"
#undef CUDRV_ONE

#define CUDRV_ONE(name, lookup, version, plain, stream, toolkit, pfn, count, ...) .name = resolve_##name,
const struct cudrvTable cudrvUnloaded = {
#include "drv/entries.h"
};
#undef CUDRV_ONE

_Atomic(const struct cudrvTable *) cudrvPublished = &cudrvUnloaded;

/* The header declares one variant of each function; the prototypes of both are the rows', and all are exported. */
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#define CUDRV_ONE(name, lookup, version, plain, stream, toolkit, pfn, count, ...)                                      \
    CUresult CUDAAPI cudrv##name(CUDRV_PARAMS(count, __VA_ARGS__));                                                    \
    CUresult CUDAAPI cudrv##name(CUDRV_PARAMS(count, __VA_ARGS__))                                                     \
    {                                                                                                                  \
        return TABLE->name(CUDRV_ARGS_##count);                                                                        \
    }
#include "drv/entries.h"
#undef CUDRV_ONE
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#undef TABLE
