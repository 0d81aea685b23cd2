/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulated driver's own functions, for tests. They are plain exports of its libcuda.so.1. A test that is also to
 * run on a real driver finds them with dlsym and does without them there.
 *
 * Each may be called from any thread, before and after cuInit. Those that change what the driver is (cusimSetDevices,
 * cusimSetDriverVersion) must come before the first driver call, or after cusimReset.
 */
#ifndef CUSIM_H
#define CUSIM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many devices there are, 0 to 16; as CUSIM_DEVICES. */
void cusimSetDevices(int devices);
/* The driver's version, as CUDA_VERSION: 13000 is CUDA 13.0; as CUSIM_DRIVER_VERSION. */
void cusimSetDriverVersion(int version);
/* Entry points to leave out, "cuMemcpyBatchAsync,cuStreamGetCtx_v2"; NULL: none; as CUSIM_MISSING. A name without a
   version means every version and variant; a symbol means itself. */
void cusimMissing(const char *names);

/* Back to a fresh process: every context, stream, allocation and count is gone, every thread's context stack is empty,
   failures are forgotten, the environment is read anew. Waits for what is running; nothing else may call meanwhile. */
void cusimReset(void);

/* The calls that arrived at an exported symbol ("cuMemcpyHtoDAsync_v2", "cuMemcpyAsync_ptsz") since the last reset,
   failed ones included; NULL: all calls. */
unsigned long cusimCalls(const char *symbol);
/* The symbols of the last calls, oldest first: at most `most` of them, at most 1024, none from before the last reset.
   Returns how many it wrote. */
size_t cusimRecentCalls(const char **symbols, size_t most);
void cusimResetCalls(void);

/* The nth call of `name` from now on (1: the next) returns `code` and does nothing else; with `onwards` every later one
   too. `name` is a symbol, or a lookup name, each of whose versions and variants then counts by itself. */
void cusimFail(const char *name, unsigned long nth, int code, bool onwards);
void cusimFailClear(void);

/* While held, work that was put into streams does not start. Holds nest. What waits for such work waits as well, and
   that includes freeing memory. */
void cusimHold(void);
void cusimRelease(void);
/* Operations put into streams and not yet done. */
size_t cusimPending(void);

/* What the program made and did not destroy: handles of one kind ("context", "stream", "event", "array", "pool",
   "graph", ...; NULL: of all kinds), and allocations. The retained primary contexts do not count. */
size_t cusimLiveHandles(const char *kind);
size_t cusimLiveAllocations(void);

/* A kernel launch, as the C function that performs it sees it. */
typedef struct cusimLaunch {
    unsigned grid[3];
    unsigned block[3];
    unsigned sharedBytes;
    int device;
    const void *parameters; /* as the kernel would see them, laid out by its declaration */
    size_t parameterBytes;
    void *user;
    const void *internal; /* for cusimAccess */
} cusimLaunch;

typedef void (*cusimKernel)(const cusimLaunch *launch);

/* Launches of kernels of that name are performed by `function`, once for the whole grid, on a thread of their own, in
   stream order. NULL forgets the name. A launch of a kernel that nobody registered is CUDA_ERROR_NOT_SUPPORTED. */
void cusimRegisterKernel(const char *name, cusimKernel function, void *user);

/* The bytes behind a device or host address, for a kernel to touch. If the kernel's device cannot reach all of them the
   device gets the sticky CUDA_ERROR_ILLEGAL_ADDRESS, and NULL comes back. */
void *cusimAccess(const cusimLaunch *launch, unsigned long long address, size_t bytes, bool write);

#ifdef __cplusplus
}
#endif

#endif
