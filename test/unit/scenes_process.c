/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that fail for the state of the process; each scene has one of its own. */
#include "scenes.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static CUresult copyOn(CUstream stream)
{
    return cucopyMemcpyAsync(0, 0, 0, stream);
}

static CUstream firstStream(void)
{
    CUcontext context = NULL;
    CUstream stream = NULL;
    must(cudrvInit(0));
    must(cudrvCtxCreate_v3020(&context, 0, 0));
    must(cudrvStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    must(cudrvCtxPopCurrent(NULL));
    return stream;
}

static void noDriver(const struct world *world)
{
    (void)world;
    fails(cudrvLoad("/nonexistent/libcuda.so.1"), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    fails(copyOn(NULL), CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
}

static void stubLibrary(const struct world *world)
{
    (void)world;
    fails(cudrvLoad(getenv("CUCOPY_TEST_STUB")), CUDA_ERROR_STUB_LIBRARY); /* NOLINT(concurrency-mt-unsafe) */
    fails(copyOn(NULL), CUDA_ERROR_STUB_LIBRARY);
}

static void notInitialized(const struct world *world)
{
    (void)world;
    fails(copyOn(NULL), CUDA_ERROR_NOT_INITIALIZED);
}

/* Go on in a child, and end with what it says. */
static void goOnInAChild(void)
{
    const pid_t child = fork();
    if (child == 0)
        return;
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        abort();
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static void forkedChild(const struct world *world)
{
    const CUstream stream = firstStream();
    (void)world;
    goOnInAChild();
    fails(copyOn(stream), CUDA_ERROR_NOT_INITIALIZED);
}

static CUstream streamAtExit;

static void copyAtExit(void)
{
    fails(copyOn(streamAtExit), CUDA_ERROR_DEINITIALIZED);
    (void)fputs(sceneExplained(), stdout);
    (void)fflush(stdout);
    _exit(0);
}

/* The handler is there before the driver's own, so it runs after that. */
static void processExit(const struct world *world)
{
    (void)world;
    if (atexit(copyAtExit) != 0)
        abort();
    streamAtExit = firstStream();
    exit(1); /* NOLINT(concurrency-mt-unsafe): the only thread */
}

/* Writes to address 16. */
static const char wildStore[] = ".version 7.0\n.target sm_52\n.address_size 64\n"
                                ".visible .entry wild()\n{\n"
                                ".reg .b64 address;\n.reg .b32 value;\n"
                                "mov.u64 address, 16;\nmov.u32 value, 0;\nst.global.u32 [address], value;\nret;\n}\n";

static void stickyError(const struct world *world)
{
    const CUstream stream = firstStream();
    CUcontext context = NULL;
    CUmodule module = NULL;
    CUfunction wild = NULL;
    (void)world;
    must(cudrvStreamGetCtx(stream, &context));
    must(cudrvCtxPushCurrent(context));
    must(cudrvModuleLoadData(&module, wildStore));
    must(cudrvModuleGetFunction(&wild, module, "wild"));
    must(cudrvLaunchKernel(wild, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
    fails(cudrvStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    must(cudrvCtxPopCurrent(NULL));
    fails(copyOn(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
}

const struct scene processScenes[] = {
    {"no_driver", NEEDS_A_PROCESS, noDriver,
     .says = {"cucopyMemcpyAsync: CUDA_ERROR_SHARED_OBJECT_INIT_FAILED: no driver could be loaded.",
              "Cause: cannot load /nonexistent/libcuda.so.1", "install the NVIDIA driver"}},
    {"the_toolkits_stub", NEEDS_A_PROCESS | NEEDS_A_STUB, stubLibrary,
     .says = {"CUDA_ERROR_STUB_LIBRARY", "the toolkit's stub", "LD_LIBRARY_PATH"}},
    {"cuInit_was_not_called", NEEDS_A_PROCESS, notInitialized,
     .says = {"CUDA_ERROR_NOT_INITIALIZED", "cuInit was not called in this process", "call cuInit first"}},
    {"a_forked_child", NEEDS_A_PROCESS, forkedChild,
     .says = {"CUDA_ERROR_NOT_INITIALIZED", "this process is a child forked after cuInit", "use CUDA only after exec"}},
    {"the_end_of_the_process", NEEDS_A_PROCESS, processExit,
     .says = {"CUDA_ERROR_DEINITIALIZED", "the process is exiting and the driver has shut down already",
              "finish copying before main returns"}},
    {"a_sticky_error", NEEDS_A_PROCESS | NEEDS_A_GPU, stickyError,
     .says = {"CUDA_ERROR_ILLEGAL_ADDRESS", "earlier work on this device failed", "compute-sanitizer"}},
};
const size_t processSceneCount = sizeof(processScenes) / sizeof(processScenes[0]);
