/* SPDX-License-Identifier: MIT */
/* Graphs that are captured or built. */
#include "model/runtime/graph_parts.h"

/* The node that is made, between kg__model_begin_node() and kg__model_end_node(). */
static bool is_good;         /* the arguments of its call */
static cudaGraph_t scratch;  /* what it is captured into where it is not kept; NULL: its graph */
static kg__action **changed; /* what gets its work; NULL: it is a new node */

/* Captures. */

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, enum cudaStreamCaptureMode mode)
{
    kg__stream *stream;

    if (!kg__is_of_program)
        return kg__model_refuse("CUDA graphs", "cudaStreamBeginCapture");
    KG__BEGIN_CALL();
    stream = kg__stream_of(handle);
    KG__REFUSE_IF((int)mode < 0 || mode > cudaStreamCaptureModeRelaxed, cudaErrorInvalidValue);
    KG__REFUSE_IF(stream == NULL, cudaErrorInvalidResourceHandle);
    KG__REFUSE_IF(kg__stream_is_legacy(stream), cudaErrorStreamCaptureUnsupported);
    KG__REFUSE_IF(stream->graph != NULL, cudaErrorIllegalState);
    stream->graph = kg__graph_make();
    stream->is_origin = true;
    stream->mode = mode;
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    KG__BEGIN_CALL();
    KG__REFUSE_IF(mode == NULL || (unsigned int)*mode > cudaStreamCaptureModeRelaxed,
                  cudaErrorInvalidValue);
    *mode = kg__capture_exchange_mode(*mode);
    return kg__model_leave(cudaSuccess);
}

/* Returns a stream that is captured; NULL with the error. */
static kg__stream *capturing(cudaStream_t handle, cudaError_t *error)
{
    kg__stream *stream = kg__stream_of(handle);

    *error = stream == NULL ? cudaErrorInvalidResourceHandle : cudaErrorIllegalState;
    return stream != NULL && stream->graph != NULL ? stream : NULL;
}

/* Has the next node of a stream come after others of its graph. */
static cudaError_t set_tips(kg__stream *stream, const cudaGraphNode_t *before, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!kg__nodes_have(&stream->graph->nodes, before[i]))
            return cudaErrorInvalidValue;
    }
    for (size_t i = 0; i < count; i++)
        kg__nodes_add(&stream->tips, before[i]);
    return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t *before,
                                                const cudaGraphEdgeData *edges, size_t count,
                                                unsigned int flags)
{
    kg__stream *stream;
    cudaError_t error;

    KG__BEGIN_CALL();
    stream = capturing(handle, &error);
    KG__REFUSE_IF(stream == NULL, error);
    KG__REFUSE_IF(edges != NULL || (before == NULL && count > 0) ||
                      flags > cudaStreamSetCaptureDependencies,
                  cudaErrorInvalidValue);
    if (flags == cudaStreamSetCaptureDependencies)
        stream->tips.count = 0;
    return kg__model_leave(set_tips(stream, before, count));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t handle, cudaGraph_t graph,
                                          const cudaGraphNode_t *before,
                                          const cudaGraphEdgeData *edges, size_t count,
                                          enum cudaStreamCaptureMode mode)
{
    cudaGraph_t made;
    kg__stream *stream;
    cudaError_t error;

    KG__BEGIN_CALL();
    KG__REFUSE_IF(!kg__graph_is(graph) || edges != NULL || (before == NULL && count > 0),
                  cudaErrorInvalidValue);
    error = cudaStreamBeginCapture(handle, mode);
    KG__REFUSE_IF(error != cudaSuccess, error);
    stream = kg__stream_of(handle);
    made = stream->graph;
    stream->graph = graph;
    graph->is_kept = true;
    kg__graph_free(made);
    error = set_tips(stream, before, count);
    if (error != cudaSuccess)
        (void)kg__capture_end(stream, &graph);
    return kg__model_leave(error);
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph)
{
    cudaGraph_t known;
    kg__stream *stream;

    KG__BEGIN_CALL();
    stream = kg__stream_of(handle);
    /* The program has a graph that it captures into. */
    if (graph == NULL && stream != NULL && stream->graph != NULL && stream->graph->is_kept)
        graph = &known;
    KG__REFUSE_IF(graph == NULL, cudaErrorInvalidValue);
    KG__REFUSE_IF(stream == NULL, cudaErrorInvalidResourceHandle);
    *graph = NULL;
    KG__REFUSE_IF(stream->graph == NULL, cudaErrorIllegalState);
    KG__REFUSE_IF(!stream->is_origin, cudaErrorStreamCaptureUnmatched);
    return kg__model_leave(kg__capture_end(stream, graph));
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges,
                                     size_t *count)
{
    kg__stream *stream;

    KG__BEGIN_CALL();
    stream = kg__stream_of(handle);
    KG__REFUSE_IF(status == NULL, cudaErrorInvalidValue);
    KG__REFUSE_IF(stream == NULL, cudaErrorInvalidResourceHandle);
    *status = stream->graph == NULL       ? cudaStreamCaptureStatusNone
              : stream->graph->is_invalid ? cudaStreamCaptureStatusInvalidated
                                          : cudaStreamCaptureStatusActive;
    if (stream->graph == NULL)
        return kg__model_leave(cudaSuccess);
    if (id != NULL)
        *id = (uintptr_t)stream->graph;
    if (graph != NULL)
        *graph = stream->graph;
    if (nodes != NULL)
        *nodes = stream->tips.list;
    if (edges != NULL)
        *edges = NULL;
    if (count != NULL)
        *count = stream->tips.count;
    return kg__model_leave(cudaSuccess);
}

/* Graphs that are built. */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    KG__BEGIN_CALL();
    KG__REFUSE_IF(graph == NULL || flags != 0, cudaErrorInvalidValue);
    *graph = kg__graph_make();
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    KG__BEGIN_CALL();
    KG__REFUSE_IF(!kg__graph_is(graph), cudaErrorInvalidValue);
    kg__graph_free(graph);
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    KG__BEGIN_CALL();
    KG__REFUSE_IF(clone == NULL || !kg__graph_is(graph), cudaErrorInvalidValue);
    *clone = kg__graph_copy(graph);
    return kg__model_leave(cudaSuccess);
}

/* Has the builder capture into a graph. */
static cudaStream_t build(cudaGraph_t graph)
{
    kg__stream *builder = kg__stream_builder();

    if (!is_good)
        graph = scratch = kg__graph_make();
    builder->graph = graph;
    return (cudaStream_t)(void *)builder;
}

cudaStream_t kg__model_begin_node(cudaGraph_t graph, const cudaGraphNode_t *before, size_t count)
{
    kg__stream *builder;

    kg__model_hold();
    builder = kg__stream_builder();
    builder->tips.count = 0;
    is_good = kg__graph_is(graph) && (before != NULL || count == 0);
    for (size_t i = 0; i < count && is_good; i++) {
        is_good = kg__nodes_have(&graph->nodes, before[i]);
        if (is_good)
            kg__nodes_add(&builder->tips, before[i]);
    }
    return build(graph);
}

cudaStream_t kg__model_begin_change(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    kg__model_hold();
    kg__stream_builder()->tips.count = 0;
    changed = exec != NULL ? kg__graph_action_of(exec, node) : node != NULL ? &node->action : NULL;
    is_good = changed != NULL;
    scratch = kg__graph_make();
    return build(scratch);
}

cudaError_t kg__model_end_node(cudaError_t error, cudaGraphNode_t *node)
{
    kg__stream *builder = kg__stream_builder();

    if (error == cudaSuccess && (!is_good || (node == NULL && changed == NULL)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && changed != NULL) {
        kg__action *former = *changed;

        *changed = builder->tips.list[0]->action;
        builder->tips.list[0]->action = former;
    } else if (error == cudaSuccess) {
        *node = builder->tips.list[0];
    }
    builder->graph = NULL;
    if (scratch != NULL)
        kg__graph_free(scratch);
    scratch = NULL;
    changed = NULL;
    kg__model_unhold();
    return kg__model_end_call(error);
}

cudaError_t kg__model_add_node(cudaGraphNode_t *node, cudaGraph_t graph,
                               const cudaGraphNode_t *before, size_t count, int is_graph,
                               cudaGraph_t child)
{
    kg__stream *builder = (kg__stream *)(void *)kg__model_begin_node(graph, before, count);
    const bool good = !is_graph || kg__graph_is(child);

    if (good) {
        kg__node *made = kg__graph_add(builder->graph,
                                       is_graph ? cudaGraphNodeTypeGraph : cudaGraphNodeTypeEmpty,
                                       NULL, &builder->tips);

        made->child = is_graph ? kg__graph_copy(child) : NULL;
        builder->tips.count = 0;
        kg__nodes_add(&builder->tips, made);
    }
    return kg__model_end_node(good ? cudaSuccess : cudaErrorInvalidValue, node);
}

static bool is_good_condition(const struct cudaConditionalNodeParams *params)
{
    const unsigned int most = params->type == cudaGraphCondTypeIf      ? 2
                              : params->type == cudaGraphCondTypeWhile ? 1
                                                                       : UINT16_MAX;

    return kg__condition_of(params->handle) != NULL && (int)params->type >= cudaGraphCondTypeIf &&
           params->type <= cudaGraphCondTypeSwitch && params->size > 0 && params->size <= most;
}

cudaError_t kg__model_add_condition(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *before, size_t count,
                                    struct cudaConditionalNodeParams *params)
{
    cudaError_t error;

    if (params == NULL || !is_good_condition(params))
        return kg__model_take_hint(0);
    error = kg__model_add_node(node, graph, before, count, 0, NULL);
    if (error != cudaSuccess)
        return error;
    (*node)->type = cudaGraphNodeTypeConditional;
    (*node)->branches = kg__branches_make(
        &(kg__branches){ .handle = params->handle, .type = params->type, .size = params->size });
    for (unsigned int i = 0; i < params->size; i++) {
        (*node)->branches->graphs[i] = kg__graph_make();
        (*node)->branches->graphs[i]->is_kept = true;
    }
    params->phGraph_out = (*node)->branches->graphs;
    return cudaSuccess;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                     size_t count)
{
    KG__BEGIN_CALL();
    KG__REFUSE_IF(!kg__graph_is(graph) || edges != NULL ||
                      (count > 0 && (from == NULL || to == NULL)),
                  cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++) {
        KG__REFUSE_IF(!kg__nodes_have(&graph->nodes, from[i]) ||
                          !kg__nodes_have(&graph->nodes, to[i]),
                      cudaErrorInvalidValue);
        kg__nodes_add(&to[i]->before, from[i]);
    }
    return kg__model_leave(cudaSuccess);
}

static cudaError_t list_nodes(cudaGraph_t graph, bool roots, cudaGraphNode_t *nodes, size_t *count)
{
    size_t found = 0;

    KG__BEGIN_CALL();
    KG__REFUSE_IF(!kg__graph_is(graph) || count == NULL, cudaErrorInvalidValue);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        if (roots && graph->nodes.list[i]->before.count > 0)
            continue;
        if (nodes != NULL && found < *count)
            nodes[found] = graph->nodes.list[i];
        found++;
    }
    *count = found;
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return list_nodes(graph, false, nodes, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return list_nodes(graph, true, nodes, count);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    if (node == NULL || type == NULL)
        return kg__model_take_hint(0);
    *type = node->type;
    return cudaSuccess;
}
