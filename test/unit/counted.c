/* SPDX-License-Identifier: Apache-2.0 */
#include "counted.h"

struct entries scattered(const struct bench *bench, size_t count)
{
    struct entries entries = entriesMake(count);
    for (size_t i = 0; i < count; i++)
        entrySet(&entries, i, bench, (count - 1 - i) * BLOCK, i * BLOCK, BLOCK);
    return entries;
}

CUresult copyBy(const struct entries *entries, cucopyBatchPath path, CUstream stream)
{
    cucopyBatchOptions options = CUCOPY_BATCH_OPTIONS_INIT;
    options.path = path;
    return cucopyMemcpyBatchAsyncEx(entries->dsts, entries->srcs, entries->sizes, entries->count, &options, stream);
}

unsigned long launches(const struct simulator *sim)
{
    return sim->calls("cuLaunchKernel");
}

unsigned long batches(const struct simulator *sim)
{
    return sim->calls("cuMemcpyBatchAsync_v2") + sim->calls("cuMemcpyBatchAsync");
}

const struct simulator *needKernel(const struct world *world)
{
    const struct simulator *const sim = needSimulator();
    needEntry("cuLibraryLoadData");
    struct bench bench = benchMake(world, 'D', 'D', (size_t)2 * BLOCK);
    struct entries entries = scattered(&bench, 2);
    assert_success(copyBy(&entries, CUCOPY_BATCH_KERNEL, bench.stream));
    assert_success(cudrvStreamSynchronize(bench.stream));
    entriesFree(&entries);
    benchFree(&bench);
    sim->resetCalls();
    return sim;
}
