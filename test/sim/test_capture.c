/* SPDX-License-Identifier: Apache-2.0 */
/* Capturing into graphs, and running them. */
#include "test_support.h"

#include <pthread.h>

enum { BYTES = 4096 };

typedef struct World {
    CUstream stream, other;
    CUevent fork, join;
    CUdeviceptr a, b;
    unsigned char *pinned;
} World;

static World world;

static int setUp(void **state)
{
    void *pinned;
    freshProcess(state);
    OK(cuCtxSetCurrent(primary[0]));
    OK(cuStreamCreate(&world.stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&world.other, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&world.fork, CU_EVENT_DISABLE_TIMING));
    OK(cuEventCreate(&world.join, CU_EVENT_DISABLE_TIMING));
    OK(cuMemAlloc(&world.a, BYTES));
    OK(cuMemAlloc(&world.b, BYTES));
    OK(cuMemHostAlloc(&pinned, BYTES, 0));
    world.pinned = pinned;
    return 0;
}

static void begin(void)
{
    OK(cuStreamBeginCapture(world.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
}

static CUgraph end(void)
{
    CUgraph graph = NULL;
    OK(cuStreamEndCapture(world.stream, &graph));
    assert_non_null(graph);
    return graph;
}

static void endsLost(CUresult result)
{
    CUgraph graph = (CUgraph)&world;
    GIVES(result, cuStreamEndCapture(world.stream, &graph));
    assert_null(graph);
}

static void run(CUgraph graph)
{
    CUgraphExec exec;
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphLaunch(exec, world.stream));
    OK(cuStreamSynchronize(world.stream));
    OK(cuGraphExecDestroy(exec));
}

static void a_captured_copy_runs_when_the_graph_is_launched_and_reads_its_source_then(void **state)
{
    (void)state;
    begin();
    world.pinned[0] = 1;
    OK(cuMemcpyHtoDAsync(world.a, world.pinned, 1, world.stream));
    OK(cuMemcpyDtoHAsync(world.pinned + 1, world.a, 1, world.stream));
    CUgraph graph = end();
    world.pinned[0] = 2;
    run(graph);
    assert_int_equal(world.pinned[1], 2);
    world.pinned[0] = 3;
    run(graph);
    assert_int_equal(world.pinned[1], 3);
    OK(cuGraphDestroy(graph));
}

static void nodes_of_one_stream_follow_each_other(void **state)
{
    (void)state;
    CUgraphNode nodes[4];
    CUgraphNode before;
    CUgraphNodeType type;
    size_t count = 4;
    begin();
    OK(cuMemsetD8Async(world.a, 1, BYTES, world.stream));
    OK(cuMemcpyDtoDAsync(world.b, world.a, BYTES, world.stream));
    CUgraph graph = end();
    OK(cuGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 2);
    assert_null(nodes[2]);
    OK(cuGraphNodeGetType(nodes[0], &type));
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_MEMSET);
    OK(cuGraphNodeGetType(nodes[1], &type));
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_MEMCPY);
    count = 1;
    OK(cuGraphGetRootNodes(graph, &before, &count));
    assert_ptr_equal(before, nodes[0]);
}

static void a_stream_joins_a_capture_by_an_event(void **state)
{
    (void)state;
    CUstreamCaptureStatus status;
    begin();
    OK(cuMemsetD8Async(world.a, 7, BYTES, world.stream));
    OK(cuEventRecord(world.fork, world.stream));
    OK(cuStreamWaitEvent(world.other, world.fork, 0));
    OK(cuStreamIsCapturing(world.other, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(cuMemcpyDtoDAsync(world.b, world.a, BYTES, world.other));
    OK(cuMemsetD8Async(world.a, 8, 1, world.stream));
    OK(cuEventRecord(world.join, world.other));
    OK(cuStreamWaitEvent(world.stream, world.join, 0));
    OK(cuMemcpyDtoHAsync(world.pinned, world.b, BYTES, world.stream));
    CUgraph graph = end();
    OK(cuStreamIsCapturing(world.other, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
    run(graph);
    assert_int_equal(world.pinned[BYTES - 1], 7);
    GIVES(CUDA_ERROR_CAPTURED_EVENT, cuEventQuery(world.fork));
}

static void a_clone_runs_as_the_original_did(void **state)
{
    (void)state;
    CUgraph clone;
    begin();
    OK(cuMemsetD8Async(world.a, 7, BYTES, world.stream));
    OK(cuMemcpyDtoHAsync(world.pinned, world.a, BYTES, world.stream));
    CUgraph graph = end();
    OK(cuGraphClone(&clone, graph));
    OK(cuGraphDestroy(graph));
    run(clone);
    assert_int_equal(world.pinned[BYTES - 1], 7);
}

static void a_stream_that_does_not_come_back_loses_the_capture(void **state)
{
    (void)state;
    begin();
    OK(cuEventRecord(world.fork, world.stream));
    OK(cuStreamWaitEvent(world.other, world.fork, 0));
    OK(cuMemsetD8Async(world.a, 7, BYTES, world.other));
    endsLost(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    OK(cuMemsetD8Async(world.a, 7, BYTES, world.other));
}

static void waiting_for_a_capturing_stream_loses_the_capture(void **state)
{
    (void)state;
    begin();
    GIVES(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(world.stream));
    GIVES(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuMemsetD8Async(world.a, 7, BYTES, world.stream));
    endsLost(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

static void an_unsafe_call_loses_a_global_capture(void **state)
{
    (void)state;
    CUdeviceptr memory;
    begin();
    GIVES(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuMemAlloc(&memory, 16));
    endsLost(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(cuStreamBeginCapture(world.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuMemAlloc(&memory, 16));
    OK(cuGraphDestroy(end()));
}

static void a_thread_may_exchange_its_mode_and_make_unsafe_calls(void **state)
{
    (void)state;
    CUdeviceptr memory;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    begin();
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
    OK(cuMemAlloc(&memory, 16));
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    OK(cuGraphDestroy(end()));
}

static void *allocates(void *result)
{
    CUdeviceptr memory;
    OK(cuCtxSetCurrent(primary[0]));
    *(CUresult *)result = cuMemAlloc(&memory, 16);
    return NULL;
}

static void a_thread_local_capture_does_not_mind_other_threads(void **state)
{
    (void)state;
    CUresult result = CUDA_ERROR_UNKNOWN;
    pthread_t thread;
    OK(cuStreamBeginCapture(world.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    assert_int_equal(pthread_create(&thread, NULL, allocates, &result), 0);
    pthread_join(thread, NULL);
    OK(result);
    OK(cuGraphDestroy(end()));
}

static void *endsCapture(void *result)
{
    CUgraph graph;
    *(CUresult *)result = cuStreamEndCapture(world.stream, &graph);
    return NULL;
}

static void a_capture_is_ended_by_the_thread_that_began_it(void **state)
{
    (void)state;
    CUresult result = CUDA_SUCCESS;
    pthread_t thread;
    begin();
    assert_int_equal(pthread_create(&thread, NULL, endsCapture, &result), 0);
    pthread_join(thread, NULL);
    GIVES(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, result);
    OK(cuGraphDestroy(end()));
}

static void an_event_from_outside_is_not_waited_for(void **state)
{
    (void)state;
    OK(cuEventRecord(world.fork, world.other));
    begin();
    GIVES(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, cuStreamWaitEvent(world.stream, world.fork, 0));
    endsLost(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

static void two_captures_do_not_become_one(void **state)
{
    (void)state;
    CUgraph graph;
    begin();
    OK(cuStreamBeginCapture(world.other, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuEventRecord(world.fork, world.other));
    GIVES(CUDA_ERROR_STREAM_CAPTURE_MERGE, cuStreamWaitEvent(world.stream, world.fork, 0));
    endsLost(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    GIVES(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(world.other, &graph));
}

static void memory_allocated_under_capture_lives_with_the_graph(void **state)
{
    (void)state;
    CUdeviceptr memory;
    CUgraphExec exec;
    begin();
    OK(cuMemAllocAsync(&memory, BYTES, world.stream));
    OK(cuMemsetD8Async(memory, 6, BYTES, world.stream));
    OK(cuMemcpyDtoHAsync(world.pinned, memory, BYTES, world.stream));
    OK(cuMemFreeAsync(memory, world.stream));
    CUgraph graph = end();
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphDestroy(graph));
    const size_t before = cusimLiveAllocations();
    OK(cuGraphLaunch(exec, world.stream));
    OK(cuGraphLaunch(exec, world.stream));
    OK(cuStreamSynchronize(world.stream));
    assert_int_equal(world.pinned[BYTES - 1], 6);
    OK(cuGraphExecDestroy(exec));
    assert_int_equal(cusimLiveAllocations(), before - 1);
}

static void launches_of_one_graph_follow_each_other(void **state)
{
    (void)state;
    CUgraphExec exec;
    begin();
    OK(cuMemcpyDtoDAsync(world.b, world.a, 1, world.stream));
    OK(cuMemcpyDtoDAsync(world.a, world.b, 1, world.stream));
    CUgraph graph = end();
    OK(cuGraphInstantiate(&exec, graph, 0));
    cusimHold();
    for (int i = 0; i < 10; i++)
        OK(cuGraphLaunch(exec, i % 2 == 0 ? world.stream : world.other));
    OK(cuGraphExecDestroy(exec));
    cusimRelease();
    OK(cuStreamSynchronize(world.stream));
    OK(cuStreamSynchronize(world.other));
}

static void a_capture_can_go_into_a_graph_of_the_programs(void **state)
{
    (void)state;
    CUgraph graph;
    CUgraph found;
    CUgraphNode root;
    CUgraphNode node;
    CUgraphNode before;
    size_t count = 1;
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddEmptyNode(&root, graph, NULL, 0));
    OK(cuStreamBeginCaptureToGraph(world.stream, graph, &root, NULL, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(graph));
    OK(cuMemsetD8Async(world.a, 1, 1, world.stream));
    OK(cuStreamEndCapture(world.stream, &found));
    assert_ptr_equal(found, graph);
    CUgraphNode nodes[2];
    count = 2;
    OK(cuGraphGetNodes(graph, nodes, &count));
    node = nodes[1];
    count = 1;
    OK(cuGraphNodeGetDependencies_v2(node, &before, NULL, &count));
    assert_ptr_equal(before, root);
    OK(cuGraphDestroy(graph));
}

static void destroying_the_stream_ends_the_capture(void **state)
{
    (void)state;
    begin();
    OK(cuMemsetD8Async(world.a, 1, 1, world.stream));
    OK(cuStreamDestroy(world.stream));
    assert_int_equal(cusimLiveHandles("graph"), 0);
}

#define TEST(test) cmocka_unit_test_setup(test, setUp)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_captured_copy_runs_when_the_graph_is_launched_and_reads_its_source_then),
        TEST(nodes_of_one_stream_follow_each_other),
        TEST(a_stream_joins_a_capture_by_an_event),
        TEST(a_clone_runs_as_the_original_did),
        TEST(a_stream_that_does_not_come_back_loses_the_capture),
        TEST(waiting_for_a_capturing_stream_loses_the_capture),
        TEST(an_unsafe_call_loses_a_global_capture),
        TEST(a_thread_may_exchange_its_mode_and_make_unsafe_calls),
        TEST(a_thread_local_capture_does_not_mind_other_threads),
        TEST(a_capture_is_ended_by_the_thread_that_began_it),
        TEST(an_event_from_outside_is_not_waited_for),
        TEST(two_captures_do_not_become_one),
        TEST(memory_allocated_under_capture_lives_with_the_graph),
        TEST(launches_of_one_graph_follow_each_other),
        TEST(a_capture_can_go_into_a_graph_of_the_programs),
        TEST(destroying_the_stream_ends_the_capture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
