/* SPDX-License-Identifier: MIT */
/* Launchers of kernels whose blocks take turns. */
#pragma once

#include <cuda_runtime_api.h>

#include "tests/model/c_linkage.h"

BEGIN_C

/* How the first thread of a block waits for its turn. */
typedef enum way_to_wait {
    BY_CUDA_ATOMIC,
    BY_VOLATILE,
    BY_VOLATILE_AND_NAPS,
    BY_COMPARISONS, /* and exchanges */
    BY_SUMS,        /* atomicAdd() of 0 */
    BY_BARRIERS,    /* which all threads meet at, until it is their turn */
    WAYS_TO_WAIT
} way_to_wait;

/* Writes 10 times the old sum and its own number to *sum, block by block: the blocks of lower
 * numbers first, or (`falling`) those of higher ones. *turn is 0 at first. */
cudaError_t launch_take_turns(const cudaLaunchConfig_t *config, way_to_wait how, bool falling,
                              int *turn, int *sum);

END_C
