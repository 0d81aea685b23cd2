/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch from beginning to end, inside the guard: survey, plan, wait if a source must be, enqueue, wait again.
 */
#include "copy/batch.h"
#include "copy/batch_engine.h"
#include "copy/batch_few.h"
#include "copy/batch_kernel.h"
#include "copy/batch_plan.h"
#include "copy/batch_ranges.h"
#include "copy/batch_survey.h"
#include "copy/scope.h"

/* ---- One entry: the copy itself, if that does what is asked ---- */

static int isKnown(CUdeviceptr address)
{
    unsigned int type = 0;
    CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    void *value = &type;
    return cudrvPointerGetAttributes(1, &attribute, &value, address) == CUDA_SUCCESS && type != 0;
}

/* cuMemcpyAsync checks the range, and reads what CUDA knows in stream order. */
static int isPlainCopy(const struct cucopyBatch *batch)
{
    if (batch->count != 1 || batch->path == CUCOPY_BATCH_KERNEL || !batch->dsts[0] || !batch->srcs[0])
        return 0;
    return batch->orders == CUCOPY_ORDER_BIT(CU_MEMCPY_SRC_ACCESS_ORDER_ANY) ||
           (batch->orders == CUCOPY_ORDER_BIT(CU_MEMCPY_SRC_ACCESS_ORDER_STREAM) && isKnown(batch->srcs[0]));
}

static CUresult copyPlainly(struct cucopyBatch *batch)
{
    batch->entry = 0;
    return cucopyEngineCopyOne(batch, batch->dsts[0], batch->srcs[0], batch->sizes[0], 1);
}

/* ---- Entries that go different ways, or are joined ---- */

/*
 * A run, and where its memory lies: joined copies stay inside their allocations. By the time that it is enqueued, its
 * ranges may have made room for others: it can be told whether they are those of the next entry, and no more.
 */
struct located {
    struct cucopyRun run;
    CUdeviceptr dstMoved, srcMoved; /* as in its ranges */
    const struct cucopyRange *dst;
    const struct cucopyRange *src;
    int byKernel;
};

static int continues(const struct located *before, const struct located *next)
{
    return before->run.entries != 0 && before->dst == next->dst && before->src == next->src &&
           before->run.dst + before->run.size == next->run.dst && before->run.src + before->run.size == next->run.src &&
           before->run.attributes == next->run.attributes && before->byKernel == next->byKernel && !next->run.isUnknown;
}

static int goesByKernel(const struct located *entry, const size_t *largest)
{
    return cucopyKernelReaches(entry->dst, entry->src) &&
           entry->run.size <= largest[cucopyDirectionOf(entry->dst, entry->src)] &&
           !(entry->run.attributes->flags & CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE);
}

static CUresult enqueueRun(struct cucopyEngine *engine, struct cucopyLauncher *launcher, const struct located *entry)
{
    if (entry->run.entries == 0)
        return CUDA_SUCCESS;
    if (!entry->byKernel)
        return cucopyEngineAdd(engine, &entry->run);
    return cucopyLauncherAdd(launcher, entry->run.dst + entry->dstMoved, entry->run.src + entry->srcMoved,
                             entry->run.size, entry->run.entries);
}

CUCOPY_APART static CUresult enqueueEach(struct cucopyBatch *batch, struct cucopyRanges *ranges,
                                         const struct cucopySurvey *survey, int kernelIsChosen)
{
    struct cucopyEngine engine;
    struct cucopyLauncher launcher;
    struct cucopyLargeBlock block;
    struct cucopyAttributes attributes = cucopyAttributesOf(batch);
    struct located pending = {.run = {.entries = 0}};
    const size_t *const largest = cucopyLargestForKernel(kernelIsChosen ? batch->path : CUCOPY_BATCH_ENGINE);
    CUresult result = CUDA_SUCCESS;
    cucopyEngineInit(&engine, batch);
    if (kernelIsChosen)
        cucopyLauncherInit(&launcher, &block, batch, cucopyTouchesHost(survey),
                           batch->count - survey->empty - survey->continued);
    for (size_t i = 0; i < batch->count && result == CUDA_SUCCESS; i++) {
        if (batch->sizes[i] == 0)
            continue;
        struct located entry = {.run = {.dst = batch->dsts[i],
                                        .src = batch->srcs[i],
                                        .size = batch->sizes[i],
                                        .first = i,
                                        .entries = 1,
                                        .attributes = cucopyAttributesAt(&attributes, i)}};
        entry.dst = cucopyRangeOf(ranges, CUCOPY_DST, entry.run.dst, entry.run.size);
        entry.src = cucopyRangeOf(ranges, CUCOPY_SRC, entry.run.src, entry.run.size);
        if (!entry.dst || !entry.src) { /* freed since the survey, by another thread */
            batch->entry = i;
            return CUDA_ERROR_INVALID_VALUE;
        }
        entry.dstMoved = entry.dst->moved;
        entry.srcMoved = entry.src->moved;
        entry.run.isUnknown = entry.src->memory == CUCOPY_MEMORY_UNKNOWN || entry.dst->memory == CUCOPY_MEMORY_UNKNOWN;
        entry.byKernel = goesByKernel(&entry, largest);
        if (continues(&pending, &entry)) {
            pending.run.size += entry.run.size;
            pending.run.entries++;
        } else {
            result = enqueueRun(&engine, &launcher, &pending);
            pending = entry;
        }
    }
    if (result == CUDA_SUCCESS)
        result = enqueueRun(&engine, &launcher, &pending);
    if (result == CUDA_SUCCESS && kernelIsChosen)
        result = cucopyLauncherFlush(&launcher);
    return result == CUDA_SUCCESS ? cucopyEngineFlush(&engine) : result;
}

/* ---- All of it ---- */

/* Joining pays if there is much to join: joined copies have different sizes, which take more room to write down. */
static int isForKernelAsItIs(const struct cucopyBatch *batch, const struct cucopySurvey *survey)
{
    return survey->others == 0 && !survey->moved && survey->continued <= batch->count / 2;
}

/* The driver's batch call may be handed the caller's own arrays. */
static int isForDriverAsItIs(const struct cucopyBatch *batch, const struct cucopySurvey *survey)
{
    return survey->empty == 0 && survey->continued == 0 && !survey->unknown &&
           !(batch->orders & CUCOPY_ORDER_BIT(CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL));
}

static CUresult enqueue(struct cucopyBatch *batch, struct cucopyRanges *ranges, const struct cucopySurvey *survey)
{
    const int kernelIsChosen = cucopyKernelIsChosen(batch, survey) && cucopyKernelIsUsable(batch);
    if (batch->path == CUCOPY_BATCH_KERNEL && (!kernelIsChosen || survey->others != 0)) {
        batch->entry = survey->firstOther;
        batch->reason = kernelIsChosen ? "the path is that of the kernel, which cannot do this copy"
                                       : "the path is that of the kernel, which this device or driver cannot run";
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (kernelIsChosen && isForKernelAsItIs(batch, survey))
        return cucopyKernelCopyAll(batch, survey);
    CUresult result;
    if (!kernelIsChosen && isForDriverAsItIs(batch, survey) && cucopyEngineCopyAll(batch, &result))
        return result;
    return enqueueEach(batch, ranges, survey, kernelIsChosen);
}

CUCOPY_APART static CUresult surveyAndEnqueue(struct cucopyBatch *batch, struct cucopyRanges *ranges)
{
    struct cucopySurvey survey;
    CUresult result = cucopyBatchSurvey(batch, ranges, &survey);
    if (result != CUDA_SUCCESS)
        return result;
    /* Single copies would read this memory at once, ahead of the work before them. */
    if (survey.readsInOrder)
        result = cucopyBatchAskCapture(batch);
    if (result == CUDA_SUCCESS && survey.readsInOrder && !batch->capturing)
        result = cucopyBatchWait(batch->stream);
    if (result == CUDA_SUCCESS)
        result = enqueue(batch, ranges, &survey);
    if (batch->waitsForCopy && batch->enqueued != 0) {
        const CUresult waited = cucopyBatchWait(batch->stream);
        batch->isEnqueued = result == CUDA_SUCCESS;
        result = result == CUDA_SUCCESS ? waited : result;
    }
    return result;
}

/* Apart, since touching a large frame costs a small batch more than all that it keeps there. */
static CUresult runFew(struct cucopyBatch *batch)
{
    struct cucopyRange few[CUCOPY_FEW_RANGES + 1];
    struct cucopyRanges ranges = cucopyRangesOfFew(few, batch->scope.target);
    CUresult result;
    return cucopyBatchFew(batch, &ranges, &result) ? result : surveyAndEnqueue(batch, &ranges);
}

CUCOPY_APART static CUresult runMany(struct cucopyBatch *batch)
{
    struct cucopyManyRanges many;
    struct cucopyRanges ranges = cucopyRangesOfMany(&many, batch->scope.target);
    return surveyAndEnqueue(batch, &ranges);
}

CUresult cucopyBatchRun(struct cucopyBatch *batch)
{
    const int isLegacy = cucopyStreamIsSpecial(batch->stream) && batch->stream != CU_STREAM_PER_THREAD;
    const CUresult result = isLegacy ? cucopyBatchAskCapture(batch) : CUDA_SUCCESS;
    if (result != CUDA_SUCCESS)
        return result;
    return isPlainCopy(batch)                   ? copyPlainly(batch)
           : batch->count <= CUCOPY_FEW_ENTRIES ? runFew(batch)
                                                : runMany(batch);
}
