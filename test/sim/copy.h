/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A copy, whichever of the many functions asked for it: a box of bytes with a place to read and a place to write. The
 * files copy_async.c, copy_sync.c and batch.c translate their arguments to this, copy.c checks and issues it.
 */
#ifndef CUSIM_COPY_H
#define CUSIM_COPY_H

#include "access.h"
#include "array.h"
#include "stream.h"

/* One side: memory with a pitch, or an array. Offsets are in bytes, rows and layers. */
typedef struct Place {
    Role role;
    uintptr_t address;
    size_t pitch;       /* bytes from row to row; 0: the rows touch */
    size_t layerHeight; /* rows from layer to layer; 0: the layers touch */
    bool isArray;
    CUarray array;
    size_t x, y, z;
} Place;

typedef struct Copy {
    Place dst, src;
    size_t width, height, depth; /* bytes, rows, layers */
} Copy;

/* When the source is read, as the batch calls let one choose. */
typedef enum SourceOrder {
    SOURCE_PLAIN,  /* as cuMemcpyAsync: pageable memory at the call, whatever the stream does */
    SOURCE_STREAM, /* CU_MEMCPY_SRC_ACCESS_ORDER_STREAM and so on, as measured */
    SOURCE_DURING_CALL,
    SOURCE_ANY,
} SourceOrder;

/* A copy of `bytes` in one row. */
Copy copyOfBytes(Place dst, Place src, size_t bytes);
Place placeUnknown(CUdeviceptr pointer);
Place placeOnDevice(CUdeviceptr pointer);
Place placeOnHost(const void *pointer);
/* Measured: the contexts of a peer copy are not looked at, not even whether they are null. */
Place placeOnPeer(CUdeviceptr pointer, CUcontext context);
Place placeInArray(CUarray array, size_t offset);

/* The box of a descriptor; false if its memory types are not valid. `peer`: either side may be on its own device. */
bool copyOf2D(const CUDA_MEMCPY2D *descriptor, Copy *copy);
bool copyOf3D(const CUDA_MEMCPY3D *descriptor, Copy *copy);
bool copyOf3DPeer(const CUDA_MEMCPY3D_PEER *descriptor, Copy *copy);

/* Checks the copy against the access rules and issues it. `wasIdle`: the stream was, before the call began. */
CUresult copyIssue(Stream *stream, const Copy *copy, SourceOrder order, bool wasIdle);

/* The same, done when it returns. */
CUresult copyNow(Stream *stream, const Copy *copy);

#endif
