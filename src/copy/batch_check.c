/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of a batch, and what the environment says of the path.
 */
#include "copy/batch.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static int isOrder(int order)
{
    return order >= CU_MEMCPY_SRC_ACCESS_ORDER_STREAM && order <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
}

static CUresult refuse(struct cucopyBatch *batch, size_t entry, const char *reason)
{
    batch->entry = entry;
    batch->reason = reason;
    return CUDA_ERROR_INVALID_VALUE;
}

/* attrsIdxs has numAttrs elements; nothing behind them is read. */
CUresult cucopyBatchCheck(struct cucopyBatch *batch)
{
    if (batch->path == CUCOPY_BATCH_DEFAULT)
        return refuse(batch, CUCOPY_NO_ENTRY, "the options are not those of this version of cucopy");
    if (!batch->dsts || !batch->srcs || !batch->sizes)
        return refuse(batch, CUCOPY_NO_ENTRY, "dsts, srcs or sizes is NULL");
    if (!batch->attrs || !batch->attrsIdxs)
        return refuse(batch, CUCOPY_NO_ENTRY, "attrs or attrsIdxs is NULL, and numAttrs is not 0");
    for (size_t i = 0; i < batch->numAttrs; i++) {
        const CUmemcpyAttributes *const attributes = &batch->attrs[i];
        const size_t from = batch->attrsIdxs[i];
        if (from >= batch->count)
            return refuse(batch, CUCOPY_NO_ENTRY, "an index in attrsIdxs is not below count");
        if (i == 0 ? from != 0 : from <= batch->attrsIdxs[i - 1])
            return refuse(batch, from, "attrsIdxs does not begin at 0 and rise");
        if (!isOrder((int)attributes->srcAccessOrder))
            return refuse(batch, from, "there is no such source access order");
        if ((attributes->flags & ~(unsigned)CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE) != 0)
            return refuse(batch, from, "there is no such flag");
        batch->orders |= CUCOPY_ORDER_BIT(attributes->srcAccessOrder);
        batch->overlaps |= attributes->flags != 0;
    }
    return CUDA_SUCCESS;
}

/* Read once: getenv must not run beside setenv, and a path that changes with the environment would surprise. */
cucopyBatchPath cucopyBatchDefaultPath(void)
{
    static atomic_int known = CUCOPY_BATCH_DEFAULT;
    int path = atomic_load_explicit(&known, memory_order_relaxed);
    if (path == CUCOPY_BATCH_DEFAULT) {
        const char *const name = getenv("CUCOPY_BATCH_PATH"); /* NOLINT(concurrency-mt-unsafe) */
        path = name && !strcmp(name, "kernel")   ? CUCOPY_BATCH_KERNEL
               : name && !strcmp(name, "engine") ? CUCOPY_BATCH_ENGINE
                                                 : CUCOPY_BATCH_AUTO;
        atomic_store_explicit(&known, path, memory_order_relaxed);
    }
    return (cucopyBatchPath)path;
}
