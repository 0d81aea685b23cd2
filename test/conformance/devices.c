/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies between two devices, and with a third looking on where there is one: every kind of memory of either as source
 * and destination, streams of each, contexts of each current. The names are those of devices_world.h.
 */
#include "copying.h"
#include "devices_world.h"
#include "sections.h"

#include <string.h>

/* Which operations suit a pair: those that name types want the types, arrays want their own, a memset has one side. */
static bool suits(const struct operation *operation, const struct memory *dst, const struct memory *src)
{
    const char *const name = operation->name;
    if (operation->sets)
        return dst == src && !dst->array && !dst->typedHost;
    if (dst->array || src->array)
        return strcmp(name, "HtoA") == 0   ? dst->array && src->typedHost
               : strcmp(name, "AtoH") == 0 ? src->array && dst->typedHost
                                           : strcmp(name, "2D.typed") == 0 && !(dst->array && src->array);
    if (strcmp(name, "HtoD") == 0)
        return src->typedHost && !dst->typedHost;
    if (strcmp(name, "DtoH") == 0)
        return dst->typedHost && !src->typedHost;
    if (strcmp(name, "DtoD") == 0)
        return !dst->typedHost && !src->typedHost;
    if (strcmp(name, "2D.typed") == 0)
        return dst->typedHost != src->typedHost;
    return strcmp(name, "HtoA") != 0 && strcmp(name, "AtoH") != 0;
}

/* Which questions: those about two devices, those in which a third one's stream or context takes part, or both. */
enum about { TWO = 1, THIRD = 2, BOTH = TWO | THIRD };

static bool isAbout(enum about about, const struct stream *stream, const struct place *current)
{
    const bool third = strcmp(stream->name, "sP2") == 0 || strcmp(current->name, "P2") == 0;
    return about & (third ? THIRD : TWO);
}

/* prefix is what the keys begin with, and peers whether each context may access the other devices. */
static void attemptEach(enum way way, enum about about, const char *prefix, const char *name, const char *peers,
                        const struct stream *stream)
{
    for (size_t i = 0; i < world.memoryCount; i++)
        for (size_t j = 0; j < world.memoryCount; j++)
            for (size_t k = 0; k < world.placeCount; k++) {
                const struct attempt attempt = {.operation = operationNamed(name),
                                                .way = way,
                                                .stream = stream,
                                                .dst = &world.memories[i],
                                                .src = &world.memories[j],
                                                .current = &world.places[k],
                                                .bytes = SMALL};
                if (suits(attempt.operation, attempt.dst, attempt.src) && isAbout(about, stream, attempt.current) &&
                    ask("%s%s %s %s %s %s %s", prefix, name, stream->name, attempt.dst->name, attempt.src->name, peers,
                        attempt.current->name))
                    answer("%s", outcomeOf(&attempt));
            }
}

/* The per-thread stream is for batches, which the driver refuses on the NULL one; for the others the two are alike. */
static void attemptAll(enum way way, enum about about, const char *prefix, const char *const *names, const char *peers)
{
    for (const char *const *name = names; *name; name++)
        for (size_t i = 0; i < world.streamCount; i++)
            if (world.streams[i].handle != CU_STREAM_PER_THREAD || strstr(*name, "Batch"))
                attemptEach(way, about, prefix, *name, peers, &world.streams[i]);
}

static const char *const copies[] = {"Async", "DtoD", "Peer", "3DPeer",   "2D.unified", "3D",      "HtoD",
                                     "DtoH",  "HtoA", "AtoH", "2D.typed", "Batch",      "3DBatch", NULL};
static const char *const sets[] = {"MemsetD8", "MemsetD2D8", NULL};
static const char *const withAttributes[] = {"Attributes", "3DAttributes", NULL};
static const char *const withOptions[] = {"Async", "Batch", NULL};

static void playRaw(enum about about)
{
    devicesOpen();
    attemptAll(RAW, about, "", copies, "no-peers");
    attemptAll(RAW, about, "", sets, "no-peers");
    devicesEnablePeers();
    attemptAll(RAW, about, "", copies, "peers");
    attemptAll(RAW, about, "", sets, "peers");
}

static void play(void)
{
    playRaw(TWO);
}

static void playThird(void)
{
    playRaw(THIRD);
}

static void playWithAttributes(void)
{
    devicesOpen();
    if (!cudrvHas("cuMemcpyWithAttributesAsync")) {
        lacks("cuMemcpyWithAttributesAsync");
        return;
    }
    attemptAll(RAW, TWO, "", withAttributes, "no-peers");
    devicesEnablePeers();
    attemptAll(RAW, TWO, "", withAttributes, "peers");
}

static void playSafe(void)
{
    devicesOpen();
    if (devices == 2)
        lacks("a third device");
    attemptAll(SAFE, BOTH, "safe ", copies, "no-peers");
    attemptAll(GUARDED, BOTH, "guard ", copies, "no-peers");
    attemptAll(GUARDED, BOTH, "guard ", sets, "no-peers");
    attemptAll(OWNER, BOTH, "owner ", withOptions, "no-peers");
    devicesEnablePeers();
    attemptAll(OWNER, BOTH, "owner ", withOptions, "peers");
}

#define MATRIX "copy\tstream\tdst\tsrc\tpeers\tcurrent\tanswer"

/* A crash costs seconds with contexts on several real devices, so many processes share the work. */
enum { PARTS = 16 };

const struct section devicesSection = {
    .name = "devices",
    .columns = MATRIX,
    .about = "Copies and memsets of 4 KiB between two devices. peers: after cuCtxEnablePeerAccess.",
    .play = play,
    .parts = PARTS,
    .devices = 2,
};

const struct section thirdDeviceSection = {
    .name = "third-device",
    .columns = MATRIX,
    .about = "The same on a stream of a third device, or with its context current.",
    .play = playThird,
    .parts = PARTS,
    .devices = 3,
};

const struct section devicesWithAttributesSection = {
    .name = "devices-with-attributes",
    .columns = MATRIX,
    .about = "Copies with attributes of 4 KiB between two devices.",
    .play = playWithAttributes,
    .parts = PARTS,
    .devices = 2,
};

const struct section safeDevicesSection = {
    .name = "safe-devices",
    .columns = "how\t" MATRIX,
    .about =
        "The same through the safe layer and under a guard: as the raw copy with the stream's context current. And "
        "under the owner's policy: if that is INVALID_VALUE, as the raw copy with the owner's.",
    .play = playSafe,
    .parts = PARTS,
    .devices = 2,
    .promises = true,
};
