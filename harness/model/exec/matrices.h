/* SPDX-License-Identifier: MIT */
/* Matrices that a warp holds together: the layout of their elements, and products. Internal to
 * the model. */
#pragma once

#include "kg_model_matrix.h"
#include "model/exec/launch.h"

/* Returns the bytes of an element. */
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
