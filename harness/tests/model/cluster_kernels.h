/* SPDX-License-Identifier: MIT */
/* Kernels of clusters, with launch bounds, and with much shared memory. */
#pragma once

#include "tests/model/watch_kernels.h"

BEGIN_C

/* What is wrong with next_of_cluster. */
enum {
    NO_FIRST_SYNC = 1,
    NO_LAST_SYNC,
    BEYOND_THE_NEXT,
    ONE_WAITS_ELSEWHERE,
    NO_SUCH_RANK,
    ARRIVES_TWICE,
    NO_ARRIVAL,
    WRITES_BEHIND_ITS_ARRIVAL
};
/* And with fill_for_cluster. */
enum {
    NO_SYNC_BEFORE = 1,
    NO_SYNC_BEHIND,
    NO_WAIT_FOR_COPY,
    NO_WAIT_FOR_SLOT,
    MASK_OF_RANK_1,
    MASK_OF_THREE,
    HALF_THE_BYTES,
    RELEASES_ITS_OWN,
    WAITS_FOR_ITS_OWN,
    RELEASES_RANK_0,
    RELEASES_EARLY
};
/* And with pass_in_cluster. */
enum { KNOWS_NOBODY = 1, KNOWS_ITS_NEIGHBOR };
/* And with arrive_in_phases. */
enum { WAITS_FOR_THE_PHASE_BEFORE = 1 };
/* Lets twice_of_cluster have clusters of up to 16 blocks, and much_shared so many bytes. */
cudaError_t allow_large_clusters(void);
cudaError_t allow_much_shared(int bytes);
/* How many clusters of two of own_pair a device holds at once; -1: an error. */
int clusters_of_pairs(unsigned int threads);
/* The largest cluster of twice_of_cluster, of blocks with so much dynamic shared memory. */
int largest_cluster(size_t bytes);
int bound_of_template(void);

END_C
