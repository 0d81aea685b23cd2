/* SPDX-License-Identifier: Apache-2.0 */
/* Copies that fail with INVALID_VALUE for what they were given. */
#include "scenes.h"

static CUdeviceptr host(const void *memory)
{
    return (CUdeviceptr)(uintptr_t)memory;
}

/* ---- Pointers ---- */

static void nullDestination(const struct world *world)
{
    const void *const src = pinnedMemory(world->away, sceneBytes);
    fails(cucopyMemcpyHtoDAsync(0, src, sceneBytes, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void nullSource(const struct world *world)
{
    const CUdeviceptr dst = plainMemory(world->away, sceneBytes);
    fails(cucopyMemcpyAsync(dst, 0, sceneBytes, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void freedSource(const struct world *world)
{
    const CUdeviceptr dst = plainMemory(world->away, sceneBytes);
    const CUdeviceptr src = freedMemory(world->away, sceneBytes);
    fails(cucopyMemcpyDtoDAsync(dst, src, sceneBytes, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void freedSourceUntyped(const struct world *world)
{
    const CUdeviceptr dst = plainMemory(world->away, sceneBytes);
    const CUdeviceptr src = freedMemory(world->away, sceneBytes);
    fails(cucopyMemcpyAsync(dst, src, sceneBytes, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void pageableAsDevice(const struct world *world)
{
    const CUdeviceptr src = plainMemory(world->away, sceneBytes);
    const void *const dst = pageableMemory(sceneBytes);
    fails(cucopyMemcpyDtoDAsync(host(dst), src, sceneBytes, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

/* ---- Sizes ---- */

static void pastTheEnd(const struct world *world)
{
    const CUdeviceptr dst = plainMemory(world->away, sceneBytes);
    const void *const src = pinnedMemory(world->away, (size_t)2 * sceneBytes);
    fails(cucopyMemcpyHtoDAsync(dst + 4096, src, sceneBytes, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void pastTheEndOfSource(const struct world *world)
{
    const CUdeviceptr dst = plainMemory(world->away, (size_t)2 * sceneBytes);
    const CUdeviceptr src = plainMemory(world->away, sceneBytes);
    fails(cucopyMemcpyAsync(dst, src, sceneBytes + 1, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void sizeOfGarbage(const struct world *world)
{
    const CUdeviceptr dst = plainMemory(world->away, sceneBytes);
    const CUdeviceptr src = plainMemory(world->away, sceneBytes);
    fails(cucopyMemcpyDtoDAsync(dst, src, SIZE_MAX, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void registeredThenPageable(const struct world *world)
{
    const CUdeviceptr dst = plainMemory(world->away, (size_t)2 * sceneBytes);
    void *const src = pageableMemory((size_t)2 * sceneBytes);
    registerMemory(world->away, src, sceneBytes);
    fails(cucopyMemcpyAsync(dst, host(src), (size_t)2 * sceneBytes, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void twoRegistrations(const struct world *world)
{
    const CUdeviceptr dst = plainMemory(world->away, (size_t)2 * sceneBytes);
    char *const src = pageableMemory((size_t)2 * sceneBytes);
    registerMemory(world->away, src, sceneBytes);
    registerMemory(world->away, src + sceneBytes, sceneBytes);
    fails(cucopyMemcpyAsync(dst, host(src), (size_t)2 * sceneBytes, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

/* ---- Mapped memory ---- */

static void nothingMapped(const struct world *world)
{
    const CUdeviceptr dst = mappedMemory(world->awayDevice, 2, 1);
    const CUdeviceptr src = plainMemory(world->away, sceneBytes);
    allowAccess(dst, pageSize(world->awayDevice), world->awayDevice, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    fails(cucopyMemcpyDtoDAsync(dst + pageSize(world->awayDevice), src, sceneBytes, world->awayStream),
          CUDA_ERROR_INVALID_VALUE);
}

static void intoAHole(const struct world *world)
{
    const size_t page = pageSize(world->awayDevice);
    const CUdeviceptr dst = mappedMemory(world->awayDevice, 3, 2);
    const CUdeviceptr src = plainMemory(world->away, sceneBytes);
    allowAccess(dst, 2 * page, world->awayDevice, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    fails(cucopyMemcpyDtoDAsync(dst + 2 * page - 4096, src, sceneBytes, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void accessForNobody(const struct world *world)
{
    const CUdeviceptr dst = mappedMemory(world->awayDevice, 1, 1);
    const CUdeviceptr src = plainMemory(world->away, sceneBytes);
    fails(cucopyMemcpyDtoDAsync(dst, src, sceneBytes, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void accessToTheFirstPart(const struct world *world)
{
    const size_t page = pageSize(world->awayDevice);
    const CUdeviceptr dst = mappedMemory(world->awayDevice, 2, 2);
    const CUdeviceptr src = plainMemory(world->away, sceneBytes);
    allowAccess(dst, page, world->awayDevice, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    fails(cucopyMemcpyDtoDAsync(dst + page - 4096, src, sceneBytes, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void accessToReadAlone(const struct world *world)
{
    const CUdeviceptr dst = mappedMemory(world->awayDevice, 1, 1);
    const CUdeviceptr src = plainMemory(world->away, sceneBytes);
    allowAccess(dst, pageSize(world->awayDevice), world->awayDevice, CU_MEM_ACCESS_FLAGS_PROT_READ);
    fails(cucopyMemcpyDtoDAsync(dst, src, sceneBytes, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void mappedOnTheOtherDevice(const struct world *world)
{
    const CUdeviceptr dst = mappedMemory(world->awayDevice, 1, 1);
    const CUdeviceptr src = plainMemory(world->home, sceneBytes);
    allowAccess(dst, pageSize(world->awayDevice), world->awayDevice, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    fails(cucopyMemcpyDtoDAsync(dst, src, sceneBytes, world->homeStream), CUDA_ERROR_INVALID_VALUE);
}

/* ---- Pools of two devices ---- */

static void poolAndHost(const struct world *world)
{
    const CUdeviceptr dst = poolMemory(world->away, world->awayStream, sceneBytes);
    const void *const src = pinnedMemory(world->home, sceneBytes);
    fails(cucopyMemcpyHtoDAsync(dst, src, sceneBytes, world->homeStream), CUDA_ERROR_INVALID_VALUE);
}

static void twoPools(const struct world *world)
{
    const CUdeviceptr dst = poolMemory(world->away, world->awayStream, sceneBytes);
    const CUdeviceptr src = poolMemory(world->home, world->homeStream, sceneBytes);
    fails(cucopyMemcpyAsync(dst, src, sceneBytes, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

/* Every simulated device is every other's peer; the linker puts this before the library's own. */
static int noDeviceIsAPeer;

CUresult CUDAAPI __real_cudrvDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev);
CUresult CUDAAPI __wrap_cudrvDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev);
CUresult CUDAAPI __wrap_cudrvDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev)
{
    const CUresult result = __real_cudrvDeviceCanAccessPeer(canAccessPeer, dev, peerDev);
    if (result == CUDA_SUCCESS && noDeviceIsAPeer)
        *canAccessPeer = 0;
    return result;
}

static void peersAgain(void *nothing)
{
    (void)nothing;
    noDeviceIsAPeer = 0;
}

static void noPeers(const struct world *world)
{
    const CUdeviceptr dst = poolMemory(world->away, world->awayStream, sceneBytes);
    const void *const src = pinnedMemory(world->home, sceneBytes);
    fails(cucopyMemcpyHtoDAsync(dst, src, sceneBytes, world->homeStream), CUDA_ERROR_INVALID_VALUE);
    noDeviceIsAPeer = 1;
    later(peersAgain, NULL, NULL);
}

static void rawWithTheOtherContext(const struct world *world)
{
    const CUdeviceptr dst = poolMemory(world->away, world->awayStream, sceneBytes);
    const void *const src = pinnedMemory(world->away, sceneBytes);
    must(cudrvCtxPushCurrent(world->home));
    failsRaw(cudrvMemcpyHtoDAsync(dst, src, sceneBytes, world->awayStream), CUDA_ERROR_INVALID_VALUE,
             &(cucopyFailure){.function = "cuMemcpyHtoDAsync",
                              .stream = world->awayStream,
                              .dst = dst,
                              .src = host(src),
                              .bytes = sceneBytes});
    must(cudrvCtxPopCurrent(NULL));
}

static void rawAndUnobserved(const struct world *world)
{
    static cucopyFailure failure;
    const CUdeviceptr dst = poolMemory(world->away, world->awayStream, sceneBytes);
    const void *const src = pinnedMemory(world->home, sceneBytes);
    failure = (cucopyFailure)CUCOPY_FAILURE_INIT;
    failure.function = "cuMemcpyHtoDAsync";
    failure.step = CUCOPY_STEP_COPY;
    failure.stream = world->homeStream;
    failure.dst = dst;
    failure.src = host(src);
    failure.bytes = sceneBytes;
    must(cudrvCtxPushCurrent(world->home));
    failure.result = cudrvMemcpyHtoDAsync(dst, src, sceneBytes, world->homeStream);
    must(cudrvCtxPopCurrent(NULL));
    fails(failure.result, CUDA_ERROR_INVALID_VALUE);
    sceneKeep(&failure);
}

/* ---- Boxes ---- */

static CUDA_MEMCPY2D rows(const struct world *world, size_t width, size_t height, size_t pitch)
{
    return (CUDA_MEMCPY2D){.dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstDevice = plainMemory(world->away, sceneBytes),
                           .dstPitch = pitch,
                           .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                           .srcDevice = plainMemory(world->away, sceneBytes),
                           .srcPitch = pitch,
                           .WidthInBytes = width,
                           .Height = height};
}

static void noMemoryType(const struct world *world)
{
    CUDA_MEMCPY2D copy = rows(world, 256, 16, 512);
    copy.srcMemoryType = 0;
    fails(cucopyMemcpy2DAsync(&copy, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void rowsTooWide(const struct world *world)
{
    CUDA_MEMCPY2D copy = rows(world, 512, 16, 512);
    copy.dstPitch = 256;
    fails(cucopyMemcpy2DAsync(&copy, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void rowsPastTheEnd(const struct world *world)
{
    const CUDA_MEMCPY2D copy = rows(world, 512, sceneBytes / 512 + 1, 512);
    fails(cucopyMemcpy2DAsync(&copy, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void noBox(const struct world *world)
{
    fails(cucopyMemcpy2DAsync(NULL, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void noPeerBox(const struct world *world)
{
    fails(cucopyMemcpy3DPeerAsync(NULL, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void layersTooHigh(const struct world *world)
{
    const CUDA_MEMCPY3D copy = {.dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = plainMemory(world->away, sceneBytes),
                                .dstPitch = 64,
                                .dstHeight = 8,
                                .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice = plainMemory(world->away, sceneBytes),
                                .srcPitch = 64,
                                .srcHeight = 4,
                                .WidthInBytes = 64,
                                .Height = 8,
                                .Depth = 2};
    fails(cucopyMemcpy3DAsync(&copy, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

/* ---- Neither ---- */

static void nothingWrong(const struct world *world)
{
    const CUdeviceptr dst = plainMemory(world->away, sceneBytes);
    const CUdeviceptr src = plainMemory(world->away, sceneBytes);
    simulator()->refuse("cuMemcpyDtoDAsync_v2", 1, CUDA_ERROR_INVALID_VALUE, 0);
    fails(cucopyMemcpyDtoDAsync(dst, src, sceneBytes, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

const struct scene pointerScenes[] = {
    {"a_destination_that_is_NULL", 0, nullDestination, .says = {"to       NULL", "Cause: the destination is NULL."}},
    {"a_source_that_is_NULL", 0, nullSource, .says = {"from     NULL", "Cause: the source is NULL."}},
    {"memory_that_was_freed", 0, freedSource,
     .says = {"from     0x", "unknown to CUDA", "takes device memory as its source",
              "it was freed, or it never was CUDA's"}},
    {"memory_that_was_freed_in_an_untyped_copy", NEEDS_SIMULATOR, freedSourceUntyped,
     .says = {"Possible cause: CUDA knows no memory at 0x", "the source was freed before this call"}},
    {"pageable_memory_where_device_memory_is_due", 0, pageableAsDevice,
     .says = {"to       0x", "unknown to CUDA: pageable host memory", "takes device memory as its destination",
              "for pageable host memory use cucopyMemcpyAsync"}},
    {"a_size_past_the_end_of_the_destination", 0, pastTheEnd,
     .says = {"byte 4,096 of 65,536 of memory of device", "the copy runs 4,096 bytes past the end of the destination",
              "What to do: copy 61,440 bytes at most from there."}},
    {"a_size_past_the_end_of_the_source", 0, pastTheEndOfSource,
     .says = {"the start of 65,536 bytes of memory", "the copy runs 1 byte past the end of the source"}},
    {"a_size_that_is_garbage", NEEDS_SIMULATOR, sizeOfGarbage,
     .says = {"size     18,446,744,073,709,551,615 bytes", "past the end of the destination",
              "past the end of the source"}},
    {"registered_memory_that_ends_in_pageable_memory", 0, registeredThenPageable,
     .says = {"pinned or registered host memory",
              "65,536 bytes past the end of the source's pinned or registered memory.",
              "and the rest in a copy of its own, or register all at once"}},
    {"two_registrations_side_by_side", 0, twoRegistrations,
     .says = {"into another such range, and the driver copies across no two of them"}},
    {"a_reserved_range_with_nothing_mapped", 0, nothingMapped,
     .says = {"in a reserved range, with nothing mapped there", "nothing is mapped there.", "cuMemMap"}},
    {"a_hole_behind_adjacent_mappings", 0, intoAHole,
     .says = {"mapped memory of device",
              "61,440 bytes into a part of the reserved range where nothing is mapped, after 4,096"}},
    {"mapped_memory_that_no_device_may_access", 0, accessForNobody,
     .says = {"no device has access to it", "it was mapped, but never given access",
              "call cuMemSetAccess after cuMemMap"}},
    {"access_to_the_first_of_two_mappings", 0, accessToTheFirstPart,
     .says = {"access to the first 4,096 bytes of the destination alone, and none to the mapping behind",
              "call cuMemSetAccess for the whole range"}},
    {"access_to_read_a_destination", NEEDS_SIMULATOR, accessToReadAlone,
     .says = {"may only read it", "may only read the destination"}},
    {"mapped_memory_of_another_device", NEEDS_TWO_DEVICES, mappedOnTheOtherDevice,
     .says = {"mapped memory of device 1; device 0 has no access",
              "and device 0, whose context the copy ran in, has no access",
              "with cuMemSetAccess (cuCtxEnablePeerAccess does not cover such memory)",
              "copy on a stream of device 1"}},
    {"pool_memory_of_another_device_and_host_memory", NEEDS_TWO_DEVICES, poolAndHost,
     .says = {"pool memory of device 1; device 0 has no access", "the destination is pool memory of device 1",
              "give device 0 access with cuMemPoolSetAccess", "or copy on a stream of device 1"}},
    {"pools_of_two_devices", NEEDS_TWO_DEVICES, twoPools,
     .says = {"the source is pool memory of device 0, and device 1, whose context the copy ran in, has no access",
              "give device 1 access with cuMemPoolSetAccess (cuCtxEnablePeerAccess does not cover such memory)",
              "or use cucopyMemcpyPeerAsync"}},
    {"pool_memory_of_a_device_that_is_no_peer", NEEDS_TWO_DEVICES, noPeers,
     .says = {"What to do: copy on a stream of device 1 or by cucopyMemcpyAsyncEx with CUCOPY_CONTEXT_OWNER, or use",
              "Device 0 cannot be given access"}},
    {"a_raw_copy_with_the_context_of_another_device_current", NEEDS_TWO_DEVICES, rawWithTheOtherContext,
     .says = {"cuMemcpyHtoDAsync: CUDA_ERROR_INVALID_VALUE", "device 0, whose context the copy ran in, has no access",
              "use cucopyMemcpyHtoDAsync, which copies with the stream's context current", "or give device 0 access"}},
    {"a_raw_copy_of_which_little_is_known", NEEDS_TWO_DEVICES, rawAndUnobserved,
     .says = {"pool memory of device 1; access unknown", "Possible cause: the destination is pool memory of device 1",
              "What to do: give the stream's device access with cuMemPoolSetAccess"}},
    {"a_box_with_no_memory_type", 0, noMemoryType, .says = {"Cause: srcMemoryType is 0, which is no CUmemorytype."}},
    {"rows_wider_than_their_pitch", 0, rowsTooWide,
     .says = {"8,192 bytes: 512 by 16 by 1", "but the next begins after 256: dstPitch is too small"}},
    {"rows_past_the_end", 0, rowsPastTheEnd, .says = {"the box reaches 512 bytes past the end of the destination"}},
    {"a_box_that_is_NULL", 0, noBox, .says = {"Cause: pCopy is NULL."}},
    {"a_peer_box_that_is_NULL", 0, noPeerBox, .says = {"cucopyMemcpy3DPeerAsync", "Cause: pCopy is NULL."}},
    {"layers_with_more_rows_than_they_have", 0, layersTooHigh,
     .says = {"a layer of the source has 4 rows, and the copy goes to row 8: srcHeight is too small"}},
    {"an_invalid_value_without_a_reason", NEEDS_SIMULATOR, nothingWrong,
     .says = {"The cause is not known to cucopy; the driver says: invalid argument."}},
};
const size_t pointerSceneCount = sizeof(pointerScenes) / sizeof(pointerScenes[0]);
