/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways in which a copy fails, each with what its explanation must say: for the tests of the explanation, and for the
 * page that shows them.
 */
#ifndef CUCOPY_TEST_SCENES_H
#define CUCOPY_TEST_SCENES_H

#include "types.h" /* first: it has the types that an old cuda.h lacks */

#include "support.h"

enum { sceneBytes = 65536 };

enum sceneNeeds {
    NEEDS_NOTHING = 0,
    NEEDS_SIMULATOR = 1, /* a driver that fails on demand */
    NEEDS_TWO_DEVICES = 2,
    NEEDS_A_PROCESS = 4, /* it ends with the process in a state that no other scene could bear */
    NEEDS_A_STUB = 8,    /* the toolkit's stub library, or one like it, at $CUCOPY_TEST_STUB */
    NEEDS_A_GPU = 16,    /* one that runs PTX */
};

struct scene {
    const char *name;
    unsigned needs;
    /*
     * Makes one call fail, and leaves its record as the thread's last one, or if it was raw in rawFailure. The memory
     * stays, since the explanation asks about it. With NEEDS_A_PROCESS there is no world, and cuInit was not called.
     */
    void (*run)(const struct world *world);
    const char *says[4]; /* in the explanation, in this order */
    const char *has;     /* entry points that the driver has to have, and to lack */
    const char *lacks;
};

extern const struct scene batchScenes[], pointerScenes[], processScenes[], stateScenes[];
extern const size_t batchSceneCount, pointerSceneCount, processSceneCount, stateSceneCount;

const struct scene *sceneNamed(const char *name);

/* Run a scene and explain what it left. needs must be met. */
void sceneFail(const struct scene *scene, const struct world *world);

/* Free what the last scene left. */
void sceneTidy(void);

/* The last scene's failure in words. */
const char *sceneExplained(void);

/* NULL if the scene can be shown here, else why not. */
const char *sceneCannot(const struct scene *scene, int deviceCount);

/* ---- For the scenes ---- */

/* Fail unless the setup works. */
void must(CUresult result);

/* The call under test fails as it should. */
void fails(CUresult result, CUresult expected);

/* A raw call has failed as it should. what: function, stream, dst, src, bytes and whatever else is known. */
void failsRaw(CUresult result, CUresult expected, const cucopyFailure *what);

/* A record that the scene itself has filled. */
void sceneKeep(const cucopyFailure *failure);

/* Undo this, last in first out, when the scene is tidied, with context current if it is not NULL. */
void later(void (*undo)(void *), void *argument, CUcontext context);

/* Memory that lives until the scene is tidied. */
CUdeviceptr plainMemory(CUcontext context, size_t bytes);
CUdeviceptr freedMemory(CUcontext context, size_t bytes);
CUdeviceptr poolMemory(CUcontext context, CUstream stream, size_t bytes);
void *pinnedMemory(CUcontext context, size_t bytes);
void *pageableMemory(size_t bytes);
void registerMemory(CUcontext context, void *memory, size_t bytes);

/* count pages of address space, of the size that is returned, with memory of device mapped in the first mapped ones. */
size_t pageSize(CUdevice device);
CUdeviceptr mappedMemory(CUdevice device, size_t count, size_t mapped);
void allowAccess(CUdeviceptr address, size_t bytes, CUdevice device, CUmemAccess_flags flags);

#endif
