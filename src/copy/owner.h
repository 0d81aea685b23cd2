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
 * the device that owns the side which this one cannot reach. CUDA_SUCCESS: it worked, and the caller's stack is as it
 * was. INVALID_VALUE: it did not, and the scope is entered as before, or what it says is pushed could not be popped.
 * Another code, with the step RESTORE: it worked, but what the scope says is still pushed could not be popped.
 */
CUCOPY_COLD CUresult cucopyCopyAsOwner(struct cucopyScope *scope, CUdeviceptr dst, CUdeviceptr src, size_t bytes);

/* After a copy that failed: pop what the scope says is pushed, be it the stream's context or the owner's. */
CUCOPY_COLD CUresult cucopyLeave(struct cucopyScope *scope);

#endif
