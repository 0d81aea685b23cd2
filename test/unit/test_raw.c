/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The raw layer on a driver, simulated or real: the pinned names and versions lead to the functions they should, and a
 * call neither needs nor touches a context.
 */
#define _GNU_SOURCE /* dladdr */
#include "types.h"

#include "support.h"
#include "table.h"

#include <dlfcn.h>

/* What cuGetProcAddress gives for a row, by the name of the symbol that is there. */
static const char *symbolOf(const struct tableRow *row)
{
    void *address = NULL;
    CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)0;
    Dl_info info;
    if (cudrvGetProcAddress(row->lookup, &address, row->version, row->perThread ? 2 : 1, &status) != CUDA_SUCCESS)
        return NULL;
    return address && dladdr(address, &info) && info.dli_sname ? info.dli_sname : NULL;
}

static void each_pinned_version_leads_to_the_symbol_of_the_row(void **state)
{
    (void)state;
    needEntry("cuGetProcAddress");
    size_t wrong = 0;
    size_t compared = 0;
    for (size_t i = 0; i < tableLegacyCount; i++) {
        const struct tableRow *const row = &tableLegacy[i];
        const char *const symbol = symbolOf(row);
        if (!symbol)
            continue; /* this driver is older than that */
        compared++;
        if (strcmp(symbol, row->plain) != 0) {
            print_error("cudrv%s: %s at %d is %s, the row says %s\n", row->name, row->lookup, row->version, symbol,
                        row->plain);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
    assert_true(compared > 200);
}

static void each_entry_that_the_driver_gives_is_there_and_no_other(void **state)
{
    (void)state;
    needEntry("cuGetProcAddress");
    for (size_t i = 0; i < tableLegacyCount; i++) {
        char name[128];
        (void)snprintf(name, sizeof(name), "cu%s", tableLegacy[i].name);
        assert_int_equal(cudrvHas(name), symbolOf(&tableLegacy[i]) != NULL);
    }
}

static void a_call_that_needs_a_context_is_given_none(void **state)
{
    const struct world *const world = *state;
    CUdeviceptr pointer = 0;
    assert_result(cudrvMemAlloc(&pointer, 16), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(stackNow().depth, 0);
    assert_success(cudrvCtxPushCurrent(world->home));
    assert_success(cudrvMemAlloc(&pointer, 16));
    assert_success(cudrvMemFree(pointer));
    assert_int_equal(stackNow().depth, 1);
}

static void a_missing_entry_is_not_supported_and_leaves_its_outputs_untouched(void **state)
{
    const struct world *const world = *state;
    unsigned long long id = 77;
    if (cudrvHas("cuCtxGetId")) {
        print_message("skipped: this driver has cuCtxGetId; it is one before 12.0 that is wanted here\n");
        skip();
    }
    assert_result(cudrvCtxGetId(world->home, &id), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(id, 77);
}

static void the_driver_names_its_codes_as_we_do(void **state)
{
    (void)state;
    for (int code = 0; code < 1000; code++) {
        const char *name = NULL;
        if (cudrvGetErrorName((CUresult)code, &name) == CUDA_SUCCESS && name)
            assert_string_equal(name, cudrvResultName((CUresult)code));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, worldSetUp, worldTearDown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_pinned_version_leads_to_the_symbol_of_the_row),
        TEST(each_entry_that_the_driver_gives_is_there_and_no_other),
        TEST(a_call_that_needs_a_context_is_given_none),
        TEST(a_missing_entry_is_not_supported_and_leaves_its_outputs_untouched),
        TEST(the_driver_names_its_codes_as_we_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
