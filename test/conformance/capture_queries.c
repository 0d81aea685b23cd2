/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which queries end a capture, asked on the capturing thread and on another; and what else surprises while something
 * captures: memory allocated under capture, the NULL stream beside a blocking one.
 */
#include "kernel.h"
#include "sections.h"
#include "world.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static CUdevice device;
static CUcontext a;
static CUstream s;
static CUdeviceptr d;
static bool hasKernel;

static CUresult poolGetAccess(void)
{
    CUmemoryPool pool = NULL;
    CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    const CUresult result = cudrvDeviceGetDefaultMemPool(&pool, device);
    return result == CUDA_SUCCESS ? cudrvMemPoolGetAccess(&flags, pool, &location) : result;
}

static CUresult poolGetAttribute(void)
{
    CUmemoryPool pool = NULL;
    cuuint64_t value = 0;
    const CUresult result = cudrvDeviceGetDefaultMemPool(&pool, device);
    return result == CUDA_SUCCESS ? cudrvMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value) : result;
}

static CUresult poolOfPointer(void)
{
    CUmemoryPool pool = NULL;
    return cudrvPointerGetAttribute((void *)&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
                                    memoryNamed("pool@sA")->address);
}

static CUresult canAccessPeer(void)
{
    int can = 0;
    return cudrvDeviceCanAccessPeer(&can, device, device);
}

static CUresult ctxGetId(void)
{
    unsigned long long id = 0;
    return cudrvCtxGetId(a, &id);
}

static CUresult retainHandle(void)
{
    CUmemGenericAllocationHandle handle = 0;
    const CUresult result = cudrvMemRetainAllocationHandle(&handle, (void *)(uintptr_t)memoryNamed("vmm")->address);
    return result == CUDA_SUCCESS ? cudrvMemRelease(handle) : result;
}

static CUresult hostGetFlags(void)
{
    unsigned int flags = 0;
    return cudrvMemHostGetFlags(&flags, memoryNamed("hA")->host);
}

static CUresult hostGetDevicePointer(void)
{
    CUdeviceptr address = 0;
    return cudrvMemHostGetDevicePointer(&address, memoryNamed("hA")->host, 0);
}

static CUresult streamGetCtx2(void)
{
    CUcontext context = NULL;
    CUgreenCtx green = NULL;
    return cudrvStreamGetCtx_v2(s, &context, &green);
}

static CUresult ctxGetFlags(void)
{
    unsigned int flags = 0;
    return cudrvCtxGetFlags(&flags);
}

static CUresult getCaptureInfo(void)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return cudrvStreamGetCaptureInfo(s, &status, NULL, NULL, NULL, NULL, NULL);
}

static CUresult isCapturing(void)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return cudrvStreamIsCapturing(s, &status);
}

static CUresult primaryGetState(void)
{
    unsigned int flags = 0;
    int active = 0;
    return cudrvDevicePrimaryCtxGetState(device, &flags, &active);
}

/* The owner's policy takes a reference, and gives it back. */
static CUresult primaryRetain(void)
{
    CUcontext primary = NULL;
    const CUresult result = cudrvDevicePrimaryCtxRetain(&primary, device);
    return result == CUDA_SUCCESS ? cudrvDevicePrimaryCtxRelease(device) : result;
}

/* A batch whose source is read during the call waits for its stream, which is another than the one that captures. */
static CUresult synchronizeOther(void)
{
    return cudrvStreamSynchronize(streamNamed("sB")->handle);
}

static CUresult deviceGetMemPool(void)
{
    CUmemoryPool pool = NULL;
    return cudrvDeviceGetMemPool(&pool, device);
}

static CUresult deviceGetDefaultMemPool(void)
{
    CUmemoryPool pool = NULL;
    return cudrvDeviceGetDefaultMemPool(&pool, device);
}

static CUresult memGetInfo(void)
{
    size_t available = 0;
    size_t total = 0;
    return cudrvMemGetInfo(&available, &total);
}

static CUresult memGetAccess(void)
{
    const CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    unsigned long long flags = 0;
    return cudrvMemGetAccess(&flags, &location, memoryNamed("vmm")->address);
}

static CUresult pointerGetAttributes(void)
{
    unsigned int type = 0;
    CUcontext context = NULL;
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_CONTEXT};
    void *values[] = {&type, (void *)&context};
    return cudrvPointerGetAttributes(2, attributes, values, d);
}

static CUresult memGetAddressRange(void)
{
    CUdeviceptr base = 0;
    size_t size = 0;
    return cudrvMemGetAddressRange(&base, &size, d);
}

static CUresult pageableCopy(void)
{
    return cudrvMemcpyHtoDAsync(memoryNamed("dB")->address, memoryNamed("page")->host, BYTES,
                                streamNamed("sB")->handle);
}

static CUresult deviceGetAttribute(void)
{
    int value = 0;
    return cudrvDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
}

static CUresult ctxGetApiVersion(void)
{
    unsigned int version = 0;
    return cudrvCtxGetApiVersion(a, &version);
}

static CUresult ctxGetDevice(void)
{
    CUdevice current = 0;
    return cudrvCtxGetDevice(&current);
}

/* Loads a library and launches on a stream of another context. */
static CUresult loadAndLaunch(void)
{
    const struct memory *const memory = memoryNamed("dB");
    MUST(cudrvCtxPushCurrent(contextNamed("B")));
    const CUresult result =
        kernelLoad() ? kernelLaunch(memory->address, 64, false, streamNamed("sB")->handle) : CUDA_ERROR_NOT_SUPPORTED;
    MUST(cudrvCtxPopCurrent(NULL));
    return result;
}

struct query {
    const char *name;
    CUresult (*call)(void);
};

static const struct query queries[] = {
    {"MemPoolGetAccess", poolGetAccess},
    {"MemPoolGetAttribute", poolGetAttribute},
    {"PointerGetAttribute(MEMPOOL_HANDLE)", poolOfPointer},
    {"DeviceCanAccessPeer", canAccessPeer},
    {"CtxGetId", ctxGetId},
    {"MemRetainAllocationHandle", retainHandle},
    {"MemHostGetFlags", hostGetFlags},
    {"MemHostGetDevicePointer", hostGetDevicePointer},
    {"StreamGetCtx_v2", streamGetCtx2},
    {"CtxGetFlags", ctxGetFlags},
    {"StreamGetCaptureInfo", getCaptureInfo},
    {"StreamIsCapturing", isCapturing},
    {"DevicePrimaryCtxGetState", primaryGetState},
    {"DevicePrimaryCtxRetain,Release", primaryRetain},
    {"StreamSynchronize(sB)", synchronizeOther},
    {"DeviceGetMemPool", deviceGetMemPool},
    {"DeviceGetDefaultMemPool", deviceGetDefaultMemPool},
    {"DeviceGetAttribute", deviceGetAttribute},
    {"MemGetInfo", memGetInfo},
    {"LibraryLoadData,LaunchKernel(sB)", loadAndLaunch},
    {"MemGetAccess", memGetAccess},
    {"PointerGetAttributes", pointerGetAttributes},
    {"MemGetAddressRange", memGetAddressRange},
    {"MemcpyHtoDAsync(pageable,sB)", pageableCopy},
    {"CtxGetApiVersion", ctxGetApiVersion},
    {"CtxGetDevice", ctxGetDevice},
};

struct errand {
    const struct query *query;
    CUresult result;
};

static void *runElsewhere(void *data)
{
    struct errand *const errand = data;
    MUST(cudrvCtxPushCurrent(a));
    errand->result = errand->query->call();
    MUST(cudrvCtxPopCurrent(NULL));
    return NULL;
}

static void askQuery(const struct query *query, CUstreamCaptureMode mode, bool elsewhere)
{
    CUgraph graph = NULL;
    struct errand errand = {query, CUDA_ERROR_UNKNOWN};
    pthread_t thread;
    stackClear();
    MUST(cudrvCtxPushCurrent(a));
    MUST(cudrvStreamBeginCapture(s, mode));
    MUST(cudrvMemcpyDtoDAsync(d, memoryNamed("dA2")->address, BYTES, s));
    if (!elsewhere)
        errand.result = query->call();
    else if (pthread_create(&thread, NULL, runElsewhere, &errand) || pthread_join(thread, NULL))
        giveUp("no thread");
    const CUresult end = cudrvStreamEndCapture(s, &graph);
    answer("%s, EndCapture %s", resultName(errand.result), resultName(end));
    if (graph)
        MUST(cudrvGraphDestroy(graph));
    settle();
}

static void askQueries(void)
{
    static const char *const modes[] = {"global", "thread-local", "relaxed"};
    for (size_t i = 0; i < COUNT(queries); i++)
        for (unsigned mode = 0; mode < COUNT(modes); mode++) {
            if (ask("under-capture %s same-thread %s", modes[mode], queries[i].name))
                askQuery(&queries[i], (CUstreamCaptureMode)mode, false);
            if (ask("under-capture %s another-thread %s", modes[mode], queries[i].name))
                askQuery(&queries[i], (CUstreamCaptureMode)mode, true);
        }
}

#define SAY(key, call)                                                                                                 \
    do {                                                                                                               \
        within(key);                                                                                                   \
        answerResult(call);                                                                                            \
    } while (0)

static void playAllocation(void)
{
    const CUstream stream = s;
    CUdeviceptr address = 0;
    CUdeviceptr other = 0;
    size_t size = 0;
    unsigned int type = 77;
    CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    void *value = &type;
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    stackStand(a);
    MUST(cudrvStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    SAY("allocated-under-capture - - MemAllocAsync", cudrvMemAllocAsync(&address, BYTES, stream));
    within("allocated-under-capture - - PointerGetAttributes(MEMORY_TYPE)");
    const CUresult result = cudrvPointerGetAttributes(1, &attribute, &value, address);
    answer("%s, type %u", resultName(result), type);
    SAY("allocated-under-capture - - PointerGetAttribute(DEVICE_POINTER)",
        cudrvPointerGetAttribute(&other, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, address));
    SAY("allocated-under-capture - - MemGetAddressRange", cudrvMemGetAddressRange(&other, &size, address));
    SAY("allocated-under-capture - - MemcpyAsync", cudrvMemcpyAsync(address, d, BYTES, stream));
    if (hasKernel)
        SAY("allocated-under-capture - - LaunchKernel", kernelLaunch(address, 64, true, stream));
    SAY("allocated-under-capture - - MemFreeAsync", cudrvMemFreeAsync(address, stream));
    SAY("allocated-under-capture - - EndCapture", cudrvStreamEndCapture(stream, &graph));
    MUST(cudrvGraphInstantiate(&exec, graph, 0));
    SAY("allocated-under-capture - - GraphLaunch", cudrvGraphLaunch(exec, stream));
    SAY("allocated-under-capture - - StreamSynchronize", cudrvStreamSynchronize(stream));
    MUST(cudrvGraphExecDestroy(exec));
    MUST(cudrvGraphDestroy(graph));
}

/* What the NULL stream does to a capture of a stream that waits for it. */
static void playBeside(const char *call)
{
    CUstream blocking = NULL;
    CUgraph graph = NULL;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    stackStand(a);
    MUST(cudrvStreamCreate(&blocking, CU_STREAM_DEFAULT));
    MUST(cudrvStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_GLOBAL));
    within("beside-a-blocking-capture - - %s", call);
    if (strcmp(call, "StreamIsCapturing(NULL)") == 0)
        answerResult(cudrvStreamIsCapturing(NULL, &status));
    else if (strcmp(call, "MemcpyAsync(NULL)") == 0)
        answerResult(cudrvMemcpyAsync(d, memoryNamed("dA2")->address, BYTES, NULL));
    else
        answerResult(kernelLaunch(d, 64, false, NULL));
    within("beside-a-blocking-capture - - %s,copy", call);
    answerResult(cudrvMemcpyAsync(d, memoryNamed("dA2")->address, BYTES, blocking));
    within("beside-a-blocking-capture - - %s,EndCapture", call);
    answerResult(cudrvStreamEndCapture(blocking, &graph));
    if (graph)
        MUST(cudrvGraphDestroy(graph));
    MUST(cudrvStreamDestroy(blocking));
}

static void play(void)
{
    worldOpen();
    hasKernel = kernelLoad();
    MUST(cudrvDeviceGet(&device, 0));
    a = contextNamed("A");
    s = streamNamed("sA")->handle;
    d = memoryNamed("dA")->address;
    askQueries();
    if (scene("allocation"))
        playAllocation();
    if (scene("IsCapturing"))
        playBeside("StreamIsCapturing(NULL)");
    if (scene("Memcpy"))
        playBeside("MemcpyAsync(NULL)");
    if (hasKernel && scene("launch"))
        playBeside("LaunchKernel(NULL)");
}

const struct section captureQueriesSection = {
    .name = "capture-queries",
    .columns = "scene\tmode\tthread\tcall\tanswer",
    .about = "Which calls end a capture of sA, made on its thread or on another; and other surprises under capture.",
    .play = play,
    .parts = 2,
};
