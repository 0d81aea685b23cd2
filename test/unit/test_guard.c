/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guard's rules, one by one: what Enter finds, what it does and what that costs, and what Exit undoes.
 */
#include "support.h"

static void push(CUcontext context)
{
    assert_success(cudrvCtxPushCurrent(context));
}

static void pop(void)
{
    assert_success(cudrvCtxPopCurrent(NULL));
}

static CUcontext current(void)
{
    CUcontext context = NULL;
    assert_success(cudrvCtxGetCurrent(&context));
    return context;
}

/* ---- Enter ---- */

static void a_special_stream_is_entered_by_doing_nothing(void **state)
{
    const struct world *const world = *state;
    const CUstream special[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};
    for (int other = 0; other < 2; other++) {
        if (other)
            push(world->home);
        for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
            cucopyGuard guard;
            assert_success(cucopyGuardEnter(&guard, special[i]));
            assert_ptr_equal(current(), other ? world->home : NULL);
            assert_success(cucopyGuardExit(&guard));
            assert_int_equal(stackNow().depth, other);
        }
    }
}

static void the_streams_context_is_current_between_enter_and_exit(void **state)
{
    const struct world *const world = *state;
    const CUcontext before[] = {NULL, world->home, world->away};
    for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
        if (before[i])
            push(before[i]);
        const struct stack stack = stackNow();
        cucopyGuard guard;
        assert_success(cucopyGuardEnter(&guard, world->awayStream));
        assert_ptr_equal(current(), world->away);
        assert_success(cucopyGuardExit(&guard));
        assertStackIs(&stack);
        if (before[i])
            pop();
    }
}

static void an_explicit_context_is_current_between_enter_and_exit(void **state)
{
    const struct world *const world = *state;
    cucopyGuard guard;
    push(world->home);
    const struct stack stack = stackNow();
    assert_success(cucopyGuardEnterContext(&guard, world->away));
    assert_ptr_equal(current(), world->away);
    assert_success(cucopyGuardExit(&guard));
    assertStackIs(&stack);
}

static void a_context_that_is_NULL_is_an_invalid_value_and_its_guard_is_empty(void **state)
{
    const struct world *const world = *state;
    cucopyGuard guard;
    push(world->home);
    assert_result(cucopyGuardEnterContext(&guard, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_ptr_equal(current(), world->home);
    assert_success(cucopyGuardExit(&guard));
    assert_ptr_equal(current(), world->home);
}

static void a_guard_that_is_NULL_is_an_invalid_value(void **state)
{
    const struct world *const world = *state;
    assert_result(cucopyGuardEnter(NULL, world->awayStream), CUDA_ERROR_INVALID_VALUE);
    assert_result(cucopyGuardEnterContext(NULL, world->away), CUDA_ERROR_INVALID_VALUE);
    assert_result(cucopyGuardExit(NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(stackNow().depth, 0);
}

/* ---- Nesting ---- */

static void guards_nest_last_in_first_out(void **state)
{
    const struct world *const world = *state;
    cucopyGuard outer, middle, inner;
    assert_success(cucopyGuardEnter(&outer, world->awayStream));
    assert_success(cucopyGuardEnter(&middle, world->homeStream));
    assert_success(cucopyGuardEnter(&inner, world->homeStream));
    assert_int_equal(stackNow().depth, 2); /* the inner one found its context current */
    assert_success(cucopyGuardExit(&inner));
    assert_ptr_equal(current(), world->home);
    assert_success(cucopyGuardExit(&middle));
    assert_ptr_equal(current(), world->away);
    assert_success(cucopyGuardExit(&outer));
    assert_int_equal(stackNow().depth, 0);
}

static void a_safe_copy_inside_a_guard_of_another_stream_keeps_the_guards_context(void **state)
{
    const struct world *const world = *state;
    cucopyGuard guard;
    assert_success(cucopyGuardEnter(&guard, world->homeStream));
    assert_success(cucopyMemcpyAsync(0, 0, 0, world->awayStream)); /* no bytes: any pointers will do */
    assert_ptr_equal(current(), world->home);
    assert_success(cucopyGuardExit(&guard));
}

/* ---- Exit ---- */

static void a_second_exit_does_nothing(void **state)
{
    const struct world *const world = *state;
    cucopyGuard guard;
    push(world->home);
    assert_success(cucopyGuardEnter(&guard, world->awayStream));
    assert_success(cucopyGuardExit(&guard));
    assert_success(cucopyGuardExit(&guard));
    assert_ptr_equal(current(), world->home);
}

static void exit_puts_back_what_it_did_not_push_and_can_be_tried_again(void **state)
{
    const struct world *const world = *state;
    cucopyGuard guard;
    assert_success(cucopyGuardEnter(&guard, world->awayStream));
    push(world->home); /* somebody pushes and forgets to pop */
    assert_result(cucopyGuardExit(&guard), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(stackNow().depth, 2);
    assert_ptr_equal(current(), world->home);
    pop(); /* the caller mends the stack */
    assert_success(cucopyGuardExit(&guard));
    assert_int_equal(stackNow().depth, 0);
}

static void exit_on_a_stack_that_somebody_emptied_says_so_and_stays_open(void **state)
{
    const struct world *const world = *state;
    cucopyGuard guard;
    assert_success(cucopyGuardEnter(&guard, world->awayStream));
    pop();
    assert_result(cucopyGuardExit(&guard), CUDA_ERROR_INVALID_CONTEXT);
    push(world->away);
    assert_success(cucopyGuardExit(&guard));
    assert_int_equal(stackNow().depth, 0);
}

/* ---- Costs ---- */

static unsigned long enterAndExit(const struct simulator *sim, CUstream stream, CUcontext context,
                                  unsigned long *exitCalls)
{
    cucopyGuard guard;
    sim->resetCalls();
    assert_success(context ? cucopyGuardEnterContext(&guard, context) : cucopyGuardEnter(&guard, stream));
    const unsigned long enterCalls = sim->calls(NULL);
    sim->resetCalls();
    assert_success(cucopyGuardExit(&guard));
    *exitCalls = sim->calls(NULL);
    return enterCalls;
}

static void enter_and_exit_make_the_calls_of_the_table_and_no_more(void **state)
{
    const struct world *const world = *state;
    const struct simulator *const sim = needSimulator();
    unsigned long exitCalls = 0;
    push(world->away);
    assert_int_equal(enterAndExit(sim, NULL, NULL, &exitCalls), 0);
    assert_int_equal(exitCalls, 0);
    assert_int_equal(enterAndExit(sim, world->awayStream, NULL, &exitCalls), 2);
    assert_int_equal(exitCalls, 0);
    assert_int_equal(enterAndExit(sim, NULL, world->away, &exitCalls), 1);
    assert_int_equal(exitCalls, 0);
    assert_int_equal(enterAndExit(sim, world->homeStream, NULL, &exitCalls), 3);
    assert_int_equal(exitCalls, 1);
    assert_int_equal(enterAndExit(sim, NULL, world->home, &exitCalls), 2);
    assert_int_equal(exitCalls, 1);
}

static void a_raw_call_inside_a_guard_makes_no_extra_call(void **state)
{
    const struct world *const world = *state;
    const struct simulator *const sim = needSimulator();
    cucopyGuard guard;
    assert_success(cucopyGuardEnter(&guard, world->awayStream));
    sim->resetCalls();
    assert_success(cudrvMemcpyAsync(0, 0, 0, world->awayStream));
    assert_int_equal(sim->calls(NULL), 1);
    assert_success(cucopyGuardExit(&guard));
}

/* ---- Failing steps ---- */

static void a_step_of_enter_that_fails_gives_its_code_and_an_empty_guard(void **state)
{
    static const char *const steps[] = {"cuStreamGetCtx", "cuCtxGetCurrent", "cuCtxPushCurrent_v2"};
    const struct world *const world = *state;
    const struct simulator *const sim = needSimulator();
    push(world->home);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        cucopyGuard guard;
        memset(&guard, 0x55, sizeof(guard));
        sim->refuse(steps[i], 1, CUDA_ERROR_ILLEGAL_STATE, 0);
        assert_result(cucopyGuardEnter(&guard, world->awayStream), CUDA_ERROR_ILLEGAL_STATE);
        sim->refuseNone();
        assert_ptr_equal(current(), world->home);
        assert_success(cucopyGuardExit(&guard));
        assert_ptr_equal(current(), world->home);
        assert_int_equal(stackNow().depth, 1);
    }
}

static void a_pop_that_fails_is_reported_and_the_guard_stays_open(void **state)
{
    const struct world *const world = *state;
    const struct simulator *const sim = needSimulator();
    cucopyGuard guard;
    push(world->home);
    assert_success(cucopyGuardEnter(&guard, world->awayStream));
    sim->refuse("cuCtxPopCurrent_v2", 1, CUDA_ERROR_ILLEGAL_STATE, 0);
    assert_result(cucopyGuardExit(&guard), CUDA_ERROR_ILLEGAL_STATE);
    assert_ptr_equal(current(), world->away);
    assert_success(cucopyGuardExit(&guard));
    assert_ptr_equal(current(), world->home);
    assert_int_equal(stackNow().depth, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, worldSetUp, worldTearDown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_special_stream_is_entered_by_doing_nothing),
        TEST(the_streams_context_is_current_between_enter_and_exit),
        TEST(an_explicit_context_is_current_between_enter_and_exit),
        TEST(a_context_that_is_NULL_is_an_invalid_value_and_its_guard_is_empty),
        TEST(a_guard_that_is_NULL_is_an_invalid_value),
        TEST(guards_nest_last_in_first_out),
        TEST(a_safe_copy_inside_a_guard_of_another_stream_keeps_the_guards_context),
        TEST(a_second_exit_does_nothing),
        TEST(exit_puts_back_what_it_did_not_push_and_can_be_tried_again),
        TEST(exit_on_a_stack_that_somebody_emptied_says_so_and_stays_open),
        TEST(enter_and_exit_make_the_calls_of_the_table_and_no_more),
        TEST(a_raw_call_inside_a_guard_makes_no_extra_call),
        TEST(a_step_of_enter_that_fails_gives_its_code_and_an_empty_guard),
        TEST(a_pop_that_fails_is_reported_and_the_guard_stays_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
