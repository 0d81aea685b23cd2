/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of boxes: the guarantees of batches of ranges, for pointers and arrays.
 */
#include "types.h"

#include "areas.h"

enum { WIDTH = 48, HEIGHT = 5, DEPTH = 3, PITCH = 64, ROWS = 6, BOX = PITCH * ROWS * DEPTH, COUNT = 40 };

static CUDA_MEMCPY3D_BATCH_OP boxOp(const struct bench *bench, size_t i)
{
    CUDA_MEMCPY3D_BATCH_OP op;
    memset(&op, 0, sizeof(op));
    op.src.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    op.src.op.ptr.ptr = bench->src.address + i * BOX;
    op.src.op.ptr.rowLength = PITCH;
    op.src.op.ptr.layerHeight = ROWS;
    op.dst = op.src;
    op.dst.op.ptr.ptr = bench->dst.address + (COUNT - 1 - i) * BOX;
    op.extent.width = WIDTH;
    op.extent.height = HEIGHT;
    op.extent.depth = DEPTH;
    op.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    return op;
}

static void modelBox(struct bench *bench, const CUDA_MEMCPY3D_BATCH_OP *op)
{
    const size_t dst = (size_t)(op->dst.op.ptr.ptr - bench->dst.address);
    const size_t src = (size_t)(op->src.op.ptr.ptr - bench->src.address);
    for (size_t z = 0; z < op->extent.depth; z++)
        for (size_t y = 0; y < op->extent.height; y++)
            memcpy(bench->dst.model + dst + (z * ROWS + y) * PITCH, bench->src.model + src + (z * ROWS + y) * PITCH,
                   op->extent.width);
}

static struct bench make(void **state, char dst, char src)
{
    return benchMake(*state, dst, src, (size_t)COUNT * BOX);
}

static cucopyFailure lastFailure(void)
{
    cucopyFailure failure = CUCOPY_FAILURE_INIT;
    assert_success(cucopyLastFailure(&failure));
    return failure;
}

static void boxes_arrive_on_every_stream_from_every_kind_of_memory(void **state)
{
    const struct world *const world = *state;
    static const char kinds[] = ALL_KINDS;
    const CUstream streams[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, world->awayStream};
    for (size_t s = 0; s < sizeof(streams) / sizeof(streams[0]); s++)
        for (size_t k = 0; kinds[k]; k++)
            for (size_t count = 1; count <= COUNT; count += COUNT - 1) {
                struct bench bench = make(state, 'D', kinds[k]);
                CUDA_MEMCPY3D_BATCH_OP ops[COUNT];
                for (size_t i = 0; i < count; i++)
                    ops[i] = boxOp(&bench, i);
                assert_success(cucopyMemcpy3DBatchAsync(count, ops, 0, streams[s]));
                for (size_t i = 0; i < count; i++)
                    modelBox(&bench, &ops[i]);
                areaCheck(&bench.dst);
                benchFree(&bench);
            }
}

static void with_no_context_current(void **state)
{
    struct bench bench = make(state, 'P', 'H');
    CUDA_MEMCPY3D_BATCH_OP op = boxOp(&bench, 3);
    size_t failed = 5;
    assert_success(cudrvCtxPopCurrent(NULL));
    assert_success(cucopyMemcpy3DBatchAsync_v12080(1, &op, &failed, 0, bench.stream));
    assert_int_equal(stackNow().depth, 0);
    assert_success(cudrvCtxPushCurrent(bench.world->away));
    modelBox(&bench, &op);
    areaCheck(&bench.dst);
    benchFree(&bench);
}

static void empty_boxes_and_an_empty_batch_are_nothing(void **state)
{
    struct bench bench = make(state, 'D', 'H');
    CUDA_MEMCPY3D_BATCH_OP ops[4];
    for (size_t i = 0; i < 4; i++)
        ops[i] = boxOp(&bench, i);
    ops[0].extent.width = ops[1].extent.height = ops[2].extent.depth = 0;
    ops[0].dst.op.ptr.ptr = 0;
    assert_success(cucopyMemcpy3DBatchAsync(4, ops, 0, bench.stream));
    assert_success(cucopyMemcpy3DBatchAsync(3, ops, 0, bench.stream));
    assert_success(cucopyMemcpy3DBatchAsync(0, NULL, 0, bench.stream));
    modelBox(&bench, &ops[3]);
    areaCheck(&bench.dst);
    benchFree(&bench);
}

static void what_is_refused_copies_nothing(void **state)
{
    struct bench bench = make(state, 'D', 'H');
    for (int mistake = 0; mistake < 10; mistake++) {
        CUDA_MEMCPY3D_BATCH_OP ops[COUNT];
        for (size_t i = 0; i < COUNT; i++)
            ops[i] = boxOp(&bench, i);
        CUDA_MEMCPY3D_BATCH_OP *const op = &ops[COUNT - 1];
        switch (mistake) {
        case 0:
            op->dst.op.ptr.ptr = 0;
            break;
        case 1:
            op->src.op.ptr.rowLength = WIDTH - 1;
            break;
        case 2:
            op->dst.op.ptr.layerHeight = HEIGHT - 1;
            break;
        case 3:
            op->srcAccessOrder = 0;
            break;
        case 4:
            op->flags = 2;
            break;
        case 5:
            op->src.type = 0;
            break;
        case 6:
            op->src.op.ptr.ptr =
                bench.src.address + bench.src.bytes - BOX + (size_t)PITCH * 2; /* the last layer is past it */
            break;
        case 7:
            op->extent.depth = 100000;
            break;
        case 8:
            op->dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
            op->dst.op.array.array = NULL;
            break;
        default:
            break;
        }
        assert_result(cucopyMemcpy3DBatchAsync(COUNT, ops, mistake == 9, bench.stream), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(lastFailure().entry, mistake == 9 ? CUCOPY_NO_ENTRY : COUNT - 1);
        assert_int_equal(lastFailure().entriesEnqueued, 0);
        areaCheck(&bench.dst);
    }
    assert_result(cucopyMemcpy3DBatchAsync(3, NULL, 0, bench.stream), CUDA_ERROR_INVALID_VALUE);
    benchFree(&bench);
}

/* Products of their extents that wrap around to little. */
static void boxes_larger_than_any_memory_are_refused(void **state)
{
    const struct world *const world = *state;
    static const size_t extents[][3] = {
        {(size_t)1 << 63, 2, 1}, {64, 1, ((size_t)1 << 58) + 1}, {64, ((size_t)1 << 58) + 1, 1}, {1, 1, SIZE_MAX}};
    static const char kinds[] = "HU";
    const CUstream streams[] = {world->awayStream, NULL};
    for (size_t s = 0; s < 2; s++)
        for (size_t k = 0; kinds[k]; k++)
            for (size_t e = 0; e < sizeof(extents) / sizeof(extents[0]); e++) {
                struct bench bench = make(state, 'D', kinds[k]);
                CUDA_MEMCPY3D_BATCH_OP ops[] = {boxOp(&bench, 0), boxOp(&bench, 1)};
                ops[1].src.op.ptr.rowLength = ops[1].src.op.ptr.layerHeight = 0;
                ops[1].dst.op.ptr.rowLength = ops[1].dst.op.ptr.layerHeight = 0;
                ops[1].extent.width = extents[e][0];
                ops[1].extent.height = extents[e][1];
                ops[1].extent.depth = extents[e][2];
                assert_result(cucopyMemcpy3DBatchAsync(2, ops, 0, streams[s]), CUDA_ERROR_INVALID_VALUE);
                assert_int_equal(lastFailure().entry, 1);
                areaCheck(&bench.dst);
                benchFree(&bench);
            }
}

static void boxes_that_leave_their_array_are_refused(void **state)
{
    const CUDA_ARRAY3D_DESCRIPTOR descriptor = {
        .Width = 16, .Height = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 2};
    const struct world *const world = *state;
    const CUstream streams[] = {world->awayStream, NULL};
    static const size_t bad[][6] = {/* offset, extent */
                                    {0, 0, 0, 17, 1, 1}, {1, 0, 0, 16, 1, 1}, {0, 7, 0, 1, 2, 1},
                                    {0, 0, 0, 1, 1, 2},  {0, 0, 1, 1, 1, 1},  {SIZE_MAX, 0, 0, 2, 1, 1}};
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
            struct bench bench = make(state, 'D', 'H');
            CUarray array;
            CUDA_MEMCPY3D_BATCH_OP ops[] = {boxOp(&bench, 0), boxOp(&bench, 1)};
            assert_success(cudrvArray3DCreate(&array, &descriptor));
            memset(&ops[1].dst, 0, sizeof(ops[1].dst));
            ops[1].dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
            ops[1].dst.op.array.array = array;
            ops[1].dst.op.array.offset.x = bad[i][0];
            ops[1].dst.op.array.offset.y = bad[i][1];
            ops[1].dst.op.array.offset.z = bad[i][2];
            ops[1].extent.width = bad[i][3];
            ops[1].extent.height = bad[i][4];
            ops[1].extent.depth = bad[i][5];
            assert_result(cucopyMemcpy3DBatchAsync(2, ops, 0, streams[s]), CUDA_ERROR_INVALID_VALUE);
            assert_int_equal(lastFailure().entry, 1);
            areaCheck(&bench.dst);
            assert_success(cudrvArrayDestroy(array));
            benchFree(&bench);
        }
}

/* Single copies count bytes, so they need the size of an element. */
static void an_array_that_only_the_drivers_batch_could_copy_is_refused_where_that_cannot_be_used(void **state)
{
    const CUDA_ARRAY3D_DESCRIPTOR descriptor = {
        .Width = 16, .Height = 8, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    const struct simulator *const sim = needSimulator();
    struct bench bench = make(state, 'D', 'H');
    CUarray array;
    CUDA_MEMCPY3D_BATCH_OP ops[] = {boxOp(&bench, 0), boxOp(&bench, 1)};
    assert_success(cudrvArray3DCreate(&array, &descriptor));
    memset(&ops[1].dst, 0, sizeof(ops[1].dst));
    ops[1].dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
    ops[1].dst.op.array.array = array;
    ops[1].extent.width = ops[1].extent.height = ops[1].extent.depth = 1;
    sim->refuse("cuArray3DGetDescriptor_v2", 1, CUDA_ERROR_NOT_SUPPORTED, 1);
    assert_result(cucopyMemcpy3DBatchAsync(2, ops, 0, NULL), CUDA_ERROR_NOT_SUPPORTED);
    sim->refuseNone();
    assert_int_equal(lastFailure().entry, 1);
    assert_non_null(lastFailure().reason);
    areaCheck(&bench.dst);
    assert_success(cudrvArrayDestroy(array));
    benchFree(&bench);
}

/* Widths and offsets count elements of the array. */
static void arrays_and_pointers_in_one_batch(void **state)
{
    enum { ELEMENTS = 16, LINES = 8, ELEMENT = 8 };
    const CUDA_ARRAY3D_DESCRIPTOR descriptor = {
        .Width = ELEMENTS, .Height = LINES, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 2};
    const struct world *const world = *state;
    const CUstream streams[] = {NULL, world->awayStream};
    for (size_t s = 0; s < 2; s++) {
        struct bench bench = benchMake(world, 'D', 'H', (size_t)ELEMENTS * LINES * ELEMENT);
        CUarray array;
        assert_success(cudrvArray3DCreate(&array, &descriptor));
        CUDA_MEMCPY3D_BATCH_OP in, out;
        memset(&in, 0, sizeof(in));
        in.src.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
        in.src.op.ptr.ptr = bench.src.address;
        in.dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
        in.dst.op.array.array = array;
        in.extent.width = ELEMENTS;
        in.extent.height = LINES;
        in.extent.depth = 1;
        in.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
        out = in;
        out.src = in.dst;
        out.src.op.array.offset.x = 4;
        out.src.op.array.offset.y = 2;
        out.dst = in.src;
        out.dst.op.ptr.ptr = bench.dst.address;
        out.extent.width = 10;
        out.extent.height = 5;
        assert_success(cucopyMemcpy3DBatchAsync(1, &in, 0, streams[s]));
        assert_success(cudrvCtxSynchronize());
        CUDA_MEMCPY3D_BATCH_OP both[2] = {out, out};
        both[1].extent.height = 1;
        both[1].dst.op.ptr.ptr = bench.dst.address + (size_t)10 * 5 * ELEMENT;
        assert_success(cucopyMemcpy3DBatchAsync(2, both, 0, streams[s]));
        for (size_t y = 0; y < 6; y++)
            memcpy(bench.dst.model + y * 10 * ELEMENT, bench.src.model + ((2 + y % 5) * ELEMENTS + 4) * ELEMENT,
                   (size_t)10 * ELEMENT);
        areaCheck(&bench.dst);
        assert_success(cudrvArrayDestroy(array));
        benchFree(&bench);
    }
}

static void captured_boxes_are_copied_by_the_graph(void **state)
{
    struct bench bench = make(state, 'D', 'H');
    CUDA_MEMCPY3D_BATCH_OP ops[COUNT];
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    for (size_t i = 0; i < COUNT; i++)
        ops[i] = boxOp(&bench, i);
    assert_success(cudrvStreamBeginCapture(bench.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    ops[7].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    assert_result(cucopyMemcpy3DBatchAsync(COUNT, ops, 0, bench.stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    ops[7].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    assert_success(cucopyMemcpy3DBatchAsync(COUNT, ops, 0, bench.stream));
    assert_success(cudrvStreamEndCapture(bench.stream, &graph));
    assert_success(cudrvGraphInstantiate(&exec, graph, 0));
    areaCheck(&bench.dst);
    areaFill(&bench.src, 9);
    assert_success(cudrvGraphLaunch(exec, bench.stream));
    for (size_t i = 0; i < COUNT; i++)
        modelBox(&bench, &ops[i]);
    areaCheck(&bench.dst);
    assert_success(cudrvGraphExecDestroy(exec));
    assert_success(cudrvGraphDestroy(graph));
    benchFree(&bench);
}

static void a_source_read_during_the_call_may_change_afterwards(void **state)
{
    static const char kinds[] = "HU";
    for (size_t k = 0; kinds[k]; k++) {
        struct bench bench = make(state, 'D', kinds[k]);
        CUDA_MEMCPY3D_BATCH_OP ops[COUNT];
        for (size_t i = 0; i < COUNT; i++) {
            ops[i] = boxOp(&bench, i);
            ops[i].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
        }
        assert_success(cucopyMemcpy3DBatchAsync(COUNT, ops, 0, bench.stream));
        memset(bench.src.host, 0x5A, bench.src.bytes);
        for (size_t i = 0; i < COUNT; i++)
            modelBox(&bench, &ops[i]);
        areaCheck(&bench.dst);
        benchFree(&bench);
    }
}

static void a_batch_whose_wait_fails_is_enqueued(void **state)
{
    const struct simulator *const sim = needSimulator();
    struct bench bench = make(state, 'D', 'H');
    CUDA_MEMCPY3D_BATCH_OP op = boxOp(&bench, 0);
    op.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    sim->refuse("cuStreamSynchronize", 1, CUDA_ERROR_UNKNOWN, 0);
    assert_result(cucopyMemcpy3DBatchAsync(1, &op, 0, bench.stream), CUDA_ERROR_UNKNOWN);
    sim->refuseNone();
    assert_int_equal(lastFailure().enqueued, 1);
    modelBox(&bench, &op);
    areaCheck(&bench.dst);
    benchFree(&bench);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_arrive_on_every_stream_from_every_kind_of_memory),
        cmocka_unit_test(with_no_context_current),
        cmocka_unit_test(empty_boxes_and_an_empty_batch_are_nothing),
        cmocka_unit_test(what_is_refused_copies_nothing),
        cmocka_unit_test(boxes_larger_than_any_memory_are_refused),
        cmocka_unit_test(boxes_that_leave_their_array_are_refused),
        cmocka_unit_test(an_array_that_only_the_drivers_batch_could_copy_is_refused_where_that_cannot_be_used),
        cmocka_unit_test(arrays_and_pointers_in_one_batch),
        cmocka_unit_test(captured_boxes_are_copied_by_the_graph),
        cmocka_unit_test(a_source_read_during_the_call_may_change_afterwards),
        cmocka_unit_test(a_batch_whose_wait_fails_is_enqueued),
    };
    return cmocka_run_group_tests(tests, worldSetUp, worldTearDown);
}
