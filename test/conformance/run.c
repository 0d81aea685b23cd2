/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parent's side of the conversation that probe.c describes: starts this program anew for each part of a section,
 * and again from the next step where a crash or the section itself ended a process.
 */
#include "run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_JOBS = 64, KEPT_STDERR = 4096 };

struct told {
    int step, order;
    char *key, *answer, *says;
};

struct gathering {
    struct told *told;
    size_t count, capacity;
};

struct job {
    size_t section;
    int part, first;
    pid_t pid; /* 0: not running */
    int out;
    FILE *errors; /* what it writes to stderr */
    char *line;
    size_t length, capacity;
    /* what it said last */
    int step, order;
    char *key; /* asked and not answered, or NULL */
    bool ended;
    int next; /* after `ended`: where the next process begins, -1 for nowhere */
    struct timespec started;
};

static struct {
    const struct section *const *sections;
    struct showing *showings;
    struct gathering *gatherings;
} run;

static void gather(struct job *job, const char *text, const char *says)
{
    struct gathering *const all = &run.gatherings[job->section];
    if (all->count == all->capacity) {
        all->capacity = all->capacity ? 2 * all->capacity : 256;
        all->told = memoryResize(all->told, all->capacity, sizeof(*all->told));
    }
    all->told[all->count++] =
        (struct told){job->step, job->order++, job->key, textCopy(text), says ? textCopy(says) : NULL};
    job->key = NULL;
}

static void addLine(char **text, const char *line)
{
    if (*text && strstr(*text, line))
        return;
    const size_t length = *text ? strlen(*text) : 0;
    *text = memoryResize(*text, length + strlen(line) + 3, 1);
    (void)sprintf(*text + length, "%s%s", length ? "; " : "", line);
}

static void hear(struct job *job, const char *line)
{
    char *rest = NULL;
    switch (line[0]) {
    case '?':
    case '#':
        job->step = (int)strtol(line + 1, &rest, 10);
        job->order = 0;
        free(job->key);
        job->key = line[0] == '?' ? textCopy(rest + 1) : NULL;
        break;
    case '+':
        free(job->key);
        job->key = textCopy(line + 1);
        break;
    case '=':
        if (job->key)
            gather(job, line + 1, NULL);
        break;
    case '!':
        addLine(&run.showings[job->section].lacks, line + 1);
        break;
    case '^':
        job->ended = true;
        job->next = (int)strtol(line + 1, NULL, 10);
        break;
    case '.':
        job->ended = true;
        job->next = -1;
        break;
    default:
        break; /* something the driver prints */
    }
}

static void hearBytes(struct job *job, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (job->length + 1 >= job->capacity) {
            job->capacity = job->capacity ? 2 * job->capacity : 256;
            job->line = memoryResize(job->line, job->capacity, 1);
        }
        job->line[job->length++] = bytes[i];
        if (bytes[i] != '\n')
            continue;
        job->line[job->length - 1] = '\0';
        hear(job, job->line);
        job->length = 0;
    }
}

/* The end of what it wrote to stderr. */
static char *lastWords(const struct job *job)
{
    static char text[KEPT_STDERR + 1];
    (void)fseek(job->errors, 0, SEEK_END);
    const long size = ftell(job->errors);
    (void)fseek(job->errors, size > KEPT_STDERR ? size - KEPT_STDERR : 0, SEEK_SET);
    text[fread(text, 1, KEPT_STDERR, job->errors)] = '\0';
    return text;
}

static void start(struct job *job)
{
    int out[2];
    job->errors = tmpfile();
    if (!job->errors || pipe(out)) {
        perror("conformance: pipe");
        _exit(3);
    }
    char part[16], parts[16], first[16];
    (void)snprintf(part, sizeof(part), "%d", job->part);
    (void)snprintf(parts, sizeof(parts), "%d", run.sections[job->section]->parts);
    (void)snprintf(first, sizeof(first), "%d", job->first);
    job->pid = fork();
    if (job->pid == 0) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        dup2(out[1], STDOUT_FILENO);
        dup2(fileno(job->errors), STDERR_FILENO);
        close(out[0]);
        close(out[1]);
        execl("/proc/self/exe", "cucopy-conformance", "--child", run.sections[job->section]->name, part, parts, first,
              (char *)NULL);
        _exit(127);
    }
    if (job->pid < 0) {
        perror("conformance: fork");
        _exit(3);
    }
    close(out[1]);
    job->out = out[0];
    job->length = 0;
    job->step = -1;
    job->ended = false;
    run.showings[job->section].processes++;
    (void)clock_gettime(CLOCK_MONOTONIC, &job->started);
}

static double since(struct timespec then)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then.tv_sec) + 1e-9 * (double)(now.tv_nsec - then.tv_nsec);
}

static void breakOff(struct job *job, const char *why)
{
    struct showing *const showing = &run.showings[job->section];
    char text[KEPT_STDERR + 256];
    (void)snprintf(text, sizeof(text), "%s %s", why, lastWords(job));
    if (!showing->broken)
        showing->broken = textCopy(text);
}

/* What is left to do after this process, or -1. */
static int nextStep(struct job *job, int status)
{
    if (job->ended)
        return job->next;
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 3 || WEXITSTATUS(status) == 127)) {
        breakOff(job, "could not be played:");
        return -1;
    }
    if (job->step < 0) {
        breakOff(job, "ended before its first question:");
        return -1;
    }
    if (job->key)
        gather(job, WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hangs" : "crash", lastWords(job));
    else
        breakOff(job, "crashed between two questions:");
    return job->step + 1;
}

static void finish(struct job *job)
{
    int status = 0;
    while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
        ;
    job->first = nextStep(job, status);
    close(job->out);
    (void)fclose(job->errors);
    job->pid = 0;
    run.showings[job->section].seconds += since(job->started);
}

static void stopAll(struct job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (jobs[i].first < 0)
            continue;
        addLine(&run.showings[jobs[i].section].lacks, "what there was no time for");
        if (!jobs[i].pid)
            continue;
        jobs[i].ended = true; /* its last question is nobody's answer */
        jobs[i].next = -1;
        kill(jobs[i].pid, SIGKILL);
        finish(&jobs[i]);
    }
}

/* Waits for news of any running job, and not longer than that. */
static void listen(struct job *jobs, size_t count, int milliseconds)
{
    struct pollfd polls[MOST_JOBS];
    struct job *whose[MOST_JOBS];
    nfds_t polled = 0;
    for (size_t i = 0; i < count; i++)
        if (jobs[i].pid) {
            whose[polled] = &jobs[i];
            polls[polled++] = (struct pollfd){.fd = jobs[i].out, .events = POLLIN};
        }
    if (poll(polls, polled, milliseconds) < 0)
        return;
    for (nfds_t i = 0; i < polled; i++) {
        char bytes[4096];
        if (!polls[i].revents)
            continue;
        const ssize_t got = read(polls[i].fd, bytes, sizeof(bytes));
        if (got > 0)
            hearBytes(whose[i], bytes, (size_t)got);
        else if (got == 0)
            finish(whose[i]);
    }
}

static int compareTold(const void *a, const void *b)
{
    const struct told *const left = a;
    const struct told *const right = b;
    return left->step != right->step ? left->step - right->step : left->order - right->order;
}

/* In the order of the questions, whichever process asked. */
static void collect(struct gathering *gathering, struct showing *showing)
{
    if (gathering->count)
        qsort(gathering->told, gathering->count, sizeof(*gathering->told), compareTold);
    for (size_t i = 0; i < gathering->count; i++) {
        const struct told *const told = &gathering->told[i];
        factsAdd(&showing->facts, told->key, told->answer);
        if (told->says)
            factsAdd(&showing->says, told->key, told->says);
        free(told->key);
        free(told->answer);
        free(told->says);
    }
    free(gathering->told);
    if (!showing->lacks)
        showing->lacks = textCopy("");
}

void runSections(const struct section *const *chosen, size_t count, int most, double seconds, struct showing *showings)
{
    struct timespec began;
    (void)clock_gettime(CLOCK_MONOTONIC, &began);
    size_t jobCount = 0;
    for (size_t i = 0; i < count; i++)
        jobCount += (size_t)chosen[i]->parts;
    struct job *const jobs = memoryResize(NULL, jobCount + 1, sizeof(*jobs));
    run.sections = chosen;
    run.showings = showings;
    run.gatherings = memoryResize(NULL, count + 1, sizeof(*run.gatherings));
    for (size_t i = 0, job = 0; i < count; i++) {
        run.gatherings[i] = (struct gathering){0};
        showings[i] = (struct showing){0};
        for (int part = 0; part < chosen[i]->parts; part++)
            jobs[job++] = (struct job){.section = i, .part = part};
    }

    for (int running = -1; running != 0;) {
        running = 0;
        const double left = seconds - since(began);
        if (seconds > 0 && left <= 0)
            stopAll(jobs, jobCount);
        for (size_t i = 0; i < jobCount; i++)
            running += jobs[i].pid != 0;
        for (size_t i = 0; i < jobCount && running < most && running < MOST_JOBS; i++)
            if (!jobs[i].pid && jobs[i].first >= 0) {
                start(&jobs[i]);
                running++;
            }
        if (running)
            listen(jobs, jobCount, seconds > 0 ? (int)(left * 1000) + 1 : -1);
    }

    for (size_t i = 0; i < jobCount; i++) {
        free(jobs[i].line);
        free(jobs[i].key);
    }
    free(jobs);
    for (size_t i = 0; i < count; i++)
        collect(&run.gatherings[i], &showings[i]);
    free(run.gatherings);
}

void showingFree(struct showing *showing)
{
    factsFree(&showing->facts);
    factsFree(&showing->says);
    free(showing->lacks);
    free(showing->broken);
    *showing = (struct showing){0};
}
