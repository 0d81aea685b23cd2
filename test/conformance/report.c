/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* explained.tsv: driver, section, pattern of keys, answer, reason. */
struct explanation {
    char *section, *pattern, *answer, *reason;
    size_t uses;
};

/* crashes.tsv: section, pattern of keys, what the simulated driver must say. */
struct cause {
    char *section, *pattern, *phrase;
};

enum { MOST_LINES = 100 }; /* about the differences of a section */

static struct {
    FILE *out;
    size_t lines;
    const struct about *about;
    struct explanation *explanations;
    struct cause *causes;
    size_t explanationCount, causeCount;
} report;

static bool readExplanation(char **cells, size_t count, void *data)
{
    (void)data;
    if (count != 5)
        return false;
    if (strcmp(cells[0], report.about->simulated ? "simulated" : "real") != 0)
        return true;
    report.explanations = memoryResize(report.explanations, report.explanationCount + 1, sizeof(*report.explanations));
    report.explanations[report.explanationCount++] =
        (struct explanation){textCopy(cells[1]), textCopy(cells[2]), textCopy(cells[3]), textCopy(cells[4]), 0};
    return true;
}

static bool readCause(char **cells, size_t count, void *data)
{
    (void)data;
    if (count != 3)
        return false;
    report.causes = memoryResize(report.causes, report.causeCount + 1, sizeof(*report.causes));
    report.causes[report.causeCount++] = (struct cause){textCopy(cells[0]), textCopy(cells[1]), textCopy(cells[2])};
    return true;
}

bool reportOpen(const char *directory, const struct about *about, FILE *out)
{
    char path[4096];
    report.about = about;
    report.out = out;
    (void)snprintf(path, sizeof(path), "%s/explained.tsv", directory);
    if (!tableRead(path, readExplanation, NULL))
        return false;
    (void)snprintf(path, sizeof(path), "%s/crashes.tsv", directory);
    return tableRead(path, readCause, NULL);
}

void reportEnd(void)
{
    for (size_t i = 0; i < report.explanationCount; i++) {
        free(report.explanations[i].section);
        free(report.explanations[i].pattern);
        free(report.explanations[i].answer);
        free(report.explanations[i].reason);
    }
    for (size_t i = 0; i < report.causeCount; i++) {
        free(report.causes[i].section);
        free(report.causes[i].pattern);
        free(report.causes[i].phrase);
    }
    free(report.explanations);
    free(report.causes);
}

static struct explanation *explanationOf(const char *section, const char *key, const char *answer)
{
    for (size_t i = 0; i < report.explanationCount; i++) {
        struct explanation *const one = &report.explanations[i];
        if (strcmp(one->section, section) == 0 && fnmatch(one->pattern, key, 0) == 0 &&
            fnmatch(one->answer, answer, 0) == 0)
            return one;
    }
    return NULL;
}

/* The simulated driver aborts where the real one crashes, and says why: NULL if it says what it should. */
static const char *wrongLastWords(const char *section, const char *key, const char *says)
{
    if (!report.about->simulated)
        return NULL;
    for (size_t i = 0; i < report.causeCount; i++) {
        const struct cause *const cause = &report.causes[i];
        if (strcmp(cause->section, section) == 0 && fnmatch(cause->pattern, key, 0) == 0)
            return strstr(says, "cusim: ") && strstr(says, cause->phrase) ? NULL : cause->phrase;
    }
    return "a cause that crashes.tsv knows";
}

/* Begins a line about a difference; false if there were enough of them. */
static bool sayDiffers(const struct section *section, const char *key)
{
    if (report.lines++ >= MOST_LINES)
        return false;
    (void)fprintf(report.out, "differs: %s: %s: ", section->name, key);
    return true;
}

static void compareOne(const struct section *section, const struct fact *told, const char *expected, const char *says,
                       struct tally *tally)
{
    const char *const cause =
        strcmp(told->answer, "crash") == 0 ? wrongLastWords(section->name, told->key, says ? says : "") : NULL;
    if (expected && strcmp(expected, told->answer) == 0 && !cause) {
        tally->agree++;
        return;
    }
    struct explanation *const explanation = explanationOf(section->name, told->key, told->answer);
    if (explanation) {
        explanation->uses++;
        tally->explained++;
        return;
    }
    tally->differ++;
    if (!sayDiffers(section, told->key))
        return;
    (void)fprintf(report.out, "expected %s, got %s\n", expected ? expected : "(nothing is known)", told->answer);
    if (says && *says)
        (void)fprintf(report.out, "%s%s", says, says[strlen(says) - 1] == '\n' ? "" : "\n");
    if (cause)
        (void)fprintf(report.out, "  and it should have said: %s\n", cause);
}

/* Each explanation in one line, however often it was needed. One that was not needed is a difference itself, but for a
 * real driver, which has machines of its own and moods. */
static void writeExplanations(const struct section *section, bool all, struct tally *tally)
{
    for (size_t i = 0; i < report.explanationCount; i++) {
        const struct explanation *const one = &report.explanations[i];
        if (strcmp(one->section, section->name) != 0)
            continue;
        if (one->uses)
            (void)fprintf(report.out, "explained: %s: %s: %zu times: %s\n", section->name, one->pattern, one->uses,
                          one->reason);
        else if (all) {
            tally->differ++;
            (void)fprintf(report.out, "differs: %s: explained.tsv explains %s, which is no difference any more\n",
                          section->name, one->pattern);
        }
    }
}

struct tally reportSection(const struct section *section, struct showing *showing, struct facts *expected)
{
    struct tally tally = {.facts = expected->count};
    report.lines = 0;
    for (size_t i = 0; i < showing->facts.count; i++) {
        const struct fact *const told = &showing->facts.list[i];
        compareOne(section, told, factsFind(expected, told->key), factsFind(&showing->says, told->key), &tally);
    }
    for (size_t i = 0; i < expected->count; i++)
        if (!factsFind(&showing->facts, expected->list[i].key)) {
            tally.unanswered++;
            if (!*showing->lacks && !showing->broken && sayDiffers(section, expected->list[i].key))
                (void)fprintf(report.out, "nobody asked\n");
        }
    if (report.lines > MOST_LINES)
        (void)fprintf(report.out, "differs: %s: and %zu more\n", section->name, report.lines - MOST_LINES);
    writeExplanations(section, report.about->simulated && !*showing->lacks, &tally);
    if (*showing->lacks && tally.unanswered)
        (void)fprintf(report.out, "%s: not here: %s\n", section->name, showing->lacks);
    else if (!*showing->lacks)
        tally.differ += tally.unanswered;
    if (showing->broken) {
        tally.differ++;
        (void)fprintf(report.out, "broken: %s %s\n", section->name, showing->broken);
    }
    return tally;
}
