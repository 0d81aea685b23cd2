/* SPDX-License-Identifier: Apache-2.0 */
#include "launch.h"
void kernelPerform(struct KernelWork *work)
{
    (void)work;
}
struct KernelWork *kernelWorkClone(const struct KernelWork *work)
{
    (void)work;
    return NULL;
}
void kernelWorkDispose(struct KernelWork *work)
{
    (void)work;
}
