/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a section tells what the driver does. A section is one file of facts and the function that asks for them, in a
 * process of its own: run.c starts it, reads what it tells, and starts another where a crash ended it. A fact is a key,
 * names with spaces between them, and an answer. The section goes through all its questions in the same order every
 * time; whether one is asked in this process is not its concern.
 */
#ifndef CONFORMANCE_PROBE_H
#define CONFORMANCE_PROBE_H

#include <cucopy/copy.h>
#include <stdbool.h>

struct section {
    const char *name; /* of the file of facts, and on the command line */
    const char *columns;
    const char *about;
    void (*play)(void);
    int parts;     /* processes that share the work, at most */
    int devices;   /* fewer than that: not for this machine */
    bool promises; /* of cucopy's, so they are not recorded as facts about a driver */
};

extern const struct section *const sections[]; /* NULL ends it */

/* A question that depends on no other: true if it is to be asked here, and then answer follows. */
bool ask(const char *key, ...) __attribute__((format(printf, 1, 2)));

/* Questions that belong together, each told by within; true if they are to be asked here. A crash ends the scene. */
bool scene(const char *name);
/* The same in a process that did and will do nothing else, for what cannot be undone. */
bool sceneAlone(const char *name);
void within(const char *key, ...) __attribute__((format(printf, 1, 2)));
/* This process is about to end by itself; what is still to be asked is for another. */
void leaveTheRest(void);

void answer(const char *text, ...) __attribute__((format(printf, 1, 2)));
/* Results are told as the driver names them, without CUDA_ERROR_. */
void answerResult(CUresult result);
const char *resultName(CUresult result);

/* This driver or machine cannot show something; facts that it leaves unanswered are then no difference. */
void lacks(const char *what);

/* The machinery of the conformance suite failed, not the driver: say why and end. */
_Noreturn void giveUp(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same unless a call that prepares something succeeded. */
#define MUST(call) mustSucceed((call), #call, __FILE__, __LINE__)
void mustSucceed(CUresult result, const char *call, const char *file, int line);

/* The whole of a child: play a section's questions from `first` on, its part of them. */
int playSection(const struct section *section, int part, int parts, int first);

#endif
