/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of entry points as data, with what this toolkit's cuda.h itself makes of each function's name.
 * table_legacy.c and table_per_thread.c give it as the two kinds of caller see it.
 */
#ifndef CUCOPY_TEST_TABLE_H
#define CUCOPY_TEST_TABLE_H

#include <stddef.h>

struct tableRow {
    const char *name;   /* MemcpyAsync */
    const char *lookup; /* what cuGetProcAddress is asked for */
    const char *plain;  /* the exported symbol */
    int version;        /* the version asked for */
    int perThread;      /* 1 for a per-thread default stream variant */
    const char *symbol; /* what cuda.h makes of cu<name> */
};

extern const struct tableRow tableLegacy[];
extern const size_t tableLegacyCount;
extern const struct tableRow tablePerThread[];
extern const size_t tablePerThreadCount;

#endif
