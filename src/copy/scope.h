/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one idea of the safe layer: enter the stream's context, do something, leave it. Private to copy/. Inline, since
 * it is all that a safe copy costs. What it learns on the way is kept in the scope, for failure.c to tell if something
 * fails.
 */
#ifndef CUCOPY_COPY_SCOPE_H
#define CUCOPY_COPY_SCOPE_H

#include "copy/nvtx.h"
#include "types.h"

#include <cucopy/copy.h>
#include <stdint.h>

struct cucopyScope {
    CUstream stream;
    CUcontext target;  /* the stream's context, NULL for a special stream or until it is learned */
    CUcontext current; /* what was current before, NULL if nothing was or until it is learned */
    CUcontext pushed;  /* what is to be popped, NULL if nothing */
    cucopyStep step;   /* the step under way, so the one that failed */
};

/* NULL, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD mean a stream of the current context, so there is none to enter. */
static inline int cucopyStreamIsSpecial(CUstream stream)
{
    return (uintptr_t)stream <= (uintptr_t)CU_STREAM_PER_THREAD;
}

/* Make scope->target current. On failure nothing has changed. */
static inline CUresult cucopyScopeEnterTarget(struct cucopyScope *scope)
{
    CUresult result = cudrvCtxGetCurrent(&scope->current);
    if (result != CUDA_SUCCESS || scope->current == scope->target)
        return result;
    scope->step = CUCOPY_STEP_ENTER;
    result = cudrvCtxPushCurrent(scope->target);
    if (result == CUDA_SUCCESS) {
        scope->pushed = scope->target;
        cucopyTracePush(scope->target);
    }
    return result;
}

static inline CUresult cucopyScopeEnter(struct cucopyScope *scope, CUstream stream)
{
    *scope = (struct cucopyScope){.stream = stream, .step = CUCOPY_STEP_QUERY};
    if (cucopyStreamIsSpecial(stream))
        return CUDA_SUCCESS;
    const CUresult result = cudrvStreamGetCtx(stream, &scope->target);
    return result == CUDA_SUCCESS ? cucopyScopeEnterTarget(scope) : result;
}

/* Pop *pushed and make it NULL; if something else comes off, put that back and leave *pushed as it is. */
static inline CUresult cucopyPop(CUcontext *pushed)
{
    CUcontext popped = NULL;
    CUresult result = cudrvCtxPopCurrent(&popped);
    if (result != CUDA_SUCCESS)
        return result;
    if (popped == *pushed) {
        *pushed = NULL;
        return CUDA_SUCCESS;
    }
    result = cudrvCtxPushCurrent(popped);
    return result == CUDA_SUCCESS ? CUDA_ERROR_INVALID_CONTEXT : result;
}

/* Leave after a copy that was enqueued. After one that failed, cucopyFail leaves. */
static inline CUresult cucopyScopeRestore(struct cucopyScope *scope)
{
    if (!scope->pushed)
        return CUDA_SUCCESS;
    scope->step = CUCOPY_STEP_RESTORE;
    return cucopyPop(&scope->pushed);
}

#endif
