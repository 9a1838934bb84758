/* The description of a captured launch, so that the launches of two processes can be compared. */
#ifndef KG__OBSERVER_DESCRIBE_LAUNCH_H
#define KG__OBSERVER_DESCRIBE_LAUNCH_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "device/buffers.h"
#include "records/kernel_code.h"

/* Adds to a launch's code the names of all kernels among the `count` nodes of `graph` in order, a
 * list of the pool's, and the launch's identity: the clock that it is timed by, the kinds of memory
 * that the arguments lie in, its kernels, their grids, blocks, shared memory,
 * attributes and parameters, its copies and its fills. Nothing is added where a node is of another
 * kind, where the nodes do not form a chain, and where a parameter leads to memory that is none of
 * the arguments, whose content nobody here knows. */
void kg__describe_launch(kg__pool *pool, cudaGraph_t graph, const cudaGraphNode_t *nodes,
                         size_t count, const kg__buffers *buffers, kg_clock clock,
                         kg__kernel_code *code);

#endif
