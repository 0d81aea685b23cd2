/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory: reservations of addresses and the physical memory that is mapped into them. */
#ifndef CUSIM_VMM_H
#define CUSIM_VMM_H

#include "range.h"

/* The reservation that holds an address; false if none does. */
bool reservationFind(uintptr_t address, uintptr_t *base, size_t *size);

void vmmReset(void);

#endif
