/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plain CUDA program, as it would be for a GPU: it moves a vector through two devices with copies, events and a
 * graph, and knows neither cucopy nor the simulated driver. Exits with 0 if the bytes are right.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(CUresult result, const char *call)
{
    if (result == CUDA_SUCCESS)
        return;
    const char *name = NULL;
    cuGetErrorName(result, &name);
    (void)fprintf(stderr, "%s: %s\n", call, name);
    _Exit(1);
}

#define CHECK(call) check(call, #call)

enum { WORDS = 1 << 16 };
#define BYTES (WORDS * sizeof(unsigned))

typedef struct Device {
    CUcontext context;
    CUstream stream;
    CUevent done;
    CUdeviceptr memory;
} Device;

static Device open(int ordinal)
{
    Device device;
    CUdevice handle;
    CHECK(cuDeviceGet(&handle, ordinal));
    CHECK(cuDevicePrimaryCtxRetain(&device.context, handle));
    CHECK(cuCtxSetCurrent(device.context));
    CHECK(cuStreamCreate(&device.stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuEventCreate(&device.done, CU_EVENT_DISABLE_TIMING));
    CHECK(cuMemAlloc(&device.memory, BYTES));
    return device;
}

static void close(Device *device, int ordinal)
{
    CHECK(cuCtxSetCurrent(device->context));
    CHECK(cuMemFree(device->memory));
    CHECK(cuEventDestroy(device->done));
    CHECK(cuStreamDestroy(device->stream));
    CHECK(cuDevicePrimaryCtxRelease(ordinal));
}

int main(void)
{
    CHECK(cuInit(0));
    Device first = open(0);
    Device second = open(1);
    void *host;
    CHECK(cuMemHostAlloc(&host, 2 * BYTES, CU_MEMHOSTALLOC_PORTABLE));
    unsigned *in = host;
    unsigned *out = in + WORDS;
    for (unsigned i = 0; i < WORDS; i++)
        in[i] = i * 2654435761u;

    CHECK(cuMemcpyHtoDAsync(first.memory, in, BYTES, first.stream));
    CHECK(cuMemcpyPeerAsync(second.memory, second.context, first.memory, first.context, BYTES, first.stream));
    CHECK(cuEventRecord(first.done, first.stream));
    CHECK(cuStreamWaitEvent(second.stream, first.done, 0));

    CUgraph graph;
    CUgraphExec exec;
    CHECK(cuStreamBeginCapture(second.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    CHECK(cuMemcpyDtoHAsync(out, second.memory, BYTES, second.stream));
    CHECK(cuStreamEndCapture(second.stream, &graph));
    CHECK(cuGraphInstantiate(&exec, graph, 0));
    CHECK(cuGraphLaunch(exec, second.stream));
    CHECK(cuStreamSynchronize(second.stream));

    const int same = memcmp(in, out, BYTES) == 0;
    CHECK(cuGraphExecDestroy(exec));
    CHECK(cuGraphDestroy(graph));
    CHECK(cuMemFreeHost(host));
    close(&first, 0);
    close(&second, 1);
    puts(same ? "the vector came through" : "the vector was damaged");
    return same ? 0 : 1;
}
