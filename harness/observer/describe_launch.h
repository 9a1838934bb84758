/* What a captured launch asks of a GPU, so that the launches of two processes can be compared.
 */
#ifndef KG__OBSERVER_DESCRIBE_LAUNCH_H
#define KG__OBSERVER_DESCRIBE_LAUNCH_H

#include <cuda_runtime_api.h>
#include <jansson.h>
#include <stddef.h>

#include "device/buffers.h"

/* Adds to a kernel's description "names", those of all kernels among the `count` nodes of `graph`
 * in order, and "launch", the launch's identity: the clock that it is timed by, the kinds of memory
 * that the arguments lie in, its kernels, their grids, blocks, shared memory,
 * attributes and parameters, its copies and its fills. Nothing is added where a node is of another
 * kind, where the nodes do not form a chain, and where a parameter leads to memory that is none of
 * the arguments, whose content nobody here knows. */
void kg__describe_launch(cudaGraph_t graph, const cudaGraphNode_t *nodes, size_t count,
                         const kg__buffers *buffers, kg_clock clock, json_t *description);

#endif
