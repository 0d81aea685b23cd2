/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The raw layer: the driver without linking to it. Which context is current is this program's affair, and it makes the
 * right one current once.
 */
#include "check.h"
#include <cucopy/drv.h>
#include <string.h>

int main(void)
{
    const CUresult found = cudrvInit(0); /* loads libcuda.so.1, then calls cuInit */
    if (found != CUDA_SUCCESS) {
        fprintf(stderr, "no CUDA here: %s %s\n", cudrvResultName(found), cudrvLoadError());
        return EXIT_FAILURE;
    }
    printf("%s, %s batch copies\n", cudrvPath(), cudrvHas("cuMemcpyBatchAsync") ? "with" : "without");

    char sent[] = "hello, device 0";
    char received[sizeof(sent)] = "";
    CUcontext context;
    CUstream stream;
    CUdeviceptr buffer;
    CHECK(cudrvDevicePrimaryCtxRetain(&context, 0));
    CHECK(cudrvCtxPushCurrent(context)); /* cudrv never does this by itself */
    CHECK(cudrvStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cudrvMemAlloc(&buffer, sizeof(sent)));
    CHECK(cudrvMemcpyHtoDAsync(buffer, sent, sizeof(sent), stream)); /* one jump to cuMemcpyHtoDAsync */
    CHECK(cudrvMemcpyDtoHAsync(received, buffer, sizeof(sent), stream));
    CHECK(cudrvStreamSynchronize(stream));
    EXPECT(!strcmp(sent, received));

    CHECK(cudrvMemFree(buffer));
    CHECK(cudrvStreamDestroy(stream));
    CHECK(cudrvCtxPopCurrent(NULL));
    CHECK(cudrvDevicePrimaryCtxRelease(0));
    return EXIT_SUCCESS;
}
