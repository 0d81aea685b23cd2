/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where an allocation begins and ends, as the driver tells it: several mappings in one reservation, a hole, host
 * registrations side by side. What a copy makes of a range over several of them, and what a kernel may touch.
 */
#include "kernel.h"
#include "sections.h"
#include "world.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static CUstream s;
static size_t granule;
static CUdeviceptr reservation; /* three granules, of which two are mapped */
static CUdeviceptr withoutAccess;
static char *registrations; /* three times BYTES, of which two are registered, each by itself */

static const char *ownerName(CUcontext context)
{
    for (size_t i = 1; i < world.placeCount; i++)
        if (world.places[i].context == context)
            return world.places[i].name;
    return context ? "another" : "NULL";
}

static void askRange(const char *place, const char *current, CUdeviceptr address)
{
    CUdeviceptr begin = 0;
    size_t length = 0;
    if (!ask("%s %s MemGetAddressRange", place, current))
        return;
    stackStand(contextNamed(current));
    const CUresult result = cudrvMemGetAddressRange(&begin, &length, address);
    if (result == CUDA_SUCCESS)
        answer("%llu into a range of %zu", (unsigned long long)(address - begin), length);
    else
        answerResult(result);
}

/* `place` is the key's name for the address. */
static void askAddress(const char *place, const char *current, CUdeviceptr address)
{
    CUdeviceptr pointer = 0;
    CUdeviceptr start = 0;
    size_t size = 77;
    int mapped = -1;
    int access = -1;
    int type = -1;
    CUcontext context = NULL;
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_DEVICE_POINTER, CU_POINTER_ATTRIBUTE_MAPPED,
                                        CU_POINTER_ATTRIBUTE_ACCESS_FLAGS,   CU_POINTER_ATTRIBUTE_CONTEXT,
                                        CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                        CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void *values[] = {&pointer, &mapped, &access, (void *)&context, &type, &start, &size};
    stackStand(contextNamed(current));
    if (ask("%s %s PointerGetAttributes", place, current)) {
        const CUresult result = cudrvPointerGetAttributes(COUNT(attributes), attributes, values, address);
        if (start)
            answer("%s, pointer %s, mapped %d, access %d, context %s, type %d, %llu into a range of %zu",
                   resultName(result), pointer == address ? "the same" : "0", mapped, access, ownerName(context), type,
                   (unsigned long long)(address - start), size);
        else
            answer("%s, pointer %s, mapped %d, access %d, context %s, type %d, no range (size %zu)", resultName(result),
                   pointer == address ? "the same" : "0", mapped, access, ownerName(context), type, size);
    }
    if (ask("%s %s PointerGetAttribute(DEVICE_POINTER)", place, current))
        answerResult(cudrvPointerGetAttribute(&pointer, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, address));
    askRange(place, current, address);
}

static void makeReservation(void)
{
    const CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
    const CUmemAccessDesc access = {.location = properties.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    MUST(cudrvMemGetAllocationGranularity(&granule, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    MUST(cudrvMemAddressReserve(&reservation, 3 * granule, 0, 0, 0));
    for (size_t i = 0; i < 2; i++) {
        CUmemGenericAllocationHandle handle = 0;
        MUST(cudrvMemCreate(&handle, granule, &properties, 0));
        MUST(cudrvMemMap(reservation + i * granule, granule, 0, handle, 0));
        MUST(cudrvMemSetAccess(reservation + i * granule, granule, &access, 1));
    }
}

/* Mapped, and no device was given access. */
static void makeInaccessible(void)
{
    const CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
    CUmemGenericAllocationHandle handle = 0;
    MUST(cudrvMemAddressReserve(&withoutAccess, granule, 0, 0, 0));
    MUST(cudrvMemCreate(&handle, granule, &properties, 0));
    MUST(cudrvMemMap(withoutAccess, granule, 0, handle, 0));
}

static void makeRegistrations(void)
{
    registrations = aligned_alloc(4096, 3 * (size_t)BYTES);
    if (!registrations)
        giveUp("out of memory");
    memset(registrations, 1, 3 * (size_t)BYTES);
    MUST(cudrvCtxPushCurrent(contextNamed("P")));
    MUST(cudrvMemHostRegister(registrations, BYTES, 0));
    MUST(cudrvMemHostRegister(registrations + BYTES, BYTES, 0));
    MUST(cudrvCtxPopCurrent(NULL));
}

static CUresult batch(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
    size_t first = 0;
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    return cudrvMemcpyBatchAsync(&dst, &src, &size, 1, &attributes, &first, 1, s);
}

static void answerBoth(CUresult result)
{
    const CUresult waited = cudrvStreamSynchronize(s);
    if (waited == CUDA_SUCCESS)
        answerResult(result);
    else
        answer("%s, then waiting %s", resultName(result), resultName(waited));
}

static void askCrossings(void)
{
    const CUdeviceptr dA = memoryNamed("dA")->address;
    const CUdeviceptr adjacent = reservation + granule - BYTES / 2;
    const CUdeviceptr hole = reservation + 2 * granule - BYTES / 2;
    const CUdeviceptr two = (CUdeviceptr)(uintptr_t)registrations + BYTES / 2;
    const CUdeviceptr outside = two + BYTES;
    stackStand(contextNamed("A"));
    if (ask("two-mappings A MemcpyAsync"))
        answerBoth(cudrvMemcpyAsync(adjacent, dA, BYTES, s));
    if (ask("two-mappings A MemcpyDtoDAsync"))
        answerBoth(cudrvMemcpyDtoDAsync(adjacent, dA, BYTES, s));
    if (ask("two-mappings A MemcpyBatchAsync"))
        answerBoth(batch(adjacent, dA, BYTES));
    if (ask("into-a-hole A MemcpyAsync"))
        answerBoth(cudrvMemcpyAsync(hole, dA, BYTES, s));
    if (ask("into-a-hole A MemcpyDtoDAsync"))
        answerBoth(cudrvMemcpyDtoDAsync(hole, dA, BYTES, s));
    if (ask("two-registrations A MemcpyAsync"))
        answerBoth(cudrvMemcpyAsync(dA, two, BYTES, s));
    if (ask("two-registrations A MemcpyBatchAsync"))
        answerBoth(batch(dA, two, BYTES));
    if (ask("registered-into-pageable A MemcpyAsync"))
        answerBoth(cudrvMemcpyAsync(dA, outside, BYTES, s));
    if (ask("registered-into-pageable A MemcpyBatchAsync"))
        answerBoth(batch(dA, outside, BYTES));
}

static void askInaccessible(void)
{
    const CUdeviceptr dA = memoryNamed("dA")->address;
    stackStand(contextNamed("A"));
    if (ask("mapping-without-access A MemcpyAsync"))
        answerBoth(cudrvMemcpyAsync(withoutAccess, dA, BYTES, s));
    if (ask("mapping-without-access A cucopyMemcpyAsync"))
        answerBoth(cucopyMemcpyAsync(withoutAccess, dA, BYTES, s));
    stackClear();
    if (ask("mapping-without-access none MemcpyAsync"))
        answerBoth(cudrvMemcpyAsync(withoutAccess, dA, BYTES, s));
    if (ask("mapping-without-access none cucopyMemcpyAsync"))
        answerBoth(cucopyMemcpyAsync(withoutAccess, dA, BYTES, s));
}

static void askDevice(void)
{
    int value = -1;
    if (ask("device - granularity"))
        answer("%zu", granule);
    if (ask("device - CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM")) {
        MUST(cudrvDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 0));
        answer("%d", value);
    }
    if (ask("device - READ_ONLY_HOST_REGISTER_SUPPORTED")) {
        MUST(cudrvDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED, 0));
        answer("%d", value);
    }
}

/* ---- Kernels ---- */

static void playKernel(const char *current, const char *memory, bool write)
{
    CUstream stream = NULL;
    const struct memory *const target = memoryNamed(memory);
    stackStand(contextNamed(current));
    MUST(cudrvStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    within("%s %s kernel-%s", memory, current, write ? "writes" : "reads");
    const CUresult launched = kernelLaunch(target->address, 64, write, stream);
    answer("%s, StreamSynchronize %s", resultName(launched), resultName(cudrvStreamSynchronize(stream)));
}

static void askKernels(void)
{
    static const char *const currents[] = {"P", "A", "B"};
    static const char *const readable[] = {"dP", "dA", "dG", "pool@sA", "vmm", "mngA", "hA", "hWC", "regA"};
    static const char *const writable[] = {"dA", "hA", "regA", "mngA"};
    if (!kernelLoad())
        return;
    if (ask("two-mappings A kernel-reads")) {
        stackStand(contextNamed("A"));
        answerBoth(kernelLaunch(reservation + granule - 32, 64, false, s));
    }
    for (size_t i = 0; i < COUNT(currents); i++)
        for (size_t j = 0; j < COUNT(readable); j++)
            if (memoryNamed(readable[j]) && scene("reads"))
                playKernel(currents[i], readable[j], false);
    for (size_t j = 0; j < COUNT(writable); j++)
        if (scene("writes"))
            playKernel("B", writable[j], true);
    for (size_t i = 0; i < COUNT(currents); i++)
        if (sceneAlone("pageable"))
            playKernel(currents[i], "page", false);
}

static void play(void)
{
    static const char *const memories[] = {"dA", "pool@sA", "vmm", "mngA", "hA", "regA", "page"};
    worldOpen();
    makeReservation();
    makeInaccessible();
    makeRegistrations();
    s = streamNamed("sA")->handle;
    askAddress("first-mapping", "A", reservation + 4096);
    askAddress("second-mapping", "A", reservation + granule + 4096);
    askAddress("hole", "A", reservation + 2 * granule + 4096);
    askAddress("first-registration", "A", (CUdeviceptr)(uintptr_t)registrations + 4096);
    askAddress("dP", "P", memoryNamed("dP")->address);
    for (size_t i = 0; contextNamed("G") && i < COUNT(memories); i++)
        askAddress(memories[i], "G", memoryNamed(memories[i])->address);
    for (size_t i = 0; i < COUNT(memories); i++)
        askRange(memories[i], "none", memoryNamed(memories[i])->address);
    askRange("hole", "none", reservation + 2 * granule + 4096);
    askCrossings();
    askInaccessible();
    askDevice();
    askKernels();
}

const struct section rangesSection = {
    .name = "ranges",
    .columns = "place\tcurrent\tquestion\tanswer",
    .about = "Where allocations begin and end, copies over several of them, what a kernel may touch.",
    .play = play,
    .parts = 1,
};
