/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the trials mean. The safe layer is right if its copies arrive, if those that cannot be made are refused with a
 * code, and if the context stack is what it was in either case.
 */
#include "tool/report.h"

static int isRight(const struct row *row, const struct trial *raw, const struct trial *safe)
{
    if (safe->stackChanged)
        return 0;
    if (row->mustFail)
        return safe->outcome == REFUSED;
    /* What this driver does not have may be refused, and in no other way. */
    return safe->outcome == ARRIVED ||
           (raw->outcome == ABSENT && safe->outcome == REFUSED && safe->result == CUDA_ERROR_NOT_SUPPORTED);
}

int doctorIsPossible(const struct row *row)
{
    return row->trials[NONE][RAW].outcome != NO_MEMORY;
}

int doctorSafeIsRight(const struct row *row, enum current current)
{
    return isRight(row, &row->trials[current][RAW], &row->trials[current][SAFE]);
}

struct verdict doctorJudge(const struct report *report)
{
    struct verdict verdict = {.rawTried = 0};
    for (int i = 0; i < report->rowCount; i++) {
        const struct row *const row = &report->rows[i];
        for (enum current current = NONE; doctorIsPossible(row) && current < CURRENTS; current++) {
            const struct trial *const raw = &row->trials[current][RAW];
            const struct trial *const safe = &row->trials[current][SAFE];
            verdict.rawTried += raw->outcome != ABSENT;
            verdict.rawRefused += raw->outcome == REFUSED;
            verdict.rawCrashed += raw->outcome == CRASHED || raw->outcome == HUNG;
            verdict.safeTried++;
            verdict.safeArrived += safe->outcome == ARRIVED;
            verdict.safeRefused += safe->outcome == REFUSED && doctorSafeIsRight(row, current);
            verdict.safeWrong += !doctorSafeIsRight(row, current);
            verdict.stackChanged += safe->stackChanged;
        }
    }
    return verdict;
}
