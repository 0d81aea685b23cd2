/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every row of the table against cuda.h, in both variants. This file holds no code: it compiles or it does not.
 */
#include "types.h"

#include "drv/check.h"
#include "drv/rows.h"
#include <cucopy/drv.h>

/* The header declares the variant that its reader asks for; here the other one has the row's own type. */
#define CUDRV_ONE(name, lookup, version, plain, stream, toolkit, pfn, count, ...)                                      \
    CUresult CUDAAPI cudrv##name(CUDRV_PARAMS(count, __VA_ARGS__));
#include "drv/entries.h"
#undef CUDRV_ONE
#define CUDRV_ONE(name, lookup, version, plain, stream, toolkit, pfn, count, ...) CUDRV_CHECK(name, toolkit, pfn)
#include "drv/entries.h"
