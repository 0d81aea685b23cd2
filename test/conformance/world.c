/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct world world;

const struct place *addPlace(const char *name, CUcontext context)
{
    struct place *const place = &world.places[world.placeCount++];
    *place = (struct place){name, context};
    return place;
}

void addStream(const char *name, CUstream handle, const struct place *owner)
{
    world.streams[world.streamCount++] = (struct stream){name, handle, owner};
}

void addSpecialStreams(void)
{
    addStream("NULL", NULL, NULL);
    addStream("LEGACY", CU_STREAM_LEGACY, NULL);
    addStream("PTDS", CU_STREAM_PER_THREAD, NULL);
}

struct memory *addMemory(struct memory memory)
{
    struct memory *const place = &world.memories[world.memoryCount++];
    *place = memory;
    if (memory.host && !memory.address)
        place->address = (CUdeviceptr)(uintptr_t)memory.host;
    return place;
}

#define NAMED(kind, plural)                                                                                            \
    const struct kind *kind##Named(const char *name)                                                                   \
    {                                                                                                                  \
        for (size_t i = 0; i < world.kind##Count; i++)                                                                 \
            if (strcmp(world.plural[i].name, name) == 0)                                                               \
                return &world.plural[i];                                                                               \
        return NULL;                                                                                                   \
    }
NAMED(place, places)
NAMED(stream, streams)
NAMED(memory, memories)
#undef NAMED

CUcontext contextNamed(const char *name)
{
    const struct place *const place = placeNamed(name);
    return place ? place->context : NULL;
}

/* The primary context, A and B; nothing current afterwards. */
static void makeContexts(CUdevice device)
{
    CUcontext context = NULL;
    addPlace("none", NULL);
    MUST(cudrvDevicePrimaryCtxRetain(&context, device));
    addPlace("P", context);
    for (const char *const *name = (const char *const[]){"A", "B", NULL}; *name; name++) {
        MUST(cudrvCtxCreate_v3020(&context, 0, device));
        MUST(cudrvCtxPopCurrent(NULL));
        addPlace(*name, context);
    }
}

static void makeGreenContext(CUdevice device)
{
    CUdevResource all;
    CUdevResource sixteen;
    unsigned int groups = 1;
    CUdevResourceDesc description = NULL;
    CUcontext context = NULL;
    if (!cudrvHas("cuGreenCtxStreamCreate")) {
        lacks("green contexts");
        return;
    }
    MUST(cudrvDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM));
    MUST(cudrvDevSmResourceSplitByCount(&sixteen, &groups, &all, NULL, 0, 16));
    MUST(cudrvDevResourceGenerateDesc(&description, &sixteen, 1));
    MUST(cudrvGreenCtxCreate(&world.green, description, device, CU_GREEN_CTX_DEFAULT_STREAM));
    MUST(cudrvCtxFromGreenCtx(&context, world.green));
    addPlace("G", context);
}

static void makeStreams(void)
{
    static const char *const names[][2] = {{"sP", "P"}, {"sA", "A"}, {"sB", "B"}};
    CUstream stream = NULL;
    addSpecialStreams();
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        IN(contextNamed(names[i][1]), cudrvStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
        addStream(names[i][0], stream, placeNamed(names[i][1]));
    }
    const struct place *const green = placeNamed("G");
    if (!green)
        return;
    MUST(cudrvGreenCtxStreamCreate(&stream, world.green, CU_STREAM_NON_BLOCKING, 0));
    addStream("sG", stream, green);
    IN(green->context, cudrvStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    addStream("sGc", stream, green);
}

static void addDeviceMemory(const char *name, const char *where)
{
    const CUcontext context = contextNamed(where);
    CUdeviceptr address = 0;
    if (!context)
        return;
    IN(context, cudrvMemAlloc(&address, BYTES));
    addMemory((struct memory){.name = name, .address = address, .context = context, .home = context});
}

static void addPoolMemory(const char *name, const char *stream)
{
    CUdeviceptr address = 0;
    const struct stream *const on = streamNamed(stream);
    IN(on->owner->context, cudrvMemAllocAsync(&address, BYTES, on->handle));
    MUST(cudrvStreamSynchronize(on->handle));
    addMemory(
        (struct memory){.name = name, .address = address, .context = on->owner->context, .home = on->owner->context});
}

static void addHostMemory(const char *name, const char *where, unsigned int flags)
{
    const CUcontext context = contextNamed(where);
    void *host = NULL;
    IN(context, cudrvMemHostAlloc(&host, BYTES, flags));
    addMemory((struct memory){.name = name, .host = host, .typedHost = true, .context = context, .home = context});
}

static void *pages(void)
{
    void *const host = aligned_alloc(4096, BYTES);
    if (!host)
        giveUp("out of memory");
    return host;
}

static void addMapping(const char *name, CUdevice device)
{
    const CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device}};
    const CUmemAccessDesc access = {.location = properties.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle handle = 0;
    size_t size = 0;
    CUdeviceptr address = 0;
    MUST(cudrvMemGetAllocationGranularity(&size, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    MUST(cudrvMemAddressReserve(&address, size, 0, 0, 0));
    MUST(cudrvMemCreate(&handle, size, &properties, 0));
    MUST(cudrvMemMap(address, size, 0, handle, 0));
    MUST(cudrvMemSetAccess(address, size, &access, 1));
    addMemory(
        (struct memory){.name = name, .address = address, .context = contextNamed("A"), .home = contextNamed("A")});
}

static void addArray(const char *name, const char *where)
{
    const CUDA_ARRAY_DESCRIPTOR bytes = {
        .Width = BYTES, .Height = 0, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    const CUcontext context = contextNamed(where);
    CUarray array = NULL;
    IN(context, cudrvArrayCreate(&array, &bytes));
    addMemory((struct memory){.name = name, .array = array, .context = context, .home = context});
}

static void makeMemories(CUdevice device)
{
    CUdeviceptr managed = 0;
    const CUcontext a = contextNamed("A");
    void *const registered = pages();
    addDeviceMemory("dP", "P");
    addDeviceMemory("dP2", "P");
    addDeviceMemory("dA", "A");
    addDeviceMemory("dA2", "A");
    addDeviceMemory("dB", "B");
    addDeviceMemory("dG", "G");
    addPoolMemory("pool@sA", "sA");
    addPoolMemory("pool@sP", "sP");
    addHostMemory("hP", "P", 0);
    addHostMemory("hA", "A", 0);
    addHostMemory("hWC", "A", CU_MEMHOSTALLOC_WRITECOMBINED);
    addHostMemory("hBport", "B", CU_MEMHOSTALLOC_PORTABLE);
    addHostMemory("hB", "B", 0);
    IN(a, cudrvMemHostRegister(registered, BYTES, 0));
    addMemory((struct memory){.name = "regA", .host = registered, .typedHost = true, .context = a, .home = a});
    addMemory((struct memory){.name = "page", .host = pages(), .typedHost = true, .context = a, .home = a});
    IN(a, cudrvMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL));
    addMemory((struct memory){
        .name = "mngA", .address = managed, .host = (void *)(uintptr_t)managed, .context = a, .home = a});
    addMapping("vmm", device);
    addArray("arrA", "A");
}

void worldOpen(void)
{
    CUdevice device = 0;
    MUST(cudrvInit(0));
    MUST(cudrvDeviceGet(&device, 0));
    makeContexts(device);
    makeGreenContext(device);
    makeStreams();
    makeMemories(device);
    stackClear();
}
