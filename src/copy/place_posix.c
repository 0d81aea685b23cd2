/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in the program an address of code is, as the dynamic loader of Linux knows it.
 */
#define _GNU_SOURCE /* dladdr */
#include "copy/explain.h"

#include <dlfcn.h>

const char *cucopyModuleOf(const void *code, size_t *offset)
{
    Dl_info module;
    if (!code || !dladdr(code, &module) || !module.dli_fname)
        return NULL;
    *offset = (size_t)((const char *)code - (const char *)module.dli_fbase);
    return module.dli_fname;
}
