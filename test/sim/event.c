/* SPDX-License-Identifier: Apache-2.0 */
#include "event.h"

#include "capture.h"
#include "check.h"
#include "device.h"

#include <stdlib.h>

void eventForget(Event *event)
{
    opRelease(event->op);
    captureRelease(event->capture);
    free(event->nodes);
    event->op = NULL;
    event->capture = NULL;
    event->nodes = NULL;
    event->nodeCount = 0;
}

static void dispose(void *object)
{
    eventForget(object);
}

static void endIfOf(void *object, void *context)
{
    if (((Event *)object)->context == context)
        objectDestroy(object);
}

void eventEndAll(const Context *context)
{
    objectEach(OBJECT_EVENT, endIfOf, (void *)context);
}

static CUresult create(CUevent *out, unsigned flags)
{
    Context *context;
    const CUresult result = contextRequire(&context);
    if (result == CUDA_ERROR_CONTEXT_IS_DESTROYED)
        crash("the current context was destroyed"); /* measured: SIGABRT */
    if (result != CUDA_SUCCESS)
        return result;
    if (out == NULL || (flags & ~7u) != 0 ||
        ((flags & CU_EVENT_INTERPROCESS) != 0 && (flags & CU_EVENT_DISABLE_TIMING) == 0))
        return CUDA_ERROR_INVALID_VALUE;
    Event *event = objectCreate(OBJECT_EVENT, sizeof *event, dispose);
    event->context = context;
    event->flags = flags;
    *out = (CUevent)event;
    return CUDA_SUCCESS;
}

static CUresult find(CUevent handle, Event **event)
{
    *event = checkFind(handle, OBJECT_EVENT);
    return *event != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult destroy(CUevent handle)
{
    Event *event;
    const CUresult result = find(handle, &event);
    if (result != CUDA_SUCCESS)
        return result;
    objectDestroy(event);
    return CUDA_SUCCESS;
}

static CUresult record(CUevent handle, CUstream streamHandle, bool perThread, unsigned flags)
{
    Event *event;
    Stream *stream;
    CUresult result = streamForWork(streamHandle, perThread, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    result = find(handle, &event);
    if (result != CUDA_SUCCESS)
        return result;
    if ((flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (contextBase(event->context) != contextBase(stream->context))
        return CUDA_ERROR_INVALID_HANDLE;
    if (stream->capture != NULL) {
        if (flags != 0) {
            say("external event nodes are not modelled");
            return CUDA_ERROR_NOT_SUPPORTED;
        }
        return captureRecord(stream, event);
    }
    eventForget(event);
    Work nothing = {.kind = WORK_NOTHING};
    return streamSubmit(stream, &nothing, &event->op);
}

static CUresult wait(CUstream streamHandle, bool perThread, CUevent handle, unsigned flags)
{
    Event *event;
    Stream *stream;
    CUresult result = streamForWork(streamHandle, perThread, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    result = find(handle, &event);
    if (result != CUDA_SUCCESS)
        return result;
    if ((flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (event->capture != NULL || stream->capture != NULL)
        return captureWait(stream, event);
    if (event->op == NULL || opIsDone(event->op))
        return CUDA_SUCCESS;
    Work nothing = {.kind = WORK_NOTHING};
    Op *op = opCreate(stream->context, &nothing);
    opAfter(op, event->op);
    streamAppend(stream, op);
    opIssue(op);
    opRelease(op);
    return CUDA_SUCCESS;
}

/* The event for a call that asks about its completion. */
static CUresult findForQuery(CUevent handle, Event **event)
{
    const CUresult result = find(handle, event);
    if (result != CUDA_SUCCESS)
        return result;
    if (deviceError((*event)->context->device) != CUDA_SUCCESS)
        return deviceError((*event)->context->device);
    if ((*event)->capture != NULL) {
        captureInvalidate((*event)->capture);
        return CUDA_ERROR_CAPTURED_EVENT;
    }
    return captureAllowsUnsafeCall();
}

static CUresult query(CUevent handle)
{
    Event *event;
    const CUresult result = findForQuery(handle, &event);
    if (result != CUDA_SUCCESS || event->op == NULL || opIsDone(event->op))
        return result;
    execHurry();
    return CUDA_ERROR_NOT_READY;
}

static CUresult synchronize(CUevent handle)
{
    Event *event;
    const CUresult result = findForQuery(handle, &event);
    if (result != CUDA_SUCCESS || event->op == NULL)
        return result;
    const int device = event->context->device;
    opWait(event->op);
    return deviceError(device);
}

static CUresult elapsedTime(float *milliseconds, CUevent startHandle, CUevent endHandle)
{
    Event *start;
    Event *end;
    if (milliseconds == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (find(startHandle, &start) != CUDA_SUCCESS || find(endHandle, &end) != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_HANDLE;
    if (((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) != 0 || start->op == NULL || end->op == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!opIsDone(start->op) || !opIsDone(end->op)) {
        execHurry();
        return CUDA_ERROR_NOT_READY;
    }
    const double nanoseconds = (double)opFinishTime(end->op) - (double)opFinishTime(start->op);
    *milliseconds = (float)(nanoseconds / 1e6);
    return CUDA_SUCCESS;
}

API(cuEventCreate, (CUevent * event, unsigned flags), create(event, flags))
API(cuEventDestroy, (CUevent event), destroy(event))
API(cuEventDestroy_v2, (CUevent event), destroy(event))
API_PTSZ(cuEventRecord, (CUevent event, CUstream stream), record(event, stream, perThread, 0))
API_PTSZ(cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned flags),
         record(event, stream, perThread, flags))
API_PTSZ(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags), wait(stream, perThread, event, flags))
API(cuEventQuery, (CUevent event), query(event))
API(cuEventSynchronize, (CUevent event), synchronize(event))
API(cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent end), elapsedTime(milliseconds, start, end))
API(cuEventElapsedTime_v2, (float *milliseconds, CUevent start, CUevent end), elapsedTime(milliseconds, start, end))
