/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of the batches, loaded when they are first wanted. Private to the batches.
 */
#ifndef CUCOPY_COPY_BATCH_LOAD_H
#define CUCOPY_COPY_BATCH_LOAD_H

#include "types.h"

#include <cucopy/drv.h>

/* By the size of their parameters, batch_block.h. */
enum cucopyKernelSize { CUCOPY_KERNEL_SMALL, CUCOPY_KERNEL_LARGE, CUCOPY_KERNEL_SIZES };

/*
 * The device below is the current context's, or -1 as long as nobody has asked the driver for it: these do, if they
 * must know it.
 */

/* NULL if it cannot be loaded, or if the device has refused to run it. Otherwise good in every context. */
CUkernel cucopyKernelOfSize(enum cucopyKernelSize size, CUdevice *device);

/* The largest that the device can run. */
enum cucopyKernelSize cucopyLargestKernel(CUdevice *device);

/* After a launch that failed: 1 if the device cannot run the kernel, which is then not tried there again. */
int cucopyKernelFailed(enum cucopyKernelSize size, CUdevice *device, CUresult result);

#endif
