/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of an explanation share. Private to copy/.
 *
 *   explain.c         cucopyExplain: what happened and what each thing is
 *   explain_case.c    reads a record: what kind of call it was, and which bytes it would have touched
 *   explain_memory.c  asks the driver what a pointer is
 *   explain_rules.c   what is wrong and what to do, and explain_pointers.c where memory is the matter
 *   explain_text.c    the text, and numbers in it
 *   place_*.c         what file an address of code is in
 */
#ifndef CUCOPY_COPY_EXPLAIN_H
#define CUCOPY_COPY_EXPLAIN_H

#include "copy/failure.h"

#if defined(__GNUC__)
#define CUCOPY_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CUCOPY_PRINTF(text, first)
#endif

/* A text that is written as far as there is room, and whose length is counted to the end. */
struct cucopyText {
    char *at;
    size_t size;
    size_t length;
};

CUCOPY_PRINTF(2, 3) void cucopySay(struct cucopyText *text, const char *format, ...);

/* 65536 as "65,536". */
struct cucopyNumber {
    char text[40];
};
struct cucopyNumber cucopyGrouped(unsigned long long number);

/* "1 byte", "2 bytes". */
struct cucopyNumber cucopyBytes(unsigned long long number);

typedef enum cucopyKind {
    CUCOPY_KIND_UNASKED,  /* the driver could not say */
    CUCOPY_KIND_NULL,     /* address 0 */
    CUCOPY_KIND_ARRAY,    /* a CUDA array, which has no address and is not asked about */
    CUCOPY_KIND_UNKNOWN,  /* CUDA knows no memory there */
    CUCOPY_KIND_RESERVED, /* a reserved range where nothing is mapped */
    CUCOPY_KIND_DEVICE,   /* cuMemAlloc's and the like */
    CUCOPY_KIND_POOL,
    CUCOPY_KIND_MAPPED, /* cuMemMap's */
    CUCOPY_KIND_PINNED, /* host memory, allocated by CUDA or registered; CUDA does not tell which */
    CUCOPY_KIND_MANAGED,
} cucopyKind;

/* The memory at one side of a copy. */
struct cucopyMemory {
    cucopyKind kind;
    CUdeviceptr address; /* the first byte that the copy touches */
    size_t extent;       /* from there to behind the last one */
    int device;          /* where it is, -1 if it has no one place */
    CUdeviceptr base;    /* of the allocation, the registration, or the adjacent mappings */
    size_t size;         /* 0 if not known */
    cucopyAccess access; /* what the device that matters may do with the first byte */
    cucopyAccess least;  /* and with any byte of the extent, as far as that is known */
    size_t accessEnds;   /* of mappings: bytes from address on before the first without access */
    int reachable;       /* of mappings: 0 if no device at all has access to the first byte */
    CUdeviceptr next;    /* behind base + size, if that is memory CUDA knows, else 0 */
};

/* A record, understood. */
struct cucopyCase {
    cucopyFailure failure;
    int raw;   /* a call of the raw layer or of the driver itself */
    int guard; /* a guard's, not a copy */
    int batch;
    int peer;
    int box;                       /* in two or three dimensions */
    int perThread;                 /* the variant where stream 0 is the thread's own */
    int special;                   /* on a special stream */
    int device;                    /* whose access to the memory matters, -1 if not known */
    unsigned int dstType, srcType; /* the CUmemorytype that each side was called, 0 if none */
    struct cucopyMemory dst, src;
};

/* Understand a record, and ask about its memory where that matters. */
void cucopyCaseFrom(struct cucopyCase *about, const cucopyFailure *failure);

/* Ask about memory->address and the extent behind it. device: whose access matters, or -1; access: if it is known. */
void cucopyAskMemory(struct cucopyMemory *memory, int device, cucopyAccess access);

/* The file that this address of code was loaded from, and where in it; NULL if that cannot be told. In place_*.c. */
const char *cucopyModuleOf(const void *code, size_t *offset);

/* Say what is wrong and what to do, if it is the pointers. 1 if something was said. */
int cucopyJudgePointers(const struct cucopyCase *about, struct cucopyText *text);

/* The same, whatever it is; says that it does not know rather than nothing. */
void cucopyJudge(const struct cucopyCase *about, struct cucopyText *text);

#endif
