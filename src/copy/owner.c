/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The owner's policy: a copy that the driver refuses under the stream's context, once more under the owner's. Only a
 * refused copy comes here. The stream is an explicit one, so that both variants of the copy are the same.
 */
#include "copy/owner.h"

/* The device that owns this address, if the device of the current context may not access it; -1 otherwise. */
static CUdevice unreachableOwner(CUdeviceptr address)
{
    int device = -1;
    CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void *answers[] = {&device};
    if (cucopyAccessHere(address) != CUCOPY_ACCESS_NONE ||
        cudrvPointerGetAttributes(1, asked, answers, address) != CUDA_SUCCESS)
        return -1;
    return device;
}

/* Whether a context that may be current nowhere is on that device: pushing it is how drivers before 13.0 can be asked.
 */
static int isOn(CUcontext context, CUdevice device)
{
    CUdevice found = -1;
    if (!context || cudrvCtxPushCurrent(context) != CUDA_SUCCESS)
        return 0;
    const CUresult asked = cudrvCtxGetDevice(&found);
    (void)cucopyPop(&(CUcontext){context});
    return asked == CUDA_SUCCESS && found == device;
}

/* The primary context of that device with a reference of ours on it, if it is active; NULL otherwise. */
static CUcontext retainPrimary(CUdevice device)
{
    CUcontext primary = NULL;
    unsigned int flags = 0;
    int active = 0;
    if (cudrvDevicePrimaryCtxGetState(device, &flags, &active) != CUDA_SUCCESS || !active)
        return NULL;
    return cudrvDevicePrimaryCtxRetain(&primary, device) == CUDA_SUCCESS ? primary : NULL;
}

static CUresult copyUnder(CUcontext context, CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
    CUcontext pushed = context;
    if (cudrvCtxPushCurrent(context) != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult copied = cudrvMemcpyAsync(dst, src, bytes, stream);
    const CUresult restored = cucopyPop(&pushed);
    if (restored != CUDA_SUCCESS)
        return restored;
    return copied == CUDA_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cucopyCopyAsOwner(const struct cucopyScope *scope, CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
    CUdevice owner = -1;
    if (cucopyStreamIsSpecial(scope->stream) ||
        ((owner = unreachableOwner(dst)) < 0 && (owner = unreachableOwner(src)) < 0))
        return CUDA_ERROR_INVALID_VALUE;
    if (isOn(scope->current, owner))
        return copyUnder(scope->current, dst, src, bytes, scope->stream);

    CUresult result = CUDA_ERROR_INVALID_VALUE;
    const CUcontext primary = retainPrimary(owner);
    if (primary) {
        result = copyUnder(primary, dst, src, bytes, scope->stream);
        (void)cudrvDevicePrimaryCtxRelease(owner);
    }
    return result;
}
