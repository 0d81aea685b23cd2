/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guard that callers put around raw calls: a scope that outlives the function that entered it.
 */
#include "copy/failure.h"
#include "copy/scope.h"

_Static_assert(sizeof(cucopyGuard) == 32 && _Alignof(cucopyGuard) == 8, "the guard's size is a promise");

/* A guard keeps what was pushed, and nothing if entering failed: its exit is then harmless. */
static CUresult entered(cucopyGuard *guard, const struct cucopyScope *scope, CUresult result, const char *function)
{
    *guard = (cucopyGuard){.pushed = scope->pushed};
    return result == CUDA_SUCCESS
               ? result
               : cucopyFail(scope, result, &(cucopyFailure){.function = function, .entry = CUCOPY_NO_ENTRY});
}

static CUresult refused(const char *function)
{
    const struct cucopyScope scope = {.step = CUCOPY_STEP_ENTER};
    return cucopyFail(&scope, CUDA_ERROR_INVALID_VALUE,
                      &(cucopyFailure){.function = function, .entry = CUCOPY_NO_ENTRY});
}

CUresult cucopyGuardEnter(cucopyGuard *guard, CUstream stream)
{
    struct cucopyScope scope;
    if (!guard)
        return refused(__func__);
    const CUresult result = cucopyScopeEnter(&scope, stream);
    return entered(guard, &scope, result, __func__);
}

CUresult cucopyGuardEnterContext(cucopyGuard *guard, CUcontext context)
{
    struct cucopyScope scope = {.target = context, .step = CUCOPY_STEP_QUERY};
    if (!guard)
        return refused(__func__);
    *guard = (cucopyGuard){.pushed = NULL};
    if (!context)
        return refused(__func__);
    const CUresult result = cucopyScopeEnterTarget(&scope);
    return entered(guard, &scope, result, __func__);
}

CUresult cucopyGuardExit(cucopyGuard *guard)
{
    if (!guard)
        return refused(__func__);
    if (!guard->pushed)
        return CUDA_SUCCESS;
    const struct cucopyScope scope = {.target = guard->pushed, .step = CUCOPY_STEP_RESTORE};
    const CUresult result = cucopyPop(&guard->pushed);
    return result == CUDA_SUCCESS
               ? result
               : cucopyFail(&scope, result, &(cucopyFailure){.function = __func__, .entry = CUCOPY_NO_ENTRY});
}
