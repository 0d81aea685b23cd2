/* SPDX-License-Identifier: Apache-2.0 */
/* The known ranges: an array in order of address. */
#include "range.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

static Range **ranges;
static size_t count, capacity;
static unsigned long long lastId;

/* The index of the first range that ends behind `address`. */
static size_t indexFrom(uintptr_t address)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (ranges[middle]->base + ranges[middle]->size <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

Range *rangeFrom(uintptr_t address)
{
    const size_t index = indexFrom(address);
    return index < count ? ranges[index] : NULL;
}

Range *rangeFind(uintptr_t address)
{
    Range *range = rangeFrom(address);
    return range != NULL && range->base <= address ? range : NULL;
}

Range *rangeAfter(const Range *range)
{
    return rangeFrom(range->base + range->size);
}

bool rangeOverlaps(uintptr_t base, size_t size)
{
    const Range *range = rangeFrom(base);
    return range != NULL && range->base < base + size;
}

Range *rangeAdd(const Range *model)
{
    if (count == capacity) {
        capacity = capacity * 2 + 64;
        ranges = memoryResize(ranges, capacity, sizeof(Range *));
    }
    const size_t index = indexFrom(model->base);
    memmove(&ranges[index + 1], &ranges[index], (count - index) * sizeof(Range *));
    Range *range = memoryNew(1, sizeof *range);
    *range = *model;
    range->id = ++lastId;
    ranges[index] = range;
    count++;
    return range;
}

void rangeRemove(Range *range)
{
    checkRemember(range);
    const size_t index = indexFrom(range->base);
    count--;
    memmove(&ranges[index], &ranges[index + 1], (count - index) * sizeof(Range *));
    free(range);
}

void rangeEach(void (*visit)(Range *range, void *data), void *data)
{
    for (size_t i = 0; i < count; i++)
        visit(ranges[i], data);
}

void rangeReset(void)
{
    for (size_t i = 0; i < count; i++)
        free(ranges[i]);
    free(ranges);
    ranges = NULL;
    count = capacity = 0;
    lastId = 0;
}
