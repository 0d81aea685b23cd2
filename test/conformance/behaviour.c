/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other calls than copies under each current context; green contexts on several threads; what is left of a context
 * after a sticky error; what a host function may call; batches on a green context's stream; launches whose parameters
 * are in a buffer.
 */
#include "copying.h"
#include "kernel.h"
#include "sections.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define SAY(call, ...)                                                                                                 \
    do {                                                                                                               \
        within(__VA_ARGS__);                                                                                           \
        answerResult(call);                                                                                            \
    } while (0)

/* ---- Calls that are no copies ---- */

static void playOthers(const char *current)
{
    const CUstream sA = streamNamed("sA")->handle;
    const CUstream sB = streamNamed("sB")->handle;
    const CUdeviceptr managed = memoryNamed("mngA")->address;
    const CUmemLocation here = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    CUevent event = NULL;
    CUdeviceptr memory = 0;
    CUcontext context = NULL;
    void *host = NULL;
    CUdeviceptr more = 0;
    static unsigned char bytes[64];
    IN(contextNamed("A"), cudrvEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    stackStand(contextNamed(current));
    SAY(cudrvEventRecord(event, sA), "calls %s EventRecord(eA,sA)", current);
    SAY(cudrvEventRecord(event, sB), "calls %s EventRecord(eA,sB)", current);
    SAY(cudrvStreamWaitEvent(sB, event, 0), "calls %s StreamWaitEvent(sB,eA)", current);
    settle();
    SAY(cudrvStreamQuery(sA), "calls %s StreamQuery(sA)", current);
    SAY(cudrvMemAllocAsync(&memory, BYTES, sA), "calls %s MemAllocAsync(sA)", current);
    SAY(cudrvMemFreeAsync(memory, sA), "calls %s MemFreeAsync(sA)", current);
    if (cudrvHas("cuMemPrefetchAsync"))
        SAY(cudrvMemPrefetchAsync(managed, BYTES, here, 0, sA), "calls %s MemPrefetchAsync(sA)", current);
    SAY(cudrvStreamAttachMemAsync(sA, managed, 0, CU_MEM_ATTACH_GLOBAL), "calls %s StreamAttachMemAsync(sA)", current);
    SAY(cudrvStreamSynchronize(sA), "calls %s StreamSynchronize(sA)", current);
    SAY(cudrvMemAlloc(&more, BYTES), "calls %s MemAlloc", current);
    SAY(cudrvMemHostAlloc(&host, BYTES, 0), "calls %s MemHostAlloc", current);
    SAY(cudrvMemcpy(memoryNamed("dA")->address, memoryNamed("dA2")->address, BYTES), "calls %s Memcpy", current);
    SAY(cudrvMemcpyHtoD(memoryNamed("dA")->address, bytes, sizeof(bytes)), "calls %s MemcpyHtoD", current);
    SAY(cudrvPointerGetAttribute((void *)&context, CU_POINTER_ATTRIBUTE_CONTEXT, memoryNamed("dA")->address),
        "calls %s PointerGetAttribute(CONTEXT)", current);
}

/* ---- Green contexts ---- */

struct visit {
    CUresult push, copy, fromHost, pop;
};

static void *visitGreen(void *data)
{
    struct visit *const visit = data;
    const CUstream stream = streamNamed("sG")->handle;
    visit->push = cudrvCtxPushCurrent(contextNamed("G"));
    visit->copy = cudrvMemcpyAsync(memoryNamed("dA")->address, memoryNamed("dA2")->address, BYTES, stream);
    visit->fromHost = cudrvMemcpyHtoDAsync(memoryNamed("dA")->address, memoryNamed("hA")->host, BYTES, stream);
    visit->pop = cudrvCtxPopCurrent(NULL);
    return NULL;
}

static const char *yes(bool condition)
{
    return condition ? "yes" : "no";
}

static void playGreen(void)
{
    const CUcontext green = contextNamed("G");
    const CUstream stream = streamNamed("sG")->handle;
    CUcontext first = NULL;
    CUcontext second = NULL;
    CUgreenCtx handle = NULL;
    CUdevice device = -1;
    pthread_t threads[2];
    struct visit visits[2];
    MUST(cudrvStreamGetCtx(stream, &first));
    MUST(cudrvStreamGetCtx(stream, &second));
    within("green - StreamGetCtx-gives-CtxFromGreenCtx's,-twice");
    answer("%s", yes(first == second && first == green));
    MUST(cudrvCtxFromGreenCtx(&second, world.green));
    within("green - CtxFromGreenCtx-twice-is-the-same");
    answer("%s", yes(second == green));
    MUST(cudrvStreamGetCtx_v2(stream, &first, &handle));
    within("green - StreamGetCtx_v2-gives-the-green-handle");
    answer("%s", yes(handle == world.green));
    for (size_t i = 0; i < COUNT(threads); i++)
        if (pthread_create(&threads[i], NULL, visitGreen, &visits[i]))
            giveUp("no thread");
    for (size_t i = 0; i < COUNT(threads); i++) {
        pthread_join(threads[i], NULL);
        within("green - thread-%zu-push,copy,copy-from-host,pop", i);
        answer("%s %s %s %s", resultName(visits[i].push), resultName(visits[i].copy), resultName(visits[i].fromHost),
               resultName(visits[i].pop));
    }
    settle();
    stackClear();
    MUST(cudrvCtxPushCurrent(green));
    MUST(cudrvCtxGetCurrent(&first));
    within("green - CtxGetCurrent-gives-it");
    answer("%s", yes(first == green));
    SAY(cudrvCtxGetDevice(&device), "green - CtxGetDevice");
}

/* The driver's own batch on a green context's stream, which crashes for one pair. */
static void askGreenBatches(void)
{
    static const char *const pairs[][2] = {{"dP", "hP"}, {"vmm", "dP"}, {"dP", "hA"}, {"vmm", "hP"}};
    for (size_t i = 0; i < COUNT(pairs); i++) {
        const struct attempt attempt = {.operation = operationNamed("Batch"),
                                        .stream = streamNamed("sG"),
                                        .dst = memoryNamed(pairs[i][0]),
                                        .src = memoryNamed(pairs[i][1]),
                                        .current = placeNamed("P"),
                                        .bytes = BYTES};
        if (ask("batch-on-sG P %s<-%s", pairs[i][0], pairs[i][1]))
            answer("%s", outcomeOf(&attempt));
    }
}

/* ---- A sticky error ---- */

static void playSticky(void)
{
    const CUcontext a = contextNamed("A");
    const CUcontext b = contextNamed("B");
    const CUstream sA = streamNamed("sA")->handle;
    const CUstream sB = streamNamed("sB")->handle;
    const CUdeviceptr dA = memoryNamed("dA")->address;
    const CUdeviceptr dA2 = memoryNamed("dA2")->address;
    CUcontext context = NULL;
    stackClear();
    MUST(cudrvCtxPushCurrent(a));
    MUST(kernelLaunch(0x10, 64, false, sA));
    SAY(cudrvStreamSynchronize(sA), "sticky A StreamSynchronize(sA)");
    SAY(cudrvStreamGetCtx(sA, &context), "sticky A StreamGetCtx(sA)");
    SAY(cudrvCtxGetCurrent(&context), "sticky A CtxGetCurrent");
    SAY(cudrvCtxPushCurrent(a), "sticky A CtxPushCurrent(A)");
    SAY(cudrvMemcpyAsync(dA, dA2, BYTES, sA), "sticky A MemcpyAsync(sA)");
    SAY(cudrvCtxPopCurrent(&context), "sticky A CtxPopCurrent");
    SAY(cudrvStreamGetCtx(sB, &context), "sticky A StreamGetCtx(sB)");
    SAY(cudrvMemcpyAsync(dA, dA2, BYTES, sB), "sticky A MemcpyAsync(sB)");
    MUST(cudrvCtxSetCurrent(b));
    SAY(cudrvMemcpyAsync(dA, dA2, BYTES, sB), "sticky B MemcpyAsync(sB)");
    SAY(cudrvStreamSynchronize(sB), "sticky B StreamSynchronize(sB)");
    SAY(cudrvCtxSetCurrent(a), "sticky B CtxSetCurrent(A)");
    SAY(cudrvCtxDestroy(a), "sticky A CtxDestroy(A)");
}

/* ---- A host function ---- */

static struct {
    CUresult current, context, push, copy, pop;
} inside;

static void CUDA_CB hostFunction(void *data)
{
    CUcontext context = NULL;
    (void)data;
    inside.current = cudrvCtxGetCurrent(&context);
    inside.context = cudrvStreamGetCtx(streamNamed("sA")->handle, &context);
    inside.push = cudrvCtxPushCurrent(contextNamed("A"));
    inside.copy =
        cudrvMemcpyAsync(memoryNamed("dA")->address, memoryNamed("dA2")->address, BYTES, streamNamed("sA")->handle);
    inside.pop = cudrvCtxPopCurrent(&context);
}

static void playHostFunction(void)
{
    const CUstream stream = streamNamed("sA")->handle;
    stackStand(contextNamed("A"));
    MUST(cudrvLaunchHostFunc(stream, hostFunction, NULL));
    const CUresult waited = cudrvStreamSynchronize(stream);
    SAY(inside.current, "host-function A CtxGetCurrent");
    SAY(inside.context, "host-function A StreamGetCtx(sA)");
    SAY(inside.push, "host-function A CtxPushCurrent(A)");
    SAY(inside.copy, "host-function A MemcpyAsync(sA)");
    SAY(inside.pop, "host-function A CtxPopCurrent");
    SAY(waited, "host-function A StreamSynchronize(sA)");
}

/* ---- Parameters in a buffer ---- */

static void playLaunches(void)
{
    const CUdeviceptr address = memoryNamed("dA")->address;
    const CUstream stream = streamNamed("sA")->handle;
    stackStand(contextNamed("A"));
    SAY(kernelLaunchFromBuffer(address, 20, stream), "launch-from-buffer A all-parameters");
    SAY(kernelLaunchFromBuffer(address, 16, stream), "launch-from-buffer A their-beginning");
    SAY(kernelLaunchFromBuffer(address, 24, stream), "launch-from-buffer A more");
    SAY(kernelLaunchFromBuffer(address, 0, stream), "launch-from-buffer A nothing");
    settle();
}

static void play(void)
{
    static const char *const currents[] = {"none", "A", "B"};
    const bool hasKernel = (worldOpen(), kernelLoad());
    for (size_t i = 0; i < COUNT(currents); i++)
        if (scene(currents[i]))
            playOthers(currents[i]);
    if (contextNamed("G") && scene("green"))
        playGreen();
    if (contextNamed("G"))
        askGreenBatches();
    if (scene("host function"))
        playHostFunction();
    if (hasKernel && scene("launch from buffer"))
        playLaunches();
    if (hasKernel && sceneAlone("sticky"))
        playSticky();
}

const struct section behaviourSection = {
    .name = "behaviour",
    .columns = "scene\tcurrent\tcall\tanswer",
    .about = "Other calls than copies, green contexts, a sticky error, a host function, launches from a buffer.",
    .play = play,
    .parts = 1,
};
