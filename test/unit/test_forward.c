/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every function of the raw layer, in both variants, on a driver that only records: one call is one call, of the entry
 * point that the table pins, with every parameter as it was given, and the driver's code comes back as it is.
 *
 * argv[1] is that driver.
 */
#include "recorder.h"

#include "types.h"

#include "drv/rows.h"
#include <cucopy/drv.h>
#include <dlfcn.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct recordedCall *recorded;

/* The public header declares one variant of each; both are exported. */
#define CUDRV_ONE(name, lookup, version, plain, stream, toolkit, pfn, count, ...)                                      \
    CUresult CUDAAPI cudrv##name(CUDRV_PARAMS(count, __VA_ARGS__));
#include "drv/entries.h"
#undef CUDRV_ONE

/* A value that no other parameter of the call has, in every byte. */
#define GIVE(x, n) memset(&(x), 0x10 + (n), sizeof(x));
#define GIVE_0
#define GIVE_1 GIVE(a, 0)
#define GIVE_2 GIVE_1 GIVE(b, 1)
#define GIVE_3 GIVE_2 GIVE(c, 2)
#define GIVE_4 GIVE_3 GIVE(d, 3)
#define GIVE_5 GIVE_4 GIVE(e, 4)
#define GIVE_6 GIVE_5 GIVE(f, 5)
#define GIVE_7 GIVE_6 GIVE(g, 6)
#define GIVE_8 GIVE_7 GIVE(h, 7)
#define GIVE_9 GIVE_8 GIVE(i, 8)
#define GIVE_10 GIVE_9 GIVE(j, 9)
#define GIVE_11 GIVE_10 GIVE(k, 10)
#define DECLARE_0(A)
#define DECLARE_1(A) A a;
#define DECLARE_2(A, B)                                                                                                \
    A a;                                                                                                               \
    B b;
#define DECLARE_3(A, B, C) DECLARE_2(A, B) C c;
#define DECLARE_4(A, B, C, D) DECLARE_3(A, B, C) D d;
#define DECLARE_5(A, B, C, D, E) DECLARE_4(A, B, C, D) E e;
#define DECLARE_6(A, B, C, D, E, F) DECLARE_5(A, B, C, D, E) F f;
#define DECLARE_7(A, B, C, D, E, F, G) DECLARE_6(A, B, C, D, E, F) G g;
#define DECLARE_8(A, B, C, D, E, F, G, H) DECLARE_7(A, B, C, D, E, F, G) H h;
#define DECLARE_9(A, B, C, D, E, F, G, H, I) DECLARE_8(A, B, C, D, E, F, G, H) I i;
#define DECLARE_10(A, B, C, D, E, F, G, H, I, J) DECLARE_9(A, B, C, D, E, F, G, H, I) J j;
#define DECLARE_11(A, B, C, D, E, F, G, H, I, J, K) DECLARE_10(A, B, C, D, E, F, G, H, I, J) K k;

#define CUDRV_ONE(name, lookup, version, plain, stream, toolkit, pfn, count, ...)                                      \
    static CUresult call_##name(void)                                                                                  \
    {                                                                                                                  \
        DECLARE_##count(__VA_ARGS__) GIVE_##count return cudrv##name(CUDRV_ARGS_##count);                              \
    }
#include "drv/entries.h"
#undef CUDRV_ONE

static const struct {
    const char *name;
    CUresult (*call)(void);
    size_t count;
} calls[] = {
#define CUDRV_ONE(name, lookup, version, plain, stream, toolkit, pfn, count, ...) {#name, call_##name, count},
#include "drv/entries.h"
#undef CUDRV_ONE
};

static void each_function_arrives_once_with_every_parameter_as_it_was_given(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        const size_t before = recorded->calls;
        assert_int_equal(calls[i].call(), RECORDED_RESULT);
        assert_string_equal(recorded->name, calls[i].name);
        assert_int_equal(recorded->calls, before + 1);
        assert_int_equal(recorded->count, calls[i].count);
        for (size_t p = 0; p < recorded->count; p++)
            for (size_t byte = 0; byte < recorded->sizes[p]; byte++)
                assert_int_equal(recorded->bytes[p][byte], 0x10 + p);
    }
}

static void each_function_is_there_when_asked_by_the_drivers_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        char name[96];
        (void)snprintf(name, sizeof(name), "cu%s", calls[i].name);
        assert_int_equal(cudrvHas(name), 1);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2 || cudrvLoad(argv[1]) != CUDA_SUCCESS) {
        (void)fprintf(stderr, "no recording driver: %s\n", cudrvLoadError());
        return 1;
    }
    void *const driver = dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD);
    recorded = driver ? dlsym(driver, "recordedCall") : NULL;
    if (!recorded)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_function_arrives_once_with_every_parameter_as_it_was_given),
        cmocka_unit_test(each_function_is_there_when_asked_by_the_drivers_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
