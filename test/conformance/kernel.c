/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"

#include "cusim.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

/* One thread goes over the bytes; it stores what it loaded if write is not 0. */
static const char text[] = ".version 6.0\n"
                           ".target sm_50\n"
                           ".address_size 64\n"
                           ".visible .entry touch(.param .u64 address, .param .u64 bytes, .param .u32 write)\n"
                           "{\n"
                           "    .reg .pred %p<3>;\n"
                           "    .reg .b32 %r<3>;\n"
                           "    .reg .b64 %rd<4>;\n"
                           "    ld.param.u64 %rd1, [address];\n"
                           "    ld.param.u64 %rd2, [bytes];\n"
                           "    ld.param.u32 %r1, [write];\n"
                           "    setp.eq.u32 %p1, %r1, 0;\n"
                           "    add.u64 %rd3, %rd1, %rd2;\n"
                           "next:\n"
                           "    ld.volatile.u8 %r2, [%rd1];\n"
                           "    @!%p1 st.volatile.u8 [%rd1], %r2;\n"
                           "    add.u64 %rd1, %rd1, 1;\n"
                           "    setp.lt.u64 %p2, %rd1, %rd3;\n"
                           "    @%p2 bra next;\n"
                           "    ret;\n"
                           "}\n";

struct parameters {
    uint64_t address, bytes;
    uint32_t write;
};

enum { ALL_PARAMETERS = offsetof(struct parameters, write) + sizeof(uint32_t) };

static CUkernel kernel;
static void *(*simulatedAccess)(const cusimLaunch *, unsigned long long, size_t, bool);

static void touch(const cusimLaunch *launch)
{
    struct parameters parameters;
    memcpy(&parameters, launch->parameters, ALL_PARAMETERS);
    simulatedAccess(launch, parameters.address, (size_t)parameters.bytes, parameters.write != 0);
}

/* The simulated driver runs no PTX. */
static void registerWithSimulator(void)
{
    void *const driver = dlopen(cudrvPath(), RTLD_NOW | RTLD_NOLOAD);
    void (*registerKernel)(const char *, cusimKernel, void *) = NULL;
    if (!driver)
        return;
    *(void **)(void *)&registerKernel = dlsym(driver, "cusimRegisterKernel");
    *(void **)(void *)&simulatedAccess = dlsym(driver, "cusimAccess");
    if (registerKernel)
        registerKernel("touch", touch, NULL);
    dlclose(driver);
}

bool kernelLoad(void)
{
    CUlibrary library = NULL;
    if (!cudrvHas("cuLibraryLoadData") || !cudrvHas("cuLibraryGetKernel")) {
        lacks("kernels");
        return false;
    }
    registerWithSimulator();
    MUST(cudrvLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    MUST(cudrvLibraryGetKernel(&kernel, library, "touch"));
    return true;
}

CUresult kernelLaunch(CUdeviceptr address, size_t bytes, bool write, CUstream stream)
{
    struct parameters p = {address, bytes, write};
    void *parameters[] = {&p.address, &p.bytes, &p.write};
    return cudrvLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
}

CUresult kernelLaunchFromBuffer(CUdeviceptr address, size_t parameters, CUstream stream)
{
    struct parameters buffer[2] = {{address, 1, 0}, {0, 0, 0}};
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &parameters,
                     CU_LAUNCH_PARAM_END};
    return cudrvLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, extra);
}
