/* SPDX-License-Identifier: Apache-2.0 */
/*
 * override.h: the driver's own names are the safe layer's. This program is not linked to libcuda, so that a name which
 * is not mapped does not link. test_override_per_thread.c reads this file a second time.
 */
#include "support.h"

#include <cucopy/override.h>

#define SAME(driver, ours) assert_true((driver) == (ours))

static void each_asynchronous_copy_is_the_safe_one(void **state)
{
    (void)state;
    SAME(cuMemcpyAsync, cucopyMemcpyAsync);
    SAME(cuMemcpyPeerAsync, cucopyMemcpyPeerAsync);
    SAME(cuMemcpyHtoDAsync, cucopyMemcpyHtoDAsync);
    SAME(cuMemcpyDtoHAsync, cucopyMemcpyDtoHAsync);
    SAME(cuMemcpyDtoDAsync, cucopyMemcpyDtoDAsync);
    SAME(cuMemcpyHtoAAsync, cucopyMemcpyHtoAAsync);
    SAME(cuMemcpyAtoHAsync, cucopyMemcpyAtoHAsync);
    SAME(cuMemcpy2DAsync, cucopyMemcpy2DAsync);
    SAME(cuMemcpy3DAsync, cucopyMemcpy3DAsync);
    SAME(cuMemcpy3DPeerAsync, cucopyMemcpy3DPeerAsync);
#if CUDA_VERSION >= 13000
    SAME(cuMemcpyBatchAsync, cucopyMemcpyBatchAsync);
    SAME(cuMemcpy3DBatchAsync, cucopyMemcpy3DBatchAsync);
#elif CUDA_VERSION >= 12080
    SAME(cuMemcpyBatchAsync, cucopyMemcpyBatchAsync_v12080);
    SAME(cuMemcpy3DBatchAsync, cucopyMemcpy3DBatchAsync_v12080);
#endif
#if CUDA_VERSION >= 13020
    SAME(cuMemcpyWithAttributesAsync, cucopyMemcpyWithAttributesAsync);
    SAME(cuMemcpy3DWithAttributesAsync, cucopyMemcpy3DWithAttributesAsync);
#endif
}

/* cuda.h's own prototype of the name must fit the function that it now means. */
static void the_safe_one_has_the_type_that_this_toolkit_declares(void **state)
{
    (void)state;
    CUresult(CUDAAPI * copy)(CUdeviceptr, CUdeviceptr, size_t, CUstream) = cuMemcpyAsync;
    assert_non_null(copy);
#if CUDA_VERSION >= 13000
    CUresult(CUDAAPI * batch)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t,
                              CUstream) = cuMemcpyBatchAsync;
    assert_non_null(batch);
#elif CUDA_VERSION >= 12080
    CUresult(CUDAAPI * batch)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t,
                              size_t *, CUstream) = cuMemcpyBatchAsync;
    assert_non_null(batch);
#endif
}

static void an_existing_call_is_guarded_without_a_change(void **state)
{
    const struct world *const world = *state;
    const struct simulator *const sim = needSimulator();
    assert_success(cudrvCtxPushCurrent(world->home));
    sim->resetCalls();
    assert_success(cuMemcpyAsync(0, 0, 0, world->awayStream));
    assert_int_equal(sim->calls("cuCtxPushCurrent_v2"), 1);
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
    assert_int_equal(sim->calls("cuMemcpyAsync_ptsz"), 1);
#else
    assert_int_equal(sim->calls("cuMemcpyAsync"), 1);
#endif
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, worldSetUp, worldTearDown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_asynchronous_copy_is_the_safe_one),
        TEST(the_safe_one_has_the_type_that_this_toolkit_declares),
        TEST(an_existing_call_is_guarded_without_a_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
