/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON, written in order. It is this small so that the doctor needs no library: no numbers but integers, no tree, and
 * the nesting is the caller's to get right.
 */
#ifndef CUCOPY_TOOL_JSON_H
#define CUCOPY_TOOL_JSON_H

#include <stdio.h>

struct json {
    FILE *out;
    int depth;
    int first; /* nothing was written yet at this depth */
};

/* key is NULL in an array and at the top. */
void doctorJsonOpen(struct json *json, const char *key, char bracket);
void doctorJsonClose(struct json *json, char bracket);
/* text is any bytes: what is not UTF-8 becomes U+FFFD; NULL becomes null. */
void doctorJsonText(struct json *json, const char *key, const char *text);
void doctorJsonNumber(struct json *json, const char *key, long long number);
void doctorJsonFlag(struct json *json, const char *key, int flag);

#endif
