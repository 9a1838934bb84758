/* Launchers of kernels that use the headers of cuda:: and cuda::std, and CUB. */
#ifndef KG__STD_KERNELS_H
#define KG__STD_KERNELS_H

#include "tests/model/watch_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* atomic_kernels.cpp */
launcher launch_look_back_acquired, launch_look_back_sequential, launch_look_back_fenced,
    launch_look_back_relaxed, launch_look_back_not_acquired, launch_look_back_not_released,
    launch_look_back_of_block, launch_last_block, launch_last_block_relaxed,
    launch_last_block_not_acquired, launch_hand_over_acquired, launch_hand_over_relaxed,
    launch_hand_over_not_acquired, launch_wait_for_value, launch_add_in_turn_acquired,
    launch_add_in_turn_relaxed, launch_lock_by_exchange, launch_lock_by_exchange_relaxed,
    launch_lock_by_flag, launch_count_of_device, launch_count_of_block, launch_add_of_block,
    launch_add_of_own_block, launch_plain_and_atomic, launch_atomic_requests, launch_atomic_beyond,
    launch_vector_atomics, launch_vector_atomics_misaligned, launch_nv_add_of_device,
    launch_nv_add_of_block, launch_nv_values;

/* std_kernels.cpp */
launcher launch_std_values, launch_std_waits, launch_std_requests, launch_std_array_beyond,
    launch_std_array_in_shared;
/* cub_kernels.cpp, for blocks of so many threads: each writes whole numbers. */
#define CUB_BLOCK 96
launcher launch_cub_reduce, launch_cub_reduce_items, launch_cub_scan, launch_cub_scan_tiles,
    launch_cub_warp, launch_cub_transpose, launch_cub_sort, launch_cub_sort_reals,
    launch_cub_neighbors, launch_cub_flags, launch_cub_histogram, launch_cub_merge,
    launch_cub_shuffle, launch_cub_runs, launch_cub_more;

#ifdef __cplusplus
}
#endif

#endif
