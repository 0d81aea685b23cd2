/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"

#include "capture.h"
#include "check.h"
#include "device.h"
#include "exec.h"

#include <stdlib.h>

Array *arrayFind(CUarray handle)
{
    return checkFind(handle, OBJECT_ARRAY);
}

/* An H200's, for arrays of up to three dimensions. */
enum { MAX_WIDTH = 131072, MAX_HEIGHT = 65536, MAX_DEPTH = 16384 };

static void dispose(void *object)
{
    Array *array = object;
    Work bytes = {.kind = WORK_NOTHING, .staging = array->bytes};
    execAfterEverything(&bytes); /* a copy may still use them */
    array->bytes = NULL;
}

static void endIfOf(void *object, void *context)
{
    if (((Array *)object)->context == context)
        objectDestroy(object);
}

void arrayEndAll(const Context *context)
{
    objectEach(OBJECT_ARRAY, endIfOf, (void *)context);
}

static size_t formatSize(CUarray_format format)
{
    switch ((int)format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
        return 4;
    default:
        return 0;
    }
}

static CUresult create3D(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
    Context *context;
    CUresult result = contextRequire(&context);
    if (result == CUDA_SUCCESS)
        result = captureAllowsUnsafeCall();
    if (result != CUDA_SUCCESS)
        return result;
    if (out == NULL || descriptor == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const size_t format = formatSize(descriptor->Format);
    const unsigned channels = descriptor->NumChannels;
    if (format == 0 || descriptor->Width == 0 || (channels != 1 && channels != 2 && channels != 4) ||
        descriptor->Width > MAX_WIDTH || descriptor->Height > MAX_HEIGHT || descriptor->Depth > MAX_DEPTH)
        return CUDA_ERROR_INVALID_VALUE;
    const size_t rowBytes = descriptor->Width * format * channels;
    const size_t rows = descriptor->Height > 0 ? descriptor->Height : 1;
    const size_t layers = descriptor->Depth > 0 ? descriptor->Depth : 1;
    unsigned char *bytes = rows * layers > DEVICE_MEMORY / rowBytes ? NULL : calloc(rows * layers, rowBytes);
    if (bytes == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    Array *array = objectCreate(OBJECT_ARRAY, sizeof *array, dispose);
    array->context = contextBase(context);
    array->descriptor = *descriptor;
    array->elementSize = format * channels;
    array->rowBytes = rowBytes;
    array->rows = rows;
    array->layers = layers;
    array->bytes = bytes;
    *out = (CUarray)array;
    return CUDA_SUCCESS;
}

static CUresult create(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *descriptor)
{
    if (descriptor == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_ARRAY3D_DESCRIPTOR whole = {.Width = descriptor->Width,
                                           .Height = descriptor->Height,
                                           .Format = descriptor->Format,
                                           .NumChannels = descriptor->NumChannels};
    return create3D(out, &whole);
}

static CUresult destroy(CUarray handle)
{
    const CUresult result = captureAllowsUnsafeCall();
    if (result != CUDA_SUCCESS)
        return result;
    Array *array = arrayFind(handle);
    if (array == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    objectDestroy(array);
    return CUDA_SUCCESS;
}

static CUresult getDescriptor3D(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray handle)
{
    const Array *array = arrayFind(handle);
    if (array == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (descriptor == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *descriptor = array->descriptor;
    return CUDA_SUCCESS;
}

static CUresult getDescriptor(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray handle)
{
    CUDA_ARRAY3D_DESCRIPTOR whole;
    if (descriptor == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = getDescriptor3D(&whole, handle);
    if (result == CUDA_SUCCESS)
        *descriptor = (CUDA_ARRAY_DESCRIPTOR){
            .Width = whole.Width, .Height = whole.Height, .Format = whole.Format, .NumChannels = whole.NumChannels};
    return result;
}

API(cuArrayCreate_v2, (CUarray * array, const CUDA_ARRAY_DESCRIPTOR *descriptor), create(array, descriptor))
API(cuArray3DCreate_v2, (CUarray * array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor), create3D(array, descriptor))
API(cuArrayDestroy, (CUarray array), destroy(array))
API(cuArrayGetDescriptor_v2, (CUDA_ARRAY_DESCRIPTOR * descriptor, CUarray array), getDescriptor(descriptor, array))
API(cuArray3DGetDescriptor_v2, (CUDA_ARRAY3D_DESCRIPTOR * descriptor, CUarray array),
    getDescriptor3D(descriptor, array))
