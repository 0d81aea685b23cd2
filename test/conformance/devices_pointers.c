/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the driver says of memory of either device with a context of the same, of the other or of none current. The
 * owner's policy, batches and explanations take from it whose memory is and who may not access it.
 */
#include "devices_world.h"
#include "sections.h"

static const char *ownerName(CUcontext context)
{
    for (size_t i = 1; i < world.placeCount; i++)
        if (world.places[i].context == context)
            return world.places[i].name;
    return context ? "another" : "NULL";
}

static void askAttributes(const struct memory *memory, const char *peers, const char *current)
{
    int type = -1;
    int device = -1;
    int access = -1;
    int mapped = -1;
    CUcontext context = NULL;
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                        CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, CU_POINTER_ATTRIBUTE_MAPPED,
                                        CU_POINTER_ATTRIBUTE_CONTEXT};
    void *values[] = {&type, &device, &access, &mapped, (void *)&context};
    if (!ask("%s %s %s PointerGetAttributes", memory->name, peers, current))
        return;
    stackStand(contextNamed(current));
    const CUresult result = cudrvPointerGetAttributes(5, attributes, values, memory->address);
    answer("%s, type %d, device %d, access %d, mapped %d, context %s", resultName(result), type, device, access, mapped,
           ownerName(context));
}

static void askRange(const struct memory *memory, const char *peers, const char *current)
{
    CUdeviceptr begin = 0;
    size_t size = 0;
    if (!ask("%s %s %s MemGetAddressRange", memory->name, peers, current))
        return;
    stackStand(contextNamed(current));
    const CUresult result = cudrvMemGetAddressRange(&begin, &size, memory->address);
    if (result == CUDA_SUCCESS)
        answer("%s, %s", resultName(result), begin == memory->address && size >= SMALL ? "as it is" : "another");
    else
        answerResult(result);
}

static void askAll(const char *peers)
{
    static const char *const currents[] = {"none", "P0", "C0", "P1", "C1", NULL};
    for (size_t i = 0; i < world.memoryCount; i++)
        for (const char *const *current = currents; !world.memories[i].array && *current; current++) {
            askAttributes(&world.memories[i], peers, *current);
            askRange(&world.memories[i], peers, *current);
        }
}

static void play(void)
{
    devicesOpen();
    askAll("no-peers");
    devicesEnablePeers();
    askAll("peers");
}

const struct section devicesPointersSection = {
    .name = "devices-pointers",
    .columns = "memory\tpeers\tcurrent\tquestion\tanswer",
    .about = "What the driver says of memory of either device. peers: after cuCtxEnablePeerAccess.",
    .play = play,
    .parts = 1,
    .devices = 2,
};
