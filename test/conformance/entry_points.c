/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions a driver of this version has. Each that it lacks is called, and must say so.
 */
#include "types.h"

#include "drv/rows.h"
#include "sections.h"

/* Arguments of nothing, by the types of the parameters. */
#define ZEROS(n, ...) ZEROS_##n(__VA_ARGS__)
#define ZEROS_0(A)
#define ZEROS_1(A)                                                                                                     \
    (A)                                                                                                                \
    {                                                                                                                  \
        0                                                                                                              \
    }
#define ZEROS_2(A, B)                                                                                                  \
    (A){0}, (B)                                                                                                        \
    {                                                                                                                  \
        0                                                                                                              \
    }
#define ZEROS_3(A, B, C) (A){0}, ZEROS_2(B, C)
#define ZEROS_4(A, ...) (A){0}, ZEROS_3(__VA_ARGS__)
#define ZEROS_5(A, ...) (A){0}, ZEROS_4(__VA_ARGS__)
#define ZEROS_6(A, ...) (A){0}, ZEROS_5(__VA_ARGS__)
#define ZEROS_7(A, ...) (A){0}, ZEROS_6(__VA_ARGS__)
#define ZEROS_8(A, ...) (A){0}, ZEROS_7(__VA_ARGS__)
#define ZEROS_9(A, ...) (A){0}, ZEROS_8(__VA_ARGS__)
#define ZEROS_10(A, ...) (A){0}, ZEROS_9(__VA_ARGS__)
#define ZEROS_11(A, ...) (A){0}, ZEROS_10(__VA_ARGS__)

/* The per-thread variants are declared here only. */
#define CUDRV_ONE(name, lookup, version, plain, stream, toolkit, pfn, count, ...)                                      \
    CUresult CUDAAPI cudrv##name(CUDRV_PARAMS(count, __VA_ARGS__));                                                    \
    static CUresult call##name(void)                                                                                   \
    {                                                                                                                  \
        return cudrv##name(ZEROS(count, __VA_ARGS__));                                                                 \
    }
#include "drv/entries.h"
#undef CUDRV_ONE

#define CUDRV_ONE(name, lookup, version, plain, stream, toolkit, pfn, count, ...) {"cu" #name, call##name},
static const struct {
    const char *name;
    CUresult (*call)(void);
} functions[] = {
#include "drv/entries.h"
};
#undef CUDRV_ONE

static void play(void)
{
    MUST(cudrvInit(0));
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (!ask("%s", functions[i].name))
            continue;
        if (cudrvHas(functions[i].name))
            answer("there");
        else
            answerResult(functions[i].call());
    }
}

const struct section entryPointsSection = {
    .name = "entry-points",
    .columns = "function\tanswer",
    .about = "Which functions a driver of this version has; a function that it lacks says NOT_SUPPORTED.",
    .play = play,
    .parts = 1,
    .promises = true,
};
