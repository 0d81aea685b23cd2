/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs sections in processes of their own, since the driver may crash, and gathers what they tell. This process never
 * touches the driver.
 */
#ifndef CONFORMANCE_RUN_H
#define CONFORMANCE_RUN_H

#include "facts.h"
#include "probe.h"

/* What the processes of one section told. */
struct showing {
    struct facts facts; /* in the order of the questions */
    struct facts says;  /* for each crash, what it left on stderr */
    char *lacks;        /* what this driver or machine cannot show, "" if nothing */
    char *broken;       /* why the section could not be played, NULL if it could */
    double seconds;
    int processes;
};

/* One showing for each of `count` sections, with at most `jobs` processes at a time. After `seconds`, if not 0, what is
 * not answered yet is lacking. */
void runSections(const struct section *const *chosen, size_t count, int jobs, double seconds, struct showing *showings);

void showingFree(struct showing *showing);

#endif
