/* SPDX-License-Identifier: Apache-2.0 */
/* Beginning and ending captures, and asking about them. What capture allows and adds is in capture.c. */
#include "capture.h"

#include "thread.h"

static CUresult begin(CUstream handle, bool perThread, Graph *graph, const CUgraphNode *dependencies, size_t count,
                      CUstreamCaptureMode mode)
{
    Stream *stream;
    const CUresult result = streamResolve(handle, perThread, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (stream->kind == STREAM_LEGACY)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (stream->capture != NULL)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (mode != CU_STREAM_CAPTURE_MODE_GLOBAL && mode != CU_STREAM_CAPTURE_MODE_THREAD_LOCAL &&
        mode != CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    captureBegin(stream, graph, mode);
    captureSetLast(stream, (GraphNode *const *)dependencies, count);
    return CUDA_SUCCESS;
}

static CUresult beginToGraph(CUstream handle, bool perThread, CUgraph graphHandle, const CUgraphNode *dependencies,
                             size_t count, CUstreamCaptureMode mode)
{
    Graph *graph = graphFind(graphHandle);
    if (graph == NULL || graph->captured || (dependencies == NULL && count > 0))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        const GraphNode *node = graphNodeFind(dependencies[i]);
        if (node == NULL || node->graph != graph)
            return CUDA_ERROR_INVALID_VALUE;
    }
    return begin(handle, perThread, graph, dependencies, count, mode);
}

typedef struct Unjoined {
    const Capture *capture;
    bool found;
} Unjoined;

static void findUnjoined(void *object, void *data)
{
    const Stream *stream = object;
    Unjoined *unjoined = data;
    if (stream->capture != unjoined->capture)
        return;
    for (size_t i = 0; i < stream->lastCount; i++)
        unjoined->found = unjoined->found || !stream->last[i]->reached;
}

/* Whether a stream of the capture has work that the stream it began in does not wait for. */
static bool isUnjoined(const Capture *capture)
{
    const Stream *origin = capture->origin;
    graphReach(capture->graph, origin->last, origin->lastCount);
    Unjoined unjoined = {.capture = capture};
    objectEach(OBJECT_STREAM, findUnjoined, &unjoined);
    return unjoined.found;
}

static CUresult endCapture(CUstream handle, bool perThread, CUgraph *out)
{
    Stream *stream;
    const CUresult resolved = streamResolve(handle, perThread, &stream);
    if (resolved != CUDA_SUCCESS)
        return resolved;
    Capture *capture = stream->capture;
    if (out == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (capture == NULL)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (capture->origin != stream) {
        captureInvalidate(capture);
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    }
    if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != threadSelf()->id)
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    const CUresult result = capture->lost         ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                            : isUnjoined(capture) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                                                  : CUDA_SUCCESS;
    Graph *graph = capture->graph;
    const bool keep = capture->toGraph;
    captureEnd(capture);
    *out = result == CUDA_SUCCESS ? (CUgraph)graph : NULL;
    if (result != CUDA_SUCCESS && !keep)
        graphDestroy(graph);
    return result;
}

/* What a question about a stream's capture finds. Measured: on the legacy stream, while a blocking stream captures,
   CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, and unlike for a copy no harm is done. */
static CUresult ask(CUstream handle, bool perThread, Stream **stream)
{
    const CUresult result = streamResolve(handle, perThread, stream);
    if (result != CUDA_SUCCESS)
        return result;
    return captureImplicit(*stream) != NULL ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : CUDA_SUCCESS;
}

static CUstreamCaptureStatus statusOf(const Stream *stream)
{
    if (stream->capture == NULL)
        return CU_STREAM_CAPTURE_STATUS_NONE;
    return stream->capture->lost ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

static CUresult isCapturing(CUstream handle, bool perThread, CUstreamCaptureStatus *status)
{
    if (status == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    Stream *stream;
    const CUresult result = ask(handle, perThread, &stream);
    if (result == CUDA_SUCCESS)
        *status = statusOf(stream);
    return result;
}

/* What a capture may be asked; every output may be NULL but the first. */
typedef struct Info {
    CUstreamCaptureStatus *status;
    cuuint64_t *id;
    CUgraph *graph;
    const CUgraphNode **dependencies;
    const CUgraphEdgeData **edgeData;
    size_t *count;
} Info;

static CUresult getInfo(CUstream handle, bool perThread, Info info)
{
    if (info.status == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    Stream *stream;
    const CUresult result = ask(handle, perThread, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    *info.status = statusOf(stream);
    if (*info.status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return CUDA_SUCCESS;
    if (info.id != NULL)
        *info.id = stream->capture->id;
    if (info.graph != NULL)
        *info.graph = (CUgraph)stream->capture->graph;
    if (info.dependencies != NULL)
        *info.dependencies = (const CUgraphNode *)stream->last;
    if (info.edgeData != NULL)
        *info.edgeData = NULL; /* all edges are plain */
    if (info.count != NULL)
        *info.count = stream->lastCount;
    return CUDA_SUCCESS;
}

static CUresult updateDependencies(CUstream handle, bool perThread, const CUgraphNode *nodes, size_t count,
                                   unsigned flags)
{
    Stream *stream;
    const CUresult result = streamForWork(handle, perThread, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (stream->capture == NULL)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES || (nodes == NULL && count > 0))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        const GraphNode *node = graphNodeFind(nodes[i]);
        if (node == NULL || node->graph != stream->capture->graph)
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
        captureSetLast(stream, (GraphNode *const *)nodes, count);
    else
        captureAddLast(stream, (GraphNode *const *)nodes, count);
    return CUDA_SUCCESS;
}

static CUresult exchangeMode(CUstreamCaptureMode *mode)
{
    if (mode == NULL || (int)*mode < CU_STREAM_CAPTURE_MODE_GLOBAL || (int)*mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    Thread *thread = threadSelf();
    const CUstreamCaptureMode before = (CUstreamCaptureMode)thread->captureMode;
    thread->captureMode = (int)*mode;
    *mode = before;
    return CUDA_SUCCESS;
}

API_PTSZ(cuStreamBeginCapture, (CUstream stream),
         begin(stream, perThread, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL))
API_PTSZ(cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode),
         begin(stream, perThread, NULL, NULL, 0, mode))
API_PTSZ(cuStreamBeginCaptureToGraph,
         (CUstream stream, CUgraph graph, const CUgraphNode *dependencies, const CUgraphEdgeData *edgeData,
          size_t count, CUstreamCaptureMode mode),
         ((void)edgeData, beginToGraph(stream, perThread, graph, dependencies, count, mode)))
API_PTSZ(cuStreamEndCapture, (CUstream stream, CUgraph *graph), endCapture(stream, perThread, graph))
API_PTSZ(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus *status), isCapturing(stream, perThread, status))
API_PTSZ(cuStreamGetCaptureInfo, (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id),
         getInfo(stream, perThread, (Info){.status = status, .id = id}))
API_PTSZ(cuStreamGetCaptureInfo_v2,
         (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
          const CUgraphNode **dependencies, size_t *count),
         getInfo(stream, perThread, (Info){status, id, graph, dependencies, NULL, count}))
API_PTSZ(cuStreamGetCaptureInfo_v3,
         (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
          const CUgraphNode **dependencies, const CUgraphEdgeData **edgeData, size_t *count),
         getInfo(stream, perThread, (Info){status, id, graph, dependencies, edgeData, count}))
API_PTSZ(cuStreamUpdateCaptureDependencies, (CUstream stream, CUgraphNode *nodes, size_t count, unsigned flags),
         updateDependencies(stream, perThread, nodes, count, flags))
API_PTSZ(cuStreamUpdateCaptureDependencies_v2,
         (CUstream stream, CUgraphNode *nodes, const CUgraphEdgeData *edgeData, size_t count, unsigned flags),
         ((void)edgeData, updateDependencies(stream, perThread, nodes, count, flags)))
API(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode), exchangeMode(mode))
