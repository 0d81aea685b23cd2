/* SPDX-License-Identifier: Apache-2.0 */
/* program <devices> <version>: exits with 0 on a simulated driver of that many devices and that version. */
#include <cucopy/cusim.h>
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments)
{
    int devices = 0;
    int version = 0;
    if (count != 3 || cuInit(0) != CUDA_SUCCESS || cuDeviceGetCount(&devices) != CUDA_SUCCESS ||
        cuDriverGetVersion(&version) != CUDA_SUCCESS)
        return 1;
    printf("%d devices, version %d, %lu calls\n", devices, version, cusimCalls(NULL));
    return devices == strtol(arguments[1], NULL, 10) && version == strtol(arguments[2], NULL, 10) &&
                   cusimCalls("cuInit") == 1
               ? 0
               : 1;
}
