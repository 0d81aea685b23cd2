/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a row of entries.h says, and how it becomes one or two invocations of CUDRV_ONE, which the includer defines.
 *
 *   CUDRV_ENTRY(name, lookup, version, plain, count, types…)
 *     name     ours, after cudrv
 *     lookup   what cuGetProcAddress is asked for
 *     version  the CUDA version whose signature the row has; pinned, since the driver gives a newer one by the same
 * name plain    the exported symbol with this signature, for drivers that have no cuGetProcAddress types    of the
 * count parameters CUDRV_ENTRY_PTSZ, CUDRV_ENTRY_PTDS: the same for functions with a per-thread default stream variant,
 * which gives a second CUDRV_ONE. The driver has those variants from 7.0 on.
 *
 *   CUDRV_ONE(name, lookup, version, plain, stream, toolkit, pfn, count, types…)
 *     lookup, plain  strings now
 *     stream         CUDRV_LEGACY or CUDRV_PER_THREAD
 *     toolkit, pfn   cudaTypedefs.h's name for a pointer to this function, and the toolkit that first has it; for
 * check.h
 */
#ifndef CUCOPY_DRV_ROWS_H
#define CUCOPY_DRV_ROWS_H

#define CUDRV_LEGACY 0
#define CUDRV_PER_THREAD 1

/* Names from cuda.h are macros there: they may only meet # and ## below, never a second expansion. */
#define CUDRV_ENTRY(name, lookup, version, plain, count, ...)                                                          \
    CUDRV_ONE(name, #lookup, version, #plain, CUDRV_LEGACY, CUDRV_TOOLKIT_##version, PFN_##lookup##_v##version, count, \
              __VA_ARGS__)
#define CUDRV_ENTRY_PTSZ(name, lookup, version, plain, count, ...)                                                     \
    CUDRV_ONE(name, #lookup, version, #plain, CUDRV_LEGACY, CUDRV_TOOLKIT_##version, PFN_##lookup##_v##version, count, \
              __VA_ARGS__)                                                                                             \
    CUDRV_ONE(name##_ptsz, #lookup, CUDRV_SINCE_7000(version), #plain "_ptsz", CUDRV_PER_THREAD,                       \
              CUDRV_TOOLKIT_##version, CUDRV_PFN_PER_THREAD(PFN_##lookup##_v, version, _ptsz), count, __VA_ARGS__)
#define CUDRV_ENTRY_PTDS(name, lookup, version, plain, count, ...)                                                     \
    CUDRV_ONE(name, #lookup, version, #plain, CUDRV_LEGACY, CUDRV_TOOLKIT_##version, PFN_##lookup##_v##version, count, \
              __VA_ARGS__)                                                                                             \
    CUDRV_ONE(name##_ptds, #lookup, CUDRV_SINCE_7000(version), #plain "_ptds", CUDRV_PER_THREAD,                       \
              CUDRV_TOOLKIT_##version, CUDRV_PFN_PER_THREAD(PFN_##lookup##_v, version, _ptds), count, __VA_ARGS__)

#define CUDRV_SINCE_7000(version) ((version) < 7000 ? 7000 : (version))
#define CUDRV_CAT3(a, b, c) a##b##c
#define CUDRV_CAT3_EXPANDED(a, b, c) CUDRV_CAT3(a, b, c)
#define CUDRV_PFN_PER_THREAD(prefix, version, suffix) CUDRV_CAT3_EXPANDED(prefix, CUDRV_THREAD_##version, suffix)
#define CUDRV_THREAD_2000 7000
#define CUDRV_THREAD_3020 7000
#define CUDRV_THREAD_4000 7000
#define CUDRV_THREAD_5000 7000
#define CUDRV_THREAD_5050 7000
#define CUDRV_THREAD_6000 7000
#define CUDRV_THREAD_8000 8000
#define CUDRV_THREAD_9000 9000
#define CUDRV_THREAD_9020 9020
#define CUDRV_THREAD_10000 10000
#define CUDRV_THREAD_10010 10010
#define CUDRV_THREAD_11000 11000
#define CUDRV_THREAD_11010 11010
#define CUDRV_THREAD_11020 11020
#define CUDRV_THREAD_11030 11030
#define CUDRV_THREAD_11060 11060
#define CUDRV_THREAD_11070 11070
#define CUDRV_THREAD_12000 12000
#define CUDRV_THREAD_12020 12020
#define CUDRV_THREAD_12030 12030
#define CUDRV_THREAD_12050 12050
#define CUDRV_THREAD_12080 12080
#define CUDRV_THREAD_13000 13000
#define CUDRV_THREAD_13020 13020

/* The parameters of a function of n, from their types; and the same as arguments. */
#define CUDRV_PARAMS(n, ...) CUDRV_PARAMS_##n(__VA_ARGS__)
#define CUDRV_PARAMS_0(A) A
#define CUDRV_PARAMS_1(A) A a
#define CUDRV_PARAMS_2(A, B) A a, B b
#define CUDRV_PARAMS_3(A, B, C) A a, B b, C c
#define CUDRV_PARAMS_4(A, B, C, D) A a, B b, C c, D d
#define CUDRV_PARAMS_5(A, B, C, D, E) A a, B b, C c, D d, E e
#define CUDRV_PARAMS_6(A, B, C, D, E, F) A a, B b, C c, D d, E e, F f
#define CUDRV_PARAMS_7(A, B, C, D, E, F, G) A a, B b, C c, D d, E e, F f, G g
#define CUDRV_PARAMS_8(A, B, C, D, E, F, G, H) A a, B b, C c, D d, E e, F f, G g, H h
#define CUDRV_PARAMS_9(A, B, C, D, E, F, G, H, I) A a, B b, C c, D d, E e, F f, G g, H h, I i
#define CUDRV_PARAMS_10(A, B, C, D, E, F, G, H, I, J) A a, B b, C c, D d, E e, F f, G g, H h, I i, J j
#define CUDRV_PARAMS_11(A, B, C, D, E, F, G, H, I, J, K) A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k

#define CUDRV_ARGS_0
#define CUDRV_ARGS_1 a
#define CUDRV_ARGS_2 a, b
#define CUDRV_ARGS_3 a, b, c
#define CUDRV_ARGS_4 a, b, c, d
#define CUDRV_ARGS_5 a, b, c, d, e
#define CUDRV_ARGS_6 a, b, c, d, e, f
#define CUDRV_ARGS_7 a, b, c, d, e, f, g
#define CUDRV_ARGS_8 a, b, c, d, e, f, g, h
#define CUDRV_ARGS_9 a, b, c, d, e, f, g, h, i
#define CUDRV_ARGS_10 a, b, c, d, e, f, g, h, i, j
#define CUDRV_ARGS_11 a, b, c, d, e, f, g, h, i, j, k

#endif
