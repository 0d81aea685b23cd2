/* SPDX-License-Identifier: Apache-2.0 */
#include "keys.h"

#include <stdio.h>
#include <string.h>

void namesSplit(struct names *names, const char *key)
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

const char *namesCurrent(const struct names *names)
{
    return names->name[names->count - 1];
}

const char *contextOfStream(const char *stream)
{
    if (stream[0] != 's')
        return NULL;
    return strcmp(stream, "sGc") == 0 ? "G" : stream + 1;
}

bool isBatch(const char *copy)
{
    return strstr(copy, "Batch");
}

bool isSet(const char *copy)
{
    return strncmp(copy, "Memset", 6) == 0;
}

const char *answerWith(struct facts *facts, const struct names *names, const char *copy, const char *stream,
                       const char *current)
{
    char key[LONGEST_KEY];
    int length = snprintf(key, sizeof(key), "%s %s", copy, stream);
    for (size_t i = 2; i + 1 < names->count; i++)
        length += snprintf(key + length, sizeof(key) - (size_t)length, " %s", names->name[i]);
    (void)snprintf(key + length, sizeof(key) - (size_t)length, " %s", current);
    return factsFind(facts, key);
}
