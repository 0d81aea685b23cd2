/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any order of pushes, pops, safe copies and guards, some of their driver calls refused, against a model of what the
 * context stack must be after each. The model is twenty lines: it is the guard's table, read aloud.
 *
 * Needs the simulated driver. With libFuzzer it looks for inputs; without, fuzz_main.c feeds it pseudo-random ones.
 */
#include <cucopy/copy.h>
#include <dlfcn.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { contextCount = 3, guardCount = 8, maxDepth = 64 };
enum { refusedCode = 401 /* CUDA_ERROR_ILLEGAL_STATE, which nothing here gives by itself */ };

static CUcontext contexts[contextCount];
static CUstream streams[contextCount];
static void (*refuse)(const char *entry, unsigned long nth, int code, bool onwards);
static void (*refuseNone)(void);

/* The model: the stack, bottom first, and the open guards. */
static struct {
    CUcontext stack[maxDepth];
    size_t depth;
    struct {
        cucopyGuard guard;
        CUcontext pushed; /* what the model says it pushed */
    } guards[guardCount];
    size_t open;
} model;

#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                      \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static void start(void)
{
    if (contexts[0])
        return;
    CUdevice device = 0;
    MUST(cudrvInit(0) == CUDA_SUCCESS);
    void *const driver = dlopen(cudrvPath(), RTLD_NOW | RTLD_NOLOAD);
    void *const found[] = {dlsym(driver, "cusimFail"), dlsym(driver, "cusimFailClear")};
    MUST(found[0] && found[1]);
    memcpy(&refuse, &found[0], sizeof(found[0]));
    memcpy(&refuseNone, &found[1], sizeof(found[1]));
    for (int i = 0; i < contextCount; i++) {
        MUST(cudrvDeviceGet(&device, i % 2) == CUDA_SUCCESS);
        MUST(cudrvCtxCreate_v3020(&contexts[i], 0, device) == CUDA_SUCCESS);
        MUST(cudrvStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
        MUST(cudrvCtxPopCurrent(NULL) == CUDA_SUCCESS);
    }
}

static CUcontext top(void)
{
    return model.depth ? model.stack[model.depth - 1] : NULL;
}

static void checkStack(void)
{
    CUcontext now[maxDepth];
    size_t depth = 0;
    CUcontext current = NULL;
    while (cudrvCtxGetCurrent(&current) == CUDA_SUCCESS && current) {
        MUST(depth < maxDepth);
        MUST(cudrvCtxPopCurrent(&now[depth++]) == CUDA_SUCCESS);
    }
    for (size_t i = depth; i-- > 0;)
        MUST(cudrvCtxPushCurrent(now[i]) == CUDA_SUCCESS);
    MUST(depth == model.depth);
    for (size_t i = 0; i < depth; i++)
        MUST(now[i] == model.stack[depth - 1 - i]);
}

static void push(CUcontext context)
{
    if (model.depth == maxDepth)
        return;
    MUST(cudrvCtxPushCurrent(context) == CUDA_SUCCESS);
    model.stack[model.depth++] = context;
}

static void pop(void)
{
    const CUresult result = cudrvCtxPopCurrent(NULL);
    MUST(result == (model.depth ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT));
    if (model.depth)
        model.depth--;
}

/* A copy of nothing on a stream, one of its driver calls refused unless step is none of them. */
static void copy(size_t which, unsigned step)
{
    static const char *const steps[] = {"cuStreamGetCtx", "cuCtxGetCurrent", "cuCtxPushCurrent_v2", "cuMemcpyAsync"};
    const CUcontext before = top();
    const int refused = step < sizeof(steps) / sizeof(steps[0]) && !(step == 2 && before == contexts[which]);
    if (refused)
        refuse(steps[step], 1, refusedCode, 0);
    const CUresult result = cucopyMemcpyAsync(0, 0, 0, streams[which]);
    refuseNone();
    MUST((int)result == (refused ? refusedCode : CUDA_SUCCESS));
}

static void enter(size_t which, int explicit)
{
    if (model.open == guardCount || model.depth == maxDepth)
        return;
    cucopyGuard *const guard = &model.guards[model.open].guard;
    MUST((explicit ? cucopyGuardEnterContext(guard, contexts[which]) : cucopyGuardEnter(guard, streams[which])) ==
         CUDA_SUCCESS);
    model.guards[model.open].pushed = top() == contexts[which] ? NULL : contexts[which];
    if (model.guards[model.open].pushed)
        model.stack[model.depth++] = contexts[which];
    model.open++;
}

/* The innermost guard, whatever was pushed and popped since it was entered. */
static void leave(void)
{
    if (!model.open)
        return;
    const CUcontext pushed = model.guards[model.open - 1].pushed;
    const CUresult result = cucopyGuardExit(&model.guards[model.open - 1].guard);
    if (pushed && top() != pushed) {
        MUST(result == CUDA_ERROR_INVALID_CONTEXT);
        return; /* still open, and the stack as it was */
    }
    MUST(result == CUDA_SUCCESS);
    if (pushed)
        model.depth--;
    MUST(cucopyGuardExit(&model.guards[model.open - 1].guard) == CUDA_SUCCESS);
    model.open--;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    start();
    for (size_t i = 0; i < size; i++) {
        const size_t which = (data[i] >> 3) % contextCount;
        switch (data[i] & 7) {
        case 0:
            push(contexts[which]);
            break;
        case 1:
            pop();
            break;
        case 2:
        case 3:
            copy(which, data[i] >> 5);
            break;
        case 4:
            enter(which, 0);
            break;
        case 5:
            enter(which, 1);
            break;
        default:
            leave();
        }
        checkStack();
    }
    model.open = 0;
    while (model.depth)
        pop();
    return 0;
}
