/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What memory an address is in. Only queries that harm no capture: cuPointerGetAttributes, whose singular form reports
 * an error for pageable memory, and cuMemGetAddressRange; never a pool's attributes or access.
 */
#include "copy/batch_ranges.h"

#include <string.h>

enum { PAGE = 4096 };

/* ---- Asking the driver ---- */

struct answer {
    CUresult result;
    unsigned int type;
    int device;
    unsigned int isManaged;
    unsigned int access;
    CUdeviceptr start;
    size_t size;
    CUdeviceptr devicePointer;
    CUcontext context;
};

/* For memory that CUDA does not know the call succeeds, and leaves or clears what it cannot say. */
static struct answer ask(CUdeviceptr address)
{
    struct answer answer = {.type = 0};
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                        CU_POINTER_ATTRIBUTE_IS_MANAGED,       CU_POINTER_ATTRIBUTE_ACCESS_FLAGS,
                                        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                        CU_POINTER_ATTRIBUTE_DEVICE_POINTER,   CU_POINTER_ATTRIBUTE_CONTEXT};
    void *values[] = {&answer.type,  &answer.device, &answer.isManaged,     &answer.access,
                      &answer.start, &answer.size,   &answer.devicePointer, &answer.context};
    answer.result = cudrvPointerGetAttributes(sizeof(values) / sizeof(values[0]), attributes, values, address);
    return answer;
}

/* Memory that belongs to no context is a pool's or a mapping; the answers above are the same for both. */
static int isOfPool(CUdeviceptr address)
{
    void *pool = NULL;
    CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE;
    void *value = &pool;
    return cudrvPointerGetAttributes(1, &attribute, &value, address) == CUDA_SUCCESS && pool;
}

static int managedIsReachable(struct cucopyRanges *ranges)
{
    if (ranges->managed < 0) {
        int concurrent = 0;
        const CUresult result =
            cudrvDeviceGetAttribute(&concurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, ranges->device);
        ranges->managed = result == CUDA_SUCCESS && concurrent;
    }
    return ranges->managed;
}

/*
 * Whether the device of the current context may access other devices' pools and mappings is among the answers. Whether
 * it may access their other memory depends on peer access being enabled, and that cannot be asked.
 */
static uint8_t accessOf(struct cucopyRanges *ranges, const struct answer *answer)
{
    const uint8_t granted = (uint8_t)((answer->access & 1 ? CUCOPY_KERNEL_READS : 0) |
                                      ((answer->access & 3) == 3 ? CUCOPY_KERNEL_WRITES : 0));
    if (!answer->devicePointer)
        return 0;
    if (answer->isManaged)
        return managedIsReachable(ranges) ? granted : 0;
    if (answer->type == CU_MEMORYTYPE_DEVICE && answer->device != ranges->device && answer->context)
        return 0;
    return granted;
}

/*
 * Fills range and returns it. For memory that CUDA does not know it returns another, which holds no address: a
 * registration may begin anywhere, also behind this address in the same page. NULL if nothing is mapped at address, in
 * a reservation of virtual memory.
 */
static const struct cucopyRange *look(struct cucopyRanges *ranges, CUdeviceptr address, struct cucopyRange *range)
{
    static const struct cucopyRange unknown = {.memory = CUCOPY_MEMORY_UNKNOWN};
    static const struct cucopyRange unasked = {.memory = CUCOPY_MEMORY_UNKNOWN, .unasked = 1};
    const struct answer answer = ask(address);
    if (answer.result != CUDA_SUCCESS)
        return &unasked;
    if (answer.type != CU_MEMORYTYPE_HOST && answer.type != CU_MEMORYTYPE_DEVICE)
        return answer.size != 0 ? NULL : &unknown;
    *range = (struct cucopyRange){.start = answer.start, .size = answer.size};
    range->memory = (uint8_t)(answer.isManaged                    ? CUCOPY_MEMORY_MANAGED
                              : answer.type == CU_MEMORYTYPE_HOST ? CUCOPY_MEMORY_HOST
                                                                  : CUCOPY_MEMORY_DEVICE);
    range->access = accessOf(ranges, &answer);
    range->foreign = range->memory == CUCOPY_MEMORY_DEVICE && answer.device != ranges->device && !answer.access;
    range->moved = range->access ? answer.devicePointer - address : 0;
    range->mapping = !answer.isManaged && !answer.context && !isOfPool(address); /* on the host as well */
    /* The answer is the whole reservation then, holes included. */
    if (range->mapping &&
        cudrvMemGetAddressRange(&range->start, &range->size, address) != CUDA_SUCCESS) /* nobody has access */
        range->size = 0;
    if (address - range->start >= range->size) {
        range->start = address & ~(CUdeviceptr)(PAGE - 1);
        range->size = PAGE;
        range->unsized = 1;
        range->access = 0;
    }
    if ((range->start + range->moved + range->size) >> 48) /* the kernel's descriptions hold no such address */
        range->access = 0;
    return range;
}

/* ---- Keeping the answers ---- */

static size_t room(const struct cucopyRange *range, CUdeviceptr address)
{
    return range->size - (size_t)(address - range->start);
}

/* How many of the sorted ranges begin at or before address. */
static unsigned rank(const struct cucopyRanges *ranges, unsigned count, CUdeviceptr address)
{
    unsigned low = 0;
    unsigned high = count;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (ranges->range[ranges->sorted[middle]].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Among the first count of the sorted. */
static void sortIn(struct cucopyRanges *ranges, unsigned count, unsigned index)
{
    const unsigned position = rank(ranges, count, ranges->range[index].start);
    memmove(&ranges->sorted[position + 1], &ranges->sorted[position], (count - position) * sizeof(ranges->sorted[0]));
    ranges->sorted[position] = (uint16_t)index;
}

static void startSorting(struct cucopyRanges *ranges)
{
    for (unsigned i = 0; i < ranges->count; i++)
        sortIn(ranges, i, i + 1);
    memset(ranges->guess, 0, sizeof(ranges->guess));
}

/* Makes room in place of the range that has been there longest and is not in use. */
static unsigned drop(struct cucopyRanges *ranges)
{
    unsigned position = 0;
    do
        ranges->victim = ranges->victim % CUCOPY_RANGES + 1;
    while (ranges->victim == ranges->at[CUCOPY_DST] || ranges->victim == ranges->at[CUCOPY_SRC]);
    while (ranges->sorted[position] != ranges->victim)
        position++;
    ranges->count--;
    memmove(&ranges->sorted[position], &ranges->sorted[position + 1],
            (ranges->count - position) * sizeof(ranges->sorted[0]));
    return ranges->victim;
}

static unsigned keep(struct cucopyRanges *ranges, const struct cucopyRange *range)
{
    const unsigned index = ranges->count < CUCOPY_RANGES ? ranges->count + 1 : drop(ranges);
    ranges->range[index] = *range;
    if (ranges->count >= CUCOPY_MANY_RANGES)
        sortIn(ranges, ranges->count, index);
    ranges->count++;
    if (ranges->count == CUCOPY_MANY_RANGES)
        startSorting(ranges);
    return index;
}

/* 0 if it is in none of them. */
static unsigned find(const struct cucopyRanges *ranges, CUdeviceptr address)
{
    if (ranges->count >= CUCOPY_MANY_RANGES) {
        const unsigned before = rank(ranges, ranges->count, address);
        if (before > 0 && cucopyRangeHolds(&ranges->range[ranges->sorted[before - 1]], address, 1))
            return ranges->sorted[before - 1];
    } else {
        for (unsigned i = 1; i <= ranges->count; i++)
            if (cucopyRangeHolds(&ranges->range[i], address, 1))
                return i;
    }
    return 0;
}

/* Copies may cross from one mapping into the next, so a range takes in what follows it until size bytes fit. */
static int extend(struct cucopyRanges *ranges, struct cucopyRange *range, CUdeviceptr address, size_t size)
{
    while (size > room(range, address)) {
        struct cucopyRange next;
        if (look(ranges, range->start + range->size, &next) != &next || !next.mapping || next.unsized)
            return 0;
        range->size = (size_t)(next.start - range->start) + next.size;
        range->access &= range->moved == next.moved ? next.access : 0;
    }
    return 1;
}

const struct cucopyRange *cucopyRangeFind(struct cucopyRanges *ranges, enum cucopySideOfCopy side, CUdeviceptr address,
                                          size_t size)
{
    unsigned index = find(ranges, address);
    if (index == 0) {
        struct cucopyRange found;
        const struct cucopyRange *const looked = look(ranges, address, &found);
        if (looked != &found)
            return looked;
        index = keep(ranges, &found);
    }
    struct cucopyRange *const range = &ranges->range[index];
    if (ranges->count >= CUCOPY_MANY_RANGES)
        *cucopyGuessFor(ranges, address) = (uint16_t)index;
    ranges->at[side] = (uint16_t)index;
    if (range->unsized || size <= room(range, address))
        return range;
    return range->mapping && extend(ranges, range, address, size) ? range : NULL;
}
