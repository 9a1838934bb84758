/* SPDX-License-Identifier: MIT */
/* Launchers of kernels that use cooperative groups and asynchronous copies, on what watch_kernels.h
 * has. */
#pragma once

#include "tests/model/watch_kernels.h"

BEGIN_C

/* Launches ring_by_grid with an array of pointers to the arguments. */
cudaError_t launch_ring_with_pointers(dim3 grid, dim3 block, watch_data data);
int blocks_of_ring(int threads, size_t dynamic_bytes);

END_C
