/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a call of the safe layer goes when it fails. Private to copy/.
 *
 * A public function calls one of these once, last, with what it knows; it never fails by way of another public
 * function, so a failing call leaves one record, under the name that was called.
 */
#ifndef CUCOPY_COPY_FAILURE_H
#define CUCOPY_COPY_FAILURE_H

#include "copy/scope.h"

#if defined(__GNUC__)
#define CUCOPY_COLD __attribute__((cold, noinline))
/* In a public function: where its caller goes on. */
#define CUCOPY_CALLER __builtin_return_address(0)
#else
#define CUCOPY_COLD
#define CUCOPY_CALLER NULL
#endif

/* Who failed, for whom. */
struct cucopyCall {
    const char *function;
    const void *caller;
};

/* In a public function. */
#define CUCOPY_THIS_CALL ((struct cucopyCall){__func__, CUCOPY_CALLER})

/*
 * Keep this failure for the thread, report it, and return result. what says what the function knows: its name, its
 * caller, the operands, the size, the entry; the scope gives the rest. If the copy failed with the stream's context
 * still pushed, so much the better: what only that context can tell is asked, and then it is popped.
 */
CUCOPY_COLD CUresult cucopyFail(struct cucopyScope *scope, CUresult result, const cucopyFailure *what);

/* The same for a call without operands, and for copies by what they were given. */
CUCOPY_COLD CUresult cucopyFailCall(struct cucopyScope *scope, CUresult result, struct cucopyCall call,
                                    const char *reason);
CUCOPY_COLD CUresult cucopyFailCopy(struct cucopyScope *scope, CUresult result, struct cucopyCall call, CUdeviceptr dst,
                                    CUdeviceptr src, size_t bytes);
CUCOPY_COLD CUresult cucopyFailPeer(struct cucopyScope *scope, CUresult result, struct cucopyCall call, CUdeviceptr dst,
                                    CUcontext dstContext, CUdeviceptr src, CUcontext srcContext, size_t bytes);
CUCOPY_COLD CUresult cucopyFailToArray(struct cucopyScope *scope, CUresult result, struct cucopyCall call, CUarray dst,
                                       size_t offset, CUdeviceptr src, size_t bytes);
CUCOPY_COLD CUresult cucopyFailFromArray(struct cucopyScope *scope, CUresult result, struct cucopyCall call,
                                         CUdeviceptr dst, CUarray src, size_t offset, size_t bytes);
CUCOPY_COLD CUresult cucopyFail2D(struct cucopyScope *scope, CUresult result, struct cucopyCall call,
                                  const CUDA_MEMCPY2D *box);
CUCOPY_COLD CUresult cucopyFail3D(struct cucopyScope *scope, CUresult result, struct cucopyCall call,
                                  const CUDA_MEMCPY3D *box);
CUCOPY_COLD CUresult cucopyFail3DPeer(struct cucopyScope *scope, CUresult result, struct cucopyCall call,
                                      const CUDA_MEMCPY3D_PEER *box);
CUCOPY_COLD CUresult cucopyFail3DBatchOp(struct cucopyScope *scope, CUresult result, struct cucopyCall call,
                                         const CUDA_MEMCPY3D_BATCH_OP *op);
/* For a batch of boxes: the op that it is about, NULL if none; entry, enqueued, entriesEnqueued and reason of batch. */
CUCOPY_COLD CUresult cucopyFail3DBatch(struct cucopyScope *scope, CUresult result, struct cucopyCall call,
                                       const CUDA_MEMCPY3D_BATCH_OP *op, const cucopyFailure *batch);

/* Whether the call goes to the per-thread variant, where stream 0 is the thread's own. */
int cucopyIsPerThread(const char *function);

/* An error of earlier work, which every later call on that device repeats. */
int cucopyIsSticky(CUresult result);

/* Codes after which there is nothing to ask: the driver cannot answer, or, in a host callback, should not be called. */
int cucopyIsSilent(CUresult result);

/* What the device of the current context may do with memory. Harmless for any address and in any state. */
cucopyAccess cucopyAccessHere(CUdeviceptr address);

/* Give a record to CUCOPY_LOG and to the failure handler; in log.c. */
void cucopyReport(const cucopyFailure *failure);

#endif
