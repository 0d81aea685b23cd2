/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses that are nobody's. An untyped copy takes one for pageable host memory and dies reading or writing it; a
 * typed one looks it up and refuses.
 */
#include "copying.h"
#include "sections.h"

#include <stdint.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const operands[][2] = {
    {"2D.unified", "dst"}, {"Async", "dst"}, {"Async", "src"}, {"Batch", "dst"}, {"DtoD", "dst"},     {"DtoD", "src"},
    {"DtoH", "src"},       {"HtoD", "dst"},  {"HtoD", "src"},  {"Peer", "dst"},  {"MemsetD8", "dst"},
};
static const char *const currents[] = {"A", "B", "none"};

static struct memory wildMemory(CUdeviceptr address)
{
    return (struct memory){.name = "wild",
                           .address = address,
                           .host = (void *)(uintptr_t)address,
                           .typedHost = true,
                           .context = contextNamed("A")};
}

static void attempt(const char *const operand[2], const struct memory *wild, const char *current)
{
    const struct operation *const operation = operationNamed(operand[0]);
    const struct stream *const stream = streamNamed("sA");
    const bool isDst = strcmp(operand[1], "dst") == 0;
    const struct memory *const other = memoryNamed(strcmp(operand[0], "DtoH") == 0   ? "hA"
                                                   : strcmp(operand[0], "HtoD") == 0 ? (isDst ? "hA" : "dA")
                                                                                     : "dA");
    stackStand(contextNamed(current));
    const CUresult result =
        operation->call(&rawFunctions, isDst ? wild : other, isDst ? other : wild, BYTES, stream->handle);
    stackClear();
    const CUresult waited = cudrvStreamSynchronize(stream->handle);
    if (waited == CUDA_SUCCESS)
        answerResult(result);
    else
        answer("%s, then waiting %s", resultName(result), resultName(waited));
}

static void play(void)
{
    worldOpen();
    const struct {
        const char *name;
        CUdeviceptr address;
    } pointers[] = {{"0", 0},
                    {"0x10", 0x10},
                    {"0x7fff00000000", 0x7fff00000000},
                    {"dA+64GiB", memoryNamed("dA")->address + (64ULL << 30)}};
    for (size_t i = 0; i < COUNT(operands); i++)
        for (size_t j = 0; j < COUNT(pointers); j++)
            for (size_t k = 0; k < COUNT(currents); k++) {
                const struct memory wild = wildMemory(pointers[j].address);
                if (ask("%s %s %s %s", operands[i][0], operands[i][1], pointers[j].name, currents[k]))
                    attempt(operands[i], &wild, currents[k]);
            }
}

const struct section wildPointersSection = {
    .name = "wild-pointers",
    .columns = "copy\toperand\taddress\tcurrent\tanswer",
    .about = "Each asynchronous copy on sA with an address that is nobody's for one operand.",
    .play = play,
    .parts = 4,
};
