/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What memory an address is in. Only queries that harm no capture: cuPointerGetAttributes, whose singular form reports
 * an error for pageable memory, and cuMemGetAddressRange; never a pool's attributes or access.
 */
#include "copy/batch_ranges.h"

#include <string.h>

enum { PAGE = 4096, LIKELY_PLAIN = 2 };

/* ---- Asking the driver ---- */

/* Read field by field, as the driver writes them: copying all of it would wait for what was written. */
struct answer {
    CUdeviceptr start;
    size_t size;
    CUdeviceptr devicePointer;
    CUcontext context;
    unsigned int type;
    unsigned int isManaged;
    unsigned int access;
};

/* What tells plain memory comes first. */
static const CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,   CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                            CU_POINTER_ATTRIBUTE_RANGE_SIZE,    CU_POINTER_ATTRIBUTE_CONTEXT,
                                            CU_POINTER_ATTRIBUTE_IS_MANAGED,    CU_POINTER_ATTRIBUTE_ACCESS_FLAGS,
                                            CU_POINTER_ATTRIBUTE_DEVICE_POINTER};

enum { PLAIN_ATTRIBUTES = 5, ALL_ATTRIBUTES = sizeof(asked) / sizeof(asked[0]) };

/*
 * For memory that CUDA does not know the call succeeds, and leaves or clears what it cannot say. Each attribute costs
 * 4 ns, the call 36 (H200).
 */
CUCOPY_APART static CUresult ask(CUdeviceptr address, unsigned int count, struct answer *answer)
{
    void *values[ALL_ATTRIBUTES] = {&answer->type,      &answer->start,  &answer->size,         &answer->context,
                                    &answer->isManaged, &answer->access, &answer->devicePointer};
    return cudrvPointerGetAttributes(count, (CUpointer_attribute *)asked, values, address); /* which only reads them */
}

/* Device memory of the stream's own context: kernels there may do anything with it, and nothing else need be known. */
static int isPlain(const struct cucopyRanges *ranges, const struct answer *answer)
{
    return answer->type == CU_MEMORYTYPE_DEVICE && !answer->isManaged && answer->context &&
           answer->context == ranges->context;
}

/* Memory that belongs to no context is a pool's or a mapping; the answers above are the same for both. */
static int isOfPool(CUdeviceptr address)
{
    void *pool = NULL;
    CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE;
    void *value = &pool;
    return cudrvPointerGetAttributes(1, &attribute, &value, address) == CUDA_SUCCESS && pool;
}

static CUdevice deviceOf(struct cucopyRanges *ranges)
{
    if (ranges->device < 0 && cudrvCtxGetDevice(&ranges->device) != CUDA_SUCCESS)
        ranges->device = -1;
    return ranges->device;
}

static int isOfThisDevice(struct cucopyRanges *ranges, CUdeviceptr address)
{
    CUdevice device = -1;
    CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
    void *value = &device;
    return cudrvPointerGetAttributes(1, &attribute, &value, address) == CUDA_SUCCESS && device >= 0 &&
           device == deviceOf(ranges);
}

static int managedIsReachable(struct cucopyRanges *ranges)
{
    if (ranges->managed < 0) {
        int concurrent = 0;
        const CUresult result =
            cudrvDeviceGetAttribute(&concurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, deviceOf(ranges));
        ranges->managed = result == CUDA_SUCCESS && concurrent;
    }
    return ranges->managed;
}

/*
 * Whether the device of the current context may access other devices' pools and mappings is among the answers. Whether
 * it may access their other memory depends on peer access being enabled, and that cannot be asked.
 */
static uint8_t accessOf(struct cucopyRanges *ranges, CUdeviceptr address, const struct answer *answer)
{
    const uint8_t granted = (uint8_t)((answer->access & 1 ? CUCOPY_KERNEL_READS : 0) |
                                      ((answer->access & 3) == 3 ? CUCOPY_KERNEL_WRITES : 0));
    if (!answer->devicePointer)
        return 0;
    if (answer->isManaged)
        return managedIsReachable(ranges) ? granted : 0;
    if (answer->type == CU_MEMORYTYPE_DEVICE && answer->context && !isOfThisDevice(ranges, address))
        return 0;
    return granted;
}

/* A page, if the driver does not say where it ends. */
static void measure(struct cucopyRange *range, CUdeviceptr address)
{
    if (address - range->start >= range->size) {
        range->start = address & ~(CUdeviceptr)(PAGE - 1);
        range->size = PAGE;
        range->unsized = 1;
        range->access = 0;
    }
    if ((range->start + range->moved + range->size) >> 48) /* the kernel's descriptions hold no such address */
        range->access = 0;
}

/* If it is one, the answer was the whole reservation, holes included. */
CUCOPY_APART static void describeMapping(CUdeviceptr address, struct cucopyRange *range)
{
    range->mapping = !isOfPool(address);
    if (range->mapping &&
        cudrvMemGetAddressRange(&range->start, &range->size, address) != CUDA_SUCCESS) /* nobody has access */
        range->size = 0;
}

static void describe(struct cucopyRanges *ranges, CUdeviceptr address, const struct answer *answer,
                     struct cucopyRange *range)
{
    range->memory = (uint8_t)(answer->isManaged                    ? CUCOPY_MEMORY_MANAGED
                              : answer->type == CU_MEMORYTYPE_HOST ? CUCOPY_MEMORY_HOST
                                                                   : CUCOPY_MEMORY_DEVICE);
    range->access = accessOf(ranges, address, answer);
    range->foreign = range->memory == CUCOPY_MEMORY_DEVICE && !answer->access && !isOfThisDevice(ranges, address);
    range->moved = range->access ? answer->devicePointer - address : 0;
    if (!answer->isManaged && !answer->context) /* on the host as well */
        describeMapping(address, range);
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
    struct answer answer = {.type = 0};
    const int hopes = ranges->plain >= LIKELY_PLAIN;
    CUresult result = ask(address, hopes ? PLAIN_ATTRIBUTES : ALL_ATTRIBUTES, &answer);
    const int plain = result == CUDA_SUCCESS && isPlain(ranges, &answer);
    if (hopes && !plain)
        result = ask(address, ALL_ATTRIBUTES, &answer);
    ranges->plain = plain ? ranges->plain + 1 : 0;
    if (result != CUDA_SUCCESS)
        return &unasked;
    if (answer.type != CU_MEMORYTYPE_HOST && answer.type != CU_MEMORYTYPE_DEVICE)
        return answer.size != 0 ? NULL : &unknown;
    *range = (struct cucopyRange){.start = answer.start,
                                  .size = answer.size,
                                  .memory = CUCOPY_MEMORY_DEVICE,
                                  .access = CUCOPY_KERNEL_READS | CUCOPY_KERNEL_WRITES};
    if (!plain)
        describe(ranges, address, &answer, range);
    measure(range, address);
    return range;
}

/* ---- Keeping the answers ---- */

static size_t room(const struct cucopyRange *range, CUdeviceptr address)
{
    return range->size - (size_t)(address - range->start);
}

/* How many of them begin at or before address. The search has no branch to mispredict. */
static unsigned rank(const struct cucopyOrder *order, CUdeviceptr address)
{
    const CUdeviceptr *begin = order->starts;
    unsigned count = order->count;
    if (count == 0 || address < order->starts[0])
        return 0;
    if (address >= order->starts[count - 1]) /* allocations often come in rising order */
        return count;
    while (count > 1) {
        const unsigned half = count / 2;
        begin = begin[half] <= address ? begin + half : begin;
        count -= half;
    }
    return (unsigned)(begin - order->starts) + 1;
}

/* 0 if address is in none of them. */
static unsigned findIn(const struct cucopyRanges *ranges, const struct cucopyOrder *order, CUdeviceptr address)
{
    const unsigned position = rank(order, address);
    const unsigned index = position > 0 ? order->ranges[position - 1] : 0;
    return cucopyRangeHolds(&ranges->range[index], address, 1) ? index : 0;
}

CUCOPY_APART static unsigned findAmongMany(const struct cucopyRanges *ranges, enum cucopySideOfCopy side,
                                           CUdeviceptr address)
{
    const unsigned index = findIn(ranges, &ranges->many->order[side], address);
    return index ? index : findIn(ranges, &ranges->many->order[1 - side], address);
}

static unsigned findAmongFew(const struct cucopyRanges *ranges, CUdeviceptr address)
{
    for (unsigned i = 1; i < ranges->next; i++)
        if (cucopyRangeHolds(&ranges->range[i], address, 1))
            return i;
    return 0;
}

/* Out of the order that it is in. */
static void forget(struct cucopyManyRanges *many, unsigned index)
{
    struct cucopyOrder *order = &many->order[CUCOPY_DST];
    unsigned position = 0;
    while (position < order->count && order->ranges[position] != index)
        position++;
    if (position == order->count) {
        order = &many->order[CUCOPY_SRC];
        for (position = 0; order->ranges[position] != index;)
            position++;
    }
    const size_t behind = --order->count - position;
    memmove(&order->starts[position], &order->starts[position + 1], behind * sizeof(order->starts[0]));
    memmove(&order->ranges[position], &order->ranges[position + 1], behind * sizeof(order->ranges[0]));
}

/* Room in place of the range that has been there longest and is not in use. */
static unsigned drop(struct cucopyRanges *ranges)
{
    do
        ranges->victim = ranges->victim % CUCOPY_RANGES + 1;
    while (ranges->victim == ranges->at[CUCOPY_DST] || ranges->victim == ranges->at[CUCOPY_SRC]);
    forget(ranges->many, ranges->victim);
    ranges->range[ranges->victim].size = 0; /* a guess may still lead there */
    ranges->count--;
    return ranges->victim;
}

static void sortIn(struct cucopyOrder *order, CUdeviceptr start, unsigned index)
{
    const unsigned position = rank(order, start);
    const size_t behind = order->count++ - position;
    if (behind != 0) {
        memmove(&order->starts[position + 1], &order->starts[position], behind * sizeof(order->starts[0]));
        memmove(&order->ranges[position + 1], &order->ranges[position], behind * sizeof(order->ranges[0]));
    }
    order->starts[position] = start;
    order->ranges[position] = (uint16_t)index;
}

/* What was looked up into ranges->next. */
CUCOPY_APART static void keepAmongMany(struct cucopyRanges *ranges, enum cucopySideOfCopy side)
{
    sortIn(&ranges->many->order[side], ranges->range[ranges->next].start, ranges->next);
    ranges->at[side] = (uint16_t)ranges->next;
    if (++ranges->count == CUCOPY_GUESS_FROM)
        memset(ranges->many->guess, 0, sizeof(ranges->many->guess));
    ranges->next = ranges->count < CUCOPY_RANGES ? ranges->count + 1 : drop(ranges);
}

/* Copies may cross from one mapping into the next, so a range takes in what follows it until size bytes fit. */
CUCOPY_APART static int extend(struct cucopyRanges *ranges, struct cucopyRange *range, CUdeviceptr address, size_t size)
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
    unsigned index = ranges->many ? findAmongMany(ranges, side, address) : findAmongFew(ranges, address);
    if (index == 0) {
        index = ranges->next;
        const struct cucopyRange *const looked = look(ranges, address, &ranges->range[index]);
        if (looked != &ranges->range[index])
            return looked;
        if (ranges->many)
            keepAmongMany(ranges, side);
        else
            ranges->next += ranges->next < CUCOPY_FEW_RANGES;
    }
    struct cucopyRange *const range = &ranges->range[index];
    if (ranges->many && ranges->count >= CUCOPY_GUESS_FROM)
        *cucopyGuessFor(ranges->many, address) = (uint16_t)index;
    ranges->at[side] = (uint16_t)index;
    if (range->unsized || size <= room(range, address))
        return range;
    return range->mapping && extend(ranges, range, address, size) ? range : NULL;
}
