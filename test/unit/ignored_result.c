/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler speaks up when the result of entering a guard is ignored. */
#include <cucopy/copy.h>

#pragma GCC diagnostic error "-Wunused-result"

CUresult enter(cucopyGuard *guard, CUstream stream)
{
#ifdef MISTAKE
    cucopyGuardEnter(guard, stream);
#endif
    return cucopyGuardEnter(guard, stream);
}
