/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The window of device addresses and its shadow. Addresses are given out from low to high and only then from the start
 * again, so that freed memory is not soon something else.
 */
#include "range.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* 32 GiB, so that an address 64 GiB past an allocation, the wild pointer of the recorded facts, is outside. */
#define WINDOW_SIZE ((size_t)32 << 30)
#define PAGE ((size_t)4096)

typedef struct Reserved {
    uintptr_t base;
    size_t size;
} Reserved;

static uintptr_t window, shadow;
static size_t windowSize;
static Reserved *reserved; /* in order of address */
static size_t count, capacity;
static uintptr_t next;

static uintptr_t reserveAddresses(size_t size)
{
    void *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return base == MAP_FAILED ? 0 : (uintptr_t)base;
}

static void open(void)
{
    for (size_t size = WINDOW_SIZE; size >= (size_t)1 << 28; size /= 2) {
        window = reserveAddresses(size);
        shadow = reserveAddresses(size);
        if (window != 0 && shadow != 0) {
            windowSize = size;
            next = window;
            return;
        }
        if (window != 0)
            munmap((void *)window, size);
        if (shadow != 0)
            munmap((void *)shadow, size);
    }
    crash("the process cannot reserve addresses for device memory");
}

bool windowHolds(uintptr_t address)
{
    return windowSize > 0 && address >= window && address - window < windowSize;
}

static uintptr_t align(uintptr_t address, size_t alignment)
{
    return (address + alignment - 1) / alignment * alignment;
}

/* The index of the first reservation that ends behind the address. */
static size_t indexFrom(uintptr_t address)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (reserved[middle].base + reserved[middle].size <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first gap at or above `from` that fits, or 0; `*index` is where it goes in the list. */
static uintptr_t findGap(uintptr_t from, size_t size, size_t alignment, size_t *index)
{
    uintptr_t at = align(from, alignment);
    for (size_t i = indexFrom(at); i <= count; i++) {
        const uintptr_t end = i < count ? reserved[i].base : window + windowSize;
        if (at <= end && end - at >= size) {
            *index = i;
            return at;
        }
        if (i < count && reserved[i].base + reserved[i].size > at)
            at = align(reserved[i].base + reserved[i].size, alignment);
    }
    return 0;
}

uintptr_t windowReserve(size_t size, size_t alignment)
{
    if (windowSize == 0)
        open();
    if (size > windowSize)
        return 0;
    const size_t whole = align(size, PAGE);
    size_t index = 0;
    uintptr_t base = findGap(next, whole, alignment, &index);
    if (base == 0)
        base = findGap(window, whole, alignment, &index);
    if (base == 0)
        return 0;
    if (count == capacity) {
        capacity = capacity * 2 + 64;
        reserved = memoryResize(reserved, capacity, sizeof *reserved);
    }
    memmove(&reserved[index + 1], &reserved[index], (count - index) * sizeof *reserved);
    reserved[index] = (Reserved){base, whole};
    count++;
    next = base + whole;
    return base;
}

void windowUnreserve(uintptr_t base)
{
    const size_t index = indexFrom(base);
    count--;
    memmove(&reserved[index], &reserved[index + 1], (count - index) * sizeof *reserved);
}

void *rangeBytes(uintptr_t address)
{
    return (void *)(windowHolds(address) ? address - window + shadow : address);
}

bool windowCommit(uintptr_t base, size_t size)
{
    return mmap(rangeBytes(base), align(size, PAGE), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

bool windowMapFile(uintptr_t base, size_t size, int file)
{
    return mmap(rangeBytes(base), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
}

void windowDecommit(uintptr_t base, size_t size)
{
    (void)mmap(rangeBytes(base), align(size, PAGE), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
               -1, 0);
}
