/* Conditional nodes of graphs: kernels set the condition, and what it chooses executes as one piece
 * of work. */
#include "model/runtime/graph_parts.h"

#include "base/message.h"
#include "model/exec/launch.h"
#include "model/runtime/runtime.h"

#include <stdlib.h>

typedef struct condition {
    unsigned int value;
    unsigned int first; /* at the beginning of each launch, if it `begins` with one */
    bool begins;
} condition;

typedef struct conditional {
    kg__action action;
    cudaGraphConditionalHandle handle;
    enum cudaGraphConditionalNodeType type;
    unsigned int size;
    cudaGraphExec_t *bodies;
} conditional;

/* By their handles, which count from 1. */
static condition *conditions;
static size_t condition_count;
static size_t condition_room;

static condition *condition_of(cudaGraphConditionalHandle handle)
{
    return handle > 0 && handle <= condition_count ? &conditions[handle - 1] : NULL;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                             unsigned int first, unsigned int flags)
{
    KG__BEGIN_CALL();
    if (handle == NULL || !kg__graph_is(graph) || flags > cudaGraphCondAssignDefault)
        return kg__model_leave(cudaErrorInvalidValue);
    conditions = kg__grow(conditions, condition_count, &condition_room, sizeof *conditions);
    conditions[condition_count++] = (condition){ .first = first, .begins = flags != 0 };
    *handle = condition_count;
    return kg__model_leave(cudaSuccess);
}

void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value)
{
    condition *set = condition_of(handle);

    if (set == NULL || !kg__model_where(NULL))
        kg__model_trap(cudaErrorInvalidValue,
                       "cudaGraphSetConditional(): no condition has this handle");
    set->value = value;
}

static kg__branches *make_branches(const kg__branches *like)
{
    kg__branches *made = kg__allocate(1, sizeof *made);

    *made = *like;
    made->graphs = kg__allocate(like->size, sizeof(cudaGraph_t));
    return made;
}

kg__branches *kg__branches_copy(const kg__branches *branches)
{
    kg__branches *copy = branches != NULL ? make_branches(branches) : NULL;

    for (unsigned int i = 0; copy != NULL && i < copy->size; i++)
        copy->graphs[i] = kg__graph_copy(branches->graphs[i]);
    return copy;
}

void kg__branches_free(kg__branches *branches)
{
    for (unsigned int i = 0; branches != NULL && i < branches->size; i++)
        kg__graph_free(branches->graphs[i]);
    if (branches != NULL)
        free(branches->graphs);
    free(branches);
}

static cudaError_t run_conditional(kg__action *action)
{
    const conditional *made = (const conditional *)(const void *)action;
    cudaError_t error = cudaSuccess;

    do {
        const unsigned int value = condition_of(made->handle)->value;
        const unsigned int branch =
            made->type == cudaGraphCondTypeSwitch ? value : (unsigned int)(value == 0);

        if (branch >= made->size)
            break;
        error = kg__exec_run_inside(made->bodies[branch]);
    } while (made->type == cudaGraphCondTypeWhile && error == cudaSuccess);
    return error;
}

static void drop_conditional(kg__action *action)
{
    conditional *made = (conditional *)(void *)action;

    for (unsigned int i = 0; i < made->size; i++) {
        if (made->bodies[i] != NULL)
            kg__exec_free(made->bodies[i]);
    }
    free(made->bodies);
}

kg__action *kg__branches_action(const kg__branches *branches)
{
    conditional *made =
        kg__action_make(sizeof *made, "conditional node", run_conditional, drop_conditional);

    made->handle = branches->handle;
    made->type = branches->type;
    made->size = branches->size;
    made->bodies = kg__allocate(made->size, sizeof(cudaGraphExec_t));
    for (unsigned int i = 0; i < made->size; i++) {
        made->bodies[i] = kg__exec_make(branches->graphs[i]);
        if (made->bodies[i] == NULL) {
            kg__action_release(&made->action);
            return NULL;
        }
    }
    return &made->action;
}

void kg__branches_begin(const kg__action *action)
{
    const conditional *made = (const conditional *)(const void *)action;
    condition *set;

    if (action == NULL || action->run != run_conditional)
        return;
    set = condition_of(made->handle);
    if (set->begins)
        set->value = set->first;
    for (unsigned int i = 0; i < made->size; i++)
        kg__exec_begin_conditions(made->bodies[i]);
}

static bool is_good(const struct cudaConditionalNodeParams *params)
{
    const unsigned int most = params->type == cudaGraphCondTypeIf      ? 2
                              : params->type == cudaGraphCondTypeWhile ? 1
                                                                       : UINT16_MAX;

    return condition_of(params->handle) != NULL && (int)params->type >= cudaGraphCondTypeIf &&
           params->type <= cudaGraphCondTypeSwitch && params->size > 0 && params->size <= most;
}

cudaError_t kg__model_add_condition(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *before, size_t count,
                                    struct cudaConditionalNodeParams *params)
{
    cudaError_t error;

    if (params == NULL || !is_good(params))
        return kg__model_take_hint(0);
    error = kg__model_add_node(node, graph, before, count, 0, NULL);
    if (error != cudaSuccess)
        return error;
    (*node)->type = cudaGraphNodeTypeConditional;
    (*node)->branches = make_branches(
        &(kg__branches){ .handle = params->handle, .type = params->type, .size = params->size });
    for (unsigned int i = 0; i < params->size; i++) {
        (*node)->branches->graphs[i] = kg__graph_make();
        (*node)->branches->graphs[i]->is_kept = true;
    }
    params->phGraph_out = (*node)->branches->graphs;
    return cudaSuccess;
}
