/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA arrays: memory that is reached by its handle only. */
#ifndef CUSIM_ARRAY_H
#define CUSIM_ARRAY_H

#include "context.h"

typedef struct Array {
    Object object;
    Context *context;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    size_t elementSize; /* bytes, all channels */
    size_t rowBytes, rows, layers;
    unsigned char *bytes;
} Array;

/* Destroys the arrays of a context that ends. */
void arrayEndAll(const Context *context);

/* The live array behind a handle, or NULL. */
Array *arrayFind(CUarray handle);

#endif
