/* SPDX-License-Identifier: MIT */
#include "model/runtime/graphs.h"

#include "base/message.h"
#include "model/exec/launch.h"
#include "model/runtime/children.h"

#include <stdlib.h>

static kg__handle *graphs;

bool kg__nodes_have(const kg__nodes *nodes, const kg__node *node)
{
    size_t i = 0;

    while (i < nodes->count && nodes->list[i] != node)
        i++;
    return i < nodes->count;
}

void kg__nodes_add(kg__nodes *nodes, kg__node *node)
{
    if (kg__nodes_have(nodes, node))
        return;
    nodes->list = kg__grow(nodes->list, nodes->count, &nodes->room, sizeof(kg__node *));
    nodes->list[nodes->count++] = node;
}

static void add_all(kg__nodes *to, const kg__nodes *from)
{
    for (size_t i = 0; i < from->count; i++)
        kg__nodes_add(to, from->list[i]);
}

cudaGraph_t kg__graph_make(void)
{
    cudaGraph_t made = kg__allocate(1, sizeof *made);

    kg__handle_add(&graphs, made);
    return made;
}

bool kg__graph_is(cudaGraph_t graph)
{
    return kg__handle_is(graphs, graph);
}

kg__node *kg__graph_add(cudaGraph_t graph, enum cudaGraphNodeType type, kg__action *action,
                        const kg__nodes *before)
{
    kg__node *made = kg__allocate(1, sizeof *made);

    made->type = type;
    made->action = action;
    made->number = graph->nodes.count;
    add_all(&made->before, before);
    kg__nodes_add(&graph->nodes, made);
    return made;
}

kg__branches *kg__branches_make(const kg__branches *like)
{
    kg__branches *made = kg__allocate(1, sizeof *made);

    *made = *like;
    made->graphs = kg__allocate(like->size, sizeof(cudaGraph_t));
    return made;
}

/* Returns a copy with copies of the graphs; NULL of NULL. */
static kg__branches *copy_branches(const kg__branches *branches)
{
    kg__branches *copy = branches != NULL ? kg__branches_make(branches) : NULL;

    for (unsigned int i = 0; copy != NULL && i < copy->size; i++)
        copy->graphs[i] = kg__graph_copy(branches->graphs[i]);
    return copy;
}

/* Frees branches (NULL: none) and their graphs. */
static void free_branches(kg__branches *branches)
{
    for (unsigned int i = 0; branches != NULL && i < branches->size; i++)
        kg__graph_free(branches->graphs[i]);
    if (branches != NULL)
        free(branches->graphs);
    free(branches);
}

cudaGraph_t kg__graph_copy(cudaGraph_t graph)
{
    cudaGraph_t copy = kg__graph_make();

    for (size_t i = 0; i < graph->nodes.count; i++) {
        const kg__node *node = graph->nodes.list[i];
        kg__node *added;

        if (node->action != NULL)
            node->action->references++;
        added = kg__graph_add(copy, node->type, node->action, &(kg__nodes){ 0 });
        added->child = node->child != NULL ? kg__graph_copy(node->child) : NULL;
        added->branches = copy_branches(node->branches);
    }
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const kg__nodes *before = &graph->nodes.list[i]->before;

        for (size_t at = 0; at < before->count; at++)
            kg__nodes_add(&copy->nodes.list[i]->before, copy->nodes.list[before->list[at]->number]);
    }
    return copy;
}

void kg__graph_free(cudaGraph_t graph)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        kg__node *node = graph->nodes.list[i];

        if (node->action != NULL)
            kg__action_release(node->action);
        if (node->child != NULL)
            kg__graph_free(node->child);
        free_branches(node->branches);
        free(node->before.list);
        free(node);
    }
    free(graph->nodes.list);
    (void)kg__handle_remove(&graphs, graph);
    free(graph);
}

static void leave_capture(kg__stream *stream)
{
    free(stream->tips.list);
    stream->tips = (kg__nodes){ 0 };
    stream->graph = NULL;
    stream->is_origin = false;
}

/* Returns whether a node is one of `nodes`, or comes before one. */
static bool leads_to(const kg__node *node, const kg__nodes *nodes)
{
    for (size_t i = 0; i < nodes->count; i++) {
        if (nodes->list[i] == node || leads_to(node, &nodes->list[i]->before))
            return true;
    }
    return false;
}

cudaError_t kg__capture_end(kg__stream *origin, cudaGraph_t *graph)
{
    cudaGraph_t captured = origin->graph;
    cudaError_t error = captured->is_invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;

    for (kg__stream *stream = kg__streams(); stream != NULL; stream = stream->next) {
        if (stream->graph != captured || stream == origin)
            continue;
        for (size_t i = 0; i < stream->tips.count; i++) {
            if (error == cudaSuccess && !leads_to(stream->tips.list[i], &origin->tips))
                error = cudaErrorStreamCaptureUnjoined;
        }
        leave_capture(stream);
    }
    leave_capture(origin);
    *graph = error == cudaSuccess ? captured : NULL;
    if (error != cudaSuccess && !captured->is_kept)
        kg__graph_free(captured);
    else
        captured->is_invalid = false;
    return error;
}

cudaError_t kg__capture_refuse(kg__stream *stream)
{
    stream->graph->is_invalid = true;
    return cudaErrorStreamCaptureUnsupported;
}

static _Thread_local enum cudaStreamCaptureMode mode_of_thread = cudaStreamCaptureModeGlobal;

enum cudaStreamCaptureMode kg__capture_exchange_mode(enum cudaStreamCaptureMode mode)
{
    const enum cudaStreamCaptureMode before = mode_of_thread;

    mode_of_thread = mode;
    return before;
}

cudaError_t kg__capture_forbids(void)
{
    cudaError_t error = cudaSuccess;

    for (kg__stream *stream = kg__streams(); stream != NULL; stream = stream->next) {
        if (stream->graph != NULL && stream->is_origin &&
            stream->mode == cudaStreamCaptureModeGlobal &&
            mode_of_thread == cudaStreamCaptureModeGlobal)
            error = kg__capture_refuse(stream);
    }
    return error;
}

/* Returns whether a stream is captured into a graph. */
static bool is_captured(cudaGraph_t graph)
{
    const kg__stream *stream = kg__streams();

    while (stream != NULL && stream->graph != graph)
        stream = stream->next;
    return stream != NULL;
}

cudaError_t kg__capture_wait(kg__stream *stream, const kg__event *event)
{
    if (event->graph == NULL) {
        stream->graph->is_invalid = true;
        return cudaErrorStreamCaptureIsolation;
    }
    if (!is_captured(event->graph))
        return cudaErrorCapturedEvent;
    if (stream->graph != NULL && stream->graph != event->graph) {
        stream->graph->is_invalid = event->graph->is_invalid = true;
        return cudaErrorStreamCaptureMerge;
    }
    stream->graph = event->graph;
    add_all(&stream->tips, &event->tips);
    return cudaSuccess;
}

void kg__capture_record(kg__event *event, const kg__stream *stream)
{
    event->graph = stream->graph;
    event->tips.count = 0;
    add_all(&event->tips, &stream->tips);
}

/* The legacy stream cannot be used while a stream that it would wait for is captured. */
static bool breaks_capture(const kg__stream *stream)
{
    bool breaks = false;

    for (kg__stream *other = kg__streams(); other != NULL; other = other->next) {
        if (other->graph == NULL || other->non_blocking || !kg__stream_is_legacy(stream))
            continue;
        other->graph->is_invalid = true;
        breaks = true;
    }
    return breaks;
}

cudaError_t kg__stream_give(cudaStream_t handle, enum cudaGraphNodeType type, kg__action *action)
{
    kg__stream *stream;
    kg__node *node;

    if (kg__model_where(NULL))
        return kg__child_give(handle, action);
    stream = kg__stream_of(handle);
    if (stream == NULL || (stream->graph == NULL && breaks_capture(stream))) {
        kg__action_release(action);
        return stream == NULL ? cudaErrorInvalidResourceHandle : cudaErrorStreamCaptureImplicit;
    }
    if (stream->graph == NULL)
        return kg__queue_give(stream, action);
    node = kg__graph_add(stream->graph, type, action, &stream->tips);
    stream->tips.count = 0;
    kg__nodes_add(&stream->tips, node);
    return cudaSuccess;
}

bool kg__stream_is_captured(cudaStream_t handle)
{
    const kg__stream *stream = kg__streams_made ? kg__stream_of(handle) : NULL;

    return stream != NULL && stream->graph != NULL;
}

cudaError_t kg__stream_wait(cudaStream_t handle)
{
    kg__stream *stream = kg__stream_of(handle);

    if (stream == NULL)
        return cudaErrorInvalidResourceHandle;
    if (stream->graph != NULL)
        return kg__capture_refuse(stream);
    kg__stream_refresh(stream);
    return kg__queue_wait(&stream->clock);
}

cudaError_t kg__stream_execute(cudaStream_t handle)
{
    kg__stream *stream = kg__stream_of(handle);

    kg__stream_refresh(stream);
    return kg__queue_execute(&stream->clock);
}
