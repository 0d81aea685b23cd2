/* SPDX-License-Identifier: Apache-2.0 */
#include "devices_world.h"

#include <stdint.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int devices; /* two, or three */

static const char *const primaries[] = {"P0", "P1", "P2"};
static const char *const created[] = {"C0", "C1", "C2"};

static CUcontext primaryOf(int device)
{
    return contextNamed(primaries[device]);
}

/* Of the third device, only what can be current and what a copy can run on. */
static void makeContexts(void)
{
    addPlace("none", NULL);
    for (int device = 0; device < devices; device++) {
        CUcontext context = NULL;
        MUST(cudrvDevicePrimaryCtxRetain(&context, device));
        addPlace(primaries[device], context);
        if (device == 2)
            break;
        MUST(cudrvCtxCreate_v3020(&context, 0, device));
        MUST(cudrvCtxPopCurrent(NULL));
        addPlace(created[device], context);
    }
}

static void makeStreams(void)
{
    static const char *const names[][2] = {{"sP0", "P0"}, {"sP1", "P1"}, {"sC1", "C1"}, {"sP2", "P2"}};
    addStream("NULL", NULL, NULL);
    addStream("PTDS", CU_STREAM_PER_THREAD, NULL);
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct place *const place = placeNamed(names[i][1]);
        CUstream stream = NULL;
        if (!place)
            continue;
        IN(place->context, cudrvStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
        addStream(names[i][0], stream, place);
    }
}

static CUmemAccessDesc accessFor(int device)
{
    return (CUmemAccessDesc){.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device},
                             .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
}

/* `home` is where the bytes can be checked. */
static void add(const char *name, CUdeviceptr address, int home)
{
    addMemory((struct memory){.name = name, .address = address, .context = primaryOf(home), .home = primaryOf(home)});
}

static void addHost(const char *name, void *host, int device)
{
    addMemory((struct memory){
        .name = name, .host = host, .typedHost = true, .context = primaryOf(device), .home = primaryOf(device)});
}

static CUdeviceptr fromPool(int device, bool shared)
{
    const CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                       .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device}};
    const CUmemAccessDesc other = accessFor(1 - device);
    const CUstream stream = streamNamed(device == 0 ? "sP0" : "sP1")->handle;
    CUmemoryPool pool = NULL;
    CUdeviceptr address = 0;
    MUST(cudrvMemPoolCreate(&pool, &properties));
    if (shared)
        MUST(cudrvMemPoolSetAccess(pool, &other, 1));
    IN(primaryOf(device), cudrvMemAllocFromPoolAsync(&address, SMALL, pool, stream));
    MUST(cudrvStreamSynchronize(stream));
    return address;
}

/* Memory of `device`, mapped for the devices whose bit is set. */
static CUdeviceptr mapped(int device, unsigned bits)
{
    const CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device}};
    CUmemGenericAllocationHandle handle = 0;
    CUdeviceptr address = 0;
    size_t size = 0;
    MUST(cudrvMemGetAllocationGranularity(&size, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    MUST(cudrvMemAddressReserve(&address, size, 0, 0, 0));
    MUST(cudrvMemCreate(&handle, size, &properties, 0));
    MUST(cudrvMemMap(address, size, 0, handle, 0));
    for (int other = 0; other < 2; other++) {
        const CUmemAccessDesc access = accessFor(other);
        if (bits & 1U << other)
            MUST(cudrvMemSetAccess(address, size, &access, 1));
    }
    return address;
}

static CUdeviceptr plain(int device)
{
    CUdeviceptr address = 0;
    IN(primaryOf(device), cudrvMemAlloc(&address, SMALL));
    return address;
}

static void addArray(const char *name, int device)
{
    const CUDA_ARRAY_DESCRIPTOR bytes = {
        .Width = SMALL, .Height = 0, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    CUarray array = NULL;
    IN(primaryOf(device), cudrvArrayCreate(&array, &bytes));
    addMemory((struct memory){.name = name, .array = array, .context = primaryOf(device), .home = primaryOf(device)});
}

static void *page(void)
{
    void *const host = aligned_alloc(SMALL, SMALL);
    if (!host)
        giveUp("out of memory");
    return host;
}

static void makeHostMemories(void)
{
    const CUcontext context = primaryOf(0);
    void *const registered = page();
    void *pinned = NULL;
    CUdeviceptr managed = 0;
    IN(context, cudrvMemHostAlloc(&pinned, SMALL, 0));
    addHost("pinned0", pinned, 0);
    IN(context, cudrvMemHostRegister(registered, SMALL, 0));
    addHost("registered0", registered, 0);
    addHost("page", page(), 0);
    IN(context, cudrvMemAllocManaged(&managed, SMALL, CU_MEM_ATTACH_GLOBAL));
    addMemory((struct memory){.name = "managed0",
                              .address = managed,
                              .host = (void *)(uintptr_t)managed,
                              .context = context,
                              .home = context});
}

static void makeMemories(bool shareable)
{
    add("plain0", plain(0), 0);
    add("plain1", plain(1), 1);
    add("pool0", fromPool(0, false), 0);
    add("pool1", fromPool(1, false), 1);
    add("vmm0", mapped(0, 1), 0);
    add("vmm1", mapped(1, 2), 1);
    if (shareable) {
        add("pool0+1", fromPool(0, true), 0);
        add("pool1+0", fromPool(1, true), 1);
        add("vmm0+1", mapped(0, 3), 0);
        add("vmm1+0", mapped(1, 3), 1);
        add("vmm0-for-1", mapped(0, 2), 1);
        add("vmm1-for-0", mapped(1, 1), 0);
    }
    makeHostMemories();
    addArray("array0", 0);
    addArray("array1", 1);
}

void devicesOpen(void)
{
    int can[2] = {0};
    MUST(cudrvInit(0));
    MUST(cudrvDeviceGetCount(&devices));
    if (devices > 3)
        devices = 3;
    makeContexts();
    makeStreams();
    MUST(cudrvDeviceCanAccessPeer(&can[0], 0, 1));
    MUST(cudrvDeviceCanAccessPeer(&can[1], 1, 0));
    if (!can[0] || !can[1])
        lacks("access between device 0 and device 1");
    makeMemories(can[0] && can[1]);
    stackClear();
}

static int deviceOf(const struct place *place)
{
    return place->name[1] - '0';
}

/* Whether access is given to a context or to its device is not known: either will do. */
static void enable(CUcontext from, CUcontext to)
{
    MUST(cudrvCtxPushCurrent(from));
    const CUresult result = cudrvCtxEnablePeerAccess(to, 0);
    if (result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
        MUST(result);
    MUST(cudrvCtxPopCurrent(NULL));
}

void devicesEnablePeers(void)
{
    for (size_t i = 1; i < world.placeCount; i++)
        for (size_t j = 1; j < world.placeCount; j++) {
            const struct place *const from = &world.places[i];
            const struct place *const to = &world.places[j];
            int can = 0;
            if (deviceOf(from) != deviceOf(to))
                MUST(cudrvDeviceCanAccessPeer(&can, deviceOf(from), deviceOf(to)));
            if (can)
                enable(from->context, to->context);
        }
}
