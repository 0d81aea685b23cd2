/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every file of the simulated driver stands on: cuda.h with all versions and variants declared under their own
 * names, and the macros that bind an exported function to the code behind it.
 */
#ifndef CUSIM_DRIVER_H
#define CUSIM_DRIVER_H

/* cuda.h's own switch: no function is renamed, every version and variant is declared. */
#define __CUDA_API_VERSION_INTERNAL 1
#include <cuda.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate.h"
#include "newer_types.h"
#include "table.h"

/* One exported function. `call` runs under the driver's lock. */
#define API(symbol, parameters, call)                                                                                  \
    CUresult CUDAAPI symbol parameters;                                                                                \
    CUresult CUDAAPI symbol parameters                                                                                 \
    {                                                                                                                  \
        const CUresult refusal = (CUresult)gateEnter(ENTRY_##symbol);                                                  \
        return refusal != CUDA_SUCCESS ? refusal : (CUresult)gateLeave((int)(call));                                   \
    }

/* The function and its per-thread variant; in `call`, perThread says which of them runs. */
#define API_VARIANT(symbol, parameters, call, isPerThread)                                                             \
    CUresult CUDAAPI symbol parameters;                                                                                \
    CUresult CUDAAPI symbol parameters                                                                                 \
    {                                                                                                                  \
        const bool perThread = isPerThread;                                                                            \
        const CUresult refusal = (CUresult)gateEnter(ENTRY_##symbol);                                                  \
        return refusal != CUDA_SUCCESS ? refusal : (CUresult)gateLeave((int)(call));                                   \
    }
#define API_PTSZ(symbol, parameters, call)                                                                             \
    API_VARIANT(symbol, parameters, call, false)                                                                       \
    API_VARIANT(symbol##_ptsz, parameters, call, true)
#define API_PTDS(symbol, parameters, call)                                                                             \
    API_VARIANT(symbol, parameters, call, false)                                                                       \
    API_VARIANT(symbol##_ptds, parameters, call, true)

#endif
