/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report for a reader: what is here, the verdict, and one table, worst first. A line of the table is a copy and a
 * kind of memory; what behaves alike shares a line. At most WIDE columns.
 */
#include "tool/report.h"

#include "tool/lines.h"
#include <cucopy/version.h>
#include <string.h>

enum { WIDE = 100, NAME = 21, MEMORY = 18, CELL = 15 };

struct page {
    const struct report *report;
    FILE *out;
    int colour;
    struct line lines[ROWS];
    int lineCount;
};

enum paint { PLAINLY, GOOD, DOUBTFUL, BAD, BOLD };

static const char *const paints[] = {
    [GOOD] = "\033[32m", [DOUBTFUL] = "\033[33m", [BAD] = "\033[31;1m", [BOLD] = "\033[1m"};

/* Padded to width on the right, so that colour does not count. */
static void print(const struct page *page, enum paint paint, int width, const char *text)
{
    const int coloured = page->colour && paint != PLAINLY;
    (void)fprintf(page->out, "%s%-*s%s", coloured ? paints[paint] : "", width, text, coloured ? "\033[0m" : "");
}

static const char *version(int number, char *text, size_t size)
{
    (void)snprintf(text, size, "%d.%d", number / 1000, number % 1000 / 10);
    return text;
}

/* The words of one line of text, of that length, in lines of at most WIDE columns that begin at indent. */
static void printParagraph(const struct page *page, int indent, const char *text, size_t length)
{
    const char *const end = text + length;
    int column = indent;
    while (text < end) {
        const int gap = (int)strspn(text, " ");
        const int word = (int)strcspn(text + gap, " \n");
        const int fits = column == indent || column + gap + word <= WIDE;
        if (!fits)
            (void)fprintf(page->out, "\n%*s", indent, "");
        (void)fprintf(page->out, "%*s%.*s", fits ? gap : 0, "", word, text + gap);
        column = (fits ? column + gap : indent) + word;
        text += gap + word;
    }
    (void)fprintf(page->out, "\n");
}

/* ---- What is here ---- */

static void printDevices(const struct page *page)
{
    const struct report *const report = page->report;
    for (int i = 0; i < report->deviceCount && i < DEVICES; i++) {
        const struct device *const device = &report->devices[i];
        (void)fprintf(page->out, "device %-2d  %s, %.1f GiB, compute capability %d.%d, %s\n", i, device->name,
                      (double)device->bytes / (1 << 30), device->major, device->minor, device->pci);
    }
}

/* A function and its per-thread variant are one name here, if both are missing. */
static int isVariantOfMissing(const struct report *report, int index)
{
    const char *const name = doctorEntries[index].name;
    const size_t length = strlen(name);
    return index > 0 && !report->has[index - 1] && length > 5 && name[length - 5] == '_' &&
           strlen(doctorEntries[index - 1].name) == length - 5 &&
           !strncmp(name, doctorEntries[index - 1].name, length - 5);
}

static int nextVersion(const struct report *report, int after)
{
    int next = 0;
    for (int i = 0; i < doctorEntryCount; i++)
        if (!report->has[i] && doctorEntries[i].version > after && (!next || doctorEntries[i].version < next))
            next = doctorEntries[i].version;
    return next;
}

static void printEntries(const struct page *page)
{
    const struct report *const report = page->report;
    const int indent = 17;
    char since[16];
    int missing = 0;
    for (int i = 0; i < doctorEntryCount; i++)
        missing += !report->has[i];
    (void)fprintf(page->out, "entries    %d of the %d that cucopy calls%s\n", doctorEntryCount - missing,
                  doctorEntryCount, missing ? "; missing, by the CUDA version that brought them:" : "");
    for (int v = nextVersion(report, 0); v; v = nextVersion(report, v)) {
        char names[ENTRIES * 48] = "";
        size_t length = 0;
        for (int i = 0; i < doctorEntryCount; i++)
            if (!report->has[i] && doctorEntries[i].version == v && !isVariantOfMissing(report, i))
                length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s", length ? ", " : "",
                                           doctorEntries[i].name);
        (void)fprintf(page->out, "%*s%-6s", indent - 6, "", version(v, since, sizeof(since)));
        printParagraph(page, indent, names, length);
    }
}

static void printDriver(const struct page *page)
{
    const struct report *const report = page->report;
    const int indent = 11;
    char number[16];
    if (report->path[0])
        (void)fprintf(page->out, "driver     %s, CUDA %s\n           %s\n",
                      report->simulated ? "the simulated one" : "NVIDIA's",
                      version(report->version, number, sizeof(number)), report->path);
    if (report->problem[0]) {
        print(page, BAD, 0, "no driver  ");
        printParagraph(page, indent, report->problem, strlen(report->problem));
        if (report->remedy[0]) {
            (void)fprintf(page->out, "%*s", indent, "");
            printParagraph(page, indent, report->remedy, strlen(report->remedy));
        }
        return;
    }
    printDevices(page);
    printEntries(page);
}

/* ---- The verdict ---- */

static const char *otherName(const struct report *report, char *text, size_t size)
{
    if (report->other == report->home)
        (void)snprintf(text, size, "another");
    else
        (void)snprintf(text, size, "device %d's", report->other);
    return text;
}

/* The far kinds only say something of their own if the near ones are there. */
static void printMissingMemory(const struct page *page)
{
    static const enum memory kinds[] = {PLAIN, POOL, VMM, ARRAY, PINNED};
    const char(*const missing)[WHY] = page->report->missingMemory;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (missing[kinds[i]][0])
            (void)fprintf(page->out, "  no %s memory: %s\n", doctorMemoryName(kinds[i]), missing[kinds[i]]);
    if (missing[FAR_PLAIN][0] && !missing[PLAIN][0])
        (void)fprintf(page->out, "  no plain memory in the other context: %s\n", missing[FAR_PLAIN]);
    if (missing[FAR_POOL][0] && !missing[POOL][0])
        (void)fprintf(page->out, "  no pool memory in the other context: %s\n", missing[FAR_POOL]);
}

static void printVerdict(const struct page *page)
{
    const struct report *const report = page->report;
    const struct verdict verdict = doctorJudge(report);
    char other[32];
    char wrong[32];
    if (report->failure[0]) {
        print(page, BAD, 0, report->step ? "Not all copies could be tried: " : "No copy could be tried: ");
        (void)fprintf(page->out, "%s\n", report->failure);
    }
    if (!report->step)
        return;
    (void)snprintf(wrong, sizeof(wrong), "%d WENT WRONG", verdict.safeWrong);
    (void)fprintf(page->out, "%d KiB on a stream of device %d; current: no context, %s, or the stream's.\n",
                  BYTES / 1024, report->home, otherName(report, other, sizeof(other)));
    (void)fprintf(page->out, "  raw    %d copies tried: %d refused, %d crashed the driver\n", verdict.rawTried,
                  verdict.rawRefused, verdict.rawCrashed);
    (void)fprintf(page->out, "  safe   %d copies tried: %d arrived, %d refused as they must be, ", verdict.safeTried,
                  verdict.safeArrived, verdict.safeRefused);
    print(page, verdict.safeWrong ? BAD : GOOD, 0, verdict.safeWrong ? wrong : "none went wrong");
    (void)fprintf(page->out, "\n  stack  ");
    print(page, verdict.stackChanged ? BAD : GOOD, 0,
          verdict.stackChanged ? "NOT always what it was before a safe copy" : "the same after every safe copy");
    (void)fprintf(page->out, "\n");
    if (report->gaveUp)
        (void)fprintf(page->out, "  The driver spoiled one process after another, so the rest was not tried.\n");
    printMissingMemory(page);
}

/* ---- The table ---- */

/* "INVALID_VALUE", or if that does not fit, the number. */
static const char *cellText(const struct trial *trial, char *text, size_t size)
{
    static const char *const names[OUTCOMES] = {
        [UNTRIED] = "not tried", [NO_MEMORY] = "no memory", [ARRIVED] = "ok", [REFUSED] = "",
        [LOST] = "wrong bytes",  [CRASHED] = "crashed",     [HUNG] = "hung",  [ABSENT] = "absent",
    };
    const char *const name = cudrvResultName(trial->result);
    const size_t prefix = strlen("CUDA_ERROR_");
    if (trial->stackChanged)
        (void)snprintf(text, size, "stack changed");
    else if (trial->outcome == CRASHED && trial->signal)
        (void)snprintf(text, size, "crashed (%d)", trial->signal);
    else if (trial->outcome != REFUSED)
        (void)snprintf(text, size, "%s", names[trial->outcome]);
    else if (strlen(name) - prefix < CELL)
        (void)snprintf(text, size, "%s", name + prefix);
    else
        (void)snprintf(text, size, "error %d", (int)trial->result);
    return text;
}

static void printRawCell(const struct page *page, const struct trial *trial)
{
    char text[32];
    print(page, trial->outcome == ARRIVED ? PLAINLY : DOUBTFUL, CELL, cellText(trial, text, sizeof(text)));
}

/* One cell for all three, if they are alike. */
static void printSafeCells(const struct page *page, const struct row *row)
{
    char text[CURRENTS][32];
    int right = 1;
    for (enum current current = NONE; current < CURRENTS; current++) {
        (void)cellText(&row->trials[current][SAFE], text[current], sizeof(text[current]));
        right = right && doctorSafeIsRight(row, current);
    }
    const enum paint paint = right ? GOOD : BAD;
    if (!strcmp(text[NONE], text[OTHER]) && !strcmp(text[NONE], text[STREAMS])) {
        print(page, paint, 0, text[NONE]);
        return;
    }
    print(page, paint, 0, "see below");
    (void)fprintf(page->out, "\n%*ssafe:%*s", NAME, "", MEMORY - 5, "");
    for (enum current current = NONE; current < CURRENTS; current++)
        print(page, paint, CELL, text[current]);
}

static void printLine(const struct page *page, const struct line *line, const char *previous)
{
    const char *const name = doctorCopies[line->row->copy].name;
    if (strlen(name) >= NAME && strcmp(name, previous) != 0)
        (void)fprintf(page->out, "%s\n%*s", name, NAME, "");
    else
        (void)fprintf(page->out, "%-*s", NAME, strcmp(name, previous) != 0 ? name : "");
    (void)fprintf(page->out, "%-*s", MEMORY, line->memory);
    for (enum current current = NONE; current < CURRENTS; current++)
        printRawCell(page, &line->row->trials[current][RAW]);
    printSafeCells(page, line->row);
    (void)fprintf(page->out, "\n");
}

static void printSection(const struct page *page, enum section section)
{
    static const char *const titles[SECTIONS] = {
        [SAFE_WRONG] = "THE SAFE COPY WENT WRONG",
        [RAW_FAILS] = "The raw copy fails, the safe one arrives",
        [MUST_FAIL] = "VMM memory that no device may access: an error, as it must be",
        [ABSENT_COPY] = "Copies that this driver does not have",
        [BOTH_WORK] = "Raw or safe, they arrive",
    };
    const char *previous = "";
    for (int i = 0; i < page->lineCount; i++) {
        const struct line *const line = &page->lines[i];
        if (line->section != section)
            continue;
        if (!previous[0]) {
            (void)fprintf(page->out, "\n");
            print(page, section == SAFE_WRONG ? BAD : BOLD, 0, titles[section]);
            (void)fprintf(page->out, "\n");
        }
        printLine(page, line, previous);
        previous = doctorCopies[line->row->copy].name;
    }
}

static void printTable(const struct page *page)
{
    char other[32];
    (void)fprintf(page->out, "\n%*sraw, with this context current:%*ssafe,\n", NAME + MEMORY, "",
                  3 * CELL - (int)strlen("raw, with this context current:"), "");
    (void)fprintf(page->out, "%-*s%-*s%-*s%-*s%-*s%s\n", NAME, "copy", MEMORY, "memory", CELL, "none", CELL,
                  otherName(page->report, other, sizeof(other)), CELL, "the stream's", "with any of them");
    for (enum section section = 0; section < SECTIONS; section++)
        printSection(page, section);
}

/* ---- The explanations ---- */

/* Line by line, as far in as it was and four columns more. */
static void printIndented(const struct page *page, const char *text)
{
    while (*text) {
        const int indent = 4 + (int)strspn(text, " ");
        text += indent - 4;
        const size_t length = strcspn(text, "\n");
        (void)fprintf(page->out, "%*s", indent, "");
        printParagraph(page, indent, text, length);
        text += length + (text[length] == '\n');
    }
}

/* Of a line's raw copies that failed, the first: they fail for one reason. */
static void printExplanation(const struct page *page, const struct line *line)
{
    static const char *const current[] = {"no context", "another context", "the stream's context"};
    const struct row *const row = line->row;
    enum current at = NONE;
    while (at < CURRENTS && (row->trials[at][RAW].outcome == ARRIVED || row->trials[at][RAW].outcome == ABSENT))
        at++;
    if (at == CURRENTS)
        return;
    const struct trial *trial = &row->trials[at][RAW];
    (void)fprintf(page->out, "\n");
    print(page, BOLD, 0, doctorCopies[row->copy].name);
    (void)fprintf(page->out, ", %s, with %s current:\n", line->memory, current[at]);
    if (trial->outcome == CRASHED) {
        (void)fprintf(page->out, "    It crashes inside the driver. The safe copy of the same bytes says:\n");
        trial = &row->trials[at][SAFE];
    }
    printIndented(page, trial->explanation);
}

static void printExplanations(const struct page *page)
{
    for (enum section section = 0; section < SECTIONS; section++)
        for (int i = 0; i < page->lineCount; i++)
            if (page->lines[i].section == section)
                printExplanation(page, &page->lines[i]);
}

void doctorPrintText(const struct report *report, FILE *out, int colour)
{
    struct page page = {.report = report, .out = out, .colour = colour};
    (void)fprintf(out, "cucopy-doctor %d.%d.%d\n\n", CUCOPY_VERSION_MAJOR, CUCOPY_VERSION_MINOR, CUCOPY_VERSION_PATCH);
    printDriver(&page);
    if (report->problem[0])
        return;
    (void)fprintf(out, "\n");
    printVerdict(&page);
    if (!report->step)
        return;
    page.lineCount = doctorLines(report, page.lines);
    printTable(&page);
    if (report->explain)
        printExplanations(&page);
}
