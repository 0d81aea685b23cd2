/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules: a condition that explains the failure, said in a sentence, and what to do about it. They are tried in
 * order, the first that holds speaks, and each says "Cause" only where the driver is known to fail for that reason;
 * what is merely likely is a "Possible cause". What is known comes from measurements on a real driver and from NVIDIA's
 * documentation.
 */
#include "copy/explain.h"

#include <string.h>

#define CAUSE "Cause: "
#define POSSIBLE "Possible cause: "
#define REMEDY "What to do: "

typedef int rule(const struct cucopyCase *about, struct cucopyText *text);

static int noDriver(const struct cucopyCase *about, struct cucopyText *text)
{
    if (about->failure.step != CUCOPY_STEP_LOAD)
        return 0;
    const int stub = about->failure.result == CUDA_ERROR_STUB_LIBRARY;
    const char *const error = cudrvLoadError(); /* "" if a driver was loaded since */
    cucopySay(text, CAUSE "%s.\n",
              *error ? error
              : stub ? "the toolkit's stub was found in place of the driver"
                     : "no CUDA driver was found");
    cucopySay(text, REMEDY "%s.\n",
              stub ? "remove the toolkit's stubs folder from LD_LIBRARY_PATH; stubs are for linking only"
                   : "install the NVIDIA driver, which brings libcuda.so.1, or start the container with GPU support; "
                     "cudrvLoad takes another path");
    return 1;
}

static int badArgument(const struct cucopyCase *about, struct cucopyText *text)
{
    if (!about->failure.reason)
        return 0;
    cucopySay(text, CAUSE "%s.\n" REMEDY "%s.\n", about->failure.reason,
              about->failure.result == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                  ? "ask for another access order, or make the call outside the capture"
              : about->failure.result == CUDA_ERROR_NOT_SUPPORTED ? "leave the path to cucopy (CUCOPY_BATCH_AUTO)"
                                                                  : "correct that argument");
    return 1;
}

static int notInitialized(const struct cucopyCase *about, struct cucopyText *text)
{
    if (about->failure.result != CUDA_ERROR_NOT_INITIALIZED)
        return 0;
    if (about->special)
        cucopySay(text, CAUSE "cuInit was not called in this process, or this is a child forked after it.\n");
    else
        cucopySay(text, CAUSE "this process is a child forked after cuInit; the parent's streams mean nothing here.\n");
    cucopySay(text,
              REMEDY "%sin a child, use CUDA only after exec (of Python's start methods, spawn), or fork before "
                     "the first use of CUDA.\n",
              about->special ? "call cuInit first; " : "");
    return 1;
}

static int deinitialized(const struct cucopyCase *about, struct cucopyText *text)
{
    if (about->failure.result != CUDA_ERROR_DEINITIALIZED)
        return 0;
    cucopySay(text, CAUSE "the process is exiting and the driver has shut down already.\n" REMEDY
                          "finish copying before main returns; in destructors of static objects and in exit handlers, "
                          "take this code for \"nothing left to do\".\n");
    return 1;
}

static int inHostFunction(const struct cucopyCase *about, struct cucopyText *text)
{
    if (about->failure.result != CUDA_ERROR_NOT_PERMITTED)
        return 0;
    cucopySay(text, CAUSE "the call was made within a host function or a stream callback, where the driver takes no "
                          "calls.\n" REMEDY
                          "enqueue the copy in the stream behind the host function, or let another thread make it.\n");
    return 1;
}

static int stickyError(const struct cucopyCase *about, struct cucopyText *text)
{
    if (!cucopyIsSticky(about->failure.result))
        return 0;
    cucopySay(text,
              CAUSE "earlier work on this device failed; since then every call of every context there returns %s. This "
                    "copy only found it.\n" REMEDY
                    "find the work that failed (compute-sanitizer, or CUDA_LAUNCH_BLOCKING=1); the process has to be "
                    "restarted.\n",
              cudrvResultName(about->failure.result));
    return 1;
}

static int missingEntry(const struct cucopyCase *about, struct cucopyText *text)
{
    static const struct {
        const char *entry, *since, *instead;
    } known[] = {
        {"cuStreamGetCtx", "9.2", "make the context current yourself, and use the raw copy"},
        {"cuMemcpyBatchAsync", "13.0 in this form", "use cucopyMemcpyBatchAsync, which works with any driver"},
        {"cuMemcpyBatchAsync_v12080", "12.8", "use cucopyMemcpyBatchAsync, which works with any driver"},
        {"cuMemcpy3DBatchAsync", "13.0 in this form", "use cucopyMemcpy3DBatchAsync, which works with any driver"},
        {"cuMemcpy3DBatchAsync_v12080", "12.8", "use cucopyMemcpy3DBatchAsync, which works with any driver"},
        {"cuMemcpyWithAttributesAsync", "13.2",
         "use cucopyMemcpyBatchAsync with one entry, which works with any driver"},
        {"cuMemcpy3DWithAttributesAsync", "13.2",
         "use cucopyMemcpy3DBatchAsync with one entry, which works with any driver"},
    };
    const char *const missing = about->failure.missing;
    const int version = about->failure.driverVersion;
    if (!missing)
        return 0;
    cucopySay(text, CAUSE "this driver");
    if (version)
        cucopySay(text, " (%d.%d)", version / 1000, version % 1000 / 10);
    cucopySay(text, " has no %.*s", (int)strcspn(missing, "_"), missing);
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); ++i)
        if (strcmp(missing, known[i].entry) == 0) {
            cucopySay(text, ", which came with CUDA %s.\n" REMEDY "%s, or update the driver.\n", known[i].since,
                      known[i].instead);
            return 1;
        }
    cucopySay(text, ".\n" REMEDY "update the driver; a stand-in (a profiler's, say) may lack it as well.\n");
    return 1;
}

static int noCurrentContext(const struct cucopyCase *about, struct cucopyText *text)
{
    const cucopyFailure *const failure = &about->failure;
    if (about->guard || failure->currentContextState != CUCOPY_CONTEXT_NONE)
        return 0;
    if (about->special && (failure->result == CUDA_ERROR_INVALID_CONTEXT || about->batch)) {
        cucopySay(text, CAUSE "no context is current on this thread, and a default stream belongs to the current "
                              "context.\n" REMEDY
                              "make a context current first (cuCtxSetCurrent), or copy on a stream that you created: "
                              "cucopy needs no current context then.\n");
        return 1;
    }
    if (about->raw && about->batch && failure->result == CUDA_ERROR_INVALID_VALUE) {
        cucopySay(text, CAUSE "the driver's batch calls refuse to work with no context current, whatever the "
                              "stream.\n" REMEDY "use cucopyMemcpyBatchAsync, or make the stream's context current.\n");
        return 1;
    }
    return 0;
}

static int destroyedContext(const struct cucopyCase *about, struct cucopyText *text)
{
    const cucopyFailure *const failure = &about->failure;
    const int code =
        failure->result == CUDA_ERROR_CONTEXT_IS_DESTROYED || failure->result == CUDA_ERROR_INVALID_CONTEXT;
    const int current = about->special && failure->currentContextState == CUCOPY_CONTEXT_DESTROYED;
    if (!code || !(current || failure->streamContextState == CUCOPY_CONTEXT_DESTROYED ||
                   failure->result == CUDA_ERROR_CONTEXT_IS_DESTROYED))
        return 0;
    cucopySay(text,
              CAUSE "%s was destroyed%s.\n" REMEDY "destroy a context only when no thread has it on its stack and "
                    "nothing uses its streams.\n",
              current ? "the current context" : "the stream's context",
              current ? "; its handle is still on this thread's stack" : "");
    return 1;
}

static int streamHandle(const struct cucopyCase *about, struct cucopyText *text)
{
    const cucopyFailure *const failure = &about->failure;
    if (failure->result != CUDA_ERROR_INVALID_HANDLE)
        return 0;
    if (failure->stream == CU_STREAM_PER_THREAD || (about->perThread && !failure->stream))
        cucopySay(text, POSSIBLE "a green context is current, and the driver has no per-thread default stream for "
                                 "it.\n" REMEDY "copy on a stream made with cuGreenCtxStreamCreate.\n");
    else
        cucopySay(text,
                  POSSIBLE "a handle is none: a stream, an array or a context that was destroyed, or that "
                           "belongs to another.\n" REMEDY "look at where each of the handles above comes from.\n");
    return 1;
}

static int batchOnLegacyStream(const struct cucopyCase *about, struct cucopyText *text)
{
    if (!about->raw || !about->batch || about->failure.result != CUDA_ERROR_INVALID_VALUE || !about->special ||
        about->failure.stream == CU_STREAM_PER_THREAD)
        return 0;
    cucopySay(text,
              CAUSE "the driver's batch calls refuse streams 0 and 1%s.\n" REMEDY
                    "use cucopyMemcpyBatchAsync, which takes any stream, or CU_STREAM_PER_THREAD, or a stream "
                    "that you created.\n",
              about->perThread ? ", in the per-thread variant too" : "");
    return 1;
}

static int captureImplicit(const struct cucopyCase *about, struct cucopyText *text)
{
    if (about->failure.result != CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)
        return 0;
    cucopySay(text,
              CAUSE "a blocking stream of this context is being captured, and work on the legacy default stream "
                    "would have to wait for it.%s\n" REMEDY
                    "copy on a stream that you created, or create the captured stream with "
                    "CU_STREAM_NON_BLOCKING.\n",
              about->batch && !about->raw ? "" : " That capture is now invalidated.");
    return 1;
}

static int captureInvalidated(const struct cucopyCase *about, struct cucopyText *text)
{
    if (about->failure.result != CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
        return 0;
    cucopySay(text, CAUSE "the capture of this stream was invalidated by an earlier call: work on the legacy default "
                          "stream, or a call that no capture allows, such as cuStreamGetId, cuStreamGetDevice, "
                          "cuMemPoolGetAccess or cuMemPoolGetAttribute.\n" REMEDY
                          "end the capture, find that call by its own result code, and capture again.\n");
    return 1;
}

static int captureUnsupported(const struct cucopyCase *about, struct cucopyText *text)
{
    if (about->failure.result != CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
        return 0;
    if (about->raw && about->batch)
        cucopySay(text,
                  CAUSE "the stream is being captured, and the driver's batch calls cannot be. The capture itself "
                        "goes on.\n" REMEDY "use cucopyMemcpyBatchAsync, whose copies become nodes of the "
                        "graph.\n");
    else if (strstr(about->failure.function, "Peer"))
        cucopySay(text,
                  CAUSE "the stream is being captured, and a peer copy cannot be. The driver has invalidated that "
                        "capture.\n" REMEDY "let the one device access the other's memory and use cucopyMemcpyAsync, "
                        "which becomes a node of the graph; or make the peer copy before the capture or after it.\n");
    else
        cucopySay(text, CAUSE "a capture is under way, and this call cannot become part of a graph.\n" REMEDY
                              "make it before the capture begins or after it ends.\n");
    return 1;
}

static int captureRefused(const struct cucopyCase *about, struct cucopyText *text)
{
    const char *words = NULL;
    if (about->failure.result < CUDA_ERROR_STREAM_CAPTURE_MERGE ||
        about->failure.result > CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)
        return 0;
    if (!cudrvPath() || cudrvGetErrorString(about->failure.result, &words) != CUDA_SUCCESS)
        words = NULL;
    cucopySay(text,
              CAUSE "the rules of stream capture forbid it%s%s.\n" REMEDY
                    "fork and join captured streams by events, end a capture on the thread that began it, and keep "
                    "other streams apart from it.\n",
              words ? ": " : "", words ? words : "");
    return 1;
}

static int guardOnOtherContext(const struct cucopyCase *about, struct cucopyText *text)
{
    const cucopyFailure *const failure = &about->failure;
    if (!about->guard || failure->step != CUCOPY_STEP_RESTORE || failure->result != CUDA_ERROR_INVALID_CONTEXT)
        return 0;
    if (failure->currentContextState == CUCOPY_CONTEXT_NONE)
        cucopySay(text,
                  CAUSE "the context stack is empty; what the guard had pushed, context %p, was popped or set "
                        "to NULL in between.\n",
                  (void *)failure->streamContext);
    else
        cucopySay(text,
                  CAUSE "context %p is on top of the stack, where the guard had pushed context %p: a push "
                        "without its pop, or a cuCtxSetCurrent, in between.\n",
                  (void *)failure->currentContext, (void *)failure->streamContext);
    cucopySay(text, REMEDY "put the stack in order, then exit the guard again.\n");
    return 1;
}

static int contextNotRestored(const struct cucopyCase *about, struct cucopyText *text)
{
    const cucopyFailure *const failure = &about->failure;
    if (failure->step != CUCOPY_STEP_RESTORE)
        return 0;
    cucopySay(text, CAUSE "the driver did not pop context %p, which cucopy had pushed. %s\n",
              (void *)failure->streamContext, about->guard ? "" : "The copy itself is on its way: do not repeat it.");
    cucopySay(text, REMEDY "pop that context (cuCtxPopCurrent) before anything else relies on the current one.\n");
    return 1;
}

static int outOfMemory(const struct cucopyCase *about, struct cucopyText *text)
{
    if (about->failure.result != CUDA_ERROR_OUT_OF_MEMORY)
        return 0;
    cucopySay(text, CAUSE "the driver found no memory for its own part of the work.\n" REMEDY
                          "free device or host memory; let the stream run dry before enqueueing more.\n");
    return 1;
}

static int rawBatchArguments(const struct cucopyCase *about, struct cucopyText *text)
{
    if (!about->raw || !about->batch || about->failure.result != CUDA_ERROR_INVALID_VALUE)
        return 0;
    cucopySay(text,
              POSSIBLE "the driver refuses a whole batch for one entry that is empty or NULL, for count or "
                       "numAttrs 0, for attrsIdxs that do not begin with 0 and rise, and for an access order that "
                       "is none.\n" REMEDY "use %s, which says which of these it is, and skips empty entries.\n",
              strstr(about->failure.function, "3D") ? "cucopyMemcpy3DBatchAsync" : "cucopyMemcpyBatchAsync");
    return 1;
}

static int noPeers(const struct cucopyCase *about, struct cucopyText *text)
{
    const int impossible = about->failure.result == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    if (!impossible && about->failure.result != CUDA_ERROR_PEER_ACCESS_NOT_ENABLED)
        return 0;
    cucopySay(text, CAUSE "the copy wants one device to access the other's memory, which is %s.\n",
              impossible ? "impossible between these two" : "not enabled");
    cucopySay(text, REMEDY "%s.\n",
              impossible    ? "copy by way of host memory"
              : about->peer ? "call cuCtxEnablePeerAccess"
                            : "use cucopyMemcpyPeerAsync, which needs no peer access, or call cuCtxEnablePeerAccess");
    return 1;
}

static int notKnown(const struct cucopyCase *about, struct cucopyText *text)
{
    const char *words = NULL;
    if (cudrvPath() && cudrvGetErrorString(about->failure.result, &words) == CUDA_SUCCESS && words)
        cucopySay(text, "The cause is not known to cucopy; the driver says: %s.\n", words);
    else
        cucopySay(text, "The cause is not known to cucopy.\n");
    return 1;
}

void cucopyJudge(const struct cucopyCase *about, struct cucopyText *text)
{
    static rule *const rules[] = {
        noDriver,
        badArgument,
        notInitialized,
        deinitialized,
        inHostFunction,
        stickyError,
        missingEntry,
        noCurrentContext,
        destroyedContext,
        streamHandle,
        batchOnLegacyStream,
        captureImplicit,
        captureInvalidated,
        captureUnsupported,
        captureRefused,
        guardOnOtherContext,
        contextNotRestored,
        outOfMemory,
        noPeers,
        cucopyJudgePointers,
        rawBatchArguments,
        notKnown,
    };
    size_t i = 0;
    while (!rules[i](about, text))
        ++i;
    if (about->failure.stillPushed && about->failure.step != CUCOPY_STEP_RESTORE)
        cucopySay(text, "Besides, context %p could not be popped and is still on the stack.\n",
                  (void *)about->failure.stillPushed);
}

#undef CAUSE
#undef POSSIBLE
#undef REMEDY
