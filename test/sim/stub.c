/* SPDX-License-Identifier: Apache-2.0 */
/* As the toolkit's stub library: it has the soname of a driver, and every function answers CUDA_ERROR_STUB_LIBRARY. */
#define STUB(symbol)                                                                                                   \
    int symbol(void);                                                                                                  \
    int symbol(void)                                                                                                   \
    {                                                                                                                  \
        return 34;                                                                                                     \
    }
#define ENTRY(name, version, symbol) STUB(symbol)
#define ENTRY_PTSZ(name, version, symbol, variantVersion) STUB(symbol) STUB(symbol##_ptsz)
#define ENTRY_PTDS(name, version, symbol, variantVersion) STUB(symbol) STUB(symbol##_ptds)
#include "entries.def"
#include "entries_absent.def"
#undef ENTRY
#undef ENTRY_PTSZ
#undef ENTRY_PTDS
#undef STUB
