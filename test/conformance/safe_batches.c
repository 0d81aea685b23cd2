/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the safe layer's batches promise beyond the driver's: any stream, empty entries, no attributes, nothing copied
 * by a batch that is refused. And that every safe copy, batches included, becomes part of a capture.
 */
#include "batch_arguments.h"
#include "copying.h"
#include "sections.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void playArguments(void)
{
    static const char *const where[][2] = {{"sA", "A"},     {"sA", "none"}, {"sA", "B"},   {"NULL", "A"},
                                           {"LEGACY", "A"}, {"PTDS", "A"},  {"sG", "none"}};
    worldOpen();
    for (size_t i = 0; i < COUNT(where); i++) {
        char prefix[32];
        (void)snprintf(prefix, sizeof(prefix), "%s %s ", where[i][0], where[i][1]);
        if (streamNamed(where[i][0]))
            askBatches(prefix, &safeFunctions, streamNamed(where[i][0]), placeNamed(where[i][1]), true);
    }
}

const struct section safeBatchArgumentsSection = {
    .name = "safe-batch-arguments",
    .columns = "stream\tcurrent\tcopy\tcase\tanswer",
    .about = "The edges of what a safe batch takes.",
    .play = playArguments,
    .parts = 2,
    .promises = true,
};

/* ---- Captures ---- */

static const char *replay(CUgraph graph, const struct memory *dst, const struct memory *src, CUstream stream)
{
    CUgraphExec exec = NULL;
    fillMemory(src, BYTES, 3);
    MUST(cudrvCtxPushCurrent(contextNamed("A")));
    MUST(cudrvGraphInstantiate(&exec, graph, 0));
    MUST(cudrvGraphLaunch(exec, stream));
    MUST(cudrvStreamSynchronize(stream));
    MUST(cudrvCtxPopCurrent(NULL));
    MUST(cudrvGraphExecDestroy(exec));
    return memoryHolds(dst, BYTES, 3) ? "captured" : "captured, and its replay copied nothing";
}

static void tryCapture(const char *operation, const char *dstName, const char *srcName, CUstreamCaptureMode mode,
                       const char *current)
{
    const CUstream stream = streamNamed("sA")->handle;
    const struct memory *const dst = memoryNamed(dstName);
    const struct memory *const src = memoryNamed(srcName);
    CUgraph graph = NULL;
    fillMemory(dst, BYTES, 1);
    fillMemory(src, BYTES, 2);
    stackStand(contextNamed(current));
    MUST(cudrvStreamBeginCapture(stream, mode));
    const CUresult result = operationNamed(operation)->call(&safeFunctions, dst, src, BYTES, stream);
    const CUresult end = cudrvStreamEndCapture(stream, &graph);
    const bool whole = stackStillStands(contextNamed(current));
    settle();
    if (result != CUDA_SUCCESS || end != CUDA_SUCCESS)
        answer("%s, EndCapture %s", resultName(result), resultName(end));
    else if (!memoryHolds(dst, BYTES, 1))
        answer("copied at the call");
    else
        answer("%s%s", replay(graph, dst, src, stream), whole ? "" : ", stack changed");
    if (graph)
        MUST(cudrvGraphDestroy(graph));
}

static void playCaptures(void)
{
    static const char *const modes[] = {"global", "thread-local", "relaxed"};
    static const char *const currents[] = {"none", "P", "A", "B", "G"};
    static const char *const copies[][3] = {
        {"Async", "dA", "dA2"}, {"DtoD", "dA", "dA2"},     {"HtoD", "dA", "hA"},    {"DtoH", "hA", "dA"},
        {"Peer", "dA", "dB"},   {"2D.typed", "dA", "dA2"}, {"3D", "dA", "dA2"},     {"3DPeer", "dA", "dB"},
        {"HtoA", "arrA", "hA"}, {"AtoH", "hA", "arrA"},    {"Batch", "dA", "dA2"},  {"Batch", "dA", "hA"},
        {"Batch", "hA", "dA"},  {"3DBatch", "dA", "dA2"},  {"3DBatch", "dA", "hA"},
    };
    worldOpen();
    for (size_t i = 0; i < COUNT(copies); i++)
        for (unsigned mode = 0; mode < COUNT(modes); mode++)
            for (size_t j = 0; j < COUNT(currents); j++)
                if (placeNamed(currents[j]) &&
                    ask("%s %s<-%s %s %s", copies[i][0], copies[i][1], copies[i][2], modes[mode], currents[j]))
                    tryCapture(copies[i][0], copies[i][1], copies[i][2], (CUstreamCaptureMode)mode, currents[j]);
}

const struct section safeCapturesSection = {
    .name = "safe-captures",
    .columns = "copy\tdst<-src\tmode\tcurrent\tanswer",
    .about = "Every safe copy while sA captures: it becomes part of the graph, whose launch copies what is there then.",
    .play = playCaptures,
    .parts = 2,
    .promises = true,
};
