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

/* Returns whether a graph has the condition. */
bool kg__condition_is(cudaGraphConditionalHandle handle);
/* Returns its value. */
unsigned int kg__condition_value(cudaGraphConditionalHandle handle);
/* Sets it to what each launch begins with, if it begins with a value. */
void kg__condition_begin(cudaGraphConditionalHandle handle);
