/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An explicit context: this thread wants one that no stream leads to, here to allocate memory for a device it was
 * given, and wants its own context back afterwards.
 */
#include "check.h"
#include <cucopy/copy.h>

/* cuMemAlloc goes to the current context's device; this goes to the context's that was named. */
static CUresult allocateIn(CUcontext context, CUdeviceptr *memory, size_t bytes)
{
    cucopyGuard guard;
    CUresult result = cucopyGuardEnterContext(&guard, context);
    if (result != CUDA_SUCCESS)
        return result;
    result = cudrvMemAlloc(memory, bytes);
    const CUresult left = cucopyGuardExit(&guard);
    return result == CUDA_SUCCESS ? left : result;
}

int main(void)
{
    int devices = 0;
    CUcontext first;
    CUcontext last;
    CHECK(cudrvInit(0));
    CHECK(cudrvDeviceGetCount(&devices));
    CHECK(cudrvDevicePrimaryCtxRetain(&first, 0));
    CHECK(cudrvDevicePrimaryCtxRetain(&last, devices - 1));
    CHECK(cudrvCtxPushCurrent(first));

    CUdeviceptr memory;
    CHECK(allocateIn(last, &memory, 4096));

    int device = -1;
    CUcontext current;
    CHECK(cudrvPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, memory));
    CHECK(cudrvCtxGetCurrent(&current));
    EXPECT(device == devices - 1);
    EXPECT(current == first);
    printf("allocated on device %d\n", device);
    CHECK(cudrvMemFree(memory));
    return EXIT_SUCCESS;
}
