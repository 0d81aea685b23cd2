/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A failure in words: what was called and how it ended, what each pointer, the stream and the contexts are, and then
 * the verdict, which explain_rules.c gives.
 */
#include "copy/explain.h"

static const char *outcome(const struct cucopyCase *about)
{
    switch (about->failure.step) {
    case CUCOPY_STEP_LOAD:
        return "no driver could be loaded";
    case CUCOPY_STEP_QUERY:
        return "nothing was done: asking for the contexts failed";
    case CUCOPY_STEP_ENTER:
        return about->guard ? "nothing was done" : "nothing was done: entering the stream's context failed";
    case CUCOPY_STEP_RESTORE:
        return about->guard ? "the guard stays open"
                            : "the copy is enqueued, but the caller's context could not be restored";
    default:
        return !about->batch             ? "the copy was refused"
               : about->failure.enqueued ? "the batch is enqueued, but waiting for it failed"
                                         : "the batch was refused";
    }
}

static void sayHeading(struct cucopyText *text, const struct cucopyCase *about)
{
    const cucopyFailure *const failure = &about->failure;
    cucopySay(text, "%s: %s: %s", failure->function, cudrvResultName(failure->result), outcome(about));
    if (about->batch && failure->entry != CUCOPY_NO_ENTRY)
        cucopySay(text, " at entry %s", cucopyGrouped(failure->entry).text);
    if (about->batch && failure->entriesEnqueued)
        cucopySay(text, ", after %s of its entries had been enqueued", cucopyGrouped(failure->entriesEnqueued).text);
    cucopySay(text, ".\n");
}

static const char *nameOf(const struct cucopyMemory *memory)
{
    switch (memory->kind) {
    case CUCOPY_KIND_DEVICE:
        return "memory";
    case CUCOPY_KIND_POOL:
        return "pool memory";
    case CUCOPY_KIND_MAPPED:
        return "mapped memory";
    case CUCOPY_KIND_PINNED:
        return "pinned or registered host memory";
    default:
        return "managed memory";
    }
}

static void sayAccess(struct cucopyText *text, const struct cucopyCase *about, const struct cucopyMemory *memory)
{
    if (memory->kind != CUCOPY_KIND_POOL && memory->kind != CUCOPY_KIND_MAPPED)
        return;
    if (memory->kind == CUCOPY_KIND_MAPPED && !memory->reachable)
        cucopySay(text, "; no device has access to it");
    else if (about->device < 0 || memory->access == CUCOPY_ACCESS_UNKNOWN)
        cucopySay(text, "; access unknown%s", about->failure.capture == CUCOPY_CAPTURE_ACTIVE ? " under capture" : "");
    else
        cucopySay(text, "; device %d %s", about->device,
                  memory->access == CUCOPY_ACCESS_READ_WRITE ? "has access"
                  : memory->access == CUCOPY_ACCESS_READ     ? "may only read it"
                                                             : "has no access");
}

static void saySide(struct cucopyText *text, const struct cucopyCase *about, const char *label,
                    const struct cucopyMemory *memory, const cucopySide *side)
{
    const unsigned long long address = memory->address;
    cucopySay(text, "  %s", label);
    switch (memory->kind) {
    case CUCOPY_KIND_NULL:
        cucopySay(text, "NULL");
        break;
    case CUCOPY_KIND_ARRAY:
        cucopySay(text, "array %p", (void *)side->array);
        break;
    case CUCOPY_KIND_UNASKED:
        cucopySay(text, address ? "0x%llx" : "NULL", address);
        break;
    case CUCOPY_KIND_UNKNOWN:
        cucopySay(text, "0x%llx, unknown to CUDA: pageable host memory, if it is memory at all", address);
        break;
    case CUCOPY_KIND_RESERVED:
        cucopySay(text, "0x%llx, in a reserved range, with nothing mapped there", address);
        break;
    default:
        cucopySay(text, "0x%llx, ", address);
        if (memory->size && address == memory->base)
            cucopySay(text, "the start of %s of ", cucopyBytes(memory->size).text);
        else if (memory->size)
            cucopySay(text, "byte %s of %s of ", cucopyGrouped(address - memory->base).text,
                      cucopyGrouped(memory->size).text);
        cucopySay(text, "%s", nameOf(memory));
        if (memory->device >= 0 && memory->kind != CUCOPY_KIND_PINNED && memory->kind != CUCOPY_KIND_MANAGED)
            cucopySay(text, " of device %d", memory->device);
        sayAccess(text, about, memory);
        break;
    }
    cucopySay(text, "\n");
}

static void sayContext(struct cucopyText *text, CUcontext context, cucopyContextState state, unsigned long long id,
                       int device)
{
    if (state == CUCOPY_CONTEXT_NONE) {
        cucopySay(text, "none");
        return;
    }
    cucopySay(text, "context %p", (void *)context);
    if (device >= 0)
        cucopySay(text, " of device %d", device);
    /* A handle can be given out again, so a context is alive only under the id it had. */
    unsigned long long now = id;
    if (state == CUCOPY_CONTEXT_DESTROYED)
        cucopySay(text, ", which was destroyed");
    else if (state == CUCOPY_CONTEXT_ALIVE && cudrvPath() &&
             (cudrvCtxGetId(context, &now) == CUDA_ERROR_CONTEXT_IS_DESTROYED || now != id))
        cucopySay(text, ", destroyed since");
}

static void sayStream(struct cucopyText *text, const struct cucopyCase *about)
{
    static const char *const captures[] = {
        [CUCOPY_CAPTURE_UNKNOWN] = "",
        [CUCOPY_CAPTURE_NONE] = "",
        [CUCOPY_CAPTURE_ACTIVE] = ", being captured",
        [CUCOPY_CAPTURE_INVALIDATED] = ", its capture invalidated",
        [CUCOPY_CAPTURE_IMPLICIT] = ", while a blocking stream of its context is captured",
    };
    const cucopyFailure *const failure = &about->failure;
    cucopySay(text, "  stream   ");
    if (!about->special)
        cucopySay(text, "%p", (void *)failure->stream);
    else if (failure->stream == CU_STREAM_PER_THREAD || (about->perThread && !failure->stream))
        cucopySay(text, "the per-thread default stream");
    else
        cucopySay(text, "the legacy default stream");
    if (about->special) {
        cucopySay(text, ", of whatever context is current");
    } else if (failure->streamContext) {
        cucopySay(text, " of ");
        sayContext(text, failure->streamContext, failure->streamContextState, failure->streamContextId,
                   failure->streamDevice);
    }
    if ((size_t)failure->capture < sizeof(captures) / sizeof(*captures))
        cucopySay(text, "%s", captures[failure->capture]);
    cucopySay(text, "\n");
}

static void sayFacts(struct cucopyText *text, const struct cucopyCase *about)
{
    const cucopyFailure *const failure = &about->failure;
    const int given = failure->dst || failure->src || failure->bytes || about->box;
    if (given || !(about->guard || about->batch || failure->reason)) {
        saySide(text, about, "to       ", &about->dst, &failure->dstSide);
        saySide(text, about, "from     ", &about->src, &failure->srcSide);
        cucopySay(text, "  size     %s", cucopyBytes(failure->bytes).text);
        if (about->box)
            cucopySay(text, ": %s by %s by %s", cucopyGrouped(failure->width).text, cucopyGrouped(failure->height).text,
                      cucopyGrouped(failure->depth).text);
        cucopySay(text, "\n");
    }
    if (!about->guard || !about->special)
        sayStream(text, about);
    else if (failure->streamContext && failure->streamContext != failure->currentContext)
        cucopySay(text, "  guarded  context %p\n", (void *)failure->streamContext);
    if (failure->currentContextState || failure->currentContext) {
        cucopySay(text, "  current  ");
        sayContext(text, failure->currentContext, failure->currentContextState, failure->currentContextId,
                   failure->currentDevice);
        cucopySay(text, "\n");
    }
}

/* For addr2line -e: a byte before the address of return, which is within the call. */
static void sayCaller(struct cucopyText *text, const struct cucopyCase *about)
{
    size_t offset = 0;
    const char *const module = cucopyModuleOf(about->failure.caller, &offset);
    if (module && offset)
        cucopySay(text, "  caller   %.1024s+0x%llx\n", module, (unsigned long long)offset - 1);
}

size_t cucopyExplain(const cucopyFailure *failure, char *text, size_t size)
{
    struct cucopyText written = {.at = text, .size = text ? size : 0};
    cucopyFailure newest = CUCOPY_FAILURE_INIT;
    struct cucopyCase about;
    if (written.size)
        *text = '\0';
    if (!failure && cucopyLastFailure(&newest) == CUDA_SUCCESS)
        failure = &newest;
    if (!failure) {
        cucopySay(&written, "No call of cucopy has failed on this thread.\n");
    } else if (failure->size < sizeof(failure->size)) {
        cucopySay(&written, "This is no record of a failure: its size is not set.\n");
    } else {
        cucopyCaseFrom(&about, failure);
        sayHeading(&written, &about);
        if (about.failure.step != CUCOPY_STEP_LOAD)
            sayFacts(&written, &about);
        sayCaller(&written, &about);
        cucopyJudge(&about, &written);
    }
    return written.length;
}
