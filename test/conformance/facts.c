/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading facts, which multiplies lines out, and looking them up. factsWrite is in facts_write.c.
 */
#include "facts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *memoryResize(void *memory, size_t count, size_t size)
{
    void *const grown = realloc(memory, count * size); /* NOLINT(bugprone-suspicious-realloc-usage): ends on NULL */
    if (!grown && count) {
        (void)fputs("conformance: out of memory\n", stderr);
        _exit(3);
    }
    return grown;
}

char *textCopy(const char *text)
{
    const size_t size = strlen(text) + 1;
    return memcpy(memoryResize(NULL, size, 1), text, size);
}

void factsAdd(struct facts *facts, const char *key, const char *answer)
{
    if (facts->count == facts->capacity) {
        facts->capacity = facts->capacity ? 2 * facts->capacity : 256;
        facts->list = memoryResize(facts->list, facts->capacity, sizeof(*facts->list));
    }
    facts->list[facts->count++] = (struct fact){textCopy(key), textCopy(answer)};
    free(facts->byKey);
    facts->byKey = NULL;
}

void factsFree(struct facts *facts)
{
    for (size_t i = 0; i < facts->count; i++) {
        free(facts->list[i].key);
        free(facts->list[i].answer);
    }
    free(facts->list);
    free(facts->byKey);
    *facts = (struct facts){0};
}

/* qsort hands its comparison nothing but the elements. */
static const struct fact *sorted;

static int compareKeys(const void *a, const void *b)
{
    return strcmp(sorted[*(const size_t *)a].key, sorted[*(const size_t *)b].key);
}

static void sortKeys(struct facts *facts)
{
    facts->byKey = memoryResize(NULL, facts->count + 1, sizeof(*facts->byKey));
    for (size_t i = 0; i < facts->count; i++)
        facts->byKey[i] = i;
    sorted = facts->list;
    qsort(facts->byKey, facts->count, sizeof(*facts->byKey), compareKeys);
}

const char *factsFind(struct facts *facts, const char *key)
{
    if (!facts->byKey)
        sortKeys(facts);
    for (size_t low = 0, high = facts->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        const struct fact *const fact = &facts->list[facts->byKey[middle]];
        const int order = strcmp(key, fact->key);
        if (order == 0)
            return fact->answer;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

bool tableRead(const char *path, bool (*row)(char **cells, size_t count, void *data), void *data)
{
    FILE *const file = fopen(path, "r");
    if (!file) {
        (void)fprintf(stderr, "conformance: %s: %s\n", path, strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
        return false;
    }
    char *line = NULL;
    size_t size = 0;
    bool good = true;
    for (unsigned number = 1; getline(&line, &size, file) >= 0; number++) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || line[0] == '\0')
            continue;
        char *cells[MOST_CELLS];
        size_t count = 0;
        for (char *rest = line; rest && count < MOST_CELLS; count++) {
            cells[count] = rest;
            rest = strchr(rest, '\t');
            if (rest)
                *rest++ = '\0';
        }
        if (!row(cells, count, data)) {
            (void)fprintf(stderr, "conformance: %s:%u is not as its first line says\n", path, number);
            good = false;
        }
    }
    free(line);
    (void)fclose(file);
    return good;
}

enum { MOST_SETS = 64 };

struct reading {
    struct facts *facts;
    size_t columns;
    char *sets[MOST_SETS]; /* "$1" and so on, in order */
    size_t setCount;
};

static char *setNamed(const struct reading *reading, const char *name)
{
    const size_t number = strtoul(name + 1, NULL, 10);
    return number > 0 && number <= reading->setCount ? reading->sets[number - 1] : NULL;
}

static bool readSet(struct reading *reading, char **cells, size_t count)
{
    if (count != 2 || reading->setCount == MOST_SETS || strtoul(cells[0] + 1, NULL, 10) != reading->setCount + 1)
        return false;
    reading->sets[reading->setCount++] = textCopy(cells[1]);
    return true;
}

/* One fact for each combination of the names in cells, of which the first `done` are already in key. */
static void multiply(struct facts *facts, char **cells, size_t count, size_t done, char *key, size_t length)
{
    if (done == count - 1) {
        factsAdd(facts, key, cells[done]);
        return;
    }
    for (const char *name = cells[done]; *name;) {
        const size_t size = strcspn(name, " ");
        if (done)
            key[length] = ' ';
        char *const end = key + length + (done != 0);
        memcpy(end, name, size);
        end[size] = '\0';
        multiply(facts, cells, count, done + 1, key, (size_t)(end - key) + size);
        name += size + strspn(name + size, " ");
    }
}

static bool readRow(char **cells, size_t count, void *data)
{
    struct reading *const reading = data;
    if (!reading->columns) {
        reading->columns = count;
        return count > 1;
    }
    if (cells[0][0] == '$' && count == 2 && reading->columns > 2)
        return readSet(reading, cells, count);
    if (count != reading->columns)
        return false;
    size_t longest = 1;
    for (size_t i = 0; i + 1 < count; i++) {
        if (cells[i][0] == '$')
            cells[i] = setNamed(reading, cells[i]);
        if (!cells[i])
            return false;
        longest += strlen(cells[i]) + 1;
    }
    char *const key = memoryResize(NULL, longest, 1);
    multiply(reading->facts, cells, count, 0, key, 0);
    free(key);
    return true;
}

bool factsRead(struct facts *facts, const char *path)
{
    struct reading reading = {.facts = facts};
    const bool good = tableRead(path, readRow, &reading);
    for (size_t i = 0; i < reading.setCount; i++)
        free(reading.sets[i]);
    if (!good)
        return false;
    sortKeys(facts);
    for (size_t i = 1; i < facts->count; i++)
        if (compareKeys(&facts->byKey[i - 1], &facts->byKey[i]) == 0) {
            (void)fprintf(stderr, "conformance: %s has two answers for %s\n", path, facts->list[facts->byKey[i]].key);
            return false;
        }
    return true;
}
