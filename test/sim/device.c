/* SPDX-License-Identifier: Apache-2.0 */
/* What can be asked of a device. */
#include "device.h"

#include <stdio.h>
#include <string.h>

Device devices[MAX_DEVICES];

bool deviceIsValid(CUdevice device)
{
    return device >= 0 && device < settings.devices;
}

CUresult deviceError(int device)
{
    return devices[device].error;
}

void deviceFail(int device, CUresult error)
{
    if (devices[device].error == CUDA_SUCCESS)
        devices[device].error = error;
}

void deviceReset(void)
{
    memset(devices, 0, sizeof devices);
}

static CUresult get(CUdevice *out, int ordinal)
{
    if (out == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!deviceIsValid(ordinal))
        return CUDA_ERROR_INVALID_DEVICE;
    *out = ordinal;
    return CUDA_SUCCESS;
}

static CUresult getCount(int *count)
{
    if (count == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *count = settings.devices;
    return CUDA_SUCCESS;
}

static CUresult getName(char *name, int length, CUdevice device)
{
    if (name == NULL || length <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!deviceIsValid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    (void)snprintf(name, (size_t)length, "cucopy simulated device %d", device);
    return CUDA_SUCCESS;
}

static CUresult getUuid(CUuuid *uuid, CUdevice device)
{
    if (uuid == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!deviceIsValid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    static const char pattern[sizeof uuid->bytes] = "cusim-device-00";
    memcpy(uuid->bytes, pattern, sizeof uuid->bytes);
    uuid->bytes[13] = (char)('0' + device / 10);
    uuid->bytes[14] = (char)('0' + device % 10);
    return CUDA_SUCCESS;
}

static CUresult getTotalMemory(size_t *bytes, CUdevice device)
{
    if (bytes == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!deviceIsValid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *bytes = DEVICE_MEMORY;
    return CUDA_SUCCESS;
}

static CUresult getComputeCapability(int *major, int *minor, CUdevice device)
{
    if (major == NULL || minor == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!deviceIsValid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *major = DEVICE_MAJOR;
    *minor = DEVICE_MINOR;
    return CUDA_SUCCESS;
}

static CUresult getPciId(char *id, int length, CUdevice device)
{
    if (id == NULL || length < 13)
        return CUDA_ERROR_INVALID_VALUE;
    if (!deviceIsValid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    (void)snprintf(id, (size_t)length, "0000:%02X:00.0", (unsigned)device + 1);
    return CUDA_SUCCESS;
}

static CUresult getByPciId(CUdevice *out, const char *id)
{
    if (out == NULL || id == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    unsigned domain = 0;
    unsigned bus;
    unsigned slot;
    if (sscanf(id, "%x:%x:%x", &domain, &bus, &slot) != 3 && /* NOLINT(cert-err34-c): what does not fit is refused */
        sscanf(id, "%x:%x", &bus, &slot) != 2)               /* NOLINT(cert-err34-c): as above */
        return CUDA_ERROR_INVALID_VALUE;
    if (domain != 0 || slot != 0 || bus == 0 || !deviceIsValid((int)bus - 1))
        return CUDA_ERROR_INVALID_DEVICE;
    *out = (int)bus - 1;
    return CUDA_SUCCESS;
}

typedef struct Attribute {
    int attribute;
    int value;
} Attribute;

/* Most of these are an H200's; the numbers are those of CUdevice_attribute, which older headers do not name in full. */
static const Attribute attributes[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
    {CU_DEVICE_ATTRIBUTE_MAX_PITCH, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
    {CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, 1},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, DEVICE_MULTIPROCESSORS},
    {CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT, 0},
    {CU_DEVICE_ATTRIBUTE_INTEGRATED, 0},
    {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 0},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
    {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 1},
    {CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 0},
    {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 0},
    {CU_DEVICE_ATTRIBUTE_TCC_DRIVER, 0},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 3201000},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6144},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 62914560},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
    {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 3},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, DEVICE_MAJOR},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, DEVICE_MINOR},
    {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
    {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD, 0},
    {CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 0},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 0},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, DEVICE_SHARED_MEMORY},
    {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, 0},
    {CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 0},
    {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
    {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED, 1}, /* measured */
    {CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, 0},
};

static CUresult getAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    if (value == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!deviceIsValid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (attribute == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID) {
        *value = device + 1;
        return CUDA_SUCCESS;
    }
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        if (attributes[i].attribute == (int)attribute) {
            *value = attributes[i].value;
            return CUDA_SUCCESS;
        }
    }
    if ((int)attribute <= 0 || (int)attribute > 160)
        return CUDA_ERROR_INVALID_VALUE;
    static bool said[161];
    if (!said[attribute])
        say("device attribute %d is not modelled; it is 0", (int)attribute);
    said[attribute] = true;
    *value = 0;
    return CUDA_SUCCESS;
}

API(cuDeviceGet, (CUdevice * device, int ordinal), get(device, ordinal))
API(cuDeviceGetCount, (int *count), getCount(count))
API(cuDeviceGetName, (char *name, int length, CUdevice device), getName(name, length, device))
API(cuDeviceGetUuid, (CUuuid * uuid, CUdevice device), getUuid(uuid, device))
API(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device), getUuid(uuid, device))
API(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device), getTotalMemory(bytes, device))
API(cuDeviceComputeCapability, (int *major, int *minor, CUdevice device), getComputeCapability(major, minor, device))
API(cuDeviceGetPCIBusId, (char *id, int length, CUdevice device), getPciId(id, length, device))
API(cuDeviceGetByPCIBusId, (CUdevice * device, const char *id), getByPciId(device, id))
API(cuDeviceGetAttribute, (int *value, CUdevice_attribute attribute, CUdevice device),
    getAttribute(value, attribute, device))
