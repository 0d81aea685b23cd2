/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of the table, with the address of each function. This file does not include cuda.h, so that it may name
 * functions of every version whatever the header declares.
 */
#include "table.h"

#include <string.h>

#define ENTRY(name, version, symbol) int symbol(void);
#define ENTRY_PTSZ(name, version, symbol, variantVersion)                                                              \
    int symbol(void);                                                                                                  \
    int symbol##_ptsz(void);
#define ENTRY_PTDS(name, version, symbol, variantVersion)                                                              \
    int symbol(void);                                                                                                  \
    int symbol##_ptds(void);
#include "entries.def"
#include "entries_absent.def"
#undef ENTRY
#undef ENTRY_PTSZ
#undef ENTRY_PTDS

const EntryRow entryTable[ENTRY_COUNT] = {
#define ENTRY(name, version, symbol) {#name, #symbol, version, false, MODELLED, symbol},
#define ENTRY_PTSZ(name, version, symbol, variantVersion)                                                              \
    {#name, #symbol, version, false, MODELLED, symbol},                                                                \
        {#name, #symbol "_ptsz", variantVersion, true, MODELLED, symbol##_ptsz},
#define ENTRY_PTDS(name, version, symbol, variantVersion)                                                              \
    {#name, #symbol, version, false, MODELLED, symbol},                                                                \
        {#name, #symbol "_ptds", variantVersion, true, MODELLED, symbol##_ptds},
#define MODELLED true
#include "entries.def"
#undef MODELLED
#define MODELLED false
#include "entries_absent.def"
#undef MODELLED
#undef ENTRY
#undef ENTRY_PTSZ
#undef ENTRY_PTDS
};

bool entryIsNamed(enum Entry entry, const char *text, size_t length)
{
    const EntryRow *row = &entryTable[entry];
    return (strlen(row->symbol) == length && strncmp(row->symbol, text, length) == 0) ||
           (strlen(row->name) == length && strncmp(row->name, text, length) == 0);
}
