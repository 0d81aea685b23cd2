/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of the safe layer that fail. */
#include "types.h" /* and what an older cuda.h lacks */

#include "scenes.h"

enum { entries = 4 };

static struct {
    CUdeviceptr dsts[entries], srcs[entries];
    size_t sizes[entries];
    size_t attrsIdxs[2];
    CUmemcpyAttributes attrs[2];
} batch;

/* One with nothing wrong in it. */
static void prepare(const struct world *world)
{
    for (int i = 0; i < entries; i++) {
        batch.dsts[i] = plainMemory(world->away, sceneBytes);
        batch.srcs[i] = plainMemory(world->away, sceneBytes);
        batch.sizes[i] = sceneBytes;
    }
    batch.attrsIdxs[0] = 0;
    batch.attrsIdxs[1] = 2;
    batch.attrs[0].srcAccessOrder = batch.attrs[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    batch.attrs[0].flags = batch.attrs[1].flags = CU_MEMCPY_FLAG_DEFAULT;
}

static CUresult copyBatch(CUstream stream)
{
    return cucopyMemcpyBatchAsync(batch.dsts, batch.srcs, batch.sizes, entries, batch.attrs, batch.attrsIdxs, 2,
                                  stream);
}

static void nullEntry(const struct world *world)
{
    prepare(world);
    batch.dsts[2] = 0;
    fails(copyBatch(world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void entryPastTheEnd(const struct world *world)
{
    prepare(world);
    batch.srcs[3] += 4096;
    fails(copyBatch(world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void indicesThatFall(const struct world *world)
{
    prepare(world);
    batch.attrsIdxs[1] = 0;
    fails(copyBatch(world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void noSuchOrder(const struct world *world)
{
    prepare(world);
    batch.attrs[1].srcAccessOrder = (CUmemcpySrcAccessOrder)0;
    fails(copyBatch(world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void noArrays(const struct world *world)
{
    fails(cucopyMemcpyBatchAsync(NULL, NULL, NULL, entries, NULL, NULL, 0, world->awayStream),
          CUDA_ERROR_INVALID_VALUE);
}

static void noContext(const struct world *world)
{
    prepare(world);
    fails(copyBatch(NULL), CUDA_ERROR_INVALID_CONTEXT);
}

static void endCapture(void *stream)
{
    CUgraph graph = NULL;
    if (cudrvStreamEndCapture(stream, &graph) == CUDA_SUCCESS)
        (void)cudrvGraphDestroy(graph);
}

static void hostReadUnderCapture(const struct world *world)
{
    prepare(world);
    batch.srcs[0] = (CUdeviceptr)(uintptr_t)pageableMemory(sceneBytes);
    batch.attrs[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    must(cudrvStreamBeginCapture(world->awayStream, CU_STREAM_CAPTURE_MODE_RELAXED));
    later(endCapture, world->awayStream, NULL);
    fails(copyBatch(world->awayStream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

/* Under capture the driver's own batch cannot be used, so each entry is a call. */
static void endsMidway(const struct world *world)
{
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    options.path = CUCOPY_BATCH_ENGINE;
    prepare(world);
    must(cudrvStreamBeginCapture(world->awayStream, CU_STREAM_CAPTURE_MODE_RELAXED));
    later(endCapture, world->awayStream, NULL);
    simulator()->refuse("cuMemcpyAsync", 3, CUDA_ERROR_OUT_OF_MEMORY, false);
    fails(cucopyMemcpyBatchAsyncEx(batch.dsts, batch.srcs, batch.sizes, entries, &options, world->awayStream),
          CUDA_ERROR_OUT_OF_MEMORY);
}

static void kernelThatCannot(const struct world *world)
{
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    options.path = CUCOPY_BATCH_KERNEL;
    prepare(world);
    batch.srcs[0] = (CUdeviceptr)(uintptr_t)pageableMemory(sceneBytes);
    fails(cucopyMemcpyBatchAsyncEx(batch.dsts, batch.srcs, batch.sizes, entries, &options, world->awayStream),
          CUDA_ERROR_NOT_SUPPORTED);
}

static void boxWithoutPointer(const struct world *world)
{
    CUDA_MEMCPY3D_BATCH_OP box;
    memset(&box, 0, sizeof(box));
    box.src.type = box.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    box.dst.op.ptr.ptr = plainMemory(world->away, sceneBytes);
    box.extent.width = 64;
    box.extent.height = box.extent.depth = 2;
    box.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    fails(cucopyMemcpy3DBatchAsync(1, &box, 0, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

const struct scene batchScenes[] = {
    {"a_batch_with_an_entry_that_is_NULL", 0, nullEntry,
     .says = {"cucopyMemcpyBatchAsync: CUDA_ERROR_INVALID_VALUE: the batch was refused at entry 2.", "to       NULL",
              "Cause: the destination is NULL."}},
    {"a_batch_with_an_entry_past_the_end", 0, entryPastTheEnd,
     .says = {"the batch was refused at entry 3.", "byte 4,096 of 65,536 of memory",
              "Cause: the copy runs 4,096 bytes past the end of the source's allocation."}},
    {"a_batch_whose_indices_do_not_rise", 0, indicesThatFall,
     .says = {"Cause: attrsIdxs does not begin at 0 and rise."}},
    {"a_batch_with_no_such_access_order", 0, noSuchOrder,
     .says = {"at entry 2", "Cause: there is no such source access order."}},
    {"a_batch_without_arrays", 0, noArrays, .says = {"Cause: dsts, srcs or sizes is NULL."}},
    {"a_batch_on_a_default_stream_with_no_current_context", 0, noContext,
     .says = {"CUDA_ERROR_INVALID_CONTEXT", "Cause: no context is current on this thread"}},
    {"a_batch_that_reads_host_memory_at_the_call_under_capture", 0, hostReadUnderCapture,
     .says = {"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", ", being captured",
              "Cause: the access order is DURING_API_CALL, and a graph reads its sources when it is launched."}},
    {"a_batch_that_ends_midway", NEEDS_SIMULATOR, endsMidway,
     .says = {"CUDA_ERROR_OUT_OF_MEMORY: the batch was refused", ", after 2 of its entries had been enqueued.",
              "no memory for its own part"}},
    {"a_batch_by_a_kernel_that_cannot", 0, kernelThatCannot,
     .says = {"cucopyMemcpyBatchAsyncEx: CUDA_ERROR_NOT_SUPPORTED", "Cause: the path is that of the kernel"}},
    {"a_batch_of_boxes_with_one_that_is_NULL", 0, boxWithoutPointer,
     .says = {"cucopyMemcpy3DBatchAsync", "at entry 0", "Cause: an operand's pointer is NULL."}},
};
const size_t batchSceneCount = sizeof(batchScenes) / sizeof(batchScenes[0]);
