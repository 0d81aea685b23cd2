/* SPDX-License-Identifier: Apache-2.0 */
#include "batch_arguments.h"

#include "sections.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ENTRIES = 8, ENTRY = 1024, TOTAL = ENTRIES * ENTRY };

struct batch {
    CUdeviceptr dsts[ENTRIES], srcs[ENTRIES];
    size_t sizes[ENTRIES];
    size_t count;
    CUmemcpyAttributes attributes[ENTRIES + 1];
    size_t indices[ENTRIES + 1];
    size_t attributeCount;
    bool nullDsts, nullAttributes;
    const struct memory *dst, *src;
};

static void moveTo(struct batch *batch, const char *dst, const char *src)
{
    batch->dst = memoryNamed(dst);
    batch->src = memoryNamed(src);
    for (size_t i = 0; i < ENTRIES; i++) {
        batch->dsts[i] = batch->dst->address + i * ENTRY;
        batch->srcs[i] = batch->src->address + i * ENTRY;
    }
}

static void ok(struct batch *batch)
{
    (void)batch;
}

static void countZero(struct batch *batch)
{
    batch->count = 0;
}

static void oneSizeZero(struct batch *batch)
{
    batch->sizes[3] = 0;
}

static void oneNullDst(struct batch *batch)
{
    batch->dsts[3] = 0;
}

static void oneEmptyNullEntry(struct batch *batch)
{
    batch->dsts[3] = batch->srcs[3] = 0;
    batch->sizes[3] = 0;
}

static void noAttributes(struct batch *batch)
{
    batch->attributeCount = 0;
}

static void nullAttributes(struct batch *batch)
{
    batch->attributeCount = 0;
    batch->nullAttributes = true;
}

static void firstIndexOne(struct batch *batch)
{
    batch->indices[0] = 1;
}

static void indicesFall(struct batch *batch)
{
    batch->attributeCount = 3;
    batch->indices[1] = 5;
    batch->indices[2] = 2;
}

static void indexPastCount(struct batch *batch)
{
    batch->attributeCount = 2;
    batch->indices[1] = ENTRIES;
}

static void moreAttributesThanEntries(struct batch *batch)
{
    batch->attributeCount = ENTRIES + 1;
    for (size_t i = 0; i <= ENTRIES; i++)
        batch->indices[i] = i;
}

static void orderInvalid(struct batch *batch)
{
    batch->attributes[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
}

static void orderDuringCall(struct batch *batch)
{
    batch->attributes[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
}

static void orderAny(struct batch *batch)
{
    batch->attributes[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
}

static void flagOverlap(struct batch *batch)
{
    batch->attributes[0].flags = CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE;
}

static void flagUnknown(struct batch *batch)
{
    batch->attributes[0].flags = 2;
}

static void nullDsts(struct batch *batch)
{
    batch->nullDsts = true;
}

static void toItself(struct batch *batch)
{
    moveTo(batch, "dA2", "dA2");
}

static void lastPastTheEnd(struct batch *batch)
{
    batch->sizes[ENTRIES - 1] = BYTES;
}

static void fromPageable(struct batch *batch)
{
    moveTo(batch, "dA", "page");
}

static void fromPageableDuringCall(struct batch *batch)
{
    moveTo(batch, "dA", "page");
    orderDuringCall(batch);
}

static void betweenPinned(struct batch *batch)
{
    moveTo(batch, "hBport", "hA");
}

static CUresult performBatch(const struct copyFunctions *functions, struct batch *batch, CUstream stream)
{
    return functions->MemcpyBatchAsync(batch->nullDsts ? NULL : batch->dsts, batch->srcs, batch->sizes, batch->count,
                                       batch->nullAttributes ? NULL : batch->attributes,
                                       batch->nullAttributes ? NULL : batch->indices, batch->attributeCount, stream);
}

/* What the destination holds, entry by entry: whether all that have a size arrived, whether any byte moved. */
struct arrival {
    bool all, any;
};

static struct arrival arrivalOf(const struct memory *dst, const size_t *sizes, size_t count, unsigned old, unsigned new)
{
    static unsigned char held[TOTAL], before[TOTAL], after[TOTAL];
    struct arrival arrival = {true, false};
    memcpy(before, patternOf(old), TOTAL);
    memcpy(after, patternOf(new), TOTAL);
    memcpy(held, contentsOf(dst, TOTAL), TOTAL);
    for (size_t i = 0; i < count; i++)
        if (sizes[i] && memcmp(held + i * ENTRY, after + i * ENTRY, ENTRY) != 0)
            arrival.all = false;
    arrival.any = memcmp(held, before, TOTAL) != 0;
    return arrival;
}

static void answerBatch(CUresult result, struct arrival arrival, bool strict)
{
    if (result == CUDA_SUCCESS)
        answer("copied%s", arrival.all ? "" : ", bytes lost");
    else
        answer("%s%s", resultName(result), strict && arrival.any ? ", bytes moved" : "");
}

static void tryBatch(void (*change)(struct batch *), const struct copyFunctions *functions, const struct stream *stream,
                     const struct place *current, bool strict)
{
    struct batch batch = {.count = ENTRIES, .attributeCount = 1};
    moveTo(&batch, "dA", "dA2");
    for (size_t i = 0; i <= ENTRIES; i++)
        batch.attributes[i].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    for (size_t i = 0; i < ENTRIES; i++)
        batch.sizes[i] = ENTRY;
    change(&batch);
    const bool itself = batch.dst == batch.src;
    fillMemory(batch.dst, TOTAL, 1);
    fillMemory(batch.src, TOTAL, 2);
    stackStand(current->context);
    const CUresult result = performBatch(functions, &batch, stream->handle);
    const bool whole = stackStillStands(current->context);
    settle();
    if (!whole)
        answer("%s, stack changed", resultName(result));
    else
        answerBatch(result, arrivalOf(batch.dst, batch.sizes, batch.count, itself ? 2 : 1, 2), strict);
}

/* ---- Boxes ---- */

struct boxes {
    CUDA_MEMCPY3D_BATCH_OP op;
    size_t count;
    unsigned long long flags;
    bool null;
};

static void boxOk(struct boxes *boxes)
{
    (void)boxes;
}

static void boxCountZero(struct boxes *boxes)
{
    boxes->count = 0;
}

static void boxDepthZero(struct boxes *boxes)
{
    boxes->op.extent.depth = 0;
}

static void boxFlags(struct boxes *boxes)
{
    boxes->flags = 1;
}

static void boxRowTooShort(struct boxes *boxes)
{
    boxes->op.src.op.ptr.rowLength = 64;
}

static void boxOrderInvalid(struct boxes *boxes)
{
    boxes->op.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
}

static void boxNull(struct boxes *boxes)
{
    boxes->null = true;
}

static void tryBoxes(void (*change)(struct boxes *), const struct copyFunctions *functions, const struct stream *stream,
                     const struct place *current, bool strict)
{
    const struct memory *const dst = memoryNamed("dA");
    const struct memory *const src = memoryNamed("dA2");
    struct boxes boxes = {.op = {.src = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER,
                                         .op.ptr = {.ptr = src->address, .rowLength = 128, .layerHeight = 16}},
                                 .dst = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER,
                                         .op.ptr = {.ptr = dst->address, .rowLength = 128, .layerHeight = 16}},
                                 .extent = {.width = 128, .height = 16, .depth = 4},
                                 .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM},
                          .count = 1};
    change(&boxes);
    fillMemory(dst, TOTAL, 1);
    fillMemory(src, TOTAL, 2);
    stackStand(current->context);
    const CUresult result =
        functions->Memcpy3DBatchAsync(boxes.count, boxes.null ? NULL : &boxes.op, boxes.flags, stream->handle);
    const bool whole = stackStillStands(current->context);
    settle();
    const bool empty = !boxes.count || !boxes.op.extent.depth;
    struct arrival arrival = {empty || memoryHolds(dst, TOTAL, 2), !memoryHolds(dst, TOTAL, 1)};
    if (!whole)
        answer("%s, stack changed", resultName(result));
    else
        answerBatch(result, arrival, strict);
}

void askBatches(const char *prefix, const struct copyFunctions *functions, const struct stream *stream,
                const struct place *current, bool strict)
{
    static const struct {
        const char *name;
        void (*change)(struct batch *);
    } batches[] = {
        {"ok", ok},
        {"count=0", countZero},
        {"one-size=0", oneSizeZero},
        {"one-null-dst", oneNullDst},
        {"one-null-and-empty", oneEmptyNullEntry},
        {"attributes=NULL,numAttrs=0", nullAttributes},
        {"numAttrs=0", noAttributes},
        {"first-index=1", firstIndexOne},
        {"indices-fall", indicesFall},
        {"index-past-count", indexPastCount},
        {"order=INVALID", orderInvalid},
        {"order=DURING_API_CALL", orderDuringCall},
        {"order=ANY", orderAny},
        {"flags=overlap", flagOverlap},
        {"flags=2", flagUnknown},
        {"dsts=NULL", nullDsts},
        {"dst=src", toItself},
        {"last-past-the-end", lastPastTheEnd},
        {"numAttrs>count", moreAttributesThanEntries},
        {"pageable-source", fromPageable},
        {"pageable-source,order=DURING_API_CALL", fromPageableDuringCall},
        {"pinned-to-pinned", betweenPinned},
    };
    static const struct {
        const char *name;
        void (*change)(struct boxes *);
    } boxes[] = {
        {"ok", boxOk},          {"count=0", boxCountZero},           {"depth=0", boxDepthZero},
        {"flags=1", boxFlags},  {"rowLength<width", boxRowTooShort}, {"order=INVALID", boxOrderInvalid},
        {"list=NULL", boxNull},
    };
    for (size_t i = 0; i < sizeof(batches) / sizeof(batches[0]); i++)
        if (ask("%sBatch %s", prefix, batches[i].name))
            tryBatch(batches[i].change, functions, stream, current, strict);
    for (size_t i = 0; i < sizeof(boxes) / sizeof(boxes[0]); i++)
        if (ask("%s3DBatch %s", prefix, boxes[i].name))
            tryBoxes(boxes[i].change, functions, stream, current, strict);
}

static void play(void)
{
    worldOpen();
    const struct stream *const stream = streamNamed("sA");
    const struct place *const current = placeNamed("A");
    askBatches("", &rawFunctions, stream, current, false);
    if (ask("Batch last-past-the-end,the-first-entry"))
        tryBatch(lastPastTheEnd, &rawFunctions, stream, current, true);
}

const struct section batchArgumentsSection = {
    .name = "batch-arguments",
    .columns = "copy\tcase\tanswer",
    .about = "The edges of what a batch of 8 entries, or of one box, takes, on sA with A current.",
    .play = play,
    .parts = 1,
};
