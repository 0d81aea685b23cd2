/* SPDX-License-Identifier: Apache-2.0 */
#include "owners.h"

#include <string.h>
#include <unistd.h>

/* The places of a name in a key. */
enum { COPY, STREAM, DST, SRC, PEERS, CURRENT };

static bool worked(const char *answer)
{
    return answer && strncmp(answer, "copied", 6) == 0;
}

/* The device that owns memory of that name: "pool1+0" is device 1's. 0 for host memory that is nobody's. */
static char ownerOf(const char *memory)
{
    return memory[strcspn(memory, "0123456789")];
}

/* Whether a device reaches memory on a stream and in a context of its own: the other side is anybody's. */
static bool reaches(struct facts *raw, char device, const char *memory, const char *peers)
{
    char key[LONGEST_KEY];
    (void)snprintf(key, sizeof(key), "Async sP%c %s pinned0 %s P%c", device, memory, peers, device);
    return worked(factsFind(raw, key));
}

/* The special streams have the current context, so for single copies they are all alike. */
const char *ownersAnswer(struct facts *raw, const struct names *names)
{
    const char *const own = contextOfStream(names->name[STREAM]);
    if (!own)
        return answerWith(raw, names, "Async", "NULL", names->name[CURRENT]);
    const char *const first = answerWith(raw, names, "Async", names->name[STREAM], own);
    if (!first || strcmp(first, "INVALID_VALUE") != 0)
        return first;

    const char *unreached = NULL;
    for (size_t side = DST; side <= SRC && !unreached; side++)
        if (!reaches(raw, own[1], names->name[side], names->name[PEERS]))
            unreached = names->name[side];
    if (!unreached)
        return first;
    const char primary[] = {'P', ownerOf(unreached), '\0'};
    const bool callersServes = names->name[CURRENT][1] == primary[1];
    const char *const second =
        answerWith(raw, names, "Async", names->name[STREAM], callersServes ? names->name[CURRENT] : primary);
    return worked(second) ? second : first;
}

/* Over all contexts that the caller may have current. */
static const char *verdict(struct facts *raw, const struct names *names)
{
    static const char *const currents[] = {"none", "P0", "C0", "P1", "C1", "P2"};
    size_t served = 0;
    size_t asked = 0;
    if (strcmp(names->name[COPY], "Async") != 0 && strcmp(names->name[COPY], "Batch") != 0)
        return "no such option";
    for (size_t i = 0; i < sizeof(currents) / sizeof(currents[0]); i++) {
        struct names other = *names;
        other.name[CURRENT] = currents[i];
        const char *const answer = ownersAnswer(raw, &other);
        if (!answerWith(raw, names, "Async", names->name[STREAM], currents[i]))
            continue;
        asked++;
        served += worked(answer);
    }
    return served == asked ? "served" : served ? "served with some contexts current" : "not served";
}

bool listUnserved(const char *directory, FILE *out)
{
    char path[4096];
    struct facts raw = {0};
    struct facts unserved = {0};
    (void)snprintf(path, sizeof(path), "%s/devices.tsv", directory);
    if (!factsRead(&raw, path))
        return false;
    (void)snprintf(path, sizeof(path), "%s/third-device.tsv", directory);
    if (access(path, R_OK) == 0 && !factsRead(&raw, path)) /* two devices have no third to tell of */
        return false;
    for (size_t i = 0; i < raw.count; i++) {
        struct names names;
        namesSplit(&names, raw.list[i].key);
        const char *const own = contextOfStream(names.name[STREAM]);
        if (own && worked(raw.list[i].answer) &&
            !worked(answerWith(&raw, &names, names.name[COPY], names.name[STREAM], own)))
            factsAdd(&unserved, raw.list[i].key, verdict(&raw, &names));
    }
    factsPrint(&unserved, out, "", "copy\tstream\tdst\tsrc\tpeers\tworks with\tCUCOPY_CONTEXT_OWNER");
    factsFree(&unserved);
    factsFree(&raw);
    return true;
}
