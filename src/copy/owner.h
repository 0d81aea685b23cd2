/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second try under the context of the memory's owner. Private to copy/.
 */
#ifndef CUCOPY_COPY_OWNER_H
#define CUCOPY_COPY_OWNER_H

#include "copy/failure.h"
#include "copy/scope.h"

/*
 * After the driver refused the copy with INVALID_VALUE inside scope, which is still entered: try it under a context of
 * the device that owns the side which this one cannot reach. CUDA_SUCCESS if that worked; otherwise INVALID_VALUE, and
 * the scope is as it was. If the context stack could not be mended, the code of the pop that failed.
 */
CUCOPY_COLD CUresult cucopyCopyAsOwner(const struct cucopyScope *scope, CUdeviceptr dst, CUdeviceptr src, size_t bytes);

#endif
