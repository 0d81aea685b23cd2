/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The context stack of the calling thread, with the rules that were measured: setting replaces the top, or pushes on an
 * empty stack, or pops for NULL; a destroyed context may be pushed and set, and stays where it lies.
 */
#include "check.h"
#include "context.h"
#include "device.h"
#include "thread.h"

Context *contextCurrent(void)
{
    const Thread *thread = threadSelf();
    return thread->depth > 0 ? thread->stack[thread->depth - 1] : NULL;
}

CUresult contextRequire(Context **context)
{
    *context = contextCurrent();
    if (*context == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!(*context)->object.alive)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return deviceError((*context)->device);
}

void contextPush(Context *context)
{
    Thread *thread = threadSelf();
    if (thread->depth == thread->capacity) {
        thread->capacity = thread->capacity * 2 + 8;
        thread->stack = memoryResize(thread->stack, thread->capacity, sizeof(Context *));
    }
    thread->stack[thread->depth++] = context;
}

void contextDropFromTop(const Context *context)
{
    if (contextCurrent() == context)
        threadSelf()->depth--;
}

/* A context that ever was; anything else was never given out. */
static bool isContext(CUcontext handle)
{
    return checkFind(handle, OBJECT_CONTEXT) != NULL || objectIsDestroyed(handle, OBJECT_CONTEXT);
}

static CUresult push(CUcontext handle)
{
    if (handle == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!isContext(handle))
        return CUDA_ERROR_INVALID_CONTEXT;
    contextPush((Context *)handle);
    return CUDA_SUCCESS;
}

static CUresult pop(CUcontext *out)
{
    Context *context = contextCurrent();
    if (context == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    threadSelf()->depth--;
    if (out != NULL)
        *out = (CUcontext)context;
    return CUDA_SUCCESS;
}

static CUresult setCurrent(CUcontext handle)
{
    Thread *thread = threadSelf();
    if (handle != NULL && !isContext(handle))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (thread->depth > 0)
        thread->depth--;
    if (handle != NULL)
        contextPush((Context *)handle);
    return CUDA_SUCCESS;
}

static CUresult getCurrent(CUcontext *out)
{
    if (out == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *out = (CUcontext)contextCurrent();
    return CUDA_SUCCESS;
}

API(cuCtxPushCurrent, (CUcontext context), push(context))
API(cuCtxPushCurrent_v2, (CUcontext context), push(context))
API(cuCtxPopCurrent, (CUcontext * context), pop(context))
API(cuCtxPopCurrent_v2, (CUcontext * context), pop(context))
API(cuCtxSetCurrent, (CUcontext context), setCurrent(context))
API(cuCtxGetCurrent, (CUcontext * context), getCurrent(context))
