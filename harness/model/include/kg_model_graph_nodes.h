/* SPDX-License-Identifier: MIT */
/* Nodes of graphs by one call for all types, memory and conditions. Included by
 * kg_model_graphs.h. */
#pragma once

struct cudaMemAllocNodeParams {
    struct cudaMemPoolProps poolProps;
    const struct cudaMemAccessDesc *accessDescs;
    size_t accessDescCount;
    size_t bytesize;
    void *dptr; /* what the call returns */
};
enum cudaGraphMemAttributeType {
    cudaGraphMemAttrUsedMemCurrent = 0,
    cudaGraphMemAttrUsedMemHigh = 1,
    cudaGraphMemAttrReservedMemCurrent = 2,
    cudaGraphMemAttrReservedMemHigh = 3
};
/* Attributes are 64-bit numbers of bytes. */
cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value);
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value);
KG__MODEL_HINT(cudaDeviceGraphMemTrim, (int device), device == 0)
static inline cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                   const cudaGraphNode_t *before, size_t count,
                                                   struct cudaMemAllocNodeParams *params)
{
    if (params == NULL || params->poolProps.location.type != cudaMemLocationTypeDevice)
        return kg__model_take_hint(0);
    return kg__model_end_node(cudaMallocAsync(&params->dptr, params->bytesize,
                                              kg__model_begin_node(graph, before, count)),
                              node);
}
static inline cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                  const cudaGraphNode_t *before, size_t count,
                                                  void *pointer)
{
    return kg__model_end_node(cudaFreeAsync(pointer, kg__model_begin_node(graph, before, count)),
                              node);
}

typedef unsigned long long cudaGraphConditionalHandle;
#define cudaGraphCondAssignDefault 1
enum cudaGraphConditionalNodeType {
    cudaGraphCondTypeIf = 0,
    cudaGraphCondTypeWhile = 1,
    cudaGraphCondTypeSwitch = 2
};
struct cudaConditionalNodeParams {
    cudaGraphConditionalHandle handle;
    enum cudaGraphConditionalNodeType type;
    unsigned int size;
    cudaGraph_t *phGraph_out; /* what the call returns: `size` graphs, to be filled */
    void *ctx;
};
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                             unsigned int first KG__MODEL_DEFAULT(0),
                                             unsigned int flags KG__MODEL_DEFAULT(0));
/* For kernels. */
void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);
/* Adds a conditional node, and makes the graphs that it chooses from. */
cudaError_t kg__model_add_condition(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *before, size_t count,
                                    struct cudaConditionalNodeParams *params);

/* What cudaGraphAddNode() adds. */
struct cudaMemcpyNodeParams {
    int flags;
    int reserved;
    void *ctx;
    struct cudaMemcpy3DParms copyParams;
};
struct cudaChildGraphNodeParams {
    cudaGraph_t graph;
};
struct cudaMemFreeNodeParams {
    void *dptr;
};
struct cudaGraphNodeParams {
    enum cudaGraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        struct cudaKernelNodeParams kernel;
        struct cudaMemcpyNodeParams memcpy;
        struct cudaMemsetParams memset;
        struct cudaHostNodeParams host;
        struct cudaChildGraphNodeParams graph;
        struct cudaMemAllocNodeParams alloc;
        struct cudaMemFreeNodeParams free;
        struct cudaConditionalNodeParams conditional;
    };
    long long reserved2;
};
static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *before,
                                           const cudaGraphEdgeData *edges, size_t count,
                                           struct cudaGraphNodeParams *params)
{
    if (params == NULL || edges != NULL)
        return kg__model_take_hint(0);
    switch (params->type) {
    case cudaGraphNodeTypeKernel:
        return cudaGraphAddKernelNode(node, graph, before, count, &params->kernel);
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphAddMemcpyNode(node, graph, before, count, &params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return cudaGraphAddMemsetNode(node, graph, before, count, &params->memset);
    case cudaGraphNodeTypeHost:
        return cudaGraphAddHostNode(node, graph, before, count, &params->host);
    case cudaGraphNodeTypeGraph:
        return cudaGraphAddChildGraphNode(node, graph, before, count, params->graph.graph);
    case cudaGraphNodeTypeEmpty:
        return cudaGraphAddEmptyNode(node, graph, before, count);
    case cudaGraphNodeTypeMemAlloc:
        return cudaGraphAddMemAllocNode(node, graph, before, count, &params->alloc);
    case cudaGraphNodeTypeMemFree:
        return cudaGraphAddMemFreeNode(node, graph, before, count, params->free.dptr);
    case cudaGraphNodeTypeConditional:
        return kg__model_add_condition(node, graph, before, count, &params->conditional);
    default:
        return kg__model_refuse("CUDA graphs: nodes of events and semaphores", "cudaGraphAddNode");
    }
}

/* The model has the arguments of a kernel's node in another form. */
static inline cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node __attribute__((unused)),
                                                       struct cudaKernelNodeParams *params
                                                       __attribute__((unused)))
{
    return kg__model_refuse("CUDA graphs: parameters of nodes", "cudaGraphKernelNodeGetParams");
}

/* Captures into a graph that exists. */
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *before,
                                          const cudaGraphEdgeData *edges, size_t count,
                                          enum cudaStreamCaptureMode mode);
enum { cudaStreamAddCaptureDependencies = 0, cudaStreamSetCaptureDependencies = 1 };
/* Changes what the next node of a capturing stream comes after. */
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *before,
                                                const cudaGraphEdgeData *edges, size_t count,
                                                unsigned int flags);
