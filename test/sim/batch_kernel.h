/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of cucopy's batches. */
#ifndef CUSIM_BATCH_KERNEL_H
#define CUSIM_BATCH_KERNEL_H

#include "cusim.h"

void batchKernel(const cusimLaunch *launch);

#endif
