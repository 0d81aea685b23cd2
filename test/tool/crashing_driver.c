/* SPDX-License-Identifier: Apache-2.0 */
/* A libcuda.so.1 that does not survive being loaded. */
#include <signal.h>

__attribute__((constructor)) static void crash(void)
{
    (void)raise(SIGSEGV);
}
