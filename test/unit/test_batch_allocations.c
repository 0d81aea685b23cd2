/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch allocates nothing, whichever way it goes: what the library calls is counted where it is linked in.
 */
#include "types.h"

#include "areas.h"

#include <stdlib.h>

static unsigned long allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    allocations++;
    return __real_realloc(old, size);
}

static void a_batch_allocates_nothing(void **state)
{
    enum { BLOCK = 128, COUNT = 5000 };
    static const char kinds[][2] = {"DD", "DH", "HD", "DU", "DM", "DP"};
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
        for (size_t count = 1; count <= COUNT; count *= 17)
            for (size_t stride = BLOCK; stride <= (size_t)2 * BLOCK; stride += 100) { /* joined, packed, as addresses */
                struct bench bench = benchMake(*state, kinds[k][0], kinds[k][1], (size_t)COUNT * 2 * BLOCK);
                struct entries entries = entriesMake(count);
                for (size_t i = 0; i < count; i++)
                    entrySet(&entries, i, &bench, i * stride, i * stride, BLOCK - (stride > BLOCK ? i % 7 : 0));
                allocations = 0;
                assert_success(
                    cucopyMemcpyBatchAsyncEx(entries.dsts, entries.srcs, entries.sizes, count, NULL, bench.stream));
                assert_int_equal(allocations, 0);
                assert_success(cudrvStreamSynchronize(bench.stream));
                entriesFree(&entries);
                benchFree(&bench);
            }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(a_batch_allocates_nothing)};
    return cmocka_run_group_tests(tests, worldSetUp, worldTearDown);
}
