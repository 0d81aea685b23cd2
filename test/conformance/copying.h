/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One copy between two memories, by any of the driver's functions, in any of the ways that cucopy offers, and what came
 * of it.
 */
#ifndef CONFORMANCE_COPYING_H
#define CONFORMANCE_COPYING_H

#include "functions.h"
#include "world.h"

/* How many bytes a copy moves; the boxes are of 16 rows in 4 layers. */
struct operation {
    const char *name;
    CUresult (*call)(const struct copyFunctions *functions, const struct memory *dst, const struct memory *src,
                     size_t bytes, CUstream stream);
    bool sets; /* a memset: the source is not looked at */
};

/* NULL if there is no operation of that name. */
const struct operation *operationNamed(const char *name);

enum way {
    RAW,
    SAFE,
    OWNER,    /* Async and Batch alone: safe, with CUCOPY_CONTEXT_OWNER */
    GUARDED,  /* cucopyGuardEnter with the stream, then raw */
    EXPLICIT, /* cucopyGuardEnterContext with the stream's owner, then raw */
};

struct attempt {
    const struct operation *operation;
    enum way way;
    bool perThread; /* the function's per-thread variant */
    const struct stream *stream;
    const struct memory *dst, *src;
    const struct place *current;
    size_t bytes;
};

/*
 * "copied", or the name of the result and no byte moved; anything else is said behind a comma: bytes lost, bytes moved
 * in spite of an error, a context stack that is not what it was.
 */
const char *outcomeOf(const struct attempt *attempt);

#endif
