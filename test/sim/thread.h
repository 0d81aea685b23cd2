/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver keeps for each thread: the context stack, the capture interaction mode, the call it is in. */
#ifndef CUSIM_THREAD_H
#define CUSIM_THREAD_H

#include <stdbool.h>
#include <stddef.h>

struct Context;

typedef struct Thread {
    unsigned long epoch;    /* of the last reset this thread has seen */
    unsigned long id;       /* distinguishes threads, never used twice */
    struct Context **stack; /* bottom first; may hold destroyed contexts, as the real one does */
    size_t depth, capacity;
    int captureMode; /* a CUstreamCaptureMode */
    bool inCallback; /* running a host function of the program's */
    int entry;       /* the enum Entry it is in, -1 outside */
} Thread;

/* This thread's, made fresh after a reset. Needs no lock. */
Thread *threadSelf(void);

/* Makes every thread's state fresh. */
void threadResetAll(void);

#endif
