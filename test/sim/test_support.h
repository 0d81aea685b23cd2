/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the simulated driver's own tests share: each test begins in a fresh process, as cusimReset makes one, with two
 * devices, their primary contexts retained, and nothing current.
 */
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <cuda.h>
#include <string.h>

#include "cusim.h"

#define OK(call) assert_int_equal(call, CUDA_SUCCESS)
#define GIVES(result, call) assert_int_equal(call, result)

extern CUcontext primary[2];

/* A cmocka setup that makes the fresh process. */
int freshProcess(void **state);

/* What `body` writes to stderr, in a static buffer. */
const char *stderrOf(void (*body)(void));

/* How a child process that runs `body` ends: its exit status, or minus the signal that killed it. What it writes to
   stderr is in *text, if that is not NULL. */
int childOf(void (*body)(void), const char **text);

#define FRESH(test) cmocka_unit_test_setup(test, freshProcess)

#endif
