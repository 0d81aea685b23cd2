/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The asynchronous copies of both layers and both default streams, to be called by choice.
 */
#ifndef CONFORMANCE_FUNCTIONS_H
#define CONFORMANCE_FUNCTIONS_H

#include <cucopy/copy.h>

struct copyFunctions {
    CUresult(CUDAAPI *MemcpyAsync)(CUdeviceptr, CUdeviceptr, size_t, CUstream);
    CUresult(CUDAAPI *MemcpyPeerAsync)(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream);
    CUresult(CUDAAPI *MemcpyHtoDAsync)(CUdeviceptr, const void *, size_t, CUstream);
    CUresult(CUDAAPI *MemcpyDtoHAsync)(void *, CUdeviceptr, size_t, CUstream);
    CUresult(CUDAAPI *MemcpyDtoDAsync)(CUdeviceptr, CUdeviceptr, size_t, CUstream);
    CUresult(CUDAAPI *MemcpyHtoAAsync)(CUarray, size_t, const void *, size_t, CUstream);
    CUresult(CUDAAPI *MemcpyAtoHAsync)(void *, CUarray, size_t, size_t, CUstream);
    CUresult(CUDAAPI *Memcpy2DAsync)(const CUDA_MEMCPY2D *, CUstream);
    CUresult(CUDAAPI *Memcpy3DAsync)(const CUDA_MEMCPY3D *, CUstream);
    CUresult(CUDAAPI *Memcpy3DPeerAsync)(const CUDA_MEMCPY3D_PEER *, CUstream);
    CUresult(CUDAAPI *MemcpyBatchAsync)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *,
                                        size_t, CUstream);
    CUresult(CUDAAPI *MemcpyBatchAsync_v12080)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *,
                                               size_t *, size_t, size_t *, CUstream);
    CUresult(CUDAAPI *Memcpy3DBatchAsync)(size_t, CUDA_MEMCPY3D_BATCH_OP *, unsigned long long, CUstream);
    CUresult(CUDAAPI *Memcpy3DBatchAsync_v12080)(size_t, CUDA_MEMCPY3D_BATCH_OP *, size_t *, unsigned long long,
                                                 CUstream);
    CUresult(CUDAAPI *MemcpyWithAttributesAsync)(CUdeviceptr, CUdeviceptr, size_t, CUmemcpyAttributes *, CUstream);
    CUresult(CUDAAPI *Memcpy3DWithAttributesAsync)(CUDA_MEMCPY3D_BATCH_OP *, unsigned long long, CUstream);
    /* The memsets exist in the raw layer only; both tables have that one's. */
    CUresult(CUDAAPI *MemsetD8Async)(CUdeviceptr, unsigned char, size_t, CUstream);
    CUresult(CUDAAPI *MemsetD2D8Async)(CUdeviceptr, size_t, unsigned char, size_t, size_t, CUstream);
};

extern const struct copyFunctions rawFunctions, safeFunctions;
extern const struct copyFunctions rawFunctionsPerThread, safeFunctionsPerThread;
/* The two that take options, under CUCOPY_CONTEXT_OWNER; the others are NULL. */
extern const struct copyFunctions ownerFunctions;

#endif
