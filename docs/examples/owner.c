/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pool memory of device 1 on a stream of device 0, which was given no access: the stream's context does not serve, and
 * the safe copy is refused. A program that wants it all the same asks for the owner's context.
 */
#include "check.h"
#include <cucopy/copy.h>
#include <string.h>

int main(void)
{
    int devices = 0;
    CUcontext zero;
    CUcontext one;
    CUstream streamOfZero;
    CUstream streamOfOne;
    CUdeviceptr buffer;
    char sent[] = "to device 1, on a stream of device 0";
    char received[sizeof(sent)] = "";
    CHECK(cudrvInit(0));
    CHECK(cudrvDeviceGetCount(&devices));
    if (devices < 2) {
        printf("one device only: nothing to show\n");
        return EXIT_SUCCESS;
    }
    CHECK(cudrvDevicePrimaryCtxRetain(&zero, 0));
    CHECK(cudrvDevicePrimaryCtxRetain(&one, 1));
    CHECK(cudrvCtxPushCurrent(one));
    CHECK(cudrvStreamCreate(&streamOfOne, CU_STREAM_NON_BLOCKING));
    CHECK(cudrvMemAllocAsync(&buffer, sizeof(sent), streamOfOne));
    CHECK(cudrvStreamSynchronize(streamOfOne));
    CHECK(cudrvCtxSetCurrent(zero));
    CHECK(cudrvStreamCreate(&streamOfZero, CU_STREAM_NON_BLOCKING));

    const CUdeviceptr from = (CUdeviceptr)sent;
    printf("safe: %s\n", cudrvResultName(cucopyMemcpyAsync(buffer, from, sizeof(sent), streamOfZero)));
    cucopyOptions options = CUCOPY_OPTIONS_INIT;
    options.context = CUCOPY_CONTEXT_OWNER;
    CHECK(cucopyMemcpyAsyncEx(buffer, from, sizeof(sent), &options, streamOfZero));
    CHECK(cudrvStreamSynchronize(streamOfZero));

    CHECK(cucopyMemcpyDtoHAsync(received, buffer, sizeof(sent), streamOfOne));
    CHECK(cudrvStreamSynchronize(streamOfOne));
    EXPECT(!strcmp(sent, received));
    printf("%s\n", received);
    return EXIT_SUCCESS;
}
