/* SPDX-License-Identifier: MIT */
/* Launchers of small kernels with one named defect each, and a clean twin without it. The twins are
 * one source: template parameters bring the defect in. The line of each defect has its name in a
 * comment, by which the tests find the line: a race has two such lines, one at either end. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "tests/model/c_linkage.h"

BEGIN_C

#define DEFECT_MAX_BLOCK 256 /* threads per block, for all of these kernels */
#define DEFECT_GREATEST 8    /* the inputs are whole numbers from -8 to 8 */
#define DEFECT_BINS (2 * DEFECT_GREATEST + 1)

/* One launch. Pointers are device memory, except `host`. */
typedef struct defect_call {
    int n;           /* elements; of a matrix, rows or the edge */
    int block;       /* threads per block */
    bool defective;  /* the kernel with its defect, or its clean twin */
    const float *in; /* a kernel may only read it */
    float *out;
    float *scratch;       /* n elements that nothing has written */
    unsigned int *ticket; /* one 0 */
    const float *host;    /* the input in the host's memory */
} defect_call;

typedef cudaError_t defect_launcher(const defect_call *call);

/* The files that hold the kernels, as the compiler was given them. */
extern const char *const defect_source, *const cost_source, *const misuse_source;

/* Wrong accesses; the last one has no twin. */
defect_launcher launch_missing_first_barrier, launch_missing_second_barrier,
    launch_missing_warp_barrier, launch_barrier_in_a_divergent_branch, launch_cross_block_race,
    launch_histogram_without_atomics, launch_last_block_without_fence, launch_off_by_one_guard,
    launch_no_guard, launch_before_the_beginning, launch_wrong_stride, launch_atomic_beyond,
    launch_shared_index_beyond, launch_shared_row_overrun, launch_dynamic_shared_overrun,
    launch_constant_index_beyond, launch_local_index_beyond, launch_misaligned_vector,
    launch_uninitialized_shared, launch_uninitialized_global, launch_host_dereference,
    launch_host_names_variable, launch_kernel_dereferences_host, launch_write_to_input,
    launch_endless_overrun;
/* The same, in misuse_kernels.cpp; the last two have no twin. */
defect_launcher launch_misaligned_shared, launch_misaligned_local, launch_unwritten_member,
    launch_unwritten_long_member, launch_uneven_loop, launch_caller_not_in_mask,
    launch_half_a_shuffle, launch_barrier_against_warp, launch_negative_to_unsigned,
    launch_nan_to_int, launch_infinity_to_long, launch_division_by_zero, launch_virtual_overrun,
    launch_wrong_caller, launch_two_ways, launch_late_race;
/* Wrong results. */
defect_launcher launch_unwritten_tail, launch_floor_of_blocks, launch_floor_of_tiles;
/* Needless costs: cost_kernels.cpp, except the last two. */
defect_launcher launch_bank_conflict, launch_lost_coalescing, launch_redundant_reload,
    launch_scattered_constants, launch_excess_blocks, launch_idle_threads, launch_work_of_one_warp,
    launch_fence_in_a_loop, launch_printf_in_a_loop, launch_global_contention,
    launch_shared_contention, launch_redundant_barrier, launch_empty_launch;
/* No defect: lineless_kernel.cpp, which has no debug information. */
defect_launcher launch_without_lines;

END_C
