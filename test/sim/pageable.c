/* SPDX-License-Identifier: Apache-2.0 */
#include "pageable.h"

#include <sys/mman.h>
#include <unistd.h>

bool pageableIsMapped(uintptr_t base, size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (base + size < base)
        return false;
    const uintptr_t first = base / page * page;
    const uintptr_t end = (base + size + page - 1) / page * page;
    /* MS_ASYNC does nothing but look whether the pages are mapped. */
    return end > first && msync((void *)first, end - first, MS_ASYNC) == 0;
}
