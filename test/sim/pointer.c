/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver says of a pointer. */
#include "access.h"
#include "device.h"
#include "pool.h"
#include "vmm.h"

#include <string.h>

/* What older headers do not name. */
enum {
    ATTRIBUTE_MAPPING_SIZE = 18,
    ATTRIBUTE_MAPPING_BASE = 19,
    ATTRIBUTE_BLOCK_ID = 20,
    ATTRIBUTE_DECOMPRESS = 21,
    NO_DEVICE = -2, /* CU_DEVICE_INVALID */
};

/* One answer: at most eight bytes, of which `size` count; 0 leaves the output as it is. */
typedef struct Answer {
    unsigned long long value;
    size_t size;
    bool valid;
} Answer;

static Answer pointerAnswer(const void *value)
{
    return (Answer){(unsigned long long)(uintptr_t)value, sizeof(void *), true};
}

static Answer intAnswer(unsigned value)
{
    return (Answer){value, sizeof(int), true};
}

static Answer longAnswer(unsigned long long value)
{
    return (Answer){value, sizeof value, true};
}

/* The whole reservation for mapped memory, holes included (measured); else the allocation. */
static bool wholeRange(uintptr_t address, const Range *range, uintptr_t *base, size_t *size)
{
    if (reservationFind(address, base, size))
        return true;
    if (range == NULL)
        return false;
    *base = range->base;
    *size = range->size;
    return true;
}

static unsigned accessFlags(const Range *range)
{
    const Context *current = contextCurrent();
    const int device = current != NULL ? current->device : range->device;
    if (accessAllows(range, device, true))
        return CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return accessAllows(range, device, false) ? CU_MEM_ACCESS_FLAGS_PROT_READ : CU_MEM_ACCESS_FLAGS_PROT_NONE;
}

/* The answer for memory that CUDA knows. */
static Answer answerFor(const Range *range, CUpointer_attribute attribute, uintptr_t address)
{
    const bool host = range->kind == RANGE_PINNED || range->kind == RANGE_REGISTERED;
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        return pointerAnswer(range->context);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return intAnswer(host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        return pointerAnswer((void *)address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (host || range->kind == RANGE_MANAGED)
            return pointerAnswer((void *)address);
        return (Answer){0, sizeof(void *), false};
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case ATTRIBUTE_DECOMPRESS:
        return intAnswer(0);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case ATTRIBUTE_BLOCK_ID:
        return longAnswer(range->id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        return intAnswer(range->kind == RANGE_MANAGED);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return intAnswer((unsigned)range->device);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        return intAnswer(range->kind == RANGE_DEVICE);
    case CU_POINTER_ATTRIBUTE_MAPPED:
        return intAnswer(1);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        return longAnswer(0);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        return intAnswer(accessFlags(range));
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        return pointerAnswer(range->pool);
    case ATTRIBUTE_MAPPING_SIZE:
        return longAnswer(range->size);
    case ATTRIBUTE_MAPPING_BASE:
        return pointerAnswer((void *)range->base);
    default:
        return (Answer){0, 0, false};
    }
}

/* For a pointer that CUDA does not know the plural call writes a null of the answer's size. */
static size_t sizeOfNull(CUpointer_attribute attribute)
{
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    case ATTRIBUTE_DECOMPRESS:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return sizeof(int);
    default:
        return sizeof(unsigned long long);
    }
}

static Answer answer(CUpointer_attribute attribute, uintptr_t address)
{
    const Range *range = rangeFind(address);
    if (range != NULL && range->kind == RANGE_GRAPH)
        range = NULL; /* measured: memory allocated under capture is unknown to every query */
    if (attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR || attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE) {
        uintptr_t base;
        size_t size;
        if (!wholeRange(address, range, &base, &size))
            return (Answer){0, 0, false};
        return attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE ? longAnswer(size) : pointerAnswer((void *)base);
    }
    if (range != NULL)
        return answerFor(range, attribute, address);
    const unsigned long long none = attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ? (unsigned)NO_DEVICE : 0;
    return (Answer){none, sizeOfNull(attribute), false};
}

static bool isAttribute(CUpointer_attribute attribute)
{
    return (int)attribute >= CU_POINTER_ATTRIBUTE_CONTEXT && (int)attribute <= ATTRIBUTE_DECOMPRESS &&
           attribute != CU_POINTER_ATTRIBUTE_P2P_TOKENS;
}

static CUresult getOne(void *data, CUpointer_attribute attribute, CUdeviceptr pointer)
{
    if (data == NULL || !isAttribute(attribute))
        return CUDA_ERROR_INVALID_VALUE;
    const Answer found = answer(attribute, (uintptr_t)pointer);
    if (!found.valid)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(data, &found.value, found.size); /* little-endian: the low bytes come first */
    return CUDA_SUCCESS;
}

/* Unlike the singular call this succeeds for any pointer (measured). */
static CUresult getSeveral(unsigned count, const CUpointer_attribute *attributes, void **data, CUdeviceptr pointer)
{
    if (count == 0 || attributes == NULL || data == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        if (data[i] == NULL || !isAttribute(attributes[i]))
            return CUDA_ERROR_INVALID_VALUE;
    }
    for (unsigned i = 0; i < count; i++) {
        const Answer found = answer(attributes[i], (uintptr_t)pointer);
        memcpy(data[i], &found.value, found.size);
    }
    return CUDA_SUCCESS;
}

API(cuPointerGetAttribute, (void *data, CUpointer_attribute attribute, CUdeviceptr pointer),
    getOne(data, attribute, pointer))
API(cuPointerGetAttributes, (unsigned count, CUpointer_attribute *attributes, void **data, CUdeviceptr pointer),
    getSeveral(count, attributes, data, pointer))
