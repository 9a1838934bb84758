/* SPDX-License-Identifier: MIT */
/* Graphs of work: their nodes, captured from streams or built one by one. Internal to runtime/; its
 * functions need the model's lock. */
#pragma once

#include "model/runtime/queue.h"

typedef struct kg__branches kg__branches;

struct CUgraphNode_st {
    enum cudaGraphNodeType type;
    kg__action *action;     /* NULL: it only joins others */
    cudaGraph_t child;      /* whose nodes it has; NULL: none */
    kg__branches *branches; /* of a conditional node; NULL: it is not one */
    kg__nodes before;       /* the nodes that it comes after */
    size_t number;          /* in its graph, or in the graph that is executed */
};

struct CUgraph_st {
    kg__handle handle;
    kg__nodes nodes;
    bool is_invalid; /* its capture was broken off */
    bool is_kept;    /* it was there before its capture, and stays */
};

/* Gives a stream work: it is queued, or captured where the stream is. Takes over the reference to
 * the action. Returns the error that it ended with, cudaSuccess if it has yet to execute. */
cudaError_t kg__stream_give(cudaStream_t handle, enum cudaGraphNodeType type, kg__action *action);
/* Returns whether a stream's work is captured. */
bool kg__stream_is_captured(cudaStream_t handle);
/* The host waits for a stream, which is not captured. */
cudaError_t kg__stream_wait(cudaStream_t handle);
/* Executes the work of such a stream; the host counts as one that has not waited for it. */
cudaError_t kg__stream_execute(cudaStream_t handle);

/* Returns whether a list has a node. */
bool kg__nodes_have(const kg__nodes *nodes, const kg__node *node);
/* Adds a node to a list, unless it is there already. */
void kg__nodes_add(kg__nodes *nodes, kg__node *node);
/* Makes a graph. */
cudaGraph_t kg__graph_make(void);
/* Returns whether it is a graph that was not destroyed. */
bool kg__graph_is(cudaGraph_t graph);
/* Adds a node, with a reference to its action, which comes after `before`. */
kg__node *kg__graph_add(cudaGraph_t graph, enum cudaGraphNodeType type, kg__action *action,
                        const kg__nodes *before);
/* Returns a copy of a graph with the same actions. */
cudaGraph_t kg__graph_copy(cudaGraph_t graph);
/* A conditional node's graphs. */
struct kg__branches {
    cudaGraphConditionalHandle handle;
    enum cudaGraphConditionalNodeType type;
    unsigned int size;
    cudaGraph_t *graphs;
};
/* Returns branches like others, without graphs. */
kg__branches *kg__branches_make(const kg__branches *like);
/* Frees a graph and its nodes. */
void kg__graph_free(cudaGraph_t graph);

/* Returns where a graph that executes has the action of a node; NULL if it has not the node. */
kg__action **kg__graph_action_of(cudaGraphExec_t exec, const kg__node *node);

/* Ends the capture that began at a stream. Returns the error of a capture that was broken off or
 * whose streams were not joined; else cudaSuccess, with the graph. */
cudaError_t kg__capture_end(kg__stream *origin, cudaGraph_t *graph);
/* Breaks off a stream's capture, because of a call that CUDA refuses meanwhile. */
cudaError_t kg__capture_refuse(kg__stream *stream);
/* Breaks off captures that forbid the program the call that it makes, and returns its error. */
cudaError_t kg__capture_forbids(void);
/* Sets the running thread's mode; returns the one before. */
enum cudaStreamCaptureMode kg__capture_exchange_mode(enum cudaStreamCaptureMode mode);
/* Has a stream wait for an event where the stream or the event is captured. */
cudaError_t kg__capture_wait(kg__stream *stream, const kg__event *event);
/* Records an event in a stream's capture, or that it is in none. */
void kg__capture_record(kg__event *event, const kg__stream *stream);
