/* SPDX-License-Identifier: Apache-2.0 */
/* Primary contexts: one for each device, alive while it is retained, the same handle every time. */
#include "context.h"
#include "device.h"

static Context *revive(int device)
{
    Device *self = &devices[device];
    if (self->primary == NULL) {
        self->primary = contextCreate(CONTEXT_PRIMARY, device, self->primaryFlags);
    } else if (!self->primary->object.alive) {
        contextRevive(self->primary);
        self->primary->flags = self->primaryFlags;
    }
    return self->primary;
}

Context *contextPrimary(int device)
{
    return devices[device].primary;
}

Context *primaryRetain(int device)
{
    devices[device].primaryRetains++;
    return revive(device);
}

CUresult primaryRelease(int device)
{
    Device *self = &devices[device];
    if (self->primaryRetains == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (--self->primaryRetains == 0)
        contextEnd(self->primary);
    return CUDA_SUCCESS;
}

static CUresult retain(CUcontext *out, CUdevice device)
{
    if (out == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!deviceIsValid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (deviceError(device) != CUDA_SUCCESS)
        return deviceError(device);
    *out = (CUcontext)primaryRetain(device);
    return CUDA_SUCCESS;
}

static CUresult release(CUdevice device)
{
    return deviceIsValid(device) ? primaryRelease(device) : CUDA_ERROR_INVALID_DEVICE;
}

/* Frees what is in the context; whoever retained it keeps it. */
static CUresult reset(CUdevice device)
{
    if (!deviceIsValid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    Device *self = &devices[device];
    if (self->primary != NULL && self->primary->object.alive) {
        contextEnd(self->primary);
        if (self->primaryRetains > 0)
            revive(device);
    }
    return CUDA_SUCCESS;
}

static CUresult setFlags(CUdevice device, unsigned flags)
{
    if (!deviceIsValid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    devices[device].primaryFlags = flags;
    if (devices[device].primaryRetains > 0)
        devices[device].primary->flags = flags;
    return CUDA_SUCCESS;
}

static CUresult getState(CUdevice device, unsigned *flags, int *active)
{
    if (flags == NULL || active == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!deviceIsValid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *flags = devices[device].primaryFlags;
    *active = devices[device].primaryRetains > 0;
    return CUDA_SUCCESS;
}

API(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device), retain(context, device))
API(cuDevicePrimaryCtxRelease, (CUdevice device), release(device))
API(cuDevicePrimaryCtxRelease_v2, (CUdevice device), release(device))
API(cuDevicePrimaryCtxReset, (CUdevice device), reset(device))
API(cuDevicePrimaryCtxReset_v2, (CUdevice device), reset(device))
API(cuDevicePrimaryCtxSetFlags, (CUdevice device, unsigned flags), setFlags(device, flags))
API(cuDevicePrimaryCtxSetFlags_v2, (CUdevice device, unsigned flags), setFlags(device, flags))
API(cuDevicePrimaryCtxGetState, (CUdevice device, unsigned *flags, int *active), getState(device, flags, active))
