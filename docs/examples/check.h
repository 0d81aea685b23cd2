/* SPDX-License-Identifier: Apache-2.0 */
/* What the examples do about errors: say what failed, and end. */
#ifndef CHECK_H
#define CHECK_H

#include <cucopy/drv.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call) check(call, #call, __FILE__, __LINE__)

static inline void check(CUresult result, const char *call, const char *file, int line)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s:%d: %s: %s %s\n", file, line, call, cudrvResultName(result), cudrvLoadError());
    exit(EXIT_FAILURE);
}

/* What the example set out to show. */
#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
            exit(EXIT_FAILURE);                                                                                        \
        }                                                                                                              \
    } while (0)

#endif
