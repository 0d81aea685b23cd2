/* SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"

#include "gate.h"

#include <stdlib.h>

Settings settings;

static bool loaded;

/* The number in environment variable `name`, or `otherwise` if it is unset, no number or out of range. */
static int number(const char *name, int least, int most, int otherwise)
{
    const char *text = getenv(name); /* NOLINT(concurrency-mt-unsafe): nobody should change the environment meanwhile */
    if (text == NULL || *text == '\0')
        return otherwise;
    char *end;
    const long value = strtol(text, &end, 10);
    if (*end != '\0' || value < least || value > most) {
        say("%s=%s is not a number from %d to %d; taking %d", name, text, least, most, otherwise);
        return otherwise;
    }
    return (int)value;
}

void settingsLoad(void)
{
    if (loaded)
        return;
    loaded = true;
    settings.devices = number("CUSIM_DEVICES", 0, MAX_DEVICES, 2);
    settings.version = number("CUSIM_DRIVER_VERSION", 2000, 99999, defaultVersion);
    settings.check = number("CUSIM_CHECK", 0, 1, 0) == 1;
    gateMissing(getenv("CUSIM_MISSING")); /* NOLINT(concurrency-mt-unsafe): as above */
    gateFailList(getenv("CUSIM_FAIL"));   /* NOLINT(concurrency-mt-unsafe): as above */
}

void settingsForget(void)
{
    loaded = false;
}
