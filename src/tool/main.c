/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cucopy-doctor: what the CUDA driver here is, what it lacks, and what becomes of each asynchronous copy when no
 * context, another one, or the stream's own is current; straight through the driver, and through the safe layer.
 */
#include "tool/report.h"

#include <cucopy/version.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_GOOD = 0, STATUS_BAD = 1, STATUS_USAGE = 2, STATUS_NO_DRIVER = 3 };

struct options {
    int json;
    int explain;
    int device;
};

static void printHelp(void)
{
    (void)printf("usage: cucopy-doctor [--json] [--explain] [--device N]\n"
                 "\n"
                 "Tries every asynchronous copy of the CUDA driver with no context current, with another one and with\n"
                 "the stream's own, through the driver's function (raw) and through cucopy's (safe), and compares the\n"
                 "bytes and the context stack. Copies that crash the driver do so in a process of their own.\n"
                 "\n"
                 "  --device N   the device of the stream; otherwise 1 if there are two or more, else 0\n"
                 "  --explain    say of each copy that fails why, and what to do\n"
                 "  --json       the same as JSON\n"
                 "  --help       this text\n"
                 "  --version    the version of cucopy\n"
                 "\n"
                 "Exit status: 0 every safe copy worked and kept the context stack; 1 one did not; 2 wrong usage;\n"
                 "3 no driver that can be used, or no device. Colour: on a terminal, unless NO_COLOR is set.\n");
}

/* A number of digits only; -1 for anything else. */
static int parseDevice(const char *text)
{
    char *end = NULL;
    errno = 0;
    const long number = strtol(text, &end, 10);
    return end == text || *end || errno || number < 0 || number > INT_MAX ? -1 : (int)number;
}

/* Returns a status to end with, or -1 to go on. */
static int parse(int argc, char **argv, struct options *options)
{
    static const struct option known[] = {
        {"json", no_argument, NULL, 'j'}, {"explain", no_argument, NULL, 'e'}, {"device", required_argument, NULL, 'd'},
        {"help", no_argument, NULL, 'h'}, {"version", no_argument, NULL, 'v'}, {NULL, 0, NULL, 0},
    };
    int option = 0;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) { /* NOLINT(concurrency-mt-unsafe): one thread */
        switch (option) {
        case 'j':
            options->json = 1;
            break;
        case 'e':
            options->explain = 1;
            break;
        case 'd':
            options->device = parseDevice(optarg);
            if (options->device < 0) {
                (void)fprintf(stderr, "cucopy-doctor: --device wants a number, not \"%s\"\n", optarg);
                return STATUS_USAGE;
            }
            break;
        case 'h':
            printHelp();
            return STATUS_GOOD;
        case 'v':
            (void)printf("cucopy-doctor %d.%d.%d\n", CUCOPY_VERSION_MAJOR, CUCOPY_VERSION_MINOR, CUCOPY_VERSION_PATCH);
            return STATUS_GOOD;
        default:
            (void)fprintf(stderr, "Try cucopy-doctor --help.\n");
            return STATUS_USAGE;
        }
    }
    if (optind < argc) {
        (void)fprintf(stderr, "cucopy-doctor: what is \"%s\"? Try cucopy-doctor --help.\n", argv[optind]);
        return STATUS_USAGE;
    }
    return -1;
}

/* NOLINTBEGIN(concurrency-mt-unsafe): one thread */
static int wantsColour(void)
{
    const char *const none = getenv("NO_COLOR");
    const char *const terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(none && *none) && terminal && strcmp(terminal, "dumb") != 0;
}
/* NOLINTEND(concurrency-mt-unsafe) */

static int statusOf(const struct report *report)
{
    if (report->problem[0])
        return STATUS_NO_DRIVER;
    const struct verdict verdict = doctorJudge(report);
    return report->failure[0] || verdict.safeWrong || !verdict.safeTried ? STATUS_BAD : STATUS_GOOD;
}

static void repeat(FILE *words)
{
    int letter = 0;
    rewind(words);
    while ((letter = fgetc(words)) != EOF)
        (void)fputc(letter, stderr);
}

static int examine(const struct options *options)
{
    FILE *const words = tmpfile(); /* NULL where there is no place for one */
    const struct report *const report = doctorExamine(options->device, options->explain, words);
    if (!report) {
        perror("cucopy-doctor");
        return STATUS_BAD;
    }
    if (!report->problem[0] && report->home >= report->deviceCount) {
        (void)fprintf(stderr, "cucopy-doctor: there is no device %d; this driver has %d\n", report->home,
                      report->deviceCount);
        return STATUS_USAGE;
    }
    if (options->json)
        doctorPrintJson(report, stdout);
    else
        doctorPrintText(report, stdout, wantsColour());
    const int status = statusOf(report);
    if (words && status != STATUS_GOOD)
        repeat(words);
    return status;
}

int main(int argc, char **argv)
{
    struct options options = {.device = -1};
    int status = parse(argc, argv, &options);
    if (status < 0)
        status = examine(&options);
    if (fflush(stdout) || ferror(stdout)) {
        perror("cucopy-doctor: standard output");
        return STATUS_BAD;
    }
    return status;
}
