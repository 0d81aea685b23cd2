/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The domain of our ranges and marks, made at the first of them that a profiler sees. Compiled with CUCOPY_NVTX only.
 */
#include "copy/nvtx.h"

#include <stdatomic.h>

nvtxDomainHandle_t cucopyNvtxDomain(void)
{
    static _Atomic(nvtxDomainHandle_t) domain;
    nvtxDomainHandle_t known = atomic_load_explicit(&domain, memory_order_acquire);
    if (known)
        return known;
    const nvtxDomainHandle_t made = nvtxDomainCreateA("cucopy");
    if (!made || atomic_compare_exchange_strong(&domain, &known, made))
        return made;
    nvtxDomainDestroy(made); /* another thread was first */
    return known;
}
