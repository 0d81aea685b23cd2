/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that C functions perform. */
#include "test_support.h"

#include <stdlib.h>

static const char ptx[] = ".version 8.0\n"
                          ".target sm_70\n"
                          ".address_size 64\n"
                          "// .visible .entry not_this(\n"
                          ".visible .entry add(\n"
                          "    .param .u64 .ptr .global .align 16 add_memory,\n"
                          "    .param .u8 add_small,\n"
                          "    .param .u32 add_count,\n"
                          "    .param .align 16 .b8 add_struct[24]\n"
                          ")\n"
                          "{ ret; }\n"
                          ".visible .entry nothing() { ret; }\n";

typedef struct Parameters {
    CUdeviceptr memory;
    unsigned char small;
    unsigned count;
    _Alignas(16) unsigned char structure[24];
} Parameters;

static CUstream stream;
static CUlibrary library;
static CUkernel kernel;
static cusimLaunch seen;

/* Adds one to each of the `count` words, in device memory as in the host's. */
static void add(const cusimLaunch *launch)
{
    Parameters parameters;
    seen = *launch;
    memcpy(&parameters, launch->parameters, launch->parameterBytes);
    unsigned *words = cusimAccess(launch, parameters.memory, parameters.count * sizeof *words, true);
    for (unsigned i = 0; words != NULL && i < parameters.count; i++)
        words[i] += 1;
}

static int setUp(void **state)
{
    freshProcess(state);
    OK(cuCtxSetCurrent(primary[0]));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&kernel, library, "add"));
    cusimRegisterKernel("add", add, &seen);
    return 0;
}

static CUresult launch(CUdeviceptr memory, unsigned count)
{
    Parameters parameters = {.memory = memory, .count = count};
    void *pointers[] = {&parameters.memory, &parameters.small, &parameters.count, parameters.structure};
    return cuLaunchKernel((CUfunction)kernel, 2, 3, 4, 32, 2, 1, 100, stream, pointers, NULL);
}

static void a_launch_runs_the_registered_function_in_stream_order(void **state)
{
    (void)state;
    CUdeviceptr memory;
    unsigned words[4] = {0};
    OK(cuMemAlloc(&memory, sizeof words));
    OK(cuMemsetD32Async(memory, 41, 4, stream));
    OK(launch(memory, 4));
    OK(cuMemcpyDtoHAsync(words, memory, sizeof words, stream));
    assert_int_equal(words[3], 42);
    assert_int_equal(seen.grid[2], 4);
    assert_int_equal(seen.block[1], 2);
    assert_int_equal(seen.sharedBytes, 100);
    assert_int_equal(seen.device, 0);
    assert_ptr_equal(seen.user, &seen);
}

static void parameters_are_laid_out_as_the_kernel_declares_them(void **state)
{
    (void)state;
    static const size_t offsets[] = {0, 8, 12, 16};
    static const size_t sizes[] = {8, 1, 4, 24};
    size_t offset;
    size_t size;
    for (size_t i = 0; i < 4; i++) {
        OK(cuKernelGetParamInfo(kernel, i, &offset, &size));
        assert_int_equal(offset, offsets[i]);
        assert_int_equal(size, sizes[i]);
    }
    GIVES(CUDA_ERROR_INVALID_VALUE, cuKernelGetParamInfo(kernel, 4, &offset, &size));
}

static void parameters_may_come_in_one_buffer(void **state)
{
    (void)state;
    CUdeviceptr memory;
    unsigned word = 0;
    OK(cuMemAlloc(&memory, sizeof word));
    OK(cuMemsetD32(memory, 5, 1));
    Parameters parameters = {.memory = memory, .count = 1};
    size_t size = 40;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &parameters, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, extra));
    parameters.memory = 0; /* they were copied */
    OK(cuMemcpyDtoHAsync(&word, memory, sizeof word, stream));
    assert_int_equal(word, 6);
    assert_int_equal(seen.parameterBytes, 40);
    size = 16; /* not all of them */
    parameters.memory = memory;
    OK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, extra));
    OK(cuMemcpyDtoHAsync(&word, memory, sizeof word, stream));
    assert_int_equal(word, 7);
    size = 41;
    GIVES(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
          cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, extra));
    size = 0;
    GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, extra));
}

static void a_captured_launch_runs_with_the_graph(void **state)
{
    (void)state;
    CUdeviceptr memory;
    CUgraph graph;
    CUgraphExec exec;
    unsigned word = 0;
    OK(cuMemAlloc(&memory, sizeof word));
    OK(cuMemsetD32(memory, 0, 1));
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(launch(memory, 1));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuLibraryUnload(library));
    for (int i = 0; i < 3; i++)
        OK(cuGraphLaunch(exec, stream));
    OK(cuMemcpyDtoHAsync(&word, memory, sizeof word, stream));
    assert_int_equal(word, 3);
}

static void touching_pageable_memory_is_a_sticky_error(void **state)
{
    (void)state;
    static unsigned word;
    CUcontext found = NULL;
    CUdeviceptr memory;
    OK(launch((CUdeviceptr)(uintptr_t)&word, 1));
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamGetCtx(stream, &found));
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc(&memory, 16));
    OK(cuCtxGetCurrent(&found));
    OK(cuCtxPushCurrent(primary[0]));
    OK(cuCtxPopCurrent(NULL));
    /* The other device is well. */
    OK(cuCtxSetCurrent(primary[1]));
    OK(cuMemAlloc(&memory, 16));
}

static void another_devices_memory_wants_peer_access(void **state)
{
    (void)state;
    CUdeviceptr memory;
    OK(cuCtxSetCurrent(primary[1]));
    OK(cuMemAlloc(&memory, 16));
    OK(cuCtxSetCurrent(primary[0]));
    OK(cuCtxEnablePeerAccess(primary[1], 0));
    OK(launch(memory, 1));
    OK(cuStreamSynchronize(stream));
    OK(cuCtxDisablePeerAccess(primary[1]));
    OK(launch(memory, 1));
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
}

static void launchUnregistered(void)
{
    CUkernel nothing;
    OK(cuLibraryGetKernel(&nothing, library, "nothing"));
    GIVES(CUDA_ERROR_NOT_SUPPORTED, cuLaunchKernel((CUfunction)nothing, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
}

static void an_unregistered_kernel_is_loudly_refused(void **state)
{
    (void)state;
    assert_non_null(strstr(stderrOf(launchUnregistered), "nobody registered kernel nothing"));
}

static void a_kernel_that_the_image_lacks_is_not_found(void **state)
{
    (void)state;
    CUkernel other;
    GIVES(CUDA_ERROR_NOT_FOUND, cuLibraryGetKernel(&other, library, "not_this"));
}

static CUresult load(const char *text)
{
    CUlibrary loaded;
    return cuLibraryLoadData(&loaded, text, NULL, NULL, 0, NULL, NULL, 0);
}

static void ptx_must_suit_the_driver_and_the_device(void **state)
{
    (void)state;
    OK(load(".version 9.0\n.target sm_90\n"));
    GIVES(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, load(".version 9.1\n.target sm_90\n"));
    GIVES(CUDA_ERROR_NO_BINARY_FOR_GPU, load(".version 8.0\n.target sm_100\n"));
    GIVES(CUDA_ERROR_INVALID_PTX, load(".version 8.0\n.target sm_70\n.entry big(.param .b8 p[5000]) { ret; }\n"));
    OK(load(".version 8.1\n.target sm_70\n.entry big(.param .b8 p[5000]) { ret; }\n"));
    GIVES(CUDA_ERROR_INVALID_IMAGE, load("no image"));
    cusimSetDriverVersion(12060);
    GIVES(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, load(".version 8.6\n.target sm_70\n"));
    OK(load(".version 8.5\n.target sm_70\n"));
}

static void a_launch_has_to_fit_the_device(void **state)
{
    (void)state;
    void *pointers[] = {NULL};
    CUkernel nothing;
    OK(cuLibraryGetKernel(&nothing, library, "nothing"));
    cusimRegisterKernel("nothing", add, NULL);
    CUfunction function = (CUfunction)nothing;
    GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(function, 0, 1, 1, 1, 1, 1, 0, stream, pointers, NULL));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(function, 1, 1, 1, 1024, 2, 1, 0, stream, pointers, NULL));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 50000, stream, pointers, NULL));
    OK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000, nothing, 0));
    cusimRegisterKernel("nothing", NULL, NULL);
}

static void a_function_is_its_kernel_in_one_context(void **state)
{
    (void)state;
    CUfunction function;
    CUfunction again;
    int registers;
    OK(cuKernelGetFunction(&function, kernel));
    OK(cuKernelGetFunction(&again, kernel));
    assert_ptr_equal(function, again);
    OK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, (CUfunction)kernel));
    CUstream elsewhere;
    OK(cuCtxSetCurrent(primary[1]));
    OK(cuStreamCreate(&elsewhere, CU_STREAM_NON_BLOCKING));
    void *pointers[] = {NULL, NULL, NULL, NULL};
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, elsewhere, pointers, NULL));
}

#define TEST(test) cmocka_unit_test_setup(test, setUp)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_launch_runs_the_registered_function_in_stream_order),
        TEST(parameters_are_laid_out_as_the_kernel_declares_them),
        TEST(parameters_may_come_in_one_buffer),
        TEST(a_captured_launch_runs_with_the_graph),
        TEST(touching_pageable_memory_is_a_sticky_error),
        TEST(another_devices_memory_wants_peer_access),
        TEST(an_unregistered_kernel_is_loudly_refused),
        TEST(a_kernel_that_the_image_lacks_is_not_found),
        TEST(ptx_must_suit_the_driver_and_the_device),
        TEST(a_launch_has_to_fit_the_device),
        TEST(a_function_is_its_kernel_in_one_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
