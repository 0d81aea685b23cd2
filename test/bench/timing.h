/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What benchmarks in time share: the clock, the spread of what was measured, the day.
 */
#ifndef CUCOPY_BENCH_TIMING_H
#define CUCOPY_BENCH_TIMING_H

#include <stddef.h>

/* Microseconds since some moment. */
double timeNow(void);

/* Of a hundred values the 25th, the 50th and the 75th. */
struct spread {
    double low, median, high;
};

/* Sorts the values. All zero if there are none. */
struct spread spreadOf(double *values, size_t count);

/* "2026-12-02", in UTC. */
struct day {
    char text[16];
};
struct day today(void);

#endif
