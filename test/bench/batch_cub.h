/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cub::DeviceMemcpy::Batched as a peer of the batch benchmark. Built with -DCUCOPY_BENCH_CUB=ON, which needs nvcc.
 */
#ifndef CUCOPY_BENCH_BATCH_CUB_H
#define CUCOPY_BENCH_BATCH_CUB_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Room for tables of up to `most` copies, in the primary context, which is current. 0 if there is none. */
int cubSetUp(size_t most);
void cubTearDown(void);

/* Upload the tables and launch; 0 if anything fails. Addresses are unsigned long long, as the driver has them. */
int cubCopy(const unsigned long long *dsts, const unsigned long long *srcs, const size_t *sizes, size_t count,
            void *stream);

#ifdef __cplusplus
}
#endif

#endif
