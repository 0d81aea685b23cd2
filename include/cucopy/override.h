/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The safe layer under the driver's own names: include this after cuda.h, or in place of it, and a program's
 * cuMemcpyAsync becomes cucopyMemcpyAsync, and so on for every asynchronous copy. Nothing else of the driver's is
 * renamed, and a program that links libcuda for the rest still does.
 *
 * Compile with CUDA_API_PER_THREAD_DEFAULT_STREAM as before: the per-thread variants are mapped to per-thread ones. The
 * batch calls have a failIdx on toolkits 12.8 and 12.9, and so have they here.
 */
#ifndef CUCOPY_OVERRIDE_H
#define CUCOPY_OVERRIDE_H

#include <cucopy/copy.h>

/* cuda.h maps most of these names to a versioned symbol by a macro of its own. */
#undef cuMemcpyAsync
#undef cuMemcpyPeerAsync
#undef cuMemcpyHtoDAsync
#undef cuMemcpyDtoHAsync
#undef cuMemcpyDtoDAsync
#undef cuMemcpyHtoAAsync
#undef cuMemcpyAtoHAsync
#undef cuMemcpy2DAsync
#undef cuMemcpy3DAsync
#undef cuMemcpy3DPeerAsync
#undef cuMemcpyBatchAsync
#undef cuMemcpy3DBatchAsync
#undef cuMemcpyWithAttributesAsync
#undef cuMemcpy3DWithAttributesAsync

#define cuMemcpyAsync cucopyMemcpyAsync
#define cuMemcpyPeerAsync cucopyMemcpyPeerAsync
#define cuMemcpyHtoDAsync cucopyMemcpyHtoDAsync
#define cuMemcpyDtoHAsync cucopyMemcpyDtoHAsync
#define cuMemcpyDtoDAsync cucopyMemcpyDtoDAsync
#define cuMemcpyHtoAAsync cucopyMemcpyHtoAAsync
#define cuMemcpyAtoHAsync cucopyMemcpyAtoHAsync
#define cuMemcpy2DAsync cucopyMemcpy2DAsync
#define cuMemcpy3DAsync cucopyMemcpy3DAsync
#define cuMemcpy3DPeerAsync cucopyMemcpy3DPeerAsync
#if CUDA_VERSION >= 13000
#define cuMemcpyBatchAsync cucopyMemcpyBatchAsync
#define cuMemcpy3DBatchAsync cucopyMemcpy3DBatchAsync
#elif CUDA_VERSION >= 12080
#define cuMemcpyBatchAsync cucopyMemcpyBatchAsync_v12080
#define cuMemcpy3DBatchAsync cucopyMemcpy3DBatchAsync_v12080
#endif
#if CUDA_VERSION >= 13020
#define cuMemcpyWithAttributesAsync cucopyMemcpyWithAttributesAsync
#define cuMemcpy3DWithAttributesAsync cucopyMemcpy3DWithAttributesAsync
#endif

#endif
