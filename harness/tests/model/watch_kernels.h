/* Launchers of kernels that are small enough for their requests to be counted by hand, and of pairs
 * of accesses with and without an order between them. */
#ifndef KG__WATCH_KERNELS_H
#define KG__WATCH_KERNELS_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WATCH_MAX_BLOCK 1024 /* threads per block, for all of these kernels */

/* 12 bytes, 48 bytes, and 7 bytes of which the number is aligned to nothing. */
typedef struct watch_triple {
    float x, y, z;
} watch_triple;

typedef struct watch_dozen {
    float value[12];
} watch_dozen;

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

#define WATCH_KERNELS(KERNEL)                                                                      \
    /* Lanes that part and meet again. */                                                          \
    KERNEL(copy)                                                                                   \
    KERNEL(copy_by_linear_thread)                                                                  \
    KERNEL(copy_grid_stride)                                                                       \
    KERNEL(either_branch)                                                                          \
    KERNEL(nested_branches)                                                                        \
    KERNEL(loops_of_unequal_length)                                                                \
    KERNEL(loops_of_unequal_length_downward)                                                       \
    KERNEL(loop_with_break)                                                                        \
    KERNEL(loop_with_continue)                                                                     \
    KERNEL(loop_with_branches)                                                                     \
    KERNEL(nested_loops)                                                                           \
    KERNEL(switch_of_four)                                                                         \
    KERNEL(early_return)                                                                           \
    KERNEL(return_from_a_loop)                                                                     \
    KERNEL(either_value)                                                                           \
    KERNEL(lambda_called_twice)                                                                    \
    KERNEL(meet_after_long_work)                                                                   \
    KERNEL(leave_before_barrier)                                                                   \
    KERNEL(short_circuit)                                                                          \
    KERNEL(pointer_of_two)                                                                         \
    KERNEL(pointer_to_shared_or_global)                                                            \
    KERNEL(one_lane_works)                                                                         \
    KERNEL(warp_sync_in_a_loop)                                                                    \
    KERNEL(shuffle_between)                                                                        \
    /* Kinds of access. */                                                                         \
    KERNEL(copy_triples)                                                                           \
    KERNEL(copy_dozens)                                                                            \
    KERNEL(copy_packed)                                                                            \
    KERNEL(copy_sixteen_bytes)                                                                     \
    KERNEL(copy_some_bytes)                                                                        \
    KERNEL(move_some_bytes)                                                                        \
    KERNEL(set_some_bytes)                                                                         \
    KERNEL(copy_volatile)                                                                          \
    KERNEL(copy_hinted)                                                                            \
    KERNEL(copy_pairs)                                                                             \
    KERNEL(copy_quads)                                                                             \
    KERNEL(copy_doubles)                                                                           \
    KERNEL(copy_bytes)                                                                             \
    KERNEL(negate_bools)                                                                           \
    KERNEL(copy_by_way_of_local)                                                                   \
    KERNEL(compare_and_swap_halves)                                                                \
    KERNEL(copy_unsanitized)                                                                       \
    KERNEL(load_constant_quads)                                                                    \
    KERNEL(load_constant_doubles)                                                                  \
    KERNEL(load_constant_words)                                                                    \
    /* Blocks that differ by their place in the grid. */                                           \
    KERNEL(smooth_line)                                                                            \
    KERNEL(smooth_plane)                                                                           \
    KERNEL(smooth_volume)                                                                          \
    KERNEL(copy_with_barriers)                                                                     \
    KERNEL(copy_beyond_in_the_last_block)                                                          \
    /* Ordered and unordered accesses. */                                                          \
    KERNEL(half_warp_meets)                                                                        \
    KERNEL(half_warp_meets_without_the_other)                                                      \
    KERNEL(order_by_way_of_a_third)                                                                \
    KERNEL(no_order_by_way_of_a_third)                                                             \
    KERNEL(scan_of_a_warp)                                                                         \
    KERNEL(butterfly_of_a_warp)                                                                    \
    KERNEL(tree_of_a_warp)                                                                         \
    KERNEL(broadcast_in_a_warp)                                                                    \
    KERNEL(broadcast_without_second_meeting)                                                       \
    KERNEL(half_warp_reads)                                                                        \
    KERNEL(whole_warp_reads_half_meets)                                                            \
    KERNEL(write_after_write)                                                                      \
    KERNEL(read_after_write)                                                                       \
    KERNEL(write_after_read)                                                                       \
    KERNEL(barriers_between)                                                                       \
    KERNEL(atomics_of_all)                                                                         \
    KERNEL(atomics_in_shared)                                                                      \
    KERNEL(atomic_and_plain_read)                                                                  \
    KERNEL(atomic_and_plain_write)                                                                 \
    KERNEL(neighbouring_bytes)                                                                     \
    KERNEL(neighbouring_halves)                                                                    \
    KERNEL(bytes_of_words)                                                                         \
    KERNEL(byte_and_word)                                                                          \
    KERNEL(quads_never_written)                                                                    \
    KERNEL(quads_in_shared)                                                                        \
    KERNEL(quads_in_shared_unordered)                                                              \
    KERNEL(doubles_in_shared)                                                                      \
    KERNEL(in_place)                                                                               \
    KERNEL(in_place_shifted)                                                                       \
    KERNEL(read_before_writing)                                                                    \
    KERNEL(write_first_half)                                                                       \
    KERNEL(add_backwards)                                                                          \
    KERNEL(reverse_in_dynamic_shared)                                                              \
    KERNEL(read_dynamic_shared)                                                                    \
    KERNEL(keep_in_variable)                                                                       \
    KERNEL(fetch_from_variable)                                                                    \
    KERNEL(write_to_constant)                                                                      \
    /* What must not cost more than the launch. */                                                 \
    KERNEL(endless)                                                                                \
    KERNEL(spin)                                                                                   \
    KERNEL(deep_recursion)                                                                         \
    KERNEL(huge_local_array)                                                                       \
    KERNEL(too_much_static_shared)                                                                 \
    KERNEL(trap)                                                                                   \
    KERNEL(failed_assert)                                                                          \
    KERNEL(divide_by_zero)                                                                         \
    KERNEL(follow_pointer)                                                                         \
    KERNEL(image_in_place)

#define WATCH_DECLARE(name) cudaError_t launch_##name(const cudaLaunchConfig_t *config, watch_data);
WATCH_KERNELS(WATCH_DECLARE)
#undef WATCH_DECLARE

/* Copies 32 floats of __constant__ memory to `to`, on the device. */
cudaError_t fetch_constants(float *to);

#ifdef __cplusplus
}
#endif

#endif
