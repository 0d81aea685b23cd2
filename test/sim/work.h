/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a piece of asynchronous work does, with every pointer already resolved to host memory: the payload of an
 * operation in a stream and of a node in a graph.
 */
#ifndef CUSIM_WORK_H
#define CUSIM_WORK_H

#include "driver.h"

struct KernelWork;

typedef enum WorkKind {
    WORK_NOTHING,
    WORK_COPY,
    WORK_FILL,
    WORK_RELEASE,
    WORK_HOST_FUNCTION,
    WORK_CALLBACK,
    WORK_KERNEL,
} WorkKind;

typedef struct CopyWork {
    unsigned char *dst;
    const unsigned char *src;
    size_t width; /* bytes */
    size_t height, depth;
    size_t dstPitch, dstSlice; /* bytes from row to row, from layer to layer */
    size_t srcPitch, srcSlice;
} CopyWork;

typedef struct FillWork {
    unsigned char *dst;
    size_t pitch;
    size_t width; /* elements */
    size_t height;
    unsigned elementSize;
    unsigned value;
} FillWork;

/* Memory whose address is no longer known. */
typedef struct ReleaseWork {
    uintptr_t base;
    size_t size;
    bool inWindow; /* of a device, not of the host */
    int device;
} ReleaseWork;

typedef struct HostWork {
    CUhostFn function;         /* WORK_HOST_FUNCTION */
    CUstreamCallback callback; /* WORK_CALLBACK */
    CUstream stream;
    void *data;
} HostWork;

typedef struct Work {
    WorkKind kind;
    union {
        CopyWork copy;
        FillWork fill;
        ReleaseWork release;
        HostWork host;
        struct KernelWork *kernel; /* owned */
    };
    void *staging; /* owned: bytes that were read at the call */
} Work;

/* Whether the program's own code runs in it. */
bool workIsForeign(const Work *work);

/* Whether it wants the lock while it is performed. */
bool workWantsLock(const Work *work);

/* Does it; without the lock, unless it wants it. */
void workPerform(const Work *work);

/* A copy that owns what the original owns a second time. */
Work workClone(const Work *work);

/* Frees what it owns. */
void workDispose(Work *work);

#endif
