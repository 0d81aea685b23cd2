/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: what is where, who may touch it, what is left when it goes. */
#include "test_support.h"

#include <signal.h>

static const size_t granule = (size_t)2 << 20;

/* cuda.h declares the one version of its own toolkit; the exports are the same under each. */
CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);

static CUstream stream[2];

static int setUp(void **state)
{
    freshProcess(state);
    for (int device = 0; device < 2; device++) {
        OK(cuCtxSetCurrent(primary[device]));
        OK(cuStreamCreate(&stream[device], CU_STREAM_NON_BLOCKING));
    }
    OK(cuCtxSetCurrent(primary[0]));
    return 0;
}

static CUdeviceptr plain(size_t bytes)
{
    CUdeviceptr memory;
    OK(cuMemAlloc(&memory, bytes));
    return memory;
}

static CUdeviceptr pooled(int device, size_t bytes)
{
    CUdeviceptr memory;
    OK(cuMemAllocAsync(&memory, bytes, stream[device]));
    return memory;
}

static const volatile unsigned char *touched;

static void touch(void)
{
    (void)*touched;
}

static void the_host_cannot_touch_device_memory(void **state)
{
    (void)state;
    CUdeviceptr managed;
    OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    touched = (const volatile unsigned char *)(uintptr_t)managed;
    assert_int_equal(childOf(touch, NULL), 0);
    touched = (const volatile unsigned char *)(uintptr_t)plain(64);
    assert_int_equal(childOf(touch, NULL), -SIGSEGV);
}

static void ranges_are_exact(void **state)
{
    (void)state;
    const CUdeviceptr a = plain(1000);
    const CUdeviceptr b = plain(1000);
    OK(cuMemcpyDtoDAsync(a, b, 1000, stream[0]));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoDAsync(a, b, 1001, stream[0]));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoDAsync(a + 1, b, 1000, stream[0]));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoDAsync(a, b - 1, 2, stream[0]));
}

static void freed_memory_is_unknown_and_its_addresses_stay_unused_for_a_while(void **state)
{
    (void)state;
    const CUdeviceptr a = plain(4096);
    OK(cuMemFree(a));
    assert_int_not_equal(plain(4096), a);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyAsync(a, plain(16), 16, stream[0]));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree(a));
}

static void memory_of_a_context_that_ends_serves_the_work_that_still_uses_it(void **state)
{
    (void)state;
    unsigned char byte = 0;
    CUcontext context;
    const CUdeviceptr mine = plain(64);
    OK(cuCtxCreate_v2(&context, 0, 0));
    const CUdeviceptr theirs = plain(64);
    OK(cuMemsetD8(theirs, 4, 64));
    cusimHold();
    OK(cuMemcpyAsync(mine, theirs, 64, stream[0]));
    OK(cuCtxDestroy(context));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyAsync(mine, theirs, 64, stream[0]));
    cusimRelease();
    OK(cuMemcpyDtoHAsync(&byte, mine, 1, stream[0]));
    assert_int_equal(byte, 4);
}

static void mappings_of_one_memory_are_the_same_bytes(void **state)
{
    (void)state;
    const CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    const CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle handle;
    CUdeviceptr base;
    OK(cuMemCreate(&handle, granule, &properties, 0));
    OK(cuMemAddressReserve(&base, 2 * granule, 0, 0, 0));
    OK(cuMemMap(base, granule, 0, handle, 0));
    OK(cuMemMap(base + granule, granule, 0, handle, 0));
    OK(cuMemRelease(handle));
    OK(cuMemSetAccess(base, 2 * granule, &access, 1));
    unsigned value = 0;
    OK(cuMemsetD32(base + 64, 0xABCD, 1));
    OK(cuMemcpyDtoH(&value, base + granule + 64, sizeof value));
    assert_int_equal(value, 0xABCD);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(base, 2 * granule));
    OK(cuMemUnmap(base, 2 * granule));
    OK(cuMemAddressFree(base, 2 * granule));
    assert_int_equal(cusimLiveHandles(NULL), 2); /* the streams */
}

static void memory_is_limited(void **state)
{
    (void)state;
    size_t available;
    size_t total;
    size_t after;
    CUdeviceptr memory;
    OK(cuMemGetInfo(&available, &total));
    GIVES(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&memory, total + 1));
    memory = plain(1 << 20);
    OK(cuMemGetInfo(&after, &total));
    assert_int_equal(available - after, 1 << 20);
    OK(cuMemFree(memory));
    OK(cuMemGetInfo(&after, &total));
    assert_int_equal(available, after);
}

static void managed_memory_is_the_hosts_too(void **state)
{
    (void)state;
    CUdeviceptr memory;
    OK(cuMemAllocManaged(&memory, 64, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemsetD8(memory, 5, 64));
    assert_int_equal(*(unsigned char *)(uintptr_t)memory, 5);
}

static void pool_memory_is_checked_against_the_current_contexts_device(void **state)
{
    (void)state;
    const CUdeviceptr a = pooled(1, 64);
    const CUdeviceptr b = pooled(1, 64);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyAsync(a, b, 64, stream[1]));
    OK(cuCtxSetCurrent(primary[1]));
    OK(cuMemcpyAsync(a, b, 64, stream[1]));
    OK(cuMemcpyAsync(a, b, 64, stream[0]));
    OK(cuCtxSetCurrent(NULL));
    OK(cuMemcpyAsync(a, b, 64, stream[1]));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyAsync(a, b, 64, stream[0]));
}

static void access_to_a_pool_can_be_granted(void **state)
{
    (void)state;
    const CUdeviceptr a = pooled(1, 64);
    const CUdeviceptr b = plain(64);
    CUmemoryPool pool;
    CUmemAccess_flags flags;
    CUmemAccessDesc grant = {{.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}, CU_MEM_ACCESS_FLAGS_PROT_READ};
    OK(cuDeviceGetDefaultMemPool(&pool, 1));
    OK(cuCtxEnablePeerAccess(primary[1], 0));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyAsync(b, a, 64, stream[0]));
    OK(cuMemPoolSetAccess(pool, &grant, 1));
    OK(cuMemPoolGetAccess(&flags, pool, &grant.location));
    assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READ);
    OK(cuMemcpyAsync(b, a, 64, stream[0]));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyAsync(a, b, 64, stream[0]));
    grant.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    OK(cuMemPoolSetAccess(pool, &grant, 1));
    OK(cuMemcpyAsync(a, b, 64, stream[0]));
}

static void a_peer_copy_goes_between_two_pools(void **state)
{
    (void)state;
    const CUdeviceptr a = pooled(0, 64);
    const CUdeviceptr b = pooled(1, 64);
    unsigned char byte = 0;
    OK(cuMemsetD8Async(b, 9, 64, stream[1]));
    OK(cuStreamSynchronize(stream[1]));
    for (int device = 0; device < 2; device++) {
        OK(cuCtxSetCurrent(primary[device]));
        GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyAsync(a, b, 64, stream[0]));
    }
    OK(cuMemcpyPeerAsync(a, primary[0], b, primary[1], 64, stream[0]));
    OK(cuCtxSetCurrent(primary[0]));
    OK(cuMemcpyDtoHAsync(&byte, a, 1, stream[0]));
    assert_int_equal(byte, 9);
}

static void plain_memory_is_for_every_device(void **state)
{
    (void)state;
    const CUdeviceptr a = plain(64);
    OK(cuCtxSetCurrent(primary[1]));
    OK(cuMemcpyAsync(a, plain(64), 64, stream[1]));
}

static void a_pool_lives_as_long_as_its_memory(void **state)
{
    (void)state;
    const CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                       .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
    CUmemoryPool pool;
    CUdeviceptr memory;
    OK(cuMemPoolCreate(&pool, &properties));
    OK(cuMemAllocFromPoolAsync(&memory, 64, pool, stream[0]));
    OK(cuMemPoolDestroy(pool));
    OK(cuMemsetD8Async(memory, 1, 64, stream[0]));
    assert_int_equal(cusimLiveHandles("pool"), 1);
    OK(cuMemFreeAsync(memory, stream[0]));
    assert_int_equal(cusimLiveHandles("pool"), 0);
}

static void host_memory_is_registered_once(void **state)
{
    (void)state;
    static unsigned char bytes[8192];
    OK(cuMemHostRegister(bytes, 4096, 0));
    GIVES(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(bytes + 100, 100, 0));
    GIVES(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(bytes + 100));
    OK(cuMemHostUnregister(bytes));
    GIVES(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(bytes));
}

static void sizes_that_no_memory_has_are_refused(void **state)
{
    (void)state;
    const CUdeviceptr memory = plain(4096);
    CUdeviceptr other;
    CUarray array;
    size_t pitch;
    const size_t half = SIZE_MAX / 2 + 1;
    const CUDA_MEMCPY2D wraps = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                 .srcDevice = memory,
                                 .srcPitch = half,
                                 .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                 .dstDevice = memory,
                                 .dstPitch = half,
                                 .WidthInBytes = 16,
                                 .Height = 3};
    const CUDA_ARRAY3D_DESCRIPTOR huge = {
        .Width = 131072, .Height = 65536, .Depth = 16384, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 4};
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpy2DAsync(&wraps, stream[0]));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoDAsync(memory, memory, SIZE_MAX, stream[0]));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemsetD32Async(memory, 0, half / 2, stream[0]));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D8Async(memory, half, 0, 1, 3, stream[0]));
    GIVES(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocPitch(&other, &pitch, half, 4, 4));
    GIVES(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&other, SIZE_MAX));
    GIVES(CUDA_ERROR_OUT_OF_MEMORY, cuArray3DCreate(&array, &huge));
}

static void arrays_hold_boxes(void **state)
{
    (void)state;
    const CUDA_ARRAY3D_DESCRIPTOR descriptor = {
        .Width = 8, .Height = 4, .Depth = 2, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 2};
    CUarray array;
    unsigned char in[64];
    unsigned char out[16] = {0};
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)i;
    OK(cuArray3DCreate(&array, &descriptor));
    /* The box of 8 bytes, 4 rows, 2 layers at (2, 0, 0), then 4 bytes of 2 rows back from (4, 1, 1). */
    OK(cuMemcpy3D(&(CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                                   .srcHost = in,
                                   .srcPitch = 8,
                                   .srcHeight = 4,
                                   .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                   .dstArray = array,
                                   .dstXInBytes = 2,
                                   .WidthInBytes = 8,
                                   .Height = 4,
                                   .Depth = 2}));
    OK(cuMemcpy3D(&(CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                                   .srcArray = array,
                                   .srcXInBytes = 4,
                                   .srcY = 1,
                                   .srcZ = 1,
                                   .dstMemoryType = CU_MEMORYTYPE_HOST,
                                   .dstHost = out,
                                   .dstPitch = 8,
                                   .WidthInBytes = 4,
                                   .Height = 2,
                                   .Depth = 1}));
    assert_int_equal(out[0], 42);
    assert_int_equal(out[3], 45);
    assert_int_equal(out[8], 50);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA(array, 10, in, 7));
    OK(cuArrayDestroy(array));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuMemcpyHtoA(array, 0, in, 1));
}

#define TEST(test) cmocka_unit_test_setup(test, setUp)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_host_cannot_touch_device_memory),
        TEST(ranges_are_exact),
        TEST(freed_memory_is_unknown_and_its_addresses_stay_unused_for_a_while),
        TEST(memory_of_a_context_that_ends_serves_the_work_that_still_uses_it),
        TEST(mappings_of_one_memory_are_the_same_bytes),
        TEST(memory_is_limited),
        TEST(managed_memory_is_the_hosts_too),
        TEST(pool_memory_is_checked_against_the_current_contexts_device),
        TEST(access_to_a_pool_can_be_granted),
        TEST(a_peer_copy_goes_between_two_pools),
        TEST(plain_memory_is_for_every_device),
        TEST(a_pool_lives_as_long_as_its_memory),
        TEST(host_memory_is_registered_once),
        TEST(sizes_that_no_memory_has_are_refused),
        TEST(arrays_hold_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
