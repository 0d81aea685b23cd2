/* SPDX-License-Identifier: Apache-2.0 */
/* A row of the table that differs from cuda.h's declaration does not compile. */
#include "types.h"

#include "drv/check.h"
#include "drv/rows.h"

#ifdef MISTAKE
#define PARAMETERS CUdeviceptr, CUdeviceptr, int, CUstream
#else
#define PARAMETERS CUdeviceptr, CUdeviceptr, size_t, CUstream
#endif

#define CUDRV_ONE(name, lookup, version, plain, stream, toolkit, pfn, count, ...)                                      \
    CUresult CUDAAPI cudrv##name(CUDRV_PARAMS(count, __VA_ARGS__));                                                    \
    CUDRV_CHECK(name, toolkit, pfn)
CUDRV_ENTRY(MemcpyAsync, cuMemcpyAsync, 4000, cuMemcpyAsync, 4, PARAMETERS)
