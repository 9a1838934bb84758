/* SPDX-License-Identifier: MIT */
/* The shapes of hardware_wmma and hardware_wmma_more: name, rows and columns of a tile of c, and
 * how the left and the right operand are stored. */
#pragma once

#define WMMA_SHAPES(DO)                                                                            \
    DO(row_col_square, 16, 16, row_major, col_major)                                               \
    DO(col_row_square, 16, 16, col_major, row_major)                                               \
    DO(row_col_tall, 32, 8, row_major, col_major)                                                  \
    DO(col_row_tall, 32, 8, col_major, row_major)                                                  \
    DO(row_col_wide, 8, 32, row_major, col_major)                                                  \
    DO(col_row_wide, 8, 32, col_major, row_major)
