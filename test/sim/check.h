/* SPDX-License-Identifier: Apache-2.0 */
/* CUSIM_CHECK=1: a line on stderr for each misuse seen and for each handle alive at exit. Holding the lock. */
#ifndef CUSIM_CHECK_H
#define CUSIM_CHECK_H

#include "object.h"
#include "range.h"

/* One misuse, if the switch is on. */
void checkSay(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* objectFind, which says it if the handle is none. */
void *checkFind(const void *handle, ObjectKind kind);

/* Says what is wrong with memory that CUDA does not know, or that begins elsewhere. */
void checkUnknownMemory(uintptr_t address);
/* A range that ends; checkUnknownMemory recognises the last few. */
void checkRemember(const Range *range);

/* What the program did not destroy or free. */
void checkHandlesAtExit(void);

void checkReset(void);

#endif
