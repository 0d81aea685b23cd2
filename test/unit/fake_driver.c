/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small drivers for the loader's tests, several libraries from this one file:
 *   FAKE_LOOKUP 0  plain symbols only, as before 11.3
 *   FAKE_LOOKUP 1  cuGetProcAddress with four parameters, as in 11.3 to 11.8
 *   FAKE_LOOKUP 2  cuGetProcAddress_v2
 *   FAKE_EMPTY     no driver, only a library
 *   FAKE_STUB      everything answers CUDA_ERROR_STUB_LIBRARY, as the toolkit's library for linking does
 * Each function returns a code of its own, so that a test knows what its call reached. The plain symbols of a library
 * that has a lookup function return another code: nobody should call those.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "fake_driver.h"

#ifdef FAKE_EMPTY
#define EXPORT __attribute__((visibility("hidden")))
#else
#define EXPORT __attribute__((visibility("default")))
#endif

#ifdef FAKE_STUB
#define ANSWER(code) 34
#elif FAKE_LOOKUP
#define ANSWER(code) FAKE_PLAIN_SYMBOL
#else
#define ANSWER(code) (code)
#endif

EXPORT int cuDriverGetVersion(int *version);
EXPORT int cuMemcpyAsync(uint64_t dst, uint64_t src, size_t size, void *stream);
EXPORT int cuMemcpyAsync_ptsz(uint64_t dst, uint64_t src, size_t size, void *stream);
EXPORT int cuMemAlloc_v2(uint64_t *pointer, size_t size);

int cuDriverGetVersion(int *version)
{
    *version = 11020;
    return ANSWER(0);
}

int cuMemcpyAsync(uint64_t dst, uint64_t src, size_t size, void *stream)
{
    return (void)dst, (void)src, (void)size, (void)stream, ANSWER(FAKE_LEGACY);
}

int cuMemcpyAsync_ptsz(uint64_t dst, uint64_t src, size_t size, void *stream)
{
    return (void)dst, (void)src, (void)size, (void)stream, ANSWER(FAKE_PER_THREAD);
}

int cuMemAlloc_v2(uint64_t *pointer, size_t size)
{
    return (void)pointer, (void)size, ANSWER(FAKE_ALLOC);
}

#if FAKE_LOOKUP
static int legacy(uint64_t dst, uint64_t src, size_t size, void *stream)
{
    return (void)dst, (void)src, (void)size, (void)stream, FAKE_LEGACY;
}

static int perThread(uint64_t dst, uint64_t src, size_t size, void *stream)
{
    return (void)dst, (void)src, (void)size, (void)stream, FAKE_PER_THREAD;
}

static int alloc(uint64_t *pointer, size_t size)
{
    return (void)pointer, (void)size, FAKE_ALLOC;
}

/* Strict about what is asked, as drivers are: the flag picks the variant, and a version of 0 or too new an one nothing.
 */
static int find(const char *symbol, void **function, int version, uint64_t flags)
{
    int (*copy)(uint64_t, uint64_t, size_t, void *) = flags == 2 ? perThread : legacy;
    int (*allocate)(uint64_t *, size_t) = alloc;
    if (version > 13000)
        return 1; /* CUDA_ERROR_INVALID_VALUE, and *function untouched */
    if (!strcmp(symbol, "cuMemcpyAsync") && ((flags == 1 && version >= 4000) || (flags == 2 && version >= 7000)))
        memcpy(function, &copy, sizeof(copy));
    else if (!strcmp(symbol, "cuMemAlloc") && flags == 1 && version >= 3020)
        memcpy(function, &allocate, sizeof(allocate));
    else
        return 500; /* CUDA_ERROR_NOT_FOUND */
    return 0;
}

#if FAKE_LOOKUP == 1
EXPORT int cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags);
int cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags)
{
#ifdef FAKE_STUB
    return (void)find, (void)symbol, (void)function, (void)version, (void)flags, 34;
#else
    return find(symbol, function, version, flags);
#endif
}
#else
EXPORT int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status);
int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status)
{
#ifdef FAKE_STUB
    return (void)find, (void)symbol, (void)function, (void)version, (void)flags, (void)status, 34;
#else
    const int result = find(symbol, function, version, flags);
    *status = result == 0 ? 0 : 1;
    return result == 500 ? 0 : result;
#endif
}
#endif
#endif
