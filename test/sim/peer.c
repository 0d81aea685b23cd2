/* SPDX-License-Identifier: Apache-2.0 */
/* Peer access: every device can reach every other once a context asks for it. */
#include "context.h"
#include "device.h"

static CUresult canAccess(int *can, CUdevice device, CUdevice peer)
{
    if (can == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!deviceIsValid(device) || !deviceIsValid(peer))
        return CUDA_ERROR_INVALID_DEVICE;
    *can = device != peer;
    return CUDA_SUCCESS;
}

static CUresult getAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice source, CUdevice destination)
{
    if (value == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!deviceIsValid(source) || !deviceIsValid(destination) || source == destination)
        return CUDA_ERROR_INVALID_DEVICE;
    switch ((int)attribute) {
    case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
        *value = 0;
        return CUDA_SUCCESS;
    case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
        *value = 1;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* The current context, and the bit of the peer's device in its mask. */
static CUresult resolve(CUcontext peerHandle, Context **context, unsigned *bit)
{
    const CUresult result = contextRequire(context);
    if (result != CUDA_SUCCESS)
        return result;
    const Context *peer = contextFind(peerHandle);
    if (peer == NULL || peer == *context)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (peer->device == (*context)->device)
        return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    *bit = 1u << peer->device;
    return CUDA_SUCCESS;
}

static CUresult enable(CUcontext peer, unsigned flags)
{
    Context *context;
    unsigned bit;
    const CUresult result = resolve(peer, &context, &bit);
    if (result != CUDA_SUCCESS)
        return result;
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if ((context->peers & bit) != 0)
        return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    context->peers |= bit;
    return CUDA_SUCCESS;
}

static CUresult disable(CUcontext peer)
{
    Context *context;
    unsigned bit;
    const CUresult result = resolve(peer, &context, &bit);
    if (result != CUDA_SUCCESS)
        return result;
    if ((context->peers & bit) == 0)
        return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
    context->peers &= ~bit;
    return CUDA_SUCCESS;
}

API(cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer), canAccess(can, device, peer))
API(cuDeviceGetP2PAttribute, (int *value, CUdevice_P2PAttribute attribute, CUdevice source, CUdevice destination),
    getAttribute(value, attribute, source, destination))
API(cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags), enable(peer, flags))
API(cuCtxDisablePeerAccess, (CUcontext peer), disable(peer))
