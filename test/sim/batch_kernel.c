/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of cucopy's batches in C: src/copy/batch_kernel.cu says what they do, src/copy/batch_block.h what they
 * are given. One function performs all of them, since they differ in the size of their parameters alone.
 */
#include "batch_kernel.h"

#include "../../src/copy/batch_block.h"

#include <string.h>

typedef struct One {
    uint64_t dst, src;
    uint32_t size;
} One;

static uint32_t wordAt(const void *parameters, size_t index)
{
    uint32_t word;
    memcpy(&word, (const char *)parameters + sizeof(struct cucopyBlockHeader) + index * sizeof word, sizeof word);
    return word;
}

static One copyAt(const void *parameters, const struct cucopyBlockHeader *header, size_t i)
{
    if (header->form == CUCOPY_FORM_NARROW) {
        const uint32_t packed = wordAt(parameters, i);
        return (One){header->dst + ((uint64_t)(packed & 0xffff) << header->shift),
                     header->src + ((uint64_t)(packed >> 16) << header->shift), header->size};
    }
    if (header->form == CUCOPY_FORM_WIDE)
        return (One){header->dst + ((uint64_t)wordAt(parameters, 2 * i) << header->shift),
                     header->src + ((uint64_t)wordAt(parameters, 2 * i + 1) << header->shift), header->size};
    const uint32_t high = wordAt(parameters, 4 * i + 2);
    return (One){(uint64_t)(high & 0xffff) << 32 | wordAt(parameters, 4 * i),
                 (uint64_t)(high >> 16) << 32 | wordAt(parameters, 4 * i + 1), wordAt(parameters, 4 * i + 3)};
}

void batchKernel(const cusimLaunch *launch)
{
    struct cucopyBlockHeader header;
    memcpy(&header, launch->parameters, sizeof header);
    const uint64_t threads = (uint64_t)launch->grid[0] * launch->block[0];
    if (threads >> header.team == 0)
        return; /* not one whole team: the kernel would leave out parts of each copy */
    for (size_t i = 0; i < header.count; i++) {
        const One one = copyAt(launch->parameters, &header, i);
        if (one.size == 0)
            continue;
        const void *const from = cusimAccess(launch, one.src, one.size, false);
        void *const to = from != NULL ? cusimAccess(launch, one.dst, one.size, true) : NULL;
        if (to == NULL)
            return;
        memmove(to, from, one.size);
    }
}
