/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names in a key of the matrices, and looking up the same copy under other circumstances. Those of copies.tsv are
 * copy, stream, pair, current, those of devices.tsv copy, stream, dst, src, peers, current.
 */
#ifndef CONFORMANCE_KEYS_H
#define CONFORMANCE_KEYS_H

#include "facts.h"

enum { MOST_NAMES = 6, LONGEST_KEY = 256 };

struct names {
    char text[LONGEST_KEY];
    const char *name[MOST_NAMES];
    size_t count;
};

void namesSplit(struct names *names, const char *key);

/* The last name. */
const char *namesCurrent(const struct names *names);

/* The context that a stream belongs to, or NULL for a special one. */
const char *contextOfStream(const char *stream);

bool isBatch(const char *copy);
bool isSet(const char *copy);

/* The answer to another copy between the same memories, on another stream, with another context current, or NULL. */
const char *answerWith(struct facts *facts, const struct names *names, const char *copy, const char *stream,
                       const char *current);

#endif
