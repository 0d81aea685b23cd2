/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing facts: lines that differ in one column only become one, column after column from the right, until no more do.
 */
#include "facts.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_CELL = 40, MOST_SETS = 64 };
#define NOWHERE SIZE_MAX

struct line {
    char *cells[MOST_CELLS]; /* the last is the answer */
};

static bool differOnlyIn(const struct line *a, const struct line *b, size_t columns, size_t column)
{
    for (size_t i = columns; i-- > 0;) /* answers first: they differ most often */
        if (i != column && strcmp(a->cells[i], b->cells[i]) != 0)
            return false;
    return true;
}

static void joinCells(char **cell, const char *more)
{
    const size_t length = strlen(*cell);
    *cell = memoryResize(*cell, length + strlen(more) + 2, 1);
    (*cell)[length] = ' ';
    memcpy(*cell + length + 1, more, strlen(more) + 1);
}

static void freeLine(struct line *line, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        free(line->cells[i]);
}

/* Of all cells but that of one column. */
static size_t hashBut(const struct line *line, size_t columns, size_t column)
{
    size_t hash = 14695981039346656037ULL;
    for (size_t i = 0; i < columns; i++)
        for (const char *c = line->cells[i]; i != column && *c; c++)
            hash = (hash ^ (unsigned char)*c) * 1099511628211ULL;
    return hash;
}

/* Returns how many lines are left. The table has the place of each of them, by its hash. */
static size_t mergeColumn(struct line *lines, size_t count, size_t columns, size_t column)
{
    size_t kept = 0;
    size_t slots = 1;
    while (slots <= 2 * count)
        slots *= 2;
    size_t *const table = memoryResize(NULL, slots, sizeof(*table));
    for (size_t i = 0; i < slots; i++)
        table[i] = NOWHERE;
    for (size_t i = 0; i < count; i++) {
        size_t slot = hashBut(&lines[i], columns, column) % slots;
        while (table[slot] != NOWHERE && !differOnlyIn(&lines[table[slot]], &lines[i], columns, column))
            slot = (slot + 1) % slots;
        if (table[slot] == NOWHERE) {
            table[slot] = kept;
            lines[kept++] = lines[i];
            continue;
        }
        joinCells(&lines[table[slot]].cells[column], lines[i].cells[column]);
        freeLine(&lines[i], columns);
    }
    free(table);
    return kept;
}

static struct line lineOf(const struct fact *fact, size_t columns)
{
    struct line line = {{NULL}};
    char *const key = textCopy(fact->key);
    char *rest = key;
    for (size_t i = 0; i + 1 < columns; i++) {
        const size_t size = i + 2 < columns ? strcspn(rest, " ") : strlen(rest);
        const bool more = rest[size] != '\0';
        rest[size] = '\0';
        line.cells[i] = textCopy(rest);
        rest += size + more;
    }
    free(key);
    line.cells[columns - 1] = textCopy(fact->answer);
    return line;
}

/* setCount if the cell is none of them. */
static size_t setOf(const char *const *sets, size_t setCount, const char *cell)
{
    size_t set = 0;
    while (set < setCount && strcmp(sets[set], cell) != 0)
        set++;
    return set;
}

static size_t usesOf(const struct line *lines, size_t count, size_t width, const char *cell)
{
    size_t uses = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j + 1 < width; j++)
            uses += strcmp(lines[i].cells[j], cell) == 0;
    return uses;
}

/* Long cells that come again are written once, as a set. */
static void writeLines(FILE *file, const struct line *lines, size_t count, size_t width)
{
    const char *sets[MOST_SETS];
    size_t setCount = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j + 1 < width; j++) {
            const char *const cell = lines[i].cells[j];
            if (strlen(cell) > LONG_CELL && setCount < MOST_SETS && setOf(sets, setCount, cell) == setCount &&
                usesOf(lines, count, width, cell) > 1) {
                sets[setCount++] = cell;
                (void)fprintf(file, "$%zu\t%s\n", setCount, cell);
            }
        }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j + 1 < width; j++) {
            const size_t set = setOf(sets, setCount, lines[i].cells[j]);
            if (set < setCount)
                (void)fprintf(file, "$%zu\t", set + 1);
            else
                (void)fprintf(file, "%s\t", lines[i].cells[j]);
        }
        (void)fprintf(file, "%s\n", lines[i].cells[width - 1]);
    }
}

void factsPrint(const struct facts *facts, FILE *out, const char *comment, const char *columns)
{
    size_t width = 1;
    for (const char *c = columns; *c; c++)
        width += *c == '\t';
    struct line *const lines = memoryResize(NULL, facts->count + 1, sizeof(*lines));
    size_t count = facts->count;
    for (size_t i = 0; i < count; i++)
        lines[i] = lineOf(&facts->list[i], width);
    for (size_t before = count + 1; count < before;) {
        before = count;
        for (size_t column = width - 1; column-- > 0;)
            count = mergeColumn(lines, count, width, column);
    }

    (void)fprintf(out, "%s%s\n", comment, columns);
    writeLines(out, lines, count, width);
    for (size_t i = 0; i < count; i++)
        freeLine(&lines[i], width);
    free(lines);
}

bool factsWrite(const struct facts *facts, const char *path, const char *comment, const char *columns)
{
    FILE *const file = fopen(path, "w");
    if (!file) {
        (void)fprintf(stderr, "conformance: %s: %s\n", path, strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
        return false;
    }
    factsPrint(facts, file, comment, columns);
    return fclose(file) == 0;
}
