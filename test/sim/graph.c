/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: making, taking apart, asking. Instantiating and launching are in graph_exec.c. */
#include "graph.h"

#include "check.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

static void disposeNode(void *object)
{
    GraphNode *node = object;
    workDispose(&node->work);
    free(node->dependencies);
    node->dependencies = NULL;
}

static void disposeGraph(void *object)
{
    Graph *graph = object;
    free(graph->nodes);
    graph->nodes = NULL;
    graphMemoryRelease(graph->memory);
    graph->memory = NULL;
}

Graph *graphCreate(void)
{
    Graph *graph = objectCreate(OBJECT_GRAPH, sizeof *graph, disposeGraph);
    graph->memory = memoryNew(1, sizeof *graph->memory);
    graph->memory->references = 1;
    return graph;
}

void graphDestroy(Graph *graph)
{
    for (size_t i = 0; i < graph->count; i++)
        objectDestroy(graph->nodes[i]);
    objectDestroy(graph);
}

Graph *graphFind(CUgraph handle)
{
    return checkFind(handle, OBJECT_GRAPH);
}

GraphNode *graphNodeFind(CUgraphNode handle)
{
    return checkFind(handle, OBJECT_GRAPH_NODE);
}

static void addDependency(GraphNode *node, GraphNode *earlier)
{
    for (size_t i = 0; i < node->dependencyCount; i++) {
        if (node->dependencies[i] == earlier)
            return;
    }
    node->dependencies = memoryResize(node->dependencies, node->dependencyCount + 1, sizeof(GraphNode *));
    node->dependencies[node->dependencyCount++] = earlier;
}

GraphNode *graphAdd(Graph *graph, CUgraphNodeType type, Context *context, Work *work, GraphNode *const *dependencies,
                    size_t count)
{
    GraphNode *node = objectCreate(OBJECT_GRAPH_NODE, sizeof *node, disposeNode);
    objectMakeInternal(node); /* it goes with its graph */
    node->graph = graph;
    node->type = type;
    node->context = context;
    node->work = *work;
    *work = (Work){.kind = WORK_NOTHING};
    for (size_t i = 0; i < count; i++)
        addDependency(node, dependencies[i]);
    if (graph->count == graph->capacity) {
        graph->capacity = graph->capacity * 2 + 16;
        graph->nodes = memoryResize(graph->nodes, graph->capacity, sizeof(GraphNode *));
    }
    graph->nodes[graph->count++] = node;
    return node;
}

void graphOwns(Graph *graph, const Range *range)
{
    GraphMemory *memory = graph->memory;
    memory->bases = memoryResize(memory->bases, memory->count + 1, sizeof *memory->bases);
    memory->rangeIds = memoryResize(memory->rangeIds, memory->count + 1, sizeof *memory->rangeIds);
    memory->bases[memory->count] = range->base;
    memory->rangeIds[memory->count++] = range->id;
}

GraphMemory *graphMemoryRetain(GraphMemory *memory)
{
    memory->references++;
    return memory;
}

void graphMemoryRelease(GraphMemory *memory)
{
    if (--memory->references > 0)
        return;
    for (size_t i = 0; i < memory->count; i++) {
        Range *range = rangeFind(memory->bases[i]);
        if (range != NULL && range->id == memory->rangeIds[i])
            memoryFree(range);
    }
    free(memory->bases);
    free(memory->rangeIds);
    free(memory);
}

enum { UNSEEN = 0, OPEN = 1, PLACED = 2 };

/* Depth first; the recursion is as deep as the longest chain that was added out of order, so mostly one. */
static bool place(GraphNode *node, unsigned char *states, size_t *next)
{
    unsigned char *state = &states[node->position];
    if (*state != UNSEEN)
        return *state == PLACED;
    *state = OPEN;
    for (size_t i = 0; i < node->dependencyCount; i++) {
        if (!place(node->dependencies[i], states, next))
            return false;
    }
    *state = PLACED;
    node->graph->nodes[(*next)++] = node;
    return true;
}

bool graphOrder(Graph *graph)
{
    if (graph->count == 0)
        return true;
    GraphNode **added = memoryNew(graph->count, sizeof(GraphNode *));
    unsigned char *states = memoryNew(graph->count, 1);
    memcpy(added, graph->nodes, graph->count * sizeof(GraphNode *));
    for (size_t i = 0; i < graph->count; i++)
        added[i]->position = i;
    size_t next = 0;
    bool ordered = true;
    for (size_t i = 0; i < graph->count && ordered; i++)
        ordered = place(added[i], states, &next);
    if (!ordered)
        memcpy(graph->nodes, added, graph->count * sizeof(GraphNode *));
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i]->position = i;
    free(added);
    free(states);
    return ordered;
}

void graphReach(Graph *graph, GraphNode *const *from, size_t count)
{
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i]->reached = false;
    for (size_t i = 0; i < count; i++)
        from[i]->reached = true;
    /* Nodes are in an order that respects dependencies unless the program added some out of order; then again. */
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = graph->count; i-- > 0;) {
            const GraphNode *node = graph->nodes[i];
            for (size_t j = 0; node->reached && j < node->dependencyCount; j++) {
                changed = changed || !node->dependencies[j]->reached;
                node->dependencies[j]->reached = true;
            }
        }
    }
}

static CUresult create(CUgraph *out, unsigned flags)
{
    if (out == NULL || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    *out = (CUgraph)graphCreate();
    return CUDA_SUCCESS;
}

static CUresult destroy(CUgraph handle)
{
    Graph *graph = graphFind(handle);
    if (graph == NULL || graph->captured)
        return CUDA_ERROR_INVALID_VALUE;
    graphDestroy(graph);
    return CUDA_SUCCESS;
}

static CUresult cloneGraph(CUgraph *out, CUgraph handle)
{
    Graph *original = graphFind(handle);
    if (out == NULL || original == NULL || !graphOrder(original))
        return CUDA_ERROR_INVALID_VALUE;
    Graph *graph = objectCreate(OBJECT_GRAPH, sizeof *graph, disposeGraph);
    graph->memory = graphMemoryRetain(original->memory);
    for (size_t i = 0; i < original->count; i++) {
        const GraphNode *node = original->nodes[i];
        Work work = workClone(&node->work);
        GraphNode *copy = graphAdd(graph, node->type, node->context, &work, NULL, 0);
        for (size_t j = 0; j < node->dependencyCount; j++)
            addDependency(copy, graph->nodes[node->dependencies[j]->position]);
    }
    *out = (CUgraph)graph;
    return CUDA_SUCCESS;
}

/* Writes at most *count of the handles, nulls behind them, and how many there are; without an output only that. */
static CUresult give(CUgraphNode *out, size_t *count, GraphNode *const *nodes, size_t available)
{
    if (count == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; out != NULL && i < *count; i++)
        out[i] = i < available ? (CUgraphNode)nodes[i] : NULL;
    if (out == NULL || *count > available)
        *count = available;
    return CUDA_SUCCESS;
}

static CUresult getNodes(CUgraph handle, CUgraphNode *nodes, size_t *count)
{
    const Graph *graph = graphFind(handle);
    return graph != NULL ? give(nodes, count, graph->nodes, graph->count) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult getRoots(CUgraph handle, CUgraphNode *out, size_t *count)
{
    const Graph *graph = graphFind(handle);
    if (graph == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    GraphNode **roots = memoryNew(graph->count, sizeof(GraphNode *));
    size_t rootCount = 0;
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->nodes[i]->dependencyCount == 0)
            roots[rootCount++] = graph->nodes[i];
    }
    const CUresult result = give(out, count, roots, rootCount);
    free(roots);
    return result;
}

static CUresult getEdges(CUgraph handle, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *count)
{
    const Graph *graph = graphFind(handle);
    if (graph == NULL || count == NULL || (from == NULL) != (to == NULL))
        return CUDA_ERROR_INVALID_VALUE;
    size_t edge = 0;
    for (size_t i = 0; i < graph->count; i++) {
        const GraphNode *node = graph->nodes[i];
        for (size_t j = 0; j < node->dependencyCount; j++, edge++) {
            if (from == NULL || edge >= *count)
                continue;
            from[edge] = (CUgraphNode)node->dependencies[j];
            to[edge] = (CUgraphNode)node;
            if (data != NULL)
                memset(&data[edge], 0, sizeof data[edge]);
        }
    }
    for (size_t i = edge; from != NULL && i < *count; i++)
        from[i] = to[i] = NULL;
    if (from == NULL || *count > edge)
        *count = edge;
    return CUDA_SUCCESS;
}

static CUresult getType(CUgraphNode handle, CUgraphNodeType *type)
{
    const GraphNode *node = graphNodeFind(handle);
    if (node == NULL || type == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *type = node->type;
    return CUDA_SUCCESS;
}

static CUresult getDependencies(CUgraphNode handle, CUgraphNode *out, CUgraphEdgeData *data, size_t *count)
{
    const GraphNode *node = graphNodeFind(handle);
    if (node == NULL || count == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; data != NULL && out != NULL && i < *count; i++)
        memset(&data[i], 0, sizeof data[i]);
    return give(out, count, node->dependencies, node->dependencyCount);
}

static CUresult addEmpty(CUgraphNode *out, CUgraph handle, const CUgraphNode *dependencies, size_t count)
{
    Graph *graph = graphFind(handle);
    if (out == NULL || graph == NULL || (dependencies == NULL && count > 0))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        const GraphNode *dependency = graphNodeFind(dependencies[i]);
        if (dependency == NULL || dependency->graph != graph)
            return CUDA_ERROR_INVALID_VALUE;
    }
    Work nothing = {.kind = WORK_NOTHING};
    *out =
        (CUgraphNode)graphAdd(graph, CU_GRAPH_NODE_TYPE_EMPTY, NULL, &nothing, (GraphNode *const *)dependencies, count);
    return CUDA_SUCCESS;
}

static CUresult addDependencies(CUgraph handle, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
    const Graph *graph = graphFind(handle);
    if (graph == NULL || (count > 0 && (from == NULL || to == NULL)))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        const GraphNode *earlier = graphNodeFind(from[i]);
        const GraphNode *later = graphNodeFind(to[i]);
        if (earlier == NULL || later == NULL || earlier->graph != graph || later->graph != graph || earlier == later)
            return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count; i++)
        addDependency((GraphNode *)to[i], (GraphNode *)from[i]);
    return CUDA_SUCCESS;
}

API(cuGraphCreate, (CUgraph * graph, unsigned flags), create(graph, flags))
API(cuGraphDestroy, (CUgraph graph), destroy(graph))
API(cuGraphClone, (CUgraph * graph, CUgraph original), cloneGraph(graph, original))
API(cuGraphGetNodes, (CUgraph graph, CUgraphNode *nodes, size_t *count), getNodes(graph, nodes, count))
API(cuGraphGetRootNodes, (CUgraph graph, CUgraphNode *nodes, size_t *count), getRoots(graph, nodes, count))
API(cuGraphGetEdges, (CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count),
    getEdges(graph, from, to, NULL, count))
API(cuGraphGetEdges_v2, (CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *count),
    getEdges(graph, from, to, data, count))
API(cuGraphNodeGetType, (CUgraphNode node, CUgraphNodeType *type), getType(node, type))
API(cuGraphNodeGetDependencies, (CUgraphNode node, CUgraphNode *dependencies, size_t *count),
    getDependencies(node, dependencies, NULL, count))
API(cuGraphNodeGetDependencies_v2, (CUgraphNode node, CUgraphNode *dependencies, CUgraphEdgeData *data, size_t *count),
    getDependencies(node, dependencies, data, count))
API(cuGraphAddEmptyNode, (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count),
    addEmpty(node, graph, dependencies, count))
API(cuGraphAddDependencies, (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count),
    addDependencies(graph, from, to, count))
API(cuGraphAddDependencies_v2,
    (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *data, size_t count),
    ((void)data, addDependencies(graph, from, to, count)))
