/* SPDX-License-Identifier: Apache-2.0 */
/* The switches: counts, failures, missing entries, versions, the reset, the check. */
#include "test_support.h"

#include <pthread.h>
#include <stdlib.h>

typedef CUresult (*GetProc)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);

static const GetProc getProc = cuGetProcAddress_v2;

/* The one of CUDA 11.3, which cuda.h no longer declares. */
CUresult cuGetProcAddress1(const char *name, void **function, int version,
                           cuuint64_t flags) __asm__("cuGetProcAddress");

static CUdriverProcAddressQueryResult lookUp(const char *name, int version)
{
    CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)77;
    void *function;
    OK(getProc(name, &function, version, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &status));
    assert_int_equal(function != NULL, status == CU_GET_PROC_ADDRESS_SUCCESS);
    return status;
}

static void setSwitch(const char *name, const char *value)
{
    setenv(name, value, 1); /* NOLINT(concurrency-mt-unsafe): no other thread looks */
}

static void calls_are_counted_by_symbol(void **state)
{
    (void)state;
    CUcontext context;
    OK(cuCtxGetCurrent(&context));
    OK(cuCtxGetCurrent(&context));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuCtxPushCurrent(NULL));
    assert_int_equal(cusimCalls("cuCtxGetCurrent"), 2);
    assert_int_equal(cusimCalls("cuCtxPushCurrent_v2"), 1);
    assert_int_equal(cusimCalls("cuCtxPushCurrent"), 0);
    assert_int_equal(cusimCalls(NULL), 3);
    cusimResetCalls();
    assert_int_equal(cusimCalls(NULL), 0);
}

static void the_last_calls_are_known_in_order(void **state)
{
    (void)state;
    const char *symbols[3];
    CUcontext context;
    OK(cuCtxPushCurrent(primary[0]));
    OK(cuCtxGetCurrent(&context));
    OK(cuCtxPopCurrent(NULL));
    assert_int_equal(cusimRecentCalls(symbols, 2), 2);
    assert_string_equal(symbols[0], "cuCtxGetCurrent");
    assert_string_equal(symbols[1], "cuCtxPopCurrent_v2");
    cusimResetCalls();
    assert_int_equal(cusimRecentCalls(symbols, 3), 0);
}

static void the_nth_call_fails_and_does_nothing(void **state)
{
    (void)state;
    CUcontext context = NULL;
    cusimFail("cuCtxPushCurrent_v2", 2, CUDA_ERROR_UNKNOWN, false);
    OK(cuCtxPushCurrent(primary[0]));
    GIVES(CUDA_ERROR_UNKNOWN, cuCtxPushCurrent(primary[1]));
    OK(cuCtxGetCurrent(&context));
    assert_ptr_equal(context, primary[0]);
    OK(cuCtxPushCurrent(primary[1]));
}

static void a_failure_may_go_on(void **state)
{
    (void)state;
    CUcontext context;
    cusimFail("cuCtxGetCurrent", 2, CUDA_ERROR_UNKNOWN, true);
    OK(cuCtxGetCurrent(&context));
    GIVES(CUDA_ERROR_UNKNOWN, cuCtxGetCurrent(&context));
    GIVES(CUDA_ERROR_UNKNOWN, cuCtxGetCurrent(&context));
    cusimFailClear();
    OK(cuCtxGetCurrent(&context));
}

static void a_lookup_name_stands_for_every_version(void **state)
{
    (void)state;
    cusimFail("cuCtxPopCurrent", 1, CUDA_ERROR_UNKNOWN, false);
    OK(cuCtxPushCurrent(primary[0]));
    GIVES(CUDA_ERROR_UNKNOWN, cuCtxPopCurrent(NULL));
    OK(cuCtxPopCurrent(NULL));
}

static void a_missing_entry_is_not_found(void **state)
{
    (void)state;
    assert_int_equal(lookUp("cuMemcpyBatchAsync", 13000), CU_GET_PROC_ADDRESS_SUCCESS);
    cusimMissing("cuMemcpyBatchAsync,cuStreamGetCtx_v2");
    assert_int_equal(lookUp("cuMemcpyBatchAsync", 13000), CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    assert_int_equal(lookUp("cuStreamGetCtx", 9020), CU_GET_PROC_ADDRESS_SUCCESS);
    void *first;
    void *newest;
    OK(getProc("cuStreamGetCtx", &first, 9020, CU_GET_PROC_ADDRESS_LEGACY_STREAM, NULL));
    OK(getProc("cuStreamGetCtx", &newest, 13000, CU_GET_PROC_ADDRESS_LEGACY_STREAM, NULL));
    assert_ptr_equal(first, newest);
    cusimMissing(NULL);
    assert_int_equal(lookUp("cuMemcpyBatchAsync", 13000), CU_GET_PROC_ADDRESS_SUCCESS);
}

static void callTooNew(void)
{
    CUcontext context;
    CUgreenCtx green;
    GIVES(CUDA_ERROR_NOT_SUPPORTED, cuStreamGetCtx_v2(NULL, &context, &green));
    GIVES(CUDA_ERROR_NOT_SUPPORTED, cuStreamGetCtx_v2(NULL, &context, &green));
}

static void an_older_driver_has_fewer_entries(void **state)
{
    (void)state;
    int version;
    cusimSetDriverVersion(12040);
    OK(cuDriverGetVersion(&version));
    assert_int_equal(version, 12040);
    assert_int_equal(lookUp("cuMemcpyBatchAsync", 12040), CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    assert_int_equal(lookUp("cuGreenCtxCreate", 12030), CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    assert_int_equal(lookUp("cuGreenCtxCreate", 12040), CU_GET_PROC_ADDRESS_SUCCESS);
    const char *said = stderrOf(callTooNew);
    const char *line = strstr(said, "cuStreamGetCtx_v2: newer than this driver's version");
    assert_non_null(line);
    assert_null(strstr(line + 1, "cuStreamGetCtx_v2"));
}

static void every_version_has_what_its_toolkit_has(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int since;
    } entries[] = {
        {"cuMemcpyAsync", 4000},
        {"cuGetProcAddress", 11030},
        {"cuLibraryLoadData", 12000},
        {"cuGreenCtxCreate", 12040},
        {"cuMemcpyBatchAsync", 12080},
        {"cuMemPrefetchBatchAsync", 13000},
        {"cuMemcpyWithAttributesAsync", 13020},
    };
    static const int versions[] = {11040, 11080, 12000, 12040, 12080, 12090, 13000, 13020};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        cusimSetDriverVersion(versions[i]);
        for (size_t j = 0; j < sizeof entries / sizeof *entries; j++) {
            void *function = NULL;
            const CUresult found = cuGetProcAddress1(entries[j].name, &function, versions[i], 0);
            GIVES(versions[i] >= entries[j].since ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND, found);
        }
    }
}

static void there_are_as_many_devices_as_asked_for(void **state)
{
    (void)state;
    int count;
    CUdevice device;
    cusimReset();
    cusimSetDevices(5);
    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    assert_int_equal(count, 5);
    OK(cuDeviceGet(&device, 4));
    GIVES(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 5));
    cusimReset();
    cusimSetDevices(0);
    GIVES(CUDA_ERROR_NO_DEVICE, cuInit(0));
}

static void *usesAContext(void *result)
{
    OK(cuCtxPushCurrent(primary[0]));
    pthread_barrier_wait(result);
    pthread_barrier_wait(result);
    CUcontext context;
    OK(cuInit(0));
    OK(cuCtxGetCurrent(&context));
    assert_null(context);
    return NULL;
}

static void a_reset_reaches_every_thread(void **state)
{
    (void)state;
    pthread_t thread;
    pthread_barrier_t barrier;
    CUcontext context;
    pthread_barrier_init(&barrier, NULL, 2);
    OK(cuCtxPushCurrent(primary[1]));
    assert_int_equal(pthread_create(&thread, NULL, usesAContext, &barrier), 0);
    pthread_barrier_wait(&barrier);
    cusimReset();
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
    OK(cuCtxGetCurrent(&context));
    assert_null(context);
    assert_int_equal(cusimLiveHandles(NULL), 0);
}

static void a_reset_waits_for_work_and_frees_everything(void **state)
{
    (void)state;
    CUstream stream;
    CUdeviceptr memory;
    CUdeviceptr pool;
    CUdeviceptr base;
    CUmemGenericAllocationHandle handle;
    const CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    OK(cuCtxSetCurrent(primary[0]));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&memory, 1 << 20));
    OK(cuMemAddressReserve(&base, 4 << 20, 0, 0, 0));
    OK(cuMemCreate(&handle, 2 << 20, &properties, 0));
    OK(cuMemMap(base + (2 << 20), 2 << 20, 0, handle, 0));
    OK(cuMemAllocAsync(&pool, 1 << 20, stream));
    cusimHold();
    OK(cuMemcpyAsync(pool, memory, 1 << 20, stream));
    assert_int_equal(cusimPending(), 1);
    cusimReset();
    assert_int_equal(cusimPending(), 0);
    assert_int_equal(cusimLiveAllocations(), 0);
    CUcontext context;
    GIVES(CUDA_ERROR_NOT_INITIALIZED, cuCtxGetCurrent(&context));
    size_t available;
    size_t total;
    freshProcess(state);
    OK(cuCtxSetCurrent(primary[0]));
    OK(cuMemGetInfo(&available, &total));
    assert_int_equal(available, total);
    OK(cuMemAlloc(&memory, 1 << 20));
    OK(cuMemsetD8(memory, 1, 1 << 20));
}

static void the_environment_is_read_at_the_reset(void **state)
{
    (void)state;
    int count;
    CUcontext context;
    setSwitch("CUSIM_DEVICES", "3");
    setSwitch("CUSIM_FAIL", "cuCtxGetCurrent:2:999,cuCtxSetCurrent:1:201+");
    setSwitch("CUSIM_MISSING", "cuStreamGetId");
    cusimReset();
    OK(cuInit(0));
    setSwitch("CUSIM_DEVICES", "");
    setSwitch("CUSIM_FAIL", "");
    setSwitch("CUSIM_MISSING", "");
    OK(cuDeviceGetCount(&count));
    assert_int_equal(count, 3);
    OK(cuCtxGetCurrent(&context));
    GIVES(CUDA_ERROR_UNKNOWN, cuCtxGetCurrent(&context));
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent(NULL));
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent(NULL));
    assert_int_equal(lookUp("cuStreamGetId", 13000), CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

static void misuse(void)
{
    CUdeviceptr memory;
    CUdeviceptr pool;
    CUstream stream;
    CUevent event;
    OK(cuCtxSetCurrent(primary[0]));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&memory, 100));
    OK(cuMemAllocAsync(&pool, 100, stream));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoDAsync(memory, pool, 101, stream));
    OK(cuMemFreeAsync(pool, stream));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoDAsync(memory, pool, 100, stream));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoDAsync(memory, 0x1000, 100, stream));
    OK(cuMemFree(memory));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuMemFree(memory));
    OK(cuEventCreate(&event, CU_EVENT_DEFAULT));
    OK(cuEventDestroy(event));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(event));
}

static void misuse_is_named_on_demand(void **state)
{
    (void)state;
    setSwitch("CUSIM_CHECK", "1");
    freshProcess(state);
    setSwitch("CUSIM_CHECK", "");
    const char *said = stderrOf(misuse);
    assert_non_null(strstr(said, "cuMemcpyDtoDAsync_v2: check: 101 bytes at"));
    assert_non_null(strstr(said, "go past the end of the 100 bytes at"));
    assert_non_null(strstr(said, "is in pool memory of 100 bytes at"));
    assert_non_null(strstr(said, "0x1000 is a wild pointer"));
    assert_non_null(strstr(said, "cuMemFree_v2: check:"));
    assert_non_null(strstr(said, "is in device memory of 100 bytes at"));
    assert_non_null(strstr(said, "is a destroyed event"));
}

static void misuse_is_not_named_unasked(void **state)
{
    (void)state;
    assert_string_equal(stderrOf(misuse), "");
}

static void callAbsent(void)
{
    size_t limit;
    GIVES(CUDA_ERROR_NOT_SUPPORTED, cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
    GIVES(CUDA_ERROR_NOT_SUPPORTED, cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
}

static void what_is_not_modelled_says_so_once(void **state)
{
    (void)state;
    assert_string_equal(stderrOf(callAbsent),
                        "cusim: cuCtxGetLimit: not modelled; it returns CUDA_ERROR_NOT_SUPPORTED\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FRESH(calls_are_counted_by_symbol),
        FRESH(the_last_calls_are_known_in_order),
        FRESH(the_nth_call_fails_and_does_nothing),
        FRESH(a_failure_may_go_on),
        FRESH(a_lookup_name_stands_for_every_version),
        FRESH(a_missing_entry_is_not_found),
        FRESH(an_older_driver_has_fewer_entries),
        FRESH(every_version_has_what_its_toolkit_has),
        FRESH(there_are_as_many_devices_as_asked_for),
        FRESH(a_reset_reaches_every_thread),
        FRESH(a_reset_waits_for_work_and_frees_everything),
        FRESH(the_environment_is_read_at_the_reset),
        FRESH(misuse_is_named_on_demand),
        FRESH(misuse_is_not_named_unasked),
        FRESH(what_is_not_modelled_says_so_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
