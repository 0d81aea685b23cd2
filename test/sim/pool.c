/* SPDX-License-Identifier: Apache-2.0 */
/* Memory pools themselves; allocating from them is in pool_alloc.c. */
#include "pool.h"

#include "capture.h"
#include "check.h"
#include "device.h"
#include "memory.h"

#include <string.h>

bool poolAllows(const Pool *pool, int device, bool write)
{
    return device == pool->device || ((write ? pool->written : pool->readable) >> device & 1u) != 0;
}

static Pool *create(int device)
{
    Pool *pool = objectCreate(OBJECT_POOL, sizeof *pool, NULL);
    pool->device = device;
    for (size_t i = 0; i < sizeof pool->reuse / sizeof *pool->reuse; i++)
        pool->reuse[i] = 1;
    return pool;
}

Pool *poolDefault(int device)
{
    Device *self = &devices[device];
    if (self->defaultPool == NULL) {
        self->defaultPool = create(device);
        self->defaultPool->isDefault = true;
        objectMakeInternal(self->defaultPool);
    }
    return self->defaultPool;
}

Pool *poolCurrent(int device)
{
    Device *self = &devices[device];
    return self->currentPool != NULL ? self->currentPool : poolDefault(device);
}

Pool *poolFind(CUmemoryPool handle)
{
    return checkFind(handle, OBJECT_POOL);
}

void poolRelease(Pool *pool, size_t bytes)
{
    pool->used -= bytes;
    pool->pending--;
    if (pool->dismissed && pool->pending == 0)
        objectDestroy(pool);
}

static CUresult createFor(CUmemoryPool *out, const CUmemPoolProps *properties)
{
    if (out == NULL || properties == NULL || properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    if (properties->handleTypes != CU_MEM_HANDLE_TYPE_NONE) {
        say("pools that can be exported are not modelled");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
        say("pools of host memory are not modelled");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (!deviceIsValid(properties->location.id))
        return CUDA_ERROR_INVALID_DEVICE;
    *out = (CUmemoryPool)create(properties->location.id);
    return CUDA_SUCCESS;
}

/* Allocations that are not freed yet live on; the last of them takes the pool with it. */
static CUresult destroy(CUmemoryPool handle)
{
    Pool *pool = poolFind(handle);
    if (pool == NULL || pool->isDefault || pool->dismissed)
        return CUDA_ERROR_INVALID_VALUE;
    if (devices[pool->device].currentPool == pool)
        devices[pool->device].currentPool = NULL;
    pool->dismissed = true;
    if (pool->pending == 0)
        objectDestroy(pool);
    return CUDA_SUCCESS;
}

static CUresult trim(CUmemoryPool handle, size_t bytesToKeep)
{
    (void)bytesToKeep; /* a pool here holds on to nothing that is free */
    return poolFind(handle) != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Measured: a question about a pool's attributes or access ends captures; see captureAllowsUnsafeCall. */
static CUresult ask(CUmemoryPool handle, const void *output, Pool **pool)
{
    const CUresult result = captureAllowsUnsafeCall();
    if (result != CUDA_SUCCESS)
        return result;
    *pool = poolFind(handle);
    return *pool != NULL && output != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult getAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void *value)
{
    Pool *pool;
    const CUresult result = ask(handle, value, &pool);
    if (result != CUDA_SUCCESS)
        return result;
    unsigned long long number;
    switch ((int)attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        memcpy(value, &pool->reuse[attribute - 1], sizeof(int));
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        number = pool->threshold;
        break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        number = pool->used;
        break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        number = pool->usedHigh;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(value, &number, sizeof number);
    return CUDA_SUCCESS;
}

static CUresult setAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, const void *value)
{
    Pool *pool = poolFind(handle);
    if (pool == NULL || value == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    switch ((int)attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        memcpy(&pool->reuse[attribute - 1], value, sizeof(int));
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        memcpy(&pool->threshold, value, sizeof pool->threshold);
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: {
        unsigned long long number;
        memcpy(&number, value, sizeof number);
        if (number != 0)
            return CUDA_ERROR_INVALID_VALUE;
        pool->usedHigh = pool->used;
        return CUDA_SUCCESS;
    }
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult getAccess(CUmemAccess_flags *flags, CUmemoryPool handle, const CUmemLocation *location)
{
    Pool *pool;
    const CUresult result = ask(handle, flags, &pool);
    if (result != CUDA_SUCCESS)
        return result;
    if (location == NULL || location->type != CU_MEM_LOCATION_TYPE_DEVICE || !deviceIsValid(location->id))
        return CUDA_ERROR_INVALID_VALUE;
    *flags = poolAllows(pool, location->id, true)    ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
             : poolAllows(pool, location->id, false) ? CU_MEM_ACCESS_FLAGS_PROT_READ
                                                     : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
}

static CUresult setAccess(CUmemoryPool handle, const CUmemAccessDesc *descriptors, size_t count)
{
    Pool *pool = poolFind(handle);
    if (pool == NULL || (descriptors == NULL && count > 0))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        const CUmemAccessDesc *grant = &descriptors[i];
        if (grant->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
            return CUDA_ERROR_INVALID_VALUE;
        if (!deviceIsValid(grant->location.id))
            return CUDA_ERROR_INVALID_DEVICE;
        /* The pool's own device keeps its access. */
        if (grant->location.id == pool->device && grant->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count; i++) {
        const unsigned bit = 1u << descriptors[i].location.id;
        pool->readable &= ~bit;
        pool->written &= ~bit;
        if (descriptors[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE)
            pool->readable |= bit;
        if (descriptors[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            pool->written |= bit;
    }
    return CUDA_SUCCESS;
}

static CUresult getOfDevice(CUmemoryPool *out, CUdevice device, Pool *(*choose)(int))
{
    if (out == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!deviceIsValid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *out = (CUmemoryPool)choose(device);
    return CUDA_SUCCESS;
}

static CUresult setOfDevice(CUdevice device, CUmemoryPool handle)
{
    if (!deviceIsValid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    Pool *pool = poolFind(handle);
    if (pool == NULL || pool->device != device)
        return CUDA_ERROR_INVALID_VALUE;
    devices[device].currentPool = pool;
    return CUDA_SUCCESS;
}

API(cuMemPoolCreate, (CUmemoryPool * pool, const CUmemPoolProps *properties), createFor(pool, properties))
API(cuMemPoolDestroy, (CUmemoryPool pool), destroy(pool))
API(cuMemPoolTrimTo, (CUmemoryPool pool, size_t bytesToKeep), trim(pool, bytesToKeep))
API(cuMemPoolGetAttribute, (CUmemoryPool pool, CUmemPool_attribute attribute, void *value),
    getAttribute(pool, attribute, value))
API(cuMemPoolSetAttribute, (CUmemoryPool pool, CUmemPool_attribute attribute, void *value),
    setAttribute(pool, attribute, value))
API(cuMemPoolGetAccess, (CUmemAccess_flags * flags, CUmemoryPool pool, CUmemLocation *location),
    getAccess(flags, pool, location))
API(cuMemPoolSetAccess, (CUmemoryPool pool, const CUmemAccessDesc *descriptors, size_t count),
    setAccess(pool, descriptors, count))
API(cuDeviceGetDefaultMemPool, (CUmemoryPool * pool, CUdevice device), getOfDevice(pool, device, poolDefault))
API(cuDeviceGetMemPool, (CUmemoryPool * pool, CUdevice device), getOfDevice(pool, device, poolCurrent))
API(cuDeviceSetMemPool, (CUdevice device, CUmemoryPool pool), setOfDevice(device, pool))
