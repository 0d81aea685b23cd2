/* SPDX-License-Identifier: Apache-2.0 */
/* Which memory a copy, a fill or a kernel may touch: every such rule is here. */
#ifndef CUSIM_ACCESS_H
#define CUSIM_ACCESS_H

#include "range.h"
#include "stream.h"

/* What the call says of a pointer. */
typedef enum Role {
    ROLE_UNKNOWN,      /* cuMemcpyAsync, unified 2D and 3D, batches: any memory; what CUDA does not know is pageable */
    ROLE_HOST,         /* the host side of HtoD and DtoH: the same */
    ROLE_DEVICE,       /* DtoD, the device side of HtoD and DtoH, fills: memory that CUDA knows */
    ROLE_PEER,         /* either side of a peer copy: the same, each on its own device */
    ROLE_PEER_UNKNOWN, /* a unified side of a 3D peer copy: any memory, each on its own device */
} Role;

/* What is behind a pointer. */
typedef enum Memory { MEMORY_PAGEABLE, MEMORY_PINNED, MEMORY_MANAGED, MEMORY_DEVICE, MEMORY_ARRAY } Memory;

/* Who wants to touch it: the current context, or the stream where none is current. */
typedef struct Accessor {
    bool contextIsCurrent;
    int device;
} Accessor;

Accessor accessorOfCopy(const Stream *stream);
Accessor accessorOfFill(const Stream *stream, bool special);

/* Whether copies on the device may touch the range at all. */
bool accessAllows(const Range *range, int device, bool write);

/* CUDA_SUCCESS and what the memory is; or CUDA_ERROR_INVALID_VALUE. Where the real driver crashes, so does this. */
CUresult accessCheck(uintptr_t address, size_t size, Role role, Accessor accessor, bool write, Memory *memory);

/* Whether a kernel in `context` can touch all of it. */
bool accessOfKernel(uintptr_t address, size_t size, const Context *context, bool write);

#endif
