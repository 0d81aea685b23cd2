/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests on a driver share: the simulated driver's controls if it is the simulated one, two contexts with a
 * stream each, and the context stack as a value. Include it before cmocka.h.
 */
#ifndef CUCOPY_TEST_SUPPORT_H
#define CUCOPY_TEST_SUPPORT_H

#include <cucopy/copy.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define assert_success(call) assert_string_equal(cudrvResultName(call), "CUDA_SUCCESS")
#define assert_result(call, code) assert_string_equal(cudrvResultName(call), #code)

/* ---- The simulated driver ---- */

/* Its controls (cusim.h), found at run time, so that a test program also runs on a real driver. */
struct simulator {
    unsigned long (*calls)(const char *entry); /* NULL: all entries */
    void (*resetCalls)(void);
    void (*refuse)(const char *entry, unsigned long nth, int code, bool onwards);
    void (*refuseNone)(void);
    void (*hold)(void);
    void (*release)(void);
};

/* NULL on a real driver. */
const struct simulator *simulator(void);

/* The simulator, or the end of this test with a word of why. */
const struct simulator *needSimulator(void);

/* Ends this test with a word of why unless the driver has that entry point. */
void needEntry(const char *name);

/* The same unless home and away are on two devices. */
struct world;
void needTwoDevices(const struct world *world);

/* ---- The context stack ---- */

enum { maxDepth = 16 };

struct stack {
    size_t depth;
    CUcontext contexts[maxDepth]; /* top first */
};

struct stack stackNow(void);
void stackEmpty(void); /* pops all, as a test may end anywhere */
void assertStackIs(const struct stack *expected);

/* ---- Two contexts ---- */

/*
 * home has what is current in most tests; away has the stream and the memory of the copies. On two devices they are on
 * device 0 and 1, on one both are on it. The thread's stack is empty.
 */
struct world {
    int deviceCount;
    CUdevice homeDevice, awayDevice;
    CUcontext home, away;
    CUstream homeStream, awayStream;
};

int worldSetUp(void **state);
int worldTearDown(void **state);

/* Run these with context current, and leave the stack as it was. */
void withContext(CUcontext context, void (*body)(void *), void *argument);

#endif
