/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: which one a handle means, and in what order the work of streams runs. */
#ifndef CUSIM_STREAM_H
#define CUSIM_STREAM_H

#include "context.h"
#include "exec.h"

struct Capture;
struct GraphNode;

typedef enum StreamKind { STREAM_EXPLICIT, STREAM_LEGACY, STREAM_PER_THREAD } StreamKind;

typedef struct Stream {
    Object object;
    StreamKind kind;
    Context *context;
    unsigned flags;
    int priority;
    unsigned long long id;
    unsigned long thread;    /* of STREAM_PER_THREAD */
    Op *tail;                /* the last operation issued in it */
    struct Stream *next;     /* in its context */
    struct Capture *capture; /* NULL unless it captures */
    struct GraphNode **last; /* while it captures: the nodes that the next one will depend on */
    size_t lastCount;
} Stream;

/* The stream a handle means; 0 means the legacy or the per-thread one. A special stream belongs to the current context:
   INVALID_CONTEXT without one. A handle that is no stream crashes the real driver. The device's sticky error comes
   back. */
CUresult streamResolve(CUstream handle, bool perThread, Stream **stream);

/* The same for a call that will put work into the stream: also refuses what capture forbids. */
CUresult streamForWork(CUstream handle, bool perThread, Stream **stream);

/* Puts work into the stream, or a node into the graph it captures. Takes over what `work` owns. If `issued` is not NULL
   the caller gets a reference to the operation, NULL under capture. */
CUresult streamSubmit(Stream *stream, Work *work, Op **issued);

/* Makes `op` the last of the stream, behind all that the stream must wait for. Before opIssue. */
void streamAppend(Stream *stream, Op *op);

/* Whether everything that was put into it is done. */
bool streamIsIdle(const Stream *stream);
void streamWait(Stream *stream);

/* The legacy stream waits for the blocking streams of its context and they for it. */
bool streamIsBlocking(const Stream *stream);

Stream *streamCreate(Context *context, StreamKind kind, unsigned flags, int priority);
void streamEnd(Stream *stream);
void streamEndAll(Context *context);

/* CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED if a stream of the context captures; that capture is lost then. */
CUresult streamContextCaptures(const Context *context);

#endif
