/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The matrix: every asynchronous copy and memset on every stream with every context current, between memories of every
 * kind, 64 KiB each. And the same through the safe layer, which copies.tsv says what to expect of: what the raw copy
 * gives with the stream's own context current. Batches promise more; that is safe-batches.tsv.
 */
#include "copying.h"
#include "sections.h"

#include <stdio.h>
#include <string.h>

/* Which of the functions that name types or take arrays suit this pair; the others suit all between addresses. */
static const struct pair {
    const char *dst, *src;
    const char *operations;
} pairs[] = {
    {"dA2", "dA", "DtoD MemsetD8 MemsetD2D8"},
    {"dP2", "dP", "DtoD MemsetD8 MemsetD2D8"},
    {"dB", "dA", "DtoD MemsetD8 MemsetD2D8"},
    {"dA", "dB", "DtoD MemsetD8 MemsetD2D8"},
    {"dP", "dA", "DtoD MemsetD8 MemsetD2D8"},
    {"dA", "dP", "DtoD MemsetD8 MemsetD2D8"},
    {"pool@sA", "dA", "DtoD MemsetD8 MemsetD2D8"},
    {"pool@sP", "dP", "DtoD MemsetD8 MemsetD2D8"},
    {"dA", "hA", "HtoD MemsetD8 MemsetD2D8"},
    {"dA", "hB", "HtoD"},
    {"dA", "hBport", "HtoD"},
    {"dA", "regA", "HtoD"},
    {"dA", "page", "HtoD"},
    {"hA", "dA", "DtoH"},
    {"hB", "dA", "DtoH"},
    {"page", "dA", "DtoH"},
    {"dA", "mngA", "DtoD MemsetD8 MemsetD2D8"},
    {"mngA", "hA", "HtoD MemsetD8 MemsetD2D8"},
    {"vmm", "dA", "DtoD MemsetD8 MemsetD2D8"},
    {"vmm", "hA", "HtoD"},
    {"dB", "hA", "HtoD MemsetD8 MemsetD2D8"},
    {"hBport", "hA", "HtoD DtoH"},
    {"arrA", "hA", "HtoA"},
    {"arrA", "page", "HtoA"},
    {"hA", "arrA", "AtoH"},
    {"page", "arrA", "AtoH"},
    {"arrA", "dA", "2D.typed"},
    {"dA", "arrA", "2D.typed"},
};

static const char *const between[] = {"Async", "2D.typed", "2D.unified", "3D",           "3DPeer",
                                      "Peer",  "Batch",    "3DBatch",    "Batch_v12080", "3DBatch_v12080"};
static const char *const some[] = {"DtoD", "HtoD", "DtoH", "HtoA", "AtoH", "MemsetD8", "MemsetD2D8"};
static const char *const streams[] = {"NULL", "LEGACY", "PTDS", "sP", "sA", "sB", "sG", "sGc"};
static const char *const currents[] = {"none", "P", "A", "B", "G"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool isListed(const char *list, const char *name)
{
    const char *const found = strstr(list, name);
    const size_t length = strlen(name);
    if (!found)
        return false;
    return (found == list || found[-1] == ' ') && (found[length] == ' ' || found[length] == '\0');
}

static bool suits(const struct pair *pair, const char *operation, bool anyAddresses)
{
    const bool array = strncmp(pair->dst, "arr", 3) == 0 || strncmp(pair->src, "arr", 3) == 0;
    return isListed(pair->operations, operation) || (anyAddresses && !array);
}

/* One attempt for each current context; the key begins with prefix. */
static void attemptEach(struct attempt attempt, const char *prefix, const char *stream, const struct pair *pair)
{
    attempt.stream = streamNamed(stream);
    attempt.dst = memoryNamed(pair->dst);
    attempt.src = memoryNamed(pair->src);
    if (!attempt.stream || (attempt.way == EXPLICIT && !attempt.stream->owner))
        return;
    for (size_t i = 0; i < COUNT(currents); i++) {
        attempt.current = placeNamed(currents[i]);
        if (attempt.current &&
            ask("%s%s %s %s<-%s %s", prefix, attempt.operation->name, stream, pair->dst, pair->src, currents[i]))
            answer("%s", outcomeOf(&attempt));
    }
}

static void attemptOperation(const char *name, bool anyAddresses, enum way way, bool perThread, const char *prefix)
{
    const struct attempt attempt = {
        .operation = operationNamed(name), .way = way, .perThread = perThread, .bytes = BYTES};
    for (size_t i = 0; i < COUNT(pairs); i++)
        if (suits(&pairs[i], name, anyAddresses))
            for (size_t j = 0; j < COUNT(streams); j++)
                if (!perThread || j < 3)
                    attemptEach(attempt, prefix, streams[j], &pairs[i]);
}

static void attemptAll(enum way way, bool perThread, const char *prefix)
{
    for (size_t i = 0; i < COUNT(between); i++)
        attemptOperation(between[i], true, way, perThread, prefix);
    for (size_t i = 0; i < COUNT(some); i++)
        if (way != SAFE || !operationNamed(some[i])->sets)
            attemptOperation(some[i], false, way, perThread, prefix);
}

static void playCopies(void)
{
    worldOpen();
    attemptAll(RAW, false, "");
}

/* The per-thread variant of a function takes NULL for the per-thread default stream. */
static void playPerThread(void)
{
    worldOpen();
    attemptAll(RAW, true, "");
}

/* CUDA 13.2's copies of one operand with a batch's attributes. */
static void playWithAttributes(void)
{
    worldOpen();
    if (!cudrvHas("cuMemcpyWithAttributesAsync")) {
        lacks("cuMemcpyWithAttributesAsync");
        return;
    }
    for (const char *const *name = (const char *const[]){"Attributes", "3DAttributes", NULL}; *name; name++) {
        attemptOperation(*name, true, RAW, false, "raw ");
        attemptOperation(*name, true, SAFE, false, "safe ");
        attemptOperation(*name, true, GUARDED, false, "guard ");
    }
}

static void playSafe(void)
{
    worldOpen();
    attemptAll(SAFE, false, "safe ");
    attemptAll(SAFE, true, "safe-per-thread ");
}

static void playGuarded(void)
{
    worldOpen();
    attemptAll(GUARDED, false, "guard ");
    attemptAll(EXPLICIT, false, "guard-of-context ");
}

#define MATRIX "copy\tstream\tdst<-src\tcurrent\tanswer"

const struct section copiesSection = {
    .name = "copies",
    .columns = MATRIX,
    .about =
        "Every asynchronous copy and memset of 64 KiB, on every stream, with every context current. \"copied\": and "
        "the bytes arrived; any other result: and none moved. The context stack never changes.",
    .play = playCopies,
    .parts = 4,
};

const struct section perThreadSection = {
    .name = "copies-per-thread",
    .columns = MATRIX,
    .about = "The per-thread variants on the special streams. NULL is the per-thread default stream to them.",
    .play = playPerThread,
    .parts = 2,
};

const struct section attributesSection = {
    .name = "copies-with-attributes",
    .columns = "how\t" MATRIX,
    .about = "The matrix for the copies with attributes, raw, safe and guarded.",
    .play = playWithAttributes,
    .parts = 2,
};

const struct section safeSection = {
    .name = "safe",
    .columns = "how\t" MATRIX,
    .about = "The matrix through the safe layer.",
    .play = playSafe,
    .parts = 4,
    .promises = true,
};

const struct section guardedSection = {
    .name = "guarded",
    .columns = "how\t" MATRIX,
    .about = "The matrix with raw calls inside a guard.",
    .play = playGuarded,
    .parts = 4,
    .promises = true,
};
