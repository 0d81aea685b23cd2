/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same for a program that is compiled for the per-thread default stream.
 */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include "test_override.c" /* NOLINT(bugprone-suspicious-include) */
