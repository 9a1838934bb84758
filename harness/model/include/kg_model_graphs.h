/* SPDX-License-Identifier: MIT */
/* CUDA graphs. Part of cuda_runtime_api.h, after kg_model_host_calls.h. */
#pragma once

typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;

enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel = 0x00,
    cudaGraphNodeTypeMemcpy = 0x01,
    cudaGraphNodeTypeMemset = 0x02,
    cudaGraphNodeTypeHost = 0x03,
    cudaGraphNodeTypeGraph = 0x04,
    cudaGraphNodeTypeEmpty = 0x05,
    cudaGraphNodeTypeWaitEvent = 0x06,
    cudaGraphNodeTypeEventRecord = 0x07,
    cudaGraphNodeTypeMemAlloc = 0x0a,
    cudaGraphNodeTypeMemFree = 0x0b,
    cudaGraphNodeTypeConditional = 0x0d
};

struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim;
    dim3 blockDim;
    unsigned int sharedMemBytes;
    void **kernelParams;
    void **extra;
};
struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned int value;
    unsigned int elementSize;
    size_t width;
    size_t height;
};
struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void *userData;
};
typedef struct cudaGraphEdgeData_st {
    unsigned char from_port;
    unsigned char to_port;
    unsigned char type;
    unsigned char reserved[5];
} cudaGraphEdgeData;

enum cudaGraphExecUpdateResult {
    cudaGraphExecUpdateSuccess = 0x0,
    cudaGraphExecUpdateError = 0x1,
    cudaGraphExecUpdateErrorTopologyChanged = 0x2,
    cudaGraphExecUpdateErrorNodeTypeChanged = 0x3,
    cudaGraphExecUpdateErrorFunctionChanged = 0x4,
    cudaGraphExecUpdateErrorParametersChanged = 0x5,
    cudaGraphExecUpdateErrorNotSupported = 0x6
};
typedef struct cudaGraphExecUpdateResultInfo_st {
    enum cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode;
    cudaGraphNode_t errorFromNode;
} cudaGraphExecUpdateResultInfo;

enum cudaGraphInstantiateFlags {
    cudaGraphInstantiateFlagAutoFreeOnLaunch = 1,
    cudaGraphInstantiateFlagUpload = 2,
    cudaGraphInstantiateFlagDeviceLaunch = 4,
    cudaGraphInstantiateFlagUseNodePriority = 8
};

/* Captures. */
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal = 0,
    cudaStreamCaptureModeThreadLocal = 1,
    cudaStreamCaptureModeRelaxed = 2
};
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone = 0,
    cudaStreamCaptureStatusActive = 1,
    cudaStreamCaptureStatusInvalidated = 2
};
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
/* Of CUDA 13: what is not asked for is NULL. Edges have no data. */
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id KG__MODEL_DEFAULT(0),
                                     cudaGraph_t *graph KG__MODEL_DEFAULT(0),
                                     const cudaGraphNode_t **nodes KG__MODEL_DEFAULT(0),
                                     const cudaGraphEdgeData **edges KG__MODEL_DEFAULT(0),
                                     size_t *count KG__MODEL_DEFAULT(0));
static inline cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                                enum cudaStreamCaptureStatus *status)
{
    return cudaStreamGetCaptureInfo(stream, status, NULL, NULL, NULL, NULL, NULL);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);

/* Graphs that are built. */
cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph);
/* A node is what a stream captures: begins one that comes after `before`, and returns the stream
 * whose next work it is. The model's lock is held until it ends. */
cudaStream_t kg__model_begin_node(cudaGraph_t graph, const cudaGraphNode_t *before, size_t count);
/* Begins the work that a node of a graph that executes is to have (`exec` NULL: the node of the
 * graph that is built). */
cudaStream_t kg__model_begin_change(cudaGraphExec_t exec, cudaGraphNode_t node);
/* Ends either; `error` is that of the call which gave the stream its work. `node` (NULL: none) gets
 * the node. */
cudaError_t kg__model_end_node(cudaError_t error, cudaGraphNode_t *node);
/* Adds a node that does nothing, or what the graph `child` does. */
cudaError_t kg__model_add_node(cudaGraphNode_t *node, cudaGraph_t graph,
                               const cudaGraphNode_t *before, size_t count, int is_graph,
                               cudaGraph_t child);

/* Gives a stream the launch of a node's parameters. */
static inline cudaError_t kg__model_node_kernel(cudaStream_t stream,
                                                const struct cudaKernelNodeParams *params)
{
    if (params == NULL || params->extra != NULL)
        return cudaErrorInvalidValue;
    return cudaLaunchKernel((const void *)params->func, params->gridDim, params->blockDim,
                            params->kernelParams, params->sharedMemBytes, stream);
}
/* Gives it a fill. */
static inline cudaError_t kg__model_node_fill(cudaStream_t stream,
                                              const struct cudaMemsetParams *params)
{
    if (params == NULL)
        return cudaErrorInvalidValue;
    return kg__model_fill(params->dst,
                          params->height > 1 ? params->pitch : params->width * params->elementSize,
                          params->value, params->elementSize, params->width * params->elementSize,
                          params->height, stream, 0);
}
/* Gives it a function of the host. */
static inline cudaError_t kg__model_node_function(cudaStream_t stream,
                                                  const struct cudaHostNodeParams *params)
{
    return params != NULL ? cudaLaunchHostFunc(stream, params->fn, params->userData)
                          : cudaErrorInvalidValue;
}
/* Gives it a copy of one row. */
static inline cudaError_t kg__model_node_copy(cudaStream_t stream, void *to, const void *from,
                                              size_t bytes, enum cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(to, from, bytes, kind, stream);
}

/* Defines a call that adds a node, and those that change one. */
#define KG__MODEL_NODE(name, work, parameters, ...)                                                \
    static inline cudaError_t cudaGraphAdd##name(cudaGraphNode_t *node, cudaGraph_t graph,         \
                                                 const cudaGraphNode_t *before, size_t count,      \
                                                 KG__MODEL_LIST parameters)                        \
    {                                                                                              \
        return kg__model_end_node(work(kg__model_begin_node(graph, before, count), __VA_ARGS__),   \
                                  node);                                                           \
    }
#define KG__MODEL_NODE_CHANGE(name, work, parameters, ...)                                         \
    static inline cudaError_t cudaGraph##name(cudaGraphNode_t node, KG__MODEL_LIST parameters)     \
    {                                                                                              \
        return kg__model_end_node(work(kg__model_begin_change(NULL, node), __VA_ARGS__), NULL);    \
    }                                                                                              \
    static inline cudaError_t cudaGraphExec##name(cudaGraphExec_t exec, cudaGraphNode_t node,      \
                                                  KG__MODEL_LIST parameters)                       \
    {                                                                                              \
        return kg__model_end_node(work(kg__model_begin_change(exec, node), __VA_ARGS__), NULL);    \
    }
#define KG__MODEL_LIST(...) __VA_ARGS__
KG__MODEL_NODE(KernelNode, kg__model_node_kernel, (const struct cudaKernelNodeParams *params),
               params)
KG__MODEL_NODE(MemsetNode, kg__model_node_fill, (const struct cudaMemsetParams *params), params)
KG__MODEL_NODE(HostNode, kg__model_node_function, (const struct cudaHostNodeParams *params), params)
KG__MODEL_NODE(MemcpyNode1D, kg__model_node_copy,
               (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind), to, from,
               bytes, kind)
KG__MODEL_NODE_CHANGE(KernelNodeSetParams, kg__model_node_kernel,
                      (const struct cudaKernelNodeParams *params), params)
KG__MODEL_NODE_CHANGE(MemsetNodeSetParams, kg__model_node_fill,
                      (const struct cudaMemsetParams *params), params)
KG__MODEL_NODE_CHANGE(HostNodeSetParams, kg__model_node_function,
                      (const struct cudaHostNodeParams *params), params)
KG__MODEL_NODE_CHANGE(MemcpyNodeSetParams1D, kg__model_node_copy,
                      (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind), to,
                      from, bytes, kind)
#undef KG__MODEL_LIST
#undef KG__MODEL_NODE_CHANGE
#undef KG__MODEL_NODE
static inline cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                 const cudaGraphNode_t *before, size_t count,
                                                 const struct cudaMemcpy3DParms *params)
{
    return kg__model_end_node(cudaMemcpy3DAsync(params, kg__model_begin_node(graph, before, count)),
                              node);
}
static inline cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                const cudaGraphNode_t *before, size_t count)
{
    return kg__model_add_node(node, graph, before, count, 0, NULL);
}
static inline cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                     const cudaGraphNode_t *before, size_t count,
                                                     cudaGraph_t child)
{
    return kg__model_add_node(node, graph, before, count, 1, child);
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                     size_t count);
/* With `nodes` NULL, they return how many there are. */
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type);

#include "kg_model_graph_nodes.h"

/* Graphs that execute. */
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags KG__MODEL_DEFAULT(0));
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags KG__MODEL_DEFAULT(0));
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
KG__MODEL_HINT(cudaGraphUpload, (cudaGraphExec_t exec, cudaStream_t stream),
               ((void)stream, exec != NULL))
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info);
