/* SPDX-License-Identifier: Apache-2.0 */
/* Stream capture: streams whose work becomes nodes of a graph, and what kills a capture. */
#ifndef CUSIM_CAPTURE_H
#define CUSIM_CAPTURE_H

#include "event.h"
#include "stream.h"

typedef struct Capture Capture;

/* Whether work may be put into the stream: not if its capture is lost, nor into the legacy stream while a blocking
   stream of the context captures (CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, and that capture is lost). */
CUresult captureAllowsWork(Stream *stream);
/* Whether the host may wait for the stream or ask whether it is done: not while it captures. */
CUresult captureAllowsWaiting(Stream *stream);
/* Whether this thread may make a call that is unsafe under capture, such as cuMemAlloc. If not, CUDA_ERROR_STREAM_-
   CAPTURE_UNSUPPORTED, and the captures that forbid it are lost. */
CUresult captureAllowsUnsafeCall(void);

/* Work put into a capturing stream. */
CUresult captureWork(Stream *stream, Work *work);
CUresult captureAllocate(Stream *stream, uintptr_t base);
CUresult captureFree(Stream *stream, uintptr_t base);
/* An event recorded in a capturing stream; and a stream that waits for an event, where either is part of a capture. */
CUresult captureRecord(Stream *stream, Event *event);
CUresult captureWait(Stream *stream, Event *event);

/* The capture is lost: it stays until it is ended, and everything in it fails. */
void captureInvalidate(Capture *capture);
/* The stream is about to go. */
void captureForget(Stream *stream);

#endif
