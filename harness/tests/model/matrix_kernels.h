/* Kernels that multiply matrices by the warp. */
#ifndef KG__MATRIX_KERNELS_H
#define KG__MATRIX_KERNELS_H

#include "tests/model/watch_kernels.h"

#include "kg_model_matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Elements from a row or column in memory to the next, of all matrices. */
#define MATRIX_STRIDE 48

/* How one warp gets its operands: MATRIX_UNORDERED is a defect. */
enum { MATRIX_GLOBAL, MATRIX_SHARED, MATRIX_UNORDERED };

/* Kernels for one kind of fragments. `multiply` computes b = a numbers + 1 + bytes, of matrices in
 * these arrays, with its operands as k says. `unpack` writes the left and the right operand of each
 * lane to b, as float, 32 for each. */
typedef struct matrix_kind {
    launcher *multiply, *unpack;
    int m, n, k;
    kg__model_element element, sum;
    bool left_is_row_major, right_is_row_major, sum_is_row_major;
    int count; /* elements of the left operand that a lane has */
} matrix_kind;

extern const matrix_kind matrix_kinds[];
extern const size_t matrix_kind_count;

/* With k == 1 they are as their comments say. */
launcher launch_multiply_saturated, launch_multiply_halves, launch_store_lanes, launch_skip_stride,
    launch_misalign, launch_misalign_stride, launch_load_half_a_tile, launch_store_both,
    launch_read_stored, launch_store_beyond, launch_leave_one_out, launch_call_apart;

#ifdef __cplusplus
}
#endif

#endif
