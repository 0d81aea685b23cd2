/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual memory management. Physical memory is a file without a name, so that several mappings of it are the same
 * bytes.
 */
#include "vmm.h"

#include "check.h"
#include "device.h"
#include "exec.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define GRANULARITY ((size_t)2 << 20)

typedef struct Physical {
    Object object;
    int device;
    size_t size;
    int file;
    unsigned references; /* handles given out, and mappings */
    unsigned handles;
    CUmemAllocationProp properties;
} Physical;

typedef struct Reservation {
    uintptr_t base;
    size_t size;
    struct Reservation *next;
} Reservation;

static Reservation *reservations;

static Reservation *findReservation(uintptr_t address)
{
    for (Reservation *one = reservations; one != NULL; one = one->next) {
        if (address >= one->base && address - one->base < one->size)
            return one;
    }
    return NULL;
}

bool reservationFind(uintptr_t address, uintptr_t *base, size_t *size)
{
    const Reservation *one = findReservation(address);
    if (one == NULL)
        return false;
    *base = one->base;
    *size = one->size;
    return true;
}

static CUresult reserve(CUdeviceptr *out, size_t size, size_t alignment, CUdeviceptr hint, unsigned long long flags)
{
    (void)hint; /* a wish, which the real driver need not follow either */
    if (out == NULL || size == 0 || size % GRANULARITY != 0 || flags != 0 || (alignment & (alignment - 1)) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    const uintptr_t base = windowReserve(size, alignment > GRANULARITY ? alignment : GRANULARITY);
    if (base == 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    Reservation *one = memoryNew(1, sizeof *one);
    *one = (Reservation){.base = base, .size = size, .next = reservations};
    reservations = one;
    *out = (CUdeviceptr)base;
    return CUDA_SUCCESS;
}

static CUresult freeAddresses(CUdeviceptr pointer, size_t size)
{
    for (Reservation **link = &reservations; *link != NULL; link = &(*link)->next) {
        Reservation *one = *link;
        if (one->base != (uintptr_t)pointer)
            continue;
        if (one->size != size || rangeOverlaps(one->base, one->size))
            return CUDA_ERROR_INVALID_VALUE;
        *link = one->next;
        windowUnreserve(one->base);
        free(one);
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

static void dispose(void *object)
{
    Physical *physical = object;
    close(physical->file);
    devices[physical->device].used -= physical->size;
}

static void dropReference(Physical *physical)
{
    if (--physical->references == 0)
        objectDestroy(physical);
}

static CUresult checkProperties(const CUmemAllocationProp *properties)
{
    if (properties == NULL || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
        say("physical memory that is not a device's is not modelled");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (!deviceIsValid(properties->location.id))
        return CUDA_ERROR_INVALID_DEVICE;
    if (properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE) {
        say("physical memory that can be exported is not modelled");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_SUCCESS;
}

static CUresult create(CUmemGenericAllocationHandle *out, size_t size, const CUmemAllocationProp *properties,
                       unsigned long long flags)
{
    const CUresult result = checkProperties(properties);
    if (result != CUDA_SUCCESS)
        return result;
    if (out == NULL || size == 0 || size % GRANULARITY != 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    Device *device = &devices[properties->location.id];
    if (size > DEVICE_MEMORY - device->used)
        return CUDA_ERROR_OUT_OF_MEMORY;
    const int file = memfd_create("cusim", MFD_CLOEXEC);
    if (file < 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (ftruncate(file, (off_t)size) != 0) {
        close(file);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    device->used += size;
    Physical *physical = objectCreate(OBJECT_PHYSICAL_MEMORY, sizeof *physical, dispose);
    physical->device = properties->location.id;
    physical->size = size;
    physical->file = file;
    physical->references = physical->handles = 1;
    physical->properties = *properties;
    *out = (CUmemGenericAllocationHandle)(uintptr_t)physical;
    return CUDA_SUCCESS;
}

static Physical *findPhysical(CUmemGenericAllocationHandle handle)
{
    Physical *physical = checkFind((const void *)(uintptr_t)handle, OBJECT_PHYSICAL_MEMORY);
    return physical != NULL && physical->handles > 0 ? physical : NULL;
}

/* The memory lives on while it is mapped. */
static CUresult release(CUmemGenericAllocationHandle handle)
{
    Physical *physical = findPhysical(handle);
    if (physical == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    physical->handles--;
    dropReference(physical);
    return CUDA_SUCCESS;
}

static CUresult map(CUdeviceptr pointer, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                    unsigned long long flags)
{
    Physical *physical = findPhysical(handle);
    const Reservation *one = findReservation((uintptr_t)pointer);
    if (physical == NULL || one == NULL || size == 0 || flags != 0 || offset != 0 || pointer % GRANULARITY != 0 ||
        size % GRANULARITY != 0 || size > physical->size || size > one->base + one->size - (uintptr_t)pointer ||
        rangeOverlaps((uintptr_t)pointer, size))
        return CUDA_ERROR_INVALID_VALUE;
    if (!windowMapFile((uintptr_t)pointer, size, physical->file))
        return CUDA_ERROR_OUT_OF_MEMORY;
    const Range range = {.base = (uintptr_t)pointer,
                         .size = size,
                         .kind = RANGE_MAPPED,
                         .device = physical->device,
                         .physical = physical};
    rangeAdd(&range);
    physical->references++;
    return CUDA_SUCCESS;
}

/* Whether whole mappings lie side by side from the first byte to the last. */
static bool isMapped(uintptr_t base, size_t size)
{
    const uintptr_t end = base + size;
    while (base < end) {
        const Range *range = rangeFind(base);
        if (range == NULL || range->kind != RANGE_MAPPED || range->base != base || range->size > end - base)
            return false;
        base += range->size;
    }
    return size > 0;
}

static CUresult unmap(CUdeviceptr pointer, size_t size)
{
    if (!isMapped((uintptr_t)pointer, size))
        return CUDA_ERROR_INVALID_VALUE;
    execWaitAll();
    if (!isMapped((uintptr_t)pointer, size))
        return CUDA_ERROR_INVALID_VALUE; /* somebody else unmapped it meanwhile */
    uintptr_t base = (uintptr_t)pointer;
    while (base < (uintptr_t)pointer + size) {
        Range *range = rangeFind(base);
        base += range->size;
        windowDecommit(range->base, range->size);
        dropReference(range->physical);
        rangeRemove(range);
    }
    return CUDA_SUCCESS;
}

static CUresult setAccess(CUdeviceptr pointer, size_t size, const CUmemAccessDesc *descriptors, size_t count)
{
    if (descriptors == NULL || count == 0 || !isMapped((uintptr_t)pointer, size))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        if (descriptors[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE)
            return CUDA_ERROR_INVALID_VALUE;
        if (!deviceIsValid(descriptors[i].location.id))
            return CUDA_ERROR_INVALID_DEVICE;
    }
    for (uintptr_t base = (uintptr_t)pointer; base < (uintptr_t)pointer + size;) {
        Range *range = rangeFind(base);
        for (size_t i = 0; i < count; i++) {
            const unsigned bit = 1u << descriptors[i].location.id;
            range->readable &= ~bit;
            range->written &= ~bit;
            if (descriptors[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE)
                range->readable |= bit;
            if (descriptors[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
                range->written |= bit;
        }
        base += range->size;
    }
    return CUDA_SUCCESS;
}

static CUresult getAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr pointer)
{
    const Range *range = rangeFind((uintptr_t)pointer);
    if (flags == NULL || location == NULL || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
        !deviceIsValid(location->id) || range == NULL || range->kind != RANGE_MAPPED)
        return CUDA_ERROR_INVALID_VALUE;
    const CUmemAccess_flags access = (range->written >> location->id & 1u) != 0    ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                     : (range->readable >> location->id & 1u) != 0 ? CU_MEM_ACCESS_FLAGS_PROT_READ
                                                                                   : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    *flags = (unsigned long long)access;
    return CUDA_SUCCESS;
}

static CUresult getGranularity(size_t *granularity, const CUmemAllocationProp *properties,
                               CUmemAllocationGranularity_flags option)
{
    const CUresult result = checkProperties(properties);
    if (result != CUDA_SUCCESS)
        return result;
    if (granularity == NULL ||
        (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM && option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED))
        return CUDA_ERROR_INVALID_VALUE;
    *granularity = GRANULARITY;
    return CUDA_SUCCESS;
}

static CUresult getProperties(CUmemAllocationProp *properties, CUmemGenericAllocationHandle handle)
{
    const Physical *physical = findPhysical(handle);
    if (physical == NULL || properties == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *properties = physical->properties;
    return CUDA_SUCCESS;
}

static CUresult retainHandle(CUmemGenericAllocationHandle *handle, const void *address)
{
    const Range *range = rangeFind((uintptr_t)address);
    if (handle == NULL || range == NULL || range->kind != RANGE_MAPPED)
        return CUDA_ERROR_INVALID_VALUE;
    range->physical->references++;
    range->physical->handles++;
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)range->physical;
    return CUDA_SUCCESS;
}

void vmmReset(void)
{
    while (reservations != NULL) {
        Reservation *next = reservations->next;
        windowDecommit(reservations->base, reservations->size);
        windowUnreserve(reservations->base);
        free(reservations);
        reservations = next;
    }
}

API(cuMemAddressReserve,
    (CUdeviceptr * pointer, size_t size, size_t alignment, CUdeviceptr address, unsigned long long flags),
    reserve(pointer, size, alignment, address, flags))
API(cuMemAddressFree, (CUdeviceptr pointer, size_t size), freeAddresses(pointer, size))
API(cuMemCreate,
    (CUmemGenericAllocationHandle * handle, size_t size, const CUmemAllocationProp *properties,
     unsigned long long flags),
    create(handle, size, properties, flags))
API(cuMemRelease, (CUmemGenericAllocationHandle handle), release(handle))
API(cuMemMap,
    (CUdeviceptr pointer, size_t size, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags),
    map(pointer, size, offset, handle, flags))
API(cuMemUnmap, (CUdeviceptr pointer, size_t size), unmap(pointer, size))
API(cuMemSetAccess, (CUdeviceptr pointer, size_t size, const CUmemAccessDesc *descriptors, size_t count),
    setAccess(pointer, size, descriptors, count))
API(cuMemGetAccess, (unsigned long long *flags, const CUmemLocation *location, CUdeviceptr pointer),
    getAccess(flags, location, pointer))
API(cuMemGetAllocationGranularity,
    (size_t * granularity, const CUmemAllocationProp *properties, CUmemAllocationGranularity_flags option),
    getGranularity(granularity, properties, option))
API(cuMemGetAllocationPropertiesFromHandle, (CUmemAllocationProp * properties, CUmemGenericAllocationHandle handle),
    getProperties(properties, handle))
API(cuMemRetainAllocationHandle, (CUmemGenericAllocationHandle * handle, void *address), retainHandle(handle, address))
