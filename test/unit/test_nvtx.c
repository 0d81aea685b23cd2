/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a profiler sees of the library built with CUCOPY_NVTX. This program is the profiler itself: NVTX finds it by the
 * pointer that it defines, and it writes down each range and mark.
 */
#include "support.h"

#include <nvtx3/nvToolsExt.h>

enum { maxEvents = 16 };

static struct {
    const char *what; /* "begin", "end", "mark" */
    char name[64];
    unsigned long long payload;
} events[maxEvents];
static int eventCount;
static char domainName[32];

static void note(const char *what, const nvtxEventAttributes_t *event)
{
    if (eventCount == maxEvents)
        return;
    events[eventCount].what = what;
    events[eventCount].name[0] = '\0';
    if (event) {
        (void)snprintf(events[eventCount].name, sizeof(events[eventCount].name), "%s", event->message.ascii);
        events[eventCount].payload = event->payload.ullValue;
    }
    eventCount++;
}

static nvtxDomainHandle_t domainCreate(const char *name)
{
    static int domain;
    (void)snprintf(domainName, sizeof(domainName), "%s", name);
    return (nvtxDomainHandle_t)(void *)&domain;
}

static int rangePush(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
    (void)domain;
    note("begin", event);
    return 0;
}

static int rangePop(nvtxDomainHandle_t domain)
{
    (void)domain;
    note("end", NULL);
    return 0;
}

static void mark(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
    (void)domain;
    note("mark", event);
}

static int attach(NvtxGetExportTableFunc_t getExportTable)
{
    const NvtxExportTableCallbacks *const callbacks = getExportTable(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table = NULL;
    unsigned int size = 0;
    if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size))
        return 0;
    *table[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer)domainCreate;
    *table[NVTX_CBID_CORE2_DomainRangePushEx] = (NvtxFunctionPointer)rangePush;
    *table[NVTX_CBID_CORE2_DomainRangePop] = (NvtxFunctionPointer)rangePop;
    *table[NVTX_CBID_CORE2_DomainMarkEx] = (NvtxFunctionPointer)mark;
    return 1;
}

NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = attach;

static void assertEvent(int index, const char *what, const char *name, unsigned long long payload)
{
    assert_true(index < eventCount);
    assert_string_equal(events[index].what, what);
    assert_string_equal(events[index].name, name);
    assert_int_equal(events[index].payload, payload);
}

static int forget(void **state)
{
    (void)state;
    memset(events, 0, sizeof(events));
    eventCount = 0;
    return 0;
}

static void a_copy_is_a_range_with_its_bytes_and_a_push_is_a_mark(void **state)
{
    const struct world *const world = *state;
    assert_success(cucopyMemcpyAsync(0, 0, 0, world->awayStream));
    assert_int_equal(eventCount, 3);
    assertEvent(0, "begin", "cucopyMemcpyAsync", 0);
    assertEvent(1, "mark", "push context", (uintptr_t)world->away);
    assertEvent(2, "end", "", 0);
    assert_string_equal(domainName, "cucopy");
}

static void no_push_is_no_mark(void **state)
{
    const struct world *const world = *state;
    assert_success(cudrvCtxPushCurrent(world->away));
    assert_success(cucopyMemcpyAsync(0, 0, 0, world->awayStream));
    assert_success(cudrvCtxPopCurrent(NULL));
    assert_int_equal(eventCount, 2);
}

static void a_copy_that_fails_is_a_whole_range(void **state)
{
    const struct world *const world = *state;
    const CUDA_MEMCPY2D box = {.WidthInBytes = 16, .Height = 4};
    assert_result(cucopyMemcpy2DAsync(&box, world->awayStream), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(eventCount, 3);
    assertEvent(0, "begin", "cucopyMemcpy2DAsync", 64);
    assertEvent(2, "end", "", 0);
}

static void a_guard_that_pushes_is_a_mark(void **state)
{
    const struct world *const world = *state;
    cucopyGuard guard;
    assert_success(cucopyGuardEnter(&guard, world->awayStream));
    assert_success(cucopyGuardExit(&guard));
    assert_int_equal(eventCount, 1);
    assertEvent(0, "mark", "push context", (uintptr_t)world->away);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_copy_is_a_range_with_its_bytes_and_a_push_is_a_mark, forget),
        cmocka_unit_test_setup(no_push_is_no_mark, forget),
        cmocka_unit_test_setup(a_copy_that_fails_is_a_whole_range, forget),
        cmocka_unit_test_setup(a_guard_that_pushes_is_a_mark, forget),
    };
    return cmocka_run_group_tests(tests, worldSetUp, worldTearDown);
}
