/* SPDX-License-Identifier: MIT */
/* Graphs that execute. Each node has a stream of its own, so that nodes are ordered as the edges
 * say, and as other streams' work is. */
#include "base/message.h"
#include "model/runtime/graph_parts.h"
#include "model/watch/watcher.h"

#include <stdlib.h>

/* A node of a graph that executes. */
typedef struct step {
    /* NULL: the end of another graph in this one. Only to be compared: it may be destroyed. */
    const kg__node *node;
    enum cudaGraphNodeType type;
    kg__action *action; /* NULL: it only joins others */
    kg__stream stream;
    size_t *before; /* the steps that it comes after */
    size_t before_count, before_room;
} step;

struct CUgraphExec_st {
    kg__handle handle;
    bool frees;  /* a launch frees what the last one has allocated */
    step *steps; /* each after those before it */
    size_t count, room;
};

static kg__handle *execs;

/* A conditional node: what it chooses executes as one piece of work. */
typedef struct conditional {
    kg__action action;
    cudaGraphConditionalHandle handle;
    enum cudaGraphConditionalNodeType type;
    unsigned int size;
    cudaGraphExec_t *bodies;
} conditional;

static cudaGraphExec_t make_exec(cudaGraph_t graph);
static void free_exec(cudaGraphExec_t exec);
static cudaError_t run_inside(cudaGraphExec_t exec);
static void begin_conditions(cudaGraphExec_t exec);

static cudaError_t run_conditional(kg__action *action)
{
    const conditional *made = (const conditional *)(const void *)action;
    cudaError_t error = cudaSuccess;

    do {
        const unsigned int value = kg__condition_of(made->handle)->value;
        const unsigned int branch =
            made->type == cudaGraphCondTypeSwitch ? value : (unsigned int)(value == 0);

        if (branch >= made->size)
            break;
        error = run_inside(made->bodies[branch]);
    } while (made->type == cudaGraphCondTypeWhile && error == cudaSuccess);
    return error;
}

static void drop_conditional(kg__action *action)
{
    conditional *made = (conditional *)(void *)action;

    for (unsigned int i = 0; i < made->size; i++) {
        if (made->bodies[i] != NULL)
            free_exec(made->bodies[i]);
    }
    free(made->bodies);
}

static kg__action *make_conditional(const kg__branches *branches)
{
    conditional *made =
        kg__action_make(sizeof *made, "conditional node", run_conditional, drop_conditional);

    made->handle = branches->handle;
    made->type = branches->type;
    made->size = branches->size;
    made->bodies = kg__allocate(made->size, sizeof(cudaGraphExec_t));
    for (unsigned int i = 0; i < made->size; i++) {
        made->bodies[i] = make_exec(branches->graphs[i]);
        if (made->bodies[i] == NULL) {
            kg__action_release(&made->action);
            return NULL;
        }
    }
    return &made->action;
}

static void begin_conditional(const kg__action *action)
{
    const conditional *made = (const conditional *)(const void *)action;
    kg__condition *condition;

    if (action == NULL || action->run != run_conditional)
        return;
    condition = kg__condition_of(made->handle);
    if (condition->begins)
        condition->value = condition->first;
    for (unsigned int i = 0; i < made->size; i++)
        begin_conditions(made->bodies[i]);
}

static size_t add_step(cudaGraphExec_t exec, const kg__node *node, kg__action *action)
{
    step *added = KG__ADD(exec->steps, exec->count, exec->room);

    *added = (step){ .node = node,
                     .type = node != NULL ? node->type : cudaGraphNodeTypeEmpty,
                     .action = action };
    kg__stream_begin(&added->stream);
    if (action != NULL)
        action->references++;
    return exec->count - 1;
}

static void put_after(step *later, size_t before)
{
    *KG__ADD(later->before, later->before_count, later->before_room) = before;
}

static bool add_steps(cudaGraphExec_t exec, cudaGraph_t graph, size_t first);

/* Adds the step of a node, whose former nodes have theirs; false if its own graph has a circle. */
static bool add_step_of(cudaGraphExec_t exec, const kg__node *node, size_t first, size_t *step_of)
{
    kg__action *action = node->branches != NULL ? make_conditional(node->branches) : node->action;
    const size_t added = add_step(exec, node, action);

    if (node->branches != NULL && action == NULL)
        return false;
    /* The step alone has it. */
    if (node->branches != NULL)
        kg__action_release(action);
    if (first != SIZE_MAX)
        put_after(&exec->steps[added], first);
    for (size_t i = 0; i < node->before.count; i++)
        put_after(&exec->steps[added], step_of[node->before.list[i]->number]);
    step_of[node->number] = added;
    if (node->child == NULL)
        return true;
    if (!add_steps(exec, node->child, added))
        return false;
    step_of[node->number] = add_step(exec, NULL, NULL);
    for (size_t i = added; i + 1 < exec->count; i++)
        put_after(&exec->steps[exec->count - 1], i);
    return true;
}

/* Adds the steps of a graph, all after the step `first` (SIZE_MAX: none); false if its edges make
 * a circle. */
static bool add_steps(cudaGraphExec_t exec, cudaGraph_t graph, size_t first)
{
    const size_t count = graph->nodes.count;
    size_t *step_of = kg__allocate(count + 1, sizeof *step_of);
    size_t added = 0;
    size_t before = SIZE_MAX;

    for (size_t i = 0; i < count; i++)
        step_of[i] = SIZE_MAX;
    while (before != added) {
        before = added;
        for (size_t i = 0; i < count; i++) {
            const kg__node *node = graph->nodes.list[i];
            bool ready = step_of[i] == SIZE_MAX;

            for (size_t at = 0; at < node->before.count && ready; at++)
                ready = step_of[node->before.list[at]->number] != SIZE_MAX;
            if (ready)
                added += add_step_of(exec, node, first, step_of);
        }
    }
    free(step_of);
    return added == count;
}

static void free_exec(cudaGraphExec_t exec)
{
    for (size_t i = 0; i < exec->count; i++) {
        if (exec->steps[i].action != NULL)
            kg__action_release(exec->steps[i].action);
        kg__stream_end(&exec->steps[i].stream);
        free(exec->steps[i].before);
    }
    free(exec->steps);
    free(exec);
}

static cudaGraphExec_t make_exec(cudaGraph_t graph)
{
    cudaGraphExec_t made = kg__allocate(1, sizeof *made);

    if (add_steps(made, graph, SIZE_MAX))
        return made;
    free_exec(made);
    return NULL;
}

static cudaError_t run_inside(cudaGraphExec_t exec)
{
    kg__spans *all = kg__watch_track(NULL);
    cudaError_t error = cudaSuccess;

    (void)kg__watch_track(all);
    for (size_t i = 0; i < exec->count && error == cudaSuccess; i++) {
        kg__action *action = exec->steps[i].action;

        if (action == NULL)
            continue;
        if (all != NULL)
            kg__spans_join(all, &action->spans);
        error = action->run(action);
    }
    return error;
}

static void begin_conditions(cudaGraphExec_t exec)
{
    for (size_t i = 0; i < exec->count; i++)
        begin_conditional(exec->steps[i].action);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    cudaGraphExec_t made;

    if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0)
        return kg__model_refuse("CUDA graphs: launches by kernels",
                                "cudaGraphInstantiateWithFlags");
    KG__BEGIN_CALL();
    KG__REFUSE_IF(exec == NULL || !kg__graph_is(graph), cudaErrorInvalidValue);
    made = make_exec(graph);
    KG__REFUSE_IF(made == NULL, cudaErrorInvalidValue);
    made->frees = (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
    kg__handle_add(&execs, made);
    *exec = made;
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    KG__BEGIN_CALL();
    KG__REFUSE_IF(!kg__handle_remove(&execs, exec), cudaErrorInvalidValue);
    free_exec(exec);
    return kg__model_leave(cudaSuccess);
}

/* Prepares the memory and the conditions of a launch, which what was given before may use. */
static cudaError_t prepare(cudaGraphExec_t exec)
{
    bool has_parts = false;
    cudaError_t error = cudaSuccess;

    for (size_t i = 0; i < exec->count; i++)
        has_parts |= exec->steps[i].type == cudaGraphNodeTypeMemAlloc ||
                     exec->steps[i].type == cudaGraphNodeTypeConditional;
    if (has_parts && kg__queue_defers)
        error = kg__queue_wait_for_all();
    for (size_t i = 0; i < exec->count && error == cudaSuccess && !exec->frees; i++) {
        if (kg__graph_memory_is_used(exec->steps[i].action))
            error = cudaErrorInvalidValue;
    }
    if (error == cudaSuccess)
        begin_conditions(exec);
    return error;
}

/* Launches of one graph are ordered, in whatever streams. */
static cudaError_t launch(cudaGraphExec_t exec, kg__stream *stream)
{
    cudaError_t error = prepare(exec);

    if (error != cudaSuccess)
        return error;
    kg__stream_refresh(stream);
    for (size_t i = 0; i < exec->count; i++)
        kg__clock_join(&stream->clock, &exec->steps[i].stream.clock);
    for (size_t i = 0; i < exec->count && error == cudaSuccess; i++) {
        step *next = &exec->steps[i];

        kg__clock_join(&next->stream.clock, &stream->clock);
        for (size_t at = 0; at < next->before_count; at++)
            kg__clock_join(&next->stream.clock, &exec->steps[next->before[at]].stream.clock);
        if (next->action == NULL)
            continue;
        next->action->references++;
        error = kg__queue_give(&next->stream, next->action);
    }
    for (size_t i = 0; i < exec->count; i++)
        kg__clock_join(&stream->clock, &exec->steps[i].stream.clock);
    return error;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle)
{
    kg__stream *stream;

    KG__BEGIN_CALL();
    stream = kg__stream_of(handle);
    KG__REFUSE_IF(stream == NULL, cudaErrorInvalidResourceHandle);
    KG__REFUSE_IF(!kg__handle_is(execs, exec), cudaErrorInvalidValue);
    if (stream->graph != NULL) {
        (void)kg__model_leave(kg__capture_refuse(stream));
        return kg__model_refuse("CUDA graphs: a launch that is captured", "cudaGraphLaunch");
    }
    return kg__model_leave(launch(exec, stream));
}

static bool are_alike(const step *a, const step *b)
{
    bool alike = (a->node != NULL) == (b->node != NULL) && a->type == b->type &&
                 a->before_count == b->before_count;

    for (size_t i = 0; i < a->before_count && alike; i++)
        alike = a->before[i] == b->before[i];
    return alike;
}

static void swap_actions(step *a, step *b)
{
    kg__action *action = a->action;

    a->action = b->action;
    b->action = action;
    a->node = b->node;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info)
{
    cudaGraphExec_t other;
    bool alike;

    KG__BEGIN_CALL();
    KG__REFUSE_IF(!kg__handle_is(execs, exec) || !kg__graph_is(graph), cudaErrorInvalidValue);
    other = kg__allocate(1, sizeof *other);
    alike = add_steps(other, graph, SIZE_MAX) && other->count == exec->count;
    for (size_t i = 0; i < exec->count && alike; i++)
        alike = are_alike(&exec->steps[i], &other->steps[i]);
    for (size_t i = 0; i < exec->count && alike; i++)
        swap_actions(&exec->steps[i], &other->steps[i]);
    free_exec(other);
    if (info != NULL)
        *info = (cudaGraphExecUpdateResultInfo){
            .result = alike ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged
        };
    return kg__model_leave(alike ? cudaSuccess : cudaErrorGraphExecUpdateFailure);
}

kg__action **kg__graph_action_of(cudaGraphExec_t exec, const kg__node *node)
{
    for (size_t i = 0; node != NULL && kg__handle_is(execs, exec) && i < exec->count; i++) {
        if (exec->steps[i].node == node)
            return &exec->steps[i].action;
    }
    return NULL;
}
