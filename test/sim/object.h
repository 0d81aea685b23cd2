/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles: what is behind each, and which were ever given out. A destroyed object stays known, so that its later use is
 * recognised instead of read from freed memory. All functions want the driver's lock.
 */
#ifndef CUSIM_OBJECT_H
#define CUSIM_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum ObjectKind {
    OBJECT_CONTEXT,
    OBJECT_GREEN_CONTEXT,
    OBJECT_RESOURCE_DESCRIPTOR,
    OBJECT_STREAM,
    OBJECT_EVENT,
    OBJECT_ARRAY,
    OBJECT_POOL,
    OBJECT_PHYSICAL_MEMORY,
    OBJECT_GRAPH,
    OBJECT_GRAPH_NODE,
    OBJECT_GRAPH_EXEC,
    OBJECT_LIBRARY,
    OBJECT_KERNEL,
    OBJECT_MODULE,
    OBJECT_FUNCTION,
    OBJECT_KINDS
} ObjectKind;

/* The first member of everything that has a handle; the handle is its address. */
typedef struct Object {
    void (*dispose)(void *object); /* frees what it owns, when it is destroyed or forgotten; may be NULL */
    ObjectKind kind;
    bool alive;
    bool internal; /* made by the driver for itself: not counted as the program's */
} Object;

/* Zeroed memory of `size` bytes that begins with a live Object. Never NULL. */
void *objectCreate(ObjectKind kind, size_t size, void (*dispose)(void *object));

/* Not counted as the program's: the driver made it for itself. */
void objectMakeInternal(void *object);

/* The handle is dead from now on. The memory stays for a while. */
void objectDestroy(void *object);

/* Alive again, under the same handle; only contexts can be. */
void objectRevive(void *object);

/* The live object behind a handle, or NULL for anything else. */
void *objectFind(const void *handle, ObjectKind kind);

/* Whether the handle was once one of that kind and is destroyed. */
bool objectIsDestroyed(const void *handle, ObjectKind kind);

/* Live objects of a kind that the program made. */
size_t objectCount(ObjectKind kind);

/* Calls `visit` for each live object of a kind, in no particular order. It may destroy the object it is given. */
void objectEach(ObjectKind kind, void (*visit)(void *object, void *data), void *data);

/* "stream" and so on. */
const char *objectKindName(ObjectKind kind);

/* Frees everything, alive or not. */
void objectReset(void);

/* malloc and realloc that end the program when there is no memory. */
void *memoryNew(size_t count, size_t size);
void *memoryResize(void *memory, size_t count, size_t size);

#endif
