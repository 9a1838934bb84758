/* Graphs that are captured or built. */
#include "model/runtime/graph_nodes.h"

#include "base/message.h"
#include "model/runtime/transfers.h"

#include <stdlib.h>

/* Captures. */

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, enum cudaStreamCaptureMode mode)
{
    kg__stream *stream;

    if (!kg__streams_order())
        return kg__model_refuse("CUDA graphs", "cudaStreamBeginCapture");
    KG__BEGIN_CALL();
    stream = kg__stream_of(handle);
    if ((int)mode < 0 || mode > cudaStreamCaptureModeRelaxed)
        return kg__model_leave(cudaErrorInvalidValue);
    if (stream == NULL)
        return kg__model_leave(cudaErrorInvalidResourceHandle);
    if (kg__stream_is_legacy(stream))
        return kg__model_leave(cudaErrorStreamCaptureUnsupported);
    if (stream->graph != NULL)
        return kg__model_leave(cudaErrorIllegalState);
    stream->graph = kg__graph_make();
    stream->is_origin = true;
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph)
{
    kg__stream *stream;

    KG__BEGIN_CALL();
    stream = kg__stream_of(handle);
    if (graph == NULL || stream == NULL)
        return kg__model_leave(graph == NULL ? cudaErrorInvalidValue
                                             : cudaErrorInvalidResourceHandle);
    *graph = NULL;
    if (stream->graph == NULL)
        return kg__model_leave(cudaErrorIllegalState);
    if (!stream->is_origin)
        return kg__model_leave(cudaErrorStreamCaptureUnmatched);
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
    if (status == NULL || stream == NULL)
        return kg__model_leave(status == NULL ? cudaErrorInvalidValue
                                              : cudaErrorInvalidResourceHandle);
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

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    return cudaStreamGetCaptureInfo(stream, status, NULL, NULL, NULL, NULL, NULL);
}

/* Graphs that are built. A node is what a stream captures whose next work comes after `before`. */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    KG__BEGIN_CALL();
    if (graph == NULL || flags != 0)
        return kg__model_leave(cudaErrorInvalidValue);
    *graph = kg__graph_make();
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    KG__BEGIN_CALL();
    if (!kg__graph_is(graph))
        return kg__model_leave(cudaErrorInvalidValue);
    kg__graph_free(graph);
    return kg__model_leave(cudaSuccess);
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    KG__BEGIN_CALL();
    if (clone == NULL || !kg__graph_is(graph))
        return kg__model_leave(cudaErrorInvalidValue);
    *clone = kg__graph_copy(graph);
    return kg__model_leave(cudaSuccess);
}

static bool has_node(cudaGraph_t graph, const kg__node *node)
{
    return node != NULL && node->number < graph->nodes.count &&
           graph->nodes.list[node->number] == node;
}

cudaStream_t kg__node_begin(cudaGraph_t graph, const cudaGraphNode_t *before, size_t count)
{
    kg__stream *builder;
    bool good;

    kg__model_hold();
    builder = kg__stream_builder();
    good = kg__graph_is(graph) && (before != NULL || count == 0);
    builder->graph = good ? graph : NULL;
    builder->tips.count = 0;
    for (size_t i = 0; i < count && good; i++) {
        good = has_node(graph, before[i]);
        if (good)
            kg__nodes_add(&builder->tips, before[i]);
    }
    return good ? (cudaStream_t)(void *)builder : NULL;
}

cudaError_t kg__node_end(cudaStream_t stream, cudaError_t error, cudaGraphNode_t *node)
{
    kg__stream *builder = kg__stream_builder();

    if (stream == NULL || node == NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *node = builder->tips.list[0];
    builder->graph = NULL;
    kg__model_unhold();
    return kg__model_end_call(error);
}

/* Gives a stream the work of a node's parameters. */
cudaError_t kg__node_launch(cudaStream_t stream, const struct cudaKernelNodeParams *params)
{
    if (params == NULL || stream == NULL)
        return cudaErrorInvalidValue;
    if (params->extra != NULL)
        return kg__model_refuse("CUDA graphs: parameters in one buffer", "cudaGraphAddKernelNode");
    return cudaLaunchKernel(params->func, params->gridDim, params->blockDim, params->kernelParams,
                            params->sharedMemBytes, stream);
}

cudaError_t kg__node_fill(cudaStream_t stream, const struct cudaMemsetParams *params)
{
    cudaError_t error;

    if (params == NULL || stream == NULL ||
        (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4))
        return cudaErrorInvalidValue;
    if (!kg__model_enter(&error))
        return error;
    return kg__model_leave(kg__fill(
        params->dst, params->height > 1 ? params->pitch : params->width * params->elementSize,
        params->value, params->elementSize, params->width * params->elementSize, params->height,
        stream, false));
}

cudaError_t kg__node_call(cudaStream_t stream, const struct cudaHostNodeParams *params)
{
    return params != NULL && stream != NULL
               ? cudaLaunchHostFunc(stream, params->fn, params->userData)
               : cudaErrorInvalidValue;
}

cudaError_t kg__node_copy(cudaStream_t stream, void *to, const void *from, size_t bytes,
                          enum cudaMemcpyKind kind)
{
    return stream != NULL ? cudaMemcpyAsync(to, from, bytes, kind, stream) : cudaErrorInvalidValue;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *before, size_t count,
                                   const struct cudaKernelNodeParams *params)
{
    const cudaStream_t stream = kg__node_begin(graph, before, count);

    return kg__node_end(stream, kg__node_launch(stream, params), node);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *before, size_t count,
                                   const struct cudaMemcpy3DParms *params)
{
    const cudaStream_t stream = kg__node_begin(graph, before, count);

    return kg__node_end(
        stream, stream != NULL ? cudaMemcpy3DAsync(params, stream) : cudaErrorInvalidValue, node);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *before, size_t count, void *to,
                                     const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    const cudaStream_t stream = kg__node_begin(graph, before, count);

    return kg__node_end(stream, kg__node_copy(stream, to, from, bytes, kind), node);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *before, size_t count,
                                   const struct cudaMemsetParams *params)
{
    const cudaStream_t stream = kg__node_begin(graph, before, count);

    return kg__node_end(stream, kg__node_fill(stream, params), node);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *before, size_t count,
                                 const struct cudaHostNodeParams *params)
{
    const cudaStream_t stream = kg__node_begin(graph, before, count);

    return kg__node_end(stream, kg__node_call(stream, params), node);
}

/* Adds a node without work of its own. */
static cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                            size_t count, cudaGraph_t child)
{
    const cudaStream_t stream = kg__node_begin(graph, before, count);
    kg__stream *builder = kg__stream_builder();

    if (stream != NULL) {
        kg__node *made =
            kg__graph_add(graph, child != NULL ? cudaGraphNodeTypeGraph : cudaGraphNodeTypeEmpty,
                          NULL, &builder->tips);

        made->child = child != NULL ? kg__graph_copy(child) : NULL;
        builder->tips.count = 0;
        kg__nodes_add(&builder->tips, made);
    }
    return kg__node_end(stream, cudaSuccess, node);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *before, size_t count)
{
    return add_node(node, graph, before, count, NULL);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *before, size_t count,
                                       cudaGraph_t child)
{
    return kg__graph_is(child) ? add_node(node, graph, before, count, child)
                               : kg__model_take_hint(0);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                     size_t count)
{
    KG__BEGIN_CALL();
    if (!kg__graph_is(graph) || edges != NULL || (count > 0 && (from == NULL || to == NULL)))
        return kg__model_leave(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++) {
        if (!has_node(graph, from[i]) || !has_node(graph, to[i]))
            return kg__model_leave(cudaErrorInvalidValue);
        kg__nodes_add(&to[i]->before, from[i]);
    }
    return kg__model_leave(cudaSuccess);
}

/* Lists the nodes of a graph, or those that come after no other. */
static cudaError_t list_nodes(cudaGraph_t graph, bool roots, cudaGraphNode_t *nodes, size_t *count)
{
    size_t found = 0;

    KG__BEGIN_CALL();
    if (!kg__graph_is(graph) || count == NULL)
        return kg__model_leave(cudaErrorInvalidValue);
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
