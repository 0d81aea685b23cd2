/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a record: what kind of call its function is, by name, so that a record of a raw call needs no more than that;
 * which bytes the copy would have touched; whose access to them matters.
 */
#include "copy/explain.h"

#include <string.h>

/* Sums and products that stay at the top, since a size may be any number. */
static size_t plus(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

static size_t times(size_t a, size_t b)
{
    return b && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

static int has(const char *function, const char *part)
{
    return strstr(function, part) != NULL;
}

/* What the names of the typed copies say of their sides; the boxes say it in their structure. */
static void typesByName(struct cucopyCase *about, const char *function)
{
    if (has(function, "DtoD") || has(function, "HtoD") || has(function, "AtoD") || about->peer)
        about->dstType = CU_MEMORYTYPE_DEVICE;
    else if (has(function, "DtoH") || has(function, "AtoH"))
        about->dstType = CU_MEMORYTYPE_HOST;
    else if (has(function, "toA"))
        about->dstType = CU_MEMORYTYPE_ARRAY;
    if (has(function, "DtoD") || has(function, "DtoH") || has(function, "DtoA") || about->peer)
        about->srcType = CU_MEMORYTYPE_DEVICE;
    else if (has(function, "HtoD") || has(function, "HtoA"))
        about->srcType = CU_MEMORYTYPE_HOST;
    else if (has(function, "AtoD") || has(function, "AtoH") || has(function, "AtoA"))
        about->srcType = CU_MEMORYTYPE_ARRAY;
}

/* Where a side begins, and how far it goes: of a box, from its first byte to behind the last of its last row. */
static void place(struct cucopyMemory *memory, const cucopyFailure *failure, CUdeviceptr address,
                  const cucopySide *side, int box)
{
    memory->address = address;
    memory->extent = failure->bytes;
    if (side->array)
        memory->kind = CUCOPY_KIND_ARRAY;
    if (!box || !address)
        return;
    const size_t pitch = side->pitch ? side->pitch : failure->width;
    const size_t layer = times(pitch, side->rows ? side->rows : failure->height);
    const int empty = !failure->width || !failure->height || !failure->depth;
    memory->address = plus(address, plus(plus(times(side->z, layer), times(side->y, pitch)), side->x));
    memory->extent =
        empty ? 0 : plus(plus(times(failure->depth - 1, layer), times(failure->height - 1, pitch)), failure->width);
}

/* Whether it is about memory at all: after these codes nothing is asked, since the pointers are not to blame. */
static int mayAskMemory(const cucopyFailure *failure)
{
    return cudrvPath() && failure->step != CUCOPY_STEP_LOAD && !cucopyIsSilent(failure->result);
}

void cucopyCaseFrom(struct cucopyCase *about, const cucopyFailure *failure)
{
    const size_t size = failure->size < sizeof(about->failure) ? failure->size : sizeof(about->failure);
    *about = (struct cucopyCase){.failure = CUCOPY_FAILURE_INIT, .device = -1};
    memcpy(&about->failure, failure, size);
    if (!about->failure.function)
        about->failure.function = "a copy";
    const cucopyFailure *const record = &about->failure;
    const char *const function = record->function;
    about->raw = strncmp(function, "cucopy", strlen("cucopy")) != 0;
    about->guard = has(function, "Guard");
    about->batch = has(function, "Batch");
    about->peer = has(function, "Peer");
    about->perThread = cucopyIsPerThread(function);
    about->special = cucopyStreamIsSpecial(record->stream);
    about->box =
        record->width || record->height || record->depth || record->dstSide.memoryType || record->srcSide.memoryType;
    if (about->box) {
        about->dstType = record->dstSide.memoryType;
        about->srcType = record->srcSide.memoryType;
    } else {
        typesByName(about, function);
    }
    /* The driver looks at the pointers with the context that is current; around a safe copy that is the stream's. */
    about->device = about->raw && record->currentDevice >= 0 ? record->currentDevice : record->streamDevice;

    place(&about->dst, record, record->dst, &record->dstSide, about->box);
    place(&about->src, record, record->src, &record->srcSide, about->box);
    if (about->guard || !mayAskMemory(record))
        return;
    if (!record->dstSide.array)
        cucopyAskMemory(&about->dst, about->device, record->dstSide.access);
    if (!record->srcSide.array)
        cucopyAskMemory(&about->src, about->device, record->srcSide.access);
}
