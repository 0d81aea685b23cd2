/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was found, in words: which facts a driver agrees with, which differ, and which of those somebody explained.
 */
#ifndef CONFORMANCE_REPORT_H
#define CONFORMANCE_REPORT_H

#include "run.h"

#include <stdio.h>

/* The driver at hand, as a process that asked it told. */
struct about {
    bool simulated;
    int devices, version;
    char *driver, *device, *date; /* for a reader */
};

struct tally {
    size_t facts, agree, explained, differ, unanswered;
};

/* Reads DIR/explained.tsv and DIR/crashes.tsv; differences are written to out. */
bool reportOpen(const char *directory, const struct about *about, FILE *out);

/* Compares one section with what is expected of it and writes a line for each difference. */
struct tally reportSection(const struct section *section, struct showing *showing, struct facts *expected);

void reportEnd(void);

#endif
