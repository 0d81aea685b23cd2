/* SPDX-License-Identifier: Apache-2.0 */
/* Launching kernels: parameters are copied at the call, the C function behind the name runs in stream order. */
#include "launch.h"

#include "access.h"
#include "cusim.h"
#include "device.h"
#include "kernels.h"
#include "library.h"
#include "stream.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 1024, MAX_GRID_Y = 65535, MAX_BLOCK_Z = 64, LARGEST_PARAMETERS = 32764 };

struct KernelWork {
    cusimKernel function;
    Context *context;
    cusimLaunch launch;
    unsigned char parameters[]; /* launch.parameterBytes */
};

static KernelWork *newWork(size_t parameterBytes)
{
    KernelWork *work = memoryNew(1, sizeof *work + parameterBytes);
    work->launch.parameterBytes = parameterBytes;
    work->launch.parameters = work->parameters;
    work->launch.internal = work;
    return work;
}

void kernelPerform(const KernelWork *work)
{
    work->function(&work->launch);
}

KernelWork *kernelWorkClone(const KernelWork *work)
{
    KernelWork *clone = newWork(work->launch.parameterBytes);
    clone->function = work->function;
    clone->context = work->context;
    clone->launch = work->launch;
    clone->launch.parameters = clone->parameters;
    clone->launch.internal = clone;
    memcpy(clone->parameters, work->parameters, work->launch.parameterBytes);
    return clone;
}

void kernelWorkDispose(KernelWork *work)
{
    free(work);
}

void *cusimAccess(const cusimLaunch *launch, unsigned long long address, size_t bytes, bool write)
{
    const KernelWork *work = launch->internal;
    pthread_mutex_lock(&driverMutex);
    const bool reachable = accessOfKernel((uintptr_t)address, bytes, work->context, write);
    if (!reachable)
        deviceFail(work->context->device, CUDA_ERROR_ILLEGAL_ADDRESS);
    pthread_mutex_unlock(&driverMutex);
    return reachable ? rangeBytes((uintptr_t)address) : NULL;
}

typedef struct Shape {
    unsigned grid[3];
    unsigned block[3];
    unsigned sharedBytes;
} Shape;

static bool shapeIsValid(const Shape *shape, const Function *function)
{
    for (int i = 0; i < 3; i++) {
        if (shape->grid[i] == 0 || shape->block[i] == 0)
            return false;
    }
    return shape->grid[0] <= 0x7FFFFFFFu && shape->grid[1] <= MAX_GRID_Y && shape->grid[2] <= MAX_GRID_Y &&
           shape->block[0] <= MAX_THREADS && shape->block[1] <= MAX_THREADS && shape->block[2] <= MAX_BLOCK_Z &&
           (unsigned long long)shape->block[0] * shape->block[1] * shape->block[2] <= MAX_THREADS &&
           shape->sharedBytes <= (unsigned)function->dynamicSharedMemory;
}

/* The buffer that `extra` describes. */
static bool readExtra(void *const *extra, const void **buffer, size_t *size)
{
    *buffer = NULL;
    *size = 0;
    for (; extra[0] != CU_LAUNCH_PARAM_END; extra += 2) {
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            *buffer = extra[1];
        else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            memcpy(size, extra[1], sizeof *size);
        else
            return false;
    }
    return *buffer != NULL || *size == 0;
}

static CUresult workFromExtra(const ImageKernel *kernel, void *const *extra, KernelWork **work)
{
    const void *buffer;
    size_t size;
    if (!readExtra(extra, &buffer, &size) || (size == 0 && kernel->laidOut && kernel->parameterBytes > 0))
        return CUDA_ERROR_INVALID_VALUE;
    /* Measured: the driver takes the beginning of the parameters for all of them, and no more than there are. */
    if (size > (kernel->laidOut ? kernel->parameterBytes : LARGEST_PARAMETERS))
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    *work = newWork(kernel->laidOut && size < kernel->parameterBytes ? kernel->parameterBytes : size);
    if (size > 0)
        memcpy((*work)->parameters, buffer, size);
    return CUDA_SUCCESS;
}

/* One pointer for each parameter; how large each is only its declaration says. */
static CUresult workFromPointers(const ImageKernel *kernel, void *const *pointers, KernelWork **work)
{
    if (!kernel->laidOut) {
        say("the parameters of kernel %s are not known: its image is not PTX text; pass them by `extra`", kernel->name);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (pointers == NULL && kernel->parameterCount > 0)
        return CUDA_ERROR_INVALID_VALUE;
    *work = newWork(kernel->parameterBytes);
    for (size_t i = 0; i < kernel->parameterCount; i++)
        memcpy((*work)->parameters + kernel->parameters[i].offset, pointers[i], kernel->parameters[i].size);
    return CUDA_SUCCESS;
}

static CUresult launch(CUfunction handle, const Shape *shape, CUstream streamHandle, bool perThread, void **pointers,
                       void **extra)
{
    Stream *stream;
    CUresult result = streamForWork(streamHandle, perThread, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    const Function *function = functionForLaunch(handle);
    if (function == NULL ||
        (function->context != NULL && contextBase(function->context) != contextBase(stream->context)))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!shapeIsValid(shape, function) || (pointers != NULL && extra != NULL))
        return CUDA_ERROR_INVALID_VALUE;
    const ImageKernel *kernel = functionKernel(function);
    KernelEntry entry;
    if (!kernelFindFunction(kernel->name, &entry)) {
        say("nobody registered kernel %s (cusimRegisterKernel), so it cannot run", kernel->name);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    KernelWork *launched;
    result = extra != NULL ? workFromExtra(kernel, extra, &launched) : workFromPointers(kernel, pointers, &launched);
    if (result != CUDA_SUCCESS)
        return result;
    launched->function = entry.function;
    launched->context = stream->context;
    launched->launch.user = entry.user;
    launched->launch.device = stream->context->device;
    launched->launch.sharedBytes = shape->sharedBytes;
    memcpy(launched->launch.grid, shape->grid, sizeof shape->grid);
    memcpy(launched->launch.block, shape->block, sizeof shape->block);
    Work work = {.kind = WORK_KERNEL, .kernel = launched};
    return streamSubmit(stream, &work, NULL);
}

static CUresult launchConfigured(const CUlaunchConfig *config, CUfunction function, bool perThread, void **pointers,
                                 void **extra)
{
    if (config == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    static bool said;
    if (config->numAttrs > 0 && !said) {
        said = true;
        say("launch attributes are ignored");
    }
    const Shape shape = {{config->gridDimX, config->gridDimY, config->gridDimZ},
                         {config->blockDimX, config->blockDimY, config->blockDimZ},
                         config->sharedMemBytes};
    return launch(function, &shape, config->hStream, perThread, pointers, extra);
}

static CUresult maxActiveBlocks(int *blocks, CUfunction handle, int blockSize)
{
    const Function *function = functionForLaunch(handle);
    if (function == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (blocks == NULL || blockSize <= 0 || blockSize > MAX_THREADS)
        return CUDA_ERROR_INVALID_VALUE;
    const int fitting = 2048 / ((blockSize + 31) / 32 * 32);
    *blocks = fitting < 32 ? fitting : 32;
    return CUDA_SUCCESS;
}

static CUresult maxPotentialBlockSize(int *grid, int *block, CUfunction handle, int limit)
{
    int blocks;
    const int size = limit > 0 && limit < MAX_THREADS ? limit : MAX_THREADS;
    const CUresult result = maxActiveBlocks(&blocks, handle, size);
    if (result != CUDA_SUCCESS || grid == NULL || block == NULL)
        return result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_VALUE;
    *block = size;
    *grid = blocks * DEVICE_MULTIPROCESSORS;
    return CUDA_SUCCESS;
}

API_PTSZ(cuLaunchKernel,
         (CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
          unsigned blockZ, unsigned sharedBytes, CUstream stream, void **pointers, void **extra),
         launch(function, &(Shape){{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes}, stream, perThread,
                pointers, extra))
API_PTSZ(cuLaunchKernelEx, (const CUlaunchConfig *config, CUfunction function, void **pointers, void **extra),
         launchConfigured(config, function, perThread, pointers, extra))
API(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, CUfunction function, int blockSize, size_t sharedBytes),
    ((void)sharedBytes, maxActiveBlocks(blocks, function, blockSize)))
API(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
    (int *blocks, CUfunction function, int blockSize, size_t sharedBytes, unsigned flags),
    ((void)sharedBytes, (void)flags, maxActiveBlocks(blocks, function, blockSize)))
API(cuOccupancyMaxPotentialBlockSize,
    (int *grid, int *block, CUfunction function, CUoccupancyB2DSize sharedBytesOf, size_t sharedBytes, int limit),
    ((void)sharedBytesOf, (void)sharedBytes, maxPotentialBlockSize(grid, block, function, limit)))
