/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structures that callers fill and later versions append to. Private to copy/.
 */
#ifndef CUCOPY_COPY_OPTIONS_H
#define CUCOPY_COPY_OPTIONS_H

#include <stddef.h>
#include <string.h>

/* No structure of options grows beyond this, so a larger size is garbage, and is not to be read so far. */
enum { CUCOPY_LARGEST_OPTIONS = 1024 };

/*
 * Read the options of a caller into to, whose size is known here. from begins with the size that the caller knows; NULL
 * leaves to as it is. Returns 0 if that size is one that no version has, or if the caller asks for something that only
 * a later version knows: where we know nothing, only zeros will do.
 */
static inline int cucopyReadOptions(const void *from, void *to, size_t known)
{
    size_t size = known;
    if (!from)
        return 1;
    memcpy(&size, from, sizeof(size));
    if (size < known || size > CUCOPY_LARGEST_OPTIONS)
        return 0;
    for (size_t i = known; i < size; i++)
        if (((const char *)from)[i] != 0)
            return 0;
    memcpy(to, from, known);
    return 1;
}

#endif
