/* SPDX-License-Identifier: Apache-2.0 */
/* Created contexts, and what can be asked of a context. The stack is in stack.c, primary contexts in primary.c. */
#include "context.h"

#include "array.h"
#include "check.h"
#include "device.h"
#include "event.h"
#include "exec.h"
#include "library.h"
#include "memory.h"
#include "stream.h"
#include "thread.h"

static unsigned long long lastId;

unsigned long long contextNextId(unsigned long long step)
{
    lastId += step;
    return lastId;
}

void contextResetIds(void)
{
    lastId = 0;
}

Context *contextCreate(ContextKind kind, int device, unsigned flags)
{
    Context *context = objectCreate(OBJECT_CONTEXT, sizeof *context, NULL);
    context->kind = kind;
    context->device = device;
    context->flags = flags;
    context->id = contextNextId(6);
    context->legacyId = contextNextId(1);
    if (kind != CONTEXT_CREATED)
        objectMakeInternal(context);
    return context;
}

Context *contextBase(Context *context)
{
    return context->kind == CONTEXT_GREEN ? contextPrimary(context->device) : context;
}

void contextEnd(Context *context)
{
    execWaitContext(context);
    if (!context->object.alive)
        return; /* somebody else ended it meanwhile */
    streamEndAll(context);
    eventEndAll(context);
    arrayEndAll(context);
    moduleUnloadAll(context);
    memoryFreeOfContext(context);
    objectDestroy(context);
}

void contextRevive(Context *context)
{
    objectRevive(context);
    context->id = contextNextId(6);
    context->legacyId = contextNextId(1);
    context->peers = 0;
}

Context *contextFind(CUcontext handle)
{
    return objectFind(handle, OBJECT_CONTEXT);
}

CUresult contextDestroy(Context *context)
{
    contextDropFromTop(context);
    contextEnd(context);
    return CUDA_SUCCESS;
}

static CUresult create(CUcontext *out, unsigned flags, CUdevice device)
{
    if (out == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!deviceIsValid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if ((flags & ~0xFFu) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = deviceError(device);
    if (error != CUDA_SUCCESS)
        return error;
    Context *context = contextCreate(CONTEXT_CREATED, device, flags);
    contextPush(context);
    *out = (CUcontext)context;
    return CUDA_SUCCESS;
}

static CUresult createWithAffinity(CUcontext *out, const CUexecAffinityParam *affinity, int count, unsigned flags,
                                   CUdevice device)
{
    if (count != 0 || affinity != NULL) {
        say("execution affinity is not modelled");
        return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    }
    return create(out, flags, device);
}

static CUresult createWithParams(CUcontext *out, const CUctxCreateParams *params, unsigned flags, CUdevice device)
{
    if (params != NULL && params->cigParams != NULL) {
        say("contexts for graphics (cigParams) are not modelled");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (params != NULL)
        return createWithAffinity(out, params->execAffinityParams, params->numExecAffinityParams, flags, device);
    return create(out, flags, device);
}

/* A primary context is not destroyed but released; a green one belongs to its CUgreenCtx. */
static CUresult destroy(CUcontext handle)
{
    Context *context = checkFind(handle, OBJECT_CONTEXT);
    if (context == NULL)
        return objectIsDestroyed(handle, OBJECT_CONTEXT) ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
    return context->kind == CONTEXT_CREATED ? contextDestroy(context) : CUDA_ERROR_INVALID_CONTEXT;
}

/* The context that a NULL handle or the handle stands for; a destroyed one counts if the caller allows it. */
static CUresult contextOrCurrent(CUcontext handle, Context **context)
{
    *context = handle != NULL ? (Context *)handle : contextCurrent();
    if (*context == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (objectFind(*context, OBJECT_CONTEXT) != NULL)
        return CUDA_SUCCESS;
    return objectIsDestroyed(*context, OBJECT_CONTEXT) ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
}

/* Measured: it answers for a destroyed context too. */
static CUresult getDevice(CUcontext handle, CUdevice *device)
{
    if (device == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    Context *context;
    const CUresult result = contextOrCurrent(handle, &context);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_CONTEXT_IS_DESTROYED)
        return result;
    *device = context->device;
    return CUDA_SUCCESS;
}

static CUresult getFlags(unsigned *flags)
{
    Context *context;
    const CUresult result = contextOrCurrent(NULL, &context);
    if (result != CUDA_SUCCESS)
        return result;
    if (flags == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = context->flags;
    return CUDA_SUCCESS;
}

static CUresult setFlags(unsigned flags)
{
    Context *context;
    const CUresult result = contextOrCurrent(NULL, &context);
    if (result == CUDA_SUCCESS)
        context->flags = flags;
    return result;
}

static CUresult getId(CUcontext handle, unsigned long long *id)
{
    if (id == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    Context *context;
    const CUresult result = contextOrCurrent(handle, &context);
    if (result == CUDA_SUCCESS)
        *id = context->id;
    return result;
}

/* Measured: a destroyed context is an invalid one here, where cuCtxGetId says what it is. */
static CUresult getApiVersion(CUcontext handle, unsigned *version)
{
    if (version == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    Context *context;
    const CUresult result = contextOrCurrent(handle, &context);
    if (result != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_CONTEXT;
    *version = 3020;
    return CUDA_SUCCESS;
}

static CUresult getPriorityRange(int *least, int *greatest)
{
    Context *context;
    const CUresult result = contextRequire(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (least != NULL)
        *least = 0;
    if (greatest != NULL)
        *greatest = -5;
    return CUDA_SUCCESS;
}

static CUresult synchronize(CUcontext handle)
{
    Context *context;
    CUresult result = contextOrCurrent(handle, &context);
    if (result != CUDA_SUCCESS)
        return result;
    if (deviceError(context->device) != CUDA_SUCCESS)
        return deviceError(context->device);
    result = streamContextCaptures(context);
    if (result != CUDA_SUCCESS)
        return result;
    execWaitContext(context);
    return deviceError(context->device);
}

API(cuCtxCreate, (CUcontext * context, unsigned flags, CUdevice device), create(context, flags, device))
API(cuCtxCreate_v2, (CUcontext * context, unsigned flags, CUdevice device), create(context, flags, device))
API(cuCtxCreate_v3,
    (CUcontext * context, CUexecAffinityParam *affinity, int affinityCount, unsigned flags, CUdevice device),
    createWithAffinity(context, affinity, affinityCount, flags, device))
API(cuCtxCreate_v4, (CUcontext * context, CUctxCreateParams *params, unsigned flags, CUdevice device),
    createWithParams(context, params, flags, device))
API(cuCtxDestroy, (CUcontext context), destroy(context))
API(cuCtxDestroy_v2, (CUcontext context), destroy(context))
API(cuCtxGetDevice, (CUdevice * device), getDevice(NULL, device))
API(cuCtxGetDevice_v2, (CUdevice * device, CUcontext context), getDevice(context, device))
API(cuCtxGetFlags, (unsigned *flags), getFlags(flags))
API(cuCtxSetFlags, (unsigned flags), setFlags(flags))
API(cuCtxGetId, (CUcontext context, unsigned long long *id), getId(context, id))
API(cuCtxGetApiVersion, (CUcontext context, unsigned *version), getApiVersion(context, version))
API(cuCtxGetStreamPriorityRange, (int *least, int *greatest), getPriorityRange(least, greatest))
API(cuCtxSynchronize, (void), synchronize(NULL))
API(cuCtxSynchronize_v2, (CUcontext context), synchronize(context))
