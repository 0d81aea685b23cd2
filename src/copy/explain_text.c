/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text with snprintf's semantics, a piece at a time.
 */
#include "copy/explain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cucopySay(struct cucopyText *text, const char *format, ...)
{
    const size_t room = text->length < text->size ? text->size - text->length : 0;
    char *const end = room ? text->at + text->length : NULL;
    va_list arguments;
    va_start(arguments, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): the analyzer does not see through this va_start */
    const int length = vsnprintf(end, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        text->length += (size_t)length;
}

struct cucopyNumber cucopyGrouped(unsigned long long number)
{
    char digits[24];
    const int count = snprintf(digits, sizeof(digits), "%llu", number);
    struct cucopyNumber grouped = {""};
    size_t at = 0;
    for (int i = 0; i < count; ++i) {
        if (i && (count - i) % 3 == 0)
            grouped.text[at++] = ',';
        grouped.text[at++] = digits[i];
    }
    return grouped;
}

struct cucopyNumber cucopyBytes(unsigned long long number)
{
    struct cucopyNumber bytes = cucopyGrouped(number);
    const size_t length = strlen(bytes.text);
    (void)snprintf(bytes.text + length, sizeof(bytes.text) - length, number == 1 ? " byte" : " bytes");
    return bytes;
}
