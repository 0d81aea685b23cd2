/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A copy that fails, and why. Nothing need be prepared: the library keeps each thread's last failure.
 */
#include "check.h"
#include <cucopy/copy.h>
#include <string.h>

int main(void)
{
    char bytes[64] = "";
    char text[2048];
    CUcontext context;
    CUstream stream;
    CUdeviceptr buffer;
    CHECK(cudrvInit(0));
    CHECK(cudrvDevicePrimaryCtxRetain(&context, 0));
    CHECK(cudrvCtxPushCurrent(context));
    CHECK(cudrvStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cudrvMemAlloc(&buffer, sizeof(bytes)));
    CHECK(cudrvCtxPopCurrent(NULL));

    const CUdeviceptr wrong = buffer + (1ULL << 40); /* nobody's memory */
    if (cucopyMemcpyHtoDAsync(wrong, bytes, sizeof(bytes), stream) != CUDA_SUCCESS) {
        cucopyFailure failure = CUCOPY_FAILURE_INIT;
        CHECK(cucopyLastFailure(&failure));
        cucopyExplain(&failure, text, sizeof(text));
        printf("%s", text);
        EXPECT(failure.step == CUCOPY_STEP_COPY && strstr(text, "cucopyMemcpyHtoDAsync"));
        return EXIT_SUCCESS;
    }
    return EXIT_FAILURE;
}
