/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel that reads memory, or writes what it read, so that access by a kernel can be asked about and a context can
 * be given a sticky error. The simulated driver is told what it does in C.
 */
#ifndef CONFORMANCE_KERNEL_H
#define CONFORMANCE_KERNEL_H

#include "probe.h"

/* Loads it; false, and said by lacks, if this driver cannot. */
bool kernelLoad(void);

/* Launches it in the current context. */
CUresult kernelLaunch(CUdeviceptr address, size_t bytes, bool write, CUstream stream);

/* The same, to read one byte, with so many bytes of its parameters in a buffer. All are 20; the first 16 will do. */
CUresult kernelLaunchFromBuffer(CUdeviceptr address, size_t parameters, CUstream stream);

#endif
