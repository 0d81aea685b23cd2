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

/* More ranges than are kept: some make room while an entry waits to be joined by the next. */
static void an_entry_keeps_its_address_for_the_kernel_when_its_range_makes_room(void **state)
{
    enum { AREAS = 400, COUNT = 4000, SIZE = 64, HALF = 64 * SIZE };
    needEntry("cuLibraryLoadData");
    struct bench bench = benchMake(*state, 'D', 'D', (size_t)AREAS * 2 * HALF);
    struct entries entries = entriesMake(COUNT);
    CUdeviceptr dsts[AREAS], srcs[AREAS];
    size_t used[AREAS] = {0}, to[COUNT], from[COUNT];
    said.address = ~(CUdeviceptr)0;
    CUdeviceptr end = 0;
    for (size_t i = 0; i < AREAS; i++) {
        assert_success(cudrvMemAlloc(&srcs[i], SIZE));
        assert_success(cudrvMemsetD8(srcs[i], (unsigned char)(i % 251 + 1), SIZE));
    }
    for (size_t i = 0; i < AREAS; i++) {
        assert_success(cudrvMemAlloc(&dsts[i], (size_t)2 * HALF));
        said.address = dsts[i] < said.address ? dsts[i] : said.address;
        end = dsts[i] > end ? dsts[i] : end;
    }
    for (size_t i = 0; i < COUNT; i++) {
        do
            to[i] = randomBelow(AREAS);
        while (used[to[i]] == HALF);
        from[i] = randomBelow(AREAS);
        entries.dsts[i] = dsts[to[i]] + used[to[i]];
        entries.srcs[i] = srcs[from[i]];
        entries.sizes[i] = SIZE;
        used[to[i]] += SIZE;
    }
    said.bytes = (size_t)(end - said.address) + HALF;
    said.isOnHost = 1; /* the only kind that is moved */
    said.moved = HALF;
    assert_success(copy(&entries, bench.stream));
    said.bytes = 0;
    assert_success(cudrvStreamSynchronize(bench.stream));
    for (size_t i = 0; i < COUNT; i++) {
        unsigned char byte = 0;
        assert_success(cudrvMemcpyDtoH(&byte, entries.dsts[i] + HALF, 1));
        assert_int_equal(byte, from[i] % 251 + 1);
    }
    for (size_t i = 0; i < AREAS; i++) {
        assert_success(cudrvMemFree(dsts[i]));
        assert_success(cudrvMemFree(srcs[i]));
    }
    entriesFree(&entries);
    benchFree(&bench);
}

/*
 * The destination of the last entry is in the range that made room last, to which a guess leads; its source is in a new
 * one, which takes that room.
 */
static void a_range_that_made_room_is_not_found_again_by_guessing(void **state)
{
    enum { KEPT = 512, AREAS = KEPT + 1, COUNT = KEPT / 2 + 2, SIZE = 64, FAR = 2 << 20, MET_AGAIN = 4 };
    needEntry("cuLibraryLoadData");
    struct bench bench = benchMake(*state, 'D', 'D', SIZE);
    struct entries entries = entriesMake(COUNT);
    CUdeviceptr areas[AREAS];
    unsigned char byte = 0;
    for (size_t i = 0; i < AREAS; i++) {
        assert_success(cudrvMemAlloc(&areas[i], FAR));
        assert_success(cudrvMemsetD8(areas[i], (unsigned char)(i % 251 + 1), SIZE));
    }
    for (size_t i = 0; i < COUNT; i++) { /* the first range is met once more when there are guesses */
        const size_t pair = i < MET_AGAIN ? i : i == MET_AGAIN ? 0 : i - 1;
        entries.dsts[i] = areas[2 * pair % KEPT] + i * SIZE;
        entries.srcs[i] = areas[i == COUNT - 1 ? AREAS - 1 : 2 * pair + 1];
        entries.sizes[i] = SIZE;
    }
    said.address = areas[0];
    said.bytes = FAR;
    said.isOnHost = 1;
    said.moved = FAR / 2;
    assert_success(copy(&entries, bench.stream));
    said.bytes = 0;
    assert_success(cudrvStreamSynchronize(bench.stream));
    assert_success(cudrvMemcpyDtoH(&byte, entries.dsts[COUNT - 1] + FAR / 2, 1));
    assert_int_equal(byte, (AREAS - 1) % 251 + 1);
    for (size_t i = 0; i < AREAS; i++)
        assert_success(cudrvMemFree(areas[i]));
    entriesFree(&entries);
    benchFree(&bench);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hole_between_mappings_on_the_host_is_found),
        cmocka_unit_test(an_entry_keeps_its_address_for_the_kernel_when_its_range_makes_room),
        cmocka_unit_test(a_range_that_made_room_is_not_found_again_by_guessing),
    };
    return cmocka_run_group_tests(tests, worldSetUp, worldTearDown);
}
