/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What users of the driver API reported of batches, each as the test of its name: the public report's project and
 * number.
 */
#include "types.h" /* first: it has the types that an old cuda.h lacks */

#include "support.h"

#include <stdlib.h>

enum { entryBytes = 512, entryCount = 1024, totalBytes = entryBytes * entryCount };

/* Two pieces of memory of the away context, and a batch that moves one into the other. */
struct fixture {
    struct world *world;
    CUdeviceptr dst, src;
    unsigned char *pinned, *pageable;
    CUdeviceptr dsts[entryCount], srcs[entryCount];
    size_t sizes[entryCount];
};

static void make(void *argument)
{
    struct fixture *const f = argument;
    void *pinned = NULL;
    assert_success(cudrvMemAlloc(&f->dst, totalBytes));
    assert_success(cudrvMemAlloc(&f->src, totalBytes));
    assert_success(cudrvMemHostAlloc(&pinned, totalBytes, 0));
    f->pinned = pinned;
}

static void unmake(void *argument)
{
    struct fixture *const f = argument;
    assert_success(cudrvMemFree(f->dst));
    assert_success(cudrvMemFree(f->src));
    assert_success(cudrvMemFreeHost(f->pinned));
}

/* Entry i of the batch is the i-th piece from the end, so that neighbours are not one piece. */
static void batchFrom(struct fixture *f, CUdeviceptr src)
{
    for (size_t i = 0; i < entryCount; i++) {
        f->dsts[i] = f->dst + (entryCount - 1 - i) * entryBytes;
        f->srcs[i] = src + (entryCount - 1 - i) * entryBytes;
        f->sizes[i] = entryBytes;
    }
}

static int setUp(void **state)
{
    struct fixture *const f = calloc(1, sizeof(*f));
    if (!f || worldSetUp((void **)&f->world))
        return -1;
    withContext(f->world->away, make, f);
    f->pageable = malloc(totalBytes);
    batchFrom(f, f->src);
    *state = f;
    return f->pageable ? 0 : -1;
}

static int tearDown(void **state)
{
    struct fixture *const f = *state;
    stackEmpty();
    withContext(f->world->away, unmake, f);
    (void)worldTearDown((void **)&f->world);
    free(f->pageable);
    free(f);
    return 0;
}

static void synchronousCopy(struct fixture *f, CUdeviceptr dst, CUdeviceptr src)
{
    assert_success(cudrvCtxPushCurrent(f->world->away));
    assert_success(cudrvMemcpy(dst, src, totalBytes));
    assert_success(cudrvCtxSynchronize());
    assert_success(cudrvCtxPopCurrent(NULL));
}

static CUdeviceptr address(const void *host)
{
    return (CUdeviceptr)(uintptr_t)host;
}

/* Every byte of device memory. */
static void fill(struct fixture *f, CUdeviceptr memory, unsigned char value)
{
    memset(f->pageable, value, totalBytes);
    synchronousCopy(f, memory, address(f->pageable));
}

static void assertHolds(struct fixture *f, CUdeviceptr memory, unsigned char value)
{
    synchronousCopy(f, address(f->pageable), memory);
    for (size_t i = 0; i < totalBytes; i++)
        assert_int_equal(f->pageable[i], value);
}

static CUresult batch(struct fixture *f, CUmemcpyAttributes attributes, CUstream stream)
{
    size_t first = 0;
    return cucopyMemcpyBatchAsync(f->dsts, f->srcs, f->sizes, entryCount, &attributes, &first, 1, stream);
}

static const CUmemcpyAttributes inStreamOrder = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
static const CUmemcpyAttributes duringTheCall = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL};

/* ---- */

/* A batch is not capturable; one program went on without the copy. */
static void rmm_2518_cuopt_1753(void **state)
{
    struct fixture *const f = *state;
    const CUstream stream = f->world->awayStream;
    for (unsigned mode = CU_STREAM_CAPTURE_MODE_GLOBAL; mode <= CU_STREAM_CAPTURE_MODE_RELAXED; mode++) {
        CUgraph graph = NULL;
        CUgraphExec exec = NULL;
        fill(f, f->dst, 1);
        fill(f, f->src, 2);
        assert_success(cudrvStreamBeginCapture(stream, (CUstreamCaptureMode)mode));
        assert_success(batch(f, inStreamOrder, stream));
        assert_success(cudrvStreamEndCapture(stream, &graph));
        assertHolds(f, f->dst, 1);
        fill(f, f->src, 3);
        assert_success(cudrvCtxPushCurrent(f->world->away));
        assert_success(cudrvGraphInstantiate(&exec, graph, 0));
        assert_success(cudrvGraphLaunch(exec, stream));
        assert_success(cudrvStreamSynchronize(stream));
        assert_success(cudrvCtxPopCurrent(NULL));
        assertHolds(f, f->dst, 3);
        assert_success(cudrvGraphExecDestroy(exec));
        assert_success(cudrvGraphDestroy(graph));
    }
}

/* A batch on the legacy stream was INVALID_VALUE. */
static void nccl_2003_vllm_46379(void **state)
{
    struct fixture *const f = *state;
    const CUstream special[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};
    for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
        fill(f, f->dst, 1);
        fill(f, f->src, 2);
        assert_success(cudrvCtxPushCurrent(f->world->away));
        assert_success(batch(f, inStreamOrder, special[i]));
        assert_success(cudrvStreamSynchronize(special[i]));
        assert_success(cudrvCtxPopCurrent(NULL));
        assertHolds(f, f->dst, 2);
    }
}

/* CUDA 13 dropped a parameter: a crash, or a missing symbol. Here one signature serves every driver: this test runs on
 * those of 11.4 to 13.2 as well. */
static void sglang_21869_vllm_38919_llm_d_kv_cache_607(void **state)
{
    struct fixture *const f = *state;
    fill(f, f->dst, 1);
    fill(f, f->src, 2);
    assert_success(batch(f, inStreamOrder, f->world->awayStream));
    assert_success(cudrvStreamSynchronize(f->world->awayStream));
    assertHolds(f, f->dst, 2);
}

/* One empty entry refused the whole batch. */
static void rmm_2509(void **state)
{
    struct fixture *const f = *state;
    fill(f, f->dst, 1);
    fill(f, f->src, 2);
    f->sizes[7] = 0;
    f->sizes[8] = 0;
    f->dsts[8] = f->srcs[8] = 0;
    assert_success(batch(f, inStreamOrder, f->world->awayStream));
    assert_success(cudrvStreamSynchronize(f->world->awayStream));
    synchronousCopy(f, address(f->pageable), f->dst);
    for (size_t i = 0; i < entryCount; i++)
        assert_int_equal(f->pageable[(entryCount - 1 - i) * entryBytes], i == 7 || i == 8 ? 1 : 2);
}

/* A temporary host source was freed before the copy read it: with DURING_API_CALL it may be. */
static void cudf_23561(void **state)
{
    struct fixture *const f = *state;
    unsigned char *const sources[] = {f->pinned, malloc(totalBytes)};
    assert_non_null(sources[1]);
    for (size_t i = 0; i < 2; i++) {
        memset(sources[i], 2, totalBytes);
        batchFrom(f, address(sources[i]));
        assert_success(batch(f, duringTheCall, f->world->awayStream));
        memset(sources[i], 3, totalBytes);
        assert_success(cudrvStreamSynchronize(f->world->awayStream));
        assertHolds(f, f->dst, 2);
    }
    free(sources[1]);
}

/* Thousands of small copies were bound by the cost of each call: a batch of them is a handful of calls. */
static void vllm_38460_flexkv_193_cudf_20800(void **state)
{
    struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    needEntry("cuLibraryLoadData");
    assert_success(batch(f, inStreamOrder, f->world->awayStream)); /* what is done once */
    sim->resetCalls();
    assert_success(batch(f, inStreamOrder, f->world->awayStream));
    assert_in_range(sim->calls(NULL), 1, 32);
    assert_success(cudrvStreamSynchronize(f->world->awayStream));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setUp, tearDown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rmm_2518_cuopt_1753),
        TEST(nccl_2003_vllm_46379),
        TEST(sglang_21869_vllm_38919_llm_d_kv_cache_607),
        TEST(rmm_2509),
        TEST(cudf_23561),
        TEST(vllm_38460_flexkv_193_cudf_20800),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
