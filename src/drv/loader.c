/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding the driver, filling a table from it, and publishing that table, once. The way into the operating system is in
 * loader_posix.c and loader_windows.c; the functions that use the table are in forward.c.
 *
 * Nothing here waits: threads that race the first call each fill a table, one of them publishes it, and the others drop
 * theirs. Nothing runs before the first call, and nothing is unloaded.
 */
#include "drv/table.h"

#include <cucopy/drv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const char *name; /* cu<Name>, as cudrvHas is asked */
    const char *lookup;
    const char *plain;
    int version;
    int stream;
    size_t slot;
};

#define CUDRV_ONE(name, lookup, version, plain, stream, toolkit, pfn, count, ...)                                      \
    {"cu" #name, lookup, plain, version, stream, offsetof(struct cudrvTable, name)},
static const struct row rows[] = {
#include "drv/entries.h"
};
#undef CUDRV_ONE

/* A loaded driver: its table first, so that the published pointer leads to the rest as well. */
struct driver {
    struct cudrvTable table;
    void *library;
    char path[4096];
};

/* Why a load failed. Kept for good, since cudrvLoadError may have handed out the text; one for each change of reason.
 */
struct failure {
    const struct failure *older;
    CUresult code;
    char text[1024];
};

static _Atomic(const struct failure *) lastFailure;

static const struct driver *loaded(void)
{
    const struct cudrvTable *const table = atomic_load_explicit(&cudrvPublished, memory_order_acquire);
    return table == &cudrvUnloaded ? NULL : (const struct driver *)table;
}

/* ---- Looking up ---- */

typedef CUresult(CUDAAPI *getProcAddress1)(const char *symbol, void **pfn, int version, cuuint64_t flags);
typedef CUresult(CUDAAPI *getProcAddress2)(const char *symbol, void **pfn, int version, cuuint64_t flags, int *status);

/* CU_GET_PROC_ADDRESS_LEGACY_STREAM and _PER_THREAD_DEFAULT_STREAM: asked for by flag, never by what is the default. */
static const cuuint64_t streamFlag[] = {[CUDRV_LEGACY] = 1, [CUDRV_PER_THREAD] = 2};

struct finder {
    void *library;
    getProcAddress2 second; /* 12.0 and later */
    getProcAddress1 first;  /* 11.3 and later: the same name then had four parameters */
};

static struct finder finderOf(void *library)
{
    struct finder finder = {.library = library, .second = NULL, .first = NULL};
    if (!cudrvLibrarySymbol(library, "cuGetProcAddress_v2", &finder.second))
        cudrvLibrarySymbol(library, "cuGetProcAddress", &finder.first);
    return finder;
}

/* Fill one slot if the driver has that entry point. CUDA_ERROR_STUB_LIBRARY if this is no driver at all. */
static CUresult find(const struct finder *finder, const struct row *row, struct cudrvTable *table)
{
    char *const slot = (char *)table + row->slot;
    void *function = NULL;
    CUresult code = CUDA_SUCCESS;
    if (finder->second) {
        int status = 0;
        code = finder->second(row->lookup, &function, row->version, streamFlag[row->stream], &status);
    } else if (finder->first) {
        code = finder->first(row->lookup, &function, row->version, streamFlag[row->stream]);
    } else {
        cudrvLibrarySymbol(finder->library, row->plain, slot);
    }
    if (code == CUDA_SUCCESS && function)
        memcpy(slot, &function, sizeof(function));
    return code == CUDA_ERROR_STUB_LIBRARY ? code : CUDA_SUCCESS;
}

/* A stub that is older than cuGetProcAddress gives itself away when it is asked for its version. */
static CUresult fill(struct cudrvTable *table, void *library)
{
    const struct finder finder = finderOf(library);
    CUresult code = CUDA_SUCCESS;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && code == CUDA_SUCCESS; i++)
        code = find(&finder, &rows[i], table);
    if (code == CUDA_SUCCESS && table->DriverGetVersion != cudrvUnloaded.DriverGetVersion) {
        int version = 0;
        if (table->DriverGetVersion(&version) == CUDA_ERROR_STUB_LIBRARY)
            code = CUDA_ERROR_STUB_LIBRARY;
    }
    return code;
}

/* ---- Loading ---- */

static CUresult fail(CUresult code, const char *format, const char *path, const char *reason)
{
    struct failure *const failure = calloc(1, sizeof(*failure));
    if (!failure)
        return code;
    failure->code = code;
    (void)snprintf(failure->text, sizeof(failure->text), format, path, reason);
    const struct failure *older = atomic_load_explicit(&lastFailure, memory_order_acquire);
    do {
        if (older && older->code == code && !strcmp(older->text, failure->text)) {
            free(failure);
            return code;
        }
        failure->older = older;
    } while (!atomic_compare_exchange_weak_explicit(&lastFailure, &older, failure, memory_order_release,
                                                    memory_order_acquire));
    return code;
}

static void drop(struct driver *driver)
{
    if (driver->library)
        cudrvLibraryClose(driver->library);
    free(driver);
}

static CUresult load(const char *path)
{
    const char *const shown = path ? path : "the CUDA driver";
    struct driver *const driver = calloc(1, sizeof(*driver));
    if (!driver)
        return fail(CUDA_ERROR_OUT_OF_MEMORY, "cannot load %s: %s", shown, "out of memory");
    driver->table = cudrvUnloaded;

    char reason[512] = "";
    CUresult code = CUDA_SUCCESS;
    if (!(driver->library = cudrvLibraryOpen(path, reason, sizeof(reason))))
        code = fail(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "cannot load %s: %s", shown, reason);
    if (code == CUDA_SUCCESS && !cudrvLibraryPath(driver->library, driver->path, sizeof(driver->path)))
        (void)snprintf(driver->path, sizeof(driver->path), "%s", path ? path : "unknown");
    if (code == CUDA_SUCCESS && fill(&driver->table, driver->library) == CUDA_ERROR_STUB_LIBRARY)
        code = fail(CUDA_ERROR_STUB_LIBRARY, "%s is the CUDA Toolkit's stub, made for linking, and not a driver%s",
                    driver->path, ": take its folder out of the library search path, or install the NVIDIA driver");
    if (code == CUDA_SUCCESS && !memcmp(&driver->table, &cudrvUnloaded, sizeof(cudrvUnloaded)))
        code = fail(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "%s is not a CUDA driver: it has none of its functions%s",
                    driver->path, "");

    const struct cudrvTable *expected = &cudrvUnloaded;
    if (code == CUDA_SUCCESS && atomic_compare_exchange_strong_explicit(&cudrvPublished, &expected, &driver->table,
                                                                        memory_order_acq_rel, memory_order_acquire))
        return CUDA_SUCCESS;
    drop(driver);
    return code;
}

const struct cudrvTable *cudrvResolve(CUresult *code)
{
    *code = CUDA_ERROR_NOT_SUPPORTED;
    if (!loaded()) {
        const struct failure *const failure = atomic_load_explicit(&lastFailure, memory_order_acquire);
        const CUresult result = failure ? failure->code : load(NULL);
        if (result != CUDA_SUCCESS)
            *code = result;
    }
    return atomic_load_explicit(&cudrvPublished, memory_order_acquire);
}

CUresult cudrvLoad(const char *path)
{
    const CUresult code = loaded() ? CUDA_SUCCESS : load(path);
    const struct driver *const driver = loaded();
    if (!driver)
        return code;
    return !path || cudrvLibraryIs(driver->library, path) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

const char *cudrvLoadError(void)
{
    const struct failure *const failure = atomic_load_explicit(&lastFailure, memory_order_acquire);
    return failure && !loaded() ? failure->text : "";
}

const char *cudrvPath(void)
{
    const struct driver *const driver = loaded();
    return driver ? driver->path : NULL;
}

int cudrvHas(const char *name)
{
    CUresult code = CUDA_SUCCESS;
    const struct cudrvTable *const table = cudrvResolve(&code);
    for (size_t i = 0; name && i < sizeof(rows) / sizeof(rows[0]); i++)
        if (!strcmp(name, rows[i].name))
            return memcmp((const char *)table + rows[i].slot, (const char *)&cudrvUnloaded + rows[i].slot,
                          sizeof(void (*)(void))) != 0;
    return 0;
}
