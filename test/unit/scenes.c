/* SPDX-License-Identifier: Apache-2.0 */
#include "scenes.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- Tidying up ---- */

enum { maxUndos = 32 };

static struct {
    void (*undo)(void *);
    void *argument;
    CUcontext context;
} undos[maxUndos];
static size_t undoCount;

void later(void (*undo)(void *), void *argument, CUcontext context)
{
    if (undoCount == maxUndos)
        abort();
    undos[undoCount].undo = undo;
    undos[undoCount].argument = argument;
    undos[undoCount++].context = context;
}

void sceneTidy(void)
{
    CUcontext top = NULL;
    if (simulator())
        simulator()->refuseNone();
    while (cudrvCtxGetCurrent(&top) == CUDA_SUCCESS && top) /* of a scene that did not end well */
        (void)cudrvCtxPopCurrent(NULL);
    while (undoCount) {
        --undoCount;
        if (undos[undoCount].context)
            (void)cudrvCtxPushCurrent(undos[undoCount].context);
        undos[undoCount].undo(undos[undoCount].argument);
        if (undos[undoCount].context)
            (void)cudrvCtxPopCurrent(NULL);
    }
}

/* In a test these end the test, elsewhere the program. */
void must(CUresult result)
{
    if (result != CUDA_SUCCESS)
        fail_msg("the scene cannot be set: %s", cudrvResultName(result));
}

/* ---- Failing ---- */

static cucopyFailure rawFailure; /* size 0: the scene's call was a safe one */

void fails(CUresult result, CUresult expected)
{
    if (result != expected)
        fail_msg("%s, and not %s, in this scene", cudrvResultName(result), cudrvResultName(expected));
}

void failsRaw(CUresult result, CUresult expected, const cucopyFailure *what)
{
    fails(result, expected);
    rawFailure = *what;
    rawFailure.size = sizeof(rawFailure);
    rawFailure.result = result;
    rawFailure.entry = CUCOPY_NO_ENTRY;
    rawFailure.streamDevice = rawFailure.currentDevice = -1;
    cucopyObserveFailure(&rawFailure);
}

void sceneKeep(const cucopyFailure *failure)
{
    rawFailure = *failure;
}

void sceneFail(const struct scene *scene, const struct world *world)
{
    rawFailure.size = 0;
    scene->run(world);
}

const char *sceneExplained(void)
{
    static char text[4096];
    if (cucopyExplain(rawFailure.size ? &rawFailure : NULL, text, sizeof(text)) >= sizeof(text))
        abort();
    return text;
}

const char *sceneCannot(const struct scene *scene, int deviceCount)
{
    if (scene->needs & NEEDS_SIMULATOR && !simulator())
        return "needs a driver that fails on demand";
    if (scene->needs & NEEDS_TWO_DEVICES && deviceCount < 2)
        return "needs two devices";
    if (scene->needs & NEEDS_A_STUB && !getenv("CUCOPY_TEST_STUB")) /* NOLINT(concurrency-mt-unsafe) */
        return "needs a stub library at $CUCOPY_TEST_STUB";
    if (scene->needs & NEEDS_A_GPU && simulator())
        return "needs a GPU";
    if (scene->has && !cudrvHas(scene->has))
        return "needs a newer driver";
    if (scene->lacks && cudrvHas(scene->lacks))
        return "needs an older driver";
    return NULL;
}

static const struct scene *named(const char *name, const struct scene *scenes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(scenes[i].name, name) == 0)
            return &scenes[i];
    return NULL;
}

const struct scene *sceneNamed(const char *name)
{
    const struct scene *found = named(name, stateScenes, stateSceneCount);
    found = found ? found : named(name, pointerScenes, pointerSceneCount);
    found = found ? found : named(name, batchScenes, batchSceneCount);
    return found ? found : named(name, processScenes, processSceneCount);
}

/* ---- Memory ---- */

static void *pointer(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

static void freePlain(void *memory)
{
    (void)cudrvMemFree((CUdeviceptr)(uintptr_t)memory);
}

static void freePinned(void *memory)
{
    (void)cudrvMemFreeHost(memory);
}

static void unregister(void *memory)
{
    (void)cudrvMemHostUnregister(memory);
}

CUdeviceptr plainMemory(CUcontext context, size_t bytes)
{
    CUdeviceptr memory = 0;
    must(cudrvCtxPushCurrent(context));
    must(cudrvMemAlloc(&memory, bytes));
    must(cudrvCtxPopCurrent(NULL));
    later(freePlain, pointer(memory), context);
    return memory;
}

CUdeviceptr freedMemory(CUcontext context, size_t bytes)
{
    CUdeviceptr memory = 0;
    must(cudrvCtxPushCurrent(context));
    must(cudrvMemAlloc(&memory, bytes));
    must(cudrvMemFree(memory));
    must(cudrvCtxPopCurrent(NULL));
    return memory;
}

CUdeviceptr poolMemory(CUcontext context, CUstream stream, size_t bytes)
{
    CUdeviceptr memory = 0;
    must(cudrvCtxPushCurrent(context));
    must(cudrvMemAllocAsync(&memory, bytes, stream));
    must(cudrvStreamSynchronize(stream));
    must(cudrvCtxPopCurrent(NULL));
    later(freePlain, pointer(memory), context);
    return memory;
}

void *pinnedMemory(CUcontext context, size_t bytes)
{
    void *memory = NULL;
    must(cudrvCtxPushCurrent(context));
    must(cudrvMemHostAlloc(&memory, bytes, 0));
    must(cudrvCtxPopCurrent(NULL));
    later(freePinned, memory, context);
    return memory;
}

void *pageableMemory(size_t bytes)
{
    void *const memory = aligned_alloc(4096, bytes);
    if (!memory)
        abort();
    memset(memory, 0, bytes);
    later(free, memory, NULL);
    return memory;
}

void registerMemory(CUcontext context, void *memory, size_t bytes)
{
    must(cudrvCtxPushCurrent(context));
    must(cudrvMemHostRegister(memory, bytes, 0));
    must(cudrvCtxPopCurrent(NULL));
    later(unregister, memory, context);
}

static CUmemAllocationProp memoryOf(CUdevice device)
{
    return (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device}};
}

size_t pageSize(CUdevice device)
{
    const CUmemAllocationProp properties = memoryOf(device);
    size_t size = 0;
    must(cudrvMemGetAllocationGranularity(&size, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    return size;
}

struct mapping {
    CUdeviceptr address;
    size_t reserved, page, mapped;
    CUmemGenericAllocationHandle memory;
};

static void unmap(void *argument)
{
    struct mapping *const mapping = argument;
    for (size_t i = 0; i < mapping->mapped; i++)
        (void)cudrvMemUnmap(mapping->address + i * mapping->page, mapping->page);
    (void)cudrvMemAddressFree(mapping->address, mapping->reserved);
    if (mapping->mapped)
        (void)cudrvMemRelease(mapping->memory);
    free(mapping);
}

CUdeviceptr mappedMemory(CUdevice device, size_t count, size_t mapped)
{
    const CUmemAllocationProp properties = memoryOf(device);
    struct mapping *const mapping = calloc(1, sizeof(*mapping));
    if (!mapping)
        abort();
    mapping->page = pageSize(device);
    mapping->reserved = count * mapping->page;
    mapping->mapped = mapped;
    must(cudrvMemAddressReserve(&mapping->address, mapping->reserved, 0, 0, 0));
    if (mapped)
        must(cudrvMemCreate(&mapping->memory, mapping->page, &properties, 0));
    for (size_t i = 0; i < mapped; i++) /* the same page again and again */
        must(cudrvMemMap(mapping->address + i * mapping->page, mapping->page, 0, mapping->memory, 0));
    later(unmap, mapping, NULL);
    return mapping->address;
}

void allowAccess(CUdeviceptr address, size_t bytes, CUdevice device, CUmemAccess_flags flags)
{
    const CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device}, .flags = flags};
    must(cudrvMemSetAccess(address, bytes, &access, 1));
}
