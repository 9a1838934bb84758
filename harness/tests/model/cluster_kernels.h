/* SPDX-License-Identifier: MIT */
/* Kernels of clusters, with launch bounds, and with much shared memory. */
#pragma once

#include "tests/model/watch_kernels.h"

BEGIN_C

/* What is wrong with next_of_cluster. */
enum { NO_FIRST_SYNC = 1, NO_LAST_SYNC, BEYOND_THE_NEXT, ONE_WAITS_ELSEWHERE, NO_SUCH_RANK };
/* Lets twice_of_cluster have clusters of up to 16 blocks, and much_shared so many bytes. */
cudaError_t allow_large_clusters(void);
cudaError_t allow_much_shared(int bytes);
/* How many clusters of two of own_pair a device holds at once; -1: an error. */
int clusters_of_pairs(unsigned int threads);
int bound_of_template(void);

END_C
