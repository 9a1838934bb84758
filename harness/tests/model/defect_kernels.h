/* Launchers of small kernels that each have one named defect, and a clean twin without it. The
 * twins are one source: a template parameter brings the defect in. The line of each defect bears
 * its name in a comment, by which the tests find the line: a race has two such lines, one at either
 * end. */
#ifndef KG__DEFECT_KERNELS_H
#define KG__DEFECT_KERNELS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DEFECT_MAX_BLOCK 256 /* threads per block, for all of these kernels */
#define DEFECT_GREATEST 8    /* the inputs are whole numbers from -8 to 8 */
#define DEFECT_BINS (2 * DEFECT_GREATEST + 1)

/* One launch. Pointers are device memory, but for `host`. */
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

/* The file that holds the kernels, as the compiler was given it. */
extern const char *const defect_source;

/* Wrong accesses. */
defect_launcher launch_missing_first_barrier;
defect_launcher launch_missing_second_barrier;
defect_launcher launch_missing_warp_barrier;
defect_launcher launch_barrier_in_a_divergent_branch;
defect_launcher launch_cross_block_race;
defect_launcher launch_histogram_without_atomics;
defect_launcher launch_last_block_without_fence;
defect_launcher launch_off_by_one_guard;
defect_launcher launch_no_guard;
defect_launcher launch_before_the_beginning;
defect_launcher launch_wrong_stride;
defect_launcher launch_atomic_beyond;
defect_launcher launch_shared_index_beyond;
defect_launcher launch_shared_row_overrun;
defect_launcher launch_dynamic_shared_overrun;
defect_launcher launch_constant_index_beyond;
defect_launcher launch_local_index_beyond;
defect_launcher launch_misaligned_vector;
defect_launcher launch_uninitialised_shared;
defect_launcher launch_uninitialised_global;
defect_launcher launch_host_dereference;
defect_launcher launch_kernel_dereferences_host;
defect_launcher launch_write_to_input;
defect_launcher launch_endless_overrun; /* which has no twin */
/* Wrong results. */
defect_launcher launch_unwritten_tail;
defect_launcher launch_floor_of_blocks;
defect_launcher launch_floor_of_tiles;
/* Needless costs. */
defect_launcher launch_bank_conflict;
defect_launcher launch_lost_coalescing;
defect_launcher launch_redundant_reload;
defect_launcher launch_scattered_constants;
defect_launcher launch_redundant_barrier;
defect_launcher launch_empty_launch;

/* No defect: lineless_kernel.cpp, which has no debug information. */
defect_launcher launch_without_lines;

#ifdef __cplusplus
}
#endif

#endif
