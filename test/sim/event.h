/* SPDX-License-Identifier: Apache-2.0 */
/* Events: a mark in a stream, or in a capture. */
#ifndef CUSIM_EVENT_H
#define CUSIM_EVENT_H

#include "stream.h"

typedef struct Event {
    Object object;
    Context *context;
    unsigned flags;
    Op *op;                   /* the mark of the last record; NULL if never recorded, or recorded in a capture */
    struct Capture *capture;  /* the capture it was last recorded in */
    struct GraphNode **nodes; /* what a stream that waits for it will depend on */
    size_t nodeCount;
} Event;

/* Destroys the events of a context that ends. */
void eventEndAll(const Context *context);
/* Forgets what was recorded. */
void eventForget(Event *event);

#endif
