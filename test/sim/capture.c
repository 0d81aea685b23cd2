/* SPDX-License-Identifier: Apache-2.0 */
#include "capture.h"
CUresult captureAllowsWork(Stream *stream)
{
    (void)stream;
    return CUDA_SUCCESS;
}
CUresult captureAllowsWaiting(Stream *stream)
{
    (void)stream;
    return CUDA_SUCCESS;
}
CUresult captureAllowsUnsafeCall(void)
{
    return CUDA_SUCCESS;
}
CUresult captureWork(Stream *stream, Work *work)
{
    (void)stream;
    (void)work;
    return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult captureAllocate(Stream *stream, uintptr_t base)
{
    (void)stream;
    (void)base;
    return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult captureFree(Stream *stream, uintptr_t base)
{
    (void)stream;
    (void)base;
    return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult captureRecord(Stream *stream, Event *event)
{
    (void)stream;
    (void)event;
    return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult captureWait(Stream *stream, Event *event)
{
    (void)stream;
    (void)event;
    return CUDA_ERROR_NOT_SUPPORTED;
}
void captureInvalidate(Capture *capture)
{
    (void)capture;
}
void captureForget(Stream *stream)
{
    (void)stream;
}
