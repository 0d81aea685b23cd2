/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"

#include "device.h"
#include "kernels.h"
#include "object.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Parameters that a driver before 12.1, or PTX before 8.1, allows. */
enum { SMALL_PARAMETERS = 4096, PTX_WITH_LARGE_PARAMETERS = 81 };

/* A walk over the words of PTX text: names, directives, numbers, and single other characters. */
typedef struct Words {
    const char *at;
    const char *word;
    size_t length;
} Words;

static bool isWordCharacter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%';
}

static const char *skipSpace(const char *at)
{
    for (;;) {
        while (isspace((unsigned char)*at))
            at++;
        if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end != NULL ? end + 2 : at + strlen(at);
        } else {
            return at;
        }
    }
}

static bool nextWord(Words *words)
{
    words->word = skipSpace(words->at);
    words->at = words->word;
    if (*words->at == '\0')
        return false;
    while (isWordCharacter(*words->at))
        words->at++;
    if (words->at == words->word)
        words->at++;
    words->length = (size_t)(words->at - words->word);
    return true;
}

static bool is(const Words *words, const char *text)
{
    return strlen(text) == words->length && strncmp(words->word, text, words->length) == 0;
}

/* The bytes of a PTX type such as ".u64", 0 if the word is none. */
static size_t typeSize(const Words *words)
{
    if (words->length < 3 || words->word[0] != '.' || strchr("usbf", words->word[1]) == NULL)
        return 0;
    switch (atoi(words->word + 2)) { /* NOLINT(cert-err34-c): anything else is no type */
    case 8:
        return 1;
    case 16:
        return 2;
    case 32:
        return 4;
    case 64:
        return 8;
    default:
        return 0;
    }
}

static void addParameter(ImageKernel *kernel, size_t size, size_t alignment)
{
    const size_t offset = (kernel->parameterBytes + alignment - 1) / alignment * alignment;
    kernel->parameters = memoryResize(kernel->parameters, kernel->parameterCount + 1, sizeof *kernel->parameters);
    kernel->parameters[kernel->parameterCount++] = (Parameter){offset, size};
    kernel->parameterBytes = offset + size;
}

/* The parameters up to the closing bracket: ".param .u64 a, .param .align 8 .b8 b[64]". What ".ptr" says of alignment
   is of the memory pointed to. */
static bool readParameters(Words *words, ImageKernel *kernel)
{
    size_t size = 0;
    size_t count = 1;
    size_t alignment = 0;
    bool pointer = false;
    while (nextWord(words)) {
        const bool ends = is(words, ")");
        if (ends || is(words, ",")) {
            if (size > 0)
                addParameter(kernel, size * count, alignment > 0 ? alignment : size);
            size = alignment = 0;
            count = 1;
            pointer = false;
            if (ends)
                return true;
        } else if (is(words, ".ptr")) {
            pointer = true;
        } else if (is(words, ".align") && nextWord(words)) {
            if (!pointer)
                alignment = strtoul(words->word, NULL, 0);
        } else if (is(words, "[") && nextWord(words)) {
            count = strtoul(words->word, NULL, 0);
        } else if (typeSize(words) > 0) {
            size = typeSize(words);
        }
    }
    return false;
}

static bool readKernel(Words *words, Image *image)
{
    if (!nextWord(words))
        return false;
    image->kernels = memoryResize(image->kernels, image->count + 1, sizeof *image->kernels);
    ImageKernel *kernel = &image->kernels[image->count++];
    *kernel = (ImageKernel){.name = memoryNew(words->length + 1, 1), .laidOut = true};
    memcpy(kernel->name, words->word, words->length);
    const char *after = skipSpace(words->at);
    if (*after != '(')
        return true;
    words->at = after + 1;
    return readParameters(words, kernel);
}

/* The newest PTX, as 81 for 8.1, that a driver of this version takes. */
static int newestPtx(void)
{
    const int major = settings.version / 1000;
    const int minor = settings.version % 1000 / 10;
    /* 12.6 brought none of its own. */
    return (major - 4) * 10 + (major == 12 && minor > 5 ? minor - 1 : minor);
}

static CUresult readPtx(const char *text, Image *image)
{
    Words words = {.at = text};
    int version = 0;
    int target = 0;
    while (nextWord(&words)) {
        if (is(&words, ".version") && nextWord(&words)) {
            char *end;
            version = (int)strtol(words.word, &end, 10) * 10;
            version += *end == '.' ? (int)strtol(end + 1, NULL, 10) : 0;
        } else if (is(&words, ".target") && nextWord(&words)) {
            target = words.length > 3 ? (int)strtol(words.word + 3, NULL, 10) : 0;
        } else if (is(&words, ".entry") && !readKernel(&words, image)) {
            return CUDA_ERROR_INVALID_PTX;
        }
    }
    if (version == 0 || target == 0)
        return CUDA_ERROR_INVALID_PTX;
    if (version > newestPtx())
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    if (target > DEVICE_MAJOR * 10 + DEVICE_MINOR)
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    for (size_t i = 0; i < image->count; i++) {
        if (image->kernels[i].parameterBytes > SMALL_PARAMETERS && version < PTX_WITH_LARGE_PARAMETERS)
            return CUDA_ERROR_INVALID_PTX;
    }
    return CUDA_SUCCESS;
}

/* A cubin, a fat binary, or what nvcc wraps one in. */
static bool isBinary(const unsigned char *bytes)
{
    static const unsigned char starts[][4] = {
        {0x7F, 'E', 'L', 'F'}, {0x50, 0xED, 0x55, 0xBA}, {0xB1, 0x43, 0x62, 0x46}};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t same = 0;
        while (same < 4 && bytes[same] == starts[i][same])
            same++;
        if (same == 4)
            return true;
    }
    return false;
}

CUresult imageRead(const void *bytes, Image *image)
{
    *image = (Image){.opaque = false};
    if (bytes == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (isBinary(bytes)) {
        image->opaque = true;
        return CUDA_SUCCESS;
    }
    if (*skipSpace(bytes) != '.')
        return CUDA_ERROR_INVALID_IMAGE;
    const CUresult result = readPtx(bytes, image);
    if (result != CUDA_SUCCESS)
        imageDispose(image);
    return result;
}

ImageKernel *imageFind(Image *image, const char *name)
{
    for (size_t i = 0; i < image->count; i++) {
        if (strcmp(image->kernels[i].name, name) == 0)
            return &image->kernels[i];
    }
    if (!image->opaque || !kernelIsRegistered(name))
        return NULL;
    image->kernels = memoryResize(image->kernels, image->count + 1, sizeof *image->kernels);
    ImageKernel *kernel = &image->kernels[image->count++];
    *kernel = (ImageKernel){.name = memoryNew(strlen(name) + 1, 1)};
    memcpy(kernel->name, name, strlen(name));
    return kernel;
}

void imageDispose(Image *image)
{
    for (size_t i = 0; i < image->count; i++) {
        free(image->kernels[i].name);
        free(image->kernels[i].parameters);
    }
    free(image->kernels);
    *image = (Image){.opaque = false};
}
