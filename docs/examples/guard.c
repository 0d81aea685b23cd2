/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One guard around many raw calls: the stream's context is looked up once and not once a copy. The guard is also for
 * calls that the safe layer does not have, such as a kernel launch or a pool's allocation.
 */
#include "check.h"
#include <cucopy/copy.h>
#include <string.h>

enum { PIECES = 64, PIECE = 1024 };

/* Fails as its first failing call does, and leaves the caller's context stack as it was either way. */
static CUresult uploadPieces(CUdeviceptr buffer, char (*pieces)[PIECE], CUstream stream)
{
    cucopyGuard guard;
    CUresult result = cucopyGuardEnter(&guard, stream);
    if (result != CUDA_SUCCESS)
        return result;
    for (size_t i = 0; i < PIECES && result == CUDA_SUCCESS; i++)
        result = cudrvMemcpyHtoDAsync(buffer + i * PIECE, pieces[i], PIECE, stream);
    const CUresult left = cucopyGuardExit(&guard);
    return result == CUDA_SUCCESS ? left : result;
}

int main(void)
{
    static char sent[PIECES][PIECE];
    static char received[PIECES][PIECE];
    int devices = 0;
    CUcontext last;
    CUstream stream;
    CUdeviceptr buffer;
    CHECK(cudrvInit(0));
    CHECK(cudrvDeviceGetCount(&devices));
    CHECK(cudrvDevicePrimaryCtxRetain(&last, devices - 1));
    CHECK(cudrvCtxPushCurrent(last));
    CHECK(cudrvStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cudrvMemAllocAsync(&buffer, sizeof(sent), stream));
    CHECK(cudrvCtxPopCurrent(NULL));

    for (size_t i = 0; i < PIECES; i++)
        memset(sent[i], (int)i, PIECE);
    CHECK(uploadPieces(buffer, sent, stream)); /* no context is current here */
    CHECK(cucopyMemcpyDtoHAsync(received, buffer, sizeof(received), stream));
    CHECK(cudrvStreamSynchronize(stream));
    EXPECT(!memcmp(sent, received, sizeof(sent)));

    CUcontext current;
    CHECK(cudrvCtxGetCurrent(&current));
    EXPECT(current == NULL);
    printf("%d pieces\n", PIECES);
    return EXIT_SUCCESS;
}
