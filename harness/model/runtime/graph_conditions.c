/* SPDX-License-Identifier: MIT */
/* Conditions of graphs' nodes, which kernels set. */
#include "model/runtime/graph_parts.h"

#include "base/message.h"
#include "model/exec/launch.h"

/* By their handles, which count from 1. */
static kg__condition *conditions;
static size_t condition_count;
static size_t condition_room;

kg__condition *kg__condition_of(cudaGraphConditionalHandle handle)
{
    return handle > 0 && handle <= condition_count ? &conditions[handle - 1] : NULL;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                             unsigned int first, unsigned int flags)
{
    KG__BEGIN_CALL();
    KG__REFUSE_IF(handle == NULL || !kg__graph_is(graph) || flags > cudaGraphCondAssignDefault,
                  cudaErrorInvalidValue);
    *KG__ADD(conditions, condition_count, condition_room) =
        (kg__condition){ .first = first, .begins = flags != 0 };
    *handle = condition_count;
    return kg__model_leave(cudaSuccess);
}

void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value)
{
    kg__condition *set = kg__condition_of(handle);

    if (set == NULL || !kg__model_where(NULL))
        kg__model_trap(cudaErrorInvalidValue,
                       "cudaGraphSetConditional(): no condition has this handle");
    kg__exec_leave_process();
    set->value = value;
}
