/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explanations of records in which anything may stand: wild pointers and sizes near known memory, results, steps and
 * states that are none. Whatever it is, the text ends where the room ends, and its length is what is returned.
 *
 * With libFuzzer it looks for inputs; without, fuzz_main.c feeds it pseudo-random ones.
 */
#include <cucopy/copy.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { bytes = 65536, page = 2 << 20, kinds = 4, roomUnit = 8 };

/* One piece of each kind of memory, the mapping with a hole behind it. */
static CUdeviceptr known[kinds];

static void must(CUresult result)
{
    if (result != CUDA_SUCCESS)
        abort();
}

static void allocate(void)
{
    const CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
    CUmemGenericAllocationHandle memory = 0;
    CUcontext context = NULL;
    void *pinned = NULL;
    must(cudrvInit(0));
    must(cudrvDevicePrimaryCtxRetain(&context, 0));
    must(cudrvCtxPushCurrent(context));
    must(cudrvMemAlloc(&known[0], bytes));
    must(cudrvMemAllocAsync(&known[1], bytes, NULL));
    must(cudrvMemHostAlloc(&pinned, bytes, 0));
    known[2] = (CUdeviceptr)(uintptr_t)pinned;
    must(cudrvMemAddressReserve(&known[3], (size_t)2 * page, 0, 0, 0));
    must(cudrvMemCreate(&memory, page, &properties, 0));
    must(cudrvMemMap(known[3], page, 0, memory, 0));
}

/* An address: as it came, or near known memory. */
static CUdeviceptr addressFrom(CUdeviceptr any, uint8_t choice)
{
    return choice % 2 ? known[choice / 2 % kinds] + any % ((CUdeviceptr)2 * bytes) : any;
}

/* A handle that cuCtxGetId has named alive may be asked again, so that state is the driver's to give. */
static cucopyContextState notAlive(cucopyContextState state)
{
    return state == CUCOPY_CONTEXT_ALIVE ? CUCOPY_CONTEXT_UNKNOWN : state;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const functions[] = {"cucopyMemcpyAsync",
                                            "cucopyMemcpy3DAsync",
                                            "cuMemcpyBatchAsync",
                                            "cucopyGuardExit",
                                            "cucopyMemcpyPeerAsync",
                                            "cuMemcpyDtoDAsync_ptsz",
                                            "cudrvMemcpyHtoAAsync",
                                            "cuda",
                                            "",
                                            NULL};
    enum { head = 4, functionCount = sizeof(functions) / sizeof(functions[0]) };
    cucopyFailure failure = CUCOPY_FAILURE_INIT;
    if (!known[0])
        allocate();
    if (size < head)
        return 0;
    const size_t filled = size - head < sizeof(failure) ? size - head : sizeof(failure);
    memcpy(&failure, data + head, filled);
    failure.size = sizeof(failure);
    failure.function = functions[data[0] % functionCount];
    failure.missing = data[0] & 64 ? "cuMemcpyBatchAsync" : NULL;
    failure.reason = data[0] & 128 ? "a reason" : NULL;
    failure.caller = NULL;
    failure.streamContextState = notAlive(failure.streamContextState);
    failure.currentContextState = notAlive(failure.currentContextState);
    failure.dst = addressFrom(failure.dst, data[1]);
    failure.src = addressFrom(failure.src, data[2]);
    if (data[1] & 128) {
        failure.result = CUDA_ERROR_INVALID_VALUE;
        failure.step = CUCOPY_STEP_COPY;
    }

    const size_t room = (size_t)data[3] * roomUnit;
    char *const text = malloc(room ? room : 1); /* ASan watches its end */
    if (!text)
        return 0;
    const size_t length = cucopyExplain(&failure, text, room);
    if (length == 0 || length >= 4096 || (room && strlen(text) != (length < room ? length : room - 1)))
        abort();
    free(text);
    return 0;
}
