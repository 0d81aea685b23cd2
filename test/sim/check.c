/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "settings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { REMEMBERED = 1024 };

/* The last ranges that ended, with what they were; the next goes to the place of the oldest. */
static Range ended[REMEMBERED];
static size_t nextEnded;

static const char *const kinds[] = {
    [RANGE_DEVICE] = "device memory",      [RANGE_POOL] = "pool memory",       [RANGE_GRAPH] = "graph memory",
    [RANGE_MAPPED] = "mapped memory",      [RANGE_MANAGED] = "managed memory", [RANGE_PINNED] = "pinned memory",
    [RANGE_REGISTERED] = "a registration",
};

void checkSay(const char *format, ...)
{
    if (!settings.check)
        return;
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    say("check: %s", text);
}

void *checkFind(const void *handle, ObjectKind kind)
{
    void *object = objectFind(handle, kind);
    if (object == NULL)
        checkSay("%p %s %s", handle, objectIsDestroyed(handle, kind) ? "is a destroyed" : "is no",
                 objectKindName(kind));
    return object;
}

void checkRemember(const Range *range)
{
    if (!settings.check)
        return;
    ended[nextEnded] = *range;
    nextEnded = (nextEnded + 1) % REMEMBERED;
}

void checkUnknownMemory(uintptr_t address)
{
    if (!settings.check)
        return;
    const Range *known = rangeFind(address);
    if (known != NULL) {
        checkSay("%p is inside %s that begins at %p", (void *)address, kinds[known->kind], (void *)known->base);
        return;
    }
    for (size_t i = 0; i < REMEMBERED; i++) {
        const Range *range = &ended[(nextEnded + REMEMBERED - 1 - i) % REMEMBERED];
        if (address >= range->base && address - range->base < range->size) {
            checkSay("%p is in %s of %zu bytes at %p, which was freed", (void *)address, kinds[range->kind],
                     range->size, (void *)range->base);
            return;
        }
    }
    checkSay("%p is a wild pointer: CUDA knows no memory there", (void *)address);
}

static void sayHandle(void *memory, void *data)
{
    (void)data;
    const Object *object = memory;
    if (!object->internal)
        checkSay("%s %p is still alive at exit", objectKindName(object->kind), memory);
}

static void sayRange(Range *range, void *data)
{
    (void)data;
    checkSay("%s at %p of %zu bytes is still there at exit", kinds[range->kind], (void *)range->base, range->size);
}

void checkHandlesAtExit(void)
{
    if (!settings.check)
        return;
    for (int kind = 0; kind < OBJECT_KINDS; kind++)
        objectEach((ObjectKind)kind, sayHandle, NULL);
    rangeEach(sayRange, NULL);
}

void checkReset(void)
{
    memset(ended, 0, sizeof ended);
    nextEnded = 0;
}
