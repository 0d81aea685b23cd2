/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of the context stack. Each question is a sequence of calls on an empty stack, written as its key; the
 * answer is the stack afterwards, top first, or what the last call returned.
 */
#include "sections.h"
#include "world.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define UNTOUCHED ((CUcontext)(uintptr_t)0x5a5a5a50)

static CUcontext a, b;

static const char *nameOf(CUcontext context)
{
    for (size_t i = 1; i < world.placeCount; i++)
        if (world.places[i].context == context)
            return world.places[i].name;
    return "another";
}

/* Takes the stack apart. */
static void answerStack(void)
{
    char text[128] = "";
    CUcontext context = NULL;
    while (strlen(text) < 100 && cudrvCtxPopCurrent(&context) == CUDA_SUCCESS)
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", *text ? " " : "", nameOf(context));
    answer("%s", *text ? text : "empty");
}

static bool begin(const char *key)
{
    if (!ask("%s", key))
        return false;
    stackClear();
    return true;
}

static void askStacks(void)
{
    if (begin("start"))
        answerStack();
    if (begin("set(A)")) {
        MUST(cudrvCtxSetCurrent(a));
        answerStack();
    }
    if (begin("push(A),set(B)")) {
        MUST(cudrvCtxPushCurrent(a));
        MUST(cudrvCtxSetCurrent(b));
        answerStack();
    }
    if (begin("push(A),push(A),set(NULL)")) {
        MUST(cudrvCtxPushCurrent(a));
        MUST(cudrvCtxPushCurrent(a));
        MUST(cudrvCtxSetCurrent(NULL));
        answerStack();
    }
    if (begin("push(A),push(B),set(NULL)")) {
        MUST(cudrvCtxPushCurrent(a));
        MUST(cudrvCtxPushCurrent(b));
        MUST(cudrvCtxSetCurrent(NULL));
        answerStack();
    }
    if (begin("set(NULL),stack")) {
        MUST(cudrvCtxSetCurrent(NULL));
        answerStack();
    }
    if (begin("push(A),pop(NULL),stack")) {
        MUST(cudrvCtxPushCurrent(a));
        MUST(cudrvCtxPopCurrent(NULL));
        answerStack();
    }
}

static void askOutputs(void)
{
    CUcontext context = UNTOUCHED;
    if (begin("pop")) {
        const CUresult result = cudrvCtxPopCurrent(&context);
        answer("%s, output %s", resultName(result), context == UNTOUCHED ? "untouched" : "touched");
    }
    if (begin("get")) {
        context = UNTOUCHED;
        const CUresult result = cudrvCtxGetCurrent(&context);
        answer("%s, output %s", resultName(result), !context ? "NULL" : context == UNTOUCHED ? "untouched" : "touched");
    }
    if (begin("set(NULL),get")) {
        MUST(cudrvCtxSetCurrent(NULL));
        answerResult(cudrvCtxGetCurrent(&context));
    }
}

static void askResults(void)
{
    if (begin("set(NULL)"))
        answerResult(cudrvCtxSetCurrent(NULL));
    if (begin("push(A),pop(NULL)")) {
        MUST(cudrvCtxPushCurrent(a));
        answerResult(cudrvCtxPopCurrent(NULL));
    }
    if (begin("pop(NULL)"))
        answerResult(cudrvCtxPopCurrent(NULL));
    if (begin("get(NULL)"))
        answerResult(cudrvCtxGetCurrent(NULL));
    if (begin("push(NULL)"))
        answerResult(cudrvCtxPushCurrent(NULL));
    if (begin("StreamGetCtx(sA,NULL)"))
        answerResult(cudrvStreamGetCtx(streamNamed("sA")->handle, NULL));
}

static void askDepth(void)
{
    int depth = 0;
    if (!begin("push(A)...how-often"))
        return;
    while (depth < 100000 && cudrvCtxPushCurrent(a) == CUDA_SUCCESS)
        depth++;
    answer("%d", depth);
    stackClear();
}

/* Contexts that come and go are never those of the world. */
static void askCreation(void)
{
    CUcontext context = NULL;
    CUdevice device = 0;
    MUST(cudrvDeviceGet(&device, 0));
    if (begin("push(A),create(another)")) {
        MUST(cudrvCtxPushCurrent(a));
        MUST(cudrvCtxCreate_v3020(&context, 0, device));
        answerStack();
        MUST(cudrvCtxDestroy(context));
    }
    if (begin("push(A),destroy(another)")) {
        MUST(cudrvCtxCreate_v3020(&context, 0, device));
        stackClear();
        MUST(cudrvCtxPushCurrent(a));
        MUST(cudrvCtxDestroy(context));
        answerStack();
    }
}

static void askGreen(void)
{
    const CUcontext green = contextNamed("G");
    CUstream stream = NULL;
    CUdeviceptr memory = 0;
    if (green && begin("push(G),StreamCreate")) {
        MUST(cudrvCtxPushCurrent(green));
        answerResult(cudrvStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    }
    if (green && begin("push(G),MemAlloc")) {
        MUST(cudrvCtxPushCurrent(green));
        answerResult(cudrvMemAlloc(&memory, BYTES));
    }
}

static void play(void)
{
    worldOpen();
    a = contextNamed("A");
    b = contextNamed("B");
    askStacks();
    askOutputs();
    askResults();
    askDepth();
    askCreation();
    askGreen();
}

const struct section stackSection = {
    .name = "stack",
    .columns = "calls\tanswer",
    .about = "The rules of the context stack: calls on an empty one, and the stack afterwards, top first, or the last "
             "result.",
    .play = play,
    .parts = 1,
};
