/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A failure in words.
 */
#include "copy/failure.h"

#include <stdio.h>

size_t cucopyExplain(const cucopyFailure *failure, char *text, size_t size)
{
    const int length = failure && failure->function ? snprintf(text, size, "%s failed: %s.\n", failure->function,
                                                               cudrvResultName(failure->result))
                                                    : snprintf(text, size, "This is no record of a failure.\n");
    return length > 0 ? (size_t)length : 0;
}
