/* SPDX-License-Identifier: MIT */
/* Products of matrices by the warp: right for every kind of fragment, with the requests that nvcc
 * 13.0 compiles for sm_90, and the defects that are found in them. */
#include <criterion/criterion.h>
#include <kernelgate/types.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/exec/dot.h"
#include "model/exec/matrices.h"
#include "model/runtime/runtime.h"
#include "tests/model/each_row.h"
#include "tests/model/matrix_kernels.h"
#include "tests/model/watch_fixture.h"

#define ELEMENTS (1 << 13)

static const kg_type type_of[] = { KG_FLOAT16, KG_BFLOAT16, KG_FLOAT32, KG_FLOAT32,
                                   KG_FLOAT64, KG_INT8,     KG_UINT8,   KG_INT32 };

/* Instructions that load an operand of A's shape `rows` x k: contiguous along k or not, from global
 * memory, and from shared memory. B is loaded as its transpose. */
static const struct {
    kg__model_element element;
    int rows;
    uint64_t along, across, shared_along, shared_across;
} operands[] = {
    { KG__MODEL_FLOAT16, 8, 2, 2, 1, 1 },   { KG__MODEL_FLOAT16, 16, 4, 4, 1, 1 },
    { KG__MODEL_FLOAT16, 32, 8, 8, 2, 2 },  { KG__MODEL_BFLOAT16, 8, 2, 2, 2, 2 },
    { KG__MODEL_BFLOAT16, 16, 4, 4, 4, 4 }, { KG__MODEL_BFLOAT16, 32, 8, 8, 8, 8 },
    { KG__MODEL_INT8, 8, 1, 4, 1, 4 },      { KG__MODEL_INT8, 16, 2, 8, 1, 8 },
    { KG__MODEL_INT8, 32, 4, 16, 2, 16 },   { KG__MODEL_UINT8, 8, 1, 4, 1, 4 },
    { KG__MODEL_UINT8, 16, 2, 8, 1, 8 },    { KG__MODEL_UINT8, 32, 4, 16, 2, 16 },
    { KG__MODEL_TF32, 16, 4, 4, 4, 4 },     { KG__MODEL_FLOAT64, 8, 1, 1, 1, 1 },
};

static uint64_t operand_loads(const matrix_kind *kind, int rows, bool is_along, bool shared)
{
    for (size_t i = 0; i < LENGTH(operands); i++) {
        if (operands[i].element == kind->element && operands[i].rows == rows)
            return shared ? (is_along ? operands[i].shared_along : operands[i].shared_across)
                          : (is_along ? operands[i].along : operands[i].across);
    }
    cr_assert(false, "no row for element %d and %d rows", (int)kind->element, rows);
    return 0;
}

/* Instructions that load or store a sum. */
static uint64_t sum_accesses(const matrix_kind *kind, bool is_row_major)
{
    if (kind->sum == KG__MODEL_FLOAT64)
        return is_row_major ? 1 : 2;
    return kind->sum == KG__MODEL_FLOAT16 || is_row_major == (kind->m != 8) ? 4 : 8;
}

/* Small numbers, which every type has. */
static double number(const matrix_kind *kind, int row, int column)
{
    return (row * 7 + column * 3) % 5 - (kind->element == KG__MODEL_UINT8 ? 0 : 2);
}

static size_t place(int row, int column, bool is_row_major)
{
    return (size_t)(is_row_major ? row * MATRIX_STRIDE + column : column * MATRIX_STRIDE + row);
}

static void fill(const matrix_kind *kind, kg__model_element element, void *to, int rows,
                 int columns, bool is_row_major)
{
    static double host[MATRIX_STRIDE * 32];

    memset(host, 0, sizeof host);
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++)
            kg_set_element(type_of[element], host, place(row, column, is_row_major),
                           number(kind, row, column));
    }
    cr_assert(cudaMemcpy(to, host, MATRIX_STRIDE * 32 * kg_type_size(type_of[element]),
                         cudaMemcpyHostToDevice) == cudaSuccess);
}

static watch_data operands_of(const matrix_kind *kind)
{
    watch_data data = watch_both(ELEMENTS);

    data.bytes = device_memory(ELEMENTS * sizeof(float), "c");
    fill(kind, kind->element, data.a, kind->m, kind->k, kind->left_is_row_major);
    fill(kind, kind->element, data.numbers, kind->k, kind->n, kind->right_is_row_major);
    fill(kind, kind->sum, data.bytes, kind->m, kind->n, true);
    return data;
}

static void expect_product(const matrix_kind *kind, const float *b, const char *name)
{
    static double host[ELEMENTS / 2];

    cr_assert(cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int row = 0; row < kind->m; row++) {
        for (int column = 0; column < kind->n; column++) {
            double expected = 1 + number(kind, row, column);
            double is =
                kg_element(type_of[kind->sum], host, place(row, column, kind->sum_is_row_major));

            for (int i = 0; i < kind->k; i++)
                expected += number(kind, row, i) * number(kind, i, column);
            cr_assert(is == expected, "%s: [%d, %d] is %g, not %g", name, row, column, is,
                      expected);
        }
    }
}

/* Every line that counts is the kernel's. */
static void expect_own_lines(const char *name)
{
    const kg__model_report *report = kg__model_seen();

    for (size_t i = 0; i < report->line_count; i++)
        cr_expect(strstr(report->lines[i].file, "matrix_kernels.cpp") != NULL, "%s: %s:%u", name,
                  report->lines[i].file, report->lines[i].line);
}

static void expect_loads(const matrix_kind *kind, bool shared, const char *name)
{
    const uint64_t loads = operand_loads(kind, kind->m, kind->left_is_row_major, shared) +
                           operand_loads(kind, kind->n, !kind->right_is_row_major, shared);
    const uint64_t staged = 2 * MATRIX_STRIDE * (uint64_t)kg_type_size(type_of[kind->element]) / 4;

    expect_requests(sum_accesses(kind, true) + (shared ? staged : loads),
                    sum_accesses(kind, kind->sum_is_row_major), name);
    expect_count(KG__SHARED_LOAD_REQUESTS, shared ? loads : 0, name);
    expect_count(KG__TENSOR_MULTIPLY_ADDS,
                 (uint64_t)kind->m * (uint64_t)kind->n * (uint64_t)kind->k, name);
}

static void start_kind(launcher *launch, watch_data data)
{
    cudaLaunchConfig_t config = { .gridDim = single, .blockDim = line(32) };

    cr_assert(launch(&config, data) == cudaSuccess);
}

Test(matrices, of_every_kind_are_multiplied)
{
    for (size_t i = 0; i < matrix_kind_count * 4; i++) {
        const matrix_kind *kind = &matrix_kinds[i / 4];
        const bool shared = i % 2 != 0;
        char name[64];
        watch_data data;

        (void)snprintf(name, sizeof name, "kind %zu, %s", i / 4, shared ? "shared" : "global");
        kg__model_set_order(i % 4 < 2 ? KG__MODEL_ASCENDING : KG__MODEL_REVERSED);
        data = operands_of(kind);
        data.k = shared ? MATRIX_SHARED : MATRIX_GLOBAL;
        start_kind(kind->multiply, data);
        expect_product(kind, data.b, name);
        expect_clean(name);
        expect_loads(kind, shared, name);
        expect_own_lines(name);
    }
}

Test(matrices, need_a_barrier_behind_what_others_stage)
{
    for (size_t i = 0; i < matrix_kind_count; i++) {
        watch_data data = operands_of(&matrix_kinds[i]);

        data.k = MATRIX_UNORDERED;
        start_kind(matrix_kinds[i].multiply, data);
        expect_only(FOUND(RACE_IN_WARP, NULL, 0, 0, 0), "unordered");
    }
}

/* The row and column of a lane's element of the left operand of an m16 product; the right one's
 * column and row are the same but for the order of its blocks. As in the PTX ISA, "Matrix Fragments
 * for mma": of m16n8k16 with elements of 16 and of 8 bits, and of m16n8k8 with tf32. */
static void documented(kg__model_element element, int lane, int i, int *row, int *column)
{
    const int group = lane / 4;
    const int in_group = lane % 4;

    switch (element) {
    case KG__MODEL_INT8:
    case KG__MODEL_UINT8:
        *row = group + 8 * (i / 4);
        *column = in_group * 4 + i % 4;
        break;
    case KG__MODEL_TF32:
        *row = group + 8 * (i % 2);
        *column = in_group + 4 * (i / 2);
        break;
    default:
        *row = group + 8 * (i / 2 % 2);
        *column = in_group * 2 + i % 2 + 8 * (i / 4 % 2);
    }
}

/* The number of the right operand's element at the same place. */
static int right_of(kg__model_element element, int i)
{
    return element == KG__MODEL_TF32 ? i / 2 + i % 2 * 2
           : element == KG__MODEL_INT8 || element == KG__MODEL_UINT8
               ? i
               : (i & 9) | (i & 2) << 1 | (i & 4) >> 1;
}

Test(matrices, have_the_documented_elements)
{
    for (size_t row = 0; row < matrix_kind_count; row++) {
        const matrix_kind *kind = &matrix_kinds[row];
        watch_data data;

        if (kind->m != 16)
            continue;
        data = operands_of(kind);
        start_kind(kind->unpack, data);
        for (int i = 0; i < 32 * kind->count; i++) {
            const int number_of = i % kind->count;
            const float *own = data.b + (ptrdiff_t)i / kind->count * 32;
            int at;
            int k;

            documented(kind->element, i / kind->count, number_of, &at, &k);
            cr_assert(own[number_of] == (float)number(kind, at, k), "kind %zu, left %d", row, i);
            cr_assert(own[16 + right_of(kind->element, number_of)] == (float)number(kind, k, at),
                      "kind %zu, right %d", row, i);
        }
    }
}

Test(matrices, have_the_documented_sums)
{
    static const int widths[] = { 16, 32, 8 };

    for (size_t shape = 0; shape < LENGTH(widths); shape++) {
        watch_data data = watch_both(ELEMENTS);

        data.n = widths[shape];
        start("store_lanes", single, line(32), data);
        for (int lane = 0; lane < 256; lane++) {
            const int group = lane / 8 / 4;
            const int i = lane % 8;
            const int in_group = lane / 8 % 4 * 2 + i % 2;
            const int row = data.n == 16   ? group + 8 * (i / 2 % 2)
                            : data.n == 32 ? group + 8 * (i / 2)
                                           : in_group;
            const int column = data.n == 16   ? in_group + 8 * (i / 4)
                               : data.n == 32 ? in_group
                                              : group + 8 * (i / 2);

            cr_assert(data.b[row * MATRIX_STRIDE + column] == (float)lane, "n %d, number %d",
                      data.n, lane);
        }
    }
}

Test(matrices, of_integers_are_saturated_or_wrap)
{
    for (int wraps = 0; wraps < 2; wraps++) {
        watch_data data = watch_both(ELEMENTS);

        data.k = wraps;
        start("multiply_saturated", single, line(32), data);
        cr_assert(data.numbers[255] ==
                  (wraps ? (int)((unsigned)INT32_MAX + 16 * 127 * 127) : INT32_MAX));
    }
}

/* 16 n + k, rounded to half where it is stored as such. */
Test(matrices, of_halves_round_sums_once)
{
    static const struct {
        int n, k;
        float as_half, as_float;
    } rows[] = { { 128, 1, 2048, 2049 },
                 { 128, 3, 2052, 2051 },
                 { 4094, 0, 65504, 65504 },
                 { 4096, 0, INFINITY, 65536 } };

    for (size_t i = 0; i < LENGTH(rows); i++) {
        watch_data data = watch_both(ELEMENTS);

        data.n = rows[i].n;
        data.k = rows[i].k;
        start("multiply_halves", single, line(32), data);
        for (int lane = 0; lane < 32; lane++)
            cr_assert(data.b[lane] == rows[i].as_half && data.b[32 + lane] == rows[i].as_float,
                      "%d: %g and %g", rows[i].n, (double)data.b[lane], (double)data.b[32 + lane]);
    }
}

Test(matrices, of_eight_bits_have_the_values_of_their_types)
{
    static const kg__model_element elements[] = { KG__MODEL_FLOAT8_E4M3, KG__MODEL_FLOAT8_E5M2 };
    static const kg_type types[] = { KG_FLOAT8_E4M3, KG_FLOAT8_E5M2 };

    for (int i = 0; i < 2 * 256; i++) {
        const unsigned char bits = (unsigned char)(i / 2);
        const double right = kg_element(types[i % 2], &bits, 0);
        float is;

        kg__convert_elements(elements[i % 2], &bits, 1, &is);
        cr_expect((double)is == right || (isnan(is) && isnan(right)), "%#x: %g, not %g", bits,
                  (double)is, right);
    }
}

static const kg__model_cut cut = KG__MODEL_CUT;

/* What is cut 25 places below the largest exponent, and toward zero. */
Test(matrices, sums_are_cut_as_tensor_cores_do)
{
    static const struct {
        float a[2], b[2], c, is;
    } rows[] = {
        { { 1, 0 }, { 1, 0 }, 0x1p-24f, 1 },
        { { -1, 0 }, { 1, 0 }, -0x1.8p-24f, -1 },
        { { 1, 0x1p-12f }, { 1, 0x1p-12f }, 0x1p-24f, 1 + 0x1p-23f },
        { { 1, 0x1p-13f }, { 1, 0x1p-12f }, 0x1.8p-24f, 1 + 0x1p-23f },
        { { 1, 0x1p-13f }, { 1, 0x1p-13f }, -1, 0 },
        { { 1, 0x1p-13f }, { 1, 0x1p-12f }, -1, 0x1p-25f },
        { { 0, 0x1p-70f }, { 0x1p100f, 0x1p-70f }, 0, 0x1p-140f },
        { { 0x1p100f, 1 }, { 0x1p100f, 1 }, 0, INFINITY },
        { { 1.5f, 0 }, { 0x1p103f, 0 }, 0x1.fffffep127f, 0x1.fffffep127f },
        { { INFINITY, 1 }, { 1, 1 }, 1, INFINITY },
    }, rows_of_eight[] = {
        { { 1, 0 }, { 1, 0 }, 0x1.8p-13f, 1 + 0x1p-13f },
        { { 1, 0 }, { 1, 0 }, -0x1.8p-13f, 1 - 0x1p-13f },
        { { 1, 1 }, { 1, 1 }, 0x1p-13f, 2 },
        { { 0, 0 }, { 1, 1 }, 0x1.000fp0f, 0x1.0008p0f },
        { { 0x1p-9f, 0 }, { 0x1p-9f, 0 }, 0x1.8p-25f, 0x1p-18f + 0x1p-25f },
    };
    static const kg__model_cut cut_of_eight = { 13, ~0x3ffu, { -6, -6 } };

    for (size_t i = 0; i < LENGTH(rows); i++) {
        float is = kg__model_dot_of_floats(rows[i].a, rows[i].b, 2, rows[i].c, &cut);

        cr_expect(is == rows[i].is, "row %zu: %a, not %a", i, (double)is, (double)rows[i].is);
    }
    cr_expect(isnan(kg__model_dot_of_floats(&rows[9].a[0], (const float[]){ 0 }, 1, 1, &cut)));
    for (size_t i = 0; i < LENGTH(rows_of_eight); i++) {
        float is = kg__model_dot_of_floats(rows_of_eight[i].a, rows_of_eight[i].b, 2,
                                           rows_of_eight[i].c, &cut_of_eight);

        cr_expect(is == rows_of_eight[i].is, "row %zu: %a, not %a", i, (double)is,
                  (double)rows_of_eight[i].is);
    }
    cr_expect(kg__model_cut_to_tf32(0x1.007ffep0f) == 1 + 0x1p-10f);
    cr_expect(kg__model_dot_of_doubles((const double[]){ 1, 0x1p-53 }, (const double[]){ 1, 1 }, 2,
                                       0) == 1);
}

#define FINDS(kind_, symbol_, ...) .found = { .kind = KG__##kind_, .symbol = symbol_, __VA_ARGS__ }
#define AT(size_, offset_, bytes_) .size = size_, .offset = offset_, .bytes = bytes_

/* Each is clean with k == 0, and with k == 1 there is nothing but this. */
static const struct {
    const char *name;
    unsigned int threads;
    kg__finding found;
} defects[] = {
    { "skip_stride", 32, FINDS(OUT_OF_BOUNDS, "a", AT(512, 528, 4), .by.access = KG__READ) },
    { "misalign", 32, FINDS(MISALIGNED, "a", AT(1024, 8, 16)) },
    { "misalign_stride", 32, FINDS(MISALIGNED, "a", AT(1024, 40, 16)) },
    { "load_half_a_tile", 32, FINDS(NEVER_WRITTEN, "tile", .bytes = 16) },
    { "store_both", 64, FINDS(RACE_IN_BLOCK, "b", .bytes = 8) },
    { "read_stored", 32, FINDS(RACE_IN_WARP, "tile", .bytes = 4) },
    { "store_beyond", 32, FINDS(OUT_OF_BOUNDS, "b", AT(1024, 1024, 8), .by.access = KG__WRITE) },
};

/* A product of m16n8k16 by columns together is that of each element alone, bit by bit: of values
 * whose sums are cut, of 0, of exponents that a float's products leave, and of infinity. */
Test(matrices, are_the_same_by_columns_as_by_elements)
{
    static const kg__model_matrix shapes[] = {
        { KG__MODEL_BFLOAT16, 16, 16, 2, 8, .is_operand = true },
        { KG__MODEL_BFLOAT16, 8, 16, 2, 4, .is_operand = true },
        { KG__MODEL_FLOAT32, 16, 8, 2, 4, .is_operand = false },
    };
    static const int widths[] = { 1, 4, 12, 40, 200, 255 };
    static float full[3][16][16];
    uint16_t parts[2][32][8];
    float sums[32][4];
    kg__model_product products[32];
    const kg__model_product *lanes[32];
    uint32_t seed = 1;

    for (size_t row = 0; row < 40 * LENGTH(widths); row++) {
        const int width = widths[row % LENGTH(widths)];

        for (int i = 0; i < 3; i++) {
            const kg__matrix_positions *at = kg__matrix_positions_of(&shapes[i]);

            for (unsigned int e = 0; e < 32 * at->held; e++) {
                uint32_t bits;

                seed = seed * 1664525u + 1013904223u;
                bits = (seed & 0x807f0000u) |
                       (uint32_t)(127 + (int)(seed >> 8 & 0xff) % width - width / 2) << 23;
                /* One in eight is 0; c has all its bits. */
                bits = (seed >> 9 & 7) == 0 ? 0 : i == 2 ? bits | (seed & 0xffff) : bits;
                memcpy(&full[i][at->row[e]][at->column[e]], &bits, sizeof bits);
                memcpy(i == 2 ? (void *)&sums[e / at->held][e % at->held]
                              : (void *)&parts[i][e / at->held][e % at->held],
                       i == 2 ? (char *)&bits : (char *)&bits + 2, i == 2 ? 4 : 2);
            }
        }
        for (int i = 0; i < 32; i++) {
            products[i] = (kg__model_product){ .a = &shapes[0],
                                               .b = &shapes[1],
                                               .c = &shapes[2],
                                               .d = &shapes[2],
                                               .terms = 16,
                                               .a_part = parts[0][i],
                                               .b_part = parts[1][i],
                                               .c_part = sums[i],
                                               .d_part = sums[i] };
            lanes[i] = &products[i];
        }
        kg__multiply(lanes);
        for (unsigned int e = 0; e < 128; e++) {
            const kg__matrix_positions *at = kg__matrix_positions_of(&shapes[2]);
            const unsigned int r = at->row[e], c = at->column[e];
            const float is = sums[e / 4][e % 4];
            const float right =
                kg__model_dot_of_floats(full[0][r], full[1][c], 16, full[2][r][c], &cut);

            cr_expect(kg__model_bits_of(is) == kg__model_bits_of(right) ||
                          (isnan(is) && isnan(right)),
                      "width %d: %a, not %a", width, (double)is, (double)right);
        }
    }
}

Test(matrices, defects_are_found_in_the_line_of_the_call)
{
    for (size_t i = 0; i < LENGTH(defects) * 2; i++) {
        const size_t row = i / 2;
        const uint64_t bytes = defects[row].found.size > 0 ? defects[row].found.size : 2048;
        watch_data data = watch_both(ELEMENTS);

        data.a = device_memory(bytes, "a");
        data.b = device_memory(bytes, "b");
        cr_assert(cudaMemset(data.a, 0, bytes) == cudaSuccess);
        data.k = i % 2 != 0;
        start(defects[row].name, single, line(defects[row].threads), data);
        if (data.k == 0)
            expect_clean(defects[row].name);
        else
            expect_only(&defects[row].found, defects[row].name);
        for (size_t j = 0; j < kg__model_seen()->finding_count; j++)
            cr_expect(strstr(kg__model_seen()->findings[j].by.file, "matrix_kernels.cpp") != NULL);
    }
}

/* Some lanes do not take part: they have ended, wait elsewhere, or do not exist. Or (`differs`) the
 * lanes give different pointers or strides. */
static const struct {
    const char *name;
    int k;
    unsigned int threads;
    bool differs;
} incomplete[] = {
    { "leave_one_out", 1, 32, false }, { "leave_one_out", 2, 32, false },
    { "leave_one_out", 0, 31, false }, { "call_apart", 1, 32, false },
    { "call_apart", 2, 32, true },     { "call_apart", 3, 32, true },
};

EACH_ROW(matrices, need_all_lanes, incomplete)

ParameterizedTest(const size_t *row, matrices, need_all_lanes)
{
    watch_data data = watch_both(ELEMENTS);

    start(incomplete[*row].name, single, line(32), data);
    expect_clean("complete");
    data.k = incomplete[*row].k;
    cr_assert(launch(incomplete[*row].name, single, line(incomplete[*row].threads), 0, data) ==
              cudaErrorLaunchFailure);
    cr_assert(strstr(kg__model_failure(),
                     incomplete[*row].differs
                         ? "other pointers or strides"
                         : "in warp operations, this one at matrix_kernels.cpp:") != NULL,
              "%s", kg__model_failure());
}
