/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cucopy-conformance: asks the driver at hand, simulated or real, everything that is written down about one, and names
 * each difference.
 */
#include "expect.h"
#include "owners.h"
#include "report.h"
#include "sections.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char usage[] =
    "usage: cucopy-conformance [options] [section...]\n"
    "Asks the CUDA driver everything that the files of facts hold, and names each difference.\n"
    "  --compare DIR   the facts to compare with (default: those of cucopy's sources)\n"
    "  --record DIR    also write what this driver answers to DIR, in the form of the facts\n"
    "  --answers DIR   compare what was recorded in DIR, and ask nobody\n"
    "  --report FILE   also write the report to FILE\n"
    "  --jobs N        at most N processes at a time (default 2)\n"
    "  --seconds N     stop after that time; what was answered counts\n"
    "  --list          list the sections\n"
    "  --unserved      list the copies between devices that the stream's own context does not serve, though another\n"
    "                  would, from the facts or from --answers; asks nobody\n"
    "Exits with 0 if all agree, 1 if something differs, 2 if it cannot run, 77 if this machine shows none of it.\n";

const struct section *const sections[] = {
    &copiesSection,
    &perThreadSection,
    &wildPointersSection,
    &streamsSection,
    &pointersSection,
    &rangesSection,
    &stackSection,
    &argumentsSection,
    &batchArgumentsSection,
    &capturesSection,
    &captureQueriesSection,
    &graphsSection,
    &entriesSection,
    &entryPointsSection,
    &behaviourSection,
    &lifetimesSection,
    &accessOrderSection,
    &devicesSection,
    &thirdDeviceSection,
    &devicesPointersSection,
    &safeSection,
    &guardedSection,
    &safeBatchArgumentsSection,
    &safeCapturesSection,
    &attributesSection,
    &devicesWithAttributesSection,
    &safeDevicesSection,
    NULL,
};
enum { MOST_SECTIONS = sizeof(sections) / sizeof(sections[0]) };

static const struct section *sectionNamed(const char *name)
{
    for (size_t i = 0; sections[i]; i++)
        if (strcmp(sections[i]->name, name) == 0)
            return sections[i];
    return strcmp(name, aboutSection.name) == 0 ? &aboutSection : NULL;
}

static int playChild(char **arguments)
{
    const struct section *const section = sectionNamed(arguments[0]);
    if (!section)
        return 3;
    return playSection(section, (int)strtol(arguments[1], NULL, 10), (int)strtol(arguments[2], NULL, 10),
                       (int)strtol(arguments[3], NULL, 10));
}

static bool recordSection(const struct section *section, const struct showing *showing, const struct about *about,
                          const char *directory)
{
    char path[4096];
    char comment[1024];
    if (section->promises || showing->broken)
        return true;
    mkdir(directory, 0777);
    (void)snprintf(path, sizeof(path), "%s/%s.tsv", directory, section->name);
    (void)snprintf(comment, sizeof(comment), "# %s\n# measured: %d x %s, driver %s, %s\n", section->about,
                   about->devices, about->device, about->driver, about->date);
    return factsWrite(&showing->facts, path, comment, section->columns);
}

struct options {
    const char *compare, *record, *answers, *report;
    int jobs;
    double seconds; /* 0: as long as it takes */
    bool unserved;
};

/* What `record` wrote of a section; an empty showing, and false, if it wrote nothing. */
static bool readAnswers(const struct section *section, const char *directory, struct showing *showing)
{
    char path[4096];
    (void)snprintf(path, sizeof(path), "%s/%s.tsv", directory, section->name);
    *showing = (struct showing){.lacks = textCopy("what was not recorded")};
    return !section->promises && factsRead(&showing->facts, path);
}

static const char *known(struct showing *showing, const char *what)
{
    const char *const answer = factsFind(&showing->facts, what);
    return answer ? answer : "";
}

static bool learnAbout(const struct options *options, struct about *about)
{
    const struct section *const only = &aboutSection;
    struct showing showing;
    if (options->answers && !readAnswers(only, options->answers, &showing))
        return false;
    if (!options->answers)
        runSections(&only, 1, 1, 0, &showing);
    if (showing.broken) {
        (void)fprintf(stderr, "conformance: no driver to ask: %s", showing.broken);
        return false;
    }
    about->simulated = strcmp(known(&showing, "simulated"), "yes") == 0;
    about->devices = (int)strtol(known(&showing, "devices"), NULL, 10);
    about->version = (int)strtol(known(&showing, "version"), NULL, 10);
    about->driver = textCopy(known(&showing, "driver"));
    about->device = textCopy(known(&showing, "device"));
    about->date = textCopy(known(&showing, "date"));
    if (options->record)
        recordSection(only, &showing, about, options->record);
    showingFree(&showing);
    return true;
}

static void writeRow(FILE *out, const char *name, struct tally tally, int processes, double seconds)
{
    (void)fprintf(out, "%-22s %7zu %7zu %10zu %7zu %9zu %10d %8.1f\n", name, tally.facts, tally.agree, tally.explained,
                  tally.differ, tally.unanswered, processes, seconds);
}

/* Compares and records each section; true if nothing differs. */
static bool reportSections(const struct section *const *chosen, struct showing *showings, size_t count,
                           const struct about *about, const struct options *options, FILE *out)
{
    struct tally all = {0};
    int processes = 0;
    double seconds = 0;
    bool good = true;
    char *details = NULL;
    size_t size = 0;
    FILE *const later = open_memstream(&details, &size);
    if (!later || !reportOpen(options->compare, about, later))
        return false;
    (void)fprintf(out, "cucopy conformance, %s\ndriver   %s\ndevices  %d x %s\n\n", about->date, about->driver,
                  about->devices, about->device);
    (void)fprintf(out, "%-22s %7s %7s %10s %7s %9s %10s %8s\n", "section", "facts", "agree", "explained", "differ",
                  "not shown", "processes", "seconds");
    for (size_t i = 0; i < count; i++) {
        struct facts expected = {0};
        good = expectSection(chosen[i], options->compare, about->version, &expected) && good;
        const struct tally tally = reportSection(chosen[i], &showings[i], &expected);
        writeRow(out, chosen[i]->name, tally, showings[i].processes, showings[i].seconds);
        all.facts += tally.facts;
        all.agree += tally.agree;
        all.explained += tally.explained;
        all.differ += tally.differ;
        all.unanswered += tally.unanswered;
        processes += showings[i].processes;
        seconds += showings[i].seconds;
        if (options->record)
            good = recordSection(chosen[i], &showings[i], about, options->record) && good;
        factsFree(&expected);
    }
    writeRow(out, "all", all, processes, seconds);
    (void)fclose(later);
    (void)fprintf(out, "\n%s", details);
    free(details);
    reportEnd();
    return good && all.differ == 0;
}

/* Leaves out what this machine has too few devices for, unless it was asked for by name. */
static size_t choose(char **names, int count, int devices, const struct section **chosen)
{
    size_t chosenCount = 0;
    for (int i = 0; i < count; i++) {
        const struct section *const section = sectionNamed(names[i]);
        if (!section) {
            (void)fprintf(stderr, "conformance: there is no section %s\n", names[i]);
            exit(2); /* NOLINT(concurrency-mt-unsafe) */
        }
        if (section->devices <= devices)
            chosen[chosenCount++] = section;
        else
            (void)printf("%s: skipped: wants %d devices, and there are %d\n", section->name, section->devices, devices);
    }
    for (size_t i = 0; !count && sections[i]; i++)
        if (sections[i]->devices <= devices)
            chosen[chosenCount++] = sections[i];
    return chosenCount;
}

static int parse(int count, char **arguments, struct options *options)
{
    static const struct option known[] = {
        {"compare", required_argument, NULL, 'c'}, {"record", required_argument, NULL, 'r'},
        {"answers", required_argument, NULL, 'a'}, {"report", required_argument, NULL, 'o'},
        {"jobs", required_argument, NULL, 'j'},    {"list", no_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},          {"seconds", required_argument, NULL, 's'},
        {"unserved", no_argument, NULL, 'u'},      {NULL, 0, NULL, 0},
    };
    for (int option = 0; (option = getopt_long(count, arguments, "", known, NULL)) != -1;) /* NOLINT */
        switch (option) {
        case 'c':
            options->compare = optarg;
            break;
        case 'r':
            options->record = optarg;
            break;
        case 'a':
            options->answers = optarg;
            break;
        case 'o':
            options->report = optarg;
            break;
        case 'j':
            options->jobs = (int)strtol(optarg, NULL, 10);
            break;
        case 's':
            options->seconds = strtod(optarg, NULL);
            break;
        case 'u':
            options->unserved = true;
            break;
        case 'l':
            for (size_t i = 0; sections[i]; i++)
                (void)printf("%-22s %s\n", sections[i]->name, sections[i]->about);
            return 0;
        case 'h':
            (void)fputs(usage, stdout);
            return 0;
        default:
            (void)fputs(usage, stderr);
            return 2;
        }
    return -1;
}

/* Keeps the sections that were recorded. */
static size_t readAll(const struct section **chosen, size_t count, const char *directory, struct showing *showings)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!chosen[i]->promises && readAnswers(chosen[i], directory, &showings[kept]))
            chosen[kept++] = chosen[i];
    return kept;
}

static bool copyTo(const char *path, const char *text)
{
    FILE *const file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        perror(path);
        return false;
    }
    return true;
}

int main(int count, char **arguments)
{
    struct options options = {.compare = CONFORMANCE_FACTS, .jobs = 2};
    struct about about = {0};
    const struct section *chosen[MOST_SECTIONS];
    static struct showing showings[MOST_SECTIONS];
    if (count == 6 && strcmp(arguments[1], "--child") == 0)
        return playChild(arguments + 2);
    const int parsed = parse(count, arguments, &options);
    if (parsed >= 0)
        return parsed;
    if (options.unserved)
        return listUnserved(options.answers ? options.answers : options.compare, stdout) ? 0 : 2;
    if (!learnAbout(&options, &about))
        return 2;
    size_t chosenCount = choose(arguments + optind, count - optind, about.devices, chosen);
    if (!chosenCount)
        return 77;
    if (options.answers)
        chosenCount = readAll(chosen, chosenCount, options.answers, showings);
    else
        runSections(chosen, chosenCount, options.jobs, options.seconds, showings);

    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);
    if (!out)
        return 2;
    bool good = reportSections(chosen, showings, chosenCount, &about, &options, out);
    (void)fclose(out);
    (void)fputs(text, stdout);
    if (options.report)
        good = copyTo(options.report, text) && good;
    free(text);
    for (size_t i = 0; i < chosenCount; i++)
        showingFree(&showings[i]);
    free(about.driver);
    free(about.device);
    free(about.date);
    return good ? 0 : 1;
}
