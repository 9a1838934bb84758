/* Launches captured in graphs that never run: which kernels they start, with what, and what these
 * take of a multiprocessor. */
#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "base/message.h"
#include "device/device.h"
#include "device/device_gpu.h"
#include "observer/describe_launch.h"

/* Captures a launch of a case on `stream`; NULL with `why` when it cannot be. */
static cudaGraph_t capture(const kg__case *c, const kg__buffers *buffers, cudaStream_t stream,
                           kg__error *why)
{
    kg_call call = {
        .size = c->size, .launch = c->launch, .argument = buffers->data, .stream = stream
    };
    cudaGraph_t graph = NULL;
    cudaError_t launched;
    cudaError_t code = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);

    if (code != cudaSuccess) {
        kg__cuda_fail(why, "starting a graph", code);
        return NULL;
    }
    launched = c->variant->launch(&call);
    code = cudaStreamEndCapture(stream, &graph);
    if (launched == cudaSuccess && code == cudaSuccess)
        return graph;
    if (graph != NULL)
        (void)cudaGraphDestroy(graph);
    (void)cudaGetLastError();
    kg__cuda_fail(why, "launching", launched != cudaSuccess ? launched : code);
    return NULL;
}

/* The nodes of a graph, in the order in which they were captured. */
typedef struct node_list {
    cudaGraphNode_t *list;
    size_t count;
} node_list;

/* Lists the nodes of `graph`, to be freed; false with `why` when the driver does not say. */
static bool list_nodes(cudaGraph_t graph, node_list *nodes, kg__error *why)
{
    cudaError_t code = cudaGraphGetNodes(graph, NULL, &nodes->count);

    nodes->list = NULL;
    if (code == cudaSuccess && nodes->count > 0) {
        nodes->list = kg__allocate(nodes->count, sizeof(cudaGraphNode_t));
        code = cudaGraphGetNodes(graph, nodes->list, &nodes->count);
    }
    if (code == cudaSuccess)
        return true;
    free(nodes->list);
    kg__cuda_fail(why, "looking into a graph", code);
    return false;
}

/* How many nodes are kernels, and the first of them; -1 with `why` when the driver does not say.
 */
static int find_kernels(const node_list *nodes, cudaGraphNode_t *first, kg__error *why)
{
    int kernels = 0;

    for (size_t i = 0; i < nodes->count; i++) {
        enum cudaGraphNodeType type;
        cudaError_t code = cudaGraphNodeGetType(nodes->list[i], &type);

        if (code != cudaSuccess) {
            kg__cuda_fail(why, "looking into a graph", code);
            return -1;
        }
        if (type == cudaGraphNodeTypeKernel && kernels++ == 0)
            *first = nodes->list[i];
    }
    return kernels;
}

/* What a kernel in a graph takes of a multiprocessor; NULL with `why` where the driver does not
 * say. */
static json_t *describe_kernel(cudaGraphNode_t node, kg__error *why)
{
    struct cudaKernelNodeParams kernel = { 0 };
    struct cudaFuncAttributes uses;
    int most_threads = 0;
    int blocks = 0;
    int warps; /* a block's */
    const char *name = NULL;
    cudaError_t code = cudaGraphKernelNodeGetParams(node, &kernel);
    int threads = (int)(kernel.blockDim.x * kernel.blockDim.y * kernel.blockDim.z);

    if (code == cudaSuccess)
        code = cudaFuncGetAttributes(&uses, kernel.func);
    if (code == cudaSuccess)
        code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.func, threads,
                                                             kernel.sharedMemBytes);
    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&most_threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0);
    if (code != cudaSuccess) {
        kg__cuda_fail(why, "asking for a kernel's occupancy", code);
        return NULL;
    }
    warps = (threads + 31) / 32;
    if (cudaFuncGetName(&name, kernel.func) != cudaSuccess)
        name = NULL;
    return json_pack("{s:s*, s:i, s:I, s:I, s:i, s:f}", "name", name, "registers", uses.numRegs,
                     "local_bytes", (json_int_t)uses.localSizeBytes, "shared_bytes",
                     (json_int_t)uses.sharedSizeBytes + (json_int_t)kernel.sharedMemBytes,
                     "blocks_per_multiprocessor", blocks, "occupancy",
                     most_threads > 0 ? 32.0 * blocks * warps / most_threads : 0.0);
}

/* Captures a launch and hands its kernels on: how many, what the first takes, and all that the
 * launch asks for. */
static int look_into(const kg__case *c, const kg__buffers *buffers, json_t **description,
                     kg__error *why)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphNode_t first = NULL;
    node_list nodes;
    int kernels = -1;
    cudaError_t code = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);

    if (code != cudaSuccess) {
        kg__cuda_fail(why, "making a stream", code);
        return -1;
    }
    graph = capture(c, buffers, stream, why);
    if (graph != NULL && list_nodes(graph, &nodes, why)) {
        kernels = find_kernels(&nodes, &first, why);
        if (kernels > 0 && description != NULL) {
            *description = describe_kernel(first, why);
            if (*description != NULL)
                kg__describe_launch(graph, nodes.list, nodes.count, buffers, c->variant->clock,
                                    *description);
        }
        free(nodes.list);
    }
    if (graph != NULL)
        (void)cudaGraphDestroy(graph);
    (void)cudaStreamDestroy(stream);
    return kernels;
}

void kg__device_plan(void)
{
    /* What is captured in a graph is not done. */
}

static json_t *dimensions(dim3 size)
{
    return json_pack("[i, i, i]", (int)size.x, (int)size.y, (int)size.z);
}

/* Appends what a kernel in a graph is started with, and what it takes. */
static bool add_launch(cudaGraphNode_t node, json_t *list, kg__error *why)
{
    struct cudaKernelNodeParams kernel = { 0 };
    json_t *uses = describe_kernel(node, why);
    json_t *launch;

    if (uses == NULL)
        return false;
    if (cudaGraphKernelNodeGetParams(node, &kernel) != cudaSuccess) {
        json_decref(uses);
        return kg__fail(why, "asking for a kernel's launch: the driver does not say");
    }
    launch = json_pack(
        "{s:O*, s:o, s:o, s:I, s:O, s:O, s:I, s:O, s:O}", "kernel", json_object_get(uses, "name"),
        "grid", dimensions(kernel.gridDim), "block", dimensions(kernel.blockDim), "dynamic_shared",
        (json_int_t)kernel.sharedMemBytes, "registers", json_object_get(uses, "registers"),
        "local_bytes", json_object_get(uses, "local_bytes"), "static_shared",
        json_integer_value(json_object_get(uses, "shared_bytes")) -
            (json_int_t)kernel.sharedMemBytes,
        "blocks_per_multiprocessor", json_object_get(uses, "blocks_per_multiprocessor"),
        "occupancy", json_object_get(uses, "occupancy"));
    json_decref(uses);
    json_array_append_new(list, launch);
    return true;
}

static bool add_launches(const node_list *nodes, json_t *list, kg__error *why)
{
    bool added = true;

    for (size_t i = 0; i < nodes->count && added; i++) {
        enum cudaGraphNodeType type;
        cudaError_t code = cudaGraphNodeGetType(nodes->list[i], &type);

        if (code != cudaSuccess)
            added = kg__cuda_fail(why, "looking into a graph", code);
        else if (type == cudaGraphNodeTypeKernel)
            added = add_launch(nodes->list[i], list, why);
    }
    return added;
}

bool kg__device_launches(const kg__case *c, const kg__buffers *buffers, json_t *list,
                         kg__error *why)
{
    cudaStream_t stream;
    node_list nodes = { 0 };
    cudaGraph_t graph;
    bool added;
    cudaError_t code = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);

    if (code != cudaSuccess)
        return kg__cuda_fail(why, "making a stream", code);
    graph = capture(c, buffers, stream, why);
    added = graph != NULL && list_nodes(graph, &nodes, why) && add_launches(&nodes, list, why);
    free(nodes.list);
    if (graph != NULL)
        (void)cudaGraphDestroy(graph);
    (void)cudaStreamDestroy(stream);
    return added;
}

const char *kg__device_launcher(const kg__case *c)
{
    (void)c;
    return "";
}

int kg__device_kernels(const kg__case *c, const kg__buffers *buffers, kg__error *why)
{
    int kernels = look_into(c, buffers, NULL, why);

    if (kernels != 0)
        return kernels;
    kg__fail(why, "no kernel was started on the stream of the call: start it on call->stream");
    return -1;
}

json_t *kg__device_kernel(const kg__case *c, const kg__buffers *buffers)
{
    json_t *description = NULL;
    kg__error why;

    (void)look_into(c, buffers, &description, &why);
    return description;
}
