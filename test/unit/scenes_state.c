/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that fail for the state of contexts, streams and captures, or for what the driver lacks. */
#include "types.h" /* and what an older cuda.h lacks */

#include "scenes.h"

static void refuse(const char *entry, CUresult code)
{
    simulator()->refuse(entry, 1, (int)code, false);
}

/* A copy with nothing wrong in it. */
static CUdeviceptr copyDst, copySrc;

static void prepare(const struct world *world)
{
    copyDst = plainMemory(world->away, sceneBytes);
    copySrc = plainMemory(world->away, sceneBytes);
}

static CUresult copyOn(CUstream stream)
{
    return cucopyMemcpyAsync(copyDst, copySrc, sceneBytes, stream);
}

static CUcontext pushed(CUcontext context)
{
    must(cudrvCtxPushCurrent(context));
    return context;
}

static void pop(void)
{
    must(cudrvCtxPopCurrent(NULL));
}

/* ---- Contexts ---- */

static void noCurrentContext(const struct world *world)
{
    prepare(world);
    fails(copyOn(NULL), CUDA_ERROR_INVALID_CONTEXT);
}

static void noCurrentContextForAnArray(const struct world *world)
{
    (void)world;
    fails(cucopyMemcpyHtoAAsync(NULL, 0, NULL, 0, CU_STREAM_LEGACY), CUDA_ERROR_INVALID_CONTEXT);
}

static void destroyedContext(const struct world *world)
{
    CUcontext context = NULL;
    prepare(world);
    must(cudrvCtxCreate_v3020(&context, 0, world->homeDevice));
    pushed(world->home);
    must(cudrvCtxDestroy(context));
    pop(); /* destroyed further down, its handle is on top now */
    refuse("cuMemcpyAsync", CUDA_ERROR_CONTEXT_IS_DESTROYED);
    fails(copyOn(NULL), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    pop();
}

static void destroyedSince(const struct world *world)
{
    CUcontext context = NULL;
    CUstream stream = NULL;
    must(cudrvCtxCreate_v3020(&context, 0, world->homeDevice));
    must(cudrvStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    pop();
    fails(cucopyMemcpyDtoDAsync(0, 0, 1, stream), CUDA_ERROR_INVALID_VALUE);
    must(cudrvStreamDestroy(stream));
    must(cudrvCtxDestroy(context));
}

#if CUDA_VERSION >= 12040
static void releasePrimary(void *world)
{
    (void)cudrvDevicePrimaryCtxRelease(((const struct world *)world)->homeDevice);
}

static void destroyGreen(void *context)
{
    (void)cudrvGreenCtxDestroy(context);
}

static void perThreadStreamOfAGreenContext(const struct world *world)
{
    CUdevResource all, half;
    CUdevResourceDesc description = NULL;
    CUgreenCtx green = NULL;
    CUcontext context = NULL;
    CUcontext primary = NULL;
    unsigned int groups = 1;
    prepare(world);
    must(cudrvDevicePrimaryCtxRetain(&primary, world->homeDevice));
    later(releasePrimary, (void *)(uintptr_t)world, NULL);
    must(cudrvDeviceGetDevResource(world->homeDevice, &all, CU_DEV_RESOURCE_TYPE_SM));
    must(cudrvDevSmResourceSplitByCount(&half, &groups, &all, NULL, 0, 16));
    must(cudrvDevResourceGenerateDesc(&description, &half, 1));
    must(cudrvGreenCtxCreate(&green, description, world->homeDevice, CU_GREEN_CTX_DEFAULT_STREAM));
    later(destroyGreen, green, NULL);
    must(cudrvCtxFromGreenCtx(&context, green));
    pushed(context);
    fails(copyOn(CU_STREAM_PER_THREAD), CUDA_ERROR_INVALID_HANDLE);
    pop();
}
#endif

static void badHandle(const struct world *world)
{
    prepare(world);
    refuse("cuMemcpyAsync", CUDA_ERROR_INVALID_HANDLE);
    fails(copyOn(world->awayStream), CUDA_ERROR_INVALID_HANDLE);
}

/* ---- Steps around the copy ---- */

static void queryFails(const struct world *world)
{
    prepare(world);
    refuse("cuStreamGetCtx", CUDA_ERROR_UNKNOWN);
    fails(copyOn(world->awayStream), CUDA_ERROR_UNKNOWN);
}

static void pushFails(const struct world *world)
{
    prepare(world);
    refuse("cuCtxPushCurrent_v2", CUDA_ERROR_UNKNOWN);
    fails(copyOn(world->awayStream), CUDA_ERROR_UNKNOWN);
}

static void popFails(const struct world *world)
{
    prepare(world);
    pushed(world->home);
    refuse("cuCtxPopCurrent_v2", CUDA_ERROR_UNKNOWN);
    fails(copyOn(world->awayStream), CUDA_ERROR_UNKNOWN);
    pop();
    pop();
}

static void copyAndPopFail(const struct world *world)
{
    prepare(world);
    pushed(world->home);
    refuse("cuMemcpyAsync", CUDA_ERROR_UNKNOWN);
    refuse("cuCtxPopCurrent_v2", CUDA_ERROR_INVALID_CONTEXT);
    fails(copyOn(world->awayStream), CUDA_ERROR_UNKNOWN);
    pop();
    pop();
}

/* ---- Guards ---- */

static void guardOverAnotherContext(const struct world *world)
{
    cucopyGuard guard;
    must(cucopyGuardEnter(&guard, world->awayStream));
    pushed(world->home);
    fails(cucopyGuardExit(&guard), CUDA_ERROR_INVALID_CONTEXT);
    pop();
    must(cucopyGuardExit(&guard));
}

static void guardOverNothing(const struct world *world)
{
    cucopyGuard guard;
    must(cucopyGuardEnter(&guard, world->awayStream));
    pop();
    fails(cucopyGuardExit(&guard), CUDA_ERROR_INVALID_CONTEXT);
}

static void noGuard(const struct world *world)
{
    fails(cucopyGuardEnter(NULL, world->awayStream), CUDA_ERROR_INVALID_VALUE);
}

static void noContextToGuard(const struct world *world)
{
    cucopyGuard guard;
    (void)world;
    fails(cucopyGuardEnterContext(&guard, NULL), CUDA_ERROR_INVALID_VALUE);
}

/* ---- The driver's own batch ---- */

static CUresult rawBatch(const struct world *world, CUstream stream, cucopyFailure *what)
{
    static CUdeviceptr dst, src;
    static size_t bytes = sceneBytes, first;
    static CUmemcpyAttributes order = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    dst = plainMemory(world->away, sceneBytes);
    src = plainMemory(world->away, sceneBytes);
    *what = (cucopyFailure){.function = "cuMemcpyBatchAsync", .stream = stream, .dst = dst, .src = src, .bytes = bytes};
    return cudrvMemcpyBatchAsync(&dst, &src, &bytes, 1, &order, &first, 1, stream);
}

static void rawBatchWithNoContext(const struct world *world)
{
    cucopyFailure what;
    const CUresult result = rawBatch(world, world->awayStream, &what);
    failsRaw(result, CUDA_ERROR_INVALID_VALUE, &what);
}

static void rawBatchOnNull(const struct world *world)
{
    cucopyFailure what;
    pushed(world->away);
    const CUresult result = rawBatch(world, NULL, &what);
    failsRaw(result, CUDA_ERROR_INVALID_VALUE, &what);
    pop();
}

static void rawBatchRefused(const struct world *world)
{
    CUdeviceptr dsts[2] = {plainMemory(world->away, sceneBytes), 0}, srcs[2] = {dsts[0], 0};
    size_t sizes[2] = {sceneBytes, 0}, first = 0; /* one entry is empty */
    CUmemcpyAttributes order = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    const cucopyFailure what = {.function = "cuMemcpyBatchAsync", .stream = world->awayStream};
    pushed(world->away);
    failsRaw(cudrvMemcpyBatchAsync(dsts, srcs, sizes, 2, &order, &first, 1, world->awayStream),
             CUDA_ERROR_INVALID_VALUE, &what);
    pop();
}

static void endCapture(void *stream)
{
    CUgraph graph = NULL;
    if (cudrvStreamEndCapture(stream, &graph) == CUDA_SUCCESS)
        (void)cudrvGraphDestroy(graph);
}

static void rawBatchUnderCapture(const struct world *world)
{
    cucopyFailure what;
    const CUdeviceptr memory = plainMemory(world->away, sceneBytes); /* allocated ahead of the capture */
    (void)memory;
    must(cudrvStreamBeginCapture(world->awayStream, CU_STREAM_CAPTURE_MODE_RELAXED));
    later(endCapture, world->awayStream, NULL);
    pushed(world->away);
    const CUresult result = rawBatch(world, world->awayStream, &what);
    failsRaw(result, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, &what);
    pop();
}

/* ---- Capture ---- */

static void destroyStream(void *stream)
{
    (void)cudrvStreamDestroy(stream);
}

static void legacyStreamDuringACapture(const struct world *world)
{
    CUstream blocking = NULL;
    const CUdeviceptr dst = plainMemory(world->away, sceneBytes);
    const CUdeviceptr src = plainMemory(world->away, sceneBytes);
    pushed(world->away);
    must(cudrvStreamCreate(&blocking, CU_STREAM_DEFAULT));
    later(destroyStream, blocking, NULL);
    must(cudrvStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    later(endCapture, blocking, NULL);
    fails(cucopyMemcpyAsync(dst, src, sceneBytes, NULL), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    pop();
}

static void invalidatedCapture(const struct world *world)
{
    unsigned long long id = 0;
    const CUdeviceptr dst = plainMemory(world->away, sceneBytes);
    const CUdeviceptr src = plainMemory(world->away, sceneBytes);
    must(cudrvStreamBeginCapture(world->awayStream, CU_STREAM_CAPTURE_MODE_RELAXED));
    later(endCapture, world->awayStream, NULL);
    fails(cudrvStreamGetId(world->awayStream, &id), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    fails(cucopyMemcpyAsync(dst, src, sceneBytes, world->awayStream), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

static void peerCopyUnderCapture(const struct world *world)
{
    const CUdeviceptr dst = plainMemory(world->away, sceneBytes);
    const CUdeviceptr src = plainMemory(world->away, sceneBytes);
    must(cudrvStreamBeginCapture(world->awayStream, CU_STREAM_CAPTURE_MODE_RELAXED));
    later(endCapture, world->awayStream, NULL);
    fails(cucopyMemcpyPeerAsync(dst, world->away, src, world->away, sceneBytes, world->awayStream),
          CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

static void notToBeCaptured(const struct world *world)
{
    prepare(world);
    refuse("cuMemcpyAsync", CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    fails(copyOn(world->awayStream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

static void isolatedCapture(const struct world *world)
{
    prepare(world);
    refuse("cuMemcpyAsync", CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    fails(copyOn(world->awayStream), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
}

/* ---- The driver ---- */

static void missingEntry(const struct world *world)
{
    CUmemcpyAttributes order = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    const CUdeviceptr dst = plainMemory(world->away, sceneBytes);
    fails(cucopyMemcpyWithAttributesAsync(dst, dst, 1, &order, world->awayStream), CUDA_ERROR_NOT_SUPPORTED);
}

static void notSupported(const struct world *world)
{
    prepare(world);
    refuse("cuMemcpyAsync", CUDA_ERROR_NOT_SUPPORTED);
    fails(copyOn(world->awayStream), CUDA_ERROR_NOT_SUPPORTED);
}

static void outOfMemory(const struct world *world)
{
    prepare(world);
    refuse("cuMemcpyAsync", CUDA_ERROR_OUT_OF_MEMORY);
    fails(copyOn(world->awayStream), CUDA_ERROR_OUT_OF_MEMORY);
}

static void noPeerAccess(const struct world *world)
{
    prepare(world);
    refuse("cuMemcpyAsync", CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    fails(copyOn(world->awayStream), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}

static void stickyErrorOnDemand(const struct world *world)
{
    prepare(world);
    refuse("cuStreamGetCtx", CUDA_ERROR_LAUNCH_FAILED);
    fails(copyOn(world->awayStream), CUDA_ERROR_LAUNCH_FAILED);
}

/* The record is that of the driver's thread; the copy of it is explained here. */
static cucopyFailure inHostFunction;

static void hostFunction(void *result)
{
    *(CUresult *)result = copyOn(CU_STREAM_PER_THREAD);
    inHostFunction = (cucopyFailure)CUCOPY_FAILURE_INIT;
    must(cucopyLastFailure(&inHostFunction));
}

static void copyInAHostFunction(const struct world *world)
{
    static CUresult result;
    prepare(world);
    must(cudrvLaunchHostFunc(world->awayStream, hostFunction, &result));
    pushed(world->away);
    must(cudrvStreamSynchronize(world->awayStream));
    pop();
    fails(result, CUDA_ERROR_NOT_PERMITTED);
    sceneKeep(&inHostFunction);
}

const struct scene stateScenes[] = {
    {"no_current_context", 0, noCurrentContext,
     .says = {"cucopyMemcpyAsync: CUDA_ERROR_INVALID_CONTEXT: the copy was refused.",
              "stream   the legacy default stream, of whatever context is current", "caller   ",
              "Cause: no context is current on this thread, and a default stream belongs to the current context."}},
    {"no_current_context_for_an_array_copy", 0, noCurrentContextForAnArray, .says = {"Cause: no context is current"}},
    {"a_destroyed_current_context", NEEDS_SIMULATOR, destroyedContext,
     .says = {", which was destroyed",
              "Cause: the current context was destroyed; its handle is still on this thread's stack."},
     .has = "cuCtxGetId"},
    {"a_context_destroyed_since", 0, destroyedSince, .says = {"destroyed since"}, .has = "cuCtxGetId"},
#if CUDA_VERSION >= 12040
    {"the_per_thread_stream_of_a_green_context", 0, perThreadStreamOfAGreenContext,
     .says = {"CUDA_ERROR_INVALID_HANDLE", "the per-thread default stream",
              "Possible cause: a green context is current", "copy on a stream made with cuGreenCtxStreamCreate"},
     .has = "cuGreenCtxCreate"},
#endif
    {"a_copy_in_a_host_function", 0, copyInAHostFunction,
     .says = {"CUDA_ERROR_NOT_PERMITTED", "the call was made within a host function or a stream callback",
              "enqueue the copy in the stream behind the host function"}},
    {"a_bad_handle", NEEDS_SIMULATOR, badHandle, .says = {"Possible cause: a handle is none"}},
    {"a_query_that_fails", NEEDS_SIMULATOR, queryFails,
     .says = {"nothing was done: asking for the contexts failed", "The cause is not known to cucopy"}},
    {"a_push_that_fails", NEEDS_SIMULATOR, pushFails,
     .says = {"nothing was done: entering the stream's context failed"}},
    {"a_pop_that_fails", NEEDS_SIMULATOR, popFails,
     .says = {"the copy is enqueued, but the caller's context could not be restored", "the driver did not pop context",
              "The copy itself is on its way: do not repeat it.", "What to do: pop that context"}},
    {"a_copy_and_a_pop_that_fail", NEEDS_SIMULATOR, copyAndPopFail,
     .says = {"the copy was refused", "The cause is not known to cucopy"}},
    {"a_guard_under_another_context", 0, guardOverAnotherContext,
     .says = {"cucopyGuardExit: CUDA_ERROR_INVALID_CONTEXT: the guard stays open.", "is on top of the stack",
              "a push without its pop, or a cuCtxSetCurrent, in between",
              "put the stack in order, then exit the guard again"}},
    {"a_guard_whose_context_was_popped", 0, guardOverNothing, .says = {"Cause: the context stack is empty"}},
    {"a_guard_that_is_NULL", 0, noGuard,
     .says = {"cucopyGuardEnter: CUDA_ERROR_INVALID_VALUE", "Cause: guard is NULL."}},
    {"a_context_to_guard_that_is_NULL", 0, noContextToGuard, .says = {"Cause: context is NULL."}},
    {"a_raw_batch_with_no_current_context", 0, rawBatchWithNoContext,
     .says = {"current  none", "the driver's batch calls refuse to work with no context current",
              "use cucopyMemcpyBatchAsync, or make the stream's context current"},
     .has = "cuMemcpyBatchAsync"},
    {"a_raw_batch_on_the_legacy_stream", 0, rawBatchOnNull,
     .says = {"the legacy default stream", "the driver's batch calls refuse streams 0 and 1",
              "use cucopyMemcpyBatchAsync, which takes any stream"},
     .has = "cuMemcpyBatchAsync"},
    {"a_raw_batch_that_the_driver_refuses", 0, rawBatchRefused,
     .says = {"cuMemcpyBatchAsync: CUDA_ERROR_INVALID_VALUE: the batch was refused",
              "Possible cause: the driver refuses a whole batch for one entry that is empty",
              "which says which of these it is, and skips empty entries"},
     .has = "cuMemcpyBatchAsync"},
    {"a_raw_batch_under_capture", 0, rawBatchUnderCapture,
     .says = {"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", ", being captured", "the driver's batch calls cannot be",
              "use cucopyMemcpyBatchAsync"},
     .has = "cuMemcpyBatchAsync"},
    {"the_legacy_stream_during_a_capture", 0, legacyStreamDuringACapture,
     .says = {"CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "a blocking stream of this context is being captured",
              "That capture is now invalidated.", "CU_STREAM_NON_BLOCKING"}},
    {"a_peer_copy_under_capture", 0, peerCopyUnderCapture,
     .says = {"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "a peer copy cannot be", "has invalidated that capture",
              "use cucopyMemcpyAsync"}},
    {"an_invalidated_capture", 0, invalidatedCapture,
     .says = {", its capture invalidated", "the capture of this stream was invalidated by an earlier call",
              "end the capture, find that call"},
     .has = "cuStreamGetId"},
    {"a_call_that_cannot_be_captured", NEEDS_SIMULATOR, notToBeCaptured,
     .says = {"this call cannot become part of a graph"}},
    {"a_capture_that_is_kept_apart", NEEDS_SIMULATOR, isolatedCapture,
     .says = {"the rules of stream capture forbid it: "}},
    {"an_entry_point_that_the_driver_lacks", 0, missingEntry,
     .says = {"CUDA_ERROR_NOT_SUPPORTED", "has no cuMemcpyWithAttributesAsync, which came with CUDA 13.2",
              "use cucopyMemcpyBatchAsync with one entry"},
     .lacks = "cuMemcpyWithAttributesAsync"},
    {"a_call_that_the_driver_does_not_support", NEEDS_SIMULATOR, notSupported,
     .says = {"The cause is not known to cucopy"}},
    {"no_memory_for_the_driver", NEEDS_SIMULATOR, outOfMemory, .says = {"no memory for its own part of the work"}},
    {"peer_access_that_is_not_enabled", NEEDS_SIMULATOR, noPeerAccess,
     .says = {"which is not enabled", "cuCtxEnablePeerAccess"}},
    {"a_sticky_error_on_demand", NEEDS_SIMULATOR, stickyErrorOnDemand,
     .says = {"earlier work on this device failed", "CUDA_ERROR_LAUNCH_FAILED. This copy only found it."}},
};
const size_t stateSceneCount = sizeof(stateScenes) / sizeof(stateScenes[0]);
