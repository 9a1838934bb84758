/* SPDX-License-Identifier: MIT */
/* softmax_f32: y = exp(x - max) / sum exp(x - max) in every row, in single precision; sizes are
 * rows x columns. A row may have elements of -infinity, which are 0 in y. A row of nothing else,
 * and one that has NaN or +infinity, is NaN, as infinity less infinity. */
#include <kernelgate/kernelgate.h>
#include <math.h>

#define LANES 32

enum { ROWS, COLUMNS };

kg_launcher softmax_f32_three_pass, softmax_f32_online, softmax_f32_warp_per_row,
    softmax_f32_vectorized, softmax_f32_register_resident, softmax_f32_cluster_per_row,
    softmax_f32_row_ahead, softmax_f32_unscaled, softmax_f32_from_infinity;

/* A launch is threads per block, blocks that share a row, and blocks of the grid if they take one
 * row after another. */
static const kg_launch blocks[] = { KG_LAUNCH(256), KG_END };
static const kg_launch groups_of_warps[] = { KG_LAUNCH(256), KG_END };
static const kg_launch vector_blocks[] = { KG_LAUNCH(128), KG_LAUNCH(1024), KG_END };
static const kg_launch resident_blocks[] = { KG_LAUNCH(64), KG_LAUNCH(1024), KG_END };
static const kg_launch clusters[] = { KG_LAUNCH(32, 4), KG_LAUNCH(128, 8), KG_END };
static const kg_launch walking_blocks[] = { KG_LAUNCH(64, 1, 2), KG_LAUNCH(1024, 1, 128), KG_END };

static const kg_variant variants[] = {
    KG_VARIANT("three_pass", softmax_f32_three_pass,
               "a block per row, read for its maximum, for its sum, and to be written",
               .launches = blocks, KG_REPEATABLE),
    KG_VARIANT("online", softmax_f32_online,
               "maximum and sum in one pass, rescaled where the maximum grows", .launches = blocks,
               KG_REPEATABLE),
    KG_VARIANT("warp_per_row", softmax_f32_warp_per_row, "online, a warp per row: no barriers",
               .launches = groups_of_warps, KG_REPEATABLE),
    KG_VARIANT("vectorized", softmax_f32_vectorized, "online, a block per row, by float4",
               .launches = vector_blocks, KG_REPEATABLE),
    KG_VARIANT("register_resident", softmax_f32_register_resident,
               "a row is read once and kept in the registers of its block",
               .launches = resident_blocks, KG_REPEATABLE),
    KG_VARIANT("cluster_per_row", softmax_f32_cluster_per_row,
               "a row is read once and kept in the registers of a cluster of blocks",
               .launches = clusters, KG_REPEATABLE),
    KG_VARIANT("row_ahead", softmax_f32_row_ahead,
               "the next row is on its way to shared memory while one is in registers",
               .launches = walking_blocks, KG_REPEATABLE),
    KG_END,
};

static const kg_defect defects[] = {
    KG_DEFECT("unscaled", softmax_f32_unscaled,
              "online, but sums keep the scale of a lesser maximum", KG_CHECKED(3, 1021),
              KG_LAUNCH(256)),
    KG_DEFECT("from_infinity", softmax_f32_from_infinity,
              "the maximum starts from -infinity: masked beginnings become NaN", KG_CHECKED(9, 33),
              KG_LAUNCH(32)),
    KG_END,
};

/* Rows of 33, 127, 1021 and 4099 elements begin at every offset from 16 bytes. */
static const kg_size sizes[] = {
    KG_CHECKED(1, 1),
    KG_CHECKED(9, 33),
    KG_CHECKED(5, 127),
    KG_CHECKED(3, 1021),
    KG_CHECKED(2, 2048),
    KG_CHECKED(2, 4099),
    KG_COUNTED(16, 1024),
    KG_TIMED(2048, 1024),
    KG_TIMED(16384, 1024),
    KG_TIMED(512, 32768),
    KG_END,
};

/* How many threads of a block or a cluster share a row's float4, and how many each of them keeps.
 */
static const char *refuses(const kg_variant *variant, const kg_size *size, const kg_launch *launch)
{
    int64_t columns = kg_extent(size, COLUMNS);
    int64_t quads = columns % 4 == 0 ? columns / 4 : (3 + columns + 3) / 4;
    int block = launch->axis[0];
    int blocks_of_row = launch->axis[1];
    bool is_resident = variant->launch == softmax_f32_register_resident ||
                       variant->launch == softmax_f32_row_ahead;

    if (is_resident && quads > block * 8)
        return "a thread keeps at most 8 float4: the row is longer";
    if (variant->launch == softmax_f32_row_ahead && launch->axis[2] * 8 < kg_extent(size, ROWS))
        return "so few blocks walk over more than 8 rows each";
    if (is_resident && block > 64 && quads < block)
        return "the row is too short to give each thread a part";
    if (variant->launch == softmax_f32_cluster_per_row &&
        quads > (int64_t)block * blocks_of_row * 8)
        return "a thread of a cluster keeps at most 8 float4: the row is longer";
    if (variant->launch == softmax_f32_cluster_per_row && block > LANES &&
        quads <= (int64_t)block * (blocks_of_row - 1))
        return "the row is too short to give each block of the cluster a part";
    return NULL;
}

static void arguments(const kg_size *size, kg_arguments *list)
{
    int64_t rows = kg_extent(size, ROWS);
    int64_t columns = kg_extent(size, COLUMNS);

    kg_add_argument(list, KG_INPUT, "x", KG_FLOAT32, rows, columns);
    kg_add_argument(list, KG_OUTPUT, "y", KG_FLOAT32, rows, columns);
}

/* A comparison, a difference, an exponential, an addition and a product per element. */
static kg_work work(const kg_size *size)
{
    return (kg_work){ .operations =
                          5 * (double)kg_extent(size, ROWS) * (double)kg_extent(size, COLUMNS) };
}

/* With u = 2^-24 and d = x - max, a float's exp(d) is off by |d| u for the rounding of d and, by
 * __expf(), 2 + 1.173 |d| ulp of 2 u at most (CUDA C++ Programming Guide, "Mathematical
 * Functions"): 4 u + 4 |d| u. The sum has the mean of that, weighted by the exponentials, and 4 u
 * for each step of the longest chain, which rescales by another exponential and adds: a lane's part
 * of a row and 16 merges. Rescaling in steps costs 4 |d| u in all, since the steps add up to d. The
 * quotient takes 2 roundings, and may be subnormal. */
static void reference_row(const float *x, int64_t columns, double *expected, double *tolerance)
{
    const double roundoff = ldexp(1, -24), least = ldexp(1, -126);
    double max = -INFINITY, sum = 0, weighted = 0, roundings;

    for (int64_t i = 0; i < columns; i++)
        max = x[i] > max ? x[i] : max;
    for (int64_t i = 0; i < columns; i++) {
        double distance = max - x[i];

        expected[i] = exp(-distance);
        tolerance[i] = expected[i] > 0 ? distance : 0;
        sum += expected[i];
        weighted += expected[i] * tolerance[i];
    }
    roundings = 8 * weighted / sum + 4 * ((double)columns / LANES + 16) + 12;
    for (int64_t i = 0; i < columns; i++) {
        /* Where one is NaN, exactly all are. */
        expected[i] = isnan(sum) ? (double)NAN : expected[i] * (1 / sum);
        tolerance[i] =
            isnan(sum) ? 0 : expected[i] * (8 * tolerance[i] + roundings) * roundoff + least;
    }
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    int64_t columns = kg_extent(problem->size, COLUMNS);
    const float *x = problem->data[0];

    (void)output;
    for (int64_t row = 0; row < kg_extent(problem->size, ROWS); row++)
        reference_row(x + row * columns, columns, expected + row * columns,
                      tolerance + row * columns);
}

/* By turns the rows' beginning, end or every second element is masked, all of it is, one element is
 * NaN or +infinity, or all are the least finite number, and one row has nothing of that. */
static void fill_infinities(const kg_problem *problem, int argument, void *data)
{
    int64_t columns = kg_extent(problem->size, COLUMNS);
    float *x = data;

    kg_fill_random(problem, argument, data);
    for (int64_t row = 0; row < kg_extent(problem->size, ROWS); row++, x += columns) {
        for (int64_t i = 0; i < columns; i++) {
            bool masked[8] = { i < columns / 2, i >= columns / 2, i % 2 == 0, true };

            if (masked[row % 8])
                x[i] = -INFINITY;
            else if (row % 8 == 4)
                x[i] = -3.40282347e38f;
        }
        if (row % 8 == 5)
            x[columns / 3] = NAN;
        if (row % 8 == 6)
            x[columns - 1] = INFINITY;
    }
}

static const kg_pattern patterns[] = {
    { "infinities", fill_infinities, NULL, false },
    KG_END,
};

KG_COMPARISON(softmax_f32, .variants = variants, .sizes = sizes, .axes = { "b", "c", "g" },
              .arguments = arguments, .reference = reference, .work = work, .refuses = refuses,
              .advanced.patterns = patterns);

KG_DEFECTS(softmax_f32, defects);

/* 16 rows of 1024 elements are 2048 sectors, in 512 requests of a float4 per lane. */
KG_COUNT_CLAIM(softmax_f32, rows_are_read_three_times_then_twice_then_once)
{
    kg_expect_within("global_load_sectors", "three_pass/16x1024/b256", 3 * 2048, 3 * 2048);
    kg_expect_within("global_load_sectors", "online/16x1024/b256", 2 * 2048, 2 * 2048);
    kg_expect_within("global_load_sectors", "register_resident/16x1024/b64", 2048, 2048);
    kg_expect_within("global_load_sectors", "cluster_per_row/16x1024/b32c4", 2048, 2048);
}

KG_COUNT_CLAIM(softmax_f32, a_warp_per_row_needs_no_barrier)
{
    kg_expect_within("barriers", "online/16x1024/b256", 16, 16);
    kg_expect_within("barriers", "warp_per_row/16x1024/b256", 0, 0);
}

KG_COUNT_CLAIM(softmax_f32, float4_needs_a_quarter_of_the_requests)
{
    kg_expect_less("global_load_requests", "vectorized/16x1024/b128", "online/16x1024/b256", 4);
    kg_expect_less("global_store_requests", "vectorized/16x1024/b128", "online/16x1024/b256", 4);
}

/* 1.5 on an H100, 2.0 on an H200. */
KG_TIME_CLAIM(softmax_f32, registers_beat_a_second_read)
{
    kg_expect_speedup("register_resident/16384x1024/b64", "online/16384x1024/b256", 1.40);
}

/* 2.8 on an H200. */
KG_TIME_CLAIM(softmax_f32, a_cluster_keeps_a_long_row)
{
    kg_expect_speedup("cluster_per_row/512x32768/b128c8", "online/512x32768/b256", 2.00);
}

/* 1.4 on an H100, 1.3 on an H200. */
KG_TIME_CLAIM(softmax_f32, a_row_ahead_beats_a_second_read)
{
    kg_expect_speedup("row_ahead/512x32768/b1024c1g128", "vectorized/512x32768/b1024", 1.10);
}
