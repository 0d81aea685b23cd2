/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

#include "capture.h"
#include "device.h"
#include "green.h"
#include "thread.h"

#include <stdlib.h>

static void dispose(void *object)
{
    Stream *stream = object;
    opRelease(stream->tail);
    free(stream->last);
    stream->tail = NULL;
    stream->last = NULL;
}

Stream *streamCreate(Context *context, StreamKind kind, unsigned flags, int priority)
{
    Stream *stream = objectCreate(OBJECT_STREAM, sizeof *stream, dispose);
    stream->kind = kind;
    stream->context = context;
    stream->flags = flags;
    stream->priority = priority;
    stream->id = kind == STREAM_LEGACY ? context->legacyId : contextNextId(1);
    stream->next = context->streams;
    context->streams = stream;
    if (kind == STREAM_PER_THREAD)
        stream->thread = threadSelf()->id;
    if (kind != STREAM_EXPLICIT)
        objectMakeInternal(stream);
    return stream;
}

void streamEnd(Stream *stream)
{
    captureForget(stream);
    Stream **link = &stream->context->streams;
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    objectDestroy(stream);
}

void streamEndAll(Context *context)
{
    while (context->streams != NULL)
        streamEnd(context->streams);
}

static Stream *specialStream(Context *context, StreamKind kind)
{
    const unsigned long thread = threadSelf()->id;
    for (Stream *stream = context->streams; stream != NULL; stream = stream->next) {
        if (stream->kind == kind && (kind == STREAM_LEGACY || stream->thread == thread))
            return stream;
    }
    return streamCreate(context, kind, CU_STREAM_DEFAULT, 0);
}

static CUresult resolveSpecial(StreamKind kind, Stream **stream)
{
    Context *context;
    const CUresult result = contextRequire(&context);
    if (result != CUDA_SUCCESS)
        return result;
    /* Measured: there is no per-thread default stream of a green context. */
    if (kind == STREAM_PER_THREAD && context->kind == CONTEXT_GREEN)
        return CUDA_ERROR_INVALID_HANDLE;
    *stream = specialStream(context, kind);
    return CUDA_SUCCESS;
}

CUresult streamResolve(CUstream handle, bool perThread, Stream **stream)
{
    if (handle == CU_STREAM_PER_THREAD || (handle == NULL && perThread))
        return resolveSpecial(STREAM_PER_THREAD, stream);
    if (handle == CU_STREAM_LEGACY || handle == NULL)
        return resolveSpecial(STREAM_LEGACY, stream);
    *stream = objectFind(handle, OBJECT_STREAM);
    if (*stream == NULL)
        crash("stream %p %s", (void *)handle,
              objectIsDestroyed(handle, OBJECT_STREAM) ? "was destroyed" : "is not a stream");
    return deviceError((*stream)->context->device);
}

bool streamIsBlocking(const Stream *stream)
{
    return stream->kind != STREAM_LEGACY && (stream->flags & CU_STREAM_NON_BLOCKING) == 0;
}

CUresult streamForWork(CUstream handle, bool perThread, Stream **stream)
{
    const CUresult result = streamResolve(handle, perThread, stream);
    return result == CUDA_SUCCESS ? captureAllowsWork(*stream) : result;
}

void streamAppend(Stream *stream, Op *op)
{
    opAfter(op, stream->tail);
    if (stream->kind == STREAM_LEGACY) {
        for (Stream *other = stream->context->streams; other != NULL; other = other->next) {
            if (streamIsBlocking(other))
                opAfter(op, other->tail);
        }
    } else if (streamIsBlocking(stream)) {
        for (Stream *other = stream->context->streams; other != NULL; other = other->next) {
            if (other->kind == STREAM_LEGACY)
                opAfter(op, other->tail);
        }
    }
    opRelease(stream->tail);
    stream->tail = opRetain(op);
}

CUresult streamSubmit(Stream *stream, Work *work, Op **issued)
{
    if (issued != NULL)
        *issued = NULL;
    if (stream->capture != NULL)
        return captureWork(stream, work);
    Op *op = opCreate(stream->context, work);
    streamAppend(stream, op);
    opIssue(op);
    if (issued != NULL)
        *issued = op;
    else
        opRelease(op);
    return CUDA_SUCCESS;
}

bool streamIsIdle(const Stream *stream)
{
    if (stream->tail != NULL && !opIsDone(stream->tail))
        return false;
    for (const Stream *other = stream->context->streams; other != NULL; other = other->next) {
        const bool ordered = stream->kind == STREAM_LEGACY ? streamIsBlocking(other)
                                                           : streamIsBlocking(stream) && other->kind == STREAM_LEGACY;
        if (ordered && other->tail != NULL && !opIsDone(other->tail))
            return false;
    }
    return true;
}

void streamWait(Stream *stream)
{
    if (stream->kind == STREAM_LEGACY) {
        /* What a marker in it would wait for. */
        Work nothing = {.kind = WORK_NOTHING};
        Op *marker;
        streamSubmit(stream, &nothing, &marker);
        opWait(marker);
        opRelease(marker);
    } else if (stream->tail != NULL) {
        opWait(stream->tail);
    }
}

CUresult streamContextCaptures(const Context *context)
{
    CUresult result = CUDA_SUCCESS;
    for (Stream *stream = context->streams; stream != NULL; stream = stream->next) {
        if (stream->capture != NULL) {
            captureInvalidate(stream->capture);
            result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        }
    }
    return result;
}

static CUresult create(CUstream *out, unsigned flags, int priority)
{
    Context *context;
    const CUresult result = contextRequire(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (out == NULL || (flags & ~(unsigned)CU_STREAM_NON_BLOCKING) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    const int clamped = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    *out = (CUstream)streamCreate(context, STREAM_EXPLICIT, flags, clamped);
    return CUDA_SUCCESS;
}

/* It returns at once; what is pending still runs. */
static CUresult destroy(CUstream handle)
{
    Stream *stream = objectFind(handle, OBJECT_STREAM);
    if (handle == NULL || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD)
        return CUDA_ERROR_INVALID_HANDLE;
    if (stream == NULL)
        crash("stream %p %s", (void *)handle,
              objectIsDestroyed(handle, OBJECT_STREAM) ? "was destroyed before" : "is not a stream");
    streamEnd(stream);
    return CUDA_SUCCESS;
}

/* Measured: waiting for a stream ends the captures that an unsafe call ends, though it takes no part in them. */
static CUresult synchronize(CUstream handle, bool perThread)
{
    Stream *stream;
    CUresult result = streamResolve(handle, perThread, &stream);
    if (result == CUDA_SUCCESS)
        result = captureAllowsWaiting(stream);
    if (result == CUDA_SUCCESS)
        result = captureAllowsUnsafeCall();
    if (result != CUDA_SUCCESS)
        return result;
    const int device = stream->context->device;
    streamWait(stream);
    return deviceError(device);
}

static CUresult query(CUstream handle, bool perThread)
{
    Stream *stream;
    CUresult result = streamResolve(handle, perThread, &stream);
    if (result == CUDA_SUCCESS)
        result = captureAllowsWaiting(stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (streamIsIdle(stream))
        return CUDA_SUCCESS;
    execHurry();
    return CUDA_ERROR_NOT_READY;
}

/* Measured: for a green context's stream this is the green context as a CUcontext. */
static CUresult getContext(CUstream handle, bool perThread, CUcontext *context)
{
    if (context == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    Stream *stream;
    CUresult result = streamResolve(handle, perThread, &stream);
    if (result == CUDA_SUCCESS && stream->capture != NULL && stream->capture->lost)
        result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED; /* measured */
    if (result == CUDA_SUCCESS)
        *context = (CUcontext)stream->context;
    return result;
}

/* Measured: the primary context and the green one beside it; NULL for green where there is none. */
static CUresult getContextAndGreen(CUstream handle, bool perThread, CUcontext *context, CUgreenCtx *green)
{
    if (context == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    Stream *stream;
    const CUresult result = streamResolve(handle, perThread, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    const bool isGreen = stream->context->kind == CONTEXT_GREEN;
    *context = (CUcontext)(isGreen ? contextPrimary(stream->context->device) : stream->context);
    if (green != NULL)
        *green = (CUgreenCtx)stream->context->green;
    return CUDA_SUCCESS;
}

static CUresult getGreen(CUstream handle, CUgreenCtx *green)
{
    if (green == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    Stream *stream;
    const CUresult result = streamResolve(handle, false, &stream);
    if (result == CUDA_SUCCESS)
        *green = (CUgreenCtx)stream->context->green;
    return result;
}

/* Measured: asking a capturing stream for its id or device ends the capture. */
static CUresult resolveUncaptured(CUstream handle, bool perThread, Stream **stream)
{
    const CUresult result = streamResolve(handle, perThread, stream);
    if (result != CUDA_SUCCESS || (*stream)->capture == NULL)
        return result;
    captureInvalidate((*stream)->capture);
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

static CUresult getId(CUstream handle, bool perThread, unsigned long long *id)
{
    if (id == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    Stream *stream;
    const CUresult result = resolveUncaptured(handle, perThread, &stream);
    if (result == CUDA_SUCCESS)
        *id = stream->id;
    return result;
}

static CUresult getDevice(CUstream handle, bool perThread, CUdevice *device)
{
    if (device == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    Stream *stream;
    const CUresult result = resolveUncaptured(handle, perThread, &stream);
    if (result == CUDA_SUCCESS)
        *device = stream->context->device;
    return result;
}

static CUresult getFlags(CUstream handle, bool perThread, unsigned *flags)
{
    if (flags == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    Stream *stream;
    const CUresult result = streamResolve(handle, perThread, &stream);
    if (result == CUDA_SUCCESS)
        *flags = stream->flags;
    return result;
}

static CUresult getPriority(CUstream handle, bool perThread, int *priority)
{
    if (priority == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    Stream *stream;
    const CUresult result = streamResolve(handle, perThread, &stream);
    if (result == CUDA_SUCCESS)
        *priority = stream->priority;
    return result;
}

API(cuStreamCreate, (CUstream * stream, unsigned flags), create(stream, flags, 0))
API(cuStreamCreateWithPriority, (CUstream * stream, unsigned flags, int priority), create(stream, flags, priority))
API(cuStreamDestroy, (CUstream stream), destroy(stream))
API(cuStreamDestroy_v2, (CUstream stream), destroy(stream))
API_PTSZ(cuStreamSynchronize, (CUstream stream), synchronize(stream, perThread))
API_PTSZ(cuStreamQuery, (CUstream stream), query(stream, perThread))
API_PTSZ(cuStreamGetCtx, (CUstream stream, CUcontext *context), getContext(stream, perThread, context))
API_PTSZ(cuStreamGetCtx_v2, (CUstream stream, CUcontext *context, CUgreenCtx *green),
         getContextAndGreen(stream, perThread, context, green))
API(cuStreamGetGreenCtx, (CUstream stream, CUgreenCtx *green), getGreen(stream, green))
API_PTSZ(cuStreamGetId, (CUstream stream, unsigned long long *id), getId(stream, perThread, id))
API_PTSZ(cuStreamGetDevice, (CUstream stream, CUdevice *device), getDevice(stream, perThread, device))
API_PTSZ(cuStreamGetFlags, (CUstream stream, unsigned *flags), getFlags(stream, perThread, flags))
API_PTSZ(cuStreamGetPriority, (CUstream stream, int *priority), getPriority(stream, perThread, priority))
