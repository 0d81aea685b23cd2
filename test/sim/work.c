/* SPDX-License-Identifier: Apache-2.0 */
#include "work.h"

#include "launch.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

bool workIsForeign(const Work *work)
{
    return work->kind == WORK_HOST_FUNCTION || work->kind == WORK_CALLBACK || work->kind == WORK_KERNEL;
}

bool workWantsLock(const Work *work)
{
    return work->kind == WORK_NOTHING || work->kind == WORK_RELEASE;
}

static void copy(const CopyWork *work)
{
    if (work->width == work->dstPitch && work->width == work->srcPitch && work->depth == 1) {
        memmove(work->dst, work->src, work->width * work->height);
        return;
    }
    for (size_t layer = 0; layer < work->depth; layer++) {
        for (size_t row = 0; row < work->height; row++)
            memmove(work->dst + layer * work->dstSlice + row * work->dstPitch,
                    work->src + layer * work->srcSlice + row * work->srcPitch, work->width);
    }
}

static void fill(const FillWork *work)
{
    for (size_t row = 0; row < work->height; row++) {
        unsigned char *at = work->dst + row * work->pitch;
        if (work->elementSize == 1) {
            memset(at, (int)work->value, work->width);
            continue;
        }
        const uint16_t half = (uint16_t)work->value;
        const void *element = work->elementSize == 2 ? (const void *)&half : (const void *)&work->value;
        for (size_t i = 0; i < work->width; i++)
            memcpy(at + i * work->elementSize, element, work->elementSize);
    }
}

void workPerform(const Work *work)
{
    switch (work->kind) {
    case WORK_NOTHING:
        break;
    case WORK_COPY:
        copy(&work->copy);
        break;
    case WORK_FILL:
        fill(&work->fill);
        break;
    case WORK_RELEASE:
        memoryGiveBack(&work->release);
        break;
    case WORK_HOST_FUNCTION:
        work->host.function(work->host.data);
        break;
    case WORK_CALLBACK:
        work->host.callback(work->host.stream, CUDA_SUCCESS, work->host.data);
        break;
    case WORK_KERNEL:
        kernelPerform(work->kernel);
        break;
    }
}

Work workClone(const Work *work)
{
    Work clone = *work;
    if (work->kind == WORK_KERNEL)
        clone.kernel = kernelWorkClone(work->kernel);
    /* Staged bytes belong to one run; captured work reads its source when it runs and has none. */
    clone.staging = NULL;
    return clone;
}

void workDispose(Work *work)
{
    free(work->staging);
    if (work->kind == WORK_KERNEL)
        kernelWorkDispose(work->kernel);
    *work = (Work){.kind = WORK_NOTHING};
}
