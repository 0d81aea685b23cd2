/* SPDX-License-Identifier: Apache-2.0 */
/* The C functions that perform kernels, by the kernels' names. */
#ifndef CUSIM_KERNELS_H
#define CUSIM_KERNELS_H

#include "cusim.h"

#include <stdbool.h>

typedef struct KernelEntry {
    const char *name;
    cusimKernel function;
    void *user;
} KernelEntry;

/* The kernels that the simulated driver performs by itself; the last has no name. See builtin_kernels.c. */
extern const KernelEntry builtinKernels[];

/* False if nobody registered the name. Holding the lock. */
bool kernelFindFunction(const char *name, KernelEntry *entry);
bool kernelIsRegistered(const char *name);

/* Forgets what programs registered. */
void kernelsReset(void);

#endif
