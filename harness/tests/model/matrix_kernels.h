/* SPDX-License-Identifier: MIT */
/* Kernels that multiply matrices by the warp. */
#pragma once

#include "tests/model/watch_kernels.h"

#include "kg_model_matrix.h"

BEGIN_C

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

END_C
