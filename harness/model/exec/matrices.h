/* Matrices that a warp holds together: where their elements are, and products. Internal to the
 * model. */
#ifndef KG__MODEL_EXEC_MATRICES_H
#define KG__MODEL_EXEC_MATRICES_H

#include "kg_model_matrix.h"
#include "model/exec/launch.h"

/* Bytes of an element. */
size_t kg__matrix_element_size(const kg__model_matrix *matrix);

/* Bytes that a matrix's rows in memory have to be aligned to: a lane's part of it (PTX ISA,
 * "wmma.load"), but 16 at most. CUDA's guide asks for 32 at its begin, which no code for sm_80 and
 * newer needs, and tiles of 8 halves do not have. */
unsigned int kg__matrix_alignment(const kg__model_matrix *matrix);

/* One lane's part of an instruction that loads or stores a part of a matrix. */
typedef struct kg__matrix_access {
    size_t offset; /* bytes from where the matrix begins */
    unsigned int bytes;
} kg__matrix_access;

/* The instruction of this number, as nvcc 13.0 compiles it for sm_90, for a matrix that is in
 * shared memory or not; false after the last. Lanes that give no address have 0 bytes. */
bool kg__matrix_access_of(const kg__model_matrix *matrix, size_t stride, bool by_rows, bool shared,
                          unsigned int lane, unsigned int number, kg__matrix_access *access);

/* Computes the product of a warp's lanes. */
void kg__multiply(const kg__model_product *const lanes[KG__MODEL_WARP]);

#endif
