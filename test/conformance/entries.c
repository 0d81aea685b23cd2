/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cuGetProcAddress gives for a name, a version and a flag, in both of its own forms, before cuInit and after; and
 * what works before cuInit.
 */
#include "sections.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define UNTOUCHED ((void *)(uintptr_t)0x5a5a5a50)

typedef CUresult(CUDAAPI *Lookup)(const char *, void **, int, cuuint64_t);

static const struct question {
    const char *name;
    int version;
    unsigned flags; /* 1: legacy default stream, 2: per-thread */
} questions[] = {
    {"cuMemcpyAsync", 4000, 1},
    {"cuMemcpyAsync", 4000, 2},
    {"cuMemcpyAsync", 7000, 2},
    {"cuMemcpyAsync", 7000, 1},
    {"cuMemcpyAsync", 0, 0},
    {"cuMemcpyAsync", 3000, 1},
    {"cuMemcpyAsync", 13000, 1},
    {"cuMemcpyAsync", 13010, 1},
    {"cuMemcpyAsync", 99000, 1},
    {"cuMemcpyBatchAsync", 12080, 1},
    {"cuMemcpyBatchAsync", 13000, 1},
    {"cuMemcpyBatchAsync", 12000, 1},
    {"cuStreamGetCtx", 9020, 1},
    {"cuStreamGetCtx", 12050, 1},
    {"cuNoSuchThing", 12000, 1},
    {"cuMemAlloc_v2", 12000, 1},
    {"cuMemAlloc", 2000, 1},
    {"cuMemAlloc", 3020, 1},
    {"cuMemcpyHtoDAsync", 3020, 2},
    {"cuMemcpyHtoDAsync", 7000, 2},
    {"cuMemcpyPeerAsync", 4000, 2},
    {"cuMemcpyWithAttributesAsync", 13020, 1},
    {"cuMemcpyWithAttributesAsync", 13000, 1},
};

static const char *symbolOf(void *pointer)
{
    Dl_info info;
    if (pointer == UNTOUCHED)
        return "untouched";
    if (!pointer)
        return "NULL";
    return dladdr(pointer, &info) && info.dli_sname ? info.dli_sname : "a function without a name";
}

static void askLookups(const char *phase, Lookup lookup)
{
    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
        const struct question *const q = &questions[i];
        void *pointer = UNTOUCHED;
        if (ask("%s %s %d %u five-parameters", phase, q->name, q->version, q->flags)) {
            CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)77;
            const CUresult result = cudrvGetProcAddress(q->name, &pointer, q->version, q->flags, &status);
            if ((int)status == 77)
                answer("%s, status untouched, %s", resultName(result), symbolOf(pointer));
            else
                answer("%s, status %d, %s", resultName(result), (int)status, symbolOf(pointer));
        }
        pointer = UNTOUCHED;
        if (lookup && ask("%s %s %d %u four-parameters", phase, q->name, q->version, q->flags)) {
            const CUresult result = lookup(q->name, &pointer, q->version, q->flags);
            answer("%s, %s", resultName(result), symbolOf(pointer));
        }
    }
}

/* The first form of cuGetProcAddress is not cudrv's; it is asked for by its version. */
static Lookup firstForm(void)
{
    void *pointer = NULL;
    Lookup lookup = NULL;
    if (cudrvGetProcAddress("cuGetProcAddress", &pointer, 11030, 1, NULL) == CUDA_SUCCESS)
        memcpy(&lookup, &pointer, sizeof(lookup));
    return lookup;
}

static void askBefore(void)
{
    CUcontext context = NULL;
    int version = 0;
    if (ask("before-cuInit cuCtxGetCurrent - - call"))
        answerResult(cudrvCtxGetCurrent(&context));
    if (ask("before-cuInit cuStreamGetCtx(NULL) - - call"))
        answerResult(cudrvStreamGetCtx(NULL, &context));
    if (ask("before-cuInit cuMemcpyAsync - - call"))
        answerResult(cudrvMemcpyAsync(0, 0, 1, NULL));
    if (ask("before-cuInit cuDriverGetVersion - - call")) {
        const CUresult result = cudrvDriverGetVersion(&version);
        answer("%s, %d", resultName(result), version);
    }
    if (ask("before-cuInit cuCtxPopCurrent - - call"))
        answerResult(cudrvCtxPopCurrent(&context));
}

static void play(void)
{
    const Lookup lookup = firstForm();
    askLookups("before-cuInit", lookup);
    askBefore();
    MUST(cudrvInit(0));
    askLookups("after-cuInit", lookup);
}

const struct section entriesSection = {
    .name = "entries",
    .columns = "phase\tname\tversion\tflags\thow\tanswer",
    .about = "What cuGetProcAddress gives for a name, a version and a flag (1 legacy, 2 per-thread default stream).",
    .play = play,
    .parts = 1,
};
