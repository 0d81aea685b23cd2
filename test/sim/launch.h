/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel launches as pieces of work. */
#ifndef CUSIM_LAUNCH_H
#define CUSIM_LAUNCH_H

typedef struct KernelWork KernelWork;

void kernelPerform(const KernelWork *work);
KernelWork *kernelWorkClone(const KernelWork *work);
void kernelWorkDispose(KernelWork *work);

#endif
