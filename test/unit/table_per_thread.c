/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same rows, with cuda.h included as a caller who asks for the per-thread default stream includes it.
 */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#define TABLE_ROWS tablePerThread
#define TABLE_COUNT tablePerThreadCount
#include "table_legacy.c" /* NOLINT(bugprone-suspicious-include) */
