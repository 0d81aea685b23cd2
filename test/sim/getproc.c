/* SPDX-License-Identifier: Apache-2.0 */
/* cuGetProcAddress in its two versions. The results are those measured, before and after cuInit alike. */
#include "driver.h"
#include "settings.h"

#include <string.h>

static void *addressOf(EntryFunction function)
{
    void *address;
    memcpy(&address, &function, sizeof address); /* ISO C has no cast for it */
    return address;
}

/* The newest version of `name` that is at most `version`, in the variant asked for; NULL if there is none. `known`
   becomes true if this driver has the name at all. A function without a per-thread variant is itself in both. */
static const EntryRow *find(const char *name, int version, bool perThread, bool *known)
{
    const EntryRow *best = NULL;
    const EntryRow *bestVariant = NULL;
    bool hasVariant = false;
    *known = false;
    for (int entry = 0; entry < ENTRY_COUNT; entry++) {
        const EntryRow *row = &entryTable[entry];
        if (!gateHas(entry) || strcmp(row->name, name) != 0)
            continue;
        *known = true;
        hasVariant = hasVariant || row->perThread;
        const EntryRow **newest = row->perThread ? &bestVariant : &best;
        if (row->version <= version && (*newest == NULL || row->version > (*newest)->version))
            *newest = row;
    }
    return perThread && hasVariant ? bestVariant : best;
}

static CUresult lookUp(const char *name, void **function, int version, cuuint64_t flags,
                       CUdriverProcAddressQueryResult *status)
{
    if (name == NULL || function == NULL || version > settings.version || flags > 2)
        return CUDA_ERROR_INVALID_VALUE;
    bool known;
    const EntryRow *row = find(name, version, flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &known);
    *function = row != NULL ? addressOf(row->function) : NULL;
    if (status != NULL)
        *status = row != NULL ? CU_GET_PROC_ADDRESS_SUCCESS
                  : known     ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                              : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return CUDA_SUCCESS;
}

/* The older version has no status: it returns CUDA_ERROR_NOT_FOUND and leaves the output alone. */
static CUresult lookUpPlain(const char *name, void **function, int version, cuuint64_t flags)
{
    void *found = NULL;
    const CUresult result = lookUp(name, function == NULL ? NULL : &found, version, flags, NULL);
    if (result != CUDA_SUCCESS)
        return result;
    if (found == NULL)
        return CUDA_ERROR_NOT_FOUND;
    *function = found;
    return CUDA_SUCCESS;
}

API(cuGetProcAddress_v2,
    (const char *name, void **function, int version, cuuint64_t flags, CUdriverProcAddressQueryResult *status),
    lookUp(name, function, version, flags, status))
API(cuGetProcAddress, (const char *name, void **function, int version, cuuint64_t flags),
    lookUpPlain(name, function, version, flags))
