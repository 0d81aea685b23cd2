/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of the table: rows that behave alike, told as one.
 */
#ifndef CUCOPY_TOOL_LINES_H
#define CUCOPY_TOOL_LINES_H

#include "tool/report.h"

/* What a line is an example of, worst first. */
enum section { SAFE_WRONG, RAW_FAILS, MUST_FAIL, ABSENT_COPY, BOTH_WORK, SECTIONS };

struct line {
    const struct row *row; /* the first of the rows that it stands for */
    enum section section;
    char memory[64]; /* "pool, VMM", or "pageable to pool" if not all copies of pool memory behave alike */
};

/* At most ROWS; returns how many. */
int doctorLines(const struct report *report, struct line *lines);

const char *doctorMemoryName(enum memory memory);

#endif
