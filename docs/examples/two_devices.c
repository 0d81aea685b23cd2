/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pool memory of two devices. Neither device may touch the other's pool unless it was given access, and then there are
 * two ways from one to the other: the peer copy, which needs no access, and a grant, after which any copy will do.
 */
#include "check.h"
#include <cucopy/copy.h>
#include <string.h>

struct side {
    CUcontext context;
    CUmemoryPool pool;
    CUstream stream;
    CUdeviceptr buffer;
};

static struct side open(CUdevice device, size_t bytes)
{
    struct side side;
    CHECK(cudrvDevicePrimaryCtxRetain(&side.context, device));
    CHECK(cudrvDeviceGetDefaultMemPool(&side.pool, device));
    CHECK(cudrvCtxPushCurrent(side.context));
    CHECK(cudrvStreamCreate(&side.stream, CU_STREAM_NON_BLOCKING));
    CHECK(cudrvCtxPopCurrent(NULL));
    CHECK(cudrvMemAllocAsync(&side.buffer, bytes, side.stream));
    CHECK(cudrvStreamSynchronize(side.stream));
    return side;
}

static void expectThere(const struct side *side, const char *sent)
{
    char received[64] = "";
    CHECK(cucopyMemcpyDtoHAsync(received, side->buffer, strlen(sent) + 1, side->stream));
    CHECK(cudrvStreamSynchronize(side->stream));
    EXPECT(!strcmp(sent, received));
}

int main(void)
{
    int devices = 0;
    CHECK(cudrvInit(0));
    CHECK(cudrvDeviceGetCount(&devices));
    if (devices < 2) {
        printf("one device only: nothing to show\n");
        return EXIT_SUCCESS;
    }
    const char *sent = "by a peer copy";
    const struct side zero = open(0, 64);
    const struct side one = open(1, 64);

    /* No context is current from here on. */
    CHECK(cucopyMemcpyHtoDAsync(zero.buffer, sent, strlen(sent) + 1, zero.stream));
    CHECK(cucopyMemcpyPeerAsync(one.buffer, one.context, zero.buffer, zero.context, 64, zero.stream));
    CHECK(cudrvStreamSynchronize(zero.stream));
    expectThere(&one, sent);

    int possible = 0;
    CHECK(cudrvDeviceCanAccessPeer(&possible, 0, 1));
    if (possible) {
        const CUmemAccessDesc zeroMayWrite = {
            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
            .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        sent = "by a granted copy";
        CHECK(cudrvMemPoolSetAccess(one.pool, &zeroMayWrite, 1));
        CHECK(cucopyMemcpyHtoDAsync(zero.buffer, sent, strlen(sent) + 1, zero.stream));
        CHECK(cucopyMemcpyDtoDAsync(one.buffer, zero.buffer, 64, zero.stream));
        CHECK(cudrvStreamSynchronize(zero.stream));
        expectThere(&one, sent);
    }
    printf("device 0 to device 1, %s\n", sent);
    return EXIT_SUCCESS;
}
