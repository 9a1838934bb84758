/* SPDX-License-Identifier: MIT */
/* Matrices that a warp holds together: the layout of their elements, and products. Internal to
 * the model. */
#pragma once

#include "kg_model_wgmma.h"
#include "model/exec/dot.h"
#include "model/exec/launch.h"

/* Returns the bytes of an element. */
size_t kg__element_size(kg__model_element element);
/* Returns the bytes of a matrix's element. */
size_t kg__matrix_element_size(const kg__model_matrix *matrix);

/* Returns the required alignment in bytes of a matrix's rows in memory: a lane's part of a row
 * (PTX ISA, "wmma.load"), but 16 at most. CUDA's guide requires 32 at the matrix's beginning,
 * which code for sm_80 and newer does not need, and which tiles of 8 halves do not have. */
unsigned int kg__matrix_alignment(const kg__model_matrix *matrix);

/* One lane's part of an instruction that loads or stores a part of a matrix. */
typedef struct kg__matrix_access {
    size_t offset; /* bytes from the matrix's beginning */
    unsigned int bytes;
} kg__matrix_access;

/* Returns instruction number `number`, as compiled by nvcc 13.0 for sm_90, for a matrix in
 * shared memory or elsewhere; false after the last. Lanes that give no address have 0 bytes. */
bool kg__matrix_access_of(const kg__model_matrix *matrix, size_t stride, bool by_rows, bool shared,
                          unsigned int lane, unsigned int number, kg__matrix_access *access);

#define KG__MATRIX_LARGEST 32 /* rows and columns */

/* Where each lane's elements are in a matrix. */
typedef struct kg__matrix_positions {
    kg__model_matrix matrix;
    unsigned int held; /* elements of a lane, each once: those of lane l begin at number l * held */
    unsigned char row[KG__MATRIX_LARGEST * KG__MATRIX_LARGEST];
    unsigned char column[KG__MATRIX_LARGEST * KG__MATRIX_LARGEST];
} kg__matrix_positions;
/* Returns them, turned if the matrix is, until the calling thread has asked about eight other
 * kinds of matrices. */
const kg__matrix_positions *kg__matrix_positions_of(const kg__model_matrix *matrix);

/* Computes the product of a warp's lanes. */
void kg__multiply(const kg__model_product *const lanes[KG__MODEL_WARP]);

/* Rows of the largest left operand, and columns of the largest right one: of a warp group. Rows of
 * results are longer than that, since powers of two would share few lines of a cache. */
#define KG__PRODUCT_ROWS 64
#define KG__PRODUCT_COLUMNS (256 + 8)

/* The exponent of 0, below all others: a product of 0 is no largest one. */
#define KG__OF_ZERO (-1000)

/* Both operands as floats, with exponents; b by its rows. */
typedef struct kg__operands {
    float a[KG__PRODUCT_ROWS][KG__MATRIX_LARGEST], b[KG__MATRIX_LARGEST][KG__PRODUCT_COLUMNS];
    int32_t of_a[KG__PRODUCT_ROWS][KG__MATRIX_LARGEST];
    int32_t of_b[KG__MATRIX_LARGEST][KG__PRODUCT_COLUMNS];
    int least[2], most[2]; /* of what is not 0 */
    kg__model_cut cut;
} kg__operands;

typedef union kg__results {
    float floats[KG__PRODUCT_ROWS][KG__PRODUCT_COLUMNS];
    int32_t integers[KG__PRODUCT_ROWS][KG__PRODUCT_COLUMNS];
    double doubles[KG__MATRIX_LARGEST][KG__MATRIX_LARGEST];
} kg__results;

typedef struct kg__product_memory {
    kg__operands of;
    kg__results sums;
} kg__product_memory;
/* Returns that of the calling thread of the host. Variables of a thread take their room from its
 * stack, which may be as small as these. */
kg__product_memory *kg__own_product_memory(void);

typedef struct kg__product_shape {
    unsigned int rows, columns, depth;
    unsigned int terms; /* of floating-point products, which the hardware adds in one step */
    bool saturates;
} kg__product_shape;

/* Begins to set both, whose products' sums are truncated as `cut` says. */
void kg__begin_operands(kg__operands *to, const kg__model_cut *cut);
/* Sets an element of a (`which` 0) or b (1). */
void kg__set_operand(kg__operands *to, int which, unsigned int row, unsigned int column,
                     float value);
/* Converts elements. */
void kg__convert_elements(kg__model_element element, const void *part, unsigned int count,
                          float *values);
/* Adds the product to the results, cut as in dot.h; of integers exactly. */
void kg__multiply_operands(const kg__product_shape *shape, bool integers, const kg__operands *of,
                           kg__results *to);

/* Returns the k of a product of a warp group. */
unsigned int kg__wgmma_depth(const kg__model_wgmma *part);
/* Chunk number i, of 16 bytes, of an operand in shared memory (`which` as above). 32 chunks are 16
 * rows of a, those of a warp, or 16 columns of b. Returns its address; outside of the block's
 * shared memory one next to the operand, with *outside set. */
const unsigned char *kg__wgmma_chunk(const kg__model_wgmma *part, int which, unsigned int i,
                                     bool *outside);

/* Computes the product of a warp group's threads (kg_model_wgmma.h). */
void kg__multiply_group(kg__model_wgmma *const threads[KG__WARP_GROUP]);
