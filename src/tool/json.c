/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON writer.
 */
#include "tool/json.h"

#include <string.h>

/* How many bytes of well-formed UTF-8 begin here, 0 if none do. */
static int utf8Length(const unsigned char *at)
{
    const int length = at[0] < 0x80 ? 1 : at[0] < 0xC2 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : at[0] < 0xF5 ? 4 : 0;
    for (int i = 1; i < length; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    /* Too long a form, a surrogate, beyond U+10FFFF. */
    if ((at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F) || (at[0] == 0xF0 && at[1] < 0x90) ||
        (at[0] == 0xF4 && at[1] > 0x8F))
        return 0;
    return length;
}

static void quote(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const int length = utf8Length(at);
        if (length == 0)
            (void)fputs("\\ufffd", out);
        else if (*at == '"' || *at == '\\')
            (void)fprintf(out, "\\%c", *at);
        else if (*at < 0x20)
            (void)fprintf(out, "\\u%04x", *at);
        else
            (void)fwrite(at, 1, (size_t)length, out);
        at += length ? length : 1;
    }
    (void)fputc('"', out);
}

/* The comma, the line and the key that come before a value. */
static void begin(struct json *json, const char *key)
{
    if (json->depth)
        (void)fprintf(json->out, "%s\n%*s", json->first ? "" : ",", 2 * json->depth, "");
    json->first = 0;
    if (key) {
        quote(json->out, key);
        (void)fputs(": ", json->out);
    }
}

void doctorJsonOpen(struct json *json, const char *key, char bracket)
{
    begin(json, key);
    (void)fputc(bracket, json->out);
    json->depth++;
    json->first = 1;
}

void doctorJsonClose(struct json *json, char bracket)
{
    json->depth--;
    if (!json->first)
        (void)fprintf(json->out, "\n%*s", 2 * json->depth, "");
    (void)fprintf(json->out, "%c%s", bracket, json->depth ? "" : "\n");
    json->first = 0;
}

void doctorJsonText(struct json *json, const char *key, const char *text)
{
    begin(json, key);
    if (text)
        quote(json->out, text);
    else
        (void)fputs("null", json->out);
}

void doctorJsonNumber(struct json *json, const char *key, long long number)
{
    begin(json, key);
    (void)fprintf(json->out, "%lld", number);
}

void doctorJsonFlag(struct json *json, const char *key, int flag)
{
    begin(json, key);
    (void)fputs(flag ? "true" : "false", json->out);
}
