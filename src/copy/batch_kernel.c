/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of one kernel that does many copies, their descriptions in the kernel's parameters: nothing to upload,
 * nothing to free, and a capture takes it like any launch. batch_kernel.cu is the kernel, batch_load.c finds it.
 */
#include "copy/batch_kernel.h"

#include "copy/batch_load.h"
#include "copy/batch_pack.h"

#include <stdatomic.h>

enum {
    THREADS = 256,         /* as in batch_kernel.cu */
    BYTES_PER_THREAD = 64, /* four accesses of 16 bytes are in flight at once */
    LEAST_TEAM = 3,
    LARGEST_TEAM = 16,
    HOST_BLOCKS = 64, /* saturate the link to the host: measured, 32 nearly do */
    PIECE = CUCOPY_CUT_FROM / 2
};

_Static_assert(sizeof(struct cucopySmallBlock) == CUCOPY_BLOCK_SMALL, "there is no gap");
_Static_assert(sizeof(struct cucopyLargeBlock) == CUCOPY_BLOCK_LARGE, "there is no gap");

static const size_t blockBytes[] = {CUCOPY_BLOCK_SMALL, CUCOPY_BLOCK_LARGE};

static size_t wordsOf(int form)
{
    return (size_t)1 << form; /* 1, 2, 4 */
}

static size_t bytesOf(int form, size_t copies)
{
    return sizeof(struct cucopyBlockHeader) + copies * wordsOf(form) * sizeof(uint32_t);
}

/* How many copies go into each launch, so that all of them are about equally large. */
static size_t capacityFor(const struct cucopyLauncher *launcher, int form, size_t expected)
{
    size_t most = CUCOPY_BLOCK_WORDS(CUCOPY_BLOCK_SMALL) / wordsOf(form);
    if (expected > most && launcher->room > CUCOPY_BLOCK_SMALL)
        most = CUCOPY_BLOCK_WORDS(blockBytes[cucopyLargestKernel(&launcher->batch->device)]) / wordsOf(form);
    const size_t launches = (expected + most - 1) / most;
    return launches > 1 ? (expected + launches - 1) / launches : most;
}

int cucopyKernelIsUsable(struct cucopyBatch *batch)
{
    return cucopyKernelOfSize(CUCOPY_KERNEL_SMALL, &batch->device) != NULL;
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

/* The smallest kernel whose parameters hold that many bytes. All of its parameters are in our block. */
static CUkernel kernelFor(const struct cucopyLauncher *launcher, size_t bytes, enum cucopyKernelSize *size)
{
    CUkernel kernel = NULL;
    for (*size = CUCOPY_KERNEL_SMALL; *size < CUCOPY_KERNEL_SIZES && blockBytes[*size] <= launcher->room; (*size)++)
        if (blockBytes[*size] >= bytes && (kernel = cucopyKernelOfSize(*size, &launcher->batch->device)) != NULL)
            return kernel;
    return NULL;
}

/* What the kernel would have done, in stream order as well: all of this memory is known to CUDA. */
static CUresult copySingly(const struct cucopyLauncher *launcher)
{
    const struct cucopyBlockHeader *const header = launcher->header;
    struct cucopyBatch *const batch = launcher->batch;
    for (size_t i = 0; i < header->count; i++) {
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
        const CUresult result = size ? cudrvMemcpyAsync(dst, src, size, batch->stream) : CUDA_SUCCESS;
        if (result != CUDA_SUCCESS) {
            batch->entry = launcher->isEntryEach ? batch->enqueued : batch->entry;
            return result;
        }
        batch->enqueued += (size_t)launcher->isEntryEach;
    }
    batch->enqueued += launcher->isEntryEach ? 0 : launcher->entries;
    return CUDA_SUCCESS;
}

/* cuLaunchKernel takes 0.5 to 1 microsecond less than cuLaunchKernelEx to hand over the same parameters (H200). */
static CUresult launchWith(const struct cucopyLauncher *launcher, CUkernel kernel, size_t blocks, size_t bytes)
{
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, launcher->header, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    return cudrvLaunchKernel((CUfunction)kernel, (unsigned)blocks, 1, 1, THREADS, 1, 1, 0, launcher->batch->stream,
                             NULL, extra);
}

/*
 * The driver takes the beginning of the parameters for all of them and is quicker the less there is (H200, driver 580).
 * Nothing says that it must, so one that does not gets the whole block from then on.
 */
static CUresult launchKernel(struct cucopyLauncher *launcher, CUkernel kernel, size_t bytes, size_t whole)
{
    static atomic_int takesAll;
    const struct cucopyBatch *const batch = launcher->batch;
    struct cucopyBlockHeader *const header = launcher->header;
    size_t mostBlocks = launcher->touchesHost ? HOST_BLOCKS : INT32_MAX;
    if (batch->maxBlocks != 0 && batch->maxBlocks < mostBlocks)
        mostBlocks = batch->maxBlocks;
    header->team = (uint8_t)teamFor(launcher->bytes / header->count, mostBlocks);

    const size_t blocks = blocksFor(header, mostBlocks);
    if (atomic_load_explicit(&takesAll, memory_order_relaxed))
        return launchWith(launcher, kernel, blocks, whole);
    const CUresult result = launchWith(launcher, kernel, blocks, bytes);
    if (result != CUDA_ERROR_INVALID_VALUE && result != CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
        return result;
    const CUresult again = launchWith(launcher, kernel, blocks, whole);
    if (again == CUDA_SUCCESS)
        atomic_store_explicit(&takesAll, 1, memory_order_relaxed);
    return again;
}

static CUresult launch(struct cucopyLauncher *launcher)
{
    struct cucopyBatch *const batch = launcher->batch;
    const struct cucopyBlockHeader *const header = launcher->header;
    const size_t bytes = bytesOf(header->form, header->count);
    enum cucopyKernelSize size;
    const CUkernel kernel = kernelFor(launcher, bytes, &size);
    CUresult result = kernel ? launchKernel(launcher, kernel, bytes, blockBytes[size]) : CUDA_ERROR_NOT_SUPPORTED;
    if (!kernel || (result != CUDA_SUCCESS && cucopyKernelFailed(size, &batch->device, result))) {
        if (batch->path == CUCOPY_BATCH_KERNEL) {
            batch->reason = "the path is that of the kernel, which this device or driver cannot run";
            return CUDA_ERROR_NOT_SUPPORTED;
        }
        return copySingly(launcher);
    }
    if (result == CUDA_SUCCESS)
        batch->enqueued += launcher->entries;
    return result;
}

static void clear(struct cucopyLauncher *launcher)
{
    launcher->header->count = 0;
    launcher->bytes = 0;
    launcher->entries = 0;
}

/* ---- Copies of any size ---- */

static void start(struct cucopyLauncher *launcher, int form, size_t expected)
{
    *launcher->header = (struct cucopyBlockHeader){.form = (uint8_t)form};
    launcher->capacity = capacityFor(launcher, form, expected);
    launcher->isEntryEach = 0;
    clear(launcher);
}

void cucopyLauncherInit(struct cucopyLauncher *launcher, struct cucopyLargeBlock *block, struct cucopyBatch *batch,
                        int touchesHost, size_t expected)
{
    launcher->header = &block->header;
    launcher->words = block->words;
    launcher->room = sizeof(*block);
    launcher->batch = batch;
    launcher->touchesHost = touchesHost;
    start(launcher, CUCOPY_FORM_GENERAL, expected);
}

CUresult cucopyLauncherFlush(struct cucopyLauncher *launcher)
{
    if (launcher->header->count == 0)
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
        const size_t piece = size < (size_t)CUCOPY_CUT_FROM ? size : PIECE;
        cucopyPackOne(&launcher->words[4 * (size_t)launcher->header->count], dst, src, piece);
        launcher->header->count++;
        launcher->bytes += piece;
        dst += piece;
        src += piece;
        size -= piece;
        if (size == 0)
            launcher->entries += entries;
        if (launcher->header->count == launcher->capacity)
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
    struct cucopyBlockHeader *const header = launcher->header;
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

static CUresult copyAll(struct cucopyLauncher *launcher, const struct cucopySurvey *survey, int form,
                        const struct cucopyPacking *packing)
{
    start(launcher, form, launcher->batch->count);
    if (form == CUCOPY_FORM_GENERAL && survey->sizes >= CUCOPY_CUT_FROM)
        return copyInPieces(launcher);
    launcher->isEntryEach = 1;
    launcher->header->dst = packing->dstBase;
    launcher->header->src = packing->srcBase;
    launcher->header->size = (uint32_t)survey->size;
    launcher->header->shift = (uint8_t)packing->shift;
    return copyPacked(launcher);
}

#define COPY_ALL(name, Block)                                                                                          \
    CUCOPY_APART static CUresult name(struct cucopyBatch *batch, const struct cucopySurvey *survey, int form,          \
                                      const struct cucopyPacking *packing)                                             \
    {                                                                                                                  \
        struct Block block;                                                                                            \
        struct cucopyLauncher launcher = {.header = &block.header,                                                     \
                                          .words = block.words,                                                        \
                                          .room = sizeof(block),                                                       \
                                          .batch = batch,                                                              \
                                          .touchesHost = cucopyTouchesHost(survey)};                                   \
        return copyAll(&launcher, survey, form, packing);                                                              \
    }
COPY_ALL(copyAllSmall, cucopySmallBlock)
COPY_ALL(copyAllLarge, cucopyLargeBlock)
#undef COPY_ALL

CUCOPY_APART CUresult cucopyKernelCopyFew(struct cucopyBatch *batch, size_t bytes, int touchesHost)
{
    struct cucopySmallBlock block;
    struct cucopyLauncher launcher = {.header = &block.header,
                                      .words = block.words,
                                      .room = sizeof(block),
                                      .batch = batch,
                                      .touchesHost = touchesHost,
                                      .isEntryEach = 1,
                                      .bytes = bytes,
                                      .entries = batch->count};
    block.header = (struct cucopyBlockHeader){.form = CUCOPY_FORM_GENERAL, .count = (uint32_t)batch->count};
    (void)cucopyPackGeneral(block.words, batch->dsts, batch->srcs, batch->sizes, batch->count);
    return launch(&launcher);
}

CUresult cucopyKernelCopyAll(struct cucopyBatch *batch, const struct cucopySurvey *survey)
{
    struct cucopyPacking packing;
    const int form = formFor(survey, &packing);
    return bytesOf(form, batch->count) <= CUCOPY_BLOCK_SMALL ? copyAllSmall(batch, survey, form, &packing)
                                                             : copyAllLarge(batch, survey, form, &packing);
}
