/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a copy needs around it: the stream's context and another one, the stream, and memory of each kind, two times
 * BYTES of it, so that a kind can be copied to itself. Nothing is ever freed: the process ends.
 */
#include "tool/report.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE = 2 * BYTES };

/* ---- Making ---- */

/* 1 if result is success; otherwise why says which call gave what. */
static int worked(CUresult result, const char *call, char *why)
{
    if (result != CUDA_SUCCESS)
        (void)snprintf(why, WHY, "%s gave %s", call, cudrvResultName(result));
    return result == CUDA_SUCCESS;
}

#define DO(name, ...) worked(cudrv##name(__VA_ARGS__), "cu" #name, why)

/* The older form: every driver has it. */
static int makeContext(CUcontext *context, CUdevice device, char *why)
{
    CUcontext popped = NULL;
    return DO(CtxCreate_v3020, context, 0, device) && DO(CtxPopCurrent, &popped);
}

static int makeContexts(struct scene *scene, const struct report *report, char *why)
{
    CUdevice home = 0;
    CUdevice other = 0;
    return DO(DeviceGet, &home, report->home) && DO(DeviceGet, &other, report->other) &&
           DO(DevicePrimaryCtxRetain, &scene->home, home) &&
           (home == other ? makeContext(&scene->other, home, why) : DO(DevicePrimaryCtxRetain, &scene->other, other));
}

static int makePlain(CUdeviceptr *address, char *why)
{
    return DO(MemAlloc, address, SIZE);
}

static int makePool(CUdeviceptr *address, CUstream stream, char *why)
{
    return DO(MemAllocAsync, address, SIZE, stream) && DO(StreamSynchronize, stream);
}

static int makeFarPool(CUdeviceptr *address, char *why)
{
    CUstream stream = NULL;
    return DO(StreamCreate, &stream, CU_STREAM_NON_BLOCKING) && makePool(address, stream, why);
}

static int makeVmm(CUdeviceptr *address, int open, char *why)
{
    CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED};
    CUmemGenericAllocationHandle handle = 0;
    CUdeviceptr at = 0;
    size_t grain = 0;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    if (!DO(CtxGetDevice, &properties.location.id) ||
        !DO(MemGetAllocationGranularity, &grain, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM))
        return 0;
    const size_t size = (SIZE + grain - 1) / grain * grain;
    const CUmemAccessDesc access = {.location = properties.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    if (!DO(MemCreate, &handle, size, &properties, 0) || !DO(MemAddressReserve, &at, size, 0, 0, 0) ||
        !DO(MemMap, at, size, 0, handle, 0) || (open && !DO(MemSetAccess, at, size, &access, 1)))
        return 0;
    *address = at;
    return 1;
}

static int makeArray(CUarray *array, char *why)
{
    const CUDA_ARRAY_DESCRIPTOR descriptor = {.Width = BYTES, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    return DO(ArrayCreate, array, &descriptor);
}

static int makePinned(CUdeviceptr *address, char *why)
{
    void *host = NULL;
    const int made = DO(MemHostAlloc, &host, SIZE, CU_MEMHOSTALLOC_PORTABLE);
    *address = (CUdeviceptr)(uintptr_t)host;
    return made;
}

static int makeCurrent(CUcontext context, char *why)
{
    return DO(CtxSetCurrent, context);
}

int doctorSceneMake(struct scene *scene, struct report *report)
{
    CUdeviceptr *const at = scene->address;
    char *const why = report->failure;
    char(*const missing)[WHY] = report->missingMemory;

    *scene = (struct scene){.stream = NULL};
    at[PAGEABLE] = (CUdeviceptr)(uintptr_t)malloc(SIZE);
    if (!at[PAGEABLE] || !makeContexts(scene, report, why) || !makeCurrent(scene->other, why))
        return 0;
    (void)makePlain(&at[FAR_PLAIN], missing[FAR_PLAIN]);
    (void)makeFarPool(&at[FAR_POOL], missing[FAR_POOL]);
    if (!makeCurrent(scene->home, why) || !DO(StreamCreate, &scene->stream, CU_STREAM_NON_BLOCKING))
        return 0;
    (void)makePlain(&at[PLAIN], missing[PLAIN]);
    (void)makePool(&at[POOL], scene->stream, missing[POOL]);
    (void)makeVmm(&at[VMM], 1, missing[VMM]);
    (void)makeVmm(&at[CLOSED], 0, missing[CLOSED]);
    (void)makeArray(&scene->array, missing[ARRAY]);
    (void)makePinned(&at[PINNED], missing[PINNED]);
    return makeCurrent(NULL, why);
}

#undef DO

/* ---- Bytes ---- */

static int isHost(enum memory memory)
{
    return memory == PINNED || memory == PAGEABLE;
}

static int isFar(enum memory memory)
{
    return memory == FAR_PLAIN || memory == FAR_POOL;
}

static void *hostAddress(const struct scene *scene, enum memory memory, size_t offset)
{
    return (void *)(uintptr_t)(scene->address[memory] + offset);
}

/* No two seeds give the same bytes, and none repeats within BYTES of them. */
static void pattern(unsigned char *bytes, unsigned seed)
{
    uint64_t state = (uint64_t)seed << 32;
    for (size_t i = 0; i < BYTES; i += sizeof(state), state++) {
        const uint64_t word = state * 0x9E3779B97F4A7C15U;
        memcpy(bytes + i, &word, sizeof(word));
    }
}

/* Run a copy that waits, with the memory's own context current, and wait for what it left to the device. */
static int inItsContext(const struct scene *scene, enum memory memory, CUresult (*copy)(const struct scene *, void *),
                        void *argument)
{
    if (cudrvCtxSetCurrent(isFar(memory) ? scene->other : scene->home) != CUDA_SUCCESS)
        return 0;
    const int done = copy(scene, argument) == CUDA_SUCCESS && cudrvCtxSynchronize() == CUDA_SUCCESS;
    return cudrvCtxSetCurrent(NULL) == CUDA_SUCCESS && done;
}

struct transfer {
    enum memory memory;
    size_t offset;
    unsigned char bytes[BYTES];
};

static CUresult upload(const struct scene *scene, void *argument)
{
    const struct transfer *const transfer = argument;
    if (transfer->memory == ARRAY)
        return cudrvMemcpyHtoA(scene->array, 0, transfer->bytes, BYTES);
    return cudrvMemcpyHtoD(scene->address[transfer->memory] + transfer->offset, transfer->bytes, BYTES);
}

static CUresult download(const struct scene *scene, void *argument)
{
    struct transfer *const transfer = argument;
    if (transfer->memory == ARRAY)
        return cudrvMemcpyAtoH(transfer->bytes, scene->array, 0, BYTES);
    return cudrvMemcpyDtoH(transfer->bytes, scene->address[transfer->memory] + transfer->offset, BYTES);
}

int doctorSceneFill(const struct scene *scene, enum memory memory, size_t offset, unsigned seed)
{
    struct transfer transfer = {.memory = memory, .offset = offset};
    pattern(transfer.bytes, seed);
    if (!isHost(memory))
        return inItsContext(scene, memory, upload, &transfer);
    memcpy(hostAddress(scene, memory, offset), transfer.bytes, BYTES);
    return 1;
}

int doctorSceneHolds(const struct scene *scene, enum memory memory, size_t offset, unsigned seed)
{
    struct transfer transfer = {.memory = memory, .offset = offset};
    unsigned char expected[BYTES];
    pattern(expected, seed);
    if (isHost(memory))
        memcpy(transfer.bytes, hostAddress(scene, memory, offset), BYTES);
    else if (!inItsContext(scene, memory, download, &transfer))
        return 0;
    return !memcmp(transfer.bytes, expected, BYTES);
}
