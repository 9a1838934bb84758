/* SPDX-License-Identifier: MIT */
#include "observer/describe_launch.h"

#include <stdbool.h>
#include <stdint.h>

#include "observer/launch_identity.h"

/* Marks that most launches lack; distinct from all node types. */
enum { OTHER_CLOCK = 1001, OTHER_MEMORY, L2_WINDOW };

/* The attributes of a launch that change its cost. */
static const cudaLaunchAttributeID attributes[] = {
    cudaLaunchAttributeClusterDimension,
    cudaLaunchAttributeClusterSchedulingPolicyPreference,
    cudaLaunchAttributeCooperative,
    cudaLaunchAttributePriority,
};

/* Returns the kind of memory at an address. Memory that only the host knows has type
 * unregistered. */
static enum cudaMemoryType type_of(uintptr_t address)
{
    struct cudaPointerAttributes facts = { 0 };
    cudaError_t code = cudaPointerGetAttributes(&facts, (const void *)address);

    (void)cudaGetLastError();
    return code == cudaSuccess ? facts.type : cudaMemoryTypeUnregistered;
}

static bool is_memory(uintptr_t address)
{
    return type_of(address) != cudaMemoryTypeUnregistered;
}

/* Lists the arguments' places, guard zones included: a pointer past the last element belongs to
 * its argument. */
static int place_arguments(const kg__buffers *buffers, kg__argument_place *places)
{
    int count = 0;

    for (int i = 0; i < buffers->arguments.count; i++) {
        uintptr_t begin = (uintptr_t)buffers->allocation[i];

        if (begin == 0)
            places[count++] = (kg__argument_place){ 0, 0, 0 };
        else
            places[count++] =
                (kg__argument_place){ begin, (uintptr_t)buffers->data[i],
                                      begin + buffers->bytes[i] + 2 * KG__GUARD_BYTES };
    }
    return count;
}

/* Adds the clock, and the arguments outside of device memory, since both change the time of the
 * same kernel. */
static void add_circumstances(kg__launch_identity *identity, const kg__buffers *buffers,
                              kg_clock clock)
{
    if (clock != KG_GRAPH_CLOCK) {
        kg__identity_number(identity, OTHER_CLOCK);
        kg__identity_number(identity, clock);
    }
    for (int i = 0; i < buffers->arguments.count; i++) {
        if (buffers->memory[i] == KG_DEVICE)
            continue;
        kg__identity_number(identity, OTHER_MEMORY);
        kg__identity_number(identity, (uint64_t)i);
        kg__identity_number(identity, buffers->memory[i]);
    }
}

static void add_dimensions(kg__launch_identity *identity, dim3 size)
{
    kg__identity_number(identity, size.x);
    kg__identity_number(identity, size.y);
    kg__identity_number(identity, size.z);
}

/* Adds the addresses that are to stay in L2, if a launcher sets them. */
static void add_l2_window(kg__launch_identity *identity, cudaGraphNode_t node)
{
    cudaLaunchAttributeValue value = { { 0 } };
    const struct cudaAccessPolicyWindow *window = &value.accessPolicyWindow;

    if (cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeAccessPolicyWindow, &value) !=
        cudaSuccess) {
        (void)cudaGetLastError();
        return;
    }
    if (window->num_bytes == 0)
        return;
    kg__identity_number(identity, L2_WINDOW);
    kg__identity_address(identity, (uintptr_t)window->base_ptr);
    kg__identity_number(identity, window->num_bytes);
    kg__identity_parameter(identity, &window->hitRatio, sizeof window->hitRatio);
    kg__identity_number(identity, window->hitProp);
    kg__identity_number(identity, window->missProp);
}

/* Adds the attributes of the launch, and those of the function for all its launches. */
static bool add_settings(kg__launch_identity *identity, cudaGraphNode_t node, const void *function)
{
    struct cudaFuncAttributes uses;

    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        cudaLaunchAttributeValue value = { { 0 } };
        cudaError_t code = cudaGraphKernelNodeGetAttribute(node, attributes[i], &value);

        /* An older driver does not know a newer attribute, which nobody can have set then. */
        if (code != cudaSuccess)
            (void)cudaGetLastError();
        kg__identity_number(identity, code == cudaSuccess);
        kg__identity_parameter(identity, &value, sizeof value);
    }
    add_l2_window(identity, node);
    if (cudaFuncGetAttributes(&uses, function) != cudaSuccess)
        return false;
    kg__identity_number(identity, (uint64_t)uses.maxDynamicSharedSizeBytes);
    kg__identity_number(identity, (uint64_t)(int64_t)uses.preferredShmemCarveout);
    return true;
}

static bool add_parameters(kg__launch_identity *identity, const struct cudaKernelNodeParams *kernel)
{
    size_t offset;
    size_t bytes;
    size_t i = 0;

    /* The driver marks the end of the parameters by refusing the next. */
    while (cudaFuncGetParamInfo(kernel->func, i, &offset, &bytes) == cudaSuccess) {
        if (kernel->kernelParams == NULL || kernel->kernelParams[i] == NULL)
            return false;
        kg__identity_number(identity, offset);
        kg__identity_parameter(identity, kernel->kernelParams[i], bytes);
        i++;
    }
    (void)cudaGetLastError();
    kg__identity_number(identity, i);
    return kernel->extra == NULL;
}

static bool add_kernel(kg__launch_identity *identity, cudaGraphNode_t node, kg__kernel_code *code)
{
    struct cudaKernelNodeParams kernel = { 0 };
    const char *name = NULL;

    if (cudaGraphKernelNodeGetParams(node, &kernel) != cudaSuccess ||
        cudaFuncGetName(&name, kernel.func) != cudaSuccess || name == NULL)
        return false;
    code->names.items[code->names.count++] = name;
    kg__identity_text(identity, name);
    add_dimensions(identity, kernel.gridDim);
    add_dimensions(identity, kernel.blockDim);
    kg__identity_number(identity, kernel.sharedMemBytes);
    return add_settings(identity, node, kernel.func) && add_parameters(identity, &kernel);
}

static void add_pitched(kg__launch_identity *identity, const struct cudaPitchedPtr *memory,
                        const struct cudaPos *position)
{
    kg__identity_place(identity, (uintptr_t)memory->ptr, (int)type_of((uintptr_t)memory->ptr));
    kg__identity_number(identity, memory->pitch);
    kg__identity_number(identity, memory->ysize);
    kg__identity_number(identity, position->x);
    kg__identity_number(identity, position->y);
    kg__identity_number(identity, position->z);
}

static bool add_copy(kg__launch_identity *identity, cudaGraphNode_t node)
{
    struct cudaMemcpy3DParms copy = { 0 };

    if (cudaGraphMemcpyNodeGetParams(node, &copy) != cudaSuccess || copy.srcArray != NULL ||
        copy.dstArray != NULL)
        return false;
    add_pitched(identity, &copy.srcPtr, &copy.srcPos);
    add_pitched(identity, &copy.dstPtr, &copy.dstPos);
    kg__identity_number(identity, copy.extent.width);
    kg__identity_number(identity, copy.extent.height);
    kg__identity_number(identity, copy.extent.depth);
    kg__identity_number(identity, copy.kind);
    return true;
}

static bool add_fill(kg__launch_identity *identity, cudaGraphNode_t node)
{
    struct cudaMemsetParams fill = { 0 };

    if (cudaGraphMemsetNodeGetParams(node, &fill) != cudaSuccess)
        return false;
    kg__identity_place(identity, (uintptr_t)fill.dst, (int)type_of((uintptr_t)fill.dst));
    kg__identity_number(identity, fill.elementSize);
    kg__identity_number(identity, fill.value);
    kg__identity_number(identity, fill.width);
    kg__identity_number(identity, fill.height);
    kg__identity_number(identity, fill.pitch);
    return true;
}

/* Adds one node; false if it cannot be described. */
static bool add_node(kg__launch_identity *identity, cudaGraphNode_t node, kg__kernel_code *code)
{
    enum cudaGraphNodeType type;

    if (cudaGraphNodeGetType(node, &type) != cudaSuccess)
        return false;
    kg__identity_number(identity, type);
    switch (type) {
    case cudaGraphNodeTypeKernel:
        return add_kernel(identity, node, code);
    case cudaGraphNodeTypeMemcpy:
        return add_copy(identity, node);
    case cudaGraphNodeTypeMemset:
        return add_fill(identity, node);
    default:
        return false;
    }
}

/* Returns whether the nodes follow each other one by one, so that their order says everything. */
static bool is_chain(cudaGraph_t graph, size_t count)
{
    size_t edges = 0;
#if CUDART_VERSION >= 13000
    cudaError_t code = cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges);
#else
    cudaError_t code = cudaGraphGetEdges(graph, NULL, NULL, &edges);
#endif

    return code == cudaSuccess && edges + 1 == count;
}

void kg__describe_launch(kg__pool *pool, cudaGraph_t graph, const cudaGraphNode_t *nodes,
                         size_t count, const kg__buffers *buffers, kg_clock clock,
                         kg__kernel_code *code)
{
    kg__argument_place places[KG_MAX_ARGUMENTS];
    kg__launch_identity identity;
    bool described = is_chain(graph, count);

    code->names.items = kg__pool_array(pool, count, sizeof *code->names.items);
    kg__identity_begin(&identity, places, place_arguments(buffers, places), is_memory);
    add_circumstances(&identity, buffers, clock);
    for (size_t i = 0; i < count && described; i++)
        described = add_node(&identity, nodes[i], code);
    if (!described || !kg__identity_show(&identity, code->launch))
        code->names = (kg__texts){ NULL, 0 };
    /* An error of these queries is not a failure of the case. */
    (void)cudaGetLastError();
}
