/* SPDX-License-Identifier: MIT */
/* The description of a captured launch, comparable between processes. */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "device/buffers.h"
#include "records/kernel_code.h"

/* Adds to a launch's code the names of all kernels among the `count` nodes of `graph`, in order,
 * as a list in the pool; and the launch's identity: its clock, the kinds of memory of its
 * arguments, its kernels with their grids, blocks, shared memory, attributes and parameters, its
 * copies and its fills. Adds nothing if a node is of another kind, if the nodes do not form a
 * chain, or if a parameter points to memory outside of the arguments, whose content is unknown. */
void kg__describe_launch(kg__pool *pool, cudaGraph_t graph, const cudaGraphNode_t *nodes,
                         size_t count, const kg__buffers *buffers, kg_clock clock,
                         kg__kernel_code *code);
