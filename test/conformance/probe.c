/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child's side of the conversation with run.c, one line on stdout for each thing told:
 *
 *   ?<step> <key>   this is about to be asked
 *   #<step> <name>  this scene is about to begin; its questions are "+<key>"
 *   =<text>         the answer to what was asked last
 *   !<text>         this driver or machine lacks something
 *   ^<step>         the rest, from that step, wants a fresh process
 *   .               all is told
 *
 * A child that ends without one of the last two crashed in what it announced last.
 */
#include "probe.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_STEP = 60 }; /* seconds */

static struct {
    int part, parts, first;
    int step;    /* the next one's number */
    bool played; /* anything yet */
} child;

static void tellArguments(const char *prefix, const char *format, va_list arguments)
{
    (void)fputs(prefix, stdout);
    (void)vprintf(format, arguments);
    (void)putchar('\n');
    (void)fflush(stdout);
}

static void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void tell(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tellArguments("", format, arguments);
    va_end(arguments);
}

/* Without the driver's exit handlers, which have nothing to tell here and take long. */
_Noreturn static void freshProcessFrom(int step)
{
    tell("^%d", step);
    _exit(0);
}

static bool isMine(int step)
{
    return step >= child.first && step % child.parts == child.part;
}

/* What came before must not reach a scene that is alone, nor that scene what comes after. */
static void keepApart(int step, bool alone)
{
    static bool spoilt;
    if (spoilt || (alone && child.played))
        freshProcessFrom(step);
    spoilt = alone;
    child.played = true;
    (void)alarm(LONGEST_STEP); /* a driver that hangs is an answer, too */
}

bool ask(const char *key, ...)
{
    const int step = child.step++;
    if (!isMine(step))
        return false;
    keepApart(step, false);
    char prefix[32];
    (void)snprintf(prefix, sizeof(prefix), "?%d ", step);
    va_list arguments;
    va_start(arguments, key);
    tellArguments(prefix, key, arguments);
    va_end(arguments);
    return true;
}

static bool beginScene(const char *name, bool alone)
{
    const int step = child.step++;
    if (!isMine(step))
        return false;
    keepApart(step, alone);
    tell("#%d %s", step, name);
    return true;
}

bool scene(const char *name)
{
    return beginScene(name, false);
}

bool sceneAlone(const char *name)
{
    return beginScene(name, true);
}

void within(const char *key, ...)
{
    va_list arguments;
    va_start(arguments, key);
    tellArguments("+", key, arguments);
    va_end(arguments);
}

void leaveTheRest(void)
{
    tell("^%d", child.step);
}

void answer(const char *text, ...)
{
    va_list arguments;
    va_start(arguments, text);
    tellArguments("=", text, arguments);
    va_end(arguments);
}

const char *resultName(CUresult result)
{
    const char *const name = cudrvResultName(result);
    static const char *const prefixes[] = {"CUDA_ERROR_", "CUDA_"};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return name + strlen(prefixes[i]);
    return name;
}

void answerResult(CUresult result)
{
    answer("%s", resultName(result));
}

void lacks(const char *what)
{
    tell("!%s", what);
}

void giveUp(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)fputs("conformance: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
    _exit(3);
}

void mustSucceed(CUresult result, const char *call, const char *file, int line)
{
    if (result != CUDA_SUCCESS)
        giveUp("%s:%d: %s: %s", file, line, call, cudrvResultName(result));
}

int playSection(const struct section *section, int part, int parts, int first)
{
    child.part = part;
    child.parts = parts;
    child.first = first;
    section->play();
    tell(".");
    _exit(0);
}
