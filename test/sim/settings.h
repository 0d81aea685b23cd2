/* SPDX-License-Identifier: Apache-2.0 */
/* The switches: what the environment asks for, and what cusim.h may set before the first use. */
#ifndef CUSIM_SETTINGS_H
#define CUSIM_SETTINGS_H

#include <stdbool.h>

enum { MAX_DEVICES = 16 };

typedef struct Settings {
    int devices;
    int version; /* as CUDA_VERSION: 13000 is CUDA 13.0 */
    bool check;  /* report each misuse, and each handle alive at exit */
} Settings;

extern Settings settings;

/* The version a library takes that is told nothing: each edition of the library has its own (see edition.c). */
extern const int defaultVersion;

/* Reads the environment once, with its lists of failures and missing entries. Holding the lock. */
void settingsLoad(void);
/* Forgets everything; the next load reads the environment anew. Holding the lock. */
void settingsForget(void);

#endif
