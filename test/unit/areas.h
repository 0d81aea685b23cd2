/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of every kind for the tests of batches, with a model of what must be in it.
 */
#ifndef CUCOPY_TEST_AREAS_H
#define CUCOPY_TEST_AREAS_H

#include "support.h"

/* Device memory, of the pool, mapped; pinned, registered, managed, pageable. */
#define ALL_KINDS "DPVHRMU"
#define KERNEL_KINDS "DPVHRM"

struct area {
    char kind;
    size_t bytes;
    CUdeviceptr address;
    unsigned char *model; /* what every byte must be */
    void *host;           /* of host memory */
};

/* In the current context; mapped memory comes in mappings of 2 MiB. */
struct area areaMake(char kind, size_t bytes, CUstream stream);
void areaFree(struct area *area, CUstream stream);
int isHost(char kind);

/* Give every byte, and its model, a value that depends on seed. */
void areaFill(struct area *area, unsigned seed);

/* Fails the test unless every byte is as the model has it. Waits for the whole context first. */
void areaCheck(const struct area *area);

/* Two areas of one size in world->away, which is current until benchFree. */
struct bench {
    const struct world *world;
    CUstream stream; /* world->awayStream */
    struct area dst, src;
};

struct bench benchMake(const struct world *world, char dstKind, char srcKind, size_t bytes);
void benchFree(struct bench *bench);

/* A batch. */
struct entries {
    CUdeviceptr *dsts, *srcs;
    size_t *sizes;
    size_t count;
};

struct entries entriesMake(size_t count);
void entriesFree(struct entries *entries);
void entrySet(struct entries *entries, size_t i, const struct bench *bench, size_t dst, size_t src, size_t size);

/* What the batch must do, in the model of dst. */
void modelCopy(struct bench *bench, const struct entries *entries);

/* Runs entries with options and checks every byte of both sides. */
void assertCopies(struct bench *bench, const struct entries *entries, const cucopyBatchOptions *options,
                  CUstream stream);

/* A number below limit, the same ones in every run. */
size_t randomBelow(size_t limit);

#endif
