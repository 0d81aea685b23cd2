/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the world that every question needs: the context stack, and bytes that can be told apart.
 */
#include "world.h"

#include <stdint.h>
#include <string.h>

void stackClear(void)
{
    while (cudrvCtxPopCurrent(NULL) == CUDA_SUCCESS)
        ;
}

/* P, A, B, with the first of them a second time, so that order and depth both show. */
static size_t standing(CUcontext *stack, CUcontext top)
{
    size_t depth = 0;
    if (!top)
        return 0;
    for (size_t i = 1; i < world.placeCount && i <= 3; i++)
        stack[depth++] = world.places[i].context;
    stack[depth++] = world.places[1].context;
    stack[depth++] = top;
    return depth;
}

void stackStand(CUcontext top)
{
    CUcontext stack[8];
    const size_t depth = standing(stack, top);
    stackClear();
    for (size_t i = 0; i < depth; i++)
        MUST(cudrvCtxPushCurrent(stack[i]));
}

bool stackStillStands(CUcontext top)
{
    CUcontext stack[8];
    bool same = true;
    for (size_t depth = standing(stack, top); depth-- > 0;) {
        CUcontext context = NULL;
        same = same && cudrvCtxPopCurrent(&context) == CUDA_SUCCESS && context == stack[depth];
    }
    CUcontext current = NULL;
    same = same && cudrvCtxGetCurrent(&current) == CUDA_SUCCESS && !current &&
           cudrvCtxPopCurrent(NULL) == CUDA_ERROR_INVALID_CONTEXT;
    stackClear();
    return same;
}

static uint64_t words[BYTES / sizeof(uint64_t)];

const void *patternOf(unsigned seed)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        words[i] = (uint64_t)seed << 32 | (uint64_t)(i * 2654435761U);
    return words;
}

void fillMemory(const struct memory *memory, size_t bytes, unsigned seed)
{
    const void *const text = patternOf(seed);
    if (memory->host) {
        memcpy(memory->host, text, bytes);
        return;
    }
    MUST(cudrvCtxPushCurrent(memory->home));
    if (memory->array)
        MUST(cudrvMemcpyHtoA(memory->array, 0, text, bytes));
    else
        MUST(cudrvMemcpyHtoD(memory->address, text, bytes));
    /* A small copy from pageable memory returns before it has arrived, and our streams do not wait for it. */
    MUST(cudrvCtxSynchronize());
    MUST(cudrvCtxPopCurrent(NULL));
}

const void *contentsOf(const struct memory *memory, size_t bytes)
{
    static unsigned char copy[BYTES];
    if (memory->host)
        return memory->host;
    MUST(cudrvCtxPushCurrent(memory->home));
    if (memory->array)
        MUST(cudrvMemcpyAtoH(copy, memory->array, 0, bytes));
    else
        MUST(cudrvMemcpyDtoH(copy, memory->address, bytes));
    MUST(cudrvCtxPopCurrent(NULL));
    return copy;
}

bool memoryHolds(const struct memory *memory, size_t bytes, unsigned seed)
{
    return memcmp(contentsOf(memory, bytes), patternOf(seed), bytes) == 0;
}

bool memoryHoldsValue(const struct memory *memory, size_t bytes, unsigned char value)
{
    const unsigned char *const all = contentsOf(memory, bytes);
    return all[0] == value && memcmp(all, all + 1, bytes - 1) == 0;
}

/* Its result is the stream's business, and told elsewhere. */
static void waitForDefaultStream(CUcontext context)
{
    MUST(cudrvCtxPushCurrent(context));
    (void)cudrvStreamSynchronize(NULL);
    MUST(cudrvCtxPopCurrent(NULL));
}

/* Under a green context its streams are waited for one by one, its NULL stream among them. */
void settle(void)
{
    const struct place *const green = placeNamed("G");
    for (size_t i = 0; i < world.placeCount; i++)
        if (world.places[i].context && &world.places[i] != green)
            IN(world.places[i].context, cudrvCtxSynchronize());
    if (green)
        waitForDefaultStream(green->context);
    for (size_t i = 0; green && i < world.streamCount; i++)
        if (world.streams[i].owner == green)
            MUST(cudrvStreamSynchronize(world.streams[i].handle));
}
