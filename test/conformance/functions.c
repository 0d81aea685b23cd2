/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of functions.h. functions_ptsz.c reads this file a second time for the per-thread variants.
 */
#include "functions.h"

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define TABLE(name) name##PerThread
#else
#define TABLE(name) name
#endif

#define COPIES(layer)                                                                                                  \
    .MemcpyAsync = layer##MemcpyAsync, .MemcpyPeerAsync = layer##MemcpyPeerAsync,                                      \
    .MemcpyHtoDAsync = layer##MemcpyHtoDAsync, .MemcpyDtoHAsync = layer##MemcpyDtoHAsync,                              \
    .MemcpyDtoDAsync = layer##MemcpyDtoDAsync, .MemcpyHtoAAsync = layer##MemcpyHtoAAsync,                              \
    .MemcpyAtoHAsync = layer##MemcpyAtoHAsync, .Memcpy2DAsync = layer##Memcpy2DAsync,                                  \
    .Memcpy3DAsync = layer##Memcpy3DAsync, .Memcpy3DPeerAsync = layer##Memcpy3DPeerAsync,                              \
    .MemcpyBatchAsync = layer##MemcpyBatchAsync, .MemcpyBatchAsync_v12080 = layer##MemcpyBatchAsync_v12080,            \
    .Memcpy3DBatchAsync = layer##Memcpy3DBatchAsync, .Memcpy3DBatchAsync_v12080 = layer##Memcpy3DBatchAsync_v12080,    \
    .MemcpyWithAttributesAsync = layer##MemcpyWithAttributesAsync,                                                     \
    .Memcpy3DWithAttributesAsync = layer##Memcpy3DWithAttributesAsync, .MemsetD8Async = cudrvMemsetD8Async,            \
    .MemsetD2D8Async = cudrvMemsetD2D8Async

const struct copyFunctions TABLE(rawFunctions) = {COPIES(cudrv)};
const struct copyFunctions TABLE(safeFunctions) = {COPIES(cucopy)};
