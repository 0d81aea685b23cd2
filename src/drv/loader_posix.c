/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dynamic loader of Linux. The driver is libcuda.so.1 and goes by no other name; libcuda.so is for linking.
 */
#define _GNU_SOURCE /* dlinfo */
#include "drv/table.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

void *cudrvLibraryOpen(const char *path, char *error, size_t size)
{
    void *const library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *const reason = dlerror(); /* the calling thread's own */ /* NOLINT(concurrency-mt-unsafe) */
        (void)snprintf(error, size, "%s", reason ? reason : "dlopen gave no reason");
    }
    return library;
}

void cudrvLibraryClose(void *library)
{
    (void)dlclose(library);
}

int cudrvLibrarySymbol(void *library, const char *symbol, void *function)
{
    void *const address = dlsym(library, symbol);
    if (address)
        memcpy(function, &address, sizeof(address));
    return address != NULL;
}

int cudrvLibraryIs(void *library, const char *path)
{
    void *const found = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (found)
        (void)dlclose(found);
    return found == library;
}

int cudrvLibraryPath(void *library, char *path, size_t size)
{
    const struct link_map *map = NULL;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) || !map || !map->l_name)
        return 0;
    const int length = snprintf(path, size, "%s", map->l_name);
    return length > 0 && (size_t)length < size;
}
