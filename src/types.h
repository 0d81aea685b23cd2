/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda.h, and the types that an older toolkit's cuda.h lacks, so that the library is the same whatever toolkit built
 * it. Included first by every source file of both layers. Types that the driver only ever sees behind a pointer, and
 * that we never look into, stay incomplete; the others have the driver's layout, compared with cuda.h where it has
 * them.
 */
#ifndef CUCOPY_TYPES_H
#define CUCOPY_TYPES_H

#include <cuda.h>
#include <stddef.h>

/* Every prototype of the public headers, though cuda.h be old. */
#define CUDRV_ALL_TYPES 1

#if CUDA_VERSION < 12000
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef int CUlibraryOption;
typedef int CUdriverProcAddressQueryResult;
typedef struct CUDA_GRAPH_INSTANTIATE_PARAMS_st CUDA_GRAPH_INSTANTIATE_PARAMS;
typedef struct CUgraphExecUpdateResultInfo_st CUgraphExecUpdateResultInfo;
#endif

#if CUDA_VERSION < 12030
typedef struct CUgraphEdgeData_st CUgraphEdgeData;
#endif

#if CUDA_VERSION < 12040
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUdevResourceDesc_st *CUdevResourceDesc;
typedef struct CUdevResource_st CUdevResource;
typedef int CUdevResourceType;
#endif

#if CUDA_VERSION < 12050
typedef struct CUctxCreateParams_st CUctxCreateParams;
#endif

/* The attributes and operations of a batch are read by the safe layer, so their layout is written down. */
struct cudrvMemcpyAttributes {
    int srcAccessOrder;
    CUmemLocation srcLocHint;
    CUmemLocation dstLocHint;
    unsigned int flags;
};

struct cudrvMemcpy3DOperand {
    int type;
    union {
        struct {
            CUdeviceptr ptr;
            size_t rowLength;
            size_t layerHeight;
            CUmemLocation locHint;
        } ptr;
        struct {
            CUarray array;
            struct {
                size_t x, y, z;
            } offset;
        } array;
    } op;
};

struct cudrvMemcpy3DBatchOp {
    struct cudrvMemcpy3DOperand src;
    struct cudrvMemcpy3DOperand dst;
    struct {
        size_t width, height, depth;
    } extent;
    int srcAccessOrder;
    unsigned int flags;
};

#if CUDA_VERSION < 12080
typedef int CUmemcpySrcAccessOrder;
typedef struct cudrvMemcpyAttributes CUmemcpyAttributes;
typedef struct cudrvMemcpy3DOperand CUmemcpy3DOperand;
typedef struct cudrvMemcpy3DBatchOp CUDA_MEMCPY3D_BATCH_OP;
enum { CU_MEMCPY_OPERAND_TYPE_POINTER = 1, CU_MEMCPY_OPERAND_TYPE_ARRAY = 2 };
enum {
    CU_MEMCPY_SRC_ACCESS_ORDER_STREAM = 1,
    CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL = 2,
    CU_MEMCPY_SRC_ACCESS_ORDER_ANY = 3
};
enum { CU_MEMCPY_FLAG_DEFAULT = 0, CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE = 1 };
#else
#define SAME(ours, theirs, member)                                                                                     \
    _Static_assert(offsetof(ours, member) == offsetof(theirs, member), #theirs "." #member " is where cuda.h has it")
_Static_assert(sizeof(struct cudrvMemcpyAttributes) == sizeof(CUmemcpyAttributes), "CUmemcpyAttributes as in cuda.h");
SAME(struct cudrvMemcpyAttributes, CUmemcpyAttributes, srcLocHint);
SAME(struct cudrvMemcpyAttributes, CUmemcpyAttributes, dstLocHint);
SAME(struct cudrvMemcpyAttributes, CUmemcpyAttributes, flags);
_Static_assert(sizeof(struct cudrvMemcpy3DOperand) == sizeof(CUmemcpy3DOperand), "CUmemcpy3DOperand as in cuda.h");
SAME(struct cudrvMemcpy3DOperand, CUmemcpy3DOperand, op.ptr.rowLength);
SAME(struct cudrvMemcpy3DOperand, CUmemcpy3DOperand, op.ptr.layerHeight);
SAME(struct cudrvMemcpy3DOperand, CUmemcpy3DOperand, op.ptr.locHint);
SAME(struct cudrvMemcpy3DOperand, CUmemcpy3DOperand, op.array.offset.x);
_Static_assert(sizeof(struct cudrvMemcpy3DBatchOp) == sizeof(CUDA_MEMCPY3D_BATCH_OP), "CUDA_MEMCPY3D_BATCH_OP");
SAME(struct cudrvMemcpy3DBatchOp, CUDA_MEMCPY3D_BATCH_OP, dst);
SAME(struct cudrvMemcpy3DBatchOp, CUDA_MEMCPY3D_BATCH_OP, extent.depth);
SAME(struct cudrvMemcpy3DBatchOp, CUDA_MEMCPY3D_BATCH_OP, srcAccessOrder);
SAME(struct cudrvMemcpy3DBatchOp, CUDA_MEMCPY3D_BATCH_OP, flags);
#undef SAME
#endif

#endif
