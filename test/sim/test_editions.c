/* SPDX-License-Identifier: Apache-2.0 */
/* The editions of the library, opened as a loader would: what each exports and answers. Its argument is their folder.
 */
#include "test_support.h"

#include <dlfcn.h>
#include <stdio.h>

static const char *folder;

static void *openEdition(const char *edition)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s/libcuda.so.1", folder, edition);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    return library;
}

static void *find(void *library, const char *symbol)
{
    return dlsym(library, symbol);
}

static int versionOf(void *library)
{
    CUresult (*getVersion)(int *);
    *(void **)&getVersion = find(library, "cuDriverGetVersion");
    int version = 0;
    OK(getVersion(&version));
    return version;
}

static void the_driver_of_11_2_has_no_cuGetProcAddress(void **state)
{
    (void)state;
    void *library = openEdition("plain");
    assert_int_equal(versionOf(library), 11020);
    assert_null(find(library, "cuGetProcAddress"));
    assert_null(find(library, "cuGetProcAddress_v2"));
    assert_null(find(library, "cuMemcpyBatchAsync"));
    assert_null(find(library, "cuStreamGetCtx_v2"));
    assert_non_null(find(library, "cuMemcpyAsync_ptsz"));
    assert_non_null(find(library, "cuMemAllocAsync"));
    assert_non_null(find(library, "cusimReset"));
}

static void the_driver_of_11_8_has_the_first_cuGetProcAddress(void **state)
{
    (void)state;
    void *library = openEdition("getproc1");
    assert_int_equal(versionOf(library), 11080);
    assert_null(find(library, "cuGetProcAddress_v2"));
    CUresult (*getProc)(const char *, void **, int, cuuint64_t);
    *(void **)&getProc = find(library, "cuGetProcAddress");
    void *function = NULL;
    OK(getProc("cuMemcpyAsync", &function, 11080, 0));
    assert_ptr_equal(function, find(library, "cuMemcpyAsync"));
    GIVES(CUDA_ERROR_NOT_FOUND, getProc("cuGreenCtxCreate", &function, 11080, 0));
}

static void the_stub_answers_that_it_is_one(void **state)
{
    (void)state;
    static const char *const symbols[] = {"cuInit", "cuDriverGetVersion", "cuGetProcAddress_v2", "cuMemcpyAsync_ptsz"};
    void *library = openEdition("stub");
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        CUresult (*function)(void);
        *(void **)&function = find(library, symbols[i]);
        assert_non_null(function);
        assert_int_equal(function(), CUDA_ERROR_STUB_LIBRARY);
    }
    assert_null(find(library, "cusimReset"));
}

static void an_entry_found_by_name_is_the_exported_one(void **state)
{
    (void)state;
    void *library = openEdition("");
    static const char *const names[][2] = {{"cuMemcpyAsync", "cuMemcpyAsync"}, {"cuMemAlloc", "cuMemAlloc_v2"}};
    CUresult (*getProc)(const char *, void **, int, cuuint64_t, void *);
    *(void **)&getProc = find(library, "cuGetProcAddress_v2");
    for (size_t i = 0; i < 2; i++) {
        void *function;
        OK(getProc(names[i][0], &function, 13000, 0, NULL));
        assert_ptr_equal(function, find(library, names[i][1]));
    }
}

int main(int count, char **arguments)
{
    assert_true(count == 2);
    folder = arguments[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_driver_of_11_2_has_no_cuGetProcAddress),
        cmocka_unit_test(the_driver_of_11_8_has_the_first_cuGetProcAddress),
        cmocka_unit_test(the_stub_answers_that_it_is_one),
        cmocka_unit_test(an_entry_found_by_name_is_the_exported_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
