/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of all kinds, and the calling thread's stack of them. */
#ifndef CUSIM_CONTEXT_H
#define CUSIM_CONTEXT_H

#include "driver.h"
#include "object.h"

struct Stream;
struct GreenContext;

typedef enum ContextKind { CONTEXT_PRIMARY, CONTEXT_CREATED, CONTEXT_GREEN } ContextKind;

typedef struct Context {
    Object object;
    ContextKind kind;
    int device;
    unsigned flags;
    unsigned long long id;
    struct GreenContext *green; /* of CONTEXT_GREEN */
    struct Stream *streams;     /* every stream of the context, its legacy one and the per-thread ones included */
    unsigned long long legacyId;
    unsigned peers; /* a bit for each device that cuCtxEnablePeerAccess named */
} Context;

/* A new live context; `device` is valid. */
Context *contextCreate(ContextKind kind, int device, unsigned flags);
/* Ends it with its streams and its memory. Its handle stays on every stack that holds it. */
void contextEnd(Context *context);
/* The same, and takes it off the calling thread's stack if it is on top there. */
CUresult contextDestroy(Context *context);
/* A primary context that ended, retained again: the same handle, with a new id and nothing in it. */
void contextRevive(Context *context);

/* The live context behind a handle, or NULL. */
Context *contextFind(CUcontext handle);

/* What is on top of this thread's stack, perhaps destroyed; NULL if it is empty. */
Context *contextCurrent(void);

/* The current context for a call that needs one: INVALID_CONTEXT if there is none, CONTEXT_IS_DESTROYED, or the sticky
   error of its device. */
CUresult contextRequire(Context **context);

void contextPush(Context *context);
/* Takes the context off the calling thread's stack if it is on top. */
void contextDropFromTop(const Context *context);

/* Ids are given to contexts and streams from one count; a context takes seven (measured). */
unsigned long long contextNextId(unsigned long long step);
void contextResetIds(void);

/* The primary context of a device; a green context stands on it and keeps it retained. */
Context *contextPrimary(int device);
/* The context itself, or what a green one stands on: that owns its memory (measured) and shares its events. */
Context *contextBase(Context *context);
Context *primaryRetain(int device);
CUresult primaryRelease(int device);

#endif
