/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user's program, small: bytes go to a pool buffer of the last device and come back while the first device is
 * current. Every way of consuming the library compiles this file and runs it on two simulated devices.
 */
#include <cucopy/copy.h>
#include <stdio.h>
#include <string.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const CUresult result = (call);                                                                                \
        if (result != CUDA_SUCCESS) {                                                                                  \
            fprintf(stderr, "%s: %s %s\n", #call, cudrvResultName(result), cudrvLoadError());                          \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

int main(void)
{
    int devices = 0;
    CHECK(cudrvInit(0));
    CHECK(cudrvDeviceGetCount(&devices));

    CUcontext first = NULL;
    CUcontext last = NULL;
    CHECK(cudrvDevicePrimaryCtxRetain(&first, 0));
    CHECK(cudrvDevicePrimaryCtxRetain(&last, devices - 1));

    const char sent[] = "the bytes of a consumer";
    char received[sizeof(sent)] = "";
    CUstream stream = NULL;
    CUdeviceptr buffer = 0;
    CHECK(cudrvCtxPushCurrent(last));
    CHECK(cudrvStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cudrvMemAllocAsync(&buffer, sizeof(sent), stream));
    CHECK(cudrvCtxSetCurrent(first));
    CHECK(cucopyMemcpyHtoDAsync(buffer, sent, sizeof(sent), stream));
    CHECK(cucopyMemcpyDtoHAsync(received, buffer, sizeof(sent), stream));
    CHECK(cudrvStreamSynchronize(stream));

    CUcontext current = NULL;
    CHECK(cudrvCtxGetCurrent(&current));
    if (devices < 2 || current != first || memcmp(sent, received, sizeof(sent)) != 0) {
        fprintf(stderr, "%d devices, \"%s\" came back, context %s\n", devices, received,
                current == first ? "kept" : "changed");
        return 1;
    }
    return 0;
}
