/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report for a program. docs/cucopy-doctor.schema.json says what every field means; fields are added, never
 * changed.
 */
#include "tool/json.h"
#include "tool/report.h"

#include <cucopy/version.h>
#include <string.h>

static const char *const memoryNames[MEMORIES] = {
    [PLAIN] = "plain",       [POOL] = "pool",     [VMM] = "vmm",           [CLOSED] = "vmm_without_access",
    [ARRAY] = "array",       [PINNED] = "pinned", [PAGEABLE] = "pageable", [FAR_PLAIN] = "far_plain",
    [FAR_POOL] = "far_pool",
};

static void writeDriver(struct json *json, const struct report *report)
{
    doctorJsonOpen(json, "driver", '{');
    doctorJsonText(json, "path", report->path[0] ? report->path : NULL);
    doctorJsonNumber(json, "version", report->version);
    doctorJsonFlag(json, "simulated", report->simulated);
    doctorJsonText(json, "problem", report->problem[0] ? report->problem : NULL);
    doctorJsonText(json, "remedy", report->remedy[0] ? report->remedy : NULL);
    doctorJsonClose(json, '}');
}

static void writeDevices(struct json *json, const struct report *report)
{
    doctorJsonOpen(json, "devices", '[');
    for (int i = 0; i < report->deviceCount && i < DEVICES; i++) {
        const struct device *const device = &report->devices[i];
        doctorJsonOpen(json, NULL, '{');
        doctorJsonText(json, "name", device->name);
        doctorJsonNumber(json, "memory", (long long)device->bytes);
        doctorJsonNumber(json, "compute_capability_major", device->major);
        doctorJsonNumber(json, "compute_capability_minor", device->minor);
        doctorJsonText(json, "pci", device->pci);
        doctorJsonClose(json, '}');
    }
    doctorJsonClose(json, ']');
}

static void writeEntries(struct json *json, const struct report *report)
{
    doctorJsonOpen(json, "functions", '{');
    doctorJsonNumber(json, "known", doctorEntryCount);
    doctorJsonOpen(json, "missing", '[');
    for (int i = 0; report->path[0] && i < doctorEntryCount; i++) {
        if (report->has[i])
            continue;
        doctorJsonOpen(json, NULL, '{');
        doctorJsonText(json, "name", doctorEntries[i].name);
        doctorJsonNumber(json, "version", doctorEntries[i].version);
        doctorJsonClose(json, '}');
    }
    doctorJsonClose(json, ']');
    doctorJsonClose(json, '}');
}

static void writeVerdict(struct json *json, const struct report *report)
{
    const struct verdict verdict = doctorJudge(report);
    doctorJsonOpen(json, "verdict", '{');
    doctorJsonText(json, "failure", report->failure[0] ? report->failure : NULL);
    doctorJsonFlag(json, "gave_up", report->gaveUp);
    doctorJsonNumber(json, "raw_tried", verdict.rawTried);
    doctorJsonNumber(json, "raw_refused", verdict.rawRefused);
    doctorJsonNumber(json, "raw_crashed", verdict.rawCrashed);
    doctorJsonNumber(json, "safe_tried", verdict.safeTried);
    doctorJsonNumber(json, "safe_arrived", verdict.safeArrived);
    doctorJsonNumber(json, "safe_refused_as_it_must_be", verdict.safeRefused);
    doctorJsonNumber(json, "safe_wrong", verdict.safeWrong);
    doctorJsonNumber(json, "safe_stack_changed", verdict.stackChanged);
    doctorJsonClose(json, '}');
}

static void writeTrial(struct json *json, const struct trial *trial, enum current current, enum layer layer)
{
    static const char *const currents[CURRENTS] = {[NONE] = "none", [OTHER] = "other", [STREAMS] = "stream"};
    static const char *const outcomes[OUTCOMES] = {
        [UNTRIED] = "not_tried", [NO_MEMORY] = "no_memory", [ARRIVED] = "arrived", [REFUSED] = "refused",
        [LOST] = "wrong_bytes",  [CRASHED] = "crashed",     [HUNG] = "hung",       [ABSENT] = "absent",
    };
    const int returned = trial->outcome == ARRIVED || trial->outcome == REFUSED || trial->outcome == LOST;
    doctorJsonOpen(json, NULL, '{');
    doctorJsonText(json, "current", currents[current]);
    doctorJsonText(json, "layer", layer == SAFE ? "safe" : "raw");
    doctorJsonText(json, "outcome", outcomes[trial->outcome]);
    doctorJsonText(json, "result", returned ? cudrvResultName(trial->result) : NULL);
    doctorJsonNumber(json, "signal", trial->signal);
    doctorJsonFlag(json, "bytes_moved_although_refused", trial->moved);
    doctorJsonFlag(json, "stack_kept", !trial->stackChanged);
    if (trial->explanation[0])
        doctorJsonText(json, "explanation", trial->explanation);
    doctorJsonClose(json, '}');
}

static void writeCopies(struct json *json, const struct report *report)
{
    doctorJsonOpen(json, "copies", '[');
    for (int i = 0; i < report->rowCount; i++) {
        const struct row *const row = &report->rows[i];
        if (!doctorIsPossible(row))
            continue;
        doctorJsonOpen(json, NULL, '{');
        doctorJsonText(json, "function", doctorCopies[row->copy].name);
        doctorJsonText(json, "from", memoryNames[row->src]);
        doctorJsonText(json, "to", memoryNames[row->dst]);
        doctorJsonFlag(json, "must_fail", row->mustFail);
        doctorJsonOpen(json, "trials", '[');
        for (enum current current = NONE; current < CURRENTS; current++)
            for (enum layer layer = RAW; layer < LAYERS; layer++)
                writeTrial(json, &row->trials[current][layer], current, layer);
        doctorJsonClose(json, ']');
        doctorJsonClose(json, '}');
    }
    doctorJsonClose(json, ']');
}

static void writeMissingMemory(struct json *json, const struct report *report)
{
    doctorJsonOpen(json, "missing_memory", '[');
    for (enum memory memory = PLAIN; memory < MEMORIES; memory++) {
        if (!report->missingMemory[memory][0])
            continue;
        doctorJsonOpen(json, NULL, '{');
        doctorJsonText(json, "memory", memoryNames[memory]);
        doctorJsonText(json, "why", report->missingMemory[memory]);
        doctorJsonClose(json, '}');
    }
    doctorJsonClose(json, ']');
}

void doctorPrintJson(const struct report *report, FILE *out)
{
    struct json json = {.out = out};
    char version[32];
    (void)snprintf(version, sizeof(version), "%d.%d.%d", CUCOPY_VERSION_MAJOR, CUCOPY_VERSION_MINOR,
                   CUCOPY_VERSION_PATCH);
    doctorJsonOpen(&json, NULL, '{');
    doctorJsonText(&json, "cucopy", version);
    writeDriver(&json, report);
    writeDevices(&json, report);
    writeEntries(&json, report);
    if (!report->problem[0]) {
        doctorJsonNumber(&json, "device", report->home);
        doctorJsonNumber(&json, "other_device", report->other);
        doctorJsonNumber(&json, "bytes", BYTES);
        writeVerdict(&json, report);
        writeMissingMemory(&json, report);
        writeCopies(&json, report);
    }
    doctorJsonClose(&json, '}');
}
