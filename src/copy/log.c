/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who hears of a failure: the handler that the program has set, and stderr if CUCOPY_LOG asks for it. Nothing here
 * waits for another thread, so it is safe in a child forked at any moment.
 */
#include "copy/failure.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(_MSC_VER)
#define THREAD_LOCAL __declspec(thread)
#else
#define THREAD_LOCAL _Thread_local
#endif

static THREAD_LOCAL int reporting;

/* A handler with its user pointer. Kept for good, since a thread may be about to call it. */
struct listener {
    const struct listener *older;
    cucopyFailureHandler handler;
    void *user;
};

static _Atomic(const struct listener *) newest; /* all that were ever set, linked */
static _Atomic(const struct listener *) listening;

CUresult cucopySetFailureHandler(cucopyFailureHandler handler, void *user)
{
    const struct listener *found = handler ? atomic_load(&newest) : NULL;
    while (found && (found->handler != handler || found->user != user))
        found = found->older;
    if (handler && !found) {
        struct listener *const added = malloc(sizeof(*added));
        if (!added)
            return CUDA_ERROR_OUT_OF_MEMORY;
        *added = (struct listener){.older = atomic_load(&newest), .handler = handler, .user = user};
        while (!atomic_compare_exchange_weak(&newest, &added->older, added)) {
        }
        found = added;
    }
    atomic_store(&listening, found);
    return CUDA_SUCCESS;
}

enum logMode { LOG_UNREAD, LOG_NONE, LOG_ONCE, LOG_ALL };

static enum logMode logMode(void)
{
    static _Atomic int known = LOG_UNREAD;
    int mode = atomic_load_explicit(&known, memory_order_relaxed);
    if (mode == LOG_UNREAD) {
        const char *const value = getenv("CUCOPY_LOG"); /* NOLINT(concurrency-mt-unsafe) */
        mode = !value || !*value || strcmp(value, "0") == 0 ? LOG_NONE : strcmp(value, "all") == 0 ? LOG_ALL : LOG_ONCE;
        atomic_store_explicit(&known, mode, memory_order_relaxed);
    }
    return (enum logMode)mode;
}

/* FNV-1a */
static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *const at = bytes;
    for (size_t i = 0; i < size; ++i)
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    return hash;
}

/* 1 the first time for a kind of failure at its place; -1, once, when there is no room to remember more; then 0. */
static int isNew(const cucopyFailure *failure)
{
    enum { ROOM = 1024 };
    static _Atomic uint64_t seen[ROOM];
    static atomic_flag full = ATOMIC_FLAG_INIT;
    uint64_t key = mix(UINT64_C(14695981039346656037), failure->function, strlen(failure->function));
    key = mix(key, &failure->step, sizeof(failure->step));
    key = mix(key, &failure->result, sizeof(failure->result));
    key = mix(key, &failure->caller, sizeof(failure->caller)) | 1;
    for (size_t i = 0; i < ROOM; ++i) {
        uint64_t found = 0;
        if (atomic_compare_exchange_strong(&seen[(key / 2 + i) % ROOM], &found, key))
            return 1;
        if (found == key)
            return 0;
    }
    return atomic_flag_test_and_set(&full) ? 0 : -1;
}

/* In one write, so that the lines of several threads do not mix. */
static void print(const cucopyFailure *failure)
{
    char text[4096];
    (void)cucopyExplain(failure, text, sizeof(text));
    (void)fputs(text, stderr);
}

void cucopyReport(const cucopyFailure *failure)
{
    if (reporting)
        return;
    reporting = 1;
    const enum logMode mode = logMode();
    const int news = mode == LOG_ALL ? 1 : mode == LOG_ONCE ? isNew(failure) : 0;
    if (news > 0)
        print(failure);
    else if (news < 0)
        (void)fputs("cucopy: too many different failures to tell them apart; CUCOPY_LOG=all prints all.\n", stderr);
    const struct listener *const listener = atomic_load(&listening);
    if (listener)
        listener->handler(failure, listener->user);
    reporting = 0;
}
