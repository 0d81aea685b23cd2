/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDRV_CHECK, a row as a compile-time check: our function has the very type that cudaTypedefs.h gives to that entry
 * point in that version. A version newer than the toolkit has no type there; newer toolkits check those rows.
 */
#ifndef CUCOPY_DRV_CHECK_H
#define CUCOPY_DRV_CHECK_H

#include <cudaTypedefs.h>

#define CUDRV_CHECK(name, toolkit, pfn) CUDRV_CHECK_IF(toolkit, name, pfn)
#define CUDRV_CHECK_IF(has, name, pfn) CUDRV_CHECK_IF_##has(name, pfn)
#define CUDRV_CHECK_IF_0(name, pfn)
#define CUDRV_CHECK_IF_1(name, pfn)                                                                                    \
    _Static_assert(_Generic(&cudrv##name, pfn : 1, default : 0), "cudrv" #name " has another type than " #pfn);

#define CUDRV_TOOLKIT_2000 1
#define CUDRV_TOOLKIT_2010 1
#define CUDRV_TOOLKIT_2020 1
#define CUDRV_TOOLKIT_2030 1
#define CUDRV_TOOLKIT_3010 1
#define CUDRV_TOOLKIT_3020 1
#define CUDRV_TOOLKIT_4000 1
#define CUDRV_TOOLKIT_4010 1
#define CUDRV_TOOLKIT_5000 1
#define CUDRV_TOOLKIT_5050 1
#define CUDRV_TOOLKIT_6000 1
#define CUDRV_TOOLKIT_6050 1
#define CUDRV_TOOLKIT_7000 1
#define CUDRV_TOOLKIT_8000 1
#define CUDRV_TOOLKIT_9000 1
#define CUDRV_TOOLKIT_9020 1
#define CUDRV_TOOLKIT_10000 1
#define CUDRV_TOOLKIT_10010 1
#define CUDRV_TOOLKIT_10020 1
#define CUDRV_TOOLKIT_11000 1
#define CUDRV_TOOLKIT_11010 1
#define CUDRV_TOOLKIT_11020 1
#define CUDRV_TOOLKIT_11030 1
#define CUDRV_TOOLKIT_11040 1
#define CUDRV_TOOLKIT_11060 1
#define CUDRV_TOOLKIT_11070 1
#if CUDA_VERSION >= 12000
#define CUDRV_TOOLKIT_12000 1
#else
#define CUDRV_TOOLKIT_12000 0
#endif
#if CUDA_VERSION >= 12010
#define CUDRV_TOOLKIT_12010 1
#else
#define CUDRV_TOOLKIT_12010 0
#endif
#if CUDA_VERSION >= 12020
#define CUDRV_TOOLKIT_12020 1
#else
#define CUDRV_TOOLKIT_12020 0
#endif
#if CUDA_VERSION >= 12030
#define CUDRV_TOOLKIT_12030 1
#else
#define CUDRV_TOOLKIT_12030 0
#endif
#if CUDA_VERSION >= 12040
#define CUDRV_TOOLKIT_12040 1
#else
#define CUDRV_TOOLKIT_12040 0
#endif
#if CUDA_VERSION >= 12050
#define CUDRV_TOOLKIT_12050 1
#else
#define CUDRV_TOOLKIT_12050 0
#endif
#if CUDA_VERSION >= 12080
#define CUDRV_TOOLKIT_12080 1
#else
#define CUDRV_TOOLKIT_12080 0
#endif
#if CUDA_VERSION >= 13000 /* cuGreenCtxGetId, which 13.0 dates to 12.9, is in no 12.9 header */
#define CUDRV_TOOLKIT_12090 1
#else
#define CUDRV_TOOLKIT_12090 0
#endif
#if CUDA_VERSION >= 13000
#define CUDRV_TOOLKIT_13000 1
#else
#define CUDRV_TOOLKIT_13000 0
#endif
#if CUDA_VERSION >= 13020
#define CUDRV_TOOLKIT_13020 1
#else
#define CUDRV_TOOLKIT_13020 0
#endif

#endif
