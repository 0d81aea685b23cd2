/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver: where it came from, whether it can be used at all, its devices, and which entry points it has.
 *
 * The names of the entry points come from the raw layer's own table, the one place where they are listed; this file is
 * the only one of the doctor's that looks behind the public headers.
 */
#define _GNU_SOURCE /* RTLD_NOLOAD */
#include "tool/report.h"

#include "drv/rows.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define CUDRV_ONE(name, lookup, version, plain, stream, toolkit, pfn, count, ...) {"cu" #name, version},
const struct entry doctorEntries[] = {
#include "drv/entries.h"
};
#undef CUDRV_ONE
const int doctorEntryCount = sizeof(doctorEntries) / sizeof(doctorEntries[0]);
_Static_assert(sizeof(doctorEntries) / sizeof(doctorEntries[0]) <= ENTRIES, "ENTRIES is too small");

/* The CUDA version that brought cuStreamGetCtx. */
enum { OLDEST = 9020 };

static void problem(struct report *report, const char *text, const char *remedy)
{
    (void)snprintf(report->problem, sizeof(report->problem), "%s", text);
    (void)snprintf(report->remedy, sizeof(report->remedy), "%s", remedy);
}

/* Only the simulated driver exports functions of cusim.h. */
static int isSimulated(const char *path)
{
    void *const library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    const int found = library && dlsym(library, "cusimReset");
    if (library)
        (void)dlclose(library);
    return found;
}

static void findDriver(struct report *report)
{
    const CUresult result = cudrvLoad(NULL);
    if (result == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED)
        problem(report, cudrvLoadError(),
                "Install the NVIDIA driver, or put the folder of its libcuda.so.1 into LD_LIBRARY_PATH. Without a GPU, "
                "the simulated driver will do: put the folder of that one there.");
    else if (result != CUDA_SUCCESS)
        problem(report, cudrvLoadError(), "");
    if (result != CUDA_SUCCESS)
        return;

    /* The real name of the file usually holds the driver's own version. */
    char real[PATH_MAX];
    const char *const path = realpath(cudrvPath(), real) ? real : cudrvPath();
    (void)snprintf(report->path, sizeof(report->path), "%s", path);
    report->simulated = isSimulated(cudrvPath());
    (void)cudrvDriverGetVersion(&report->version);
    for (int i = 0; i < doctorEntryCount; i++)
        report->has[i] = (char)cudrvHas(doctorEntries[i].name);
}

static void initialise(struct report *report)
{
    char text[512];
    const CUresult result = cudrvInit(0);
    if (result == CUDA_SUCCESS && cudrvHas("cuStreamGetCtx") && report->version >= OLDEST)
        return;
    const char *remedy = "nvidia-smi, and the system's log, may say more.";
    if (result == CUDA_SUCCESS) {
        (void)snprintf(text, sizeof(text),
                       "This driver (CUDA %d.%d) has no cuStreamGetCtx, without which a stream's context cannot be "
                       "found.",
                       report->version / 1000, report->version % 1000 / 10);
        remedy = "It came with CUDA 9.2: a driver of that version or later is needed.";
    } else if (result == CUDA_ERROR_NO_DEVICE) {
        const char *const visible = getenv("CUDA_VISIBLE_DEVICES"); /* NOLINT(concurrency-mt-unsafe): one thread */
        (void)snprintf(text, sizeof(text), "The driver is there but sees no device (CUDA_ERROR_NO_DEVICE).");
        if (visible)
            remedy = "CUDA_VISIBLE_DEVICES is set and may hide them; otherwise ask nvidia-smi.";
    } else {
        (void)snprintf(text, sizeof(text), "The driver does not start: cuInit says %s.", cudrvResultName(result));
    }
    problem(report, text, remedy);
}

static void describe(struct device *device, CUdevice handle)
{
    (void)cudrvDeviceGetName(device->name, sizeof(device->name), handle);
    (void)cudrvDeviceGetPCIBusId(device->pci, sizeof(device->pci), handle);
    (void)cudrvDeviceTotalMem(&device->bytes, handle);
    (void)cudrvDeviceGetAttribute(&device->major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, handle);
    (void)cudrvDeviceGetAttribute(&device->minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, handle);
}

static void listDevices(struct report *report)
{
    const CUresult result = cudrvDeviceGetCount(&report->deviceCount);
    if (result != CUDA_SUCCESS || report->deviceCount < 1)
        problem(report, "The driver started but lists no device.", "nvidia-smi may say why.");
    for (int i = 0; i < report->deviceCount && i < DEVICES; i++) {
        CUdevice handle = 0;
        if (cudrvDeviceGet(&handle, i) == CUDA_SUCCESS)
            describe(&report->devices[i], handle);
    }
}

void doctorInspect(struct report *report)
{
    findDriver(report);
    if (!report->problem[0])
        initialise(report);
    if (!report->problem[0])
        listDevices(report);
}
