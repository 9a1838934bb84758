/* SPDX-License-Identifier: MIT */
/* Matrices that a warp holds together: the layout of their elements, and products. */
#include "model/exec/matrices.h"

#include "model/exec/grid.h"

#include <kernelgate/types.h>
#include <string.h>

#define WARP KG__MODEL_WARP
#define BLOCK_ROWS 8
#define LANES_PER_ROW 4

typedef struct position {
    unsigned int row, column;
} position;

static const kg_type type_of[] = {
    [KG__MODEL_FLOAT16] = KG_FLOAT16,
    [KG__MODEL_BFLOAT16] = KG_BFLOAT16,
    [KG__MODEL_TF32] = KG_FLOAT32,
    [KG__MODEL_FLOAT32] = KG_FLOAT32,
    [KG__MODEL_FLOAT64] = KG_FLOAT64,
    [KG__MODEL_INT8] = KG_INT8,
    [KG__MODEL_UINT8] = KG_UINT8,
    [KG__MODEL_INT32] = KG_INT32,
    [KG__MODEL_FLOAT8_E4M3] = KG_FLOAT8_E4M3,
    [KG__MODEL_FLOAT8_E5M2] = KG_FLOAT8_E5M2,
};

size_t kg__element_size(kg__model_element element)
{
    return kg_type_size(type_of[element]);
}

size_t kg__matrix_element_size(const kg__model_matrix *matrix)
{
    return kg__element_size(matrix->element);
}

static unsigned int block_count(const kg__model_matrix *matrix)
{
    return matrix->rows / BLOCK_ROWS * (matrix->columns / (LANES_PER_ROW * matrix->run));
}

unsigned int kg__matrix_alignment(const kg__model_matrix *matrix)
{
    const unsigned int bytes =
        block_count(matrix) * matrix->run * (unsigned int)kg__matrix_element_size(matrix);

    return bytes < 16 ? bytes : 16;
}

/* Returns the position of a block's first element. */
static position block_at(const kg__model_matrix *matrix, unsigned int block)
{
    const unsigned int width = LANES_PER_ROW * matrix->run;
    const unsigned int across = matrix->columns / width;
    const unsigned int down = matrix->along_rows || matrix->rows == BLOCK_ROWS ? 1 : 2;
    const unsigned int in_pair = block % (down * across);

    return (position){ (block / (down * across) * down + in_pair % down) * BLOCK_ROWS,
                       in_pair / down * width };
}

/* Returns the position of a lane's element of this number. */
static position element_at(const kg__model_matrix *matrix, unsigned int lane, unsigned int number)
{
    position at = block_at(matrix, number / matrix->run % block_count(matrix));

    at.row += lane / LANES_PER_ROW;
    at.column += lane % LANES_PER_ROW * matrix->run + number % matrix->run;
    return at;
}

/* Returns the offset in bytes from the matrix's beginning. */
static size_t offset_of(const kg__model_matrix *matrix, position at, size_t stride, bool by_rows)
{
    return (by_rows ? at.row * stride + at.column : at.column * stride + at.row) *
           kg__matrix_element_size(matrix);
}

static unsigned int running_lane(void)
{
    return (unsigned int)kg__running.current % WARP;
}

void kg__model_read_matrix(const kg__model_matrix *matrix, void *part, const void *memory,
                           size_t stride, int by_rows)
{
    const size_t size = kg__matrix_element_size(matrix);

    for (unsigned int i = 0; i < matrix->count; i++)
        memcpy((char *)part + i * size,
               (const char *)memory +
                   offset_of(matrix, element_at(matrix, running_lane(), i), stride, by_rows),
               size);
}

void kg__model_write_matrix(const kg__model_matrix *matrix, const void *part, void *memory,
                            size_t stride, int by_rows)
{
    const size_t size = kg__matrix_element_size(matrix);

    for (unsigned int i = 0; i < matrix->count; i++)
        memcpy((char *)memory +
                   offset_of(matrix, element_at(matrix, running_lane(), i), stride, by_rows),
               (const char *)part + i * size, size);
}

/* Returns whether one instruction (LDSM) can load up to four blocks, a 16-byte row of a block by
 * each lane. It cannot transpose bytes. */
static bool is_loaded_by_rows_of_blocks(const kg__model_matrix *matrix, bool by_rows)
{
    return matrix->is_operand &&
           (matrix->element == KG__MODEL_FLOAT16 ||
            (by_rows && (matrix->element == KG__MODEL_INT8 || matrix->element == KG__MODEL_UINT8)));
}

static bool row_of_block(const kg__model_matrix *matrix, size_t stride, bool by_rows,
                         unsigned int lane, unsigned int number, kg__matrix_access *access)
{
    const unsigned int most = matrix->element == KG__MODEL_FLOAT16 ? 4 : 2;
    const unsigned int blocks = block_count(matrix);
    const unsigned int together = blocks < most ? blocks : most;
    position at = block_at(matrix, number * together + lane / BLOCK_ROWS);

    if (by_rows)
        at.row += lane % BLOCK_ROWS;
    else
        at.column += lane % BLOCK_ROWS;
    access->offset = offset_of(matrix, at, stride, by_rows);
    access->bytes = lane / BLOCK_ROWS < together ? 16 : 0;
    return number < blocks / together;
}

/* Otherwise a lane's run is one access where it is contiguous. Where it is not, pairs of 16 bits
 * are loaded and then transposed (MOVM), and other types are loaded one by one. */
bool kg__matrix_access_of(const kg__model_matrix *matrix, size_t stride, bool by_rows, bool shared,
                          unsigned int lane, unsigned int number, kg__matrix_access *access)
{
    const unsigned int size = (unsigned int)kg__matrix_element_size(matrix);
    const unsigned int at_once = by_rows || size == 2 ? matrix->run : 1;
    const unsigned int accesses = block_count(matrix) * matrix->run / at_once;
    position at = element_at(matrix, lane, number * at_once);

    if (shared && is_loaded_by_rows_of_blocks(matrix, by_rows))
        return row_of_block(matrix, stride, by_rows, lane, number, access);
    if (size == 2 && !by_rows) {
        at = block_at(matrix, number % block_count(matrix));
        at.row += lane % LANES_PER_ROW * matrix->run;
        at.column += lane / LANES_PER_ROW;
    }
    access->offset = offset_of(matrix, at, stride, by_rows);
    access->bytes = size * at_once;
    return number < accesses;
}

const kg__matrix_positions *kg__matrix_positions_of(const kg__model_matrix *matrix)
{
    static _Thread_local kg__matrix_positions known[8];
    static _Thread_local unsigned int next;
    kg__matrix_positions *made;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const kg__model_matrix *other = &known[i].matrix;

        if (other->count == matrix->count && other->rows == matrix->rows &&
            other->columns == matrix->columns && other->run == matrix->run &&
            other->along_rows == matrix->along_rows && other->is_turned == matrix->is_turned)
            return &known[i];
    }
    made = &known[next++ % (sizeof known / sizeof *known)];
    made->matrix = *matrix;
    made->held = block_count(matrix) * matrix->run;
    for (unsigned int i = 0; i < WARP * made->held; i++) {
        const position at = element_at(matrix, i / made->held, i % made->held);

        made->row[i] = (unsigned char)(matrix->is_turned ? at.column : at.row);
        made->column[i] = (unsigned char)(matrix->is_turned ? at.row : at.column);
    }
    return made;
}
