/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executable graphs: a copy of a graph's work, which a launch puts between what the stream has and what it gets. Nodes
 * wait for the nodes they depend on and for nothing else.
 */
#include "check.h"
#include "device.h"
#include "graph.h"
#include "stream.h"

#include <stdlib.h>
#include <string.h>

typedef struct ExecNode {
    Work work;
    Context *context;
    size_t *dependencies; /* earlier in the list */
    size_t dependencyCount;
} ExecNode;

typedef struct GraphExec {
    Object object;
    unsigned long long flags;
    ExecNode *nodes;
    size_t count;
    GraphMemory *memory;
    Op *last; /* launches of one executable graph run one after the other */
} GraphExec;

static void dispose(void *object)
{
    GraphExec *exec = object;
    for (size_t i = 0; i < exec->count; i++) {
        workDispose(&exec->nodes[i].work);
        free(exec->nodes[i].dependencies);
    }
    free(exec->nodes);
    exec->nodes = NULL;
    exec->count = 0;
    graphMemoryRelease(exec->memory);
    opRelease(exec->last);
    exec->last = NULL;
}

static void copyNode(ExecNode *copy, const GraphNode *node)
{
    copy->work = workClone(&node->work);
    copy->context = node->context;
    copy->dependencyCount = node->dependencyCount;
    copy->dependencies = memoryNew(node->dependencyCount, sizeof(size_t));
    for (size_t i = 0; i < node->dependencyCount; i++)
        copy->dependencies[i] = node->dependencies[i]->position;
}

static CUresult instantiate(CUgraphExec *out, CUgraph handle, unsigned long long flags)
{
    Context *current;
    const CUresult refusal = contextRequire(&current); /* measured; launching wants none */
    if (refusal != CUDA_SUCCESS)
        return refusal;
    Graph *graph = graphFind(handle);
    if (out == NULL || graph == NULL || graph->captured || !graphOrder(graph))
        return CUDA_ERROR_INVALID_VALUE;
    /* Freeing at launch and priorities change nothing here; launching from a device and the rest do. */
    if ((flags & ~(unsigned long long)(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | 2u | 8u)) != 0) {
        say("instantiation flags 0x%llx are not modelled", flags);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    GraphExec *exec = objectCreate(OBJECT_GRAPH_EXEC, sizeof *exec, dispose);
    exec->flags = flags;
    exec->nodes = memoryNew(graph->count, sizeof *exec->nodes);
    exec->count = graph->count;
    exec->memory = graphMemoryRetain(graph->memory);
    for (size_t i = 0; i < graph->count; i++)
        copyNode(&exec->nodes[i], graph->nodes[i]);
    *out = (CUgraphExec)exec;
    return CUDA_SUCCESS;
}

/* The oldest form, with a log. */
static CUresult instantiateWithLog(CUgraphExec *out, CUgraph graph, CUgraphNode *errorNode, char *log, size_t size)
{
    if (errorNode != NULL)
        *errorNode = NULL;
    if (log != NULL && size > 0)
        *log = '\0';
    return instantiate(out, graph, 0);
}

static CUresult instantiateWithParams(CUgraphExec *out, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
    if (params == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = instantiate(out, graph, params->flags);
    params->hErrNode_out = NULL;
    params->result_out = result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
    return result;
}

static CUresult find(CUgraphExec handle, GraphExec **exec)
{
    *exec = checkFind(handle, OBJECT_GRAPH_EXEC);
    return *exec != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult destroy(CUgraphExec handle)
{
    GraphExec *exec;
    const CUresult result = find(handle, &exec);
    if (result != CUDA_SUCCESS)
        return result;
    objectDestroy(exec);
    return CUDA_SUCCESS;
}

static CUresult getFlags(CUgraphExec handle, cuuint64_t *flags)
{
    GraphExec *exec;
    const CUresult result = find(handle, &exec);
    if (result != CUDA_SUCCESS || flags == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = exec->flags;
    return CUDA_SUCCESS;
}

/* The stream and the executable graph for a launch or an upload. */
static CUresult resolve(CUgraphExec handle, CUstream streamHandle, bool perThread, GraphExec **exec, Stream **stream)
{
    const CUresult result = streamForWork(streamHandle, perThread, stream);
    if (result != CUDA_SUCCESS)
        return result;
    if ((*stream)->capture != NULL) {
        say("capturing the launch of a graph is not modelled");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return find(handle, exec);
}

static Op *newOp(Context *context)
{
    Work nothing = {.kind = WORK_NOTHING};
    return opCreate(context, &nothing);
}

static CUresult launch(CUgraphExec handle, CUstream streamHandle, bool perThread)
{
    GraphExec *exec;
    Stream *stream;
    const CUresult result = resolve(handle, streamHandle, perThread, &exec, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    Op *first = newOp(stream->context);
    opAfter(first, exec->last);
    streamAppend(stream, first);
    opIssue(first);
    Op **ops = memoryNew(exec->count, sizeof(Op *));
    Op *last = newOp(stream->context);
    for (size_t i = 0; i < exec->count; i++) {
        const ExecNode *node = &exec->nodes[i];
        Work work = workClone(&node->work);
        ops[i] = opCreate(node->context != NULL ? node->context : stream->context, &work);
        opAfter(ops[i], first);
        for (size_t j = 0; j < node->dependencyCount; j++)
            opAfter(ops[i], ops[node->dependencies[j]]);
        opIssue(ops[i]);
        opAfter(last, ops[i]);
    }
    streamAppend(stream, last);
    opIssue(last);
    for (size_t i = 0; i < exec->count; i++)
        opRelease(ops[i]);
    free(ops);
    opRelease(first);
    opRelease(exec->last);
    exec->last = last;
    return CUDA_SUCCESS;
}

static CUresult upload(CUgraphExec handle, CUstream streamHandle, bool perThread)
{
    GraphExec *exec;
    Stream *stream;
    return resolve(handle, streamHandle, perThread, &exec, &stream);
}

API(cuGraphInstantiate, (CUgraphExec * exec, CUgraph graph, CUgraphNode *errorNode, char *log, size_t size),
    instantiateWithLog(exec, graph, errorNode, log, size))
API(cuGraphInstantiate_v2, (CUgraphExec * exec, CUgraph graph, CUgraphNode *errorNode, char *log, size_t size),
    instantiateWithLog(exec, graph, errorNode, log, size))
API(cuGraphInstantiateWithFlags, (CUgraphExec * exec, CUgraph graph, unsigned long long flags),
    instantiate(exec, graph, flags))
API_PTSZ(cuGraphInstantiateWithParams, (CUgraphExec * exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params),
         ((void)perThread, instantiateWithParams(exec, graph, params)))
API(cuGraphExecDestroy, (CUgraphExec exec), destroy(exec))
API(cuGraphExecGetFlags, (CUgraphExec exec, cuuint64_t *flags), getFlags(exec, flags))
API_PTSZ(cuGraphLaunch, (CUgraphExec exec, CUstream stream), launch(exec, stream, perThread))
API_PTSZ(cuGraphUpload, (CUgraphExec exec, CUstream stream), upload(exec, stream, perThread))
