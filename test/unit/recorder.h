/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the recording driver (recorder.c) tells of the last call that reached it.
 */
#ifndef CUCOPY_TEST_RECORDER_H
#define CUCOPY_TEST_RECORDER_H

#include <stddef.h>

struct recordedCall {
    const char *name; /* of the row: "MemcpyAsync" */
    size_t calls;     /* so far, of all functions */
    size_t count;     /* of parameters */
    size_t sizes[11];
    unsigned char bytes[11][64]; /* each parameter as it arrived; the largest is a CUipcMemHandle */
};

/* Every recorded call returns this, which no driver does. */
#define RECORDED_RESULT 4242

#endif
