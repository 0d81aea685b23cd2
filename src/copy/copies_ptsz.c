/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The per-thread variants of the single copies: the same source, compiled as a caller's own is who asks for them.
 */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include "copies.c" /* NOLINT(bugprone-suspicious-include) */
