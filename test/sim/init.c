/* SPDX-License-Identifier: Apache-2.0 */
/* cuInit and the end of the process. */
#include "check.h"
#include "device.h"
#include "exec.h"

#include <stdlib.h>

/* Measured: the driver's own exit handler is registered by cuInit. Handlers registered before that run after it and
   find the driver gone (CUDA_ERROR_DEINITIALIZED), later ones run before it. */
static void atProcessExit(void)
{
    pthread_mutex_lock(&driverMutex);
    if (gateExited())
        checkHandlesAtExit();
    execStop();
    pthread_mutex_unlock(&driverMutex);
}

static CUresult initialize(unsigned flags)
{
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (settings.devices == 0)
        return CUDA_ERROR_NO_DEVICE;
    static bool registered;
    if (!registered)
        registered = atexit(atProcessExit) == 0;
    gateReady();
    return CUDA_SUCCESS;
}

static CUresult getVersion(int *version)
{
    if (version == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *version = settings.version;
    return CUDA_SUCCESS;
}

API(cuInit, (unsigned flags), initialize(flags))
API(cuDriverGetVersion, (int *version), getVersion(version))
