/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows into lines. All rows of a copy and a kind of memory share a line if they behave alike, and kinds that behave
 * alike share it again: that leaves one screen of them.
 */
#include "tool/lines.h"

#include <string.h>

const char *doctorMemoryName(enum memory memory)
{
    static const char *const names[MEMORIES] = {
        [PLAIN] = "plain",   [POOL] = "pool",         [VMM] = "VMM",       [CLOSED] = "VMM",   [ARRAY] = "array",
        [PINNED] = "pinned", [PAGEABLE] = "pageable", [FAR_PLAIN] = "far", [FAR_POOL] = "far",
    };
    return names[memory];
}

static int behaveAlike(const struct row *a, const struct row *b)
{
    for (enum current current = NONE; current < CURRENTS; current++)
        for (enum layer layer = RAW; layer < LAYERS; layer++) {
            const struct trial *const left = &a->trials[current][layer];
            const struct trial *const right = &b->trials[current][layer];
            if (left->outcome != right->outcome || left->result != right->result || left->signal != right->signal ||
                left->stackChanged != right->stackChanged)
                return 0;
        }
    return 1;
}

static enum section sectionOf(const struct row *row)
{
    int rawArrives = 1;
    for (enum current current = NONE; current < CURRENTS; current++) {
        if (!doctorSafeIsRight(row, current))
            return SAFE_WRONG;
        rawArrives = rawArrives && row->trials[current][RAW].outcome == ARRIVED;
    }
    if (row->trials[NONE][RAW].outcome == ABSENT)
        return ABSENT_COPY;
    if (row->mustFail)
        return MUST_FAIL;
    return rawArrives ? BOTH_WORK : RAW_FAILS;
}

/* The first line from start on that the row can join as one kind among several. */
static struct line *lineLike(struct line *start, const struct line *end, const struct row *row)
{
    for (struct line *line = start; line < end; line++)
        if (line->row->kind != CLOSED && row->kind != CLOSED && !strstr(line->memory, " to ") &&
            behaveAlike(line->row, row))
            return line;
    return NULL;
}

/* Add the rows from first to last, one copy and one kind of memory; the copy's lines begin at start. */
static struct line *addKind(const struct row *first, const struct row *last, struct line *start, struct line *end)
{
    int alike = 1;
    for (const struct row *row = first; row <= last; row++)
        alike = alike && behaveAlike(first, row);
    if (!alike) {
        for (const struct row *row = first; row <= last; row++, end++) {
            *end = (struct line){.row = row, .section = sectionOf(row)};
            (void)snprintf(end->memory, sizeof(end->memory), "%s to %s", doctorMemoryName(row->src),
                           doctorMemoryName(row->dst));
        }
        return end;
    }
    struct line *const joined = lineLike(start, end, first);
    if (joined) {
        const size_t used = strlen(joined->memory);
        (void)snprintf(joined->memory + used, sizeof(joined->memory) - used, ", %s", doctorMemoryName(first->kind));
        return end;
    }
    *end = (struct line){.row = first, .section = sectionOf(first)};
    (void)snprintf(end->memory, sizeof(end->memory), "%s", doctorMemoryName(first->kind));
    return end + 1;
}

int doctorLines(const struct report *report, struct line *lines)
{
    struct line *end = lines;
    struct line *start = lines;
    const struct row *const rows = report->rows;
    for (int first = 0, next = 0; first < report->rowCount; first = next) {
        while (next < report->rowCount && rows[next].copy == rows[first].copy && rows[next].kind == rows[first].kind)
            next++;
        if (first == 0 || rows[first].copy != rows[first - 1].copy)
            start = end;
        if (doctorIsPossible(&rows[first]) &&
            !(rows[first].mustFail && rows[first].trials[NONE][RAW].outcome == ABSENT))
            end = addKind(&rows[first], &rows[next - 1], start, end);
    }
    return (int)(end - lines);
}
