/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A caller compiled with CUDA_API_PER_THREAD_DEFAULT_STREAM: NULL is then the per-thread default stream, in both
 * layers. The legacy stream can not be captured and the per-thread one can, so a call of the wrong variant shows on any
 * driver.
 */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include "types.h"

#include "support.h"

enum { bytes = 256 };

struct memory {
    CUdeviceptr dst, src;
    void *host;
    CUarray array;
};

static const CUDA_ARRAY_DESCRIPTOR row = {
    .Width = bytes, .Height = 0, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};

static void make(const struct world *world, struct memory *memory)
{
    assert_success(cudrvCtxPushCurrent(world->away));
    assert_success(cudrvMemAlloc(&memory->dst, bytes));
    assert_success(cudrvMemAlloc(&memory->src, bytes));
    assert_success(cudrvMemHostAlloc(&memory->host, bytes, 0));
    assert_success(cudrvArrayCreate(&memory->array, &row));
}

static void unmake(const struct memory *memory)
{
    assert_success(cudrvMemFree(memory->dst));
    assert_success(cudrvMemFree(memory->src));
    assert_success(cudrvMemFreeHost(memory->host));
    assert_success(cudrvArrayDestroy(memory->array));
    assert_success(cudrvCtxPopCurrent(NULL));
}

/* Each copy on stream NULL: raw if safe is 0. */
static CUresult copyOnNull(int which, int safe, const struct memory *m, CUcontext context)
{
    const CUDA_MEMCPY2D box2 = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice = m->src,
                                .srcPitch = bytes,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = m->dst,
                                .dstPitch = bytes,
                                .WidthInBytes = bytes,
                                .Height = 1};
    const CUDA_MEMCPY3D box3 = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice = m->src,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = m->dst,
                                .WidthInBytes = bytes,
                                .Height = 1,
                                .Depth = 1};
    const CUDA_MEMCPY3D_PEER peer3 = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                      .srcDevice = m->src,
                                      .srcContext = context,
                                      .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                      .dstDevice = m->dst,
                                      .dstContext = context,
                                      .WidthInBytes = bytes,
                                      .Height = 1,
                                      .Depth = 1};
#define BOTH(call) (safe ? cucopy##call : cudrv##call)
    switch (which) {
    case 0:
        return BOTH(MemcpyAsync(m->dst, m->src, bytes, NULL));
    case 1:
        return BOTH(MemcpyPeerAsync(m->dst, context, m->src, context, bytes, NULL));
    case 2:
        return BOTH(MemcpyHtoDAsync(m->dst, m->host, bytes, NULL));
    case 3:
        return BOTH(MemcpyDtoHAsync(m->host, m->src, bytes, NULL));
    case 4:
        return BOTH(MemcpyDtoDAsync(m->dst, m->src, bytes, NULL));
    case 5:
        return BOTH(MemcpyHtoAAsync(m->array, 0, m->host, bytes, NULL));
    case 6:
        return BOTH(MemcpyAtoHAsync(m->host, m->array, 0, bytes, NULL));
    case 7:
        return BOTH(Memcpy2DAsync(&box2, NULL));
    case 8:
        return BOTH(Memcpy3DAsync(&box3, NULL));
    default:
        return BOTH(Memcpy3DPeerAsync(&peer3, NULL));
    }
#undef BOTH
}

enum { copyCount = 10 };
static const char *const symbols[copyCount] = {"cuMemcpyAsync",        "cuMemcpyPeerAsync",    "cuMemcpyHtoDAsync_v2",
                                               "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoDAsync_v2", "cuMemcpyHtoAAsync_v2",
                                               "cuMemcpyAtoHAsync_v2", "cuMemcpy2DAsync_v2",   "cuMemcpy3DAsync_v2",
                                               "cuMemcpy3DPeerAsync"};

static void a_copy_on_NULL_reaches_the_per_thread_entry_and_never_the_legacy_one(void **state)
{
    const struct world *const world = *state;
    const struct simulator *const sim = needSimulator();
    struct memory memory;
    make(world, &memory);
    for (int safe = 0; safe < 2; safe++)
        for (int which = 0; which < copyCount; which++) {
            char perThread[64];
            (void)snprintf(perThread, sizeof(perThread), "%s_ptsz", symbols[which]);
            sim->resetCalls();
            assert_success(copyOnNull(which, safe, &memory, world->away));
            assert_int_equal(sim->calls(perThread), 1);
            assert_int_equal(sim->calls(symbols[which]), 0);
            assert_int_equal(sim->calls(NULL), 1);
        }
    assert_success(cudrvStreamSynchronize(NULL));
    unmake(&memory);
}

/* A copy captured on NULL: its result, with the graph's nodes counted into *nodes. */
static CUresult captured(int which, int safe, const struct memory *memory, CUcontext context, size_t *nodes)
{
    CUgraph graph = NULL;
    assert_success(cudrvStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    const CUresult result = copyOnNull(which, safe, memory, context);
    const CUresult ended = cudrvStreamEndCapture(NULL, &graph);
    if (result == CUDA_SUCCESS) {
        assert_success(ended);
        assert_success(cudrvGraphGetNodes(graph, NULL, nodes));
        assert_success(cudrvGraphDestroy(graph));
    }
    return result;
}

/* A copy that reached the legacy stream instead would be STREAM_CAPTURE_IMPLICIT. Not every copy can be captured. */
static void the_default_stream_can_be_captured_so_it_is_not_the_legacy_one(void **state)
{
    const struct world *const world = *state;
    struct memory memory;
    make(world, &memory);
    for (int which = 0; which < copyCount; which++) {
        size_t rawNodes = 0;
        size_t safeNodes = 0;
        const CUresult raw = captured(which, 0, &memory, world->away, &rawNodes);
        const CUresult safe = captured(which, 1, &memory, world->away, &safeNodes);
        if (raw != CUDA_SUCCESS)
            print_message("%s can not be captured: %s\n", symbols[which], cudrvResultName(raw));
        assert_int_equal(safe, raw);
        assert_int_equal(safeNodes, rawNodes);
        assert_int_not_equal(raw, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
        assert_true(rawNodes == 1 || raw == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        assert_true(which != 0 || rawNodes == 1);
    }
    unmake(&memory);
}

static void a_stream_with_a_context_is_guarded_all_the_same(void **state)
{
    const struct world *const world = *state;
    const struct simulator *const sim = needSimulator();
    struct memory memory;
    make(world, &memory);
    assert_success(cudrvCtxPushCurrent(world->home));
    sim->resetCalls();
    assert_success(cucopyMemcpyAsync(memory.dst, memory.src, bytes, world->awayStream));
    assert_int_equal(sim->calls(NULL), 5);
    assert_int_equal(sim->calls("cuMemcpyAsync_ptsz"), 1);
    assert_success(cudrvCtxPopCurrent(NULL));
    assert_success(cudrvStreamSynchronize(world->awayStream));
    unmake(&memory);
}

static void the_record_of_a_batch_has_the_stream_that_it_was_called_with(void **state)
{
    const struct world *const world = *state;
    struct memory memory;
    cucopyFailure failure = CUCOPY_FAILURE_INIT;
    make(world, &memory);
    const CUdeviceptr dsts[] = {memory.dst, memory.dst}, srcs[] = {memory.src, 0};
    const size_t sizes[] = {1, 1};
    CUDA_MEMCPY3D_BATCH_OP op;
    memset(&op, 0, sizeof(op));
    op.extent.width = op.extent.height = op.extent.depth = 1;
    for (int boxes = 0; boxes < 2; boxes++) {
        assert_result(boxes ? cucopyMemcpy3DBatchAsync(1, &op, 0, NULL)
                            : cucopyMemcpyBatchAsyncEx(dsts, srcs, sizes, 2, NULL, NULL),
                      CUDA_ERROR_INVALID_VALUE);
        assert_success(cucopyLastFailure(&failure));
        assert_null(failure.stream);
        assert_int_equal(failure.capture, CUCOPY_CAPTURE_NONE);
    }
    unmake(&memory);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, worldSetUp, worldTearDown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_copy_on_NULL_reaches_the_per_thread_entry_and_never_the_legacy_one),
        TEST(the_default_stream_can_be_captured_so_it_is_not_the_legacy_one),
        TEST(a_stream_with_a_context_is_guarded_all_the_same),
        TEST(the_record_of_a_batch_has_the_stream_that_it_was_called_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
