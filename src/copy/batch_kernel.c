/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of one kernel that does many copies, their descriptions in the kernel's parameters: nothing to upload,
 * nothing to free, and a capture takes it like any launch. batch_kernel.cu is the kernel, batch_load.c finds it.
 */
#include "copy/batch_kernel.h"

#include "copy/batch_load.h"
#include "copy/batch_pack.h"

enum {
    THREADS = 256,         /* as in batch_kernel.cu */
    BYTES_PER_THREAD = 64, /* four accesses of 16 bytes are in flight at once */
    LEAST_TEAM = 3,
    LARGEST_TEAM = 16,
    HOST_BLOCKS = 64, /* saturate the link to the host: measured, 32 nearly do */
    PIECE = 256 << 10 /* of a copy in the general form, so that a large one does not keep one team busy for long */
};

_Static_assert(sizeof(struct cucopyBlockHeader) == 32, "the words follow at 32 bytes");
_Static_assert(offsetof(struct cucopyLauncher, words) == offsetof(struct cucopyLauncher, header) + 32, "no gap");

static const size_t blockBytes[] = {CUCOPY_BLOCK_SMALL, CUCOPY_BLOCK_MEDIUM, CUCOPY_BLOCK_LARGE};

static size_t wordsOf(int form)
{
    return (size_t)1 << form; /* 1, 2, 4 */
}

/* How many copies go into each launch, so that all of them are about equally large. */
static size_t capacityFor(const struct cucopyBatch *batch, int form, size_t expected)
{
    size_t most = CUCOPY_BLOCK_WORDS(CUCOPY_BLOCK_SMALL) / wordsOf(form);
    if (expected > most)
        most = CUCOPY_BLOCK_WORDS(blockBytes[cucopyLargestKernel(batch->device)]) / wordsOf(form);
    const size_t launches = (expected + most - 1) / most;
    return launches > 1 ? (expected + launches - 1) / launches : most;
}

/* ---- Launching ---- */

/* Threads that share a copy of that size. */
static unsigned teamFor(size_t size, size_t mostBlocks)
{
    unsigned team = LEAST_TEAM;
    while (team < LARGEST_TEAM && (size_t)BYTES_PER_THREAD << team < size && (size_t)THREADS * mostBlocks >= 2u << team)
        team++;
    return team;
}

static size_t blocksFor(const struct cucopyBlockHeader *header, size_t mostBlocks)
{
    const size_t threads = (size_t)header->count << header->team;
    const size_t whole = (size_t)1 << header->team > THREADS ? ((size_t)1 << header->team) / THREADS : 1;
    const size_t blocks = (threads + THREADS - 1) / THREADS;
    return blocks <= mostBlocks ? blocks : mostBlocks / whole * whole;
}

/* The smallest kernel whose parameters hold that many bytes. */
static CUkernel kernelFor(size_t bytes, enum cucopyKernelSize *size)
{
    CUkernel kernel = NULL;
    for (*size = CUCOPY_KERNEL_SMALL; *size < CUCOPY_KERNEL_SIZES; (*size)++)
        if (blockBytes[*size] >= bytes && (kernel = cucopyKernelOfSize(*size)) != NULL)
            return kernel;
    return NULL;
}

/* What the kernel would have done, in stream order as well: all of this memory is known to CUDA. */
static CUresult copySingly(const struct cucopyLauncher *launcher)
{
    const struct cucopyBlockHeader *const header = &launcher->header;
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < header->count && result == CUDA_SUCCESS; i++) {
        const uint32_t *const words = &launcher->words[i * wordsOf(header->form)];
        CUdeviceptr dst = header->dst;
        CUdeviceptr src = header->src;
        size_t size = header->size;
        if (header->form == CUCOPY_FORM_GENERAL) {
            dst = (CUdeviceptr)(words[2] & 0xffff) << 32 | words[0];
            src = (CUdeviceptr)(words[2] >> 16) << 32 | words[1];
            size = words[3];
        } else {
            const int isWide = header->form == CUCOPY_FORM_WIDE;
            dst += (CUdeviceptr)(isWide ? words[0] : words[0] & 0xffff) << header->shift;
            src += (CUdeviceptr)(isWide ? words[1] : words[0] >> 16) << header->shift;
        }
        if (size != 0)
            result = cudrvMemcpyAsync(dst, src, size, launcher->batch->stream);
    }
    return result;
}

static CUresult launchKernel(struct cucopyLauncher *launcher, CUkernel kernel)
{
    const struct cucopyBatch *const batch = launcher->batch;
    struct cucopyBlockHeader *const header = &launcher->header;
    size_t mostBlocks = launcher->touchesHost ? HOST_BLOCKS : INT32_MAX;
    if (batch->maxBlocks != 0 && batch->maxBlocks < mostBlocks)
        mostBlocks = batch->maxBlocks;
    header->team = (uint8_t)teamFor(launcher->bytes / header->count, mostBlocks);

    void *parameters[] = {header};
    const CUlaunchConfig config = {.gridDimX = (unsigned)blocksFor(header, mostBlocks),
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = THREADS,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .hStream = batch->stream};
    return cudrvLaunchKernelEx(&config, (CUfunction)kernel, parameters, NULL);
}

static CUresult launch(struct cucopyLauncher *launcher)
{
    struct cucopyBatch *const batch = launcher->batch;
    const struct cucopyBlockHeader *const header = &launcher->header;
    enum cucopyKernelSize size;
    const CUkernel kernel =
        kernelFor(sizeof(*header) + header->count * wordsOf(header->form) * sizeof(uint32_t), &size);
    CUresult result = kernel ? launchKernel(launcher, kernel) : CUDA_ERROR_NOT_SUPPORTED;
    if (!kernel || (result != CUDA_SUCCESS && cucopyKernelFailed(size, result))) {
        if (batch->path == CUCOPY_BATCH_KERNEL) {
            batch->reason = "the path is that of the kernel, which this device or driver cannot run";
            return CUDA_ERROR_NOT_SUPPORTED;
        }
        result = copySingly(launcher);
    }
    if (result == CUDA_SUCCESS)
        batch->enqueued += launcher->entries;
    return result;
}

static void clear(struct cucopyLauncher *launcher)
{
    launcher->header.count = 0;
    launcher->bytes = 0;
    launcher->entries = 0;
}

/* ---- Copies of any size ---- */

void cucopyLauncherInit(struct cucopyLauncher *launcher, struct cucopyBatch *batch, int form, int touchesHost,
                        size_t expected)
{
    launcher->batch = batch;
    launcher->touchesHost = touchesHost;
    launcher->capacity = capacityFor(batch, form, expected);
    launcher->header = (struct cucopyBlockHeader){.form = (uint8_t)form};
    clear(launcher);
}

CUresult cucopyLauncherFlush(struct cucopyLauncher *launcher)
{
    if (launcher->header.count == 0)
        return CUDA_SUCCESS;
    const CUresult result = launch(launcher);
    clear(launcher);
    return result;
}

CUresult cucopyLauncherAdd(struct cucopyLauncher *launcher, CUdeviceptr dst, CUdeviceptr src, size_t size,
                           size_t entries)
{
    CUresult result = CUDA_SUCCESS;
    while (size != 0 && result == CUDA_SUCCESS) {
        const size_t piece = size < 2 * (size_t)PIECE ? size : PIECE;
        cucopyPackOne(&launcher->words[4 * (size_t)launcher->header.count], dst, src, piece);
        launcher->header.count++;
        launcher->bytes += piece;
        dst += piece;
        src += piece;
        size -= piece;
        if (size == 0)
            launcher->entries += entries;
        if (launcher->header.count == launcher->capacity)
            result = cucopyLauncherFlush(launcher);
    }
    return result;
}

/* Entries that may have to be cut into pieces. */
static CUresult copyInPieces(struct cucopyLauncher *launcher)
{
    const struct cucopyBatch *const batch = launcher->batch;
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < batch->count && result == CUDA_SUCCESS; i++)
        result = cucopyLauncherAdd(launcher, batch->dsts[i], batch->srcs[i], batch->sizes[i], 1);
    return result == CUDA_SUCCESS ? cucopyLauncherFlush(launcher) : result;
}

/* ---- Entries as they are ---- */

/* How many low zeros all offsets have, up to what the kernel can make good. */
static unsigned shiftOf(CUdeviceptr bits)
{
    unsigned shift = 0;
    while (shift < 32 && !(bits >> shift & 1))
        shift++;
    return shift;
}

static int formFor(const struct cucopySurvey *survey, struct cucopyPacking *packing)
{
    packing->dstBase = survey->dst.base;
    packing->srcBase = survey->src.base;
    packing->shift = shiftOf(survey->dst.bits | survey->src.bits);
    const CUdeviceptr highest = (survey->dst.highest | survey->src.highest) >> packing->shift;
    return !survey->uniform        ? CUCOPY_FORM_GENERAL
           : highest <= UINT16_MAX ? CUCOPY_FORM_NARROW
           : highest <= UINT32_MAX ? CUCOPY_FORM_WIDE
                                   : CUCOPY_FORM_GENERAL;
}

static CUresult copyPacked(struct cucopyLauncher *launcher)
{
    const struct cucopyBatch *const batch = launcher->batch;
    struct cucopyBlockHeader *const header = &launcher->header;
    const struct cucopyPacking packing = {header->dst, header->src, header->shift};
    CUresult result = CUDA_SUCCESS;
    for (size_t done = 0; done < batch->count && result == CUDA_SUCCESS; done += launcher->capacity) {
        const CUdeviceptr *const dsts = &batch->dsts[done];
        const CUdeviceptr *const srcs = &batch->srcs[done];
        const size_t left = batch->count - done;
        const size_t count = left < launcher->capacity ? left : launcher->capacity;
        launcher->bytes = count * header->size;
        if (header->form == CUCOPY_FORM_NARROW)
            cucopyPackNarrow(launcher->words, &packing, dsts, srcs, count);
        else if (header->form == CUCOPY_FORM_WIDE)
            cucopyPackWide(launcher->words, &packing, dsts, srcs, count);
        else
            launcher->bytes = cucopyPackGeneral(launcher->words, dsts, srcs, &batch->sizes[done], count);
        header->count = (uint32_t)count;
        launcher->entries = count;
        result = launch(launcher);
    }
    return result;
}

CUresult cucopyKernelCopyAll(struct cucopyBatch *batch, const struct cucopySurvey *survey)
{
    struct cucopyLauncher launcher;
    struct cucopyPacking packing;
    const int form = formFor(survey, &packing);
    cucopyLauncherInit(&launcher, batch, form, cucopyTouchesHost(survey), batch->count);
    if (form == CUCOPY_FORM_GENERAL && survey->sizes >= 2 * (size_t)PIECE)
        return copyInPieces(&launcher);
    launcher.header.dst = packing.dstBase;
    launcher.header.src = packing.srcBase;
    launcher.header.size = (uint32_t)survey->size;
    launcher.header.shift = (uint8_t)packing.shift;
    return copyPacked(&launcher);
}
