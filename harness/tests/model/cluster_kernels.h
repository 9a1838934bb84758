/* Launchers of kernels of clusters, with launch bounds, and with much shared memory. */
#ifndef KG__CLUSTER_KERNELS_H
#define KG__CLUSTER_KERNELS_H

#include "tests/model/watch_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* numbers[i] of each thread i: where it is in its cluster. */
launcher launch_cluster_shape;
/* b[i] is what the next block of the cluster has of a: right with k == 0, else defective. */
enum { NO_FIRST_SYNC = 1, NO_LAST_SYNC, BEYOND_THE_NEXT, ONE_WAITS_ELSEWHERE, NO_SUCH_RANK };
launcher launch_next_of_cluster;
/* The same by dynamic shared memory, which is written twice; with k == 1 no barrier before. */
launcher launch_twice_of_cluster;
/* b[i] of each cluster's first block: the sum of a over the cluster, by atomics; with k == 1 plain
 * updates. */
launcher launch_sum_of_cluster;
/* b[BLOCKS + block] of the blocks of the last cluster: the sum of a[block]; with k == 1 no fence
 * before the blocks count themselves in numbers[0], and with k == 2 none after. */
launcher launch_last_of_clusters;
/* The last block of the cluster ends before the others meet. */
launcher launch_one_leaves_cluster;
/* numbers[i]: the blocks of the cluster that the kernel itself asks for, 4 and 2. */
launcher launch_own_size_of_cluster, launch_own_pair;
/* Lets twice_of_cluster have clusters of up to 16 blocks. */
cudaError_t allow_large_clusters(void);

/* How many clusters of two of own_pair a device holds at once; -1: an error. */
int clusters_of_pairs(unsigned int threads);

/* Kernels for at most 96 threads, 64, and 4 * 32. */
launcher launch_bounded, launch_bounded_by_constant, launch_bounded_by_template;
int bound_of_template(void);

/* Reverses a block's part of a into b by `bytes` of dynamic shared memory, its last ones; with
 * k == 1 beyond them. */
launcher launch_much_shared;
cudaError_t allow_much_shared(int bytes);

#ifdef __cplusplus
}
#endif

#endif
