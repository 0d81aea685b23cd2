/* SPDX-License-Identifier: Apache-2.0 */
#include "exec.h"

#include "device.h"
#include "object.h"
#include "thread.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

/* How long the engine leaves new work alone when nobody waits for it. */
enum { LINGER_NS = 1000000, CACHED_OPS = 256 };

struct Op {
    Work work;
    Context *context;
    unsigned references;
    unsigned long long order;
    unsigned long long finished;
    bool issued, done;
    size_t waitsFor;
    Op **dependents;
    size_t dependentCount, dependentCapacity;
    Op *nextReady;
    Op *previousPending, *nextPending; /* all that is issued and not done, in order */
};

static pthread_cond_t engineWake; /* of the monotonic clock */
static pthread_cond_t runnerWake = PTHREAD_COND_INITIALIZER;
static pthread_cond_t someDone = PTHREAD_COND_INITIALIZER;
static pthread_t engineThread;
static bool engineRuns, stopping;

static Op *firstReady, *lastReady;     /* in order of issue */
static Op *firstForeign, *lastForeign; /* for the runners, first come first served */
static Op *firstPending, *lastPending;
static size_t pendingCount, foreignCount, idleRunners, waiters, holds;
static bool hurry;
static unsigned long long lingerUntil, nextOrder;

/* Finished operations for reuse, so that a steady stream of copies allocates nothing. */
static Op *cache[CACHED_OPS];
static size_t cached;

static unsigned long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (unsigned long long)time.tv_sec * 1000000000u + (unsigned long long)time.tv_nsec;
}

Op *opCreate(Context *context, Work *work)
{
    Op *op = cached > 0 ? cache[--cached] : memoryNew(1, sizeof *op);
    Op **dependents = op->dependents;
    const size_t capacity = op->dependentCapacity;
    *op = (Op){
        .work = *work, .context = context, .references = 1, .dependents = dependents, .dependentCapacity = capacity};
    *work = (Work){.kind = WORK_NOTHING};
    return op;
}

Op *opRetain(Op *op)
{
    op->references++;
    return op;
}

void opRelease(Op *op)
{
    if (op == NULL || --op->references > 0)
        return;
    workDispose(&op->work);
    if (cached < CACHED_OPS) {
        cache[cached++] = op;
        return;
    }
    free(op->dependents);
    free(op);
}

void opAfter(Op *op, Op *earlier)
{
    if (earlier == NULL || earlier->done)
        return;
    if (earlier->dependentCount == earlier->dependentCapacity) {
        earlier->dependentCapacity = earlier->dependentCapacity * 2 + 2;
        earlier->dependents = memoryResize(earlier->dependents, earlier->dependentCapacity, sizeof(Op *));
    }
    earlier->dependents[earlier->dependentCount++] = opRetain(op);
    op->waitsFor++;
}

/* Nearly always at the end: what becomes ready is mostly what was issued last. */
static void makeReady(Op *op)
{
    Op **link = &firstReady;
    if (lastReady != NULL && lastReady->order < op->order)
        link = &lastReady->nextReady;
    while (*link != NULL && (*link)->order < op->order)
        link = &(*link)->nextReady;
    op->nextReady = *link;
    *link = op;
    if (op->nextReady == NULL)
        lastReady = op;
}

static Op *takeReady(void)
{
    Op *op = firstReady;
    firstReady = op->nextReady;
    if (firstReady == NULL)
        lastReady = NULL;
    op->nextReady = NULL;
    return op;
}

static void finish(Op *op)
{
    op->done = true;
    op->finished = now();
    if (op->previousPending != NULL)
        op->previousPending->nextPending = op->nextPending;
    else
        firstPending = op->nextPending;
    if (op->nextPending != NULL)
        op->nextPending->previousPending = op->previousPending;
    else
        lastPending = op->previousPending;
    pendingCount--;
    for (size_t i = 0; i < op->dependentCount; i++) {
        Op *dependent = op->dependents[i];
        if (--dependent->waitsFor == 0 && dependent->issued)
            makeReady(dependent);
        opRelease(dependent);
    }
    op->dependentCount = 0;
    workDispose(&op->work);
    if (firstReady != NULL)
        pthread_cond_signal(&engineWake);
    pthread_cond_broadcast(&someDone);
    opRelease(op);
}

/* Signals are for the program's own threads. */
static pthread_t startThread(void *(*run)(void *))
{
    sigset_t all;
    sigset_t before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, run, NULL) != 0)
        crash("the process cannot have another thread");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return thread;
}

static void *runForeignWork(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&driverMutex);
    while (!stopping) {
        Op *op = firstForeign;
        if (op == NULL) {
            idleRunners++;
            pthread_cond_wait(&runnerWake, &driverMutex);
            idleRunners--;
            continue;
        }
        firstForeign = op->nextReady;
        if (firstForeign == NULL)
            lastForeign = NULL;
        op->nextReady = NULL;
        foreignCount--;
        const bool callback = op->work.kind != WORK_KERNEL;
        pthread_mutex_unlock(&driverMutex);
        threadSelf()->inCallback = callback;
        workPerform(&op->work);
        threadSelf()->inCallback = false;
        pthread_mutex_lock(&driverMutex);
        finish(op);
    }
    pthread_mutex_unlock(&driverMutex);
    return NULL;
}

static void handToRunner(Op *op)
{
    if (lastForeign != NULL)
        lastForeign->nextReady = op;
    else
        firstForeign = op;
    lastForeign = op;
    foreignCount++;
    if (idleRunners >= foreignCount) {
        pthread_cond_signal(&runnerWake);
        return;
    }
    pthread_detach(startThread(runForeignWork));
}

static void lingerOrWait(void)
{
    if (firstReady == NULL || holds > 0) {
        hurry = hurry && firstReady != NULL;
        pthread_cond_wait(&engineWake, &driverMutex);
        return;
    }
    const struct timespec until = {.tv_sec = (time_t)(lingerUntil / 1000000000u),
                                   .tv_nsec = (long)(lingerUntil % 1000000000u)};
    pthread_cond_timedwait(&engineWake, &driverMutex, &until);
}

static void *runEngine(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&driverMutex);
    while (!stopping) {
        if (firstReady == NULL || holds > 0 || (waiters == 0 && !hurry && now() < lingerUntil)) {
            lingerOrWait();
            continue;
        }
        Op *op = takeReady();
        const bool dead = op->context != NULL && deviceError(op->context->device) != CUDA_SUCCESS;
        if (workIsForeign(&op->work) && !dead) {
            handToRunner(op);
            continue;
        }
        if (workWantsLock(&op->work)) {
            workPerform(&op->work);
        } else if (!dead) {
            pthread_mutex_unlock(&driverMutex);
            workPerform(&op->work);
            pthread_mutex_lock(&driverMutex);
        }
        finish(op);
    }
    pthread_mutex_unlock(&driverMutex);
    return NULL;
}

static void startEngine(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&engineWake, &attributes);
    pthread_condattr_destroy(&attributes);
    engineThread = startThread(runEngine);
    engineRuns = true;
}

void opIssue(Op *op)
{
    if (!engineRuns)
        startEngine();
    op->order = nextOrder++;
    op->issued = true;
    opRetain(op);
    op->previousPending = lastPending;
    if (lastPending != NULL)
        lastPending->nextPending = op;
    else
        firstPending = op;
    lastPending = op;
    pendingCount++;
    if (op->waitsFor > 0)
        return;
    if (firstReady == NULL) {
        lingerUntil = now() + LINGER_NS;
        pthread_cond_signal(&engineWake);
    }
    makeReady(op);
}

void execAfterEverything(Work *work)
{
    if (pendingCount == 0) {
        workPerform(work);
        workDispose(work);
        return;
    }
    Op *op = opCreate(NULL, work);
    for (Op *pending = firstPending; pending != NULL; pending = pending->nextPending)
        opAfter(op, pending);
    opIssue(op);
    opRelease(op);
}

bool opIsDone(const Op *op)
{
    return op->done;
}

unsigned long long opFinishTime(const Op *op)
{
    return op->finished;
}

static void waitForSome(void)
{
    waiters++;
    pthread_cond_signal(&engineWake);
    pthread_cond_wait(&someDone, &driverMutex);
    waiters--;
}

void opWait(Op *op)
{
    opRetain(op);
    while (!op->done)
        waitForSome();
    opRelease(op);
}

static bool isOf(const Op *op, const Context *context, int device)
{
    return (context == NULL || op->context == context) &&
           (device < 0 || (op->context != NULL && op->context->device == device));
}

/* NULL and -1 stand for any. */
static void waitFor(const Context *context, int device)
{
    const unsigned long long end = nextOrder;
    for (Op *op = lastPending; op != NULL;) {
        if (op->order < end && isOf(op, context, device)) {
            opWait(op);
            op = lastPending;
        } else {
            op = op->previousPending;
        }
    }
}

void execWaitContext(const Context *context)
{
    waitFor(context, -1);
}

void execWaitDevice(int device)
{
    waitFor(NULL, device);
}

void execWaitAll(void)
{
    waitFor(NULL, -1);
}

void execHurry(void)
{
    hurry = true;
    if (engineRuns)
        pthread_cond_signal(&engineWake);
    /* Polling is not to starve the engine of the lock. */
    pthread_mutex_unlock(&driverMutex);
    sched_yield();
    pthread_mutex_lock(&driverMutex);
}

void execHold(void)
{
    holds++;
}

void execLetGo(void)
{
    if (holds > 0)
        holds--;
    if (engineRuns)
        pthread_cond_signal(&engineWake);
}

void execLetGoEntirely(void)
{
    while (holds > 0)
        execLetGo();
}

size_t execPending(void)
{
    return pendingCount;
}

void execForked(void)
{
    engineRuns = false;
    idleRunners = waiters = 0;
    /* The conditions remember threads that waited in the parent; engineWake is made anew with the engine. */
    runnerWake = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    someDone = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

void execStop(void)
{
    stopping = true;
    if (!engineRuns)
        return;
    engineRuns = false;
    pthread_cond_broadcast(&engineWake);
    pthread_cond_broadcast(&runnerWake);
    pthread_mutex_unlock(&driverMutex);
    pthread_join(engineThread, NULL);
    pthread_mutex_lock(&driverMutex);
}
