/* SPDX-License-Identifier: Apache-2.0 */
/* The per-thread default stream variants of functions.c. */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include "functions.c" /* NOLINT(bugprone-suspicious-include) */
