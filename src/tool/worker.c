/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The examination, in processes of its own. The process that prints never loads the driver: some copies crash it, and
 * then the next worker goes on after the one that did. Workers are forked before any driver is loaded, as CUDA demands,
 * and write into shared memory, so that nothing is lost with them.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "tool/report.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A good driver takes one worker for each copy that crashes it. */
enum { SECONDS_FOR_A_TRIAL = 60, MOST_WORKERS = 40 };

/* A signal is for the parent to see, not for a handler to talk about. What the driver says goes to words. */
static void dieQuietly(FILE *words)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGALRM};
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        (void)signal(signals[i], SIG_DFL);
    (void)setrlimit(RLIMIT_CORE, &none);
    if (words)
        (void)dup2(fileno(words), STDERR_FILENO);
}

static void inspect(struct report *report)
{
    doctorInspect(report);
    report->home = report->wanted >= 0 ? report->wanted : report->deviceCount > 1;
    report->other = report->deviceCount > 1 && report->home == 0;
    doctorPlan(report);
    report->inspected = 1;
}

/* What a row needs is there; the array's own address is 0. */
static int isPossible(const struct scene *scene, const struct row *row)
{
    return (row->dst == ARRAY ? scene->array != NULL : scene->address[row->dst] != 0) &&
           (row->src == ARRAY ? scene->array != NULL : scene->address[row->src] != 0);
}

static int stepCount(const struct report *report)
{
    return report->rowCount * TRIALS_PER_ROW;
}

static struct trial *trialOf(struct report *report, int step)
{
    struct row *const row = &report->rows[step / TRIALS_PER_ROW];
    return &row->trials[step / LAYERS % CURRENTS][step % LAYERS];
}

/* From report->step on, until all is done or this process is no good any more. */
static void work(struct report *report)
{
    struct scene scene;
    (void)alarm(SECONDS_FOR_A_TRIAL);
    if (!report->inspected)
        inspect(report);
    else
        (void)cudrvInit(0);
    if (report->problem[0] || report->home >= report->deviceCount || !doctorSceneMake(&scene, report))
        return;
    int fit = 1;
    for (; fit && report->step < stepCount(report); report->step++) {
        const struct row *const row = &report->rows[report->step / TRIALS_PER_ROW];
        const enum current current = (enum current)(report->step / LAYERS % CURRENTS);
        struct trial *const trial = trialOf(report, report->step);
        (void)alarm(SECONDS_FOR_A_TRIAL);
        report->trying = 1;
        if (isPossible(&scene, row))
            fit = doctorTry(report, &scene, row, current, (enum layer)(report->step % LAYERS), trial);
        else
            trial->outcome = NO_MEMORY;
        report->trying = 0;
    }
}

/* How the worker ended: signal 0 means by itself, which the driver has no business doing in the middle of a copy. */
static void record(struct report *report, int signal)
{
    if (report->trying) {
        trialOf(report, report->step)->outcome = signal == SIGALRM ? HUNG : CRASHED;
        trialOf(report, report->step)->signal = signal;
        report->trying = 0;
        report->step++;
    } else if (signal) {
        char *const text = report->inspected ? report->failure : report->problem;
        (void)snprintf(text, WHY, "the driver %s (signal %d) while it was made ready",
                       signal == SIGALRM ? "did not come back and was stopped" : "crashed", signal);
    }
}

struct report *doctorExamine(int wanted, int explain, FILE *words)
{
    struct report *const report =
        mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (report == MAP_FAILED)
        return NULL;
    report->wanted = wanted;
    report->explain = explain;
    int over = 0;
    for (int workers = 0; !over && workers < MOST_WORKERS; workers++) {
        int status = 0;
        const int before = report->step;
        const pid_t worker = fork();
        if (worker == 0) {
            dieQuietly(words);
            work(report);
            _exit(0);
        }
        if (worker < 0 || waitpid(worker, &status, 0) != worker)
            return NULL;
        record(report, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
        over = report->problem[0] || report->failure[0] || report->step == before || report->step >= stepCount(report);
    }
    report->gaveUp = !over;
    return report;
}
