/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <dlfcn.h>
#include <stdlib.h>

#define FIND(member, symbol)                                                                                           \
    do {                                                                                                               \
        void *const address = dlsym(driver, symbol);                                                                   \
        if (!address)                                                                                                  \
            return NULL;                                                                                               \
        memcpy(&found.member, &address, sizeof(address));                                                              \
    } while (0)

const struct simulator *simulator(void)
{
    static struct simulator found;
    if (found.calls)
        return &found;
    (void)cudrvLoad(NULL);
    void *const driver = cudrvPath() ? dlopen(cudrvPath(), RTLD_NOW | RTLD_NOLOAD) : NULL;
    if (!driver)
        return NULL;
    FIND(resetCalls, "cusimResetCalls");
    FIND(refuse, "cusimFail");
    FIND(refuseNone, "cusimFailClear");
    FIND(hold, "cusimHold");
    FIND(release, "cusimRelease");
    FIND(calls, "cusimCalls");
    return &found;
}

const struct simulator *needSimulator(void)
{
    const struct simulator *const sim = simulator();
    if (!sim) {
        print_message("skipped: needs the simulated driver, and this is %s\n", cudrvPath() ? cudrvPath() : "none");
        skip();
    }
    return sim;
}

void needEntry(const char *name)
{
    if (!cudrvHas(name)) {
        print_message("skipped: this driver has no %s\n", name);
        skip();
    }
}

void needTwoDevices(const struct world *world)
{
    if (world->deviceCount < 2) {
        print_message("skipped: needs two devices, and there is %d\n", world->deviceCount);
        skip();
    }
}

struct stack stackNow(void)
{
    struct stack stack = {0, {NULL}};
    CUcontext top = NULL;
    assert_success(cudrvCtxGetCurrent(&top));
    while (top) {
        assert_true(stack.depth < maxDepth);
        assert_success(cudrvCtxPopCurrent(&stack.contexts[stack.depth++]));
        assert_success(cudrvCtxGetCurrent(&top));
    }
    for (size_t i = stack.depth; i-- > 0;)
        assert_success(cudrvCtxPushCurrent(stack.contexts[i]));
    return stack;
}

void stackEmpty(void)
{
    CUcontext top = NULL;
    while (cudrvCtxGetCurrent(&top) == CUDA_SUCCESS && top)
        (void)cudrvCtxPopCurrent(NULL);
}

void assertStackIs(const struct stack *expected)
{
    const struct stack now = stackNow();
    assert_int_equal(now.depth, expected->depth);
    for (size_t i = 0; i < now.depth; i++)
        assert_ptr_equal(now.contexts[i], expected->contexts[i]);
}

void withContext(CUcontext context, void (*body)(void *), void *argument)
{
    assert_success(cudrvCtxPushCurrent(context));
    body(argument);
    assert_success(cudrvCtxPopCurrent(NULL));
}

static void contextAndStream(CUdevice device, CUcontext *context, CUstream *stream)
{
    assert_success(cudrvCtxCreate_v3020(context, 0, device));
    assert_success(cudrvStreamCreate(stream, CU_STREAM_NON_BLOCKING));
    assert_success(cudrvCtxPopCurrent(NULL));
}

int worldSetUp(void **state)
{
    struct world *const world = calloc(1, sizeof(*world));
    if (!world || cudrvInit(0) != CUDA_SUCCESS || cudrvDeviceGetCount(&world->deviceCount) != CUDA_SUCCESS) {
        print_error("no device to test on: %s\n", cudrvLoadError());
        free(world);
        return -1;
    }
    assert_success(cudrvDeviceGet(&world->homeDevice, 0));
    assert_success(cudrvDeviceGet(&world->awayDevice, world->deviceCount > 1 ? 1 : 0));
    contextAndStream(world->homeDevice, &world->home, &world->homeStream);
    contextAndStream(world->awayDevice, &world->away, &world->awayStream);
    assert_int_equal(stackNow().depth, 0);
    *state = world;
    return 0;
}

int worldTearDown(void **state)
{
    struct world *const world = *state;
    if (simulator())
        simulator()->refuseNone();
    stackEmpty();
    (void)cudrvStreamDestroy(world->homeStream);
    (void)cudrvStreamDestroy(world->awayStream);
    (void)cudrvCtxDestroy(world->home);
    (void)cudrvCtxDestroy(world->away);
    free(world);
    return 0;
}
