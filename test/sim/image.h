/* SPDX-License-Identifier: Apache-2.0 */
/* What a library or a module is loaded from. Of PTX text the kernels and their parameters are read; a cubin or a fat
   binary is opaque, and any kernel that is registered can be found in it. */
#ifndef CUSIM_IMAGE_H
#define CUSIM_IMAGE_H

#include "driver.h"

typedef struct Parameter {
    size_t offset, size;
} Parameter;

typedef struct ImageKernel {
    char *name;
    bool laidOut; /* the parameters are known */
    Parameter *parameters;
    size_t parameterCount;
    size_t parameterBytes;
} ImageKernel;

typedef struct Image {
    bool opaque;
    ImageKernel *kernels;
    size_t count;
} Image;

/* Reads an image. CUDA_ERROR_INVALID_IMAGE if it is none; what a driver of this version and this device refuse in PTX:
   CUDA_ERROR_UNSUPPORTED_PTX_VERSION, CUDA_ERROR_NO_BINARY_FOR_GPU, CUDA_ERROR_INVALID_PTX. */
CUresult imageRead(const void *bytes, Image *image);
/* The kernel of that name, or NULL. */
ImageKernel *imageFind(Image *image, const char *name);
void imageDispose(Image *image);

#endif
