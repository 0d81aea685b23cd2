/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of facts. Lines that begin with # say what the file holds and where its facts come from; the next line names
 * the columns, of which the last is the answer; every other line is one fact or, where a cell holds several names with
 * spaces between them, one for each combination of names. A line that begins with $ gives a cell's worth of names a
 * short name for the lines below. In memory a fact is a key, the names with one space between them, and its answer.
 */
#ifndef CONFORMANCE_FACTS_H
#define CONFORMANCE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct fact {
    char *key;
    char *answer;
};

struct facts {
    struct fact *list; /* in the order in which they came */
    size_t count, capacity;
    size_t *byKey; /* indices in the order of the keys; NULL until somebody looks something up */
};

/* False, and a line on stderr, if the file cannot be read or contradicts itself. */
bool factsRead(struct facts *facts, const char *path);

void factsAdd(struct facts *facts, const char *key, const char *answer);

/* The answer, or NULL. */
const char *factsFind(struct facts *facts, const char *key);

/* As few lines as merging neighbours gives; `comment` is whole lines that begin with #. */
void factsPrint(const struct facts *facts, FILE *out, const char *comment, const char *columns);
bool factsWrite(const struct facts *facts, const char *path, const char *comment, const char *columns);

void factsFree(struct facts *facts);

/* Calls row with the cells of each line that is neither empty nor a comment. False if the file cannot be read. */
enum { MOST_CELLS = 10 };
bool tableRead(const char *path, bool (*row)(char **cells, size_t count, void *data), void *data);

/* malloc, realloc and strdup that end the program when there is no memory. */
void *memoryResize(void *memory, size_t count, size_t size);
char *textCopy(const char *text);

#endif
