/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the doctor learns, and which file learns it. The report lies in memory that is shared with the process that
 * does the examining, so it holds everything by value: a driver that crashes takes that process with it and not what
 * was learned so far.
 */
#ifndef CUCOPY_TOOL_REPORT_H
#define CUCOPY_TOOL_REPORT_H

#include "types.h"

#include <cucopy/copy.h>
#include <stdio.h>

/* Where the bytes of a copy come from or go to. "Far" is the other context's, so another device's where there is one.
 */
enum memory {
    PLAIN,  /* cuMemAlloc */
    POOL,   /* cuMemAllocAsync */
    VMM,    /* cuMemCreate and cuMemMap, with access for the stream's device */
    CLOSED, /* the same, with access for nobody */
    ARRAY,
    PINNED,
    PAGEABLE,
    FAR_PLAIN,
    FAR_POOL,
    MEMORIES
};

/* Which context is current when a copy is tried. */
enum current { NONE, OTHER, STREAMS, CURRENTS };

enum layer { RAW, SAFE, LAYERS };

enum outcome {
    UNTRIED,   /* what it needs could not be made ready */
    NO_MEMORY, /* this driver has not that kind of memory */
    ARRIVED,
    REFUSED, /* the call, or the stream behind it, returned an error */
    LOST,    /* success, but not with the right bytes */
    CRASHED, /* a signal in the middle of it */
    HUNG,    /* no end within its time */
    ABSENT,  /* the driver has no such entry point */
    OUTCOMES
};

struct trial {
    enum outcome outcome;
    CUresult result;
    int signal;       /* of CRASHED */
    int moved;        /* REFUSED, and yet the destination changed */
    int stackChanged; /* the context stack was not afterwards what it was before */
    char explanation[1536];
};

/* A copy of one kind of memory into another, with each context current, through each layer. */
struct row {
    int copy; /* index into doctorCopies */
    enum memory dst, src;
    enum memory kind; /* the one of the two that matters */
    int mustFail;     /* no context makes it possible */
    struct trial trials[CURRENTS][LAYERS];
};

struct device {
    char name[256];
    char pci[32];
    size_t bytes;
    int major, minor;
};

enum limits { DEVICES = 64, ENTRIES = 512, ROWS = 256, WHY = 128 };

struct report {
    int wanted;  /* the device that --device asked for, or -1 */
    int explain; /* --explain */

    /* The driver. problem is not empty if there is none that can be used; remedy says what to do then. */
    char problem[2048];
    char remedy[512];
    char path[4096];
    int version;
    int simulated;
    int deviceCount; /* may be more than DEVICES */
    struct device devices[DEVICES];
    char has[ENTRIES]; /* by index into doctorEntries */

    /* The copies. missingMemory says why a kind of memory could not be had: its rows are then left out. */
    int home, other;   /* the stream's device, and the other context's */
    char failure[WHY]; /* why the copies, or those from step on, could not be tried; "" if they could */
    char missingMemory[MEMORIES][WHY];
    int rowCount;
    struct row rows[ROWS];

    int inspected; /* the first two parts are done */
    int gaveUp;    /* too many workers were lost; the rest is UNTRIED */
    int trying;    /* a trial is under way */
    int step;      /* which one it is, or would be; all before it are done */
};

enum { TRIALS_PER_ROW = CURRENTS * LAYERS };

/* ---- copies.c: the asynchronous copies of the driver ---- */

enum shape {
    HOST_TO_DEVICE = 1,
    DEVICE_TO_HOST = 2,
    DEVICE_TO_DEVICE = 4,
    BETWEEN_CONTEXTS = 8,
    HOST_TO_ARRAY = 16,
    ARRAY_TO_HOST = 32,
};

enum { BYTES = 65536 };

struct operands {
    CUdeviceptr dst, src; /* an address of any kind of memory */
    CUarray array;
    CUcontext dstContext, srcContext;
    CUstream stream;
};

struct copy {
    const char *name;     /* the driver's */
    const char *entry[2]; /* the raw layer calls one of these; NULL: one form only */
    unsigned shapes;
    CUresult (*call[LAYERS])(const struct operands *operands);
};

extern const struct copy doctorCopies[];
extern const int doctorCopyCount;

/* 1 if the driver has this copy. */
int doctorCopyExists(const struct copy *copy);

/* ---- inspect.c: the driver, its devices and its entry points ---- */

struct entry {
    const char *name; /* the driver's, as cudrvHas is asked */
    int version;
};

extern const struct entry doctorEntries[];
extern const int doctorEntryCount;

void doctorInspect(struct report *report);

/* ---- scene.c: contexts, a stream, and memory of each kind ---- */

struct scene {
    CUcontext home, other;
    CUstream stream;
    CUdeviceptr address[MEMORIES]; /* 0 for the array, and for what cannot be had */
    CUarray array;
};

/* Make it; every later worker makes its own. Returns 0, with report->failure set, if that is impossible. */
int doctorSceneMake(struct scene *scene, struct report *report);

/* Fill with, or compare with, bytes that follow from seed. They leave the context stack empty. Return 0 on failure. */
int doctorSceneFill(const struct scene *scene, enum memory memory, size_t offset, unsigned seed);
int doctorSceneHolds(const struct scene *scene, enum memory memory, size_t offset, unsigned seed);

/* ---- trial.c: one copy, tried ---- */

/* List the rows to try. */
void doctorPlan(struct report *report);

/* Returns 0 if this process had better make no other: the driver or the context stack is not what it was. */
int doctorTry(struct report *report, const struct scene *scene, const struct row *row, enum current current,
              enum layer layer, struct trial *trial);

/* ---- worker.c: examining in a process of its own ---- */

/*
 * wanted and explain as in the report. What the driver prints on standard error meanwhile goes to words, since it also
 * prints when it crashes as expected; with NULL it stays there. NULL if the system has no memory or processes left.
 */
struct report *doctorExamine(int wanted, int explain, FILE *words);

/* ---- verdict.c: what it means ---- */

struct verdict {
    int rawTried, rawRefused, rawCrashed;
    int safeTried, safeArrived;
    int safeRefused;  /* as it must be */
    int safeWrong;    /* where the safe layer did not do what it promises */
    int stackChanged; /* by a safe copy */
};

struct verdict doctorJudge(const struct report *report);

/* 1 if the safe copy did what it promises. */
int doctorSafeIsRight(const struct row *row, enum current current);

/* 0 if this driver has not the kind of memory that the row is about. */
int doctorIsPossible(const struct row *row);

/* ---- text.c and report_json.c ---- */

void doctorPrintText(const struct report *report, FILE *out, int colour);
void doctorPrintJson(const struct report *report, FILE *out);

#endif
