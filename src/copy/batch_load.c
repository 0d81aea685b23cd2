/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of the batches. A library (CUDA 12.0) belongs to no context and may be loaded under capture. Threads may
 * race the first call: one library is kept, losers unload theirs.
 */
#include "copy/batch_load.h"

#include "copy/batch_kernel.h"
#include "copy/batch_kernel_ptx.h"

#include <stdatomic.h>

/* What stands in for a kernel that cannot be used. */
static char nothing;
#define UNUSABLE ((CUkernel)(void *)&nothing)

static _Atomic(CUkernel) kernels[CUCOPY_KERNEL_SIZES];

static const char *const names[CUCOPY_KERNEL_SIZES] = {"cucopyBatchSmall", "cucopyBatchMedium", "cucopyBatchLarge"};

/* The large image has two kernels, which come and go together; the small image has one. */
static enum cucopyKernelSize firstBeside(enum cucopyKernelSize size)
{
    return size == CUCOPY_KERNEL_SMALL ? CUCOPY_KERNEL_SMALL : CUCOPY_KERNEL_MEDIUM;
}

static enum cucopyKernelSize lastBeside(enum cucopyKernelSize size)
{
    return size == CUCOPY_KERNEL_SMALL ? CUCOPY_KERNEL_SMALL : CUCOPY_KERNEL_LARGE;
}

static void load(enum cucopyKernelSize wanted)
{
    CUlibrary library = NULL;
    int kept = 0;
    const char *const image = wanted == CUCOPY_KERNEL_SMALL ? cucopyBatchPtxSmall : cucopyBatchPtxLarge;
    const CUresult loaded = cudrvLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0);
    for (enum cucopyKernelSize size = firstBeside(wanted); size <= lastBeside(wanted); size++) {
        CUkernel kernel = NULL;
        if (loaded != CUDA_SUCCESS || cudrvLibraryGetKernel(&kernel, library, names[size]) != CUDA_SUCCESS)
            kernel = UNUSABLE;
        CUkernel none = NULL;
        kept |= atomic_compare_exchange_strong_explicit(&kernels[size], &none, kernel, memory_order_acq_rel,
                                                        memory_order_acquire);
    }
    if (loaded == CUDA_SUCCESS && !kept)
        (void)cudrvLibraryUnload(library);
}

CUkernel cucopyKernelOfSize(enum cucopyKernelSize size)
{
    CUkernel kernel = atomic_load_explicit(&kernels[size], memory_order_acquire);
    if (!kernel) {
        load(size);
        kernel = atomic_load_explicit(&kernels[size], memory_order_acquire);
    }
    return kernel == UNUSABLE ? NULL : kernel;
}

int cucopyKernelIsUsable(void)
{
    return cucopyKernelOfSize(CUCOPY_KERNEL_SMALL) != NULL;
}

enum cucopyKernelSize cucopyLargestKernel(CUdevice device)
{
    enum { LARGE_PARAMETERS_DRIVER = 12010, LARGE_PARAMETERS_DEVICE = 7 };
    int version = 0;
    int major = 0;
    if (cudrvDriverGetVersion(&version) != CUDA_SUCCESS || version < LARGE_PARAMETERS_DRIVER ||
        cudrvDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) != CUDA_SUCCESS ||
        major < LARGE_PARAMETERS_DEVICE)
        return CUCOPY_KERNEL_SMALL;
    return cucopyKernelOfSize(CUCOPY_KERNEL_LARGE)    ? CUCOPY_KERNEL_LARGE
           : cucopyKernelOfSize(CUCOPY_KERNEL_MEDIUM) ? CUCOPY_KERNEL_MEDIUM
                                                      : CUCOPY_KERNEL_SMALL;
}

int cucopyKernelFailed(enum cucopyKernelSize size, CUresult result)
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
        for (enum cucopyKernelSize i = firstBeside(size); i <= lastBeside(size); i++)
            atomic_store_explicit(&kernels[i], UNUSABLE, memory_order_release);
        return 1;
    default:
        return 0;
    }
}
