/* SPDX-License-Identifier: MIT */
/* Products of the matrices that a warp holds, four columns at a time: a program's products of 4096
 * rows and columns are 69 billion multiply-adds, which took 9 ns each one by one. */
#include "base/message.h"
#include "model/exec/matrices.h"

#include <kernelgate/types.h>
#include <string.h>

#define LARGEST KG__MATRIX_LARGEST
#define TOGETHER 4 /* as many as a register of any x86-64 holds */

typedef float reals __attribute__((vector_size(TOGETHER * sizeof(float))));
typedef int32_t words __attribute__((vector_size(TOGETHER * sizeof(int32_t))));

/* Exponents of products between which floats hold them exactly, and scaled to any of them. */
#define LEAST (-100)
#define MOST 120

static float float_of_half(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;

    /* Infinity and NaN; else the exponent's bias is 112 less, of denormal numbers too. */
    if ((half & 0x7c00u) == 0x7c00u)
        return kg__model_float_of(sign | 0x7f800000u | (uint32_t)(half & 0x3ffu) << 13);
    return kg__model_float_of(
        sign | kg__model_bits_of(kg__model_float_of((uint32_t)(half & 0x7fffu) << 13) * 0x1p112f));
}

/* The same: the bias is 120 less. All bits set are NaN, and there is no infinity. */
static float float_of_e4m3(unsigned char bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x80u) << 24;
    const uint32_t rest = bits & 0x7fu;

    if (rest == 0x7fu)
        return kg__model_float_of(sign | 0x7fc00000u);
    return kg__model_float_of(sign | kg__model_bits_of(kg__model_float_of(rest << 20) * 0x1p120f));
}

void kg__convert_elements(kg__model_element element, const void *part, unsigned int count,
                          float *values)
{
    const uint16_t *halves = part;
    const unsigned char *bytes = part;

    for (unsigned int i = 0; i < count && element == KG__MODEL_FLOAT16; i++)
        values[i] = float_of_half(halves[i]);
    for (unsigned int i = 0; i < count && element == KG__MODEL_BFLOAT16; i++)
        values[i] = kg__model_float_of((uint32_t)halves[i] << 16);
    for (unsigned int i = 0; i < count && element == KG__MODEL_INT8; i++)
        values[i] = (signed char)bytes[i];
    for (unsigned int i = 0; i < count && element == KG__MODEL_UINT8; i++)
        values[i] = bytes[i];
    for (unsigned int i = 0; i < count && element == KG__MODEL_FLOAT8_E4M3; i++)
        values[i] = float_of_e4m3(bytes[i]);
    for (unsigned int i = 0; i < count && element == KG__MODEL_FLOAT8_E5M2; i++)
        values[i] = float_of_half((uint16_t)(bytes[i] << 8));
    for (unsigned int i = 0; i < count && element == KG__MODEL_TF32; i++)
        values[i] = kg__model_cut_to_tf32(((const float *)part)[i]);
}

kg__product_memory *kg__own_product_memory(void)
{
    static KG__MODEL_OF_WORKER kg__product_memory *own;

    if (own == NULL)
        own = kg__allocate(1, sizeof *own);
    return own;
}

void kg__begin_operands(kg__operands *to, const kg__model_cut *cut)
{
    to->cut = *cut;
    to->least[0] = to->least[1] = 0;
    to->most[0] = to->most[1] = KG__OF_ZERO;
}

void kg__set_operand(kg__operands *to, int which, unsigned int row, unsigned int column,
                     float value)
{
    const int exponent =
        value != 0 ? kg__model_exponent_from(value, to->cut.least[which]) : KG__OF_ZERO;

    *(which == 0 ? &to->a[row][column] : &to->b[row][column]) = value;
    *(which == 0 ? &to->of_a[row][column] : &to->of_b[row][column]) = exponent;
    to->most[which] = exponent > to->most[which] ? exponent : to->most[which];
    if (exponent < to->least[which] && exponent != KG__OF_ZERO)
        to->least[which] = exponent;
}

/* Takes the lanes' parts of a (`which` 0) or b (1). */
static void gather(kg__operands *to, int which, const kg__model_product *const lanes[])
{
    const kg__model_matrix *matrix = which == 0 ? lanes[0]->a : lanes[0]->b;
    const kg__matrix_positions *at = kg__matrix_positions_of(matrix);
    const unsigned char *rows = which == 0 ? at->row : at->column;
    const unsigned char *columns = which == 0 ? at->column : at->row;

    for (unsigned int lane = 0; lane < KG__MODEL_WARP; lane++) {
        float values[LARGEST] = { 0 };

        kg__convert_elements(matrix->element,
                             which == 0 ? lanes[lane]->a_part : lanes[lane]->b_part, at->held,
                             values);
        for (unsigned int i = 0; i < at->held; i++)
            kg__set_operand(to, which, *rows++, *columns++, values[i]);
    }
}

static inline __attribute__((always_inline)) words choose(words chosen, words a, words b)
{
    return (chosen & a) | (~chosen & b);
}

/* Adds `terms` products of a row with four columns to their sums, cut as in dot.h. */
static void add_floats(const kg__operands *of, unsigned int row, unsigned int column,
                       unsigned int first, unsigned int terms, float sums[TOGETHER])
{
    const int places = of->cut.places;
    words largest = (words){ 0 } + KG__OF_ZERO;
    words parts[2] = { { 0 } };
    words of_sums = { 0 };
    words kept, scale_bits;
    reals c, scale;

    memcpy(&c, sums, sizeof c);
    for (int i = 0; i < TOGETHER; i++)
        of_sums[i] = kg__model_exponent(sums[i]);
    for (unsigned int k = first; k < first + terms; k++) {
        words mine;

        memcpy(&mine, &of->of_b[k][column], sizeof mine);
        mine += of->of_a[row][k];
        largest = choose(mine > largest, mine, largest);
    }
    kept = largest < LEAST;
    largest = choose(of_sums > largest, of_sums, largest);
    largest = choose(largest < LEAST, (words){ 0 } + LEAST, largest);
    scale_bits = (places + 127 - largest) << 23;
    memcpy(&scale, &scale_bits, sizeof scale);
    /* Each sum of nine parts below 2^27 fits a word. */
    parts[0] = __builtin_convertvector(c * scale, words);
    for (unsigned int k = 0; k < terms; k++) {
        reals mine;

        memcpy(&mine, &of->b[first + k][column], sizeof mine);
        parts[k / 8 % 2] += __builtin_convertvector(mine * of->a[row][first + k] * scale, words);
    }
    for (int i = 0; i < TOGETHER; i++) {
        const double sum = (double)((int64_t)parts[0][i] + parts[1][i]);

        if (kept[i] == 0)
            sums[i] = kg__model_cut_to_float(
                sum * (double)kg__model_float_of((uint32_t)(largest[i] - places + 127) << 23));
        sums[i] = kg__model_float_of(kg__model_bits_of(sums[i]) & of->cut.kept);
    }
}

/* The same for one sum of any values. */
static float add_one_by_one(const kg__operands *of, unsigned int row, unsigned int column,
                            unsigned int first, unsigned int terms, float sum)
{
    float b[LARGEST] = { 0 };

    for (unsigned int k = 0; k < terms; k++)
        b[k] = of->b[first + k][column];
    return kg__model_dot_of_floats(&of->a[row][first], b, terms, sum, &of->cut);
}

static void multiply_floats(const kg__product_shape *shape, const kg__operands *of, kg__results *to)
{
    const bool is_narrow = of->most[0] + of->most[1] < MOST && of->least[0] + of->least[1] > LEAST;

    for (unsigned int row = 0; row < shape->rows; row++) {
        for (unsigned int column = 0; column < shape->columns; column += TOGETHER) {
            float *sums = &to->floats[row][column];
            bool fits = is_narrow;

            for (int i = 0; i < TOGETHER && fits; i++)
                fits = kg__model_exponent(sums[i]) < MOST;
            for (unsigned int k = 0; k < shape->depth; k += shape->terms) {
                if (fits)
                    add_floats(of, row, column, k, shape->terms, sums);
                for (unsigned int i = 0; i < TOGETHER && !fits; i++)
                    sums[i] = add_one_by_one(of, row, column + i, k, shape->terms, sums[i]);
            }
        }
    }
}

/* Floats hold sums of 32 products of 8 bits exactly. */
static void multiply_integers(const kg__product_shape *shape, const kg__operands *of,
                              kg__results *to)
{
    for (unsigned int row = 0; row < shape->rows; row++) {
        for (unsigned int column = 0; column < shape->columns; column += TOGETHER) {
            int32_t *sums = &to->integers[row][column];
            reals all = { 0 };

            for (unsigned int k = 0; k < shape->depth; k++) {
                reals mine;

                memcpy(&mine, &of->b[k][column], sizeof mine);
                all += mine * of->a[row][k];
            }
            for (int i = 0; i < TOGETHER; i++)
                sums[i] = kg__model_add_integers(sums[i], (int64_t)all[i], shape->saturates);
        }
    }
}

void kg__multiply_operands(const kg__product_shape *shape, bool integers, const kg__operands *of,
                           kg__results *to)
{
    (integers ? multiply_integers : multiply_floats)(shape, of, to);
}

static void multiply_doubles(const kg__model_product *const lanes[], kg__results *to)
{
    const kg__matrix_positions *of_a = kg__matrix_positions_of(lanes[0]->a);
    const kg__matrix_positions *of_b = kg__matrix_positions_of(lanes[0]->b);
    double a[LARGEST][LARGEST] = { { 0 } };
    double b[LARGEST][LARGEST] = { { 0 } };

    for (unsigned int i = 0; i < KG__MODEL_WARP * of_a->held; i++)
        a[of_a->row[i]][of_a->column[i]] =
            ((const double *)lanes[i / of_a->held]->a_part)[i % of_a->held];
    for (unsigned int i = 0; i < KG__MODEL_WARP * of_b->held; i++)
        b[of_b->row[i]][of_b->column[i]] =
            ((const double *)lanes[i / of_b->held]->b_part)[i % of_b->held];
    for (unsigned int row = 0; row < lanes[0]->a->rows; row++) {
        for (unsigned int column = 0; column < lanes[0]->b->rows; column++)
            to->doubles[row][column] = kg__model_dot_of_doubles(
                a[row], b[column], lanes[0]->a->columns, to->doubles[row][column]);
    }
}

/* Copies the sums from or to the lanes' parts. */
static void move_sums(const kg__model_product *const lanes[], bool back, kg__results *sums)
{
    const kg__model_matrix *matrix = back ? lanes[0]->d : lanes[0]->c;
    const kg__matrix_positions *at = kg__matrix_positions_of(matrix);

    for (unsigned int i = 0; i < KG__MODEL_WARP * at->held; i++) {
        const kg__model_product *mine = lanes[i / at->held];
        void *part = back ? mine->d_part : (void *)mine->c_part;
        const unsigned int number = i % at->held;
        float *one = &sums->floats[at->row[i]][at->column[i]];

        if (matrix->element == KG__MODEL_FLOAT16) {
            if (back)
                kg_set_element(KG_FLOAT16, part, number, (double)*one);
            else
                *one = (float)kg_element(KG_FLOAT16, part, number);
        } else if (matrix->element == KG__MODEL_FLOAT64) {
            double *wide = &sums->doubles[at->row[i]][at->column[i]];

            memcpy(back ? (double *)part + number : wide, back ? wide : (double *)part + number,
                   sizeof *wide);
        } else {
            memcpy(back ? (float *)part + number : one, back ? one : (float *)part + number,
                   sizeof *one);
        }
    }
}

/* Takes both operands. */
static void gather_both(kg__operands *to, const kg__model_product *const lanes[])
{
    kg__begin_operands(to, &(kg__model_cut)KG__MODEL_CUT);
    gather(to, 0, lanes);
    gather(to, 1, lanes);
}

/* Adds products of 8-bit floats. For sm_90, nvcc 13.0 makes halves of them, multiplies the first
 * two of each four, then the others, and adds c at the end, as seen on an H200. */
static void multiply_eight_bits(const kg__product_shape *shape,
                                const kg__model_product *const lanes[], kg__product_memory *memory)
{
    kg__operands *of = &memory->of;
    float c[LARGEST][LARGEST];

    for (unsigned int row = 0; row < shape->rows; row++) {
        memcpy(c[row], memory->sums.floats[row], shape->columns * sizeof **c);
        memset(memory->sums.floats[row], 0, shape->columns * sizeof **c);
    }
    for (unsigned int first = 0; first < 4; first += 2) {
        gather_both(of, lanes);
        for (unsigned int i = 0; i < shape->rows * shape->depth; i++) {
            const unsigned int row = i / shape->depth;
            const unsigned int k = i % shape->depth;

            if (k % 4 / 2 != first / 2) {
                of->a[row][k] = 0;
                of->of_a[row][k] = KG__OF_ZERO;
            }
        }
        kg__multiply_operands(shape, false, of, &memory->sums);
    }
    for (unsigned int i = 0; i < shape->rows * shape->columns; i++)
        memory->sums.floats[i / shape->columns][i % shape->columns] +=
            c[i / shape->columns][i % shape->columns];
}

void kg__multiply(const kg__model_product *const lanes[KG__MODEL_WARP])
{
    const kg__model_product *product = lanes[0];
    const kg__product_shape shape = { product->a->rows, product->b->rows, product->a->columns,
                                      product->terms, product->saturates };
    kg__product_memory *memory = kg__own_product_memory();
    kg__results *sums = &memory->sums;

    move_sums(lanes, false, sums);
    if (product->d->element == KG__MODEL_FLOAT64) {
        multiply_doubles(lanes, sums);
    } else if (product->a->element >= KG__MODEL_FLOAT8_E4M3) {
        multiply_eight_bits(&shape, lanes, memory);
    } else {
        gather_both(&memory->of, lanes);
        kg__multiply_operands(&shape, product->d->element == KG__MODEL_INT32, &memory->of, sums);
    }
    move_sums(lanes, true, sums);
}
