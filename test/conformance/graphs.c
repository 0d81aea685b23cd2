/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a capture of one copy becomes, for each function and mode; and which graph calls want a context.
 */
#include "copying.h"
#include "sections.h"

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static CUstream s; /* sA, with A current: who captures where is the business of captures.c */

static void tryCapture(const struct operation *operation, const struct memory *dst, const struct memory *src,
                       CUstreamCaptureMode mode)
{
    CUgraph graph = NULL;
    size_t nodes = 0;
    stackStand(contextNamed("A"));
    MUST(cudrvStreamBeginCapture(s, mode));
    const CUresult result = operation->call(&rawFunctions, dst, src, BYTES, s);
    const CUresult end = cudrvStreamEndCapture(s, &graph);
    if (graph)
        MUST(cudrvGraphGetNodes(graph, NULL, &nodes));
    answer("%s, EndCapture %s, %zu nodes", resultName(result), resultName(end), nodes);
    if (graph)
        MUST(cudrvGraphDestroy(graph));
}

static void askCaptures(void)
{
    static const char *const modes[] = {"global", "thread-local", "relaxed"};
    static const char *const copies[][3] = {
        {"Async", "dA", "dA2"},     {"Async", "dB", "dA"},     {"Async", "dA", "page"},     {"Async", "dA", "mngA"},
        {"Async", "pool@sA", "dA"}, {"Async", "vmm", "hA"},    {"DtoD", "dA", "dA2"},       {"HtoD", "dA", "hA"},
        {"HtoD", "dA", "page"},     {"DtoH", "hA", "dA"},      {"DtoH", "page", "dA"},      {"Peer", "dA", "dA2"},
        {"Peer", "dA", "dB"},       {"2D.typed", "dA", "dA2"}, {"2D.unified", "dA", "dA2"}, {"3D", "dA", "dA2"},
        {"3DPeer", "dA", "dA2"},    {"3DPeer", "dA", "dB"},    {"HtoA", "arrA", "hA"},      {"AtoH", "hA", "arrA"},
        {"2D.typed", "arrA", "dA"}, {"MemsetD8", "dA", "dA2"}, {"MemsetD2D8", "dA", "dA2"}, {"Batch", "dA", "dA2"},
        {"3DBatch", "dA", "dA2"},
    };
    for (size_t i = 0; i < COUNT(copies); i++)
        for (unsigned mode = 0; mode < COUNT(modes); mode++)
            if (ask("capture %s %s<-%s %s", copies[i][0], copies[i][1], copies[i][2], modes[mode]))
                tryCapture(operationNamed(copies[i][0]), memoryNamed(copies[i][1]), memoryNamed(copies[i][2]),
                           (CUstreamCaptureMode)mode);
}

/* A graph of one copy, and each call that uses it with this context current. */
static void playCalls(const char *current)
{
    CUgraph graph = NULL;
    CUgraph clone = NULL;
    CUgraphExec exec = NULL;
    CUgraphExec spare = NULL;
    size_t nodes = 0;
    stackStand(contextNamed("A"));
    MUST(cudrvStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    MUST(cudrvMemcpyDtoDAsync(memoryNamed("dA")->address, memoryNamed("dA2")->address, BYTES, s));
    MUST(cudrvStreamEndCapture(s, &graph));
    MUST(cudrvGraphInstantiate(&exec, graph, 0));
    stackStand(contextNamed(current));
    within("call GraphCreate - %s", current);
    answerResult(cudrvGraphCreate(&clone, 0));
    within("call GraphGetNodes - %s", current);
    answerResult(cudrvGraphGetNodes(graph, NULL, &nodes));
    within("call GraphInstantiate - %s", current);
    answerResult(cudrvGraphInstantiate(&spare, graph, 0));
    within("call GraphUpload(sA) - %s", current);
    answerResult(cudrvGraphUpload(exec, s));
    within("call GraphLaunch(sA) - %s", current);
    answerResult(cudrvGraphLaunch(exec, s));
    within("call StreamSynchronize(sA) - %s", current);
    answerResult(cudrvStreamSynchronize(s));
    within("call GraphExecDestroy - %s", current);
    answerResult(cudrvGraphExecDestroy(exec));
    within("call GraphDestroy - %s", current);
    answerResult(cudrvGraphDestroy(graph));
}

static void play(void)
{
    worldOpen();
    s = streamNamed("sA")->handle;
    askCaptures();
    for (size_t i = 0; i < world.placeCount; i++)
        if (scene(world.places[i].name))
            playCalls(world.places[i].name);
}

const struct section graphsSection = {
    .name = "graphs",
    .columns = "what\tcall\tdst<-src\twhen\tanswer",
    .about = "What a capture of one copy on sA becomes, in each mode; graph calls with each context current.",
    .play = play,
    .parts = 1,
};
