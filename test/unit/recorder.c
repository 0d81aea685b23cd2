/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver that does nothing but record what reaches it: for each row of the table a function of its own, found through
 * cuGetProcAddress_v2 by the very name, version and stream flag that the row pins.
 */
#include "recorder.h"

#include "types.h"

#include "drv/rows.h"
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT struct recordedCall recordedCall;
EXPORT CUresult CUDAAPI cuGetProcAddress_v2(const char *symbol, void **pfn, int version, cuuint64_t flags,
                                            CUdriverProcAddressQueryResult *status);

static void begin(const char *name)
{
    const size_t calls = recordedCall.calls;
    recordedCall = (struct recordedCall){.name = name, .calls = calls + 1};
}

static void keep(const void *parameter, size_t size)
{
    recordedCall.sizes[recordedCall.count] = size;
    memcpy(recordedCall.bytes[recordedCall.count], parameter, size);
    recordedCall.count++;
}

#define KEEP(x) keep(&(x), sizeof(x));
#define KEEP_0
#define KEEP_1 KEEP(a)
#define KEEP_2 KEEP_1 KEEP(b)
#define KEEP_3 KEEP_2 KEEP(c)
#define KEEP_4 KEEP_3 KEEP(d)
#define KEEP_5 KEEP_4 KEEP(e)
#define KEEP_6 KEEP_5 KEEP(f)
#define KEEP_7 KEEP_6 KEEP(g)
#define KEEP_8 KEEP_7 KEEP(h)
#define KEEP_9 KEEP_8 KEEP(i)
#define KEEP_10 KEEP_9 KEEP(j)
#define KEEP_11 KEEP_10 KEEP(k)

#define CUDRV_ONE(name, lookup, version, plain, stream, toolkit, pfn, count, ...)                                      \
    static CUresult CUDAAPI record_##name(CUDRV_PARAMS(count, __VA_ARGS__))                                            \
    {                                                                                                                  \
        begin(#name);                                                                                                  \
        KEEP_##count return (CUresult)RECORDED_RESULT;                                                                 \
    }
#include "drv/entries.h"
#undef CUDRV_ONE

CUresult CUDAAPI cuGetProcAddress_v2(const char *symbol, void **pfn, int version, cuuint64_t flags,
                                     CUdriverProcAddressQueryResult *status)
{
    *status = (CUdriverProcAddressQueryResult)0;
#define CUDRV_ONE(name, lookup, pinned, plain, stream, toolkit, typedefs, count, ...)                                  \
    if (!strcmp(symbol, lookup) && version == (pinned) && flags == ((stream) == CUDRV_PER_THREAD ? 2 : 1)) {           \
        CUresult (*const function)(CUDRV_PARAMS(count, __VA_ARGS__)) = record_##name;                                  \
        memcpy(pfn, &function, sizeof(function));                                                                      \
        return CUDA_SUCCESS;                                                                                           \
    }
#include "drv/entries.h"
#undef CUDRV_ONE
    *status = (CUdriverProcAddressQueryResult)1;
    *pfn = NULL;
    return CUDA_SUCCESS;
}
