/* SPDX-License-Identifier: MIT */
/* Memory of graphs. Its addresses belong to the graphs and to what executes them; a launch
 * allocates it, and a node, a call or a later launch frees it. It then holds nothing that a kernel
 * may read. */
#include "model/runtime/graph_parts.h"

#include "model/exec/allocations.h"
#include "model/watch/watcher.h"

typedef struct graph_memory {
    kg__action action; /* which allocates it */
    struct graph_memory *next;
    void *pointer;
    size_t size;
    void (*unmap)(void *pointer);
    bool is_used; /* a launch has allocated it */
} graph_memory;

static graph_memory *all;
/* By their attributes: bytes in use and of all, each now and then at most. */
static uint64_t figures[cudaGraphMemAttrReservedMemHigh + 1];

static void count(enum cudaGraphMemAttributeType now, size_t more, size_t less)
{
    figures[now] += more - less;
    if (figures[now] > figures[now + 1])
        figures[now + 1] = figures[now];
}

static void set_used(graph_memory *memory, bool is_used)
{
    count(cudaGraphMemAttrUsedMemCurrent, is_used && !memory->is_used ? memory->size : 0,
          !is_used && memory->is_used ? memory->size : 0);
    memory->is_used = is_used;
}

static cudaError_t run_allocation(kg__action *action)
{
    graph_memory *memory = (graph_memory *)(void *)action;

    set_used(memory, true);
    kg__watch_set(memory->pointer, memory->size, false);
    return cudaSuccess;
}

/* No graph has it any more. What a launch has allocated stays the program's. */
static void drop_allocation(kg__action *action)
{
    graph_memory *memory = (graph_memory *)(void *)action;
    graph_memory **link = &all;
    const bool was_used = memory->is_used;

    while (*link != memory)
        link = &(*link)->next;
    *link = memory->next;
    set_used(memory, false);
    count(cudaGraphMemAttrReservedMemCurrent, 0, memory->size);
    if (!was_used)
        memory->unmap(memory->pointer);
}

cudaError_t kg__graph_allocate(void *pointer, size_t size, cudaStream_t stream,
                               void (*unmap)(void *pointer))
{
    graph_memory *made =
        kg__action_make(sizeof *made, "allocation", run_allocation, drop_allocation);

    made->pointer = pointer;
    made->size = size;
    made->unmap = unmap;
    made->next = all;
    all = made;
    count(cudaGraphMemAttrReservedMemCurrent, size, 0);
    kg__spans_add(&made->action.spans, true, (uintptr_t)pointer, size);
    return kg__stream_give(stream, cudaGraphNodeTypeMemAlloc, &made->action);
}

static graph_memory *find(const void *pointer)
{
    graph_memory *memory = all;

    while (memory != NULL && memory->pointer != pointer)
        memory = memory->next;
    return memory;
}

bool kg__graph_has(const void *pointer)
{
    return find(pointer) != NULL;
}

bool kg__graph_frees(void *pointer, cudaError_t *error)
{
    graph_memory *memory = find(pointer);

    if (memory == NULL)
        return false;
    *error = memory->is_used ? cudaSuccess : cudaErrorInvalidValue;
    set_used(memory, false);
    kg__watch_set(pointer, memory->size, false);
    return true;
}

bool kg__graph_memory_is_used(const kg__action *action)
{
    return action != NULL && action->run == run_allocation &&
           ((const graph_memory *)(const void *)action)->is_used;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value)
{
    KG__BEGIN_CALL();
    KG__REFUSE_IF(device != 0, cudaErrorInvalidDevice);
    KG__REFUSE_IF((unsigned int)attribute > cudaGraphMemAttrReservedMemHigh || value == NULL,
                  cudaErrorInvalidValue);
    *(uint64_t *)value = figures[attribute];
    return kg__model_leave(cudaSuccess);
}

/* Only the highest figures can be set, to 0: they then begin with what is there now. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value)
{
    KG__BEGIN_CALL();
    KG__REFUSE_IF(device != 0, cudaErrorInvalidDevice);
    KG__REFUSE_IF(value == NULL || *(const uint64_t *)value != 0 ||
                      (attribute != cudaGraphMemAttrUsedMemHigh &&
                       attribute != cudaGraphMemAttrReservedMemHigh),
                  cudaErrorInvalidValue);
    figures[attribute] = figures[attribute - 1];
    return kg__model_leave(cudaSuccess);
}
