/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of cusim.h, kernels apart. */
#include "cusim.h"

#include "check.h"
#include "context.h"
#include "device.h"
#include "exec.h"
#include "kernels.h"
#include "memory.h"
#include "settings.h"
#include "stream.h"
#include "thread.h"
#include "vmm.h"

#include <string.h>

static void enter(void)
{
    pthread_mutex_lock(&driverMutex);
    settingsLoad();
}

static void leave(void)
{
    pthread_mutex_unlock(&driverMutex);
}

void cusimSetDevices(int count)
{
    enter();
    settings.devices = count < 0 ? 0 : count > MAX_DEVICES ? MAX_DEVICES : count;
    leave();
}

void cusimSetDriverVersion(int version)
{
    enter();
    settings.version = version;
    leave();
}

void cusimMissing(const char *names)
{
    enter();
    gateMissing(names);
    leave();
}

static void findAny(Range *range, void *data)
{
    *(Range **)data = range;
}

static void freeEverything(void)
{
    for (;;) {
        Range *range = NULL;
        rangeEach(findAny, &range);
        if (range == NULL)
            return;
        memoryFree(range);
    }
}

void cusimReset(void)
{
    enter();
    execLetGoEntirely();
    execWaitAll();
    freeEverything();
    vmmReset();
    objectReset();
    rangeReset();
    deviceReset();
    contextResetIds();
    threadResetAll();
    kernelsReset();
    checkReset();
    gateReset();
    settingsForget();
    leave();
}

unsigned long cusimCalls(const char *symbol)
{
    return gateCalls(symbol);
}

size_t cusimRecentCalls(const char **symbols, size_t most)
{
    return gateRecentCalls(symbols, most);
}

void cusimResetCalls(void)
{
    gateResetCalls();
}

void cusimFail(const char *name, unsigned long nth, int code, bool onwards)
{
    enter();
    gateFail(name, nth, code, onwards);
    leave();
}

void cusimFailClear(void)
{
    enter();
    gateFailClear();
    leave();
}

void cusimHold(void)
{
    enter();
    execHold();
    leave();
}

void cusimRelease(void)
{
    enter();
    execLetGo();
    leave();
}

size_t cusimPending(void)
{
    enter();
    const size_t pending = execPending();
    leave();
    return pending;
}

size_t cusimLiveHandles(const char *name)
{
    enter();
    size_t count = 0;
    for (int kind = 0; kind < OBJECT_KINDS; kind++) {
        if (name == NULL || strcmp(objectKindName((ObjectKind)kind), name) == 0)
            count += objectCount((ObjectKind)kind);
    }
    leave();
    return count;
}

static void countOne(Range *range, void *data)
{
    (void)range;
    ++*(size_t *)data;
}

size_t cusimLiveAllocations(void)
{
    enter();
    size_t count = 0;
    rangeEach(countOne, &count);
    leave();
    return count;
}
