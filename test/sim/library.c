/* SPDX-License-Identifier: Apache-2.0 */
#include "library.h"

#include "check.h"
#include "device.h"

#include <stdlib.h>

enum { DEFAULT_DYNAMIC_SHARED_MEMORY = 49152, ANY_CARVEOUT = -1 };

static void dispose(void *object)
{
    Library *library = object;
    for (size_t i = 0; i < library->functionCount; i++) {
        if (library->functions[i]->object.alive)
            objectDestroy(library->functions[i]);
    }
    free(library->functions);
    imageDispose(&library->image);
    library->functions = NULL;
    library->functionCount = 0;
}

static void unloadIfOf(void *object, void *context)
{
    if (((Library *)object)->context == context)
        objectDestroy(object);
}

void moduleUnloadAll(const Context *context)
{
    objectEach(OBJECT_MODULE, unloadIfOf, (void *)context);
}

const ImageKernel *functionKernel(const Function *function)
{
    return &function->library->image.kernels[function->index];
}

Function *functionForLaunch(CUfunction handle)
{
    Function *function = objectFind(handle, OBJECT_FUNCTION);
    return function != NULL ? function : objectFind(handle, OBJECT_KERNEL);
}

static CUresult load(ObjectKind kind, Context *context, const void *code, void *out)
{
    if (out == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    Image image;
    const CUresult result = imageRead(code, &image);
    if (result != CUDA_SUCCESS)
        return result;
    Library *library = objectCreate(kind, sizeof *library, dispose);
    library->image = image;
    library->context = context;
    *(void **)out = library;
    return CUDA_SUCCESS;
}

static CUresult loadModule(CUmodule *out, const void *code)
{
    Context *context;
    const CUresult result = contextRequire(&context);
    return result == CUDA_SUCCESS ? load(OBJECT_MODULE, context, code, out) : result;
}

static CUresult unload(const void *handle, ObjectKind kind)
{
    Library *library = checkFind(handle, kind);
    if (library == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    objectDestroy(library);
    return CUDA_SUCCESS;
}

/* The kernel, or the function in a context, of that index; the same handle every time. */
static Function *handOut(Library *library, ObjectKind kind, size_t index, Context *context)
{
    for (size_t i = 0; i < library->functionCount; i++) {
        Function *known = library->functions[i];
        if (known->object.kind == kind && known->index == index && known->context == context)
            return known;
    }
    Function *function = objectCreate(kind, sizeof *function, NULL);
    objectMakeInternal(function); /* it goes with its library */
    function->library = library;
    function->index = index;
    function->context = context;
    function->dynamicSharedMemory = DEFAULT_DYNAMIC_SHARED_MEMORY;
    function->carveout = ANY_CARVEOUT;
    library->functions = memoryResize(library->functions, library->functionCount + 1, sizeof(Function *));
    library->functions[library->functionCount++] = function;
    return function;
}

static CUresult getFunction(void *out, const void *handle, ObjectKind libraryKind, const char *name)
{
    Library *library = checkFind(handle, libraryKind);
    if (library == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (out == NULL || name == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const ImageKernel *kernel = imageFind(&library->image, name);
    if (kernel == NULL)
        return CUDA_ERROR_NOT_FOUND;
    const ObjectKind kind = libraryKind == OBJECT_LIBRARY ? OBJECT_KERNEL : OBJECT_FUNCTION;
    *(void **)out = handOut(library, kind, (size_t)(kernel - library->image.kernels), library->context);
    return CUDA_SUCCESS;
}

/* The kernel in the current context. */
static CUresult functionOfKernel(CUfunction *out, CUkernel handle)
{
    Context *context;
    const CUresult result = contextRequire(&context);
    if (result != CUDA_SUCCESS)
        return result;
    const Function *kernel = checkFind(handle, OBJECT_KERNEL);
    if (kernel == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (out == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *out = (CUfunction)handOut(kernel->library, OBJECT_FUNCTION, kernel->index, context);
    return CUDA_SUCCESS;
}

static CUresult find(const void *handle, ObjectKind kind, Function **function)
{
    *function = checkFind(handle, kind);
    return *function != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult getName(const char **name, const void *handle, ObjectKind kind)
{
    Function *function;
    const CUresult result = find(handle, kind, &function);
    if (result != CUDA_SUCCESS)
        return result;
    if (name == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *name = functionKernel(function)->name;
    return CUDA_SUCCESS;
}

static CUresult getOwner(void *out, const void *handle, ObjectKind kind)
{
    Function *function;
    const CUresult result = find(handle, kind, &function);
    if (result != CUDA_SUCCESS)
        return result;
    const ObjectKind owner = kind == OBJECT_KERNEL ? OBJECT_LIBRARY : OBJECT_MODULE;
    if (out == NULL || function->library->object.kind != owner)
        return CUDA_ERROR_INVALID_VALUE;
    *(void **)out = function->library;
    return CUDA_SUCCESS;
}

static CUresult getParameter(const void *handle, ObjectKind kind, size_t index, size_t *offset, size_t *size)
{
    Function *function;
    const CUresult result = find(handle, kind, &function);
    if (result != CUDA_SUCCESS)
        return result;
    const ImageKernel *kernel = functionKernel(function);
    if (offset == NULL || index >= kernel->parameterCount)
        return CUDA_ERROR_INVALID_VALUE;
    *offset = kernel->parameters[index].offset;
    if (size != NULL)
        *size = kernel->parameters[index].size;
    return CUDA_SUCCESS;
}

static CUresult getAttribute(int *value, CUfunction_attribute attribute, const void *handle, ObjectKind kind)
{
    Function *function;
    const CUresult result = find(handle, kind, &function);
    if (result != CUDA_SUCCESS)
        return result;
    if (value == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    switch ((int)attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = 1024;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = 32;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = DEVICE_MAJOR * 10 + DEVICE_MINOR;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = function->dynamicSharedMemory;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = function->carveout;
        return CUDA_SUCCESS;
    default:
        if ((int)attribute < 0 || (int)attribute > 15)
            return CUDA_ERROR_INVALID_VALUE;
        *value = 0;
        return CUDA_SUCCESS;
    }
}

static CUresult setAttribute(const void *handle, ObjectKind kind, CUfunction_attribute attribute, int value)
{
    Function *function;
    const CUresult result = find(handle, kind, &function);
    if (result != CUDA_SUCCESS)
        return result;
    switch ((int)attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        if (value < 0 || value > DEVICE_SHARED_MEMORY)
            return CUDA_ERROR_INVALID_VALUE;
        function->dynamicSharedMemory = value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (value < ANY_CARVEOUT || value > 100)
            return CUDA_ERROR_INVALID_VALUE;
        function->carveout = value;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult onDevice(CUdevice device, CUresult result)
{
    return deviceIsValid(device) ? result : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult isLoaded(CUfunctionLoadingState *state, CUfunction handle)
{
    Function *function;
    const CUresult result = find(handle, OBJECT_FUNCTION, &function);
    if (result != CUDA_SUCCESS || state == NULL)
        return result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_VALUE;
    *state = (CUfunctionLoadingState)1; /* CU_FUNCTION_LOADING_STATE_LOADED */
    return CUDA_SUCCESS;
}

static CUresult ensureLoaded(CUfunction handle)
{
    Function *function;
    return find(handle, OBJECT_FUNCTION, &function);
}

API(cuLibraryLoadData,
    (CUlibrary * library, const void *code, CUjit_option *jitOptions, void **jitValues, unsigned jitCount,
     CUlibraryOption *options, void **values, unsigned count),
    ((void)jitOptions, (void)jitValues, (void)jitCount, (void)options, (void)values, (void)count,
     load(OBJECT_LIBRARY, NULL, code, library)))
API(cuLibraryUnload, (CUlibrary library), unload(library, OBJECT_LIBRARY))
API(cuLibraryGetKernel, (CUkernel * kernel, CUlibrary library, const char *name),
    getFunction(kernel, library, OBJECT_LIBRARY, name))
API(cuModuleLoadData, (CUmodule * module, const void *image), loadModule(module, image))
API(cuModuleLoadDataEx, (CUmodule * module, const void *image, unsigned count, CUjit_option *options, void **values),
    ((void)count, (void)options, (void)values, loadModule(module, image)))
API(cuModuleUnload, (CUmodule module), unload(module, OBJECT_MODULE))
API(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name),
    getFunction(function, module, OBJECT_MODULE, name))
API(cuKernelGetFunction, (CUfunction * function, CUkernel kernel), functionOfKernel(function, kernel))
API(cuKernelGetName, (const char **name, CUkernel kernel), getName(name, kernel, OBJECT_KERNEL))
API(cuFuncGetName, (const char **name, CUfunction function), getName(name, function, OBJECT_FUNCTION))
API(cuKernelGetLibrary, (CUlibrary * library, CUkernel kernel), getOwner(library, kernel, OBJECT_KERNEL))
API(cuFuncGetModule, (CUmodule * module, CUfunction function), getOwner(module, function, OBJECT_FUNCTION))
API(cuKernelGetParamInfo, (CUkernel kernel, size_t index, size_t *offset, size_t *size),
    getParameter(kernel, OBJECT_KERNEL, index, offset, size))
API(cuFuncGetParamInfo, (CUfunction function, size_t index, size_t *offset, size_t *size),
    getParameter(function, OBJECT_FUNCTION, index, offset, size))
API(cuKernelGetAttribute, (int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device),
    onDevice(device, getAttribute(value, attribute, kernel, OBJECT_KERNEL)))
API(cuKernelSetAttribute, (CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device),
    onDevice(device, setAttribute(kernel, OBJECT_KERNEL, attribute, value)))
/* Measured: it refuses a CUkernel in a CUfunction's place, which a launch takes. */
API(cuFuncGetAttribute, (int *value, CUfunction_attribute attribute, CUfunction function),
    getAttribute(value, attribute, function, OBJECT_FUNCTION))
API(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value),
    setAttribute(function, OBJECT_FUNCTION, attribute, value))
API(cuFuncIsLoaded, (CUfunctionLoadingState * state, CUfunction function), isLoaded(state, function))
API(cuFuncLoad, (CUfunction function), ensureLoaded(function))
