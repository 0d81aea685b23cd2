/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches in a process that has no driver.
 */
#include "types.h"

#include "support.h"

static int loadNothing(void **state)
{
    (void)state;
    return cudrvLoad("/nonexistent/libcuda.so.1") == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED ? 0 : -1;
}

static void the_index_of_the_older_forms_is_left_alone(void **state)
{
    const CUstream streams[] = {NULL, (CUstream)(uintptr_t)0x1000};
    CUdeviceptr address = 0x1000;
    size_t size = 1;
    CUDA_MEMCPY3D_BATCH_OP op;
    (void)state;
    memset(&op, 0, sizeof(op));
    for (size_t i = 0; i < 2; i++) {
        size_t failed = 7;
        assert_result(cucopyMemcpyBatchAsync_v12080(&address, &address, &size, 1, NULL, NULL, 0, &failed, streams[i]),
                      CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
        assert_result(cucopyMemcpy3DBatchAsync_v12080(1, &op, &failed, 0, streams[i]),
                      CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
        assert_int_equal(failed, 7);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_of_the_older_forms_is_left_alone),
    };
    return cmocka_run_group_tests(tests, loadNothing, NULL);
}
