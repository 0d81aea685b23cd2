/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which copies are tried, and one try: fill, make the context stack, call, compare the stack, wait, compare the bytes.
 */
#include "tool/report.h"

/* ---- The plan ---- */

static void add(struct report *report, int copy, enum memory kind, enum memory dst, enum memory src)
{
    report->rows[report->rowCount++] =
        (struct row){.copy = copy, .dst = dst, .src = src, .kind = kind, .mustFail = kind == CLOSED};
}

static enum memory far(enum memory kind)
{
    return kind == POOL ? FAR_POOL : FAR_PLAIN;
}

static void addKind(struct report *report, int copy, enum memory kind)
{
    const unsigned shapes = doctorCopies[copy].shapes;
    if (shapes & HOST_TO_DEVICE) {
        add(report, copy, kind, kind, PINNED);
        add(report, copy, kind, kind, PAGEABLE);
    }
    if (shapes & DEVICE_TO_HOST) {
        add(report, copy, kind, PINNED, kind);
        add(report, copy, kind, PAGEABLE, kind);
    }
    if (shapes & DEVICE_TO_DEVICE)
        add(report, copy, kind, kind, kind);
    if (shapes & BETWEEN_CONTEXTS) {
        add(report, copy, kind, kind, far(kind));
        add(report, copy, kind, far(kind), kind);
    }
}

/* Memory that nobody may access: one try for each copy, since each may cost a process. */
static void addClosed(struct report *report, int copy)
{
    const unsigned shapes = doctorCopies[copy].shapes;
    if (shapes & HOST_TO_DEVICE)
        add(report, copy, CLOSED, CLOSED, PINNED);
    else if (shapes & DEVICE_TO_HOST)
        add(report, copy, CLOSED, PINNED, CLOSED);
    else if (shapes & DEVICE_TO_DEVICE)
        add(report, copy, CLOSED, CLOSED, PLAIN);
    else if (shapes & BETWEEN_CONTEXTS)
        add(report, copy, CLOSED, CLOSED, FAR_PLAIN);
}

void doctorPlan(struct report *report)
{
    for (int i = 0; i < doctorCopyCount; i++) {
        addKind(report, i, PLAIN);
        addKind(report, i, POOL);
        addKind(report, i, VMM);
        addClosed(report, i);
        if (doctorCopies[i].shapes & HOST_TO_ARRAY) {
            add(report, i, ARRAY, ARRAY, PINNED);
            add(report, i, ARRAY, ARRAY, PAGEABLE);
        }
        if (doctorCopies[i].shapes & ARRAY_TO_HOST) {
            add(report, i, ARRAY, PINNED, ARRAY);
            add(report, i, ARRAY, PAGEABLE, ARRAY);
        }
    }
}

/* ---- The context stack ---- */

/* Two contexts with the one that is to be current on top, the other below it to be found if something pops twice. */
struct stack {
    int depth;
    CUcontext contexts[4];
};

static struct stack stackFor(const struct scene *scene, enum current current)
{
    if (current == OTHER)
        return (struct stack){.depth = 2, .contexts = {scene->home, scene->other}};
    if (current == STREAMS)
        return (struct stack){.depth = 2, .contexts = {scene->other, scene->home}};
    return (struct stack){.depth = 0};
}

static int push(const struct stack *stack)
{
    for (int i = 0; i < stack->depth; i++)
        if (cudrvCtxPushCurrent(stack->contexts[i]) != CUDA_SUCCESS)
            return 0;
    return 1;
}

/* Take the whole stack down. 1 if it was exactly this one. *empty: whether it is down now. */
static int popAndCompare(const struct stack *stack, int *empty)
{
    const int limit = sizeof(stack->contexts) / sizeof(stack->contexts[0]);
    CUcontext top = NULL;
    int same = 1;
    int depth = 0;
    *empty = 0;
    for (depth = 0; depth < limit; depth++) {
        if (cudrvCtxGetCurrent(&top) != CUDA_SUCCESS)
            return 0;
        if (!top)
            break;
        same = same && depth < stack->depth && top == stack->contexts[stack->depth - 1 - depth];
        if (cudrvCtxPopCurrent(&top) != CUDA_SUCCESS)
            return 0;
    }
    *empty = depth < limit;
    return same && depth == stack->depth;
}

/* ---- One try ---- */

/* At once, and with the same context current. The raw layer keeps no record, so this makes one. */
static void explain(const struct row *row, enum layer layer, const struct operands *operands, struct trial *trial)
{
    cucopyFailure failure = CUCOPY_FAILURE_INIT;
    if (layer == SAFE) {
        (void)cucopyLastFailure(&failure);
    } else {
        failure.function = doctorCopies[row->copy].name;
        failure.result = trial->result;
        failure.stream = operands->stream;
        failure.dst = operands->dst;
        failure.src = operands->src;
        failure.bytes = BYTES;
        failure.dstSide.context = operands->dstContext;
        failure.srcSide.context = operands->srcContext;
        cucopyObserveFailure(&failure);
    }
    (void)cucopyExplain(&failure, trial->explanation, sizeof(trial->explanation));
}

static CUcontext contextOf(const struct scene *scene, enum memory memory)
{
    return memory == FAR_PLAIN || memory == FAR_POOL ? scene->other : scene->home;
}

int doctorTry(struct report *report, const struct scene *scene, const struct row *row, enum current current,
              enum layer layer, struct trial *trial)
{
    const struct copy *const copy = &doctorCopies[row->copy];
    const unsigned before = 2 * (unsigned)report->step;
    const unsigned after = before + 1;
    if (layer == RAW && !doctorCopyExists(copy)) {
        trial->outcome = ABSENT;
        return 1;
    }
    if (row->dst != CLOSED && !doctorSceneFill(scene, row->dst, 0, before))
        return 0;
    if (row->src != CLOSED && !doctorSceneFill(scene, row->src, BYTES, after))
        return 0;

    const struct operands operands = {
        .dst = scene->address[row->dst],
        .src = scene->address[row->src] + (row->src == ARRAY ? 0 : BYTES),
        .array = scene->array,
        .dstContext = contextOf(scene, row->dst),
        .srcContext = contextOf(scene, row->src),
        .stream = scene->stream,
    };
    const struct stack stack = stackFor(scene, current);
    if (!push(&stack))
        return 0;
    trial->result = copy->call[layer](&operands);
    if (trial->result != CUDA_SUCCESS && report->explain)
        explain(row, layer, &operands, trial);
    int empty = 0;
    trial->stackChanged = !popAndCompare(&stack, &empty);

    const CUresult waited = cudrvStreamSynchronize(scene->stream);
    if (trial->result == CUDA_SUCCESS)
        trial->result = waited;
    if (trial->result != CUDA_SUCCESS)
        trial->outcome = REFUSED;
    else
        trial->outcome = doctorSceneHolds(scene, row->dst, 0, after) ? ARRIVED : LOST;
    trial->moved = trial->outcome == REFUSED && row->dst != CLOSED && !doctorSceneHolds(scene, row->dst, 0, before);
    return empty && waited == CUDA_SUCCESS;
}
