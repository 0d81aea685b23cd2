/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last failure of each thread. Only a call that fails comes here. What is asked of the driver here is what nobody
 * could ask later, and only what was seen to do no harm in any state: under a capture of this or another thread, with
 * contexts destroyed, with no context. If it does not answer, the record says that it is unknown.
 */
#include "copy/failure.h"

#include "copy/owner.h"

#include <stdio.h>
#include <string.h>

#if defined(_MSC_VER)
#define THREAD_LOCAL __declspec(thread)
#else
#define THREAD_LOCAL _Thread_local
#endif

/* The record as the first version had it; later ones only append. */
#define FIRST_SIZE (offsetof(cucopyFailure, stillPushed) + sizeof(CUcontext))

static THREAD_LOCAL cucopyFailure last; /* size 0: none yet */

int cucopyIsPerThread(const char *function)
{
    return function && strstr(function, "_ptsz") != NULL;
}

int cucopyIsSticky(CUresult result)
{
    switch ((int)result) {
    case 214: /* ECC_UNCORRECTABLE */
    case 220: /* NVLINK_UNCORRECTABLE */
    case 226: /* CONTAINED */
    case 700: /* ILLEGAL_ADDRESS */
    case 702: /* LAUNCH_TIMEOUT */
    case 710: /* ASSERT */
    case 714: /* HARDWARE_STACK_ERROR */
    case 715: /* ILLEGAL_INSTRUCTION */
    case 716: /* MISALIGNED_ADDRESS */
    case 717: /* INVALID_ADDRESS_SPACE */
    case 718: /* INVALID_PC */
    case 719: /* LAUNCH_FAILED */
        return 1;
    default:
        return 0;
    }
}

int cucopyIsSilent(CUresult result)
{
    return cucopyIsSticky(result) || result == CUDA_ERROR_NOT_INITIALIZED || result == CUDA_ERROR_DEINITIALIZED ||
           result == CUDA_ERROR_NOT_PERMITTED;
}

cucopyAccess cucopyAccessHere(CUdeviceptr address)
{
    CUmemorytype type = 0;
    unsigned int flags = CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE;
    CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS};
    void *answers[] = {&type, &flags};
    if (!address || cudrvPointerGetAttributes(2, asked, answers, address) != CUDA_SUCCESS || !type)
        return CUCOPY_ACCESS_UNKNOWN;
    return flags == CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE ? CUCOPY_ACCESS_READ_WRITE
           : flags == CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ    ? CUCOPY_ACCESS_READ
                                                               : CUCOPY_ACCESS_NONE;
}

/* cuCtxGetId also tells, safely, that a context was destroyed. */
static cucopyContextState askContext(CUcontext context, unsigned long long *id)
{
    *id = 0;
    switch (cudrvCtxGetId(context, id)) {
    case CUDA_SUCCESS:
        return CUCOPY_CONTEXT_ALIVE;
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
        return CUCOPY_CONTEXT_DESTROYED;
    default:
        return CUCOPY_CONTEXT_UNKNOWN;
    }
}

/* Drivers before 13.0 know only the device of the current context. */
static int deviceOf(CUcontext context, CUcontext now)
{
    CUdevice device = -1;
    if (cudrvCtxGetDevice_v2(&device, context) == CUDA_SUCCESS)
        return device;
    return context == now && cudrvCtxGetDevice(&device) == CUDA_SUCCESS ? device : -1;
}

static cucopyCapture askCapture(CUstream stream, int perThread)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    switch (cudrvStreamIsCapturing(perThread && !stream ? CU_STREAM_PER_THREAD : stream, &status)) {
    case CUDA_SUCCESS:
        return status == CU_STREAM_CAPTURE_STATUS_NONE     ? CUCOPY_CAPTURE_NONE
               : status == CU_STREAM_CAPTURE_STATUS_ACTIVE ? CUCOPY_CAPTURE_ACTIVE
                                                           : CUCOPY_CAPTURE_INVALIDATED;
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
        return CUCOPY_CAPTURE_IMPLICIT;
    default:
        return CUCOPY_CAPTURE_UNKNOWN;
    }
}

/* With the context current that the copy ran in. */
static void askInContext(cucopyFailure *failure)
{
    CUdevice device = -1;
    if (cudrvCtxGetDevice(&device) == CUDA_SUCCESS)
        failure->streamDevice = device;
    failure->dstSide.access = cucopyAccessHere(failure->dst);
    failure->srcSide.access = cucopyAccessHere(failure->src);
}

/* The context that was current when the call began, and that is current again; known if the call has learned it. */
static CUcontext askCurrent(cucopyFailure *failure, int known)
{
    CUcontext now = NULL;
    const int learned = cudrvCtxGetCurrent(&now) == CUDA_SUCCESS;
    if (!known)
        failure->currentContext = now;
    if (failure->currentContext)
        failure->currentContextState = askContext(failure->currentContext, &failure->currentContextId);
    else if (known || learned)
        failure->currentContextState = CUCOPY_CONTEXT_NONE;
    if (failure->currentContext)
        failure->currentDevice =
            deviceOf(failure->currentContext, failure->currentContextState == CUCOPY_CONTEXT_DESTROYED ? NULL : now);
    return now;
}

/* A special stream belongs to the current context, so all is said of both; a context that the caller named himself need
 * not be one, so it may not be asked. */
static void askSpecialStream(cucopyFailure *failure)
{
    if (failure->streamContext)
        return;
    failure->streamContext = failure->currentContext;
    failure->streamContextState = failure->currentContextState;
    failure->streamContextId = failure->currentContextId;
    failure->streamDevice = failure->currentDevice;
    if (failure->currentContextState == CUCOPY_CONTEXT_NONE || failure->currentContextState == CUCOPY_CONTEXT_DESTROYED)
        return;
    if (failure->step == CUCOPY_STEP_COPY)
        askInContext(failure);
    failure->capture = askCapture(failure->stream, cucopyIsPerThread(failure->function));
}

static void askExplicitStream(cucopyFailure *failure, CUcontext now)
{
    /* Of a stream whose capture is spoiled not even the context is told. */
    if (failure->result == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
        failure->capture = CUCOPY_CAPTURE_INVALIDATED;
    if (!failure->streamContext)
        return;
    failure->streamContextState = askContext(failure->streamContext, &failure->streamContextId);
    if (failure->streamDevice < 0)
        failure->streamDevice = deviceOf(failure->streamContext, now);
    failure->capture = askCapture(failure->stream, 0);
}

/*
 * The entry point of the failing step, if that is what the driver lacks. A batch is not here: it makes do without the
 * driver's own, and its reason says what it could not do without.
 */
static const char *missingEntry(const struct cucopyScope *scope, const char *function)
{
    static const char *const copies[] = {
        "cuMemcpyAsync",     "cuMemcpyPeerAsync",   "cuMemcpyHtoDAsync",           "cuMemcpyDtoHAsync",
        "cuMemcpyDtoDAsync", "cuMemcpyHtoAAsync",   "cuMemcpyAtoHAsync",           "cuMemcpy2DAsync",
        "cuMemcpy3DAsync",   "cuMemcpy3DPeerAsync", "cuMemcpyWithAttributesAsync", "cuMemcpy3DWithAttributesAsync",
    };
    const char *const variant = cucopyIsPerThread(function) ? "_ptsz" : "";
    const char *missing = NULL;
    char name[64];
    switch (scope->step) {
    case CUCOPY_STEP_QUERY:
        missing = scope->target ? "cuCtxGetCurrent" : "cuStreamGetCtx";
        break;
    case CUCOPY_STEP_ENTER:
        missing = "cuCtxPushCurrent";
        break;
    case CUCOPY_STEP_RESTORE:
        missing = "cuCtxPopCurrent";
        break;
    default:
        for (size_t i = 0; i < sizeof(copies) / sizeof(*copies) && !missing; i++) {
            (void)snprintf(name, sizeof(name), "%s%s", copies[i], variant);
            if (!strcmp(name + strlen("cu"), function + strlen("cucopy")))
                missing = copies[i];
        }
        if (missing && cudrvHas(name))
            missing = NULL;
        return missing;
    }
    return cudrvHas(missing) ? NULL : missing;
}

CUresult cucopyFail(struct cucopyScope *scope, CUresult result, const cucopyFailure *what)
{
    const int loaded = cudrvPath() != NULL;
    cucopyFailure failure = *what;
    failure.size = sizeof(failure);
    failure.result = result;
    failure.step = loaded || result == CUDA_ERROR_INVALID_VALUE ? scope->step : CUCOPY_STEP_LOAD;
    if (!failure.caller)
        failure.caller = CUCOPY_CALLER;
    failure.stream = scope->stream;
    failure.streamContext = scope->target;
    failure.currentContext = scope->current;
    failure.streamDevice = failure.currentDevice = -1;
    failure.enqueued |= failure.step == CUCOPY_STEP_RESTORE && scope->pushed;

    const int mayAsk = loaded && !cucopyIsSilent(result);
    const int copying = failure.step == CUCOPY_STEP_COPY;
    const int special = cucopyStreamIsSpecial(scope->stream);
    if (mayAsk && copying && !special && (scope->pushed ? scope->pushed : scope->current) == scope->target)
        askInContext(&failure);
    if (copying && scope->pushed)
        (void)cucopyLeave(scope);
    failure.stillPushed = scope->pushed;
    if (mayAsk) {
        const int known = scope->target && (scope->step != CUCOPY_STEP_QUERY || scope->current);
        const CUcontext now = askCurrent(&failure, known);
        if (special)
            askSpecialStream(&failure);
        else
            askExplicitStream(&failure, now);
        (void)cudrvDriverGetVersion(&failure.driverVersion);
    }
    if (mayAsk && result == CUDA_ERROR_NOT_SUPPORTED && !failure.reason)
        failure.missing = missingEntry(scope, failure.function);

    last = failure;
    cucopyReport(&failure);
    last = failure; /* whatever failed in the handler */
    return result;
}

void cucopyObserveFailure(cucopyFailure *failure)
{
    if (!failure || failure->size < FIRST_SIZE || !cudrvPath())
        return;
    if (!failure->step)
        failure->step = CUCOPY_STEP_COPY;
    if (cucopyIsSilent(failure->result))
        return;
    const CUcontext now = askCurrent(failure, 0);
    if (cucopyStreamIsSpecial(failure->stream)) {
        askSpecialStream(failure);
    } else {
        if (cudrvStreamGetCtx(failure->stream, &failure->streamContext) != CUDA_SUCCESS)
            failure->streamContext = NULL;
        askExplicitStream(failure, now);
        if (now && failure->currentContextState != CUCOPY_CONTEXT_DESTROYED) {
            failure->dstSide.access = cucopyAccessHere(failure->dst);
            failure->srcSide.access = cucopyAccessHere(failure->src);
        }
    }
    (void)cudrvDriverGetVersion(&failure->driverVersion);
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
