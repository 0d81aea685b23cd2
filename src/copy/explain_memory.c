/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a pointer is, asked of the driver. All of these queries are safe for any address, need no context, and disturb
 * no capture; whichever fails, the rest stands. What they mean for a copy is explain_pointers.c's.
 */
#include "copy/explain.h"

struct attributes {
    CUmemorytype type;
    CUcontext context;
    int managed;
    int device;
    CUdeviceptr start;
    size_t size;
    CUmemoryPool pool;
};

/* Asked for together: on memory that CUDA does not know, this form gives zeros, and the other an error. */
static int ask(CUdeviceptr address, struct attributes *answer)
{
    CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,      CU_POINTER_ATTRIBUTE_CONTEXT,
                                   CU_POINTER_ATTRIBUTE_IS_MANAGED,       CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                   CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                   CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE};
    void *answers[] = {&answer->type,  &answer->context, &answer->managed, &answer->device,
                       &answer->start, &answer->size,    &answer->pool};
    *answer = (struct attributes){.device = -1};
    return cudrvPointerGetAttributes(sizeof(asked) / sizeof(*asked), asked, answers, address) == CUDA_SUCCESS;
}

static cucopyAccess mappingAccess(CUdeviceptr address, int device)
{
    const CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device};
    unsigned long long flags = 0;
    if (device < 0 || cudrvMemGetAccess(&flags, &location, address) != CUDA_SUCCESS)
        return CUCOPY_ACCESS_UNKNOWN;
    return flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? CUCOPY_ACCESS_READ_WRITE
           : flags == CU_MEM_ACCESS_FLAGS_PROT_READ    ? CUCOPY_ACCESS_READ
                                                       : CUCOPY_ACCESS_NONE;
}

/* 0 only if each device was asked and none has access. */
static int anyDeviceReaches(CUdeviceptr address)
{
    int count = 0;
    if (cudrvDeviceGetCount(&count) != CUDA_SUCCESS)
        return 1;
    for (int device = 0; device < count; ++device)
        if (mappingAccess(address, device) != CUCOPY_ACCESS_NONE)
            return 1;
    return 0;
}

/* Mappings begin and end at multiples of this. */
#define GRANULARITY ((CUdeviceptr)2 << 20)

/* The mapping at an address. Without a context current the driver does not tell its range, but whether there is one. */
static int mappingAt(CUdeviceptr address, cucopyAccess access, CUdeviceptr *base, size_t *size)
{
    if (cudrvMemGetAddressRange(base, size, address) == CUDA_SUCCESS && *size)
        return 1;
    *base = address & ~(GRANULARITY - 1);
    *size = (size_t)GRANULARITY;
    return access != CUCOPY_ACCESS_UNKNOWN;
}

/* A copy may run over adjacent mappings, each with an access of its own; follow them as far as the copy goes. */
static void followMappings(struct cucopyMemory *memory, int device)
{
    enum { PATIENCE = 4096 };
    size_t known = 0; /* bytes from address to behind the mappings seen so far */
    memory->access = memory->least = mappingAccess(memory->address, device);
    memory->accessEnds = memory->extent;
    for (int i = 0; i < PATIENCE && known < memory->extent; ++i) {
        const CUdeviceptr at = memory->address + known;
        const cucopyAccess access = mappingAccess(at, device);
        CUdeviceptr base = 0;
        size_t size = 0;
        if (!mappingAt(at, access, &base, &size))
            break;
        if (i == 0)
            memory->base = base;
        if (access < memory->least)
            memory->least = access;
        if (access == CUCOPY_ACCESS_NONE && known < memory->accessEnds)
            memory->accessEnds = known;
        known = (size_t)(base - memory->address) + size;
    }
    if (known)
        memory->size = (size_t)(memory->address - memory->base) + known;
    memory->reachable = anyDeviceReaches(memory->address);
}

/* The memory that the driver knows behind this, for a copy that runs into it. */
static CUdeviceptr behind(const struct cucopyMemory *memory)
{
    struct attributes next;
    const CUdeviceptr address = memory->base + memory->size;
    return ask(address, &next) && next.type ? address : 0;
}

/* What the device of the current context may do, if that is the device that matters. */
static cucopyAccess accessNow(CUdeviceptr address, int device)
{
    CUcontext current = NULL;
    unsigned long long id = 0;
    CUdevice here = -1;
    if (device < 0 || cudrvCtxGetCurrent(&current) != CUDA_SUCCESS || !current ||
        cudrvCtxGetId(current, &id) == CUDA_ERROR_CONTEXT_IS_DESTROYED || cudrvCtxGetDevice(&here) != CUDA_SUCCESS ||
        here != device)
        return CUCOPY_ACCESS_UNKNOWN;
    return cucopyAccessHere(address);
}

void cucopyAskMemory(struct cucopyMemory *memory, int device, cucopyAccess access)
{
    struct attributes is;
    memory->kind = memory->address ? CUCOPY_KIND_UNASKED : CUCOPY_KIND_NULL;
    memory->device = -1;
    memory->reachable = 1;
    if (!memory->address || !ask(memory->address, &is))
        return;
    const int ranged = is.size && memory->address >= is.start && memory->address - is.start < is.size;
    if (is.type)
        memory->device = is.device;
    if (ranged) {
        memory->base = is.start;
        memory->size = is.size;
    }
    /* A driver may say nothing of a mapping that no device may access, and yet know its extent. */
    CUdeviceptr base = 0;
    size_t size = 0;
    const int mapped = !is.type && ranged && cudrvMemGetAddressRange(&base, &size, memory->address) == CUDA_SUCCESS;
    if (!is.type && !mapped) {
        memory->kind = ranged ? CUCOPY_KIND_RESERVED : CUCOPY_KIND_UNKNOWN;
    } else if (is.managed) {
        memory->kind = CUCOPY_KIND_MANAGED;
    } else if (is.type == CU_MEMORYTYPE_HOST) {
        memory->kind = CUCOPY_KIND_PINNED;
    } else if (is.pool) {
        memory->kind = CUCOPY_KIND_POOL;
        memory->access = memory->least = access ? access : accessNow(memory->address, device);
    } else if (!is.context) {
        memory->kind = CUCOPY_KIND_MAPPED;
        followMappings(memory, device);
    } else {
        memory->kind = CUCOPY_KIND_DEVICE;
    }
    if (memory->kind == CUCOPY_KIND_PINNED && memory->size)
        memory->next = behind(memory);
}
