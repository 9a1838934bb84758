/* SPDX-License-Identifier: MIT */
/* Launches captured in graphs that never run: the kernels they start, their launch parameters,
 * and the resources they take of a multiprocessor. */
#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "base/message.h"
#include "device/device.h"
#include "device/device_gpu.h"
#include "observer/describe_launch.h"

/* Captures a launch of a case on `stream`; NULL with `why` on failure. */
static cudaGraph_t capture(const kg__case *c, const kg__buffers *buffers, cudaStream_t stream,
                           kg__error *why)
{
    kg_call call = kg__buffers_call(buffers, c, stream);
    cudaGraph_t graph = NULL;
    cudaError_t launched;
    cudaError_t code = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);

    if (!kg__succeeded(code, "starting a graph", why))
        return NULL;
    launched = c->variant->launch(&call);
    code = cudaStreamEndCapture(stream, &graph);
    if (launched == cudaSuccess && code == cudaSuccess)
        return graph;
    if (graph != NULL)
        (void)cudaGraphDestroy(graph);
    (void)cudaGetLastError();
    (void)kg__succeeded(launched != cudaSuccess ? launched : code, "launching", why);
    return NULL;
}

/* The nodes of a graph, in the order of their capture. */
typedef struct node_list {
    cudaGraphNode_t *list;
    size_t count;
} node_list;

/* Lists the nodes of `graph`; false with `why` if the driver fails. The caller frees the list in
 * either case. */
static bool list_nodes(cudaGraph_t graph, node_list *nodes, kg__error *why)
{
    cudaError_t code = cudaGraphGetNodes(graph, NULL, &nodes->count);

    nodes->list = NULL;
    if (code == cudaSuccess && nodes->count > 0) {
        nodes->list = kg__allocate(nodes->count, sizeof(cudaGraphNode_t));
        code = cudaGraphGetNodes(graph, nodes->list, &nodes->count);
    }
    return kg__succeeded(code, "reading the nodes of a graph", why);
}

static bool is_kernel_node(cudaGraphNode_t node, bool *is_kernel, kg__error *why)
{
    enum cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    cudaError_t code = cudaGraphNodeGetType(node, &type);

    *is_kernel = type == cudaGraphNodeTypeKernel;
    return kg__succeeded(code, "looking into a graph", why);
}

/* Returns the number of kernel nodes, and the first of them; -1 with `why` if the driver fails. */
static int find_kernels(const node_list *nodes, cudaGraphNode_t *first, kg__error *why)
{
    int kernels = 0;

    for (size_t i = 0; i < nodes->count; i++) {
        bool is_kernel;

        if (!is_kernel_node(nodes->list[i], &is_kernel, why))
            return -1;
        if (is_kernel && kernels++ == 0)
            *first = nodes->list[i];
    }
    return kernels;
}

/* Fills in the resources that a kernel in a graph takes of a multiprocessor; false with `why` if
 * the driver fails. */
static bool describe_kernel(const struct cudaKernelNodeParams *kernel, kg__kernel_code *code,
                            kg__error *why)
{
    struct cudaFuncAttributes uses;
    int most_threads = 0;
    int blocks = 0;
    int threads = (int)(kernel->blockDim.x * kernel->blockDim.y * kernel->blockDim.z);
    int warps = (threads + 31) / 32;
    cudaError_t status = cudaFuncGetAttributes(&uses, kernel->func);

    KG__THEN(status, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel->func, threads,
                                                                   kernel->sharedMemBytes));
    KG__THEN(status,
             cudaDeviceGetAttribute(&most_threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
    if (!kg__succeeded(status, "querying a kernel's occupancy", why))
        return false;
    if (cudaFuncGetName(&code->name, kernel->func) != cudaSuccess)
        code->name = NULL;
    code->registers = uses.numRegs;
    code->local_bytes = (int64_t)uses.localSizeBytes;
    code->shared_bytes = (int64_t)uses.sharedSizeBytes + (int64_t)kernel->sharedMemBytes;
    code->blocks_per_multiprocessor = blocks;
    code->occupancy = most_threads > 0 ? 32.0 * blocks * warps / most_threads : 0.0;
    return true;
}

/* Reads a kernel node's launch parameters. */
static bool read_kernel(cudaGraphNode_t node, struct cudaKernelNodeParams *kernel, kg__error *why)
{
    cudaError_t code = cudaGraphKernelNodeGetParams(node, kernel);

    return kg__succeeded(code, "reading a kernel's launch", why);
}

/* A captured launch. */
typedef struct captured_launch {
    cudaStream_t stream;
    cudaGraph_t graph;
    node_list nodes;
} captured_launch;

/* Captures a launch of a case; false with `why`. Release it in either case. */
static bool capture_launch(const kg__case *c, const kg__buffers *buffers, captured_launch *captured,
                           kg__error *why)
{
    cudaError_t code;

    *captured = (captured_launch){ .stream = NULL };
    code = cudaStreamCreateWithFlags(&captured->stream, cudaStreamNonBlocking);
    if (!kg__succeeded(code, "making a stream", why))
        return false;
    captured->graph = capture(c, buffers, captured->stream, why);
    return captured->graph != NULL && list_nodes(captured->graph, &captured->nodes, why);
}

static void release_launch(captured_launch *captured)
{
    free(captured->nodes.list);
    if (captured->graph != NULL)
        (void)cudaGraphDestroy(captured->graph);
    if (captured->stream != NULL)
        (void)cudaStreamDestroy(captured->stream);
}

void kg__device_plan(void)
{
    /* Captured work does not execute, so uninitialized inputs are fine. */
}

bool kg__device_launches(const kg__case *c, const kg__buffers *buffers,
                         kg__kernel_launches *launches, kg__error *why)
{
    captured_launch captured;
    bool good = capture_launch(c, buffers, &captured, why);

    for (size_t i = 0; i < captured.nodes.count && good; i++) {
        struct cudaKernelNodeParams kernel = { 0 };
        kg__kernel_launch *launch;
        bool is_kernel;

        good = is_kernel_node(captured.nodes.list[i], &is_kernel, why);
        if (!good || !is_kernel)
            continue;
        launch = kg__kernel_launches_add(launches);
        good = read_kernel(captured.nodes.list[i], &kernel, why) &&
               describe_kernel(&kernel, &launch->code, why);
        launch->grid = kernel.gridDim;
        launch->block = kernel.blockDim;
        launch->dynamic_shared = (int64_t)kernel.sharedMemBytes;
    }
    release_launch(&captured);
    return good;
}

const char *kg__device_launcher(const kg__case *c)
{
    (void)c;
    return "";
}

int kg__device_kernels(const kg__case *c, const kg__buffers *buffers, kg__error *why)
{
    captured_launch captured;
    cudaGraphNode_t first;
    int kernels = -1;

    if (capture_launch(c, buffers, &captured, why))
        kernels = find_kernels(&captured.nodes, &first, why);
    release_launch(&captured);
    if (kernels != 0)
        return kernels;
    kg__fail(why, "no kernel was started on the stream of the call: start it on call->stream");
    return -1;
}

kg__kernel_code kg__device_kernel(kg__pool *pool, const kg__case *c, const kg__buffers *buffers)
{
    kg__kernel_code code = kg__kernel_code_unknown;
    struct cudaKernelNodeParams kernel = { 0 };
    captured_launch captured;
    cudaGraphNode_t first;
    kg__error why;
    int kernels;

    if (!capture_launch(c, buffers, &captured, &why)) {
        release_launch(&captured);
        return code;
    }
    kernels = find_kernels(&captured.nodes, &first, &why);
    /* A copy alone counts as a launch. */
    if (kernels == 0 ||
        (kernels > 0 && read_kernel(first, &kernel, &why) && describe_kernel(&kernel, &code, &why)))
        kg__describe_launch(pool, captured.graph, captured.nodes.list, captured.nodes.count,
                            buffers, c->variant->advanced.clock, &code);
    release_launch(&captured);
    return code;
}
