/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guard that callers put around raw calls: a scope that outlives the function that entered it.
 */
#include "copy/failure.h"
#include "copy/scope.h"

_Static_assert(sizeof(cucopyGuard) == 32 && _Alignof(cucopyGuard) == 8, "the guard's size is a promise");

/* A guard keeps what was pushed, and nothing if entering failed: its exit is then harmless. */
static CUresult entered(cucopyGuard *guard, struct cucopyScope *scope, CUresult result, struct cucopyCall call)
{
    *guard = (cucopyGuard){.pushed = scope->pushed};
    return result == CUDA_SUCCESS ? result : cucopyFailCall(scope, result, call, NULL);
}

CUCOPY_COLD static CUresult refused(CUstream stream, cucopyStep step, struct cucopyCall call, const char *reason)
{
    struct cucopyScope scope = {.stream = stream, .step = step};
    return cucopyFailCall(&scope, CUDA_ERROR_INVALID_VALUE, call, reason);
}

CUresult cucopyGuardEnter(cucopyGuard *guard, CUstream stream)
{
    struct cucopyScope scope;
    if (!guard)
        return refused(stream, CUCOPY_STEP_ENTER, CUCOPY_THIS_CALL, "guard is NULL");
    const CUresult result = cucopyScopeEnter(&scope, stream);
    return entered(guard, &scope, result, CUCOPY_THIS_CALL);
}

CUresult cucopyGuardEnterContext(cucopyGuard *guard, CUcontext context)
{
    struct cucopyScope scope = {.target = context, .step = CUCOPY_STEP_QUERY};
    if (!guard)
        return refused(NULL, CUCOPY_STEP_ENTER, CUCOPY_THIS_CALL, "guard is NULL");
    *guard = (cucopyGuard){.pushed = NULL};
    if (!context)
        return refused(NULL, CUCOPY_STEP_ENTER, CUCOPY_THIS_CALL, "context is NULL");
    const CUresult result = cucopyScopeEnterTarget(&scope);
    return entered(guard, &scope, result, CUCOPY_THIS_CALL);
}

/* What is on top now is what explains it. */
CUCOPY_COLD static CUresult unexited(CUcontext pushed, CUresult result, struct cucopyCall call)
{
    struct cucopyScope scope = {.target = pushed, .step = CUCOPY_STEP_RESTORE};
    (void)cudrvCtxGetCurrent(&scope.current);
    return cucopyFailCall(&scope, result, call, NULL);
}

CUresult cucopyGuardExit(cucopyGuard *guard)
{
    if (!guard)
        return refused(NULL, CUCOPY_STEP_RESTORE, CUCOPY_THIS_CALL, "guard is NULL");
    if (!guard->pushed)
        return CUDA_SUCCESS;
    const CUcontext pushed = guard->pushed;
    const CUresult result = cucopyPop(&guard->pushed);
    return result == CUDA_SUCCESS ? result : unexited(pushed, result, CUCOPY_THIS_CALL);
}
