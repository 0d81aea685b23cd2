/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that are not modelled: each says so and returns CUDA_ERROR_NOT_SUPPORTED. Their arguments do not
 * matter, and the calling conventions of our platforms let a function ignore them; so cuda.h is not included here.
 */
#include "gate.h"
#include "table.h"

#define STUB(symbol)                                                                                                   \
    int symbol(void);                                                                                                  \
    int symbol(void)                                                                                                   \
    {                                                                                                                  \
        return gateAbsent(ENTRY_##symbol);                                                                             \
    }
#define ENTRY(name, version, symbol) STUB(symbol)
#define ENTRY_PTSZ(name, version, symbol, variantVersion) STUB(symbol) STUB(symbol##_ptsz)
#define ENTRY_PTDS(name, version, symbol, variantVersion) STUB(symbol) STUB(symbol##_ptds)
#include "entries_absent.def"
#undef ENTRY
#undef ENTRY_PTSZ
#undef ENTRY_PTDS
#undef STUB
