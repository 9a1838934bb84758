/* SPDX-License-Identifier: MIT */
/* Matrices that a warp holds together, and their products: the basis of mma.h and of similar
 * instructions. */
#pragma once

#include "kg_model_device.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kg__model_element {
    KG__MODEL_FLOAT16,
    KG__MODEL_BFLOAT16,
    KG__MODEL_TF32, /* stored as float */
    KG__MODEL_FLOAT32,
    KG__MODEL_FLOAT64,
    KG__MODEL_INT8,
    KG__MODEL_UINT8,
    KG__MODEL_INT32,
    KG__MODEL_FLOAT8_E4M3,
    KG__MODEL_FLOAT8_E5M2
} kg__model_element;

/* The elements of a matrix that each lane of a warp holds, as in mma.sync (PTX ISA, "Matrix
 * Fragments for mma"). A matrix is divided into blocks of 8 by 4 `run`: of each, lane l has the
 * elements run * (l % 4) to run * (l % 4) + run - 1 of its row l / 4. The rows of A are its own,
 * those of B its columns; both have k elements. */
typedef struct kg__model_matrix {
    kg__model_element element;
    unsigned char rows, columns;
    unsigned char run;
    unsigned char count; /* elements per lane, repeated to fill this number */
    /* Blocks are ordered along a row first; else in pairs of rows. */
    bool along_rows;
    bool is_operand;
    bool is_turned; /* the accumulator's rows are its columns */
} kg__model_matrix;

/* One lane's part of d = a b + c. All of the warp's lanes have the same matrices. */
typedef struct kg__model_product {
    const kg__model_matrix *a, *b, *c, *d;
    const void *a_part, *b_part, *c_part;
    void *d_part;
    unsigned int terms; /* of floating-point products, which the hardware adds in one step */
    bool saturates;     /* for integers */
} kg__model_product;

/* Waits until all lanes of the warp wait at this place in the code, then computes their product, or
 * (NULL) requires that their addresses and strides are the same. A missing lane is a deadlock. */
static inline __attribute__((always_inline)) void
kg__model_join_for_matrix(const kg__model_product *product, const void *memory, uint64_t stride)
{
    const uint64_t place = (uintptr_t)memory ^ stride << 48;

    (void)kg__model_run_warp_operation(KG__MODEL_MATRIX, 0xffffffffu,
                                       product != NULL ? (uintptr_t)product : place,
                                       product != NULL, KG__MODEL_WARP);
}

/* Reads a lane's part of a matrix, whose rows (`by_rows`) or columns are contiguous in memory
 * and begin every `stride` elements. */
void kg__model_read_matrix(const kg__model_matrix *matrix, void *part, const void *memory,
                           size_t stride, int by_rows);
/* Writes a lane's part of a matrix. */
void kg__model_write_matrix(const kg__model_matrix *matrix, const void *part, void *memory,
                            size_t stride, int by_rows);
/* Called by instrumented kernels before either, to record the accesses of the hardware and to
 * check the matrix's alignment. */
void kg__model_touch_matrix(const kg__model_matrix *matrix, const void *memory, size_t stride,
                            int by_rows, int writes);

#ifdef __cplusplus
}
#endif
