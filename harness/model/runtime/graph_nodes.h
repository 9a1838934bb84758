/* How nodes are made, by capturing a call. Internal to runtime/. */
#ifndef KG__MODEL_RUNTIME_GRAPH_NODES_H
#define KG__MODEL_RUNTIME_GRAPH_NODES_H

#include "model/runtime/graphs.h"

/* Begins a node: returns the stream whose next work it is; NULL if the arguments are wrong. The
 * lock is held until kg__node_end(). */
cudaStream_t kg__node_begin(cudaGraph_t graph, const cudaGraphNode_t *before, size_t count);
/* Ends a node: `error` is that of the call which gave the stream its work. Returns the error of the
 * call that makes the node. */
cudaError_t kg__node_end(cudaStream_t stream, cudaError_t error, cudaGraphNode_t *node);

/* Gives a stream (NULL: an error) a launch. */
cudaError_t kg__node_launch(cudaStream_t stream, const struct cudaKernelNodeParams *params);
/* Gives a stream a fill. */
cudaError_t kg__node_fill(cudaStream_t stream, const struct cudaMemsetParams *params);
/* Gives a stream a function of the host. */
cudaError_t kg__node_call(cudaStream_t stream, const struct cudaHostNodeParams *params);
/* Gives a stream a copy of one row. */
cudaError_t kg__node_copy(cudaStream_t stream, void *to, const void *from, size_t bytes,
                          enum cudaMemcpyKind kind);

#endif
