/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches under the owner's policy: host memory and device 1's pool, on a stream of device 0. Needs two devices; what
 * is expected of them is from public reports.
 */
#include "owned.h"

#include <stdlib.h>

/* As compiled for per-thread default streams. */
CUresult CUDAAPI cucopyMemcpyBatchAsyncEx_ptsz(const CUdeviceptr *dsts, const CUdeviceptr *srcs, const size_t *sizes,
                                               size_t count, const cucopyBatchOptions *options, CUstream hStream);

enum { small = 64, count = bytes / small / 2 };

/* From every second block of the host memory into the pool, so that no block continues another. */
struct blocks {
    CUdeviceptr dsts[count], srcs[count];
    size_t sizes[count];
};

static struct blocks toPool(const struct fixture *f)
{
    struct blocks blocks;
    for (size_t i = 0; i < count; i++) {
        blocks.dsts[i] = f->pool + (count - 1 - i) * small;
        blocks.srcs[i] = f->host + 2 * i * small;
        blocks.sizes[i] = small;
    }
    return blocks;
}

typedef CUresult(CUDAAPI *Batch)(const CUdeviceptr *, const CUdeviceptr *, const size_t *, size_t,
                                 const cucopyBatchOptions *, CUstream);

static CUresult copyBlocks(Batch function, const struct blocks *blocks, cucopyContextPolicy policy, CUstream stream)
{
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    options.path = CUCOPY_BATCH_ENGINE;
    options.context = policy;
    return function(blocks->dsts, blocks->srcs, blocks->sizes, count, &options, stream);
}

static void fill(const struct fixture *f, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)(uintptr_t)f->host)[i] = (unsigned char)(i / small * 5 + i + seed);
}

/* What toPool brings is in the pool, while the host memory is as it was. */
static void checkPool(const struct fixture *f)
{
    unsigned char got[count * small];
    assert_success(cudrvCtxPushCurrent(f->world->away));
    assert_success(cudrvMemcpyDtoH(got, f->pool, sizeof(got)));
    assert_success(cudrvCtxPopCurrent(NULL));
    for (size_t i = 0; i < count; i++)
        assert_memory_equal(got + (count - 1 - i) * small, (void *)(uintptr_t)(f->host + 2 * i * small), small);
}

static unsigned long driverBatches(const struct simulator *sim)
{
    return sim->calls("cuMemcpyBatchAsync_v2") + sim->calls("cuMemcpyBatchAsync");
}

/* To the pool and from it, among copies that need no owner. */
static void each_copy_of_a_batch_that_needs_its_owner_gets_it(void **state)
{
    enum { part = bytes / 8, entries = 8 };
    const struct fixture *const f = *state;
    unsigned char *const host = (unsigned char *)(uintptr_t)f->host;
    CUcontext primary = NULL;
    needTwoDevices(f->world);
    assert_success(cudrvDevicePrimaryCtxRetain(&primary, f->world->awayDevice));
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    for (int current = 0; current < 3; current++) {
        CUdeviceptr dsts[entries], srcs[entries];
        size_t sizes[entries];
        if (current)
            assert_success(cudrvCtxPushCurrent(current == 1 ? f->world->home : f->world->away));
        const struct stack before = stackNow();
        for (size_t i = 0; i < entries; i++) { /* half of the host memory, across */
            const size_t other = i % 2 ? entries - 1 - i : i;
            dsts[i] = (i % 2 ? f->host + bytes / 2 : f->pool) + other / 2 * part;
            srcs[i] = f->host + i / 2 * part;
            sizes[i] = part;
        }
        for (size_t i = 0; i < bytes; i++)
            host[i] = (unsigned char)(i / part * 7 + (size_t)current);
        options.context = CUCOPY_CONTEXT_STREAM;
        assert_result(cucopyMemcpyBatchAsyncEx(dsts, srcs, sizes, entries, &options, f->world->homeStream),
                      CUDA_ERROR_INVALID_VALUE);
        assertStackIs(&before);
        options.context = CUCOPY_CONTEXT_OWNER;
        assert_success(cucopyMemcpyBatchAsyncEx(dsts, srcs, sizes, entries, &options, f->world->homeStream));
        assertStackIs(&before);
        assert_success(cudrvStreamSynchronize(f->world->homeStream));
        for (size_t i = 1; i < entries; i += 2)
            assert_memory_equal(host + (dsts[i] - f->host), host + i / 2 * part, part);
        memset(host + bytes / 2, 0, bytes / 2);
        for (size_t i = 0; i < entries; i += 2) {
            dsts[i / 2] = f->host + bytes / 2 + i / 2 * part;
            srcs[i / 2] = f->pool + i / 2 * part;
        }
        assert_success(cucopyMemcpyBatchAsyncEx(dsts, srcs, sizes, 1, &options, f->world->homeStream));
        assert_success(cucopyMemcpyBatchAsyncEx(dsts, srcs, sizes, entries / 2, &options, f->world->homeStream));
        assertStackIs(&before);
        assert_success(cudrvStreamSynchronize(f->world->homeStream));
        assert_memory_equal(host + bytes / 2, host, bytes / 2);
    }
    assert_success(cudrvDevicePrimaryCtxRelease(f->world->awayDevice));
}

static void a_batch_that_needs_no_owner_costs_no_more_than_without_the_policy(void **state)
{
    const struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    const CUdeviceptr dsts[] = {f->pool, f->pool + 512}, srcs[] = {f->host + 512, f->host};
    const size_t sizes[] = {512, 512};
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    unsigned long calls[2];
    for (int i = 0; i < 2; i++) {
        options.context = i ? CUCOPY_CONTEXT_OWNER : CUCOPY_CONTEXT_STREAM;
        sim->resetCalls();
        assert_success(cucopyMemcpyBatchAsyncEx(dsts, srcs, sizes, 2, &options, f->world->awayStream));
        calls[i] = sim->calls(NULL);
        assert_success(cudrvStreamSynchronize(f->world->awayStream));
    }
    assert_int_equal(calls[0], calls[1]);
}

/* Into the stream's context, into the owner's, and back: the first copy is enqueued, and the record says what was not.
 */
static void a_way_back_that_fails_is_told_as_that(void **state)
{
    const struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    const struct blocks blocks = toPool(f);
    cucopyFailure failure = CUCOPY_FAILURE_INIT;
    CUcontext primary = NULL;
    needTwoDevices(f->world);
    assert_success(cudrvDevicePrimaryCtxRetain(&primary, f->world->awayDevice));
    sim->refuse("cuCtxPushCurrent_v2", 3, CUDA_ERROR_OUT_OF_MEMORY, 0);
    assert_result(copyBlocks(cucopyMemcpyBatchAsyncEx, &blocks, CUCOPY_CONTEXT_OWNER, f->world->homeStream),
                  CUDA_ERROR_OUT_OF_MEMORY);
    sim->refuseNone();
    assert_int_equal(stackNow().depth, 0);
    assert_success(cucopyLastFailure(&failure));
    assert_int_equal(failure.step, CUCOPY_STEP_ENTER);
    assert_int_equal(failure.entriesEnqueued, 1);
    assert_success(cudrvStreamSynchronize(f->world->homeStream));
    assert_success(cudrvDevicePrimaryCtxRelease(f->world->awayDevice));
}

/* ---- The driver's own batch call ---- */

static void what_needs_its_owner_never_goes_by_the_drivers_own_batch(void **state)
{
    const struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    const struct blocks blocks = toPool(f);
    CUcontext primary = NULL;
    needTwoDevices(f->world);
    assert_success(cudrvDevicePrimaryCtxRetain(&primary, f->world->awayDevice));
    fill(f, 1);
    sim->resetCalls();
    assert_success(copyBlocks(cucopyMemcpyBatchAsyncEx, &blocks, CUCOPY_CONTEXT_OWNER, f->world->homeStream));
    assert_int_equal(driverBatches(sim), 0);
    assert_success(cudrvStreamSynchronize(f->world->homeStream));
    checkPool(f);
    assert_success(cudrvDevicePrimaryCtxRelease(f->world->awayDevice));
    assert_int_equal(isActive(f->world->awayDevice), 0);
}

/* Some of its entries may be copied already. */
static void a_refused_batch_of_the_drivers_own_is_not_tried_again(void **state)
{
    const struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    const struct blocks blocks = toPool(f);
    CUcontext primary = NULL;
    if (!cudrvHas("cuMemcpyBatchAsync"))
        needEntry("cuMemcpyBatchAsync_v12080");
    assert_success(cudrvDevicePrimaryCtxRetain(&primary, f->world->homeDevice));
    sim->refuse("cuMemcpyBatchAsync", 1, CUDA_ERROR_INVALID_VALUE, 0);
    sim->resetCalls();
    assert_result(copyBlocks(cucopyMemcpyBatchAsyncEx, &blocks, CUCOPY_CONTEXT_OWNER, f->world->awayStream),
                  CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(driverBatches(sim), 1);
    assert_int_equal(sim->calls("cuMemcpyAsync"), 0);
    assert_int_equal(sim->calls("cuDevicePrimaryCtxRetain"), 0);
    assert_int_equal(stackNow().depth, 0);
    assert_success(cudrvDevicePrimaryCtxRelease(f->world->homeDevice));
}

/* ---- Per-thread default streams ---- */

static void on_the_per_thread_stream_the_current_context_alone_counts(void **state)
{
    static const Batch functions[] = {cucopyMemcpyBatchAsyncEx, cucopyMemcpyBatchAsyncEx_ptsz};
    const struct fixture *const f = *state;
    const struct blocks blocks = toPool(f);
    CUcontext primary = NULL;
    needTwoDevices(f->world);
    assert_success(cudrvDevicePrimaryCtxRetain(&primary, f->world->awayDevice));
    for (unsigned i = 0; i < 2; i++) {
        const CUstream stream = i ? NULL : CU_STREAM_PER_THREAD;
        fill(f, i);
        assert_success(cudrvCtxPushCurrent(f->world->home));
        const struct stack before = stackNow();
        assert_result(copyBlocks(functions[i], &blocks, CUCOPY_CONTEXT_OWNER, stream), CUDA_ERROR_INVALID_VALUE);
        assertStackIs(&before);
        assert_success(cudrvCtxPopCurrent(NULL));
        assert_success(cudrvCtxPushCurrent(f->world->away));
        assert_success(copyBlocks(functions[i], &blocks, CUCOPY_CONTEXT_OWNER, stream));
        assert_success(cudrvStreamSynchronize(CU_STREAM_PER_THREAD));
        assert_success(cudrvCtxPopCurrent(NULL));
        checkPool(f);
    }
    assert_success(cudrvDevicePrimaryCtxRelease(f->world->awayDevice));
}

static void the_per_thread_variant_on_an_explicit_stream_is_the_same(void **state)
{
    const struct fixture *const f = *state;
    const struct blocks blocks = toPool(f);
    CUcontext primary = NULL;
    needTwoDevices(f->world);
    assert_success(cudrvDevicePrimaryCtxRetain(&primary, f->world->awayDevice));
    fill(f, 3);
    assert_result(copyBlocks(cucopyMemcpyBatchAsyncEx_ptsz, &blocks, CUCOPY_CONTEXT_STREAM, f->world->homeStream),
                  CUDA_ERROR_INVALID_VALUE);
    assert_success(copyBlocks(cucopyMemcpyBatchAsyncEx_ptsz, &blocks, CUCOPY_CONTEXT_OWNER, f->world->homeStream));
    assert_success(cudrvStreamSynchronize(f->world->homeStream));
    checkPool(f);
    assert_success(cudrvDevicePrimaryCtxRelease(f->world->awayDevice));
}

/* ---- Under capture ---- */

static void a_captured_batch_becomes_nodes_by_its_second_tries(void **state)
{
    const struct fixture *const f = *state;
    const struct blocks blocks = toPool(f);
    CUcontext primary = NULL;
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    needTwoDevices(f->world);
    assert_success(cudrvDevicePrimaryCtxRetain(&primary, f->world->awayDevice));
    assert_success(cudrvStreamBeginCapture(f->world->homeStream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_success(copyBlocks(cucopyMemcpyBatchAsyncEx, &blocks, CUCOPY_CONTEXT_OWNER, f->world->homeStream));
    assert_int_equal(stackNow().depth, 0);
    assert_success(cudrvStreamEndCapture(f->world->homeStream, &graph));
    assert_success(cudrvCtxPushCurrent(f->world->home));
    assert_success(cudrvGraphInstantiate(&exec, graph, 0));
    fill(f, 4);
    assert_success(cudrvGraphLaunch(exec, f->world->homeStream));
    assert_success(cudrvStreamSynchronize(f->world->homeStream));
    assert_success(cudrvGraphExecDestroy(exec));
    assert_success(cudrvGraphDestroy(graph));
    assert_success(cudrvCtxPopCurrent(NULL));
    checkPool(f);
    assert_success(cudrvDevicePrimaryCtxRelease(f->world->awayDevice));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OWNED_TEST(each_copy_of_a_batch_that_needs_its_owner_gets_it),
        OWNED_TEST(a_batch_that_needs_no_owner_costs_no_more_than_without_the_policy),
        OWNED_TEST(a_way_back_that_fails_is_told_as_that),
        OWNED_TEST(what_needs_its_owner_never_goes_by_the_drivers_own_batch),
        OWNED_TEST(a_refused_batch_of_the_drivers_own_is_not_tried_again),
        OWNED_TEST(on_the_per_thread_stream_the_current_context_alone_counts),
        OWNED_TEST(the_per_thread_variant_on_an_explicit_stream_is_the_same),
        OWNED_TEST(a_captured_batch_becomes_nodes_by_its_second_tries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
