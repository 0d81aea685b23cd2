/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The edges of what a copy takes: sizes of nothing, null pointers, ends of allocations, pitches, contexts that are not
 * the memory's. On sA with A current.
 */
#include "sections.h"
#include "world.h"

#include <stdint.h>
#include <string.h>

enum { HALF = BYTES / 2 };

static CUstream s;
static CUdeviceptr d, d2;
static CUcontext a, b;
static void *pinned, *pageable, *otherPageable;
static const void *nothing; /* a NULL that the compiler does not see through */

/* Waits, so that nothing of one question is left when the next is asked. */
static void answerCopy(CUresult result)
{
    const CUresult waited = cudrvStreamSynchronize(s);
    if (waited == CUDA_SUCCESS)
        answerResult(result);
    else
        answer("%s, then waiting %s", resultName(result), resultName(waited));
}

#define ADDRESS(host) ((CUdeviceptr)(uintptr_t)(host))
#define ASK(key, call)                                                                                                 \
    do {                                                                                                               \
        if (ask("%s", key))                                                                                            \
            answerCopy(call);                                                                                          \
    } while (0)

static void askAddresses(void)
{
    ASK("Async n=0", cudrvMemcpyAsync(d, d2, 0, s));
    ASK("Async n=0,null-pointers", cudrvMemcpyAsync(0, 0, 0, s));
    ASK("Async null-dst", cudrvMemcpyAsync(0, d, BYTES, s));
    ASK("Async dst=src", cudrvMemcpyAsync(d, d, BYTES, s));
    ASK("Async overlap", cudrvMemcpyAsync(d, d + 4096, HALF, s));
    ASK("Async past-the-end-by-16", cudrvMemcpyAsync(d, d2, BYTES + 16, s));
    ASK("Async host-to-host,pinned", cudrvMemcpyAsync(ADDRESS(pinned), ADDRESS(pinned) + HALF, HALF, s));
    ASK("Async host-to-host,pageable", cudrvMemcpyAsync(ADDRESS(pageable), ADDRESS(otherPageable), HALF, s));
    ASK("DtoD past-the-end-by-1MiB", cudrvMemcpyDtoDAsync(d, d2, BYTES + (1 << 20), s));
    ASK("DtoD dst-is-pinned", cudrvMemcpyDtoDAsync(ADDRESS(pinned), d, HALF, s));
    ASK("DtoD dst-is-pageable", cudrvMemcpyDtoDAsync(ADDRESS(pageable), d, HALF, s));
    ASK("HtoD null-host", cudrvMemcpyHtoDAsync(d, nothing, HALF, s));
    ASK("HtoD n=0,null", cudrvMemcpyHtoDAsync(d, nothing, 0, s));
    ASK("HtoD host-is-a-device-pointer", cudrvMemcpyHtoDAsync(d, (const void *)(uintptr_t)d2, HALF, s));
    ASK("DtoH host-is-a-device-pointer", cudrvMemcpyDtoHAsync((void *)(uintptr_t)d2, d, HALF, s));
}

static void askPeers(void)
{
    ASK("Peer null-contexts", cudrvMemcpyPeerAsync(d, NULL, d2, NULL, HALF, s));
    ASK("Peer dst-context-wrong", cudrvMemcpyPeerAsync(d, b, d2, a, HALF, s));
    ASK("Peer both-contexts-wrong", cudrvMemcpyPeerAsync(d, b, d2, b, HALF, s));
    ASK("Peer n=0", cudrvMemcpyPeerAsync(d, a, d2, a, 0, s));
}

static CUDA_MEMCPY2D rows(void)
{
    return (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                           .srcDevice = d2,
                           .srcPitch = 256,
                           .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstDevice = d,
                           .dstPitch = 256,
                           .WidthInBytes = 256,
                           .Height = 16};
}

/* The box of rows() with one member changed. */
#define ASK_ROWS(key, member, value)                                                                                   \
    do {                                                                                                               \
        CUDA_MEMCPY2D box = rows();                                                                                    \
        box.member = value;                                                                                            \
        ASK("2D " key, cudrvMemcpy2DAsync(&box, s));                                                                   \
    } while (0)

static void askRows(void)
{
    CUDA_MEMCPY2D noPitch = rows();
    noPitch.srcPitch = noPitch.dstPitch = 0;
    ASK_ROWS("ok", Height, 16);
    ASK_ROWS("width>pitch", WidthInBytes, 257);
    ASK_ROWS("height=0", Height, 0);
    ASK_ROWS("width=0", WidthInBytes, 0);
    ASK("2D pitch=0", cudrvMemcpy2DAsync(&noPitch, s));
    ASK_ROWS("type=0", srcMemoryType, 0);
    ASK_ROWS("type=9", srcMemoryType, 9);
    ASK_ROWS("past-the-end", Height, BYTES / 256 + 1);
    ASK("2D null", cudrvMemcpy2DAsync(NULL, s));
}

static CUDA_MEMCPY3D box(void)
{
    return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                           .srcDevice = d2,
                           .srcPitch = 256,
                           .srcHeight = 16,
                           .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstDevice = d,
                           .dstPitch = 256,
                           .dstHeight = 16,
                           .WidthInBytes = 256,
                           .Height = 16,
                           .Depth = 4};
}

#define ASK_BOX(key, member, value)                                                                                    \
    do {                                                                                                               \
        CUDA_MEMCPY3D changed = box();                                                                                 \
        changed.member = value;                                                                                        \
        ASK("3D " key, cudrvMemcpy3DAsync(&changed, s));                                                               \
    } while (0)

static void askBoxes(void)
{
    static int one;
    ASK_BOX("ok", Depth, 4);
    ASK_BOX("depth=0", Depth, 0);
    ASK_BOX("width>pitch", WidthInBytes, 257);
    ASK_BOX("height>srcHeight", srcHeight, 15);
    ASK_BOX("reserved0=1", reserved0, &one);
    ASK("3D null", cudrvMemcpy3DAsync(NULL, s));
    ASK("3DPeer null", cudrvMemcpy3DPeerAsync(NULL, s));
}

static void play(void)
{
    worldOpen();
    s = streamNamed("sA")->handle;
    d = memoryNamed("dA")->address;
    d2 = memoryNamed("dA2")->address;
    a = contextNamed("A");
    b = contextNamed("B");
    pinned = memoryNamed("hA")->host;
    pageable = memoryNamed("page")->host;
    static unsigned char more[BYTES];
    otherPageable = more;

    MUST(cudrvCtxPushCurrent(a));
    askAddresses();
    askPeers();
    askRows();
    askBoxes();
    stackClear();
    ASK("Async n=0,none-current", cudrvMemcpyAsync(d, d2, 0, s));
}

const struct section argumentsSection = {
    .name = "arguments",
    .columns = "copy\tcase\tanswer",
    .about = "The edges of what each asynchronous copy takes, on sA with A current.",
    .play = play,
    .parts = 1,
};
