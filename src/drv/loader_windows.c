/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dynamic loader of Windows. The driver is nvcuda.dll, taken from the system folder and from nowhere else unless
 * the caller names a path.
 */
#include "drv/table.h"

#include <windows.h>

#include <stdio.h>
#include <string.h>

void *cudrvLibraryOpen(const char *path, char *error, size_t size)
{
    const HMODULE library =
        path ? LoadLibraryA(path) : LoadLibraryExA("nvcuda.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    if (!library)
        (void)snprintf(error, size, "%s: Windows error %lu", path ? path : "nvcuda.dll", GetLastError());
    return (void *)library;
}

void cudrvLibraryClose(void *library)
{
    (void)FreeLibrary((HMODULE)library);
}

int cudrvLibrarySymbol(void *library, const char *symbol, void *function)
{
    const FARPROC address = GetProcAddress((HMODULE)library, symbol);
    if (address)
        memcpy(function, &address, sizeof(address));
    return address != NULL;
}

int cudrvLibraryIs(void *library, const char *path)
{
    return GetModuleHandleA(path) == (HMODULE)library;
}

int cudrvLibraryPath(void *library, char *path, size_t size)
{
    const DWORD length = GetModuleFileNameA((HMODULE)library, path, (DWORD)size);
    return length > 0 && length < size;
}
