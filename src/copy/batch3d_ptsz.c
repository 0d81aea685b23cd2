/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The per-thread variants of the batches of boxes: the same source, compiled as a caller's own is who asks for them.
 */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include "batch3d.c" /* NOLINT(bugprone-suspicious-include) */
