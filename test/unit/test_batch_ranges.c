/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a batch makes of the driver's answers about memory. The answers are changed on their way, into those of memory
 * that the simulated driver does not model.
 */
#include "types.h"

#include "areas.h"

#include <stdlib.h>

enum { BLOCK = 512, MAPPING = 2 << 20 };

/* To be said of this memory. */
static struct {
    CUdeviceptr address;
    size_t bytes;
    int isOnHost;
    CUdeviceptr moved;
} said;

CUresult __real_cudrvPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **values,
                                          CUdeviceptr address);
CUresult __wrap_cudrvPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **values,
                                          CUdeviceptr address);

CUresult __wrap_cudrvPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **values,
                                          CUdeviceptr address)
{
    const CUresult result = __real_cudrvPointerGetAttributes(count, attributes, values, address);
    for (unsigned int i = 0; i < count && address - said.address < said.bytes; i++) {
        const CUmemorytype host = CU_MEMORYTYPE_HOST;
        const CUdeviceptr pointer = address + said.moved;
        if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE && said.isOnHost)
            memcpy(values[i], &host, sizeof(host));
        if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_POINTER)
            memcpy(values[i], &pointer, sizeof(pointer));
    }
    return result;
}

static CUresult copy(const struct entries *entries, CUstream stream)
{
    return cucopyMemcpyBatchAsyncEx(entries->dsts, entries->srcs, entries->sizes, entries->count, NULL, stream);
}

static void a_hole_between_mappings_on_the_host_is_found(void **state)
{
    struct bench bench = benchMake(*state, 'V', 'D', (size_t)3 * MAPPING);
    struct entries entries = entriesMake(20);
    cucopyFailure failure = CUCOPY_FAILURE_INIT;
    for (size_t i = 0; i < entries.count; i++)
        entrySet(&entries, i, &bench, (19 - i) * BLOCK, i * BLOCK, BLOCK);
    said.address = bench.dst.address;
    said.bytes = bench.dst.bytes;
    said.isOnHost = 1;
    assert_success(cudrvMemUnmap(bench.dst.address + MAPPING, MAPPING));
    entrySet(&entries, 5, &bench, MAPPING - BLOCK / 2, 0, BLOCK);
    assert_result(copy(&entries, bench.stream), CUDA_ERROR_INVALID_VALUE);
    assert_success(cucopyLastFailure(&failure));
    assert_int_equal(failure.entry, 5);
    assert_int_equal(failure.entriesEnqueued, 0);
    said.bytes = 0;
    entriesFree(&entries);
    areaFree(&bench.src, bench.stream);
    assert_success(cudrvMemUnmap(bench.dst.address, MAPPING));
    assert_success(cudrvMemUnmap(bench.dst.address + (size_t)2 * MAPPING, MAPPING));
    assert_success(cudrvMemAddressFree(bench.dst.address, bench.dst.bytes));
    free(bench.dst.model);
    assert_success(cudrvCtxPopCurrent(NULL));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hole_between_mappings_on_the_host_is_found),
    };
    return cmocka_run_group_tests(tests, worldSetUp, worldTearDown);
}
