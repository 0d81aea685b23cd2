/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The access rules. "Measured" is what one H200 showed; "public reports" is what users of several devices reported and
 * what nobody of us has measured.
 */
#include "access.h"

#include "check.h"
#include "device.h"
#include "pageable.h"
#include "pool.h"

/* A copy is checked against the current context's device, not against that of its stream (public reports). With no
   context current the stream's device decides: on one device copies work then (measured). */
Accessor accessorOfCopy(const Stream *stream)
{
    const Context *current = contextCurrent();
    return current != NULL && current->object.alive ? (Accessor){true, current->device}
                                                    : (Accessor){false, stream->context->device};
}

/* A fill on an explicit stream works whatever is current (public reports): the stream's device decides. */
Accessor accessorOfFill(const Stream *stream, bool special)
{
    return special ? accessorOfCopy(stream) : (Accessor){contextCurrent() != NULL, stream->context->device};
}

/* Pool and mapped memory is for its own device and for those it was granted to (public reports); cuCtxEnablePeerAccess
   does not change that (public reports). All other memory is for everybody. */
bool accessAllows(const Range *range, int device, bool write)
{
    switch (range->kind) {
    case RANGE_POOL:
        return poolAllows(range->pool, device, write);
    case RANGE_MAPPED:
        return ((write ? range->written : range->readable) >> device & 1u) != 0;
    case RANGE_DEVICE:
    case RANGE_GRAPH:
    case RANGE_MANAGED:
    case RANGE_PINNED:
    case RANGE_REGISTERED:
        break;
    }
    return true;
}

static CUresult checkDevice(const Range *range, Role role, Accessor accessor, bool write)
{
    /* A peer copy between pools works without any grant (public reports); mapped memory needs access for someone. */
    if (role == ROLE_PEER || role == ROLE_PEER_UNKNOWN)
        return range->kind != RANGE_MAPPED || range->readable != 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (accessAllows(range, accessor.device, write))
        return CUDA_SUCCESS;
    /* Measured: mapped memory that no device may access, and no context current. */
    if (range->kind == RANGE_MAPPED && range->readable == 0 && !accessor.contextIsCurrent)
        crash("mapped memory at %p that no device may access, and no context is current", (void *)range->base);
    return CUDA_ERROR_INVALID_VALUE;
}

static Memory memoryOf(const Range *range)
{
    switch (range->kind) {
    case RANGE_PINNED:
    case RANGE_REGISTERED:
        return MEMORY_PINNED;
    case RANGE_MANAGED:
        return MEMORY_MANAGED;
    default:
        return MEMORY_DEVICE;
    }
}

/* A range may go on in the mappings that follow without a gap (measured); nothing else may: not two registrations side
   by side, not from registered into pageable memory (both measured). */
static bool goesOn(const Range *range, const Range *next)
{
    return range->kind == RANGE_MAPPED && next != NULL && next->kind == RANGE_MAPPED &&
           next->base == range->base + range->size;
}

static CUresult checkKnown(const Range *range, uintptr_t address, size_t size, Role role, Accessor accessor, bool write)
{
    const uintptr_t end = address + size;
    if (end < address)
        return CUDA_ERROR_INVALID_VALUE;
    for (;;) {
        const CUresult result = checkDevice(range, role, accessor, write);
        if (result != CUDA_SUCCESS)
            checkSay("device %d has no access to the memory at %p", accessor.device, (void *)range->base);
        if (result != CUDA_SUCCESS || end <= range->base + range->size)
            return result;
        const Range *next = rangeAfter(range);
        if (!goesOn(range, next)) {
            checkSay("%zu bytes at %p go past the end of the %zu bytes at %p", size, (void *)address, range->size,
                     (void *)range->base);
            return CUDA_ERROR_INVALID_VALUE;
        }
        range = next;
    }
}

CUresult accessCheck(uintptr_t address, size_t size, Role role, Accessor accessor, bool write, Memory *memory)
{
    const Range *range = rangeFind(address);
    if (range != NULL) {
        *memory = memoryOf(range);
        return checkKnown(range, address, size, role, accessor, write);
    }
    /* Freed device memory and holes are known not to be host memory (measured). */
    if (address == 0 || windowHolds(address) || role == ROLE_DEVICE || role == ROLE_PEER) {
        checkUnknownMemory(address);
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* Measured: anything else is taken for pageable memory, and a wild pointer crashes. */
    if (!pageableIsMapped(address, size))
        crash("%p is a wild pointer: no memory is there, and it is taken for pageable host memory", (void *)address);
    *memory = MEMORY_PAGEABLE;
    return CUDA_SUCCESS;
}

/* Measured on one device: a kernel in any context reaches plain, pool, mapped, managed, pinned and registered memory of
   the others, and not pageable memory. Another device's plain memory wants cuCtxEnablePeerAccess (public reports). */
static bool kernelMayTouch(const Range *range, const Context *context, bool write)
{
    if (range->kind == RANGE_DEVICE || range->kind == RANGE_GRAPH)
        return range->device == context->device || (context->peers >> range->device & 1u) != 0;
    return accessAllows(range, context->device, write);
}

bool accessOfKernel(uintptr_t address, size_t size, const Context *context, bool write)
{
    const Range *range = rangeFind(address);
    const uintptr_t end = address + size;
    if (range == NULL)
        checkUnknownMemory(address);
    if (range == NULL || end < address)
        return false;
    while (kernelMayTouch(range, context, write)) {
        if (end <= range->base + range->size)
            return true;
        const Range *next = rangeAfter(range);
        if (!goesOn(range, next))
            return false;
        range = next;
    }
    return false;
}
