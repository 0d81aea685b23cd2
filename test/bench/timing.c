/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "timing.h"

#include <stdlib.h>
#include <time.h>

double timeNow(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

struct spread spreadOf(double *values, size_t count)
{
    if (count == 0)
        return (struct spread){0, 0, 0};
    qsort(values, count, sizeof(*values), ascending);
    return (struct spread){values[count / 4], values[count / 2], values[(count * 3 - 1) / 4]};
}

struct day today(void)
{
    struct day day = {""};
    struct tm parts;
    const time_t seconds = time(NULL);
    if (gmtime_r(&seconds, &parts))
        (void)strftime(day.text, sizeof(day.text), "%Y-%m-%d", &parts);
    return day;
}
