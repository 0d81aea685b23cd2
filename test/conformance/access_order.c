/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a copy reads its source: at the call, or when its turn in the stream has come. The source is overwritten as soon
 * as the call has returned, so "old" bytes were read at the call and "new" ones later. On a busy stream, work before
 * the copy ends only after that, or after a while if the call itself waits for it. On an idle stream only what is read
 * at the call can be told: the rest is a race.
 */
#include "sections.h"
#include "world.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 1 << 20, PATIENCE_MS = 150 };

static CUstream s;
static CUdeviceptr d;
static unsigned char *pinned, *pageable;

static atomic_bool released, impatient;

static void CUDA_CB occupy(void *data)
{
    (void)data;
    for (int ms = 0; !atomic_load(&released); ms++) {
        if (ms == PATIENCE_MS) {
            atomic_store(&impatient, true);
            return;
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

struct order {
    const char *name;
    int order; /* 0: cuMemcpyAsync */
};

static CUresult copyFrom(const unsigned char *source, size_t bytes, const struct order *order)
{
    CUdeviceptr dst = d;
    CUdeviceptr src = (CUdeviceptr)(uintptr_t)source;
    size_t size = bytes;
    size_t first = 0;
    CUmemcpyAttributes attributes = {.srcAccessOrder = (CUmemcpySrcAccessOrder)order->order};
    if (!order->order)
        return cudrvMemcpyAsync(dst, src, bytes, s);
    return cudrvMemcpyBatchAsync(&dst, &src, &size, 1, &attributes, &first, 1, s);
}

static void tryOrder(const struct order *order, unsigned char *source, size_t bytes, bool busy)
{
    static unsigned char arrived[MOST];
    memset(source, 1, bytes);
    atomic_store(&released, false);
    atomic_store(&impatient, false);
    if (busy)
        MUST(cudrvLaunchHostFunc(s, occupy, NULL));
    const CUresult result = copyFrom(source, bytes, order);
    const bool waited = atomic_load(&impatient);
    memset(source, 2, bytes);
    atomic_store(&released, true);
    MUST(cudrvStreamSynchronize(s));
    MUST(cudrvMemcpyDtoH(arrived, d, bytes));
    const bool whole = memcmp(arrived, arrived + 1, bytes - 1) == 0;
    const char *const when = !whole ? "some of each" : arrived[0] == 1 ? "old bytes" : "new bytes";
    if (result != CUDA_SUCCESS)
        answerResult(result);
    else
        answer("%s%s", when, !busy ? "" : waited ? ", the call waits" : ", the call returns at once");
}

/* On an idle stream the copy itself may run before or after the bytes are overwritten. */
static bool isRace(const struct order *order, bool isPinned, bool busy)
{
    return !busy && isPinned && order->order != CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
}

static void play(void)
{
    static const struct order orders[] = {{"STREAM", CU_MEMCPY_SRC_ACCESS_ORDER_STREAM},
                                          {"DURING_API_CALL", CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL},
                                          {"ANY", CU_MEMCPY_SRC_ACCESS_ORDER_ANY},
                                          {"MemcpyAsync", 0}};
    static const size_t sizes[] = {16, 4096, 65536, 1048576};
    const char *const memories[] = {"pinned", "pageable"};
    worldOpen();
    const CUcontext a = contextNamed("A");
    s = streamNamed("sA")->handle;
    stackClear();
    MUST(cudrvCtxPushCurrent(a));
    MUST(cudrvMemAlloc(&d, MOST));
    MUST(cudrvMemHostAlloc((void **)&pinned, MOST, 0));
    pageable = aligned_alloc(4096, MOST);
    if (!pageable)
        giveUp("out of memory");
    memset(pageable, 0, MOST);
    for (int busy = 0; busy < 2; busy++)
        for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
            for (int memory = 0; memory < 2; memory++)
                for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++)
                    if (!isRace(&orders[i], memory == 0, busy) &&
                        ask("%s %s %s %zu", busy ? "busy" : "idle", orders[i].name, memories[memory], sizes[j]))
                        tryOrder(&orders[i], memory == 0 ? pinned : pageable, sizes[j], busy);
}

const struct section accessOrderSection = {
    .name = "access-order",
    .columns = "stream\torder\tsource\tbytes\tanswer",
    .about = "When a host-to-device copy reads its source, and whether the call waits for earlier work in the stream.",
    .play = play,
    .parts = 2,
};
