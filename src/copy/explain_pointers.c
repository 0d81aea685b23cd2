/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules for a copy that was refused with INVALID_VALUE, where its pointers, its size or its box are to blame. As in
 * explain_rules.c, the first that holds speaks, but it speaks of both sides.
 */
#include "copy/explain.h"

#include <string.h>

#define CAUSE "Cause: "
#define POSSIBLE "Possible cause: "
#define REMEDY "What to do: "

/* One side of the copy, and what to call it. */
struct side {
    const char *name;  /* "destination" */
    const char *field; /* "dst", as the fields of a box begin */
    const struct cucopyMemory *memory;
    const struct cucopyMemory *other;
    const cucopySide *given;
    unsigned int type; /* the CUmemorytype it was called */
};

typedef int rule(const struct cucopyCase *about, const struct side *side, struct cucopyText *text);

static int nullPointer(const struct cucopyCase *about, const struct side *side, struct cucopyText *text)
{
    if (side->memory->kind != CUCOPY_KIND_NULL || !about->failure.bytes)
        return 0;
    cucopySay(text, CAUSE "the %s is NULL.\n" REMEDY "check the allocation that the pointer should come from.\n",
              side->name);
    return 1;
}

static int memoryType(const struct cucopyCase *about, const struct side *side, struct cucopyText *text)
{
    if (!about->box || (side->type >= CU_MEMORYTYPE_HOST && side->type <= CU_MEMORYTYPE_UNIFIED))
        return 0;
    cucopySay(text,
              CAUSE "%sMemoryType is %u, which is no CUmemorytype.\n" REMEDY
                    "set it to CU_MEMORYTYPE_HOST, _DEVICE, _ARRAY or _UNIFIED.\n",
              side->field, side->type);
    return 1;
}

static int rowTooWide(const struct cucopyCase *about, const struct side *side, struct cucopyText *text)
{
    const size_t pitch = side->given->pitch, x = side->given->x, width = about->failure.width;
    if (!about->box || side->given->array || !pitch || (x <= pitch && width <= pitch - x))
        return 0;
    cucopySay(text, CAUSE "a row of the %s ends %s into it, but the next begins after %s: %sPitch is too small.\n",
              side->name, cucopyBytes((unsigned long long)x + width).text, cucopyGrouped(pitch).text, side->field);
    cucopySay(text, REMEDY "set %sPitch to the bytes from one row to the next, as cuMemAllocPitch gave it.\n",
              side->field);
    return 1;
}

static int layerTooHigh(const struct cucopyCase *about, const struct side *side, struct cucopyText *text)
{
    const size_t rows = side->given->rows, y = side->given->y, height = about->failure.height;
    if (!about->box || side->given->array || !rows || (y <= rows && height <= rows - y))
        return 0;
    cucopySay(text, CAUSE "a layer of the %s has %s rows, and the copy goes to row %s: %sHeight is too small.\n",
              side->name, cucopyGrouped(rows).text, cucopyGrouped((unsigned long long)y + height).text, side->field);
    cucopySay(text, REMEDY "set %sHeight to the rows from one layer to the next.\n", side->field);
    return 1;
}

static int notDeviceMemory(const struct cucopyCase *about, const struct side *side, struct cucopyText *text)
{
    if (side->memory->kind != CUCOPY_KIND_UNKNOWN || side->type != CU_MEMORYTYPE_DEVICE)
        return 0;
    cucopySay(text,
              CAUSE "%s takes device memory as its %s, and CUDA knows no memory at 0x%llx: it was freed, or it "
                    "never was CUDA's%s.\n",
              about->failure.function, side->name, (unsigned long long)side->memory->address,
              about->failure.capture == CUCOPY_CAPTURE_ACTIVE ? " (memory allocated in a capture cannot be asked about)"
                                                              : "");
    cucopySay(text, REMEDY "check that the pointer is still valid; for pageable host memory use cucopyMemcpyAsync, or "
                           "the copy whose name says host.\n");
    return 1;
}

static int nothingMapped(const struct cucopyCase *about, const struct side *side, struct cucopyText *text)
{
    (void)about;
    if (side->memory->kind != CUCOPY_KIND_RESERVED)
        return 0;
    cucopySay(text,
              CAUSE "the %s lies in a range that cuMemAddressReserve reserved, and nothing is mapped there.\n" REMEDY
                    "map memory there with cuMemMap and allow access with cuMemSetAccess.\n",
              side->name);
    return 1;
}

/* How many bytes of the side's extent lie inside what the driver knows of its memory. */
static size_t inside(const struct cucopyMemory *memory)
{
    return memory->size - (size_t)(memory->address - memory->base);
}

static int pastTheEnd(const struct cucopyCase *about, const struct side *side, struct cucopyText *text)
{
    const struct cucopyMemory *const memory = side->memory;
    if (!memory->size || memory->extent <= inside(memory))
        return 0;
    const size_t fits = inside(memory);
    const char *const what = about->box ? "the box reaches" : "the copy runs";
    const char *const remedy = about->box ? "make the box smaller or the memory larger" : NULL;
    if (memory->kind == CUCOPY_KIND_MAPPED)
        cucopySay(text, CAUSE "%s %s into a part of the reserved range where nothing is mapped, after %s of the %s.\n",
                  what, cucopyBytes(memory->extent - fits).text, cucopyGrouped(fits).text, side->name);
    else if (memory->kind == CUCOPY_KIND_PINNED && memory->next)
        cucopySay(text,
                  CAUSE "%s %s past the end of the %s's pinned or registered memory into another such range, and "
                        "the driver copies across no two of them.\n",
                  what, cucopyBytes(memory->extent - fits).text, side->name);
    else if (memory->kind == CUCOPY_KIND_PINNED)
        cucopySay(text, CAUSE "%s %s past the end of the %s's pinned or registered memory.\n", what,
                  cucopyBytes(memory->extent - fits).text, side->name);
    else
        cucopySay(text, CAUSE "%s %s past the end of the %s's allocation.\n", what,
                  cucopyBytes(memory->extent - fits).text, side->name);
    if (remedy)
        cucopySay(text, REMEDY "%s.\n", remedy);
    else
        cucopySay(text, REMEDY "copy %s at most from there%s.\n", cucopyBytes(fits).text,
                  memory->kind == CUCOPY_KIND_MAPPED   ? ", or map more"
                  : memory->kind == CUCOPY_KIND_PINNED ? " and the rest in a copy of its own, or register all at once"
                                                       : "");
    return 1;
}

/* The ways out of a missing access: grant it, or avoid the need for it. */
static void sayWaysOut(const struct cucopyCase *about, const struct side *side, struct cucopyText *text)
{
    const struct cucopyMemory *const memory = side->memory;
    const int owner = memory->device, device = about->device;
    const int otherBound = side->other->kind == CUCOPY_KIND_POOL || side->other->kind == CUCOPY_KIND_MAPPED;
    const char *const grant = memory->kind == CUCOPY_KIND_POOL ? "cuMemPoolSetAccess" : "cuMemSetAccess";
    int possible = 1;
    cucopySay(text, REMEDY);
    if (owner < 0 || owner == device) {
        cucopySay(text, "allow it with %s.\n", grant);
        return;
    }
    const int elsewhere = about->raw && strncmp(about->failure.function, "cu", 2) == 0 &&
                          about->failure.streamContext != about->failure.currentContext;
    const int misplaced = elsewhere && about->failure.streamDevice == owner;
    if (misplaced || (elsewhere && about->failure.streamContext && about->failure.streamDevice < 0))
        cucopySay(text, "use cucopy%s, which copies with the stream's context current, or ",
                  about->failure.function + strlen(strncmp(about->failure.function, "cudrv", 5) == 0 ? "cudrv" : "cu"));
    const int barred = device >= 0 && cudrvDeviceCanAccessPeer(&possible, device, owner) == CUDA_SUCCESS && !possible;
    if (!barred && device >= 0)
        cucopySay(text, "give device %d access with %s (cuCtxEnablePeerAccess does not cover such memory), or ", device,
                  grant);
    else if (!barred)
        cucopySay(text,
                  "give the stream's device access with %s (cuCtxEnablePeerAccess does not cover such memory), or ",
                  grant);
    if (!misplaced && (!otherBound || side->other->device == owner))
        cucopySay(text, "copy on a stream of device %d or by cucopyMemcpyAsyncEx with CUCOPY_CONTEXT_OWNER, or ",
                  owner);
    cucopySay(text, "use cucopyMemcpyPeerAsync, which needs no access.");
    if (barred)
        cucopySay(text, " Device %d cannot be given access (cuDeviceCanAccessPeer).", device);
    cucopySay(text, "\n");
}

static int noAccess(const struct cucopyCase *about, const struct side *side, struct cucopyText *text)
{
    const struct cucopyMemory *const memory = side->memory;
    const int mapped = memory->kind == CUCOPY_KIND_MAPPED;
    if (mapped && !memory->reachable) {
        cucopySay(text,
                  CAUSE "no device may access the %s: it was mapped, but never given access.\n" REMEDY
                        "call cuMemSetAccess after cuMemMap, for each device that is to use it.\n",
                  side->name);
        return 1;
    }
    if (about->peer || (!mapped && memory->kind != CUCOPY_KIND_POOL) || memory->least != CUCOPY_ACCESS_NONE)
        return 0;
    if (memory->access != CUCOPY_ACCESS_NONE) {
        cucopySay(text,
                  CAUSE "device %d has access to the first %s of the %s alone, and none to the mapping behind "
                        "them.\n" REMEDY "call cuMemSetAccess for the whole range.\n",
                  about->device, cucopyBytes(memory->accessEnds).text, side->name);
        return 1;
    }
    cucopySay(text,
              CAUSE "the %s is %s memory of device %d, and device %d, whose context the copy ran in, has no access "
                    "to it.\n",
              side->name, mapped ? "mapped" : "pool", memory->device, about->device);
    sayWaysOut(about, side, text);
    return 1;
}

static int readOnly(const struct cucopyCase *about, const struct side *side, struct cucopyText *text)
{
    if (side->memory->least != CUCOPY_ACCESS_READ || side->memory != &about->dst)
        return 0;
    cucopySay(text,
              CAUSE "device %d may only read the destination.\n" REMEDY
                    "give it access to write as well (CU_MEM_ACCESS_FLAGS_PROT_READWRITE).\n",
              about->device);
    return 1;
}

static int accessNotKnown(const struct cucopyCase *about, const struct side *side, struct cucopyText *text)
{
    const struct cucopyMemory *const memory = side->memory;
    if (about->peer || memory->access != CUCOPY_ACCESS_UNKNOWN || memory->device == about->device ||
        (memory->kind != CUCOPY_KIND_MAPPED && memory->kind != CUCOPY_KIND_POOL))
        return 0;
    cucopySay(text,
              POSSIBLE "the %s is %s memory of device %d, and the device whose context the copy ran in may have no "
                       "access to it; that was not asked at the time.\n",
              side->name, memory->kind == CUCOPY_KIND_MAPPED ? "mapped" : "pool", memory->device);
    sayWaysOut(about, side, text);
    return 1;
}

static int freedPerhaps(const struct cucopyCase *about, const struct side *side, struct cucopyText *text)
{
    if (side->memory->kind != CUCOPY_KIND_UNKNOWN || side->type == CU_MEMORYTYPE_HOST || !about->failure.bytes)
        return 0;
    cucopySay(text,
              POSSIBLE "CUDA knows no memory at 0x%llx; unless that is pageable host memory, the %s was freed before "
                       "this call.\n" REMEDY "check that the pointer is still valid%s.\n",
              (unsigned long long)side->memory->address, side->name,
              about->failure.capture == CUCOPY_CAPTURE_ACTIVE ? "; memory allocated in a capture cannot be asked about"
                                                              : "");
    return 1;
}

int cucopyJudgePointers(const struct cucopyCase *about, struct cucopyText *text)
{
    static rule *const rules[] = {
        memoryType, nullPointer, rowTooWide, layerTooHigh,   notDeviceMemory, nothingMapped,
        pastTheEnd, noAccess,    readOnly,   accessNotKnown, freedPerhaps,
    };
    if (about->guard || about->failure.step != CUCOPY_STEP_COPY || about->failure.result != CUDA_ERROR_INVALID_VALUE)
        return 0;
    const struct side sides[] = {
        {"destination", "dst", &about->dst, &about->src, &about->failure.dstSide, about->dstType},
        {"source", "src", &about->src, &about->dst, &about->failure.srcSide, about->srcType},
    };
    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); ++i)
        if (rules[i](about, &sides[0], text) + rules[i](about, &sides[1], text))
            return 1;
    return 0;
}

#undef CAUSE
#undef POSSIBLE
#undef REMEDY
