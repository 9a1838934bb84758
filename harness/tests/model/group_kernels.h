/* Launchers of kernels that use cooperative groups and asynchronous copies, on what watch_kernels.h
 * has. */
#ifndef KG__GROUP_KERNELS_H
#define KG__GROUP_KERNELS_H

#include "tests/model/watch_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each thread i of the grid writes to numbers[i]. */
launcher launch_block_shape, launch_tile_ranks, launch_tile_of_tile, launch_dynamic_tile,
    launch_tile_shuffles, launch_tile_votes, launch_tile_match, launch_odd_lanes,
    launch_odd_shuffles, launch_labels, launch_halves, launch_reduce_numbers, launch_reduce_reals,
    launch_reduce_by_function, launch_reduce_odd_lanes, launch_scan_numbers, launch_scan_exclusive,
    launch_scan_reals, launch_update_by_tiles, launch_store_by_tiles, launch_one_invokes,
    launch_shuffle_struct, launch_grid_shape, launch_swap_in_tiles;
/* Blocks that wait for each other: b[i] of a[0 .. n - 1]. With k == 1 without the barrier of the
 * grid; with k == 2 the last block ends before it. */
launcher launch_reverse_by_grid, launch_ring_by_grid;
/* copy_kernels.cpp */
launcher launch_reverse_by_primitives, launch_reverse_by_class, launch_reverse_in_two_stages,
    launch_reverse_by_group, launch_reverse_by_barrier, launch_reverse_by_pipeline,
    launch_produce_and_consume, launch_pipeline_of_roles, launch_meet_by_number,
    launch_meet_by_trying;
/* The same launched with an array of pointers to the arguments. */
cudaError_t launch_ring_with_pointers(dim3 grid, dim3 block, watch_data data);
int blocks_of_ring(int threads, size_t dynamic_bytes);

#ifdef __cplusplus
}
#endif

#endif
