/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries and modules, kernels and functions. */
#ifndef CUSIM_LIBRARY_H
#define CUSIM_LIBRARY_H

#include "context.h"
#include "image.h"
#include "object.h"

/* A library, which belongs to no context, or a module, which belongs to one. */
typedef struct Library {
    Object object; /* OBJECT_LIBRARY or OBJECT_MODULE */
    Image image;
    Context *context; /* of a module; NULL for a library */
    struct Function **functions;
    size_t functionCount;
} Library;

/* A kernel of a library, or a function: the kernel in one context. */
typedef struct Function {
    Object object; /* OBJECT_KERNEL or OBJECT_FUNCTION */
    Library *library;
    size_t index;     /* of the kernel in the image */
    Context *context; /* of a function; NULL for a kernel */
    int dynamicSharedMemory, carveout;
} Function;

/* Unloads the modules of a context that ends. */
void moduleUnloadAll(const Context *context);

const ImageKernel *functionKernel(const Function *function);

/* What a launch may name: a CUfunction, or a CUkernel in its place; else NULL. */
Function *functionForLaunch(CUfunction handle);

#endif
