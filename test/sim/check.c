/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "object.h"
#include "range.h"
#include "settings.h"

#include <stdarg.h>
#include <stdio.h>

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

static void sayHandle(void *memory, void *data)
{
    (void)data;
    const Object *object = memory;
    if (!object->internal)
        checkSay("%s %p is still alive at exit", objectKindName(object->kind), memory);
}

static void sayRange(Range *range, void *data)
{
    static const char *const names[] = {
        [RANGE_DEVICE] = "device memory",    [RANGE_POOL] = "pool memory",       [RANGE_GRAPH] = "graph memory",
        [RANGE_MAPPED] = "mapped memory",    [RANGE_MANAGED] = "managed memory", [RANGE_PINNED] = "pinned memory",
        [RANGE_REGISTERED] = "registration",
    };
    (void)data;
    checkSay("%s %p of %zu bytes is still alive at exit", names[range->kind], (void *)range->base, range->size);
}

void checkHandlesAtExit(void)
{
    if (!settings.check)
        return;
    for (int kind = 0; kind < OBJECT_KINDS; kind++)
        objectEach((ObjectKind)kind, sayHandle, NULL);
    rangeEach(sayRange, NULL);
}
