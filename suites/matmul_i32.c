/* SPDX-License-Identifier: MIT */
/* matmul_i32: C = A B modulo 2^32 on 32-bit integers. Sizes are m x n x k x stride: A is m x k, B
 * is k x n, C is m x n, each row after row with `stride` elements a row. What lies between a row's
 * end and the stride, its padding, is no part of the matrices and must be left as it was. */
#include <kernelgate/kernelgate.h>
#include <stdlib.h>

enum { A, B, C };

kg_launcher matmul_i32_global, matmul_i32_shared, matmul_i32_constant, matmul_i32_constant_prepare,
    matmul_i32_register_tile, matmul_i32_byte_planes, matmul_i32_floor_tiles;

static const kg_launch none[] = { KG_END };

static const kg_variant variants[] = {
    KG_VARIANT("global", matmul_i32_global,
               "one thread an output, every operand from global memory"),
    KG_VARIANT("shared", matmul_i32_shared, "tiles of A and B staged in shared memory"),
    KG_VARIANT("register_tile", matmul_i32_register_tile,
               "4 x 4 outputs per thread, 16 bytes per access, the next tiles loaded meanwhile",
               .launches = none),
    KG_VARIANT("byte_planes", matmul_i32_byte_planes,
               "products of bytes on the tensor cores, ten for each product", .launches = none),
    KG_VARIANT("constant", matmul_i32_constant, "one thread an output, B in constant memory",
               .advanced.prepare = matmul_i32_constant_prepare),
    KG_END,
};

/* The checked ones hold rectangles and rows with padding; the last two hold the largest B that fits
 * constant memory, and one that is a word too large. */
static const kg_size sizes[] = {
    KG_CHECKED(1),
    KG_CHECKED(16),
    KG_COUNTED(17),
    KG_TIMED(32),
    KG_CHECKED(33),
    KG_TIMED(64),
    KG_COUNTED(100),
    KG_TIMED_AND_COUNTED(128),
    KG_TIMED(192),
    KG_TIMED(384),
    KG_CHECKED(66, 530, 50, 530),
    KG_TIMED(768),
    KG_COUNTED(31, 33, 17, 40),
    KG_CHECKED(5, 64, 100, 100),
    KG_CHECKED(17, 15, 33, 48),
    KG_CHECKED(65, 67, 66, 67),
    KG_CHECKED(3, 7, 4, 4096),
    KG_CHECKED(3, 7, 5, 3277),
    KG_END,
};

/* A launch is a block's edge, which is a tile's too: blocks of edge x edge threads. */
static const kg_launch launches[] = { KG_LAUNCH(4), KG_LAUNCH(16), KG_END };

#define CONSTANT_BYTES 65536

static const char *refuses(const kg_variant *variant, const kg_size *size, const kg_launch *launch)
{
    int64_t n = kg_extent(size, 1);
    int64_t k = kg_extent(size, 2);
    int64_t stride = kg_extent(size, 3);

    (void)launch;
    if (stride < n || stride < k)
        return "a stride below the widest row, of n or k elements, makes rows overlap";
    if (variant->advanced.prepare == matmul_i32_constant_prepare && k * stride * 4 > CONSTANT_BYTES)
        return "B, of k x stride x 4 bytes, exceeds the 64 KiB of constant memory";
    return NULL;
}

static void arguments(const kg_size *size, kg_arguments *list)
{
    int64_t m = kg_extent(size, 0);
    int64_t k = kg_extent(size, 2);
    int64_t stride = kg_extent(size, 3);

    kg_add_argument(list, KG_INPUT, "a", KG_INT32, m, stride);
    kg_add_argument(list, KG_INPUT, "b", KG_INT32, k, stride);
    /* Filled before a launch, so that a write to its padding shows. */
    kg_add_argument(list, KG_INPUT_OUTPUT, "c", KG_INT32, m, stride);
}

/* Two operations a product's term; each matrix crosses the memory once, without its padding. */
static kg_work work(const kg_size *size)
{
    double m = (double)kg_extent(size, 0);
    double n = (double)kg_extent(size, 1);
    double k = (double)kg_extent(size, 2);

    return (kg_work){ .operations = 2 * m * n * k, .bytes = 4 * (m * k + k * n + m * n) };
}

static double as_signed(uint32_t value)
{
    return (double)(int32_t)value;
}

/* Exact: sums of unsigned elements wrap modulo 2^32, where signed ones would overflow. */
static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    int64_t m = kg_extent(problem->size, 0);
    int64_t n = kg_extent(problem->size, 1);
    int64_t k = kg_extent(problem->size, 2);
    int64_t stride = kg_extent(problem->size, 3);
    const uint32_t *a = problem->data[A];
    const uint32_t *b = problem->data[B];
    const uint32_t *before = problem->data[C];
    uint32_t *sums = kg_allocate((size_t)n, sizeof *sums);

    (void)output;
    for (int64_t row = 0; row < m; row++) {
        for (int64_t column = 0; column < n; column++)
            sums[column] = 0;
        for (int64_t i = 0; i < k; i++) {
            uint32_t factor = a[row * stride + i];

            for (int64_t column = 0; column < n; column++)
                sums[column] += factor * b[i * stride + column];
        }
        for (int64_t column = 0; column < stride; column++) {
            int64_t at = row * stride + column;

            expected[at] = as_signed(column < n ? sums[column] : before[at]);
            tolerance[at] = 0;
        }
    }
    free(sums);
}

/* A all ones, B all twos: every element of C is 2 k. Padding and C hold -1, which would spoil a sum
 * that it entered. */
static void fill_ones_and_twos(const kg_problem *problem, int argument, void *data)
{
    const kg_argument *shape = &problem->arguments.list[argument];
    size_t width = argument == A   ? (size_t)kg_extent(problem->size, 2)
                   : argument == B ? (size_t)kg_extent(problem->size, 1)
                                   : 0;
    int32_t *values = data;

    for (size_t i = 0; i < shape->rows * shape->columns; i++)
        values[i] = i % shape->columns >= width ? -1 : argument == A ? 1 : 2;
}

static void expect_twice_k(const kg_problem *problem, int output, double *expected,
                           double *tolerance)
{
    const kg_argument *shape = &problem->arguments.list[output];
    size_t n = (size_t)kg_extent(problem->size, 1);
    const int32_t *before = problem->data[output];

    for (size_t i = 0; i < shape->rows * shape->columns; i++) {
        expected[i] =
            i % shape->columns < n ? 2.0 * (double)kg_extent(problem->size, 2) : (double)before[i];
        tolerance[i] = 0;
    }
}

static const kg_pattern patterns[] = {
    { "ones_times_twos", fill_ones_and_twos, expect_twice_k, true },
    KG_END,
};

KG_COMPARISON(matmul_i32, .variants = variants, .sizes = sizes, .launches = launches,
              .axes = { "b" }, .advanced.ranges = { { 2, 32, 0 } }, .advanced.patterns = patterns,
              .arguments = arguments, .reference = reference, .work = work, .refuses = refuses);

static const char lost_tile[] = "tiles counted rounding down, the last partial one never added";

static const kg_defect defects[] = {
    KG_DEFECT("floor_tiles", matmul_i32_floor_tiles, lost_tile, KG_CHECKED(17), KG_LAUNCH(16)),
    KG_DEFECT("floor_tiles", matmul_i32_floor_tiles, lost_tile, KG_CHECKED(33, 17, 530, 530),
              KG_LAUNCH(16)),
    KG_END,
};

KG_DEFECTS(matmul_i32, defects);

KG_TIME_CLAIM(matmul_i32, shared_beats_global_at_edge_16)
{
    kg_expect_speedup("shared/768/b16", "global/768/b16", 1.10);
}

/* Tiles of 4 x 4 save too few loads to pay for their barriers. */
KG_TIME_CLAIM(matmul_i32, edge_4_makes_tiling_useless)
{
    kg_expect_speedup("global/768/b4", "shared/768/b4", 1.0);
}

KG_TIME_CLAIM(matmul_i32, constant_loses_to_global)
{
    kg_expect_speedup("global/128/b16", "constant/128/b16", 1.10);
}

/* 2.3 on an H200. */
KG_TIME_CLAIM(matmul_i32, a_register_tile_beats_shared)
{
    kg_expect_speedup("register_tile/768/-", "shared/768/b16", 1.5);
}

/* Two vectors for 16 products, where `shared` reads two elements for one; a barrier per step
 * instead of two, for 8 outputs each. */
KG_COUNT_CLAIM(matmul_i32, a_register_tile_asks_shared_memory_sixteen_times_less)
{
    kg_expect_less("shared_load_requests", "register_tile/128/-", "shared/128/b16", 16);
    kg_expect_less("barriers", "register_tile/128/-", "shared/128/b16", 16);
}

/* 1.19 on an H200; 1.5 at 1024. */
KG_TIME_CLAIM(matmul_i32, bytes_beat_integers)
{
    kg_expect_speedup("byte_planes/768/-", "register_tile/768/-", 1.08);
}

/* Ten products of bytes for each of 128^3; 16 bytes of 32 lanes are 4 passes over the banks. */
KG_COUNT_CLAIM(matmul_i32, byte_planes_take_ten_products_and_no_conflicts)
{
    kg_expect_within("tensor_multiply_adds", "byte_planes/128/-", 20971520, 20971520);
    kg_expect_within("shared_load_wavefronts_per_request", "byte_planes/128/-", 4, 4);
    kg_expect_within("shared_store_wavefronts_per_request", "byte_planes/128/-", 4, 4);
    kg_expect_less("shared_load_requests", "byte_planes/128/-", "register_tile/128/-", 8);
}

/* 6.70 times fewer. */
KG_COUNT_CLAIM(matmul_i32, shared_reads_four_times_fewer_sectors)
{
    kg_expect_less("global_load_sectors", "shared/100/b16", "global/100/b16", 4);
}

/* Sectors that a warp reads for each of the k steps, where the edge divides the matrices: at edge
 * 16 `global` reads 2 of A and 2 of B, `shared` 8 for 16 steps, which is 8 times fewer. At edge 4 a
 * block is half a warp, `global` reads 4 and 1, `shared` 8 for 4 steps: 2.5 times fewer. */
KG_COUNT_CLAIM(matmul_i32, tiling_saves_less_at_edge_4)
{
    kg_expect_within("global_load_sectors", "global/128/b16", 262144, 262144);
    kg_expect_within("global_load_sectors", "shared/128/b16", 32768, 32768);
    kg_expect_within("global_load_sectors", "global/128/b4", 655360, 655360);
    kg_expect_within("global_load_sectors", "shared/128/b4", 262144, 262144);
}

/* A row of a block reads a word of B a thread, and each is served on its own. */
KG_COUNT_CLAIM(matmul_i32, constant_memory_serializes)
{
    kg_expect_within("constant_load_words_per_request", "constant/128/b16", 16, 16);
    kg_expect_within("constant_load_words_per_request", "constant/128/b4", 4, 4);
}
