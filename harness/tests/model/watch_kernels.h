/* Launchers of kernels whose requests can be counted by hand, of pairs of accesses with and without
 * an order between them, and of kernels that fail. */
#ifndef KG__WATCH_KERNELS_H
#define KG__WATCH_KERNELS_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WATCH_MAX_BLOCK 1024 /* threads per block, for all of these kernels */

/* 12 bytes, and 7 bytes of which the number is aligned to nothing. */
typedef struct watch_triple {
    float x, y, z;
} watch_triple;

typedef struct __attribute__((packed)) watch_packed {
    unsigned char tag;
    int number;
    short rest;
} watch_packed;

/* What a kernel works on; what each kernel needs of it is at its source. */
typedef struct watch_data {
    float *a, *b;
    int *numbers;
    unsigned char *bytes;
    int n; /* elements; of a matrix, its width */
    int rows, layers;
    int k; /* how often, how far or how many */
} watch_data;

typedef cudaError_t launcher(const cudaLaunchConfig_t *config, watch_data data);

/* watch_kernels.cpp */
launcher launch_copy, launch_copy_by_linear_thread, launch_copy_grid_stride, launch_either_branch,
    launch_nested_branches, launch_loops_of_unequal_length, launch_loop_with_break,
    launch_loop_with_continue, launch_loop_with_branches, launch_nested_loops,
    launch_switch_of_four, launch_return_from_a_loop, launch_lambda_called_twice,
    launch_meet_after_long_work, launch_leave_before_barrier, launch_short_circuit,
    launch_pointer_of_two, launch_pointer_to_shared_or_global, launch_one_lane_works,
    launch_warp_sync_in_a_loop, launch_copy_triples, launch_copy_quads, launch_copy_packed,
    launch_copy_sixteen_bytes, launch_copy_four_bytes, launch_copy_twenty_bytes,
    launch_fill_shared_bytes, launch_copy_some_bytes, launch_move_some_bytes, launch_set_some_bytes,
    launch_copy_volatile, launch_copy_hinted, launch_copy_bytes, launch_negate_bools,
    launch_copy_by_way_of_local, launch_compare_and_swap_halves, launch_copy_unsanitized,
    launch_load_constant_quads, launch_load_constant_doubles, launch_smooth,
    launch_copy_with_barriers, launch_copy_beyond_in_the_last_block;
/* order_kernels.cpp and lock_kernels.cpp */
launcher launch_half_warp_meets, launch_half_warp_meets_without_the_other,
    launch_order_by_way_of_a_third, launch_no_order_by_way_of_a_third, launch_scan_of_a_warp,
    launch_butterfly_of_a_warp, launch_tree_of_a_warp, launch_broadcast_in_a_warp,
    launch_broadcast_without_second_meeting, launch_half_warp_reads,
    launch_whole_warp_reads_half_meets, launch_write_after_write, launch_barriers_between,
    launch_atomic_and_plain_read, launch_atomic_and_plain_write, launch_neighboring_bytes,
    launch_neighboring_halves, launch_bytes_of_words, launch_byte_and_word,
    launch_quads_never_written, launch_quads_in_shared, launch_quads_in_shared_unordered,
    launch_doubles_in_shared, launch_in_place, launch_in_place_shifted, launch_read_before_writing,
    launch_write_first_half, launch_add_backwards, launch_reverse_in_dynamic_shared,
    launch_read_dynamic_shared, launch_keep_in_variable, launch_fetch_from_variable,
    launch_write_to_constant, launch_load_constant_words, launch_endless, launch_spin,
    launch_deep_recursion, launch_trap, launch_follow_pointer, launch_image_in_place,
    launch_compare_and_swap_loop, launch_compare_and_swap_loop_in_shared,
    launch_compare_and_swap_and_a_look, launch_lock_of_all_threads, launch_lock_of_warps,
    launch_lock_of_blocks, launch_lock_of_warps_not_acquired, launch_lock_of_warps_without_fence,
    launch_lock_of_blocks_without_fence, launch_zeroed_by_each_block,
    launch_zeroed_by_the_last_block, launch_zeroed_by_one_block, launch_zeroed_without_barrier,
    launch_update_of_what_others_read, launch_fence_behind_the_unlock, launch_other_locks,
    launch_look_back_by_flags, launch_look_back_without_fence, launch_shuffle_in_half_a_warp,
    launch_shuffle_outside_the_mask, launch_shuffle_from_ended_lanes, launch_look_at_a_maximum,
    launch_plain_look_at_a_maximum;

/* release_kernels.cpp */
launcher launch_releases_its_own, launch_releases_its_warps, launch_releases_after_a_barrier,
    launch_releases_what_all_fenced, launch_releases_what_the_writer_fenced,
    launch_releases_two_barriers_later, launch_releases_twice, launch_releases_former_after_latter,
    launch_releases_what_another_warp_told, launch_no_barrier_before_release,
    launch_written_after_release, launch_written_a_barrier_after_release,
    launch_written_between_fence_and_release, launch_fences_without_barrier,
    launch_second_release_without_fence, launch_many_counts, launch_many_counts_and_a_race,
    launch_many_counts_and_the_last_block, launch_last_block_meets,
    launch_last_block_does_not_acquire, launch_counts_then_meets, launch_counts_without_meeting,
    launch_own_counts_then_meets, launch_looks_at_a_maximum;

/* An element of an array of four on the host, which four more follow. */
int read_beyond_on_host(int index);

/* Copies 32 floats of __constant__ memory to `to`, on the device. */
cudaError_t fetch_constants(float *to);

#ifdef __cplusplus
}
#endif

#endif
