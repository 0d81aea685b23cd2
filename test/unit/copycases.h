/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every asynchronous copy as a case: the same few bytes over the same kinds of memory, raw or safe, so that a test can
 * say once what must hold for all of them.
 */
#ifndef CUCOPY_TEST_COPYCASES_H
#define CUCOPY_TEST_COPYCASES_H

#include "support.h"

enum { copyBytes = 4096 };

/* What the copies of one world read and write; all of it is the away context's, device memory from its stream's pool.
 */
struct buffers {
    const struct world *world;
    CUdeviceptr deviceDst, deviceSrc;
    unsigned char *hostDst, *hostSrc; /* pinned */
    CUarray arrayDst, arraySrc;       /* one row of copyBytes bytes */
};

void buffersMake(struct buffers *buffers, const struct world *world);
void buffersFree(struct buffers *buffers);

struct copyCase {
    const char *name;  /* "MemcpyAsync" */
    const char *entry; /* the driver's symbol, as the simulated driver counts it */
    CUresult (*safe)(const struct buffers *, CUstream);
    CUresult (*raw)(const struct buffers *, CUstream);
    char from, to;      /* 'D' device, 'H' host, 'A' array */
    int refusesSpecial; /* the driver refuses it on NULL and CU_STREAM_LEGACY, and with no context current */
    const char *needs;  /* entry point to ask cudrvHas for */
};

extern const struct copyCase copyCases[];
extern const size_t copyCaseCount;

/* Give the source bytes that depend on seed, and the destination others. */
void copyPrepare(const struct copyCase *copy, const struct buffers *buffers, unsigned seed);

/* After all work of stream: 1 if the destination has the source's bytes, 0 if it still has its own; anything else
 * fails. */
int copyArrived(const struct copyCase *copy, const struct buffers *buffers, unsigned seed, CUstream stream);

#endif
