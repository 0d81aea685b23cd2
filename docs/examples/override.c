/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that was there before cucopy. It links libcuda and calls the driver by its own names; the one line that was
 * added makes its asynchronous copies safe ones.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cucopy/override.h> /* added */

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const CUresult result = (call);                                                                                \
        if (result != CUDA_SUCCESS) {                                                                                  \
            fprintf(stderr, "%s: %d\n", #call, (int)result);                                                           \
            exit(EXIT_FAILURE);                                                                                        \
        }                                                                                                              \
    } while (0)

int main(void)
{
    int devices = 0;
    CUcontext first;
    CUcontext last;
    CUstream stream;
    CUdeviceptr buffer;
    char sent[] = "hello from an old program";
    char received[sizeof(sent)] = "";
    CHECK(cuInit(0));
    CHECK(cuDeviceGetCount(&devices));
    CHECK(cuDevicePrimaryCtxRetain(&first, 0));
    CHECK(cuDevicePrimaryCtxRetain(&last, devices - 1));
    CHECK(cuCtxPushCurrent(last));
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuMemAllocAsync(&buffer, sizeof(sent), stream));
    CHECK(cuCtxSetCurrent(first)); /* its old mistake */

    CHECK(cuMemcpyHtoDAsync(buffer, sent, sizeof(sent), stream));
    CHECK(cuMemcpyDtoHAsync(received, buffer, sizeof(sent), stream));
    CHECK(cuStreamSynchronize(stream));
    if (strcmp(sent, received) != 0)
        return EXIT_FAILURE;
    printf("%s\n", received);
    return EXIT_SUCCESS;
}
