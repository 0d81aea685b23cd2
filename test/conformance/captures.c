/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls while sA captures: what each returns, in each mode, and whether the capture survives.
 */
#include "functions.h"
#include "sections.h"
#include "world.h"

#include <stdint.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    const char *name;
    CUstreamCaptureMode mode;
} modes[] = {{"global", CU_STREAM_CAPTURE_MODE_GLOBAL},
             {"thread-local", CU_STREAM_CAPTURE_MODE_THREAD_LOCAL},
             {"relaxed", CU_STREAM_CAPTURE_MODE_RELAXED}};

static CUstream s;
static CUcontext a;
static CUdeviceptr d, d2;

/* The current scene's first names. */
static const char *scenario, *modeName, *currentName;

#define SAY(key, call)                                                                                                 \
    do {                                                                                                               \
        within("%s %s %s %s", scenario, modeName, currentName, key);                                                   \
        answerResult(call);                                                                                            \
    } while (0)

static CUresult copy(void)
{
    return cudrvMemcpyDtoDAsync(d, d2, BYTES, s);
}

static CUresult batch(void)
{
    CUdeviceptr dst = d;
    CUdeviceptr src = d2;
    size_t size = BYTES;
    size_t first = 0;
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    return cudrvMemcpyBatchAsync(&dst, &src, &size, 1, &attributes, &first, 1, s);
}

/* Ends the capture and says how many nodes it became. */
static void end(bool countNodes)
{
    CUgraph graph = NULL;
    SAY("EndCapture", cudrvStreamEndCapture(s, &graph));
    if (countNodes) {
        size_t nodes = 0;
        within("%s %s %s nodes", scenario, modeName, currentName);
        if (graph && cudrvGraphGetNodes(graph, NULL, &nodes) == CUDA_SUCCESS)
            answer("%zu", nodes);
        else
            answer("no graph");
    }
    if (graph)
        MUST(cudrvGraphDestroy(graph));
}

static void begin(const char *scene, size_t mode, const char *current)
{
    scenario = scene;
    modeName = modes[mode].name;
    currentName = current;
    stackClear();
    MUST(cudrvStreamBeginCapture(s, modes[mode].mode));
    if (contextNamed(current))
        MUST(cudrvCtxPushCurrent(contextNamed(current)));
}

static void playMatrix(size_t mode, const char *current)
{
    CUcontext context = NULL;
    begin("each-call", mode, current);
    SAY("StreamGetCtx(sA)", cudrvStreamGetCtx(s, &context));
    SAY("CtxPushCurrent(A)", cudrvCtxPushCurrent(a));
    SAY("CtxPopCurrent", cudrvCtxPopCurrent(&context));
    SAY("MemcpyDtoDAsync(sA)", copy());
    SAY("MemcpyHtoDAsync(sA)", cudrvMemcpyHtoDAsync(d, memoryNamed("hA")->host, BYTES, s));
    SAY("MemcpyBatchAsync(sA)", batch());
    SAY("StreamGetCtx(NULL)", cudrvStreamGetCtx(NULL, &context));
    end(true);
}

static void playSequence(size_t mode)
{
    CUcontext context = NULL;
    CUdevice device = 0;
    unsigned long long id = 0;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUcontext owner = NULL;
    const CUstream other = streamNamed("sB")->handle;
    begin("one-after-another", mode, "A");
    SAY("HtoD(pageable,sA)", cudrvMemcpyHtoDAsync(d, memoryNamed("page")->host, BYTES, s));
    SAY("DtoD(NULL)", cudrvMemcpyDtoDAsync(d, d2, BYTES, NULL));
    SAY("DtoD(sB)", cudrvMemcpyDtoDAsync(d, d2, BYTES, other));
    SAY("MemsetD8(sA)", cudrvMemsetD8Async(d, 0, BYTES, s));
    SAY("StreamGetCtx(NULL)", cudrvStreamGetCtx(NULL, &context));
    SAY("StreamGetCtx(sA)", cudrvStreamGetCtx(s, &context));
    SAY("StreamGetId(sA)", cudrvStreamGetId(s, &id));
    SAY("StreamGetDevice(sA)", cudrvStreamGetDevice(s, &device));
    within("%s %s %s StreamIsCapturing(sA)", scenario, modeName, currentName);
    const CUresult asked = cudrvStreamIsCapturing(s, &status);
    if (asked == CUDA_SUCCESS)
        answer("%s", status == CU_STREAM_CAPTURE_STATUS_INVALIDATED ? "invalidated"
                     : status == CU_STREAM_CAPTURE_STATUS_ACTIVE    ? "active"
                                                                    : "none");
    else
        answerResult(asked);
    SAY("PointerGetAttribute", cudrvPointerGetAttribute((void *)&owner, CU_POINTER_ATTRIBUTE_CONTEXT, d));
    end(false);
}

static void playAfter(size_t mode)
{
    CUdevice device = 0;
    unsigned long long id = 0;
    CUcontext context = NULL;
    begin("StreamGetDevice-first", mode, "A");
    SAY("StreamGetDevice(sA)", cudrvStreamGetDevice(s, &device));
    SAY("MemcpyDtoDAsync(sA)", copy());
    end(false);
    begin("StreamGetId-first", mode, "A");
    SAY("StreamGetId(sA)", cudrvStreamGetId(s, &id));
    SAY("MemcpyDtoDAsync(sA)", copy());
    end(false);
    begin("guard-first", mode, "A");
    within("%s %s %s get,push,pop", scenario, modeName, currentName);
    CUresult result = cudrvStreamGetCtx(s, &context);
    if (result == CUDA_SUCCESS)
        result = cudrvCtxPushCurrent(context);
    if (result == CUDA_SUCCESS)
        result = cudrvCtxPopCurrent(NULL);
    answerResult(result);
    SAY("MemcpyDtoDAsync(sA)", copy());
    end(false);
}

static void play(void)
{
    static const char *const currents[] = {"none", "P", "A", "B", "G"};
    worldOpen();
    s = streamNamed("sA")->handle;
    a = contextNamed("A");
    d = memoryNamed("dA")->address;
    d2 = memoryNamed("dA2")->address;
    for (size_t mode = 0; mode < COUNT(modes); mode++) {
        for (size_t i = 0; i < COUNT(currents); i++)
            if (placeNamed(currents[i]) && scene("each-call"))
                playMatrix(mode, currents[i]);
        if (scene("one-after-another"))
            playSequence(mode);
        if (scene("first"))
            playAfter(mode);
    }
}

const struct section capturesSection = {
    .name = "captures",
    .columns = "scene\tmode\tcurrent\tcall\tanswer",
    .about = "Calls in turn while sA captures; each scene is a capture of its own.",
    .play = play,
    .parts = 1,
};
