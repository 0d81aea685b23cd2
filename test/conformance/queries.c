/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the driver answers when it is asked: about streams under each current context, about each kind of memory.
 */
#include "sections.h"
#include "world.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *contextName(CUcontext context)
{
    if (!context)
        return "NULL";
    for (size_t i = 1; i < world.placeCount; i++)
        if (world.places[i].context == context)
            return world.places[i].name;
    return "another";
}

/* Outputs begin as something that is no answer, so that what stays as it was shows. */
#define UNTOUCHED ((void *)(uintptr_t)0x5a5a5a50)

static void askContext(CUstream stream)
{
    CUcontext context = UNTOUCHED;
    const CUresult result = cudrvStreamGetCtx(stream, &context);
    if (result != CUDA_SUCCESS)
        answer("%s%s", resultName(result), context == UNTOUCHED ? "" : ", output touched");
    else
        answer("%s", contextName(context));
}

static void askBothContexts(CUstream stream)
{
    CUcontext context = UNTOUCHED;
    CUgreenCtx green = UNTOUCHED;
    const CUresult result = cudrvStreamGetCtx_v2(stream, &context, &green);
    if (result != CUDA_SUCCESS)
        answer("%s%s", resultName(result), context == UNTOUCHED && green == UNTOUCHED ? "" : ", outputs touched");
    else
        answer("%s, green context %s", contextName(context),
               !green                 ? "NULL"
               : green == world.green ? "that of G"
               : green == UNTOUCHED   ? "untouched"
                                      : "another");
}

static void askDevice(CUstream stream)
{
    CUdevice device = -1;
    const CUresult result = cudrvStreamGetDevice(stream, &device);
    if (result != CUDA_SUCCESS)
        answer("%s%s", resultName(result), device == -1 ? "" : ", output touched");
    else
        answer("device %d", device);
}

/* Numbers mean nothing, but which streams share one does: told is the first stream and current that had it. */
static void askId(CUstream stream, const char *name, const char *current)
{
    static struct {
        unsigned long long id;
        char first[32];
    } seen[64];
    static size_t count;
    unsigned long long id = 0;
    const CUresult result = cudrvStreamGetId(stream, &id);
    if (result != CUDA_SUCCESS) {
        answer("%s%s", resultName(result), id == 0 ? "" : ", output touched");
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (seen[i].id == id) {
            answer("that of %s", seen[i].first);
            return;
        }
    (void)snprintf(seen[count].first, sizeof(seen[count].first), "%s with %s current", name, current);
    seen[count].id = id;
    answer("that of %s", seen[count].first);
    count++;
}

static void askStream(const struct stream *stream, const char *current)
{
    within("%s %s StreamGetCtx", stream->name, current);
    askContext(stream->handle);
    within("%s %s StreamGetCtx_v2", stream->name, current);
    askBothContexts(stream->handle);
    within("%s %s StreamGetDevice", stream->name, current);
    askDevice(stream->handle);
    within("%s %s StreamGetId", stream->name, current);
    askId(stream->handle, stream->name, current);
}

static void playStreams(void)
{
    worldOpen();
    if (!scene("streams"))
        return;
    for (size_t i = 0; i < world.streamCount; i++)
        for (size_t j = 0; j < world.placeCount; j++) {
            stackStand(world.places[j].context);
            askStream(&world.streams[i], world.places[j].name);
        }
}

const struct section streamsSection = {
    .name = "streams",
    .columns = "stream\tcurrent\tquery\tanswer",
    .about = "What the driver says of each stream under each current context.",
    .play = playStreams,
    .parts = 1,
};

/* ---- Memory ---- */

static void askNumber(CUpointer_attribute attribute, CUdeviceptr address, const char *none)
{
    unsigned long long value = 0;
    int number = -1;
    const bool wide = attribute == CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE;
    const CUresult result = cudrvPointerGetAttribute(wide ? (void *)&value : (void *)&number, attribute, address);
    if (result != CUDA_SUCCESS)
        answer("%s", resultName(result));
    else if (wide)
        answer("%s", value ? "a pool" : none);
    else
        answer("%d", number);
}

static void askOwner(CUdeviceptr address)
{
    CUcontext context = UNTOUCHED;
    const CUresult result = cudrvPointerGetAttribute((void *)&context, CU_POINTER_ATTRIBUTE_CONTEXT, address);
    answer("%s", result == CUDA_SUCCESS ? contextName(context) : resultName(result));
}

static void playPointers(void)
{
    static const char *const memories[] = {"dP", "dP2",    "dA", "dA2",  "dB",   "dG",   "pool@sA", "pool@sP",
                                           "hA", "hBport", "hB", "regA", "page", "mngA", "vmm"};
    static const char *const currents[] = {"none", "B"};
    worldOpen();
    for (size_t i = 0; i < COUNT(memories); i++)
        for (size_t j = 0; j < COUNT(currents); j++) {
            const struct memory *const memory = memoryNamed(memories[i]);
            if (!memory)
                continue;
            stackStand(contextNamed(currents[j]));
            if (ask("%s %s CONTEXT", memory->name, currents[j]))
                askOwner(memory->address);
            if (ask("%s %s MEMORY_TYPE", memory->name, currents[j]))
                askNumber(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory->address, "");
            if (ask("%s %s DEVICE_ORDINAL", memory->name, currents[j]))
                askNumber(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, memory->address, "");
            if (ask("%s %s IS_MANAGED", memory->name, currents[j]))
                askNumber(CU_POINTER_ATTRIBUTE_IS_MANAGED, memory->address, "");
            if (ask("%s %s MEMPOOL_HANDLE", memory->name, currents[j]))
                askNumber(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, memory->address, "no pool");
        }
}

const struct section pointersSection = {
    .name = "pointers",
    .columns = "memory\tcurrent\tattribute\tanswer",
    .about = "What cuPointerGetAttribute says of each kind of memory.",
    .play = playPointers,
    .parts = 1,
};
