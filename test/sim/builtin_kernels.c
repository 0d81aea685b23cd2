/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that the simulated driver performs without being told: one line and one declaration each. */
#include "batch_kernel.h"
#include "kernels.h"

#include <stddef.h>

const KernelEntry builtinKernels[] = {
    {"cucopyBatchSmall", batchKernel, NULL},
    {"cucopyBatchLarge", batchKernel, NULL},
    {NULL, NULL, NULL},
};
