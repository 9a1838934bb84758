/* Memory and conditions of graphs. Internal to runtime/; its functions need the model's lock. */
#ifndef KG__MODEL_RUNTIME_GRAPH_PARTS_H
#define KG__MODEL_RUNTIME_GRAPH_PARTS_H

#include "model/runtime/graphs.h"

/* Gives a captured stream the allocation of a graph's own memory, which has been made. It is the
 * program's to free once a launch has allocated it, and ends with the last graph that has it. */
cudaError_t kg__graph_allocate(void *pointer, size_t size, cudaStream_t stream);
/* Frees a graph's memory, whose addresses stay the graph's. Returns whether it is one's, and the
 * error of the call. */
bool kg__graph_frees(void *pointer, cudaError_t *error);
/* Returns whether it is a graph's memory. */
bool kg__graph_has(const void *pointer);
/* Returns whether an action allocates memory that is not free, so that it must not be launched. */
bool kg__graph_memory_is_used(const kg__action *action);
/* Frees the addresses of memory that is no graph's any more. */
void kg__memory_unmap(void *pointer);

/* A conditional node's graphs. */
struct kg__branches {
    cudaGraphConditionalHandle handle;
    enum cudaGraphConditionalNodeType type;
    unsigned int size;
    cudaGraph_t *graphs;
};
/* Returns a copy of a conditional node's branches, with copies of their graphs. */
kg__branches *kg__branches_copy(const kg__branches *branches);
/* Frees branches and their graphs. */
void kg__branches_free(kg__branches *branches);
/* Makes the action that runs the graphs that the condition chooses; NULL if they cannot be
 * executed. */
kg__action *kg__branches_action(const kg__branches *branches);
/* Sets the conditions of an action, if it has any, to what a launch begins with. */
void kg__branches_begin(const kg__action *action);

/* Makes what executes a graph; NULL if its edges make a circle. */
cudaGraphExec_t kg__exec_make(cudaGraph_t graph);
/* Frees it. */
void kg__exec_free(cudaGraphExec_t exec);
/* Executes it as a part of the work that executes now. */
cudaError_t kg__exec_run_inside(cudaGraphExec_t exec);
/* Sets its conditions as kg__branches_begin(). */
void kg__exec_begin_conditions(cudaGraphExec_t exec);

#endif
