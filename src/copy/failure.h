/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a call of the safe layer goes when it fails. Private to copy/.
 */
#ifndef CUCOPY_COPY_FAILURE_H
#define CUCOPY_COPY_FAILURE_H

#include "copy/scope.h"

#if defined(__GNUC__)
#define CUCOPY_COLD __attribute__((cold, noinline))
#else
#define CUCOPY_COLD
#endif

/*
 * Keep this failure for the thread, and return result. what says what the function knows: its name, the operands, the
 * size, the entry; the scope gives the rest.
 */
CUCOPY_COLD CUresult cucopyFail(const struct cucopyScope *scope, CUresult result, const cucopyFailure *what);

/* The same for a copy between two addresses. */
CUCOPY_COLD CUresult cucopyFailCopy(const struct cucopyScope *scope, CUresult result, const char *function,
                                    CUdeviceptr dst, CUdeviceptr src, size_t bytes);

#endif
