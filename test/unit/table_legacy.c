/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table's rows beside what cuda.h and cudaTypedefs.h say of the same names, as a caller with the default stream
 * that TABLE_STREAM names. The headers are included as that caller includes them; the rows do not depend on it.
 */
#include "table.h"

#include <cuda.h>

#ifndef TABLE_ROWS
#define TABLE_ROWS tableLegacy
#define TABLE_COUNT tableLegacyCount
#endif

#include "drv/rows.h"

#define TEXT(x) #x
#define EXPANDED(x) TEXT(x)
#define CUDRV_ONE(name, lookup, version, plain, stream, toolkit, pfn, count, ...)                                      \
    {#name, lookup, plain, version, stream, EXPANDED(cu##name)},
const struct tableRow TABLE_ROWS[] = {
#include "drv/entries.h"
};
#undef CUDRV_ONE
const size_t TABLE_COUNT = sizeof(TABLE_ROWS) / sizeof(TABLE_ROWS[0]);
