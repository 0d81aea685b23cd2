/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of entry points: every function of CUDA 13.0's cuda.h, in each of its versions and default-stream variants.
 *
 * entries.def lists what is modelled, entries_absent.def what answers CUDA_ERROR_NOT_SUPPORTED. From the two come this
 * enumeration, the exports, the stubs, cuGetProcAddress, the call counts and the table in docs/simulated-driver.md.
 */
#ifndef CUSIM_TABLE_H
#define CUSIM_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum Entry {
#define ENTRY(name, version, symbol) ENTRY_##symbol,
#define ENTRY_PTSZ(name, version, symbol, variantVersion) ENTRY_##symbol, ENTRY_##symbol##_ptsz,
#define ENTRY_PTDS(name, version, symbol, variantVersion) ENTRY_##symbol, ENTRY_##symbol##_ptds,
#include "entries.def"
#include "entries_absent.def"
#undef ENTRY
#undef ENTRY_PTSZ
#undef ENTRY_PTDS
    ENTRY_COUNT
};

typedef int (*EntryFunction)(void);

typedef struct EntryRow {
    const char *name;   /* what cuGetProcAddress looks up, without version or variant */
    const char *symbol; /* what the library exports */
    int version;        /* the first CUDA version that has it, as CUDA_VERSION */
    bool perThread;     /* a _ptsz or _ptds variant */
    bool modelled;
    EntryFunction function;
} EntryRow;

extern const EntryRow entryTable[ENTRY_COUNT];

/* Whether `text` names the entry: by its symbol, or by its lookup name, which stands for every version and variant. */
bool entryIsNamed(enum Entry entry, const char *text, size_t length);

#endif
