/* SPDX-License-Identifier: Apache-2.0 */
/* Ends and forks of processes, and where the real driver crashes: each in a child. */
#include "test_support.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* cuda.h declares the one version of its own toolkit; the exports are the same under each. */
CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);

static CUstream stream;

static int setUp(void **state)
{
    freshProcess(state);
    OK(cuCtxSetCurrent(primary[0]));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return 0;
}

/* Children begin with a driver that nobody used: the parent must not have started it. */
static int setUpUnused(void **state)
{
    (void)state;
    cusimReset();
    return 0;
}

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            _exit(__LINE__ & 0x7F);                                                                                    \
    } while (0)

static void use(void)
{
    CUcontext context;
    EXPECT(cuInit(0) == CUDA_SUCCESS);
    EXPECT(cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
    EXPECT(cuCtxPushCurrent(context) == CUDA_SUCCESS);
    EXPECT(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
}

static void everythingWorks(void)
{
    CUcontext context;
    EXPECT(cuStreamGetCtx(stream, &context) == CUDA_SUCCESS);
    EXPECT(cuCtxPushCurrent(context) == CUDA_SUCCESS);
    EXPECT(cuCtxPopCurrent(NULL) == CUDA_SUCCESS);
}

static void nothingWorks(void)
{
    CUcontext context;
    EXPECT(cuStreamGetCtx(stream, &context) == CUDA_ERROR_DEINITIALIZED);
    EXPECT(cuCtxGetCurrent(&context) == CUDA_ERROR_DEINITIALIZED);
    EXPECT(cuCtxPopCurrent(NULL) == CUDA_ERROR_DEINITIALIZED);
    EXPECT(cuMemcpyAsync(0, 0, 0, stream) == CUDA_ERROR_DEINITIALIZED);
}

static void exitWithLaterHandler(void)
{
    use();
    EXPECT(atexit(everythingWorks) == 0);
}

static void exitWithEarlierHandler(void)
{
    EXPECT(atexit(nothingWorks) == 0);
    use();
}

static void at_exit_the_driver_works_until_its_own_handler_ran(void **state)
{
    (void)state;
    assert_int_equal(childOf(exitWithLaterHandler, NULL), 0);
    assert_int_equal(childOf(exitWithEarlierHandler, NULL), 0);
}

static void exitWithPendingWork(void)
{
    CUdeviceptr memory;
    use();
    cusimHold();
    EXPECT(cuMemAlloc(&memory, 16) == CUDA_SUCCESS);
    EXPECT(cuMemsetD8Async(memory, 1, 16, stream) == CUDA_SUCCESS);
}

static void pending_work_does_not_keep_the_process(void **state)
{
    (void)state;
    assert_int_equal(childOf(exitWithPendingWork, NULL), 0);
}

static void askInChild(void)
{
    CUcontext context;
    EXPECT(cuInit(0) == CUDA_ERROR_NOT_INITIALIZED);
    EXPECT(cuCtxGetCurrent(&context) == CUDA_ERROR_NOT_INITIALIZED);
    EXPECT(cuCtxPushCurrent(primary[0]) == CUDA_ERROR_NOT_INITIALIZED);
    EXPECT(cuStreamGetCtx(stream, &context) == CUDA_SUCCESS);
    EXPECT(context == primary[0]);
    _exit(0);
}

static void a_forked_child_can_ask_for_a_streams_context_and_nothing_else(void **state)
{
    (void)state;
    assert_int_equal(childOf(askInChild, NULL), 0);
}

static void useInChild(void)
{
    use();
    everythingWorks();
}

static void a_child_forked_before_the_first_use_is_a_fresh_process(void **state)
{
    (void)state;
    assert_int_equal(childOf(useInChild, NULL), 0);
}

static void leak(void)
{
    CUdeviceptr memory;
    setenv("CUSIM_CHECK", "1", 1); /* NOLINT(concurrency-mt-unsafe): no other thread looks */
    use();
    EXPECT(cuMemAlloc(&memory, 100) == CUDA_SUCCESS);
}

static void what_is_alive_at_exit_is_named_on_demand(void **state)
{
    (void)state;
    const char *said;
    assert_int_equal(childOf(leak, &said), 0);
    assert_non_null(strstr(said, "cusim: check: stream 0x"));
    assert_non_null(strstr(said, "cusim: check: device memory at 0x"));
    assert_non_null(strstr(said, "of 100 bytes is still there at exit"));
}

/* In children again, since a forked one of a used driver would be refused: they set up their own. */
static void useDestroyedStream(void)
{
    CUcontext context;
    use();
    cuStreamDestroy(stream);
    cuStreamGetCtx(stream, &context);
}

static void useGarbageStream(void)
{
    CUcontext context;
    use();
    cuStreamGetCtx((CUstream)(uintptr_t)0x1234560, &context);
}

static void destroyStreamTwice(void)
{
    use();
    cuStreamDestroy(stream);
    cuStreamDestroy(stream);
}

static void useStreamOfDestroyedContext(void)
{
    CUcontext context;
    CUcontext found;
    use();
    cuCtxCreate_v2(&context, 0, 0);
    cuStreamCreate(&stream, CU_STREAM_DEFAULT);
    cuCtxDestroy(context);
    cuStreamGetCtx(stream, &found);
}

static void createEventInDestroyedContext(void)
{
    CUcontext context;
    CUevent event;
    use();
    cuCtxCreate_v2(&context, 0, 0);
    cuCtxDestroy(context);
    cuCtxSetCurrent(context);
    cuEventCreate(&event, CU_EVENT_DEFAULT);
}

static void copyFromWildPointer(void)
{
    CUdeviceptr memory;
    use();
    cuMemAlloc(&memory, 16);
    cuMemcpyAsync(memory, 0x10, 16, stream);
}

static void copyWithoutDescriptor(void)
{
    use();
    cuMemcpy3DPeerAsync(NULL, stream);
}

static void where_the_real_driver_crashes_so_does_this_and_says_why(void **state)
{
    (void)state;
    static const struct {
        void (*body)(void);
        const char *why;
    } cases[] = {
        {useDestroyedStream, "was destroyed"},
        {useGarbageStream, "0x1234560 is not a stream"},
        {destroyStreamTwice, "was destroyed before"},
        {useStreamOfDestroyedContext, "was destroyed"},
        {createEventInDestroyedContext, "the current context was destroyed"},
        {copyFromWildPointer, "0x10 is a wild pointer"},
        {copyWithoutDescriptor, "a null descriptor"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *said;
        assert_int_equal(childOf(cases[i].body, &said), -SIGABRT);
        assert_non_null(strstr(said, cases[i].why));
    }
}

#define TEST(test) cmocka_unit_test_setup(test, setUp)
#define UNUSED(test) cmocka_unit_test_setup(test, setUpUnused)

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNUSED(at_exit_the_driver_works_until_its_own_handler_ran),
        UNUSED(pending_work_does_not_keep_the_process),
        UNUSED(a_child_forked_before_the_first_use_is_a_fresh_process),
        UNUSED(what_is_alive_at_exit_is_named_on_demand),
        UNUSED(where_the_real_driver_crashes_so_does_this_and_says_why),
        TEST(a_forked_child_can_ask_for_a_streams_context_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
