/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asynchronous execution. An operation is one piece of work and the operations it must wait for, all issued before it.
 * One engine thread performs what is ready, in the order of issue; the program's own code (host functions, kernels)
 * runs on threads of its own, so that it may block. The engine starts when somebody waits or asks, or a moment after
 * the call: a program that forgot to synchronise sees the old bytes. Everything here wants the driver's lock; waiting
 * gives it up meanwhile.
 */
#ifndef CUSIM_EXEC_H
#define CUSIM_EXEC_H

#include "context.h"
#include "work.h"

typedef struct Op Op;

/* A new operation, not yet issued; it takes over what `work` owns. The caller holds one reference. */
Op *opCreate(Context *context, Work *work);
/* It waits for `earlier`, which may be NULL. Before opIssue. */
void opAfter(Op *op, Op *earlier);
void opIssue(Op *op);

Op *opRetain(Op *op);
void opRelease(Op *op); /* NULL is fine */

/* Work of no context that wants the lock, to be done when everything that was issued so far is. Takes over what it
   owns. */
void execAfterEverything(Work *work);

bool opIsDone(const Op *op);
/* Nanoseconds of the monotonic clock; 0 unless done. */
unsigned long long opFinishTime(const Op *op);

void opWait(Op *op);
/* Waits for what was issued so far in the context, on the device, anywhere. */
void execWaitContext(const Context *context);
void execWaitDevice(int device);
void execWaitAll(void);

/* Somebody asked whether something is done: no reason to linger. */
void execHurry(void);

/* While held, nothing new starts. Holds nest. */
void execHold(void);
void execLetGo(void);
void execLetGoEntirely(void);

/* Operations issued and not done. */
size_t execPending(void);

/* In a forked child: the threads are gone. */
void execForked(void);

/* Ends the engine at process exit; what is pending is lost. */
void execStop(void);

#endif
