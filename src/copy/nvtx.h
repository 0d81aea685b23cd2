/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a profiler sees: with the CMake option CUCOPY_NVTX each safe copy is a range of the domain "cucopy", named after
 * its function with its bytes as payload, and each push of a context is a mark with the context as payload. Without it
 * all of this is nothing. NVTX is header-only; with no profiler attached its calls return at once.
 */
#ifndef CUCOPY_COPY_NVTX_H
#define CUCOPY_COPY_NVTX_H

#include <stdint.h>

#if defined(CUCOPY_NVTX)

#include <nvtx3/nvToolsExt.h>

/* In nvtx.c; NULL while no profiler is attached, which NVTX takes for its default domain. */
nvtxDomainHandle_t cucopyNvtxDomain(void);

static inline nvtxEventAttributes_t cucopyNvtxEvent(const char *name, uint64_t payload)
{
    nvtxEventAttributes_t event = {0};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = name;
    event.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    event.payload.ullValue = payload;
    return event;
}

static inline void cucopyTraceBegin(const char *function, uint64_t bytes)
{
    const nvtxEventAttributes_t event = cucopyNvtxEvent(function, bytes);
    (void)nvtxDomainRangePushEx(cucopyNvtxDomain(), &event);
}

static inline void cucopyTraceEnd(void)
{
    (void)nvtxDomainRangePop(cucopyNvtxDomain());
}

static inline void cucopyTracePush(const void *context)
{
    const nvtxEventAttributes_t event = cucopyNvtxEvent("push context", (uintptr_t)context);
    nvtxDomainMarkEx(cucopyNvtxDomain(), &event);
}

#else

static inline void cucopyTraceBegin(const char *function, uint64_t bytes)
{
    (void)function;
    (void)bytes;
}

static inline void cucopyTraceEnd(void)
{
}

static inline void cucopyTracePush(const void *context)
{
    (void)context;
}

#endif

#endif
