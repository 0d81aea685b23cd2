/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of the batches. A library (CUDA 12.0) belongs to no context and may be loaded under capture. Threads may
 * race the first call: one library is kept, losers unload theirs.
 */
#include "copy/batch_load.h"

#include "copy/batch_kernel.h"
#include "copy/batch_kernel_ptx.h"

#include <stdatomic.h>

/* What stands in for a kernel that cannot be loaded. */
static char nothing;
#define UNLOADABLE ((CUkernel)(void *)&nothing)

static _Atomic(CUkernel) kernels[CUCOPY_KERNEL_SIZES];

static const char *const names[CUCOPY_KERNEL_SIZES] = {"cucopyBatchSmall", "cucopyBatchLarge"};

/* The devices that cannot run it, a bit each; those from the 64th on share one. */
static _Atomic(uint64_t) refusals[CUCOPY_KERNEL_SIZES];

static CUdevice deviceOf(CUdevice *device)
{
    if (*device < 0 && cudrvCtxGetDevice(device) != CUDA_SUCCESS)
        *device = -1;
    return *device;
}

static uint64_t bitOf(CUdevice *device)
{
    const CUdevice ordinal = deviceOf(device);
    return (uint64_t)1 << (ordinal < 0 || ordinal > 63 ? 63 : ordinal);
}

static void load(enum cucopyKernelSize size)
{
    CUlibrary library = NULL;
    CUkernel kernel = NULL;
    CUkernel none = NULL;
    const char *const image = size == CUCOPY_KERNEL_SMALL ? cucopyBatchPtxSmall : cucopyBatchPtxLarge;
    const CUresult loaded = cudrvLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0);
    if (loaded != CUDA_SUCCESS || cudrvLibraryGetKernel(&kernel, library, names[size]) != CUDA_SUCCESS)
        kernel = UNLOADABLE;
    const int kept = atomic_compare_exchange_strong_explicit(&kernels[size], &none, kernel, memory_order_acq_rel,
                                                             memory_order_acquire);
    if (loaded == CUDA_SUCCESS && (!kept || kernel == UNLOADABLE))
        (void)cudrvLibraryUnload(library);
}

CUkernel cucopyKernelOfSize(enum cucopyKernelSize size, CUdevice *device)
{
    const uint64_t refused = atomic_load_explicit(&refusals[size], memory_order_relaxed);
    CUkernel kernel = atomic_load_explicit(&kernels[size], memory_order_acquire);
    if (!kernel) {
        load(size);
        kernel = atomic_load_explicit(&kernels[size], memory_order_acquire);
    }
    return kernel == UNLOADABLE || (refused != 0 && (refused & bitOf(device))) ? NULL : kernel;
}

enum cucopyKernelSize cucopyLargestKernel(CUdevice *device)
{
    enum { LARGE_PARAMETERS_DRIVER = 12010, LARGE_PARAMETERS_DEVICE = 7 };
    int version = 0;
    int major = 0;
    if (cudrvDriverGetVersion(&version) != CUDA_SUCCESS || version < LARGE_PARAMETERS_DRIVER ||
        cudrvDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, deviceOf(device)) !=
            CUDA_SUCCESS ||
        major < LARGE_PARAMETERS_DEVICE)
        return CUCOPY_KERNEL_SMALL;
    return cucopyKernelOfSize(CUCOPY_KERNEL_LARGE, device) ? CUCOPY_KERNEL_LARGE : CUCOPY_KERNEL_SMALL;
}

int cucopyKernelFailed(enum cucopyKernelSize size, CUdevice *device, CUresult result)
{
    switch ((int)result) {
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
    case CUDA_ERROR_SHARED_OBJECT_INIT_FAILED:
    case CUDA_ERROR_NOT_FOUND:
    case CUDA_ERROR_NOT_SUPPORTED:
        (void)atomic_fetch_or_explicit(&refusals[size], bitOf(device), memory_order_relaxed);
        return 1;
    default:
        return 0;
    }
}
