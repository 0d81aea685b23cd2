/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of the batches, loaded when they are first wanted. Private to the batches.
 */
#ifndef CUCOPY_COPY_BATCH_LOAD_H
#define CUCOPY_COPY_BATCH_LOAD_H

#include "types.h"

#include <cucopy/drv.h>

/* By the size of their parameters, batch_block.h. */
enum cucopyKernelSize { CUCOPY_KERNEL_SMALL, CUCOPY_KERNEL_MEDIUM, CUCOPY_KERNEL_LARGE, CUCOPY_KERNEL_SIZES };

/* NULL if it cannot be loaded. Good in every context of every device. */
CUkernel cucopyKernelOfSize(enum cucopyKernelSize size);

/* The largest that the device can run. */
enum cucopyKernelSize cucopyLargestKernel(CUdevice device);

/* After a launch that failed: 1 if that says something of the kernel's image, which is then not used again. */
int cucopyKernelFailed(enum cucopyKernelSize size, CUresult result);

#endif
