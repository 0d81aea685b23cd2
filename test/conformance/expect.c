/* SPDX-License-Identifier: Apache-2.0 */
#include "expect.h"

#include "keys.h"
#include "owners.h"
#include "sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void addAs(struct facts *facts, const char *how, const char *key, const char *answer)
{
    char text[LONGEST_KEY];
    (void)snprintf(text, sizeof(text), "%s %s", how, key);
    if (answer)
        factsAdd(facts, text, answer);
}

static const char *currentIn(const struct names *names)
{
    const char *const owner = contextOfStream(names->name[1]);
    return owner ? owner : namesCurrent(names);
}

/* A batch of the safe layer gives what `batches` says. */
static const char *safeAnswer(struct facts *raw, struct facts *batches, const struct names *names, const char *stream)
{
    const char *const copy = names->name[0];
    if (isBatch(copy))
        return answerWith(batches, names, copy, stream, namesCurrent(names));
    return answerWith(raw, names, copy, stream, currentIn(names));
}

static void derive(struct facts *raw, struct facts *batches, const struct section *section, struct facts *expected)
{
    for (size_t i = 0; i < raw->count; i++) {
        const char *const key = raw->list[i].key;
        struct names names;
        namesSplit(&names, key);
        const char *const stream = names.name[1];
        const bool special = !contextOfStream(stream);
        const char *const guarded = answerWith(raw, &names, names.name[0], stream, currentIn(&names));
        if (section == &safeSection && !isSet(names.name[0])) {
            addAs(expected, "safe", key, safeAnswer(raw, batches, &names, stream));
            if (special)
                addAs(expected, "safe-per-thread", key,
                      safeAnswer(raw, batches, &names, strcmp(stream, "NULL") == 0 ? "PTDS" : stream));
        }
        if (section == &guardedSection) {
            addAs(expected, "guard", key, guarded);
            if (!special)
                addAs(expected, "guard-of-context", key, guarded);
        }
    }
}

/*
 * Between devices a safe batch gives what a single copy would, on a special stream as well. Peer access changes nothing
 * that the safe layer does, so once is enough; the owner's policy asks what the stream's device reaches.
 */
static void deriveDevices(struct facts *raw, struct facts *expected)
{
    for (size_t i = 0; i < raw->count; i++) {
        const char *const key = raw->list[i].key;
        struct names names;
        namesSplit(&names, key);
        const char *const copy = names.name[0];
        const char *const stream = names.name[1];
        if (strcmp(copy, "Async") == 0 || strcmp(copy, "Batch") == 0)
            addAs(expected, "owner", key, ownersAnswer(raw, &names));
        if (strcmp(names.name[4], "peers") == 0)
            continue;
        addAs(expected, "guard", key, answerWith(raw, &names, copy, stream, currentIn(&names)));
        if (isBatch(copy))
            addAs(expected, "safe", key,
                  answerWith(raw, &names, "Async", contextOfStream(stream) ? stream : "NULL", currentIn(&names)));
        else if (!isSet(copy))
            addAs(expected, "safe", key, answerWith(raw, &names, copy, stream, currentIn(&names)));
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
        good = readNamed(&raw, directory, "devices") && readNamed(&raw, directory, "third-device");
        deriveDevices(&raw, facts);
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
