/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"

#include "exec.h"
#include "settings.h"
#include "table.h"
#include "thread.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CUresult, without cuda.h: absent.c includes gate.h too. */
enum {
    SUCCESS = 0,
    NOT_INITIALIZED = 3,
    DEINITIALIZED = 4,
    NOT_PERMITTED = 800,
    NOT_SUPPORTED = 801,
};

enum { RECENT_CALLS = 1024 };

typedef enum Phase { PHASE_FRESH, PHASE_READY, PHASE_EXITED, PHASE_FORKED } Phase;

typedef struct Rule {
    enum Entry entry;
    unsigned long nth;
    unsigned long seen;
    int code;
    bool onwards;
    struct Rule *next;
} Rule;

pthread_mutex_t driverMutex = PTHREAD_MUTEX_INITIALIZER;

static atomic_ulong calls[ENTRY_COUNT];
static atomic_int recent[RECENT_CALLS]; /* the entry of call number n is at n % RECENT_CALLS */
static atomic_size_t recentCount;
static atomic_int phase; /* a Phase; atomic because a forked child looks before it may lock */
static bool saidAbsent[ENTRY_COUNT];
static bool missing[ENTRY_COUNT];
static Rule *rules;

/* These answer in every phase. */
static bool answersAlways(enum Entry entry)
{
    switch (entry) {
    case ENTRY_cuDriverGetVersion:
    case ENTRY_cuGetProcAddress:
    case ENTRY_cuGetProcAddress_v2:
    case ENTRY_cuGetErrorName:
    case ENTRY_cuGetErrorString:
        return true;
    default:
        return false;
    }
}

/* Measured: in a host callback and in a forked child cuStreamGetCtx still answers, and little else does. */
static bool answersInCallbackAndChild(enum Entry entry)
{
    switch (entry) {
    case ENTRY_cuStreamGetCtx:
    case ENTRY_cuStreamGetCtx_ptsz:
    case ENTRY_cuStreamGetCtx_v2:
    case ENTRY_cuStreamGetCtx_v2_ptsz:
        return true;
    default:
        return false;
    }
}

static int phaseRefuses(enum Entry entry)
{
    if (answersAlways(entry))
        return SUCCESS;
    switch ((Phase)atomic_load_explicit(&phase, memory_order_acquire)) {
    case PHASE_FRESH:
        return entry == ENTRY_cuInit ? SUCCESS : NOT_INITIALIZED;
    case PHASE_EXITED:
        return DEINITIALIZED;
    case PHASE_FORKED:
        return answersInCallbackAndChild(entry) ? SUCCESS : NOT_INITIALIZED;
    case PHASE_READY:
        break;
    }
    return threadSelf()->inCallback && !answersInCallbackAndChild(entry) ? NOT_PERMITTED : SUCCESS;
}

static int ruleRefuses(enum Entry entry)
{
    int code = SUCCESS;
    for (Rule *rule = rules; rule != NULL; rule = rule->next) {
        if (rule->entry != entry)
            continue;
        rule->seen++;
        if (rule->seen == rule->nth || (rule->onwards && rule->seen > rule->nth))
            code = rule->code;
    }
    return code;
}

static void sayAbsent(enum Entry entry, const char *why)
{
    if (!saidAbsent[entry])
        say("%s; it returns CUDA_ERROR_NOT_SUPPORTED", why);
    saidAbsent[entry] = true;
}

/* Only a program that calls the exported symbol itself gets here: cuGetProcAddress does not give such an entry out. A
   library cannot hide what it exports, and a loader that finds cuGetProcAddress_v2 asks that one for everything: it
   answers as the version before would. */
static int existenceRefuses(enum Entry entry)
{
    if (gateHas((int)entry) || (entry == ENTRY_cuGetProcAddress_v2 && !missing[entry]))
        return SUCCESS;
    sayAbsent(entry, missing[entry] ? "left out by CUSIM_MISSING" : "newer than this driver's version");
    return NOT_SUPPORTED;
}

int gateEnter(int number)
{
    const enum Entry entry = (enum Entry)number;
    atomic_fetch_add_explicit(&calls[entry], 1, memory_order_relaxed);
    const size_t place = atomic_fetch_add_explicit(&recentCount, 1, memory_order_relaxed) % RECENT_CALLS;
    atomic_store_explicit(&recent[place], number, memory_order_relaxed);
    threadSelf()->entry = number;
    int refusal = phaseRefuses(entry);
    if (refusal != SUCCESS)
        return refusal;
    pthread_mutex_lock(&driverMutex);
    settingsLoad();
    refusal = existenceRefuses(entry);
    if (refusal == SUCCESS)
        refusal = ruleRefuses(entry);
    if (refusal != SUCCESS)
        pthread_mutex_unlock(&driverMutex);
    return refusal;
}

int gateLeave(int result)
{
    threadSelf()->entry = -1;
    pthread_mutex_unlock(&driverMutex);
    return result;
}

int gateAbsent(int number)
{
    const enum Entry entry = (enum Entry)number;
    const int refusal = gateEnter(number);
    if (refusal != SUCCESS)
        return refusal;
    sayAbsent(entry, "not modelled");
    return gateLeave(NOT_SUPPORTED);
}

bool gateHas(int entry)
{
    return !missing[entry] && entryTable[entry].version <= settings.version;
}

/* The child has none of the parent's threads; nothing of the driver works there (measured). */
static void forkedChild(void)
{
    if (atomic_load(&phase) == PHASE_READY)
        atomic_store(&phase, PHASE_FORKED);
    execForked();
    pthread_mutex_unlock(&driverMutex);
}

static void beforeFork(void)
{
    pthread_mutex_lock(&driverMutex);
}

static void forkedParent(void)
{
    pthread_mutex_unlock(&driverMutex);
}

static void handleForks(void)
{
    pthread_atfork(beforeFork, forkedParent, forkedChild);
}

void gateReady(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, handleForks);
    atomic_store_explicit(&phase, PHASE_READY, memory_order_release);
}

bool gateExited(void)
{
    return atomic_exchange(&phase, PHASE_EXITED) == PHASE_READY;
}

unsigned long gateCalls(const char *symbol)
{
    unsigned long sum = 0;
    for (size_t entry = 0; entry < ENTRY_COUNT; entry++) {
        if (symbol == NULL || strcmp(entryTable[entry].symbol, symbol) == 0)
            sum += atomic_load_explicit(&calls[entry], memory_order_relaxed);
    }
    return sum;
}

void gateResetCalls(void)
{
    for (size_t entry = 0; entry < ENTRY_COUNT; entry++)
        atomic_store_explicit(&calls[entry], 0, memory_order_relaxed);
    atomic_store_explicit(&recentCount, 0, memory_order_relaxed);
}

size_t gateRecentCalls(const char **symbols, size_t most)
{
    const size_t end = atomic_load_explicit(&recentCount, memory_order_relaxed);
    size_t count = end < most ? end : most;
    if (count > RECENT_CALLS)
        count = RECENT_CALLS;
    for (size_t i = 0; i < count; i++) {
        const int entry = atomic_load_explicit(&recent[(end - count + i) % RECENT_CALLS], memory_order_relaxed);
        symbols[i] = entryTable[entry].symbol;
    }
    return count;
}

static void addRules(const char *name, size_t length, unsigned long nth, int code, bool onwards)
{
    bool known = false;
    for (int entry = 0; entry < ENTRY_COUNT; entry++) {
        if (!entryIsNamed((enum Entry)entry, name, length))
            continue;
        known = true;
        Rule *rule = malloc(sizeof *rule);
        if (rule == NULL)
            crash("out of memory");
        *rule = (Rule){.entry = (enum Entry)entry, .nth = nth, .code = code, .onwards = onwards, .next = rules};
        rules = rule;
    }
    if (!known)
        say("cannot make %.*s fail: there is no such function", (int)length, name);
}

void gateFail(const char *name, unsigned long nth, int code, bool onwards)
{
    addRules(name, strlen(name), nth, code, onwards);
}

void gateFailClear(void)
{
    while (rules != NULL) {
        Rule *next = rules->next;
        free(rules);
        rules = next;
    }
}

/* One item, "name:nth:code" with an optional "+"; false if it is something else. */
static bool addListedRule(const char *item, size_t length)
{
    char text[128];
    if (length >= sizeof text)
        return false;
    memcpy(text, item, length);
    text[length] = '\0';
    const size_t name = strcspn(text, ":");
    if (text[name] != ':')
        return false;
    char *end;
    const unsigned long nth = strtoul(text + name + 1, &end, 10);
    if (*end != ':' || nth == 0)
        return false;
    const long code = strtol(end + 1, &end, 10);
    const bool onwards = *end == '+';
    if (end[onwards ? 1 : 0] != '\0' || code <= 0 || code > 9999)
        return false;
    addRules(text, name, nth, (int)code, onwards);
    return true;
}

void gateFailList(const char *list)
{
    while (list != NULL && *list != '\0') {
        const size_t length = strcspn(list, ",");
        if (length > 0 && !addListedRule(list, length))
            say("CUSIM_FAIL: \"%.*s\" is not name:nth:code or name:nth:code+", (int)length, list);
        list += length + (list[length] == ',');
    }
}

void gateMissing(const char *list)
{
    memset(missing, 0, sizeof missing);
    while (list != NULL && *list != '\0') {
        const size_t length = strcspn(list, ",");
        bool known = length == 0;
        for (int entry = 0; entry < ENTRY_COUNT; entry++) {
            if (entryIsNamed((enum Entry)entry, list, length))
                known = missing[entry] = true;
        }
        if (!known)
            say("cannot leave out %.*s: there is no such function", (int)length, list);
        list += length + (list[length] == ',');
    }
}

void gateReset(void)
{
    gateFailClear();
    memset(missing, 0, sizeof missing);
    memset(saidAbsent, 0, sizeof saidAbsent);
    gateResetCalls();
    atomic_store(&phase, PHASE_FRESH);
}

static void sayLine(const char *format, va_list arguments)
{
    char text[480];
    (void)vsnprintf(text, sizeof text, format, arguments);
    const int entry = threadSelf()->entry;
    if (entry < 0)
        (void)fprintf(stderr, "cusim: %s\n", text);
    else
        (void)fprintf(stderr, "cusim: %s: %s\n", entryTable[entry].symbol, text);
}

void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sayLine(format, arguments);
    va_end(arguments);
}

void crash(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sayLine(format, arguments);
    va_end(arguments);
    (void)fprintf(stderr, "cusim: the real driver crashes here\n");
    abort();
}
