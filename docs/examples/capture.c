/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies captured into a graph on a stream whose context is not current. The lookup and the switch do not disturb the
 * capture, and the graph runs without either.
 */
#include "check.h"
#include <cucopy/copy.h>
#include <string.h>

enum { LENGTH = 32 };

int main(void)
{
    int devices = 0;
    CUcontext last;
    CUstream stream;
    CUdeviceptr buffer;
    void *pinned = NULL; /* it must keep its place: the graph reads it at each launch */
    CHECK(cudrvInit(0));
    CHECK(cudrvDeviceGetCount(&devices));
    CHECK(cudrvDevicePrimaryCtxRetain(&last, devices - 1));
    CHECK(cudrvCtxPushCurrent(last));
    CHECK(cudrvStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cudrvMemAlloc(&buffer, LENGTH));
    CHECK(cudrvMemHostAlloc(&pinned, (size_t)2 * LENGTH, CU_MEMHOSTALLOC_PORTABLE));
    CHECK(cudrvCtxPopCurrent(NULL));

    char *const sent = pinned;
    char *const received = sent + LENGTH;
    CUgraph graph;
    CUgraphExec program;
    CHECK(cudrvStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CHECK(cucopyMemcpyHtoDAsync(buffer, sent, LENGTH, stream));
    CHECK(cucopyMemcpyDtoHAsync(received, buffer, LENGTH, stream));
    CHECK(cudrvStreamEndCapture(stream, &graph));
    CHECK(cudrvCtxPushCurrent(last)); /* making it executable wants a context, launching it does not */
    CHECK(cudrvGraphInstantiate(&program, graph, 0));
    CHECK(cudrvCtxPopCurrent(NULL));

    for (int launch = 1; launch <= 3; launch++) {
        snprintf(sent, LENGTH, "launch %d", launch);
        CHECK(cudrvGraphLaunch(program, stream));
        CHECK(cudrvStreamSynchronize(stream));
        EXPECT(!strcmp(sent, received));
    }
    printf("%s\n", received);
    CHECK(cudrvGraphExecDestroy(program));
    CHECK(cudrvGraphDestroy(graph));
    return EXIT_SUCCESS;
}
