/* SPDX-License-Identifier: Apache-2.0 */
#include "expect.h"

#include "sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 6, LONGEST = 256 };

/* A key's names; those of copies.tsv are copy, stream, pair, current, those of devices.tsv copy, stream, dst, src,
 * peers, current. */
struct names {
    char text[LONGEST];
    const char *name[MOST_NAMES];
    size_t count;
};

static void split(struct names *names, const char *key)
{
    names->count = 0;
    (void)snprintf(names->text, sizeof(names->text), "%s", key);
    for (char *rest = names->text; rest && names->count < MOST_NAMES;) {
        names->name[names->count++] = rest;
        rest = strchr(rest, ' ');
        if (rest)
            *rest++ = '\0';
    }
}

/* The context that a stream belongs to, or NULL for a special one. */
static const char *ownerOf(const char *stream)
{
    if (stream[0] != 's')
        return NULL;
    return strcmp(stream, "sGc") == 0 ? "G" : stream + 1;
}

static bool isBatch(const char *copy)
{
    return strstr(copy, "Batch");
}

static bool isSet(const char *copy)
{
    return strncmp(copy, "Memset", 6) == 0;
}

/* The answer to the same copy as another one, on another stream, with another context current. */
static const char *answerWith(struct facts *facts, const struct names *names, const char *copy, const char *stream,
                              const char *current)
{
    char key[LONGEST];
    int length = snprintf(key, sizeof(key), "%s %s", copy, stream);
    for (size_t i = 2; i + 1 < names->count; i++)
        length += snprintf(key + length, sizeof(key) - (size_t)length, " %s", names->name[i]);
    (void)snprintf(key + length, sizeof(key) - (size_t)length, " %s", current);
    return factsFind(facts, key);
}

static void addAs(struct facts *facts, const char *how, const char *key, const char *answer)
{
    char text[LONGEST];
    (void)snprintf(text, sizeof(text), "%s %s", how, key);
    if (answer)
        factsAdd(facts, text, answer);
}

static const char *currentOf(const struct names *names)
{
    return names->name[names->count - 1];
}

static const char *currentIn(const struct names *names)
{
    const char *const owner = ownerOf(names->name[1]);
    return owner ? owner : currentOf(names);
}

/* A batch of the safe layer: `batches` says, or, between devices, it gives what a single copy would. */
static const char *safeAnswer(struct facts *raw, struct facts *batches, const struct names *names, const char *stream)
{
    const char *const copy = names->name[0];
    if (isBatch(copy) && batches)
        return answerWith(batches, names, copy, stream, currentOf(names));
    return answerWith(raw, names, isBatch(copy) ? "Async" : copy, stream, currentIn(names));
}

static void derive(struct facts *raw, struct facts *batches, const struct section *section, struct facts *expected)
{
    for (size_t i = 0; i < raw->count; i++) {
        const char *const key = raw->list[i].key;
        struct names names;
        split(&names, key);
        const char *const stream = names.name[1];
        if (section == &safeDevicesSection && strcmp(names.name[4], "peers") == 0)
            continue; /* the safe layer does nothing about it, so once is enough */
        const char *const guarded = answerWith(raw, &names, names.name[0], stream, currentIn(&names));
        if (section != &guardedSection && !isSet(names.name[0]))
            addAs(expected, "safe", key, safeAnswer(raw, batches, &names, stream));
        if (section == &safeSection && !isSet(names.name[0]) && !ownerOf(stream))
            addAs(expected, "safe-per-thread", key,
                  safeAnswer(raw, batches, &names, strcmp(stream, "NULL") == 0 ? "PTDS" : stream));
        if (section != &safeSection)
            addAs(expected, "guard", key, guarded);
        if (section == &guardedSection && ownerOf(stream))
            addAs(expected, "guard-of-context", key, guarded);
    }
}

static bool readNamed(struct facts *facts, const char *directory, const char *name)
{
    char path[4096];
    (void)snprintf(path, sizeof(path), "%s/%s.tsv", directory, name);
    return factsRead(facts, path);
}

/* entry-points.tsv says since which version a driver has a function. */
static void atVersion(struct facts *since, int version, struct facts *expected)
{
    for (size_t i = 0; i < since->count; i++)
        factsAdd(expected, since->list[i].key,
                 strtol(since->list[i].answer, NULL, 10) <= version ? "there" : "NOT_SUPPORTED");
}

bool expectSection(const struct section *section, const char *directory, int version, struct facts *facts)
{
    struct facts raw = {0};
    struct facts batches = {0};
    bool good = true;
    if (section == &safeDevicesSection) {
        good = readNamed(&raw, directory, "devices");
        derive(&raw, NULL, section, facts);
    } else if (section == &safeSection || section == &guardedSection) {
        good = readNamed(&raw, directory, "copies") && readNamed(&batches, directory, "safe-batches");
        derive(&raw, &batches, section, facts);
    } else if (section == &entryPointsSection) {
        good = readNamed(&raw, directory, section->name);
        atVersion(&raw, version, facts);
    } else {
        good = readNamed(facts, directory, section->name);
    }
    factsFree(&raw);
    factsFree(&batches);
    return good;
}
