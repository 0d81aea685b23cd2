/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding the driver: where from, in which of its three ways of being asked, and what is told when there is none. A
 * process loads one driver, so each test is a child of its own. argv[1] is the folder of the fake drivers.
 */
#include "fake_driver.h"

#include <cucopy/drv.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

CUresult CUDAAPI cudrvMemcpyAsync_ptsz(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream);

static const char *folder;

static const char *fake(const char *name)
{
    static char path[4096];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

/* In the child a failed check says where it was and ends the process. */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                      \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

static void inAProcessOfItsOwn(void (*body)(void))
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        body();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define TEST(name)                                                                                                     \
    static void name##_body(void);                                                                                     \
    static void name(void **state)                                                                                     \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        inAProcessOfItsOwn(name##_body);                                                                               \
    }                                                                                                                  \
    static void name##_body(void)

static CUresult copyLegacy(void)
{
    return cudrvMemcpyAsync(1, 2, 3, NULL);
}

static CUresult copyPerThread(void)
{
    return cudrvMemcpyAsync_ptsz(1, 2, 3, NULL);
}

/* ---- Which function a call reaches ---- */

static void checkBothVariants(void)
{
    CUdeviceptr pointer = 0;
    CHECK((int)copyLegacy() == FAKE_LEGACY);
    CHECK((int)copyPerThread() == FAKE_PER_THREAD);
    CHECK((int)cudrvMemAlloc(&pointer, 1) == FAKE_ALLOC);
}

TEST(a_driver_with_the_five_parameter_lookup_is_asked_by_version_and_flag)
{
    CHECK(cudrvLoad(fake("lookup2.so")) == CUDA_SUCCESS);
    checkBothVariants();
}

TEST(a_driver_with_the_four_parameter_lookup_is_asked_by_version_and_flag)
{
    CHECK(cudrvLoad(fake("lookup1.so")) == CUDA_SUCCESS);
    checkBothVariants();
}

TEST(a_driver_without_a_lookup_gives_its_plain_symbols)
{
    CHECK(cudrvLoad(fake("plain.so")) == CUDA_SUCCESS);
    checkBothVariants();
}

/* Every function but three is missing from the fakes. */
TEST(a_driver_that_lacks_an_entry_still_loads_and_only_that_entry_is_missing)
{
    CHECK(cudrvLoad(fake("lookup2.so")) == CUDA_SUCCESS);
    CUcontext context = (CUcontext)0x77;
    CHECK(cudrvCtxGetCurrent(&context) == CUDA_ERROR_NOT_SUPPORTED);
    CHECK(context == (CUcontext)0x77);
    CHECK(cudrvHas("cuCtxGetCurrent") == 0);
    CHECK(cudrvHas("cuMemcpyAsync") == 1);
    CHECK(cudrvHas("cuMemcpyAsync_ptsz") == 1);
    CHECK((int)copyLegacy() == FAKE_LEGACY);
}

TEST(a_name_that_is_no_function_of_the_raw_layer_is_not_there)
{
    CHECK(cudrvLoad(fake("lookup2.so")) == CUDA_SUCCESS);
    CHECK(cudrvHas("cuNoSuchThing") == 0);
    CHECK(cudrvHas("MemcpyAsync") == 0);
    CHECK(cudrvHas("") == 0);
    CHECK(cudrvHas(NULL) == 0);
}

/* ---- Where it comes from ---- */

TEST(nothing_is_loaded_before_the_first_call)
{
    CHECK(cudrvPath() == NULL);
    CHECK(!strcmp(cudrvLoadError(), ""));
    CHECK(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) == NULL);
}

/* The fakes bear the soname libcuda.so.1: once one is open, the system's loader knows it by that name. */
TEST(the_first_call_loads_the_platforms_driver)
{
    CHECK(dlopen(fake("lookup2.so"), RTLD_NOW | RTLD_LOCAL) != NULL);
    CHECK((int)copyLegacy() == FAKE_LEGACY);
    CHECK(!strcmp(cudrvPath(), fake("lookup2.so")));
    CHECK(!strcmp(cudrvLoadError(), ""));
}

TEST(the_driver_that_the_first_call_found_is_the_one_of_that_name)
{
    CHECK(dlopen(fake("lookup2.so"), RTLD_NOW | RTLD_LOCAL) != NULL);
    CHECK((int)copyLegacy() == FAKE_LEGACY);
    CHECK(cudrvLoad("libcuda.so.1") == CUDA_SUCCESS);
    CHECK(cudrvLoad(fake("lookup2.so")) == CUDA_SUCCESS);
    CHECK(cudrvLoad("libm.so.6") == CUDA_ERROR_INVALID_VALUE);
}

TEST(asking_whether_an_entry_exists_loads_the_driver_too)
{
    CHECK(dlopen(fake("lookup2.so"), RTLD_NOW | RTLD_LOCAL) != NULL);
    CHECK(cudrvHas("cuMemAlloc") == 1);
    CHECK(cudrvPath() != NULL);
}

TEST(loading_again_has_no_effect_and_another_path_is_refused)
{
    CHECK(cudrvLoad(fake("lookup2.so")) == CUDA_SUCCESS);
    CHECK(cudrvLoad(fake("lookup2.so")) == CUDA_SUCCESS);
    CHECK(cudrvLoad(NULL) == CUDA_SUCCESS);
    CHECK(cudrvLoad(fake("plain.so")) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cudrvLoad(fake("absent.so")) == CUDA_ERROR_INVALID_VALUE);
    CHECK(!strcmp(cudrvPath(), fake("lookup2.so")));
    CHECK((int)copyLegacy() == FAKE_LEGACY);
}

/* ---- No driver ---- */

static void checkNoDriver(CUresult code)
{
    CUdeviceptr pointer = 0x77;
    CHECK(copyLegacy() == code);
    CHECK(copyPerThread() == code);
    CHECK(cudrvMemAlloc(&pointer, 1) == code);
    CHECK(pointer == 0x77);
    CHECK(cudrvPath() == NULL);
    CHECK(cudrvHas("cuMemAlloc") == 0);
}

TEST(a_file_that_is_not_there_is_named_and_every_call_says_so)
{
    CHECK(cudrvLoad(fake("absent.so")) == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    CHECK(strstr(cudrvLoadError(), fake("absent.so")) != NULL);
    checkNoDriver(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
}

TEST(a_library_that_is_no_driver_is_named_and_every_call_says_so)
{
    CHECK(cudrvLoad(fake("empty.so")) == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    CHECK(strstr(cudrvLoadError(), fake("empty.so")) != NULL);
    checkNoDriver(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
}

TEST(the_toolkits_stub_is_named_and_every_call_says_so)
{
    CHECK(cudrvLoad(fake("stub.so")) == CUDA_ERROR_STUB_LIBRARY);
    CHECK(strstr(cudrvLoadError(), fake("stub.so")) != NULL);
    CHECK(strstr(cudrvLoadError(), "stub") != NULL);
    checkNoDriver(CUDA_ERROR_STUB_LIBRARY);
}

TEST(a_stub_older_than_the_lookup_is_recognised_too)
{
    CHECK(cudrvLoad(fake("oldstub.so")) == CUDA_ERROR_STUB_LIBRARY);
    checkNoDriver(CUDA_ERROR_STUB_LIBRARY);
}

TEST(a_stub_that_the_first_call_finds_gives_the_same)
{
    CHECK(dlopen(fake("stub.so"), RTLD_NOW | RTLD_LOCAL) != NULL);
    checkNoDriver(CUDA_ERROR_STUB_LIBRARY);
    CHECK(strstr(cudrvLoadError(), fake("stub.so")) != NULL);
}

TEST(a_failed_load_is_remembered_until_cudrvLoad_tries_anew)
{
    CHECK(cudrvLoad(fake("absent.so")) == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    CHECK(dlopen(fake("lookup2.so"), RTLD_NOW | RTLD_LOCAL) != NULL);
    CHECK(copyLegacy() == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    CHECK(cudrvLoad(NULL) == CUDA_SUCCESS);
    CHECK((int)copyLegacy() == FAKE_LEGACY);
    CHECK(!strcmp(cudrvLoadError(), ""));
}

TEST(the_reason_follows_the_last_attempt_and_old_texts_stay_readable)
{
    CHECK(cudrvLoad(fake("absent.so")) == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    const char *const first = cudrvLoadError();
    CHECK(cudrvLoad(fake("absent.so")) == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    CHECK(cudrvLoadError() == first);
    CHECK(cudrvLoad(fake("stub.so")) == CUDA_ERROR_STUB_LIBRARY);
    CHECK(strstr(cudrvLoadError(), "stub.so") != NULL);
    CHECK(strstr(first, "absent.so") != NULL);
}

/* ---- Threads ---- */

enum { threadCount = 8 };
static pthread_barrier_t start;

static void *firstCall(void *unused)
{
    (void)unused;
    (void)pthread_barrier_wait(&start);
    return (void *)(intptr_t)((int)copyLegacy() == FAKE_LEGACY && (int)copyPerThread() == FAKE_PER_THREAD);
}

TEST(threads_that_race_the_first_call_all_reach_the_driver)
{
    pthread_t threads[threadCount];
    CHECK(dlopen(fake("lookup2.so"), RTLD_NOW | RTLD_LOCAL) != NULL);
    CHECK(pthread_barrier_init(&start, NULL, threadCount) == 0);
    for (int i = 0; i < threadCount; i++)
        CHECK(pthread_create(&threads[i], NULL, firstCall, NULL) == 0);
    for (int i = 0; i < threadCount; i++) {
        void *reached = NULL;
        CHECK(pthread_join(threads[i], &reached) == 0);
        CHECK(reached != NULL);
    }
}

/* ---- Names ---- */

TEST(every_code_of_this_toolkits_cuda_h_has_its_name)
{
    FILE *const header = fopen(CUDA_H, "r");
    CHECK(header != NULL);
    char line[1024];
    int inside = 0;
    size_t found = 0;
    while (fgets(line, sizeof(line), header)) {
        char name[128];
        int code = 0;
        inside |= strstr(line, "enum cudaError_enum") != NULL;
        if (strstr(line, "} CUresult"))
            break;
        if (inside && sscanf(line, " CUDA_%100[A-Z0-9_] = %d", name, &code) == 2) { /* NOLINT(cert-err34-c) */
            CHECK(!strncmp(cudrvResultName((CUresult)code), "CUDA_", 5));
            CHECK(!strcmp(cudrvResultName((CUresult)code) + 5, name));
            found++;
        }
    }
    (void)fclose(header);
    CHECK(found >= 90);
}

TEST(a_code_that_nobody_knows_has_a_name_all_the_same)
{
    CHECK(!strcmp(cudrvResultName((CUresult)4242), "unknown CUresult"));
    CHECK(cudrvPath() == NULL);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 1;
    folder = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_with_the_five_parameter_lookup_is_asked_by_version_and_flag),
        cmocka_unit_test(a_driver_with_the_four_parameter_lookup_is_asked_by_version_and_flag),
        cmocka_unit_test(a_driver_without_a_lookup_gives_its_plain_symbols),
        cmocka_unit_test(a_driver_that_lacks_an_entry_still_loads_and_only_that_entry_is_missing),
        cmocka_unit_test(a_name_that_is_no_function_of_the_raw_layer_is_not_there),
        cmocka_unit_test(nothing_is_loaded_before_the_first_call),
        cmocka_unit_test(the_first_call_loads_the_platforms_driver),
        cmocka_unit_test(the_driver_that_the_first_call_found_is_the_one_of_that_name),
        cmocka_unit_test(asking_whether_an_entry_exists_loads_the_driver_too),
        cmocka_unit_test(loading_again_has_no_effect_and_another_path_is_refused),
        cmocka_unit_test(a_file_that_is_not_there_is_named_and_every_call_says_so),
        cmocka_unit_test(a_library_that_is_no_driver_is_named_and_every_call_says_so),
        cmocka_unit_test(the_toolkits_stub_is_named_and_every_call_says_so),
        cmocka_unit_test(a_stub_older_than_the_lookup_is_recognised_too),
        cmocka_unit_test(a_stub_that_the_first_call_finds_gives_the_same),
        cmocka_unit_test(a_failed_load_is_remembered_until_cudrvLoad_tries_anew),
        cmocka_unit_test(the_reason_follows_the_last_attempt_and_old_texts_stay_readable),
        cmocka_unit_test(threads_that_race_the_first_call_all_reach_the_driver),
        cmocka_unit_test(every_code_of_this_toolkits_cuda_h_has_its_name),
        cmocka_unit_test(a_code_that_nobody_knows_has_a_name_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
