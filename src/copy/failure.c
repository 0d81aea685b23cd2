/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last failure of each thread. Only a call that fails comes here; explain.c turns a record into words.
 */
#include "copy/failure.h"

#include <string.h>

#if defined(_MSC_VER)
#define THREAD_LOCAL __declspec(thread)
#else
#define THREAD_LOCAL _Thread_local
#endif

/* The record as the first version had it; later ones only append. */
#define FIRST_SIZE (offsetof(cucopyFailure, entriesEnqueued) + sizeof(size_t))

static THREAD_LOCAL cucopyFailure last; /* size 0: none yet */

CUresult cucopyFail(const struct cucopyScope *scope, CUresult result, const cucopyFailure *what)
{
    last = *what;
    last.size = sizeof(last);
    last.step = cudrvPath() ? scope->step : CUCOPY_STEP_LOAD;
    last.result = result;
    last.stream = scope->stream;
    last.streamContext = scope->target;
    last.currentContext = scope->current;
    last.streamDevice = -1;
    last.currentDevice = -1;
    last.enqueued = last.step == CUCOPY_STEP_RESTORE;
    return result;
}

CUresult cucopyFailCopy(const struct cucopyScope *scope, CUresult result, const char *function, CUdeviceptr dst,
                        CUdeviceptr src, size_t bytes)
{
    return cucopyFail(
        scope, result,
        &(cucopyFailure){.function = function, .dst = dst, .src = src, .bytes = bytes, .entry = CUCOPY_NO_ENTRY});
}

CUresult cucopyLastFailure(cucopyFailure *failure)
{
    if (!failure || failure->size < FIRST_SIZE)
        return CUDA_ERROR_INVALID_VALUE;
    if (!last.size)
        return CUDA_ERROR_NOT_FOUND;
    const size_t size = failure->size < sizeof(last) ? failure->size : sizeof(last);
    memcpy(failure, &last, size);
    failure->size = size;
    return CUDA_SUCCESS;
}
