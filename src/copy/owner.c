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

static int callerIsOn(CUdevice device)
{
    CUdevice current = -1;
    return cudrvCtxGetDevice(&current) == CUDA_SUCCESS && current == device;
}

/* A primary context on the stack that is not the stream's is the owner's, and a reference is held for it. */
CUresult cucopyLeave(struct cucopyScope *scope)
{
    CUdevice owner = -1;
    const int isOwners = scope->pushed && scope->pushed != scope->target;
    if (isOwners && cudrvCtxGetDevice(&owner) != CUDA_SUCCESS)
        owner = -1;
    const CUresult result = cucopyPop(&scope->pushed);
    if (result == CUDA_SUCCESS && owner >= 0)
        (void)cudrvDevicePrimaryCtxRelease(owner);
    return result;
}

/* With the caller's stack as the caller has it. A pop that fails leaves the reference: the context is still in use. */
static CUresult copyUnderPrimary(struct cucopyScope *scope, CUdevice device, CUdeviceptr dst, CUdeviceptr src,
                                 size_t bytes)
{
    CUresult result = CUDA_ERROR_INVALID_VALUE;
    const CUcontext primary = retainPrimary(device);
    if (!primary)
        return result;
    if (primary == scope->target || cudrvCtxPushCurrent(primary) != CUDA_SUCCESS) {
        (void)cudrvDevicePrimaryCtxRelease(device);
        return result;
    }
    scope->pushed = primary;
    result = cudrvMemcpyAsync(dst, src, bytes, scope->stream);
    const CUresult restored = cucopyPop(&scope->pushed);
    if (restored == CUDA_SUCCESS)
        (void)cudrvDevicePrimaryCtxRelease(device);
    if (result != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_VALUE;
    if (restored != CUDA_SUCCESS)
        scope->step = CUCOPY_STEP_RESTORE;
    return restored;
}

CUresult cucopyCopyAsOwner(struct cucopyScope *scope, CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
    CUdevice owner = -1;
    if (cucopyStreamIsSpecial(scope->stream) ||
        ((owner = unreachableOwner(dst)) < 0 && (owner = unreachableOwner(src)) < 0))
        return CUDA_ERROR_INVALID_VALUE;

    /* Out of the stream's context. If that fails, what failed is the copy; leaving is tried again with its failure. */
    if (scope->pushed && cucopyPop(&scope->pushed) != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = CUDA_ERROR_INVALID_VALUE;
    if (!callerIsOn(owner))
        result = copyUnderPrimary(scope, owner, dst, src, bytes);
    else if (cudrvMemcpyAsync(dst, src, bytes, scope->stream) == CUDA_SUCCESS)
        result = CUDA_SUCCESS;

    /* A copy that failed is explained from within the stream's context. */
    if (result == CUDA_ERROR_INVALID_VALUE && !scope->pushed && scope->current != scope->target) {
        (void)cucopyScopeEnterTarget(scope);
        scope->step = CUCOPY_STEP_COPY;
    }
    return result;
}
