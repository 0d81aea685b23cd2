/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cucopy-bench instructions: what the library adds to a driver call.
 *
 * Each measured loop runs in a process of its own under callgrind, once with some rounds and once with twice as many;
 * the difference is what one round costs, to the instruction, with everything that happens once taken out. What the
 * driver itself does is measured the same way, through pointers that dlsym gave, and subtracted. The copies are of 0
 * bytes, so that no thread of the driver's has work. Allocations are counted where the library is linked in
 * (--wrap=malloc).
 *
 * The exit status is 1 if a figure is above its limit, 77 (skipped) where callgrind cannot run.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <cucopy/copy.h>
#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

enum { rawLimit = 8, safeLimit = 80, roundsOnce = 1000 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* ---- Allocations of what is linked into this program ---- */

static unsigned long allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    allocations++;
    return __real_realloc(old, size);
}

/* ---- The loops, in the child ---- */

static CUstream stream;
static CUcontext context;

/* The driver's own functions, as a program that links libcuda calls them. */
static CUresult(CUDAAPI *driverCopy)(CUdeviceptr, CUdeviceptr, size_t, CUstream);
static CUresult(CUDAAPI *driverStreamGetCtx)(CUstream, CUcontext *);
static CUresult(CUDAAPI *driverGetCurrent)(CUcontext *);

static CUresult nothing(void)
{
    return CUDA_SUCCESS;
}

static CUresult (*volatile nothingAtAll)(void) = nothing;

#define LOOP(name, call)                                                                                               \
    static CUresult name(long rounds)                                                                                  \
    {                                                                                                                  \
        CUresult result = CUDA_SUCCESS;                                                                                \
        for (long i = 0; i < rounds && result == CUDA_SUCCESS; i++)                                                    \
            result = call;                                                                                             \
        return result;                                                                                                 \
    }
LOOP(loopNothing, nothingAtAll())
LOOP(loopDriver, driverCopy(0, 0, 0, stream))
LOOP(loopGetCtx, driverStreamGetCtx(stream, &context))
LOOP(loopGetCurrent, driverGetCurrent(&context))
LOOP(loopRaw, cudrvMemcpyAsync(0, 0, 0, stream))
LOOP(loopSafe, cucopyMemcpyAsync(0, 0, 0, stream))
LOOP(loopRawSpecial, cudrvMemcpyAsync(0, 0, 0, NULL))
LOOP(loopSafeSpecial, cucopyMemcpyAsync(0, 0, 0, NULL))
#undef LOOP

enum {
    LOOP_NOTHING,
    LOOP_DRIVER,
    LOOP_GETCTX,
    LOOP_GETCURRENT,
    LOOP_RAW,
    LOOP_SAFE,
    LOOP_RAW_SPECIAL,
    LOOP_SAFE_SPECIAL,
    loopCount
};
static CUresult (*const loops[loopCount])(long) = {loopNothing, loopDriver, loopGetCtx,     loopGetCurrent,
                                                   loopRaw,     loopSafe,   loopRawSpecial, loopSafeSpecial};

static int findDriver(void)
{
    void *const driver = cudrvLoad(NULL) == CUDA_SUCCESS ? dlopen(cudrvPath(), RTLD_NOW | RTLD_NOLOAD) : NULL;
    void *const copy = driver ? dlsym(driver, "cuMemcpyAsync") : NULL;
    void *const getCtx = driver ? dlsym(driver, "cuStreamGetCtx") : NULL;
    void *const getCurrent = driver ? dlsym(driver, "cuCtxGetCurrent") : NULL;
    memcpy(&driverCopy, &copy, sizeof(copy));
    memcpy(&driverStreamGetCtx, &getCtx, sizeof(getCtx));
    memcpy(&driverGetCurrent, &getCurrent, sizeof(getCurrent));
    return copy && getCtx && getCurrent;
}

/* Run one loop; exits 0 if every call succeeded and nothing of ours allocated. */
static int child(int loop, long rounds)
{
    CUdevice device = 0;
    if (!findDriver() || cudrvInit(0) != CUDA_SUCCESS || cudrvDeviceGet(&device, 0) != CUDA_SUCCESS ||
        cudrvCtxCreate_v3020(&context, 0, device) != CUDA_SUCCESS ||
        cudrvStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
        return 3;
    const unsigned long before = allocations;
    const CUresult result = loops[loop](rounds);
    if (allocations != before)
        return 4;
    return result == CUDA_SUCCESS ? 0 : 5;
}

/* ---- The parent ---- */

/* Instructions of a child from start to end; a negative number says why there is none. */
static long long run(int loop, long rounds)
{
    char file[] = "/tmp/cucopy-bench-XXXXXX";
    const int fd = mkstemp(file);
    if (fd < 0)
        return -1;
    (void)close(fd);
    char out[64], which[16], how[32], self[4096];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[length > 0 ? length : 0] = '\0';
    (void)snprintf(out, sizeof(out), "--callgrind-out-file=%s", file);
    (void)snprintf(which, sizeof(which), "%d", loop);
    (void)snprintf(how, sizeof(how), "%ld", rounds);
    char *const arguments[] = {"valgrind",     "--tool=callgrind", "-q",  out, self,
                               "instructions", "--loop",           which, how, NULL};
    pid_t pid = 0;
    int status = 0;
    long long counted = -1;
    if (posix_spawnp(&pid, "valgrind", NULL, NULL, arguments, environ) == 0 && waitpid(pid, &status, 0) == pid) {
        FILE *const result = fopen(file, "r");
        char line[256];
        while (result && fgets(line, sizeof(line), result))
            if (!strncmp(line, "summary: ", 9))
                counted = strtoll(line + 9, NULL, 10);
        if (result)
            (void)fclose(result);
        if (!WIFEXITED(status) || WEXITSTATUS(status))
            counted = -100 - (WIFEXITED(status) ? WEXITSTATUS(status) : 0);
    }
    (void)unlink(file);
    return counted;
}

/* What one round costs, less the loop around it. */
static double cost(int loop)
{
    const long long once = run(loop, roundsOnce);
    const long long twice = run(loop, 2L * roundsOnce);
    if (once < 0 || twice < 0) {
        (void)fprintf(stderr, "cucopy-bench: loop %d failed under callgrind (%lld)\n", loop, once < 0 ? once : twice);
        exit(1); /* NOLINT(concurrency-mt-unsafe) */
    }
    return (double)(twice - once) / roundsOnce;
}

static int line(const char *what, double added, int limit)
{
    (void)printf("%-58s %7.2f   at most %3d   %s\n", what, added, limit, added <= limit ? "ok" : "TOO MANY");
    return added <= limit;
}

int benchInstructions(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "--loop"))
        return child(atoi(argv[2]), atol(argv[3])); /* NOLINT(cert-err34-c): our own arguments */
    if (argc != 1) {
        (void)fprintf(stderr, "usage: cucopy-bench instructions\n");
        return 2;
    }
    if (SANITIZED ||
        system("valgrind --version >/dev/null 2>&1") != 0) { /* NOLINT(cert-env33-c,concurrency-mt-unsafe) */
        (void)printf("skipped: %s\n", SANITIZED ? "callgrind cannot run a sanitized program" : "there is no valgrind");
        return 77;
    }
    const double empty = cost(LOOP_NOTHING);
    const double driver = cost(LOOP_DRIVER);
    const double raw = cost(LOOP_RAW);
    const double safe = cost(LOOP_SAFE);
    const double special = cost(LOOP_SAFE_SPECIAL) - cost(LOOP_RAW_SPECIAL);
    /* What the driver does in the two queries: their loops, without what a loop and a call cost by themselves. */
    const double queries = cost(LOOP_GETCTX) + cost(LOOP_GETCURRENT) - 2 * empty;
    (void)printf("Instructions that the library adds to a call of the driver, its own calls apart\n\n");
    int ok = line("raw: cudrvMemcpyAsync over cuMemcpyAsync", raw - driver, rawLimit);
    ok &= line("safe: cucopyMemcpyAsync over raw, context current", safe - raw - queries, safeLimit);
    ok &= line("safe: cucopyMemcpyAsync over raw, special stream", special, safeLimit);
    (void)printf("\nAllocations in any of them: 0\n");
    return ok ? 0 : 1;
}
