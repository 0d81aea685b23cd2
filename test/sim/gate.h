/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate that every call passes: it counts, makes calls fail on demand, and knows the phases in which the driver
 * refuses (before cuInit, in a host callback, in a forked child, after exit). A call that passed holds the driver's
 * lock.
 */
#ifndef CUSIM_GATE_H
#define CUSIM_GATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* The one lock of the simulated driver. What waits for work waits on a condition variable of this mutex. */
extern pthread_mutex_t driverMutex;

/* 0 and the lock is held; or the CUresult that the call must return at once. `entry` is an enum Entry. */
int gateEnter(int entry);

/* Gives the lock back; returns `result`. */
int gateLeave(int result);

/* What a function answers that is not modelled. */
int gateAbsent(int entry);

/* Called by cuInit, holding the lock: from now on the driver is ready. */
void gateReady(void);
/* Called by the driver's own exit handler; false if it is that of a forked child, which has nothing to end. */
bool gateExited(void);

/* Call counts; and the symbols of the last calls, oldest first. */
unsigned long gateCalls(const char *symbol);
size_t gateRecentCalls(const char **symbols, size_t most);
void gateResetCalls(void);

/* Failures on demand and missing entry points; each list is in the form that the environment has it in. */
void gateFail(const char *name, unsigned long nth, int code, bool onwards);
void gateFailClear(void);
void gateFailList(const char *list);
void gateMissing(const char *list);

/* Whether this driver has the entry: its version is old enough and nobody left it out. */
bool gateHas(int entry);

/* Back to a fresh process. Holding the lock. */
void gateReset(void);

/* One line on stderr, "cusim: <text>", with the function that this thread is in before the text. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, then abort: the real driver crashes here. */
_Noreturn void crash(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
