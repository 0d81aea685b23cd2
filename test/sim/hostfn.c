/* SPDX-License-Identifier: Apache-2.0 */
/* Host functions in a stream: they run on a thread of their own, in stream order, and may call next to nothing. */
#include "device.h"
#include "stream.h"

static CUresult launch(CUstream handle, bool perThread, HostWork host, WorkKind kind)
{
    Stream *stream;
    const CUresult result = streamForWork(handle, perThread, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (host.function == NULL && host.callback == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    Work work = {.kind = kind, .host = host};
    return streamSubmit(stream, &work, NULL);
}

static CUresult addCallback(CUstream handle, bool perThread, CUstreamCallback callback, void *data, unsigned flags)
{
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    Stream *stream;
    const CUresult result = streamForWork(handle, perThread, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    /* The driver's own documentation: this older call cannot be captured. */
    if (stream->capture != NULL)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return launch(handle, perThread, (HostWork){.callback = callback, .stream = handle, .data = data}, WORK_CALLBACK);
}

API_PTSZ(cuLaunchHostFunc, (CUstream stream, CUhostFn function, void *data),
         launch(stream, perThread, (HostWork){.function = function, .data = data}, WORK_HOST_FUNCTION))
API_PTSZ(cuStreamAddCallback, (CUstream stream, CUstreamCallback callback, void *data, unsigned flags),
         addCallback(stream, perThread, callback, data, flags))
