/* SPDX-License-Identifier: Apache-2.0 */
/* The modelled devices: what each is, its primary context, its pools, its sticky error. */
#ifndef CUSIM_DEVICE_H
#define CUSIM_DEVICE_H

#include "driver.h"
#include "settings.h"

struct Context;
struct Pool;

typedef struct Device {
    struct Context *primary; /* made by the first retain; its handle never changes */
    unsigned primaryRetains;
    unsigned primaryFlags;
    struct Pool *defaultPool, *currentPool; /* made when first asked for */
    size_t used;                            /* bytes of its memory */
    CUresult error;                         /* sticky: every later call that touches the device returns it */
} Device;

/* What an H200 is; memory is less, since it has to come from the host. */
enum { DEVICE_MULTIPROCESSORS = 132, DEVICE_MAJOR = 9, DEVICE_MINOR = 0, DEVICE_SHARED_MEMORY = 232448 };
#define DEVICE_MEMORY ((size_t)16 << 30)

extern Device devices[MAX_DEVICES];

bool deviceIsValid(CUdevice device);

/* CUDA_SUCCESS, or the sticky error. */
CUresult deviceError(int device);
/* From a kernel that touched what it must not: the first error stays. */
void deviceFail(int device, CUresult error);

void deviceReset(void);

#endif
