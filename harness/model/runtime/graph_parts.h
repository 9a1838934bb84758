/* SPDX-License-Identifier: MIT */
/* Memory and conditions of graphs. Internal to runtime/; its functions need the model's lock. */
#pragma once

#include "model/runtime/graphs.h"

/* Gives a captured stream the allocation of a graph's own memory, which has been made. It is the
 * program's to free once a launch has allocated it; else `unmap` frees its addresses with the last
 * graph that has it. */
cudaError_t kg__graph_allocate(void *pointer, size_t size, cudaStream_t stream,
                               void (*unmap)(void *pointer));
/* Frees a graph's memory, whose addresses stay the graph's. Returns whether it is one's, and the
 * error of the call. */
bool kg__graph_frees(void *pointer, cudaError_t *error);
/* Returns whether it is a graph's memory. */
bool kg__graph_has(const void *pointer);
/* Returns whether an action allocates memory that is not free, so that it must not be launched. */
bool kg__graph_memory_is_used(const kg__action *action);

/* A condition of graphs' nodes. */
typedef struct kg__condition {
    unsigned int value;
    unsigned int first; /* at the beginning of each launch, if it `begins` with one */
    bool begins;
} kg__condition;
/* Returns a handle's condition, valid until the next one is created; NULL for an unknown handle. */
kg__condition *kg__condition_of(cudaGraphConditionalHandle handle);
