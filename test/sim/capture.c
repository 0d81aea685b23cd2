/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures. A capturing stream keeps the nodes that its next node will depend on; an event recorded in it takes them
 * along, and a stream that waits for the event joins the capture with them.
 */
#include "capture.h"

#include "device.h"
#include "thread.h"

#include <stdlib.h>
#include <string.h>

static Capture *active;

Capture *captureRetain(Capture *capture)
{
    capture->references++;
    return capture;
}

void captureRelease(Capture *capture)
{
    if (capture != NULL && --capture->references == 0)
        free(capture);
}

void captureInvalidate(Capture *capture)
{
    capture->lost = true;
}

void captureSetLast(Stream *stream, GraphNode *const *nodes, size_t count)
{
    GraphNode **copy = memoryNew(count, sizeof(GraphNode *));
    if (count > 0)
        memcpy(copy, nodes, count * sizeof(GraphNode *));
    free(stream->last);
    stream->last = copy;
    stream->lastCount = count;
}

void captureAddLast(Stream *stream, GraphNode *const *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t j = 0; j < stream->lastCount; j++)
            known = known || stream->last[j] == nodes[i];
        if (known)
            continue;
        stream->last = memoryResize(stream->last, stream->lastCount + 1, sizeof(GraphNode *));
        stream->last[stream->lastCount++] = nodes[i];
    }
}

static void join(Stream *stream, Capture *capture)
{
    stream->capture = captureRetain(capture);
}

void captureBegin(Stream *stream, Graph *graph, CUstreamCaptureMode mode)
{
    static unsigned long long lastId;
    Capture *capture = memoryNew(1, sizeof *capture);
    *capture = (Capture){.references = 1,
                         .graph = graph != NULL ? graph : graphCreate(),
                         .toGraph = graph != NULL,
                         .origin = stream,
                         .thread = threadSelf()->id,
                         .mode = mode,
                         .id = ++lastId,
                         .next = active};
    capture->graph->captured = true;
    active = capture;
    join(stream, capture);
}

static void leaveCapture(Stream *stream)
{
    captureRelease(stream->capture);
    stream->capture = NULL;
    free(stream->last);
    stream->last = NULL;
    stream->lastCount = 0;
}

static void leaveIfIn(void *object, void *data)
{
    Stream *stream = object;
    if (stream->capture == data)
        leaveCapture(stream);
}

void captureEnd(Capture *capture)
{
    Capture **link = &active;
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    capture->graph->captured = false;
    capture->graph = NULL;
    objectEach(OBJECT_STREAM, leaveIfIn, capture);
    captureRelease(capture); /* the list's */
}

void captureForget(Stream *stream)
{
    Capture *capture = stream->capture;
    if (capture == NULL)
        return;
    captureInvalidate(capture);
    if (capture->origin != stream) {
        leaveCapture(stream);
        return;
    }
    Graph *graph = capture->graph;
    const bool keep = capture->toGraph;
    captureEnd(capture);
    if (!keep)
        graphDestroy(graph);
}

Capture *captureImplicit(const Stream *stream)
{
    if (stream->kind != STREAM_LEGACY)
        return NULL;
    for (Stream *other = stream->context->streams; other != NULL; other = other->next) {
        if (other->capture != NULL && streamIsBlocking(other))
            return other->capture;
    }
    return NULL;
}

CUresult captureAllowsWork(Stream *stream)
{
    Capture *implicit = captureImplicit(stream);
    if (implicit != NULL) {
        captureInvalidate(implicit);
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    return stream->capture != NULL && stream->capture->lost ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
}

CUresult captureAllowsWaiting(Stream *stream)
{
    if (stream->capture != NULL) {
        captureInvalidate(stream->capture);
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return captureAllowsWork(stream);
}

/* A relaxed thread may do anything. Otherwise a capture forbids its own thread, unless it is relaxed; and a global one
   forbids all threads that are not thread-local. */
static bool forbids(const Capture *capture, const Thread *thread)
{
    if (capture->thread == thread->id)
        return capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    return capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL && thread->captureMode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

CUresult captureAllowsUnsafeCall(void)
{
    const Thread *thread = threadSelf();
    CUresult result = CUDA_SUCCESS;
    if (thread->captureMode == CU_STREAM_CAPTURE_MODE_RELAXED)
        return result;
    for (Capture *capture = active; capture != NULL; capture = capture->next) {
        if (forbids(capture, thread)) {
            captureInvalidate(capture);
            result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        }
    }
    return result;
}

static CUgraphNodeType typeOf(const Work *work)
{
    switch (work->kind) {
    case WORK_COPY:
        return CU_GRAPH_NODE_TYPE_MEMCPY;
    case WORK_FILL:
        return CU_GRAPH_NODE_TYPE_MEMSET;
    case WORK_HOST_FUNCTION:
    case WORK_CALLBACK:
        return CU_GRAPH_NODE_TYPE_HOST;
    case WORK_KERNEL:
        return CU_GRAPH_NODE_TYPE_KERNEL;
    case WORK_NOTHING:
    case WORK_RELEASE:
        break;
    }
    return CU_GRAPH_NODE_TYPE_EMPTY;
}

static CUresult add(Stream *stream, CUgraphNodeType type, Work *work)
{
    GraphNode *node = graphAdd(stream->capture->graph, type, stream->context, work, stream->last, stream->lastCount);
    captureSetLast(stream, &node, 1);
    return CUDA_SUCCESS;
}

CUresult captureWork(Stream *stream, Work *work)
{
    return add(stream, typeOf(work), work);
}

CUresult captureAllocate(Stream *stream, const Range *range)
{
    Work nothing = {.kind = WORK_NOTHING};
    graphOwns(stream->capture->graph, range);
    return add(stream, CU_GRAPH_NODE_TYPE_MEM_ALLOC, &nothing);
}

CUresult captureFree(Stream *stream)
{
    Work nothing = {.kind = WORK_NOTHING};
    return add(stream, CU_GRAPH_NODE_TYPE_MEM_FREE, &nothing);
}

CUresult captureRecord(Stream *stream, Event *event)
{
    eventForget(event);
    event->capture = captureRetain(stream->capture);
    event->nodes = memoryNew(stream->lastCount, sizeof(GraphNode *));
    event->nodeCount = stream->lastCount;
    if (stream->lastCount > 0)
        memcpy(event->nodes, stream->last, stream->lastCount * sizeof(GraphNode *));
    return CUDA_SUCCESS;
}

CUresult captureWait(Stream *stream, Event *event)
{
    Capture *capture = stream->capture;
    Capture *theirs = event->capture;
    if (theirs == NULL) {
        if (event->op == NULL)
            return CUDA_SUCCESS; /* never recorded */
        captureInvalidate(capture);
        return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    }
    if (theirs->graph == NULL) { /* that capture has ended */
        if (capture != NULL)
            captureInvalidate(capture);
        return capture != NULL ? CUDA_ERROR_STREAM_CAPTURE_ISOLATION : CUDA_ERROR_CAPTURED_EVENT;
    }
    if (theirs->lost)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (capture != NULL && capture != theirs) {
        captureInvalidate(capture);
        captureInvalidate(theirs);
        return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    }
    if (stream->kind == STREAM_LEGACY) {
        captureInvalidate(theirs);
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    if (capture == NULL)
        join(stream, theirs);
    captureAddLast(stream, event->nodes, event->nodeCount);
    return CUDA_SUCCESS;
}
