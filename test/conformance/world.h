/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the questions are asked about. On one device: contexts P (the primary one), A and B (cuCtxCreate) and G (green,
 * 16 multiprocessors); streams sP, sA, sB, sG (cuGreenCtxStreamCreate) and sGc (cuStreamCreate with G current), all
 * non-blocking; memory whose last letter says in which context it was made. Nothing is freed: the process ends first.
 */
#ifndef CONFORMANCE_WORLD_H
#define CONFORMANCE_WORLD_H

#include "probe.h"

enum { BYTES = 65536, MOST_CONTEXTS = 10, MOST_STREAMS = 12, MOST_MEMORIES = 40 };

struct place {
    const char *name;
    CUcontext context; /* NULL: no context */
};

struct stream {
    const char *name;
    CUstream handle;
    const struct place *owner; /* NULL for the special streams, which belong to the current context */
};

struct memory {
    const char *name;
    CUdeviceptr address;
    CUarray array;     /* in place of an address */
    void *host;        /* where the program may touch it, or NULL */
    bool typedHost;    /* CU_MEMORYTYPE_HOST in a copy that names types */
    CUcontext context; /* what a peer copy names */
    CUcontext home;    /* where it may be written and read for a check */
};

struct world {
    struct place places[MOST_CONTEXTS]; /* the first is "none" */
    struct stream streams[MOST_STREAMS];
    struct memory memories[MOST_MEMORIES];
    size_t placeCount, streamCount, memoryCount;
    CUgreenCtx green;
};

extern struct world world;

/* Initialises the driver and makes the world of device 0. Where there are no green contexts, G, sG and sGc are lacking.
 */
void worldOpen(void);

/* NULL if this driver lacks it. */
const struct place *placeNamed(const char *name);
const struct stream *streamNamed(const char *name);
const struct memory *memoryNamed(const char *name);
CUcontext contextNamed(const char *name);

/* For those who make a world of their own. */
const struct place *addPlace(const char *name, CUcontext context);
void addStream(const char *name, CUstream handle, const struct place *owner);
void addSpecialStreams(void);
struct memory *addMemory(struct memory memory);

/* Calls with another context current for their time, whatever the stack is. */
#define IN(context, call)                                                                                              \
    do {                                                                                                               \
        MUST(cudrvCtxPushCurrent(context));                                                                            \
        MUST(call);                                                                                                    \
        MUST(cudrvCtxPopCurrent(NULL));                                                                                \
    } while (0)

/* ---- The context stack ---- */

/* Empties this thread's stack and then stands several contexts on it, `top` uppermost; none if top is NULL. */
void stackStand(CUcontext top);
/* True if the stack is, to the bottom, what stackStand(top) made; it is empty afterwards. */
bool stackStillStands(CUcontext top);
void stackClear(void);

/* ---- Bytes ---- */

/* Write the first `bytes` of a memory with a pattern that only this seed has; see whether it is there. */
void fillMemory(const struct memory *memory, size_t bytes, unsigned seed);
bool memoryHolds(const struct memory *memory, size_t bytes, unsigned seed);
bool memoryHoldsValue(const struct memory *memory, size_t bytes, unsigned char value);
/* That pattern, and what a memory holds; each valid until it is asked for again. */
const void *patternOf(unsigned seed);
const void *contentsOf(const struct memory *memory, size_t bytes);

/* Wait until all streams have done what was asked of them. */
void settle(void);

#endif
