/* SPDX-License-Identifier: Apache-2.0 */
#include "devices_world.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POISON = 0xEE };

static int check(CUresult result, const char *what)
{
    if (result != CUDA_SUCCESS)
        (void)fprintf(stderr, "cucopy-bench: %s: %s\n", what, cudrvResultName(result));
    return result == CUDA_SUCCESS;
}

/* Every source holds the same. No byte of it is POISON, and blocks of a power of two differ from each other. */
static void fill(unsigned char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        memory[i] = (unsigned char)((i * 7 + (i >> 6) * 13 + (i >> 14)) % POISON);
}

static int makeDevice(struct devices *devices, int device)
{
    const void *const pattern = (const void *)(uintptr_t)devices->pinned;
    const size_t bytes = devices->bytes;
    return check(cudrvMemAlloc(&devices->dsts[device], bytes), "cuMemAlloc") &&
           check(cudrvMemAlloc(&devices->srcs[device], bytes), "cuMemAlloc") &&
           check(cudrvMemcpyHtoD(devices->srcs[device], pattern, bytes), "cuMemcpyHtoD") &&
           check(cudrvStreamCreate(&devices->streams[device], CU_STREAM_NON_BLOCKING), "cuStreamCreate") &&
           check(cudrvMemAllocAsync(&devices->pools[device], bytes, devices->streams[device]), "cuMemAllocAsync") &&
           check(cudrvStreamSynchronize(devices->streams[device]), "cuStreamSynchronize") &&
           check(cudrvDeviceGetName(devices->names[device], sizeof(devices->names[device]), device), "cuDeviceGetName");
}

/* Pinned memory that every context knows as such. */
static int makePinned(struct devices *devices)
{
    void *host = NULL;
    if (!check(cudrvMemHostAlloc(&host, devices->bytes, CU_MEMHOSTALLOC_PORTABLE), "cuMemHostAlloc"))
        return 0;
    fill(host, devices->bytes);
    devices->pinned = (CUdeviceptr)(uintptr_t)host;
    return 1;
}

int devicesSetUp(struct devices *devices, size_t bytes)
{
    int count = 0;
    int can[2] = {0, 0};
    *devices = (struct devices){.bytes = bytes, .got = malloc(bytes)};
    if (!devices->got || !check(cudrvInit(0), "cuInit") || !check(cudrvDeviceGetCount(&count), "cuDeviceGetCount"))
        return 0;
    if (count < 2) {
        (void)fprintf(stderr, "cucopy-bench: skipped: needs two devices, and there %s %d\n", count == 1 ? "is" : "are",
                      count);
        return -1;
    }
    for (int device = 0; device < 2; device++) {
        if (!check(cudrvDevicePrimaryCtxRetain(&devices->contexts[device], device), "cuDevicePrimaryCtxRetain") ||
            !check(cudrvCtxPushCurrent(devices->contexts[device]), "cuCtxPushCurrent") ||
            (device == 0 && !makePinned(devices)) || !makeDevice(devices, device) ||
            !check(cudrvCtxPopCurrent(NULL), "cuCtxPopCurrent") ||
            !check(cudrvDeviceCanAccessPeer(&can[device], device, 1 - device), "cuDeviceCanAccessPeer"))
            return 0;
    }
    devices->canAccess = can[0] && can[1];
    return check(cudrvDriverGetVersion(&devices->driverVersion), "cuDriverGetVersion");
}

void devicesTearDown(struct devices *devices)
{
    for (int device = 0; device < 2 && devices->contexts[device]; device++) {
        (void)cudrvCtxPushCurrent(devices->contexts[device]);
        (void)cudrvMemFree(devices->dsts[device]);
        (void)cudrvMemFree(devices->srcs[device]);
        if (devices->streams[device]) {
            (void)cudrvMemFreeAsync(devices->pools[device], devices->streams[device]);
            (void)cudrvStreamDestroy(devices->streams[device]);
        }
        if (device == 0)
            (void)cudrvMemFreeHost((void *)(uintptr_t)devices->pinned);
        (void)cudrvCtxPopCurrent(NULL);
        (void)cudrvDevicePrimaryCtxRelease(device);
    }
    free(devices->got);
}

int devicesEnablePeers(const struct devices *devices)
{
    int ok = 1;
    for (int device = 0; device < 2 && ok; device++) {
        (void)cudrvCtxPushCurrent(devices->contexts[device]);
        ok = check(cudrvCtxEnablePeerAccess(devices->contexts[1 - device], 0), "cuCtxEnablePeerAccess");
        (void)cudrvCtxPopCurrent(NULL);
    }
    return ok;
}

struct crossing crossingOf(CUdeviceptr dst, int home, CUdeviceptr src, size_t count, size_t size)
{
    struct crossing crossing = {.count = count, .home = home};
    for (size_t i = 0; i < count; i++) {
        crossing.dsts[i] = dst + (count - 1 - i) * size;
        crossing.srcs[i] = src + i * size;
        crossing.sizes[i] = size;
    }
    return crossing;
}

int crossingClear(const struct devices *devices, const struct crossing *crossing)
{
    const size_t size = crossing->sizes[0];
    (void)cudrvCtxPushCurrent(devices->contexts[crossing->home]);
    const int ok = cudrvMemsetD8(crossing->dsts[crossing->count - 1], POISON, crossing->count * size) == CUDA_SUCCESS &&
                   cudrvCtxSynchronize() == CUDA_SUCCESS;
    (void)cudrvCtxPopCurrent(NULL);
    return ok;
}

int crossingArrived(const struct devices *devices, const struct crossing *crossing)
{
    const size_t size = crossing->sizes[0];
    const unsigned char *const sent = (const unsigned char *)(uintptr_t)devices->pinned;
    (void)cudrvCtxPushCurrent(devices->contexts[crossing->home]);
    int ok = cudrvMemcpyDtoH(devices->got, crossing->dsts[crossing->count - 1], crossing->count * size) == CUDA_SUCCESS;
    (void)cudrvCtxPopCurrent(NULL);
    for (size_t i = 0; i < crossing->count && ok; i++)
        ok = !memcmp(devices->got + (crossing->count - 1 - i) * size, sent + i * size, size);
    return ok;
}
