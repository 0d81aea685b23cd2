/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory that CUDA does not know: is it there at all? */
#ifndef CUSIM_PAGEABLE_H
#define CUSIM_PAGEABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the process has memory mapped at all of [base, base + size). It may still not be writable. */
bool pageableIsMapped(uintptr_t base, size_t size);

#endif
