/* SPDX-License-Identifier: Apache-2.0 */
#include "pageable.h"

#include <sys/mman.h>
#include <unistd.h>

bool pageableIsMapped(uintptr_t base, size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (size == 0 || base + size < base)
        return false;
    const uintptr_t end = base + size;
    /* Which pages are in memory does not matter; that it can be asked says that they are mapped. */
    unsigned char resident[512];
    for (uintptr_t at = base / page * page; at < end; at += page * sizeof resident) {
        const size_t most = page * sizeof resident;
        if (mincore((void *)at, end - at < most ? end - at : most, resident) != 0)
            return false;
    }
    return true;
}
