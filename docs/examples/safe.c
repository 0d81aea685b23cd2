/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The safe layer: pool memory and a stream of the last device, while the first device is current.
 */
#include "check.h"
#include <cucopy/copy.h>
#include <string.h>

int main(void)
{
    int devices = 0;
    CUcontext first;
    CUcontext last;
    CHECK(cudrvInit(0));
    CHECK(cudrvDeviceGetCount(&devices));
    CHECK(cudrvDevicePrimaryCtxRetain(&first, 0));
    CHECK(cudrvDevicePrimaryCtxRetain(&last, devices - 1));

    char sent[] = "hello, last device";
    char received[sizeof(sent)] = "";
    CUstream stream;
    CUdeviceptr buffer;
    CHECK(cudrvCtxPushCurrent(last));
    CHECK(cudrvStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cudrvMemAllocAsync(&buffer, sizeof(sent), stream));

    CHECK(cudrvCtxSetCurrent(first)); /* for any reason: another library, another thread's habits, a callback */
    printf("raw: %s\n", cudrvResultName(cudrvMemcpyHtoDAsync(buffer, sent, sizeof(sent), stream)));
    CHECK(cucopyMemcpyHtoDAsync(buffer, sent, sizeof(sent), stream)); /* with the stream's context current */
    CHECK(cucopyMemcpyDtoHAsync(received, buffer, sizeof(sent), stream));
    CHECK(cudrvStreamSynchronize(stream));
    EXPECT(!strcmp(sent, received));

    CUcontext current;
    CHECK(cudrvCtxGetCurrent(&current));
    EXPECT(current == first);

    CHECK(cudrvMemFreeAsync(buffer, stream));
    CHECK(cudrvStreamSynchronize(stream));
    CHECK(cudrvStreamDestroy(stream));
    return EXIT_SUCCESS;
}
