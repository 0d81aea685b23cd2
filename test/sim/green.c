/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Green contexts. A resource is a number of multiprocessors; a split takes whole groups of eight, as on the measured
 * device, and what is left is the remainder.
 */
#include "green.h"

#include "check.h"
#include "device.h"
#include "event.h"
#include "exec.h"
#include "stream.h"

#include <string.h>

enum { SM_GROUP = 8 };

typedef struct Descriptor {
    Object object;
    unsigned multiprocessors;
} Descriptor;

static void setResource(CUdevResource *resource, unsigned multiprocessors)
{
    /* smCount, minSmPartitionSize, smCoscheduledAlignment; headers before 13.0 declare the first alone. */
    const unsigned values[] = {multiprocessors, SM_GROUP, SM_GROUP};
    memset(resource, 0, sizeof *resource);
    resource->type = CU_DEV_RESOURCE_TYPE_SM;
    memcpy((unsigned char *)resource + offsetof(CUdevResource, sm), values, sizeof values);
}

static CUresult giveResource(CUdevResource *resource, CUdevResourceType type, unsigned multiprocessors)
{
    if (resource == NULL || type != CU_DEV_RESOURCE_TYPE_SM)
        return type == CU_DEV_RESOURCE_TYPE_SM ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_RESOURCE_TYPE;
    setResource(resource, multiprocessors);
    return CUDA_SUCCESS;
}

static CUresult ofDevice(CUdevice device, CUdevResource *resource, CUdevResourceType type)
{
    if (!deviceIsValid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    return giveResource(resource, type, DEVICE_MULTIPROCESSORS);
}

static CUresult ofContext(CUcontext handle, CUdevResource *resource, CUdevResourceType type)
{
    const Context *context = contextFind(handle);
    if (context == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    return giveResource(resource, type,
                        context->green != NULL ? context->green->multiprocessors : DEVICE_MULTIPROCESSORS);
}

static CUresult find(CUgreenCtx handle, GreenContext **green)
{
    *green = checkFind(handle, OBJECT_GREEN_CONTEXT);
    return *green != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult ofGreen(CUgreenCtx handle, CUdevResource *resource, CUdevResourceType type)
{
    GreenContext *green;
    const CUresult result = find(handle, &green);
    return result == CUDA_SUCCESS ? giveResource(resource, type, green->multiprocessors) : result;
}

static CUresult split(CUdevResource *groups, unsigned *count, const CUdevResource *input, CUdevResource *rest,
                      unsigned flags, unsigned least)
{
    if (count == NULL || input == NULL || flags > 3)
        return CUDA_ERROR_INVALID_VALUE;
    if (input->type != CU_DEV_RESOURCE_TYPE_SM)
        return CUDA_ERROR_INVALID_RESOURCE_TYPE;
    const unsigned available = input->sm.smCount;
    const unsigned size = least == 0 ? SM_GROUP : (least + SM_GROUP - 1) / SM_GROUP * SM_GROUP;
    if (size > available)
        return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    const unsigned possible = available / size;
    /* Without an output the number of groups is the answer. */
    if (groups == NULL) {
        *count = possible;
        return CUDA_SUCCESS;
    }
    if (*count > possible)
        *count = possible;
    for (unsigned i = 0; i < *count; i++)
        setResource(&groups[i], size);
    if (rest != NULL) {
        setResource(rest, available - *count * size);
        if (rest->sm.smCount == 0)
            rest->type = CU_DEV_RESOURCE_TYPE_INVALID;
    }
    return CUDA_SUCCESS;
}

static CUresult describe(CUdevResourceDesc *out, const CUdevResource *resources, unsigned count)
{
    if (out == NULL || resources == NULL || count == 0)
        return CUDA_ERROR_INVALID_VALUE;
    unsigned sum = 0;
    for (unsigned i = 0; i < count; i++) {
        if (resources[i].type != CU_DEV_RESOURCE_TYPE_SM)
            return CUDA_ERROR_INVALID_RESOURCE_TYPE;
        sum += resources[i].sm.smCount;
    }
    Descriptor *descriptor = objectCreate(OBJECT_RESOURCE_DESCRIPTOR, sizeof *descriptor, NULL);
    objectMakeInternal(descriptor); /* there is no call to destroy one */
    descriptor->multiprocessors = sum;
    *out = (CUdevResourceDesc)descriptor;
    return CUDA_SUCCESS;
}

static CUresult create(CUgreenCtx *out, CUdevResourceDesc handle, CUdevice device, unsigned flags)
{
    const Descriptor *descriptor = objectFind(handle, OBJECT_RESOURCE_DESCRIPTOR);
    if (out == NULL || descriptor == NULL || flags != CU_GREEN_CTX_DEFAULT_STREAM)
        return CUDA_ERROR_INVALID_VALUE;
    if (!deviceIsValid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (deviceError(device) != CUDA_SUCCESS)
        return deviceError(device);
    /* It stands on the primary context and retains it. */
    primaryRetain(device);
    GreenContext *green = objectCreate(OBJECT_GREEN_CONTEXT, sizeof *green, NULL);
    green->multiprocessors = descriptor->multiprocessors;
    green->context = contextCreate(CONTEXT_GREEN, device, 0);
    green->context->green = green;
    *out = (CUgreenCtx)green;
    return CUDA_SUCCESS;
}

static CUresult destroy(CUgreenCtx handle)
{
    GreenContext *green;
    const CUresult result = find(handle, &green);
    if (result != CUDA_SUCCESS)
        return result;
    const int device = green->context->device;
    contextDestroy(green->context);
    objectDestroy(green);
    primaryRelease(device);
    return CUDA_SUCCESS;
}

/* Measured: the same handle every time. */
static CUresult asContext(CUcontext *out, CUgreenCtx handle)
{
    GreenContext *green;
    if (out == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = find(handle, &green);
    if (result == CUDA_SUCCESS)
        *out = (CUcontext)green->context;
    return result;
}

static CUresult getId(CUgreenCtx handle, unsigned long long *id)
{
    GreenContext *green;
    if (id == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = find(handle, &green);
    if (result == CUDA_SUCCESS)
        *id = green->context->id;
    return result;
}

static CUresult createStream(CUstream *out, CUgreenCtx handle, unsigned flags, int priority)
{
    GreenContext *green;
    const CUresult result = find(handle, &green);
    if (result != CUDA_SUCCESS)
        return result;
    if (out == NULL || flags != CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    const int clamped = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    *out = (CUstream)streamCreate(green->context, STREAM_EXPLICIT, flags, clamped);
    return CUDA_SUCCESS;
}

/* An event that is done when everything issued in the context so far is. */
static CUresult record(Context *context, CUevent handle)
{
    Event *event = objectFind(handle, OBJECT_EVENT);
    if (event == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (deviceError(context->device) != CUDA_SUCCESS)
        return deviceError(context->device);
    const CUresult result = streamContextCaptures(context);
    if (result != CUDA_SUCCESS)
        return result;
    Work nothing = {.kind = WORK_NOTHING};
    Op *op = opCreate(context, &nothing);
    for (Stream *stream = context->streams; stream != NULL; stream = stream->next)
        opAfter(op, stream->tail);
    opIssue(op);
    eventForget(event);
    event->op = op;
    return CUDA_SUCCESS;
}

/* Everything issued in the context from now on waits for the event. */
static CUresult wait(Context *context, CUevent handle)
{
    const Event *event = objectFind(handle, OBJECT_EVENT);
    if (event == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (deviceError(context->device) != CUDA_SUCCESS)
        return deviceError(context->device);
    const CUresult result = streamContextCaptures(context);
    if (result != CUDA_SUCCESS || event->op == NULL || opIsDone(event->op))
        return result;
    for (Stream *stream = context->streams; stream != NULL; stream = stream->next) {
        Work nothing = {.kind = WORK_NOTHING};
        Op *op = opCreate(context, &nothing);
        opAfter(op, event->op);
        streamAppend(stream, op);
        opIssue(op);
        opRelease(op);
    }
    return CUDA_SUCCESS;
}

typedef CUresult (*EventAction)(Context *context, CUevent event);

static CUresult onContext(CUcontext handle, CUevent event, EventAction action)
{
    Context *context = contextFind(handle);
    return context != NULL ? action(context, event) : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult onGreen(CUgreenCtx handle, CUevent event, EventAction action)
{
    GreenContext *green;
    const CUresult result = find(handle, &green);
    return result == CUDA_SUCCESS ? action(green->context, event) : result;
}

API(cuDeviceGetDevResource, (CUdevice device, CUdevResource *resource, CUdevResourceType type),
    ofDevice(device, resource, type))
API(cuCtxGetDevResource, (CUcontext context, CUdevResource *resource, CUdevResourceType type),
    ofContext(context, resource, type))
API(cuGreenCtxGetDevResource, (CUgreenCtx green, CUdevResource *resource, CUdevResourceType type),
    ofGreen(green, resource, type))
API(cuDevSmResourceSplitByCount,
    (CUdevResource * groups, unsigned *count, const CUdevResource *input, CUdevResource *rest, unsigned flags,
     unsigned least),
    split(groups, count, input, rest, flags, least))
API(cuDevResourceGenerateDesc, (CUdevResourceDesc * descriptor, CUdevResource *resources, unsigned count),
    describe(descriptor, resources, count))
API(cuGreenCtxCreate, (CUgreenCtx * green, CUdevResourceDesc descriptor, CUdevice device, unsigned flags),
    create(green, descriptor, device, flags))
API(cuGreenCtxDestroy, (CUgreenCtx green), destroy(green))
API(cuCtxFromGreenCtx, (CUcontext * context, CUgreenCtx green), asContext(context, green))
API(cuGreenCtxGetId, (CUgreenCtx green, unsigned long long *id), getId(green, id))
API(cuGreenCtxStreamCreate, (CUstream * stream, CUgreenCtx green, unsigned flags, int priority),
    createStream(stream, green, flags, priority))
API(cuGreenCtxRecordEvent, (CUgreenCtx green, CUevent event), onGreen(green, event, record))
API(cuGreenCtxWaitEvent, (CUgreenCtx green, CUevent event), onGreen(green, event, wait))
API(cuCtxRecordEvent, (CUcontext context, CUevent event), onContext(context, event, record))
API(cuCtxWaitEvent, (CUcontext context, CUevent event), onContext(context, event, wait))
