/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which driver and devices these are.
 */
#include "sections.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* The simulated driver has functions of its own. */
static bool isSimulated(void)
{
    void *const driver = dlopen(cudrvPath(), RTLD_NOW | RTLD_NOLOAD);
    const bool simulated = driver && dlsym(driver, "cusimReset");
    if (driver)
        dlclose(driver);
    return simulated;
}

/* "580.159.04" of the kernel module's line. */
static void moduleVersion(char *text, size_t size)
{
    FILE *const file = fopen("/proc/driver/nvidia/version", "r");
    char line[256] = "";
    const char *version = NULL;
    if (file && fgets(line, sizeof(line), file))
        for (char *word = strtok(line, " "); word && !version; word = strtok(NULL, " ")) /* NOLINT */
            if (word[0] >= '1' && word[0] <= '9' && strchr(word, '.'))
                version = word;
    (void)snprintf(text, size, "%s", version ? version : "of unknown version");
    if (file)
        (void)fclose(file);
}

static void play(void)
{
    char name[128] = "";
    char module[64];
    int version = 0;
    int count = 0;
    const time_t now = time(NULL);
    MUST(cudrvLoad(NULL));
    MUST(cudrvDriverGetVersion(&version));
    MUST(cudrvInit(0));
    MUST(cudrvDeviceGetCount(&count));
    if (count > 0)
        MUST(cudrvDeviceGetName(name, sizeof(name), 0));
    if (!scene("about"))
        return;
    within("simulated");
    answer("%s", isSimulated() ? "yes" : "no");
    within("devices");
    answer("%d", count);
    within("version");
    answer("%d", version);
    within("device");
    answer("%s", name);
    within("date");
    (void)strftime(module, sizeof(module), "%Y-%m-%d", gmtime(&now)); /* NOLINT(concurrency-mt-unsafe): one thread */
    answer("%s", module);
    moduleVersion(module, sizeof(module));
    within("driver");
    if (isSimulated())
        answer("simulated, CUDA %d.%d", version / 1000, version % 1000 / 10);
    else
        answer("%s, CUDA %d.%d", module, version / 1000, version % 1000 / 10);
}

const struct section aboutSection = {
    .name = "about", .columns = "what\tanswer", .about = "The driver and the devices.", .play = play, .parts = 1};
