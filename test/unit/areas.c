/* SPDX-License-Identifier: Apache-2.0 */
#include "types.h"

#include "areas.h"

#include <stdlib.h>

enum { PAGE = 4096, MAPPING = 2 << 20 };

static void *need(size_t bytes)
{
    void *const memory = malloc(bytes);
    assert_non_null(memory);
    return memory;
}

int isHost(char kind)
{
    return kind == 'H' || kind == 'R' || kind == 'U';
}

static CUdevice currentDevice(void)
{
    CUdevice device = 0;
    assert_success(cudrvCtxGetDevice(&device));
    return device;
}

/* ---- Virtual memory: mappings of 2 MiB side by side ---- */

static void mappedMake(struct area *area)
{
    const CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = currentDevice()}};
    const CUmemAccessDesc access = {.location = properties.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    area->bytes = (area->bytes + MAPPING - 1) / MAPPING * MAPPING;
    assert_success(cudrvMemAddressReserve(&area->address, area->bytes, 0, 0, 0));
    for (size_t offset = 0; offset < area->bytes; offset += MAPPING) {
        CUmemGenericAllocationHandle handle = 0;
        assert_success(cudrvMemCreate(&handle, MAPPING, &properties, 0));
        assert_success(cudrvMemMap(area->address + offset, MAPPING, 0, handle, 0));
        assert_success(cudrvMemRelease(handle));
    }
    assert_success(cudrvMemSetAccess(area->address, area->bytes, &access, 1));
}

static void mappedFree(const struct area *area)
{
    for (size_t offset = 0; offset < area->bytes; offset += MAPPING)
        assert_success(cudrvMemUnmap(area->address + offset, MAPPING));
    assert_success(cudrvMemAddressFree(area->address, area->bytes));
}

/* ---- All kinds ---- */

struct area areaMake(char kind, size_t bytes, CUstream stream)
{
    struct area area = {.kind = kind, .bytes = bytes};
    switch (kind) {
    case 'D':
        assert_success(cudrvMemAlloc(&area.address, bytes));
        break;
    case 'P':
        assert_success(cudrvMemAllocAsync(&area.address, bytes, stream));
        break;
    case 'V':
        mappedMake(&area);
        break;
    case 'M':
        assert_success(cudrvMemAllocManaged(&area.address, bytes, CU_MEM_ATTACH_GLOBAL));
        break;
    case 'H':
        assert_success(cudrvMemHostAlloc(&area.host, bytes, CU_MEMHOSTALLOC_PORTABLE));
        break;
    case 'R':
        area.host = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
        assert_non_null(area.host);
        assert_success(cudrvMemHostRegister(area.host, bytes, CU_MEMHOSTREGISTER_PORTABLE));
        break;
    default:
        area.host = need(bytes);
        break;
    }
    if (area.host)
        area.address = (CUdeviceptr)(uintptr_t)area.host;
    area.model = need(area.bytes);
    return area;
}

void areaFree(struct area *area, CUstream stream)
{
    switch (area->kind) {
    case 'P':
        assert_success(cudrvMemFreeAsync(area->address, stream));
        break;
    case 'V':
        mappedFree(area);
        break;
    case 'H':
        assert_success(cudrvMemFreeHost(area->host));
        break;
    case 'R':
        assert_success(cudrvMemHostUnregister(area->host));
        free(area->host);
        break;
    case 'U':
        free(area->host);
        break;
    default:
        assert_success(cudrvMemFree(area->address));
        break;
    }
    free(area->model);
}

void areaFill(struct area *area, unsigned seed)
{
    uint32_t state = seed * 2654435761u + 1;
    for (size_t i = 0; i < area->bytes; i++) {
        state = state * 1664525u + 1013904223u;
        area->model[i] = (unsigned char)(state >> 24);
    }
    if (area->host)
        memcpy(area->host, area->model, area->bytes);
    else
        assert_success(cudrvMemcpyHtoD(area->address, area->model, area->bytes));
    assert_success(cudrvCtxSynchronize());
}

void areaCheck(const struct area *area)
{
    unsigned char *const got = area->host ? area->host : need(area->bytes);
    assert_success(cudrvCtxSynchronize());
    if (!area->host)
        assert_success(cudrvMemcpyDtoH(got, area->address, area->bytes));
    if (memcmp(got, area->model, area->bytes) != 0) {
        size_t first = 0;
        while (got[first] == area->model[first])
            first++;
        fail_msg("byte %zu of %zu is %u and must be %u", first, area->bytes, got[first], area->model[first]);
    }
    if (!area->host)
        free(got);
}

/* ---- Two of them, and batches between them ---- */

struct bench benchMake(const struct world *world, char dstKind, char srcKind, size_t bytes)
{
    struct bench bench = {.world = world, .stream = world->awayStream};
    assert_success(cudrvCtxPushCurrent(world->away));
    bench.dst = areaMake(dstKind, bytes, bench.stream);
    bench.src = areaMake(srcKind, bytes, bench.stream);
    assert_success(cudrvStreamSynchronize(bench.stream));
    areaFill(&bench.dst, 1);
    areaFill(&bench.src, 2);
    return bench;
}

void benchFree(struct bench *bench)
{
    areaFree(&bench->dst, bench->stream);
    areaFree(&bench->src, bench->stream);
    assert_success(cudrvStreamSynchronize(bench->stream));
    assert_success(cudrvCtxPopCurrent(NULL));
}

struct entries entriesMake(size_t count)
{
    return (struct entries){.dsts = need(count * sizeof(CUdeviceptr)),
                            .srcs = need(count * sizeof(CUdeviceptr)),
                            .sizes = need(count * sizeof(size_t)),
                            .count = count};
}

void entriesFree(struct entries *entries)
{
    free(entries->dsts);
    free(entries->srcs);
    free(entries->sizes);
}

void entrySet(struct entries *entries, size_t i, const struct bench *bench, size_t dst, size_t src, size_t size)
{
    entries->dsts[i] = bench->dst.address + dst;
    entries->srcs[i] = bench->src.address + src;
    entries->sizes[i] = size;
}

void modelCopy(struct bench *bench, const struct entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        if (entries->sizes[i] != 0)
            memcpy(bench->dst.model + (entries->dsts[i] - bench->dst.address),
                   bench->src.model + (entries->srcs[i] - bench->src.address), entries->sizes[i]);
}

void assertCopies(struct bench *bench, const struct entries *entries, const cucopyBatchOptions *options,
                  CUstream stream)
{
    assert_success(
        cucopyMemcpyBatchAsyncEx(entries->dsts, entries->srcs, entries->sizes, entries->count, options, stream));
    modelCopy(bench, entries);
    areaCheck(&bench->dst);
    areaCheck(&bench->src);
}

size_t randomBelow(size_t limit)
{
    static uint64_t state = 88172645463325252ULL;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state % limit);
}
