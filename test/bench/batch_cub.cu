/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cub::DeviceMemcpy::Batched as a program would use it: tables of pointers and sizes are written to pinned memory,
 * uploaded, and handed to the library.
 */
#include "batch_cub.h"

#include <cub/device/device_memcpy.cuh>
#include <cuda_runtime.h>

static char *hostTables, *deviceTables, *scratch;
static size_t scratchBytes, capacity;

int cubSetUp(size_t most)
{
    capacity = most;
    const size_t bytes = 3 * 8 * most;
    if (cudaMallocHost((void **)&hostTables, bytes) != cudaSuccess ||
        cudaMalloc((void **)&deviceTables, bytes) != cudaSuccess)
        return 0;
    scratchBytes = 0;
    if (cub::DeviceMemcpy::Batched(nullptr, scratchBytes, (const void **)nullptr, (void **)nullptr, (size_t *)nullptr,
                                   (unsigned)most) != cudaSuccess)
        return 0;
    return cudaMalloc((void **)&scratch, scratchBytes) == cudaSuccess;
}

void cubTearDown(void)
{
    cudaFreeHost(hostTables);
    cudaFree(deviceTables);
    cudaFree(scratch);
}

int cubCopy(const unsigned long long *dsts, const unsigned long long *srcs, const size_t *sizes, size_t count,
            void *stream)
{
    if (count > capacity)
        return 0;
    memcpy(hostTables, dsts, 8 * count);
    memcpy(hostTables + 8 * count, srcs, 8 * count);
    memcpy(hostTables + 16 * count, sizes, 8 * count);
    const cudaStream_t on = (cudaStream_t)stream;
    if (cudaMemcpyAsync(deviceTables, hostTables, 24 * count, cudaMemcpyHostToDevice, on) != cudaSuccess)
        return 0;
    size_t bytes = scratchBytes;
    return cub::DeviceMemcpy::Batched(scratch, bytes, (const void **)(deviceTables + 8 * count), (void **)deviceTables,
                                      (size_t *)(deviceTables + 16 * count), (unsigned)count, on) == cudaSuccess;
}
