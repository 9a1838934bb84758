/* SPDX-License-Identifier: MIT */
/* Launchers of the small kernels that the CPU model's own tests run. Pointers are device memory. */
#pragma once

#include <cuda_runtime_api.h>

#include "tests/model/c_linkage.h"

BEGIN_C

/* What a thread sees of its own position. */
typedef struct seen {
    uint3 thread, block, block_dim, grid_dim;
    int warp_size;
    int times; /* how often it was written */
} seen;

/* Every thread writes what it sees to its place, x fastest, blocks outermost. */
cudaError_t launch_see(const cudaLaunchConfig_t *config, seen *out);
/* Counts the threads of the grid. */
cudaError_t launch_count(const cudaLaunchConfig_t *config, unsigned long long *count);
/* Notes the order in which threads run: order[turn] = linear number over the whole grid. */
cudaError_t launch_note_order(const cudaLaunchConfig_t *config, int *order, int *turn);
/* Adds eight floats, which it loads as vectors of another type, to `sum`. */
cudaError_t launch_sum_vectors(const cudaLaunchConfig_t *config, const float *from, float *sum);
/* Reverses each block's part of `values` by way of static shared memory, `rounds` times over, up to
 * 1024 threads. */
cudaError_t launch_reverse(const cudaLaunchConfig_t *config, int *values, int rounds);
/* The same without the barrier: a race. */
cudaError_t launch_reverse_racy(const cudaLaunchConfig_t *config, int *values);
/* Rotates values through dynamic shared memory; before that, out[0] of each block tells whether it
 * held the poison. */
cudaError_t launch_rotate_dynamic(const cudaLaunchConfig_t *config, int *values, int *poisoned);
cudaError_t allow_rotate_dynamic(int bytes);
const void *rotate_dynamic_kernel(void);
/* Whether a static shared array holds the poison when a block begins. */
cudaError_t launch_find_static_poison(const cudaLaunchConfig_t *config, int *poisoned);
struct cudaFuncAttributes find_static_poison_attributes(void);

/* Warp operations; each thread writes its result. */
typedef enum warp_operation {
    SHUFFLE,
    SHUFFLE_UP,
    SHUFFLE_DOWN,
    SHUFFLE_XOR,
    BALLOT_ODD,
    ANY_IS,
    ALL_BELOW,
    MATCH_MOD,
    SUM,
    MINIMUM,
    MAXIMUM,
    ALL_BITS,
    ANY_BITS,
    PARITY,
    SYNC
} warp_operation;

cudaError_t launch_warp(const cudaLaunchConfig_t *config, warp_operation operation, int argument,
                        int width, int *out);
/* Shuffles of float, double and 64-bit values: out[i] is 1 where all came through. */
cudaError_t launch_shuffle_types(const cudaLaunchConfig_t *config, int *out);
/* The halves of a warp meet apart, each as often as it likes. */
cudaError_t launch_half_warps(const cudaLaunchConfig_t *config, int *out);
/* Threads from `staying` on return before the barrier; those below meet at it and count one
 * another. */
cudaError_t launch_leave_early(const cudaLaunchConfig_t *config, int staying, int *out);
/* Lanes from `staying` on return; the rest then shuffle with the full mask. */
cudaError_t launch_leave_warp(const cudaLaunchConfig_t *config, int staying, int *out);
/* __syncthreads_count, _and, _or of "below limit", into out[0..2] of each thread. */
cudaError_t launch_votes(const cudaLaunchConfig_t *config, int limit, int *out);

/* Kernels that go wrong. */
typedef enum defect {
    NO_DEFECT,
    BARRIER_AGAINST_SHUFFLE, /* lane 0 waits for the block, the others for lane 0 */
    DIFFERENT_MASKS,
    OUTSIDE_MASK,
    BAD_WIDTH,
    NULL_ADDRESS,
    NULL_CALL,
    WILD_CALL,
    DEEP_RECURSION,
    LARGE_ARRAY,
    FAILED_ASSERT,
    TRAP,
    BREAKPOINT,
    ENDLESS_LOOP,
    ENDLESS_BARRIERS,
    ENDLESS_SHUFFLES,
    CALLS_THE_HOST /* writes what cudaDeviceSynchronize() says to out[0] */
} defect;

/* Prints a line so often; adds up what printf() returns. */
cudaError_t launch_print_often(const cudaLaunchConfig_t *config, int *arguments, int times);
cudaError_t launch_defect(const cudaLaunchConfig_t *config, defect which, int *out);
cudaError_t launch_null_kernel(const cudaLaunchConfig_t *config);
cudaError_t launch_large_shared(const cudaLaunchConfig_t *config, int *out);
struct cudaFuncAttributes small_shared_attributes(void); /* of another kernel of that name */

/* Atomics on out[0..]: see the test. */
cudaError_t launch_atomics(const cudaLaunchConfig_t *config, int *integers, unsigned int *naturals,
                           float *reals);

/* A __constant__ array of eight floats. */
cudaError_t set_constants(const float *values, size_t count, size_t offset, int kind);
cudaError_t get_constants(float *values, size_t count, size_t offset);
cudaError_t get_constants_on(float *values, size_t count, size_t offset, int kind,
                             cudaStream_t stream);
cudaError_t launch_read_constants(const cudaLaunchConfig_t *config, float *out);

/* The C++ header's typed allocation functions; returns the first error. */
cudaError_t allocate_typed(void);

END_C
