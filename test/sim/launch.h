/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel launches as pieces of work. */
#ifndef CUSIM_LAUNCH_H
#define CUSIM_LAUNCH_H

#include "driver.h"

struct KernelWork;

void kernelPerform(struct KernelWork *work);
struct KernelWork *kernelWorkClone(const struct KernelWork *work);
void kernelWorkDispose(struct KernelWork *work);

#endif
