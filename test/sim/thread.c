/* SPDX-License-Identifier: Apache-2.0 */
#include "thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_ulong epoch = 1;
static atomic_ulong threads;
static pthread_key_t atThreadEnd;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local Thread self;

static void freeStack(void *stackOwner)
{
    Thread *thread = stackOwner;
    free(thread->stack);
    thread->stack = NULL;
    thread->depth = thread->capacity = 0;
}

static void makeKey(void)
{
    pthread_key_create(&atThreadEnd, freeStack);
}

Thread *threadSelf(void)
{
    const unsigned long now = atomic_load_explicit(&epoch, memory_order_relaxed);
    if (self.epoch == now)
        return &self;
    if (self.id == 0) {
        pthread_once(&once, makeKey);
        pthread_setspecific(atThreadEnd, &self);
        self.id = atomic_fetch_add(&threads, 1) + 1;
    }
    self.epoch = now;
    self.depth = 0;
    self.captureMode = 0;
    self.entry = -1;
    return &self;
}

void threadResetAll(void)
{
    atomic_fetch_add(&epoch, 1);
}
