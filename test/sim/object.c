/* SPDX-License-Identifier: Apache-2.0 */
/* The set of known handles is an open-addressing hash table of their addresses. */
#include "object.h"

#include "gate.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GRAVES = 4096 };

static Object **table;
static size_t capacity; /* a power of two, or 0 */
static size_t used;     /* slots that are not empty, removed ones included */
static size_t liveCount[OBJECT_KINDS];

/* Destroyed objects, oldest first once it is full; contexts are not among them and stay until the reset. */
static Object *graves[GRAVES];
static size_t nextGrave;

/* Marks a slot whose object is gone; probing goes on behind it. */
static Object removed;

void *memoryNew(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL)
        crash("out of memory");
    return memory;
}

void *memoryResize(void *memory, size_t count, size_t size)
{
    void *resized = realloc(memory, count * size);
    if (resized == NULL)
        crash("out of memory");
    return resized;
}

static size_t slotOf(const void *handle)
{
    return (size_t)(((uintptr_t)handle >> 4) * 0x9E3779B97F4A7C15u) & (capacity - 1);
}

static Object **find(const void *handle)
{
    if (capacity == 0 || handle == NULL)
        return NULL;
    for (size_t slot = slotOf(handle);; slot = (slot + 1) & (capacity - 1)) {
        if (table[slot] == NULL)
            return NULL;
        if (table[slot] == handle)
            return &table[slot];
    }
}

static void insert(Object *object)
{
    size_t slot = slotOf(object);
    while (table[slot] != NULL && table[slot] != &removed)
        slot = (slot + 1) & (capacity - 1);
    used += table[slot] == NULL;
    table[slot] = object;
}

static void grow(void)
{
    Object **old = table;
    const size_t oldCapacity = capacity;
    size_t kept = 0;
    for (size_t i = 0; i < oldCapacity; i++)
        kept += old[i] != NULL && old[i] != &removed;
    capacity = 256;
    while (capacity < kept * 4)
        capacity *= 2;
    table = memoryNew(capacity, sizeof(Object *));
    used = 0;
    for (size_t i = 0; i < oldCapacity; i++) {
        if (old[i] != NULL && old[i] != &removed)
            insert(old[i]);
    }
    free(old);
}

void *objectCreate(ObjectKind kind, size_t size, void (*dispose)(void *object))
{
    Object *object = memoryNew(1, size);
    object->dispose = dispose;
    object->kind = kind;
    object->alive = true;
    if ((used + 1) * 2 > capacity)
        grow();
    insert(object);
    liveCount[kind]++;
    return object;
}

void objectDestroy(void *memory)
{
    Object *object = memory;
    object->alive = false;
    if (object->dispose != NULL)
        object->dispose(object);
    if (!object->internal)
        liveCount[object->kind]--;
    if (object->kind == OBJECT_CONTEXT)
        return;
    Object **grave = &graves[nextGrave];
    nextGrave = (nextGrave + 1) % GRAVES;
    if (*grave != NULL) {
        *find(*grave) = &removed;
        free(*grave);
    }
    *grave = object;
}

void objectRevive(void *memory)
{
    Object *object = memory;
    object->alive = true;
    if (!object->internal)
        liveCount[object->kind]++;
}

void *objectFind(const void *handle, ObjectKind kind)
{
    Object **slot = find(handle);
    return slot != NULL && (*slot)->alive && (*slot)->kind == kind ? *slot : NULL;
}

bool objectIsDestroyed(const void *handle, ObjectKind kind)
{
    Object **slot = find(handle);
    return slot != NULL && !(*slot)->alive && (*slot)->kind == kind;
}

size_t objectCount(ObjectKind kind)
{
    return liveCount[kind];
}

void objectMakeInternal(void *memory)
{
    Object *object = memory;
    object->internal = true;
    liveCount[object->kind]--;
}

void objectEach(ObjectKind kind, void (*visit)(void *object, void *data), void *data)
{
    for (size_t slot = 0; slot < capacity; slot++) {
        Object *object = table[slot];
        if (object != NULL && object != &removed && object->alive && object->kind == kind)
            visit(object, data);
    }
}

const char *objectKindName(ObjectKind kind)
{
    static const char *const names[OBJECT_KINDS] = {
        "context", "green context", "resource descriptor", "stream",  "event",  "array",  "pool",     "memory handle",
        "graph",   "graph node",    "executable graph",    "library", "kernel", "module", "function",
    };
    return names[kind];
}

void objectReset(void)
{
    for (size_t slot = 0; slot < capacity; slot++) {
        Object *object = table[slot];
        if (object != NULL && object != &removed && object->alive && object->dispose != NULL)
            object->dispose(object);
    }
    for (size_t slot = 0; slot < capacity; slot++) {
        if (table[slot] != &removed)
            free(table[slot]);
    }
    free(table);
    table = NULL;
    capacity = used = nextGrave = 0;
    memset(graves, 0, sizeof graves);
    memset(liveCount, 0, sizeof liveCount);
}
