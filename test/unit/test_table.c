/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of entry points against the toolkit's headers, which know nothing of it: the right symbol, the right
 * version. Signatures are checked when the library is compiled; a wrong name or version with the same signature is
 * found here.
 */
#include "table.h"

#include <cucopy/drv.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The names have one meaning for ever, that of 13.0; other toolkits' cuda.h may mean another version by them. */
#define TOOLKIT_GAVE_THE_NAMES (CUDA_VERSION == 13000)

static void skipUnlessNamesAreTheToolkits(void)
{
    if (!TOOLKIT_GAVE_THE_NAMES) {
        print_message("skipped: the names are those of CUDA 13.0's cuda.h, and this is %d\n", CUDA_VERSION);
        skip();
    }
}

/* MemPrefetchAsync_v8000: an older form, which cuda.h has no name for. */
static int isOlderForm(const char *name)
{
    const char *const suffix = strstr(name, "_v");
    return suffix && strlen(suffix) >= strlen("_v3020");
}

/* 13.2 added these; 13.0's cuda.h does not know them. */
static int isNewerThanTheNames(const struct tableRow *row)
{
    return row->version > 13000;
}

static void each_plain_symbol_is_what_cuda_h_makes_of_the_name(void **state)
{
    (void)state;
    skipUnlessNamesAreTheToolkits();
    size_t wrong = 0;
    for (size_t i = 0; i < tableLegacyCount; i++) {
        const struct tableRow *const row = &tableLegacy[i];
        if (row->perThread || isOlderForm(row->name) || isNewerThanTheNames(row))
            continue;
        if (strcmp(row->symbol, row->plain) != 0) {
            print_error("cudrv%s: the row says %s, cuda.h %s\n", row->name, row->plain, row->symbol);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* cuda.h's macros map the plain name, so the row before each per-thread one carries the expansion. */
static void each_per_thread_symbol_is_what_cuda_h_makes_of_the_name_for_a_per_thread_caller(void **state)
{
    (void)state;
    skipUnlessNamesAreTheToolkits();
    size_t wrong = 0;
    for (size_t i = 1; i < tablePerThreadCount; i++) {
        const struct tableRow *const base = &tablePerThread[i - 1];
        const struct tableRow *const row = &tablePerThread[i];
        if (!row->perThread || isOlderForm(base->name) || isNewerThanTheNames(row))
            continue;
        if (strcmp(base->symbol, row->plain) != 0) {
            print_error("cudrv%s: the row says %s, cuda.h %s\n", row->name, row->plain, base->symbol);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static void a_function_has_a_per_thread_row_exactly_if_cuda_h_maps_it(void **state)
{
    (void)state;
    skipUnlessNamesAreTheToolkits();
    size_t wrong = 0;
    for (size_t i = 0; i < tablePerThreadCount; i++) {
        const struct tableRow *const row = &tablePerThread[i];
        if (row->perThread || isOlderForm(row->name) || isNewerThanTheNames(row))
            continue;
        /* cuGetProcAddress takes the variant as a flag; its own has no second meaning. */
        const int mapped = strstr(row->symbol, "_pt") != NULL && strcmp(row->name, "GetProcAddress") != 0;
        const int has = i + 1 < tablePerThreadCount && tablePerThread[i + 1].perThread;
        if (mapped != has) {
            print_error("cu%s: cuda.h %s a per-thread variant\n", row->name, mapped ? "has" : "has not");
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static void no_two_rows_have_one_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < tableLegacyCount; i++)
        for (size_t j = i + 1; j < tableLegacyCount; j++)
            assert_string_not_equal(tableLegacy[i].name, tableLegacy[j].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_plain_symbol_is_what_cuda_h_makes_of_the_name),
        cmocka_unit_test(each_per_thread_symbol_is_what_cuda_h_makes_of_the_name_for_a_per_thread_caller),
        cmocka_unit_test(a_function_has_a_per_thread_row_exactly_if_cuda_h_maps_it),
        cmocka_unit_test(no_two_rows_have_one_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
