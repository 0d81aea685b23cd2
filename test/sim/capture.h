/* SPDX-License-Identifier: Apache-2.0 */
/* Stream capture: streams whose work becomes nodes of a graph, and what kills a capture. */
#ifndef CUSIM_CAPTURE_H
#define CUSIM_CAPTURE_H

#include "event.h"
#include "graph.h"
#include "stream.h"

typedef struct Capture {
    unsigned references;
    Graph *graph; /* NULL once it has ended */
    bool toGraph; /* into a graph of the program's, which it keeps whatever happens */
    bool lost;    /* invalidated: everything in it fails until it is ended */
    Stream *origin;
    unsigned long thread;
    CUstreamCaptureMode mode;
    unsigned long long id;
    struct Capture *next; /* of all that have not ended */
} Capture;

/* Whether work may be put into the stream: not if its capture is lost, nor into the legacy stream while a blocking
   stream of the context captures (CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, and that capture is lost). */
CUresult captureAllowsWork(Stream *stream);
/* Whether the host may wait for the stream or ask whether it is done: not while it captures. */
CUresult captureAllowsWaiting(Stream *stream);
/* Whether this thread may make a call that is unsafe under capture, such as cuMemAlloc. If not,
   CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, and the captures that forbid it are lost. */
CUresult captureAllowsUnsafeCall(void);

/* Work put into a capturing stream. */
CUresult captureWork(Stream *stream, Work *work);
CUresult captureAllocate(Stream *stream, const Range *range);
CUresult captureFree(Stream *stream);
/* An event recorded in a capturing stream; and a stream that waits for an event, where either is part of a capture. */
CUresult captureRecord(Stream *stream, Event *event);
CUresult captureWait(Stream *stream, Event *event);

/* Begins one in the stream, into `graph` or into a new one. */
void captureBegin(Stream *stream, Graph *graph, CUstreamCaptureMode mode);
/* No stream is in it any more; events that were recorded in it stay captured events. The graph is the caller's. */
void captureEnd(Capture *capture);
/* What the next node of a capturing stream will depend on: these instead, or these too. */
void captureSetLast(Stream *stream, GraphNode *const *nodes, size_t count);
void captureAddLast(Stream *stream, GraphNode *const *nodes, size_t count);
/* The capture of a blocking stream that work in this legacy stream would become part of, or NULL. */
Capture *captureImplicit(const Stream *stream);

void captureInvalidate(Capture *capture);
/* The stream is about to go. */
void captureForget(Stream *stream);
Capture *captureRetain(Capture *capture);
void captureRelease(Capture *capture); /* NULL is fine */

#endif
