/* SPDX-License-Identifier: Apache-2.0 */
#include "owned.h"

#include <stdlib.h>

static void make(void *argument)
{
    struct fixture *const f = argument;
    void *host = NULL;
    assert_success(cudrvMemAllocAsync(&f->pool, bytes, f->world->awayStream));
    assert_success(cudrvStreamSynchronize(f->world->awayStream));
    assert_success(cudrvMemHostAlloc(&host, bytes, CU_MEMHOSTALLOC_PORTABLE));
    f->host = (CUdeviceptr)(uintptr_t)host;
}

static void unmake(void *argument)
{
    struct fixture *const f = argument;
    assert_success(cudrvMemFreeAsync(f->pool, f->world->awayStream));
    assert_success(cudrvMemFreeHost((void *)(uintptr_t)f->host));
}

int ownedSetUp(void **state)
{
    struct fixture *const f = calloc(1, sizeof(*f));
    if (!f || worldSetUp((void **)&f->world))
        return -1;
    withContext(f->world->away, make, f);
    *state = f;
    return 0;
}

int ownedTearDown(void **state)
{
    struct fixture *const f = *state;
    if (simulator())
        simulator()->refuseNone();
    stackEmpty();
    withContext(f->world->away, unmake, f);
    (void)worldTearDown((void **)&f->world);
    free(f);
    return 0;
}

int isActive(CUdevice device)
{
    unsigned int flags = 0;
    int active = -1;
    assert_success(cudrvDevicePrimaryCtxGetState(device, &flags, &active));
    return active;
}
