/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles that are gone or never were, the end of the process, and a forked child. Most of it cannot be undone, so each
 * scene has a process of its own.
 */
#include "sections.h"
#include "world.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static CUcontext a, doomed;
static CUstream s, doomedStream;
static CUdeviceptr d, d2;
static CUcontext got;

#define SAY(call, key)                                                                                                 \
    do {                                                                                                               \
        within("%s", key);                                                                                             \
        answerResult(call);                                                                                            \
    } while (0)

static const char *nameOf(CUcontext context)
{
    return context == doomed ? "the-destroyed-one" : context == a ? "A" : context ? "another" : "NULL";
}

static void makeDoomedContext(void)
{
    CUdevice device = 0;
    MUST(cudrvDeviceGet(&device, 0));
    MUST(cudrvCtxCreate_v3020(&doomed, 0, device));
    MUST(cudrvStreamCreate(&doomedStream, CU_STREAM_NON_BLOCKING));
}

static void makeDoomedStream(void)
{
    MUST(cudrvCtxPushCurrent(a));
    MUST(cudrvStreamCreate(&doomedStream, CU_STREAM_NON_BLOCKING));
    MUST(cudrvStreamDestroy(doomedStream));
}

/* ---- Streams ---- */

static void contextOfDestroyedStream(void)
{
    makeDoomedStream();
    SAY(cudrvStreamGetCtx(doomedStream, &got), "destroyed-stream StreamGetCtx");
}

static void copyOnDestroyedStream(void)
{
    makeDoomedStream();
    SAY(cudrvMemcpyAsync(d, d2, BYTES, doomedStream), "destroyed-stream MemcpyAsync");
}

static void destroyStreamTwice(void)
{
    makeDoomedStream();
    SAY(cudrvStreamDestroy(doomedStream), "destroyed-stream StreamDestroy");
}

static void garbageStream(void)
{
    MUST(cudrvCtxPushCurrent(a));
    SAY(cudrvStreamGetCtx((CUstream)(uintptr_t)0x1234560, &got), "stream-0x1234560 StreamGetCtx");
}

static void smallStream(void)
{
    MUST(cudrvCtxPushCurrent(a));
    SAY(cudrvStreamGetCtx((CUstream)(uintptr_t)0x3, &got), "stream-0x3 StreamGetCtx");
}

static void streamOfDestroyedContext(void)
{
    makeDoomedContext();
    MUST(cudrvCtxDestroy(doomed));
    SAY(cudrvStreamGetCtx(doomedStream, &got), "stream-of-a-destroyed-context StreamGetCtx");
}

/* ---- Contexts ---- */

static void destroyCurrent(void)
{
    MUST(cudrvCtxPushCurrent(a));
    makeDoomedContext();
    MUST(cudrvCtxDestroy(doomed));
    MUST(cudrvCtxGetCurrent(&got));
    within("destroyed-current-context CtxGetCurrent");
    answer("%s", nameOf(got));
    SAY(cudrvCtxPopCurrent(&got), "destroyed-current-context CtxPopCurrent");
}

static void pushDestroyed(void)
{
    makeDoomedContext();
    MUST(cudrvCtxDestroy(doomed));
    SAY(cudrvCtxPushCurrent(doomed), "destroyed-context CtxPushCurrent");
}

static void setDestroyed(void)
{
    makeDoomedContext();
    MUST(cudrvCtxDestroy(doomed));
    SAY(cudrvCtxSetCurrent(doomed), "destroyed-context CtxSetCurrent");
}

/* push the doomed, A above it; destroy it; pop A. */
static void destroyBelow(void)
{
    makeDoomedContext();
    MUST(cudrvCtxPushCurrent(a));
    MUST(cudrvCtxDestroy(doomed));
    MUST(cudrvCtxPopCurrent(NULL));
    MUST(cudrvCtxGetCurrent(&got));
    within("destroyed-context-below CtxGetCurrent");
    answer("%s", nameOf(got));
    SAY(cudrvCtxPopCurrent(&got), "destroyed-context-below CtxPopCurrent");
}

static void popDestroyed(void)
{
    MUST(cudrvCtxPushCurrent(a));
    makeDoomedContext();
    MUST(cudrvCtxPushCurrent(doomed)); /* twice, so that destroying it pops one and leaves one */
    MUST(cudrvCtxDestroy(doomed));
    for (int i = 0; i < 2; i++) {
        const CUresult result = cudrvCtxPopCurrent(&got);
        within("destroyed-context-twice CtxPopCurrent-%d", i);
        answer("%s, %s", resultName(result), nameOf(got));
    }
}

static void eventInDestroyed(void)
{
    CUevent event = NULL;
    makeDoomedContext();
    MUST(cudrvCtxDestroy(doomed));
    MUST(cudrvCtxSetCurrent(doomed));
    SAY(cudrvEventCreate(&event, CU_EVENT_DEFAULT), "destroyed-context EventCreate");
}

static void queryDestroyed(void)
{
    CUdevice device = -1;
    unsigned int version = 0;
    unsigned long long id = 0;
    MUST(cudrvCtxPushCurrent(a));
    makeDoomedContext();
    MUST(cudrvCtxDestroy(doomed));
    SAY(cudrvCtxGetId(doomed, &id), "destroyed-context CtxGetId");
    SAY(cudrvCtxGetApiVersion(doomed, &version), "destroyed-context CtxGetApiVersion");
    SAY(cudrvCtxGetDevice_v2(&device, doomed), "destroyed-context CtxGetDevice_v2");
}

/* ---- Memory ---- */

static void copyFreed(void)
{
    CUdeviceptr freed = 0;
    MUST(cudrvCtxPushCurrent(a));
    MUST(cudrvMemAlloc(&freed, BYTES));
    MUST(cudrvMemFree(freed));
    SAY(cudrvMemcpyDtoDAsync(d, freed, BYTES, s), "freed-memory DtoD,A-current");
    stackClear();
    SAY(cudrvMemcpyDtoDAsync(d, freed, BYTES, s), "freed-memory DtoD,none-current");
}

/* ---- The end of the process ---- */

static const char *exitScene;

static void lastCalls(void)
{
    const CUresult context = cudrvStreamGetCtx(s, &got);
    const CUresult current = cudrvCtxGetCurrent(&got);
    const CUresult push = cudrvCtxPushCurrent(a);
    const CUresult copy = cudrvMemcpyAsync(d, d2, BYTES, s);
    const CUresult pop = cudrvCtxPopCurrent(&got);
    within("%s StreamGetCtx", exitScene);
    answerResult(context);
    within("%s CtxGetCurrent", exitScene);
    answerResult(current);
    within("%s CtxPushCurrent", exitScene);
    answerResult(push);
    within("%s MemcpyAsync", exitScene);
    answerResult(copy);
    within("%s CtxPopCurrent", exitScene);
    answerResult(pop);
}

/* A forked child asks, and its parent waits for it. */
static void forkedChild(void)
{
    stackStand(a);
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        exitScene = "forked-child";
        SAY(cudrvInit(0), "forked-child Init");
        lastCalls();
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (status != 0)
        SAY(CUDA_ERROR_UNKNOWN, "forked-child its-end");
}

/* Runs the handlers that are registered with atexit. */
_Noreturn static void leave(const char *name)
{
    exitScene = name;
    leaveTheRest();
    exit(0); /* NOLINT(concurrency-mt-unsafe): there is one thread of ours */
}

static void open(void)
{
    worldOpen();
    a = contextNamed("A");
    s = streamNamed("sA")->handle;
    d = memoryNamed("dA")->address;
    d2 = memoryNamed("dA2")->address;
}

static void play(void)
{
    static const struct {
        const char *name;
        void (*play)(void);
    } scenes[] = {
        {"context of a destroyed stream", contextOfDestroyedStream},
        {"copy on a destroyed stream", copyOnDestroyedStream},
        {"destroy a stream twice", destroyStreamTwice},
        {"garbage stream", garbageStream},
        {"small stream", smallStream},
        {"stream of a destroyed context", streamOfDestroyedContext},
        {"destroy the current context", destroyCurrent},
        {"push a destroyed context", pushDestroyed},
        {"set a destroyed context", setDestroyed},
        {"destroy a context below", destroyBelow},
        {"pop a destroyed context", popDestroyed},
        {"event in a destroyed context", eventInDestroyed},
        {"query a destroyed context", queryDestroyed},
        {"copy freed memory", copyFreed},
        {"fork", forkedChild},
    };
    for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
        if (sceneAlone(scenes[i].name)) {
            open();
            scenes[i].play();
        }
    if (sceneAlone("handler registered after cuInit")) {
        open();
        stackStand(a);
        MUST(atexit(lastCalls) ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS);
        leave("handler-registered-after-cuInit");
    }
    if (sceneAlone("handler registered before cuInit")) {
        MUST(atexit(lastCalls) ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS);
        open();
        stackStand(a);
        leave("handler-registered-before-cuInit");
    }
}

const struct section lifetimesSection = {
    .name = "lifetimes",
    .columns = "thing\tcall\tanswer",
    .about = "Handles that are gone or never were, the end of the process, a forked child.",
    .play = play,
    .parts = 4,
};
