/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What users of the driver API reported, each as the test of its name: the public report's project and number. Here are
 * those about single copies, contexts and captures; test_reports_batch.c has those about batches.
 */
#include "copycases.h"

#include <pthread.h>
#include <stdlib.h>

#define FOR_EACH_COPY(copy)                                                                                            \
    for (const struct copyCase *copy = copyCases; copy < copyCases + copyCaseCount; copy++)                            \
        if (cudrvHas(copy->needs))

/* home is a context of device 0, away one of device 1 with a stream and, in its device's pool, the buffers. */
struct fixture {
    struct world *world;
    struct buffers buffers;
};

static int setUp(void **state)
{
    struct fixture *const f = calloc(1, sizeof(*f));
    if (!f || worldSetUp((void **)&f->world))
        return -1;
    buffersMake(&f->buffers, f->world);
    *state = f;
    return 0;
}

static int tearDown(void **state)
{
    struct fixture *const f = *state;
    stackEmpty();
    buffersFree(&f->buffers);
    (void)worldTearDown((void **)&f->world);
    free(f);
    return 0;
}

static void push(CUcontext context)
{
    assert_success(cudrvCtxPushCurrent(context));
}

static void checkArrives(const struct fixture *f, const struct copyCase *copy)
{
    static unsigned seed;
    copyPrepare(copy, &f->buffers, ++seed);
    const struct stack before = stackNow();
    assert_success(copy->safe(&f->buffers, f->world->awayStream));
    assertStackIs(&before);
    assert_int_equal(copyArrived(copy, &f->buffers, seed, f->world->awayStream), 1);
}

static const char *explained(void)
{
    static char text[4096];
    assert_true(cucopyExplain(NULL, text, sizeof(text)) < sizeof(text));
    return text;
}

static void assertExplained(const char *sentence)
{
    const char *const text = explained();
    if (!strstr(text, sentence))
        fail_msg("\"%s\" is not in:\n%s", sentence, text);
}

/* ---- Between devices ---- */

/* A pool's buffer and a stream on device 1, device 0 current: a valid copy is INVALID_VALUE. */
static void cccl_9615_9997(void **state)
{
    const struct fixture *const f = *state;
    needTwoDevices(f->world);
    push(f->world->home);
    FOR_EACH_COPY(copy)
    {
        if (copy->from == 'D' && copy->to == 'D' && !strstr(copy->name, "Peer"))
            assert_result(copy->raw(&f->buffers, f->world->awayStream), CUDA_ERROR_INVALID_VALUE);
        checkArrives(f, copy);
    }
}

/* One page of memory on device, mapped for device alone. */
static CUdeviceptr mapFor(CUdevice device, size_t *size)
{
    const CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device}};
    const CUmemAccessDesc access = {.location = properties.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle handle = 0;
    CUdeviceptr address = 0;
    assert_success(cudrvMemGetAllocationGranularity(size, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    assert_success(cudrvMemAddressReserve(&address, *size, 0, 0, 0));
    assert_success(cudrvMemCreate(&handle, *size, &properties, 0));
    assert_success(cudrvMemMap(address, *size, 0, handle, 0));
    assert_success(cudrvMemRelease(handle));
    assert_success(cudrvMemSetAccess(address, *size, &access, 1));
    return address;
}

static void unmap(CUdeviceptr address, size_t size)
{
    assert_success(cudrvMemUnmap(address, size));
    assert_success(cudrvMemAddressFree(address, size));
}

/* Virtual memory with access for device 1, a context of device 0 current: a copy within device 1 fails. */
static void ucx_10671(void **state)
{
    const struct fixture *const f = *state;
    size_t size = 0;
    needTwoDevices(f->world);
    const CUdeviceptr memory = mapFor(f->world->awayDevice, &size);
    push(f->world->home);
    assert_result(cudrvMemcpyDtoDAsync(memory + copyBytes, memory, copyBytes, f->world->awayStream),
                  CUDA_ERROR_INVALID_VALUE);
    assert_success(cucopyMemcpyDtoDAsync(memory + copyBytes, memory, copyBytes, f->world->awayStream));
    assert_success(cudrvStreamSynchronize(f->world->awayStream));
    unmap(memory, size);
}

/* Pinned to pool memory: the pool's memory has no context to ask for, and nobody asks. */
static void ucx_10607(void **state)
{
    const struct fixture *const f = *state;
    const struct copyCase *const copy = &copyCases[2];
    CUcontext context = f->world->home;
    assert_string_equal(copy->name, "MemcpyHtoDAsync");
    assert_success(cudrvPointerGetAttribute((void *)&context, CU_POINTER_ATTRIBUTE_CONTEXT, f->buffers.deviceDst));
    assert_null(context);
    push(f->world->home);
    checkArrives(f, copy);
}

/* An array on device 1, a task that has device 0 current. */
static void cuda_jl_1176(void **state)
{
    const struct fixture *const f = *state;
    push(f->world->home);
    FOR_EACH_COPY(copy)
    {
        if (copy->from == 'A' || copy->to == 'A')
            checkArrives(f, copy);
    }
}

/* Pools on two devices and a plain copy between them: the explanation names the missing access and the ways out. */
static void llama_cpp_4620_4638(void **state)
{
    const struct fixture *const f = *state;
    CUdeviceptr other = 0;
    needTwoDevices(f->world);
    push(f->world->home);
    assert_success(cudrvMemAllocAsync(&other, copyBytes, f->world->homeStream));
    assert_success(cudrvStreamSynchronize(f->world->homeStream));

    assert_result(cucopyMemcpyDtoDAsync(f->buffers.deviceDst, other, copyBytes, f->world->awayStream),
                  CUDA_ERROR_INVALID_VALUE);
    assertExplained(
        "the source is pool memory of device 0, and device 1, whose context the copy ran in, has no access");
    assertExplained("cuMemPoolSetAccess");
    assertExplained("PeerAsync");

    assert_success(cucopyMemcpyPeerAsync(f->buffers.deviceDst, f->world->away, other, f->world->home, copyBytes,
                                         f->world->awayStream));
    assert_success(cudrvStreamSynchronize(f->world->awayStream));
    assert_success(cudrvMemFreeAsync(other, f->world->homeStream));
}

static void enablePeerAccess(void *peer)
{
    assert_success(cudrvCtxEnablePeerAccess(peer, 0));
}

/* cuCtxEnablePeerAccess does not cover virtual memory: the explanation says so. */
static void ucx_11265(void **state)
{
    const struct fixture *const f = *state;
    size_t size = 0;
    needTwoDevices(f->world);
    withContext(f->world->away, enablePeerAccess, f->world->home);
    const CUdeviceptr memory = mapFor(f->world->homeDevice, &size);
    assert_result(cucopyMemcpyDtoDAsync(f->buffers.deviceDst, memory, copyBytes, f->world->awayStream),
                  CUDA_ERROR_INVALID_VALUE);
    assertExplained("cuMemSetAccess");
    assertExplained("cuCtxEnablePeerAccess does not cover such memory");
    unmap(memory, size);
}

/* ---- Contexts and threads ---- */

struct worker {
    const struct fixture *fixture;
    CUcontext left; /* what was current when it had copied */
};

static void *copyAll(void *argument)
{
    struct worker *const worker = argument;
    FOR_EACH_COPY(copy) checkArrives(worker->fixture, copy);
    assert_success(cudrvCtxGetCurrent(&worker->left));
    return NULL;
}

static void onAnotherThread(struct worker *worker)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, copyAll, worker), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* The device constructed last stayed current, and threads of other devices failed: nothing is left behind here. */
static void cudarc_165(void **state)
{
    const struct fixture *const f = *state;
    push(f->world->away);
    push(f->world->home); /* the last one */
    const struct stack before = stackNow();
    struct worker worker = {f, f->world->home};
    onAnotherThread(&worker);
    assert_null(worker.left);
    FOR_EACH_COPY(copy) checkArrives(f, copy);
    assertStackIs(&before);
}

/* A worker thread that has no context. */
static void ilgpu_705(void **state)
{
    struct worker worker = {*state, NULL};
    onAnotherThread(&worker);
    assert_null(worker.left);
}

/* A guard built on device numbers put the primary context in place of the caller's own. */
static void dali_882_cufinufft_99(void **state)
{
    const struct fixture *const f = *state;
    CUcontext primary = NULL;
    CUcontext current = NULL;
    assert_success(cudrvDevicePrimaryCtxRetain(&primary, f->world->homeDevice));
    push(f->world->home);
    FOR_EACH_COPY(copy)
    {
        checkArrives(f, copy);
        assert_success(cudrvCtxGetCurrent(&current));
        assert_ptr_equal(current, f->world->home);
        assert_ptr_not_equal(current, primary);
    }
    assert_success(cudrvDevicePrimaryCtxRelease(f->world->homeDevice));
}

/* One of the calls of a switch failed and left the thread without its context. */
static void cuda_python_2758_pycuda_335(void **state)
{
    static const char *const steps[] = {"cuStreamGetCtx", "cuCtxGetCurrent", "cuCtxPushCurrent_v2"};
    const struct fixture *const f = *state;
    const struct simulator *const sim = needSimulator();
    push(f->world->away);
    push(f->world->home);
    const struct stack before = stackNow();
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        FOR_EACH_COPY(copy)
        {
            sim->refuse(steps[i], 1, CUDA_ERROR_ILLEGAL_STATE, false);
            assert_result(copy->safe(&f->buffers, f->world->awayStream), CUDA_ERROR_ILLEGAL_STATE);
            sim->refuseNone();
            assertStackIs(&before);
        }
}

/* The guard was a temporary, gone before the copy. Here entering and exiting are calls, and what is between them runs
 * under the guard; the compiler's part is an_ignored_result_of_entering_a_guard. */
static void cuda_api_wrappers_779(void **state)
{
    const struct fixture *const f = *state;
    CUcontext current = NULL;
    cucopyGuard guard;
    push(f->world->home);
    const struct stack before = stackNow();
    FOR_EACH_COPY(copy)
    {
        copyPrepare(copy, &f->buffers, 1);
        assert_success(cucopyGuardEnter(&guard, f->world->awayStream));
        assert_success(cudrvCtxGetCurrent(&current));
        assert_ptr_equal(current, f->world->away);
        assert_success(copy->raw(&f->buffers, f->world->awayStream));
        assert_success(cucopyGuardExit(&guard));
        assertStackIs(&before);
        assert_int_equal(copyArrived(copy, &f->buffers, 1, f->world->awayStream), 1);
    }
}

/* Pushes without pops: the stack was not empty at exit. */
static void tensorrt_1107_cuda_api_wrappers_317(void **state)
{
    const struct fixture *const f = *state;
    const CUdeviceptr nowhere = 0;
    for (int round = 0; round < 100; round++)
        FOR_EACH_COPY(copy)
        {
            assert_success(copy->safe(&f->buffers, f->world->awayStream));
            assert_result(cucopyMemcpyDtoDAsync(nowhere, nowhere, 1, f->world->awayStream), CUDA_ERROR_INVALID_VALUE);
        }
    assert_int_equal(stackNow().depth, 0);
    assert_success(cudrvStreamSynchronize(f->world->awayStream));
}

/* Restoring device 0 made a context there, with its memory. */
static void pytorch_94864(void **state)
{
    static const char *const making[] = {"cuDevicePrimaryCtxRetain", "cuCtxCreate_v2", "cuCtxCreate_v3",
                                         "cuCtxCreate_v4"};
    const struct fixture *const f = *state;
    unsigned int flags = 0;
    int before = -1;
    int after = -1;
    assert_success(cudrvDevicePrimaryCtxGetState(f->world->homeDevice, &flags, &before));
    if (simulator())
        simulator()->resetCalls();
    FOR_EACH_COPY(copy) checkArrives(f, copy);
    assert_success(cudrvDevicePrimaryCtxGetState(f->world->homeDevice, &flags, &after));
    assert_int_equal(after, before);
    for (size_t i = 0; simulator() && i < sizeof(making) / sizeof(making[0]); i++)
        assert_int_equal(simulator()->calls(making[i]), 0);
}

/* The NULL stream with no context: a cryptic error. Here it is the driver's, and explained. */
static void cccl_10889(void **state)
{
    const struct fixture *const f = *state;
    assert_result(cudrvMemcpyAsync(f->buffers.deviceDst, f->buffers.deviceSrc, copyBytes, NULL),
                  CUDA_ERROR_INVALID_CONTEXT);
    assert_result(cucopyMemcpyAsync(f->buffers.deviceDst, f->buffers.deviceSrc, copyBytes, NULL),
                  CUDA_ERROR_INVALID_CONTEXT);
    assertExplained("no context is current on this thread");
}

/* ---- Green contexts ---- */

#if CUDA_VERSION >= 12040 /* what has green contexts */
struct green {
    const struct fixture *fixture;
    CUstream stream;
    CUcontext context;
    struct buffers buffers;
};

static void *copyOnGreenStream(void *argument)
{
    const struct green *const green = argument;
    for (int round = 0; round < 20; round++) {
        CUcontext context = NULL;
        CUgreenCtx handle = NULL;
        assert_success(cudrvStreamGetCtx_v2(green->stream, &context, &handle));
        assert_non_null(context);
        assert_non_null(handle);
        assert_success(
            cucopyMemcpyHtoDAsync(green->buffers.deviceDst, green->buffers.hostSrc, copyBytes, green->stream));
        assert_success(
            cucopyMemcpyDtoDAsync(green->buffers.deviceSrc, green->buffers.deviceDst, copyBytes, green->stream));
        assert_success(cudrvCtxGetCurrent(&context));
        assert_null(context);
    }
    return NULL;
}
#endif

/* Streams of green contexts were mishandled, and an output of cuStreamGetCtx_v2 never initialised. */
static void cccl_11090_4454(void **state)
{
#if CUDA_VERSION >= 12040
    const struct fixture *const f = *state;
    enum { threadCount = 4 };
    struct green greens[threadCount];
    pthread_t threads[threadCount];
    CUdevResource all;
    CUdevResource some;
    unsigned int groups = 1;
    CUdevResourceDesc description = NULL;
    CUgreenCtx handle = NULL;
    needEntry("cuGreenCtxStreamCreate");
    assert_success(cudrvDeviceGetDevResource(f->world->awayDevice, &all, CU_DEV_RESOURCE_TYPE_SM));
    assert_success(cudrvDevSmResourceSplitByCount(&some, &groups, &all, NULL, 0, 8));
    assert_success(cudrvDevResourceGenerateDesc(&description, &some, 1));
    assert_success(cudrvGreenCtxCreate(&handle, description, f->world->awayDevice, CU_GREEN_CTX_DEFAULT_STREAM));
    for (int i = 0; i < threadCount; i++) {
        greens[i].fixture = f;
        buffersMake(&greens[i].buffers, f->world);
        assert_success(cudrvGreenCtxStreamCreate(&greens[i].stream, handle, CU_STREAM_NON_BLOCKING, 0));
        assert_int_equal(pthread_create(&threads[i], NULL, copyOnGreenStream, &greens[i]), 0);
    }
    for (int i = 0; i < threadCount; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_success(cudrvStreamSynchronize(greens[i].stream));
        assert_success(cudrvStreamDestroy(greens[i].stream));
        buffersFree(&greens[i].buffers);
    }
    assert_success(cudrvGreenCtxDestroy(handle));
#else
    (void)state;
    print_message("skipped: the headers of this toolkit know no green contexts\n");
    skip();
#endif
}

/* ---- Captures ---- */

/* What a copy gives while its stream captures, and in *nodes what the capture became. */
static CUresult captured(const struct fixture *f, CUresult (*run)(const struct buffers *, CUstream),
                         CUstreamCaptureMode mode, size_t *nodes)
{
    CUgraph graph = NULL;
    *nodes = 0;
    assert_success(cudrvStreamBeginCapture(f->world->awayStream, mode));
    const CUresult result = run(&f->buffers, f->world->awayStream);
    if (cudrvStreamEndCapture(f->world->awayStream, &graph) == CUDA_SUCCESS) {
        assert_success(cudrvGraphGetNodes(graph, NULL, nodes));
        assert_success(cudrvGraphDestroy(graph));
    }
    return result;
}

/* A check inside the guard broke captures. Whatever the driver can capture becomes the node that it would be without.
 */
static void cccl_9119(void **state)
{
    const struct fixture *const f = *state;
    size_t asyncNodes = 0;
    for (unsigned mode = CU_STREAM_CAPTURE_MODE_GLOBAL; mode <= CU_STREAM_CAPTURE_MODE_RELAXED; mode++)
        FOR_EACH_COPY(copy)
        {
            size_t raw = 0;
            size_t safe = 0;
            if (copy->refusesSpecial)
                continue; /* a batch: rmm_2518_cuopt_1753 */
            push(f->world->away);
            const CUresult expected = captured(f, copy->raw, (CUstreamCaptureMode)mode, &raw);
            push(f->world->home);
            assert_int_equal(captured(f, copy->safe, (CUstreamCaptureMode)mode, &safe), expected);
            assert_int_equal(safe, raw);
            stackEmpty();
            if (copy == copyCases)
                asyncNodes += safe;
        }
    assert_int_equal(asyncNodes, 3);
}

/* A helper used the legacy stream while something captured elsewhere. */
static void aws_ofi_nccl_1342(void **state)
{
    const struct fixture *const f = *state;
    CUstream blocking = NULL;
    CUgraph graph = NULL;
    push(f->world->away);
    assert_success(cudrvStreamCreate(&blocking, CU_STREAM_DEFAULT));
    assert_success(cudrvStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_GLOBAL));
    push(f->world->home);
    FOR_EACH_COPY(copy) assert_success(copy->safe(&f->buffers, f->world->awayStream));
    assert_success(cudrvCtxPopCurrent(NULL));
    assert_success(cudrvStreamEndCapture(blocking, &graph));
    assert_non_null(graph);
    assert_success(cudrvGraphDestroy(graph));
    assert_success(cudrvStreamDestroy(blocking));
    assert_success(cudrvStreamSynchronize(f->world->awayStream));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setUp, tearDown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cccl_9615_9997),
        TEST(ucx_10671),
        TEST(ucx_10607),
        TEST(cudarc_165),
        TEST(cuda_jl_1176),
        TEST(ilgpu_705),
        TEST(dali_882_cufinufft_99),
        TEST(cuda_python_2758_pycuda_335),
        TEST(cuda_api_wrappers_779),
        TEST(tensorrt_1107_cuda_api_wrappers_317),
        TEST(pytorch_94864),
        TEST(cccl_10889),
        TEST(cccl_11090_4454),
        TEST(cccl_9119),
        TEST(llama_cpp_4620_4638),
        TEST(ucx_11265),
        TEST(aws_ofi_nccl_1342),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
