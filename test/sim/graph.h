/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs and their nodes; executable graphs. */
#ifndef CUSIM_GRAPH_H
#define CUSIM_GRAPH_H

#include "exec.h"
#include "object.h"
#include "range.h"

struct Graph;

typedef struct GraphNode {
    Object object;
    struct Graph *graph;
    CUgraphNodeType type;
    Work work; /* WORK_NOTHING for empty, allocation and free nodes */
    Context *context;
    struct GraphNode **dependencies;
    size_t dependencyCount;
    size_t position; /* scratch: in an order that respects dependencies */
    bool reached;    /* scratch */
} GraphNode;

/* What was allocated under capture; it lives as long as the graph or one made of it. */
typedef struct GraphMemory {
    unsigned references;
    unsigned long long *rangeIds;
    uintptr_t *bases;
    size_t count;
} GraphMemory;

typedef struct Graph {
    Object object;
    GraphNode **nodes; /* in the order they were added */
    size_t count, capacity;
    GraphMemory *memory;
    bool captured; /* a capture into it has not ended */
} Graph;

Graph *graphCreate(void);
void graphDestroy(Graph *graph);
Graph *graphFind(CUgraph handle);
GraphNode *graphNodeFind(CUgraphNode handle);

/* A new node behind `dependencies`; it takes over what `work` owns. */
GraphNode *graphAdd(Graph *graph, CUgraphNodeType type, Context *context, Work *work, GraphNode *const *dependencies,
                    size_t count);
/* Remembers that the range belongs to the graph. */
void graphOwns(Graph *graph, const Range *range);

GraphMemory *graphMemoryRetain(GraphMemory *memory);
void graphMemoryRelease(GraphMemory *memory);

/* Sets every node's `position`, 0 upwards, dependencies first; false if they go in a circle. */
bool graphOrder(Graph *graph);
/* Sets `reached` of every node that the given ones depend on, themselves included, and clears it elsewhere. */
void graphReach(Graph *graph, GraphNode *const *from, size_t count);

#endif
