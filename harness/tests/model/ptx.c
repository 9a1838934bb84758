/* SPDX-License-Identifier: MIT */
/* Inline PTX and launches by <<<>>>: what they compute, what they cost, and what is wrong. */
#include <criterion/criterion.h>
#include <string.h>

#include "model/runtime/runtime.h"
#include "tests/model/ptx_kernels.h"
#include "tests/model/watch_fixture.h"

#define EXPECT(text, a, b, c, expected) { text, expected },

static const struct {
    const char *text;
    uint32_t expected;
} rows[] = { PTX_ROWS(EXPECT) PTX_ROWS_OF_VIDEO(EXPECT) };
static const struct {
    const char *text;
    float expected;
} rows_of_reals[] = { PTX_ROWS_OF_REALS(EXPECT) };
static const struct {
    const char *text;
    uint64_t expected;
} rows_of_longs[] = { PTX_ROWS_OF_LONGS(EXPECT) };

Test(ptx, instructions_leave_what_they_should)
{
    watch_data data = watch_both(1 << 10);
    const int *found = data.numbers;

    start("compute_rows", single, single, data);
    for (size_t i = 0; i < LENGTH(rows); i++, found++)
        cr_expect((uint32_t)*found == rows[i].expected, "%s: %#x", rows[i].text,
                  (unsigned int)*found);
    for (size_t i = 0; i < LENGTH(rows_of_reals); i++, found++) {
        float real;

        memcpy(&real, found, sizeof real);
        cr_expect(real == rows_of_reals[i].expected, "%s: %.9g", rows_of_reals[i].text,
                  (double)real);
    }
    for (size_t i = 0; i < LENGTH(rows_of_longs); i++, found += 2) {
        uint64_t number;

        memcpy(&number, found, sizeof number);
        cr_expect(number == rows_of_longs[i].expected, "%s: %#llx", rows_of_longs[i].text,
                  (unsigned long long)number);
    }
    expect_clean("rows");
}

/* What a block of some threads costs, by hand, with 16 bytes of shared memory for each. */
static const trial costs[] = {
    { "ptx_copy_quads", 1, 64, 1024, REQUESTS(2, 2), ALSO(0, GLOBAL_LOAD_SECTORS, 32),
      ALSO(1, GLOBAL_STORE_SECTORS, 32) },
    { "ptx_narrow", 1, 32, 512, REQUESTS(2, 3), ALSO(0, GLOBAL_LOAD_SECTORS, 4) },
    { "ptx_volatile", 1, 32, 512, REQUESTS(4, 1), ALSO(0, GLOBAL_LOAD_SECTORS, 16),
      ALSO(1, FENCES, 1) },
    { "ptx_reverse", 1, 64, 1024, REQUESTS(2, 2), ALSO(0, SHARED_STORE_REQUESTS, 2),
      ALSO(1, SHARED_LOAD_REQUESTS, 2), ALSO(2, SHARED_LOAD_WAVEFRONTS, 2), ALSO(3, BARRIERS, 1) },
    { "ptx_reverse_staged", 1, 64, 1024, REQUESTS(2, 2), ALSO(0, GLOBAL_LOAD_SECTORS, 32),
      ALSO(1, SHARED_LOAD_REQUESTS, 2) },
    { "ptx_atomics", 1, 32, 512, REQUESTS(0, 0), ALSO(0, GLOBAL_ATOMIC_REQUESTS, 4),
      ALSO(1, GLOBAL_ATOMIC_SECTORS, 4), ALSO(2, GLOBAL_ATOMIC_PASSES, 128), ALSO(3, FENCES, 1) },
    { "ptx_warp", 1, 32, 512, REQUESTS(0, 2), ALSO(0, SHUFFLES, 6) },
    { "ptx_registers", 1, 64, 1024, REQUESTS(0, 2), ALSO(0, GLOBAL_STORE_SECTORS, 8) },
    { "ptx_expected_barrier", 1, 64, 1024, REQUESTS(0, 2), ALSO(0, BARRIERS, 1) },
    /* Two matrices that are stored. */
    { "ptx_transpose_store", 1, 32, 512, REQUESTS(0, 2), ALSO(0, SHARED_STORE_REQUESTS, 2),
      ALSO(1, SHARED_STORE_WAVEFRONTS, 2) },
    /* Of rows of 48 bytes: eight of them touch each bank at most once. */
    { "ptx_tiles", 1, 32, 512, REQUESTS(2, 4), ALSO(0, SHARED_LOAD_REQUESTS, 2),
      ALSO(1, SHARED_LOAD_WAVEFRONTS, 6) },
    { "multiply_halves", 1, 32, 512, REQUESTS(10, 4), ALSO(0, TENSOR_MULTIPLY_ADDS, 16 * 8 * 16) },
};

Test(ptx, costs_by_hand)
{
    try_each(costs, LENGTH(costs), BOTH, BOTH, 1 << 12);
}

#define FINDS(kind_, ...) .file = "model/ptx_kernels.cu", WRONG(kind_, __VA_ARGS__)
#define DYNAMIC .symbol = "dynamic shared memory"

/* What is found with k. */
static const trial defects[] = {
    { "ptx_copy_quads", 1, 1024, 16384, 8, 1,
      FINDS(OUT_OF_BOUNDS, .symbol = "a", .offset = 16384, .size = 16384, .bytes = 16) },
    { "ptx_narrow", 1, 1, 16, 8, 1, FINDS(MISALIGNED, .symbol = "bytes", .bytes = 2) },
    { "ptx_reverse", 1, 64, 1024, 8, 1, FINDS(RACE_IN_BLOCK, .symbol = "staged") },
    { "ptx_reverse_staged", 1, 64, 1024, 8, 1, FINDS(COPY_NOT_WAITED, DYNAMIC) },
    { "ptx_reverse_staged", 1, 64, 1024, 8, 2, FINDS(RACE_IN_BLOCK, DYNAMIC) },
    { "ptx_atomics", 1, 32, 512, 8, 1, FINDS(RACE_IN_WARP, .symbol = "numbers") },
    { "ptx_handshake", 1, 64, 1024, 8, 0, CLEAN },
    { "ptx_handshake", 1, 64, 1024, 8, 1, FINDS(MISSING_FENCE, .symbol = "b") },
    { "ptx_last_block", 4, 1, 16, 8, 0, CLEAN },
    { "ptx_last_block", 4, 1, 16, 8, 1, FINDS(RACE_BETWEEN_BLOCKS, .symbol = "numbers") },
    { "ptx_warp", 1, 32, 512, 8, 1, FINDS(SHUFFLE_OUTSIDE, .symbol = NULL) },
    { "ptx_transpose", 1, 32, 512, 8, 1, FINDS(SHUFFLE_OUTSIDE, .symbol = NULL) },
    { "ptx_transpose", 1, 32, 512, 8, 2, FINDS(RACE_IN_WARP, DYNAMIC) },
    { "ptx_transpose_store", 1, 32, 512, 8, 1,
      FINDS(OUT_OF_BOUNDS, .symbol = "tile", .bytes = 16) },
    { "ptx_transpose_store", 1, 32, 512, 8, 2, FINDS(RACE_IN_WARP, .symbol = "tile") },
    { "ptx_tiles", 1, 32, 512, 8, 1, FINDS(COPY_NOT_WAITED, .symbol = "a") },
};

Test(ptx, defects_are_found)
{
    try_each(defects, LENGTH(defects), BOTH, BOTH, 1 << 12);
}

Test(ptx, a_product_needs_all_lanes)
{
    watch_data data = watch_both(256);

    data.k = 1; /* the last lane ends before */
    cr_expect(launch("multiply_halves", single, line(32), 512, data) == cudaErrorLaunchFailure);
}

Test(ptx, values_of_accesses)
{
    for (int order = 0; order < 2; order++) {
        watch_data data = watch_in_order(order, 256);

        start("ptx_copy_quads", single, line(64), data);
        for (int i = 0; i < 256; i++)
            cr_expect(data.b[i] == (float)(i + 1));
        start("ptx_narrow", single, line(32), data);
        for (int i = 0; i < 32; i++)
            cr_expect(data.numbers[i] == -1000 + 0x1ff, "numbers[%d] is %d", i, data.numbers[i]);
        start("ptx_volatile", single, line(32), data);
        cr_expect(data.numbers[31] == -1000 + 0x200);
        start("ptx_reverse", single, line(64), data);
        cr_expect(data.b[0] == 64.0f && data.b[63] == 1.0f);
        cr_assert(launch("ptx_reverse_staged", single, line(64), 64 * 16, data) == cudaSuccess);
        cr_expect(data.b[0] == 253.0f && data.b[3] == 256.0f && data.b[252] == 1.0f);
        data.k = 3;
        cr_assert(launch("ptx_reverse_staged", single, line(64), 64 * 16, data) == cudaSuccess);
        cr_expect(data.b[0] == 253.0f && data.b[2] == 255.0f && data.b[3] == 0.0f);
        expect_clean("accesses");
    }
}

Test(ptx, values_of_warps)
{
    for (int order = 0; order < 2; order++) {
        watch_data data = watch_in_order(order, 256);

        start("ptx_atomics", single, line(32), data);
        cr_expect(data.numbers[0] == 64 && data.numbers[1] == 31 && data.numbers[2] == 5);
        cr_expect(data.b[0] == 16.0f);
        data.k = 2;
        start("ptx_atomics", single, line(32), data);
        cr_expect(data.b[0] == 48.0f && data.b[1] == 16.0f && data.b[2] == 32.0f &&
                  data.b[3] == 48.0f);
        start("ptx_warp", single, line(32), data);
        for (int i = 0; i < 32; i++) {
            cr_expect(data.numbers[i] == 496 + 1000 + 2000 + 4960000, "%d", data.numbers[i]);
            cr_expect(data.bytes[i] == (i == 0 ? 100 : i - 1), "%d", data.bytes[i]);
        }
        start("ptx_registers", line(2), line(64), data);
        cr_expect(data.numbers[64 + 37] == 37 + 64000 + 500000 + 10000000);
    }
}

/* Two elements of row `row` of the tile, from column `column` on; or of what it is transposed. */
static uint32_t pair(int row, int column, bool transposed)
{
    const int first = transposed ? column * 8 + row : row * 8 + column;

    return (uint32_t)(first | (first + (transposed ? 8 : 1)) << 16);
}

static void expect_loaded(watch_data data, int k)
{
    data.k = k;
    memset(data.numbers, 0, 256 * sizeof *data.numbers);
    cr_assert(launch("ptx_transpose", single, line(32), 32 * 64, data) == cudaSuccess);
    for (int lane = 0; lane < 32; lane++) {
        const uint32_t *words = (const uint32_t *)data.numbers + 8 * lane;

        for (int i = 0; i < 4; i++)
            cr_expect(words[i] == pair(8 * i + lane / 4, lane % 4 * 2, false));
        for (int i = 0; i < 2; i++)
            cr_expect(words[4 + i] == pair(lane / 4, lane % 4 * 2, true) + (uint32_t)i * 0x400040u);
        cr_expect(words[6] == pair(lane / 4, lane % 4 * 2, false));
    }
}

static void expect_stored(watch_data data, int k)
{
    data.k = k;
    memset(data.numbers, 0, 64 * sizeof *data.numbers);
    start("ptx_transpose_store", single, line(32), data);
    for (int lane = 0; lane < 32; lane++) {
        cr_expect((uint32_t)data.numbers[2 * lane] == pair(lane / 4, lane % 4 * 2, false));
        cr_expect((uint32_t)data.numbers[2 * lane + 1] == pair(lane / 4, lane % 4 * 2, true));
    }
}

Test(ptx, matrices)
{
    for (int order = 0; order < 2; order++) {
        watch_data data = watch_in_order(order, 256);

        data.n = 8;
        expect_loaded(data, 0);
        expect_count(KG__SHARED_LOAD_REQUESTS, 3, "matrices");
        expect_count(KG__SHARED_LOAD_WAVEFRONTS, 4 + 2 + 1, "matrices");
        /* Rows of 64 bytes: two of each eight have banks of their own, four have those of another,
         * which other matrices' rows do not hide. */
        data.n = 32;
        cr_assert(launch("ptx_transpose", single, line(32), 32 * 64, data) == cudaSuccess);
        expect_count(KG__SHARED_LOAD_WAVEFRONTS, 7 + 4 * (4 + 2 + 1), "matrices of 64 bytes");
        expect_stored(data, 0);
        expect_clean("matrices");
        /* Lanes in step hide a race. */
        expect_stored(data, 2);
        data.n = 8;
        expect_loaded(data, 2);
    }
}

/* How a matrix' element is stored. */
typedef enum element { HALF, BFLOAT, TF32, BYTE, EIGHT } element;

/* Small whole numbers, of which sums are exact. */
static int element_of(int matrix, int major, int minor)
{
    return (major * 5 + minor * 3 + matrix) % 7 - 3;
}

static void fill(unsigned char *to, element type, int matrix, int major, int k)
{
    for (int i = 0; i < major * k; i++) {
        const int value = element_of(matrix, i / k, i % k);
        float real = (float)value;
        uint32_t bits;
        uint16_t half;

        memcpy(&bits, &real, sizeof bits);
        /* Of halves that are not 0, and less than 4. */
        half = (uint16_t)(type == BFLOAT ? bits >> 16
                          : value == 0
                              ? 0
                              : (bits >> 16 & 0x8000) | ((bits - (112u << 23)) >> 13 & 0x7fff));
        if (type == BYTE)
            to[i] = (unsigned char)value;
        else if (type == EIGHT) /* of 5 bits of exponent, as halves have */
            to[i] = (unsigned char)(half >> 8);
        else if (type == TF32)
            memcpy(to + 4 * i, &real, 4);
        else
            memcpy(to + 2 * i, &half, 2);
    }
}

static int product_at(int row, int column, int k)
{
    int sum = 0;

    for (int i = 0; i < k; i++)
        sum += element_of(0, row, i) * element_of(1, column, i);
    return sum;
}

static const struct {
    const char *name;
    element type;
    int k;
    int rows;
} products[] = {
    { "multiply_halves", HALF, 16, 16 },      { "multiply_halves_short", HALF, 8, 16 },
    { "multiply_bfloats", BFLOAT, 16, 16 },   { "multiply_tf32", TF32, 8, 16 },
    { "multiply_tf32_short", TF32, 4, 16 },   { "multiply_bytes", BYTE, 32, 16 },
    { "multiply_bytes_short", BYTE, 16, 16 }, { "multiply_bytes_by_eight", BYTE, 16, 8 },
    { "multiply_doubles", TF32, 4, 8 },       { "ptx_tiles", HALF, 16, 16 },
    { "multiply_eights", EIGHT, 32, 16 },
};

static watch_data begin_product(int order, element type, int k)
{
    watch_data data = watch_in_order(order, 1 << 12);

    fill(data.bytes, type, 0, 16, k);
    fill(data.bytes + 2048, type, 1, 8, k);
    return data;
}

Test(ptx, values_of_whole_warps)
{
    for (int order = 0; order < 2; order++) {
        watch_data data = watch_in_order(order, 256);

        start("ptx_warp_more", single, line(32), data);
        for (int lane = 0; lane < 32; lane++) {
            const uint32_t *words = (const uint32_t *)data.numbers + 8 * lane;

            cr_expect(words[0] == (lane % 2 == 0 ? 0x55555555u : 0xaaaaaaaau));
            cr_expect(words[1] == 0x80000000u);
            cr_expect(words[2] == (lane == 0) && words[3] == 1);
            cr_expect(words[4] == pair(lane / 4, lane % 4 * 2, true));
            cr_expect(words[5] == UINT32_MAX && words[6] == 1);
        }
        expect_clean("whole warps");
    }
}

Test(ptx, products)
{
    for (size_t i = 0; i < LENGTH(products) * 2; i++) {
        const size_t row = i / 2;
        watch_data data = begin_product((int)i % 2, products[row].type, products[row].k);

        for (int j = 0; j < 128; j++) {
            data.b[j] = (float)(j + 1);
            data.numbers[j] = j + 1;
        }
        start(products[row].name, single, line(32), data);
        for (int j = 0; j < 8 * products[row].rows; j++) {
            const int sum = product_at(j / 8, j % 8, products[row].k) +
                            (strcmp(products[row].name, "ptx_tiles") == 0 ? 0 : j + 1);

            cr_expect((products[row].type == BYTE ? data.numbers[j] : (int)data.b[j]) == sum,
                      "%s: c[%d] is %g or %d, not %d", products[row].name, j, (double)data.b[j],
                      data.numbers[j], sum);
        }
        expect_clean(products[row].name);
    }
}

/* Large products cancel before the small one is added, and c is rounded to the nearest. */
Test(ptx, products_of_eight_bits_by_halves)
{
    watch_data data = watch_in_order(0, 1 << 12);

    memset(data.bytes, 0, 2048 + 8 * 32);
    data.bytes[1] = data.bytes[2048 + 1] = data.bytes[2048 + 17] = 0x7b;
    data.bytes[17] = 0xfb;
    data.bytes[18] = 0x03;
    data.bytes[2048 + 18] = 0x3c;
    data.b[0] = 256;
    start("multiply_eights", single, line(32), data);
    cr_expect(data.b[0] == 256 + 0x1p-14f, "%a", (double)data.b[0]);
}

Test(ptx, products_of_halves_as_halves)
{
    for (int order = 0; order < 2; order++) {
        watch_data data = begin_product(order, HALF, 16);
        unsigned char expected[2 * 128];

        start("multiply_to_halves", single, line(32), data);
        for (int j = 0; j < 128; j++) {
            const float real = (float)product_at(j / 8, j % 8, 16);
            uint32_t bits;
            uint16_t half;

            memcpy(&bits, &real, sizeof bits);
            half = (uint16_t)(real == 0
                                  ? 0
                                  : (bits >> 16 & 0x8000) | ((bits - (112u << 23)) >> 13 & 0x7fff));
            memcpy(expected + 2 * j, &half, sizeof half);
        }
        cr_expect(memcmp(data.numbers, expected, sizeof expected) == 0);
    }
}

Test(ptx, launches_by_marks)
{
    for (int k = 0; k < 3; k++) {
        watch_data data = watch_both(64);

        data.k = k;
        data.n = k == 0 ? 63 : 32;
        data.numbers[5] = 1000;
        cr_assert(start_by_marks(data, kg__model_begin_call()) == cudaSuccess);
        cr_expect(data.b[5] == (k == 0   ? 6 + 2 + 0.5f + 3
                                : k == 1 ? 6 + 6 + 1000
                                         : 6),
                  "%d: %g", k, (double)data.b[5]);
        cr_expect(k > 0 || data.b[62] == 63 + 2 + 0.5f);
        /* Two of the first launches are on no stream of the call, which the gate says. */
        cr_expect(kg__model_other_stream_work() == (k == 0 ? 2 : 0));
        expect_clean("launches");
    }
}

Test(ptx, wrong_launches_by_marks)
{
    watch_data data = watch_both(64);

    data.n = 64;
    data.k = 3;
    cr_expect(start_by_marks(data, NULL) == cudaErrorInvalidValue);
    data.k = 4;
    cr_expect(start_by_marks(data, NULL) == cudaSuccess);
    expect_only(FOUND(OUT_OF_BOUNDS, "a", 256, 256, 32), "one block too many");
}

Test(ptx, a_launch_without_its_shared_memory)
{
    watch_data data = watch_both(64);

    data.k = 5;
    (void)start_by_marks(data, NULL);
    expect_only(&(kg__finding){ .kind = KG__OUT_OF_BOUNDS, .bytes = 4 }, "no shared memory");
}
