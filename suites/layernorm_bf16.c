/* SPDX-License-Identifier: MIT */
/* layernorm_bf16: y = (x - mean) / sqrt(variance + 1e-5) * gamma + beta in every row, computed in
 * single precision of bfloat16; sizes are rows x columns. A row that has NaN or an infinity is NaN.
 */
#include <kernelgate/kernelgate.h>
#include <math.h>
#include <stdlib.h>

#define LANES 32

enum { ROWS, COLUMNS };
enum { X, GAMMA, BETA };

kg_launcher layernorm_bf16_three_pass, layernorm_bf16_welford, layernorm_bf16_warp_per_row,
    layernorm_bf16_register_resident, layernorm_bf16_row_ahead, layernorm_bf16_cancelling,
    layernorm_bf16_mean_of_means;

/* A launch is threads per block, and blocks of the grid if they take one row after another. */
static const kg_launch blocks[] = { KG_LAUNCH(256), KG_END };
static const kg_launch groups_of_warps[] = { KG_LAUNCH(64), KG_END };
static const kg_launch resident_blocks[] = { KG_LAUNCH(64), KG_LAUNCH(512), KG_END };
static const kg_launch walking_blocks[] = { KG_LAUNCH(64, 2), KG_LAUNCH(512, 256),
                                            KG_LAUNCH(1024, 128), KG_END };

static const kg_variant variants[] = {
    KG_VARIANT("three_pass", layernorm_bf16_three_pass,
               "a block per row, read for its mean, for its variance, and to be written",
               .launches = blocks, KG_REPEATABLE),
    KG_VARIANT("welford", layernorm_bf16_welford, "mean and variance in one pass",
               .launches = blocks, KG_REPEATABLE),
    KG_VARIANT("warp_per_row", layernorm_bf16_warp_per_row,
               "a row is read once, by 16 bytes, and kept in the registers of a warp",
               .launches = groups_of_warps, KG_REPEATABLE),
    KG_VARIANT("register_resident", layernorm_bf16_register_resident,
               "the same in the registers of a block", .launches = resident_blocks, KG_REPEATABLE),
    KG_VARIANT("row_ahead", layernorm_bf16_row_ahead,
               "the next row is on its way to shared memory while one is in registers",
               .launches = walking_blocks, KG_REPEATABLE),
    KG_END,
};

static const kg_defect defects[] = {
    KG_DEFECT("cancelling", layernorm_bf16_cancelling,
              "the variance as the mean of squares less the square of the mean",
              KG_CHECKED(3, 1021), KG_LAUNCH(32)),
    KG_DEFECT("mean_of_means", layernorm_bf16_mean_of_means,
              "the lanes' moments are merged as if of equally many elements", KG_CHECKED(3, 530),
              KG_LAUNCH(32)),
    KG_END,
};

/* Rows of an odd number of elements begin at every offset from 16 bytes, those of 530 at every
 * other. A thread of 64 has 2, 4 or 8 times 16 bytes. */
static const kg_size sizes[] = {
    KG_CHECKED(1, 1),     KG_CHECKED(9, 33),     KG_CHECKED(5, 127),    KG_CHECKED(3, 530),
    KG_CHECKED(3, 1021),  KG_CHECKED(3, 2051),   KG_CHECKED(2, 4096),   KG_CHECKED(2, 4099),
    KG_COUNTED(16, 1024), KG_TIMED(32768, 1024), KG_TIMED(1024, 32768), KG_END,
};

static void arguments(const kg_size *size, kg_arguments *list)
{
    int64_t rows = kg_extent(size, ROWS);
    int64_t columns = kg_extent(size, COLUMNS);

    kg_add_argument(list, KG_INPUT, "x", KG_BFLOAT16, rows, columns);
    kg_add_argument(list, KG_INPUT, "gamma", KG_BFLOAT16, 1, columns);
    kg_add_argument(list, KG_INPUT, "beta", KG_BFLOAT16, 1, columns);
    kg_add_argument(list, KG_OUTPUT, "y", KG_BFLOAT16, rows, columns);
}

/* Of each element: an addition, a difference, a square and its addition, two products and an
 * addition. */
static kg_work work(const kg_size *size)
{
    return (kg_work){ .operations =
                          7 * (double)kg_extent(size, ROWS) * (double)kg_extent(size, COLUMNS) };
}

/* The longest chain of additions, a lane's part of a row and 16 merges, rounds the mean by `chain`
 * times the mean magnitude, and by twice that times the standard deviation the variance, whether
 * deviations are from the row's mean or from those of its parts (T. F. Chan, G. H. Golub and R. J.
 * LeVeque, Algorithms for computing the sample variance, 1983). A relative error of the variance is
 * at most as great in the root's reciprocal, for which rsqrtf() is off by 4 u (CUDA C++ Programming
 * Guide, "Mathematical Functions"). */
static void reference_row(const kg_problem *problem, int64_t row, const double *gamma,
                          const double *beta, double *expected, double *tolerance)
{
    int64_t columns = kg_extent(problem->size, COLUMNS);
    const double u = ldexp(1, -24), chain = 2 * ((double)columns / LANES + 20) * u;
    const double stored = kg_roundoff(KG_BFLOAT16);
    double mean = 0, magnitude = 0, variance = 0, scale, of_mean, of_scale;

    for (int64_t i = 0; i < columns; i++) {
        double x = kg_element(KG_BFLOAT16, problem->data[X], (size_t)(row * columns + i));

        expected[i] = x;
        mean += x;
        magnitude += fabs(x);
    }
    mean /= (double)columns;
    magnitude /= (double)columns;
    for (int64_t i = 0; i < columns; i++)
        variance += (expected[i] - mean) * (expected[i] - mean);
    variance /= (double)columns;
    scale = 1 / sqrt(variance + 1e-5);
    of_mean = chain * magnitude;
    of_scale = 4 * u + (chain * variance + 2 * of_mean * sqrt(variance) + of_mean * of_mean) *
                           scale * scale;
    for (int64_t i = 0; i < columns; i++) {
        double deviation = expected[i] - mean, error;

        error = fabs(gamma[i]) * scale * (of_mean + fabs(deviation) * (of_scale + 4 * u)) +
                2 * u * fabs(beta[i]);
        expected[i] = deviation * scale * gamma[i] + beta[i];
        tolerance[i] = error + (fabs(expected[i]) + error) * stored + ldexp(1, -126);
        /* Where one is NaN, exactly all are. */
        if (isnan(mean * 0))
            expected[i] = (double)NAN, tolerance[i] = 0;
    }
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    int64_t columns = kg_extent(problem->size, COLUMNS);
    double *gamma = kg_allocate((size_t)columns, sizeof(double));
    double *beta = kg_allocate((size_t)columns, sizeof(double));

    (void)output;
    for (int64_t i = 0; i < columns; i++) {
        gamma[i] = kg_element(KG_BFLOAT16, problem->data[GAMMA], (size_t)i);
        beta[i] = kg_element(KG_BFLOAT16, problem->data[BETA], (size_t)i);
    }
    for (int64_t row = 0; row < kg_extent(problem->size, ROWS); row++)
        reference_row(problem, row, gamma, beta, expected + row * columns,
                      tolerance + row * columns);
    free(gamma);
    free(beta);
}

static const char *refuses(const kg_variant *variant, const kg_size *size, const kg_launch *launch)
{
    int64_t columns = kg_extent(size, COLUMNS);
    int64_t packets = columns % 8 == 0 ? columns / 8 : (14 + columns) / 8;
    int block = launch->axis[0];
    bool walks = variant->launch == layernorm_bf16_row_ahead;
    bool is_resident = variant->launch == layernorm_bf16_register_resident || walks;

    if (variant->launch == layernorm_bf16_warp_per_row && packets > (int64_t)LANES * 4)
        return "a lane keeps at most 4 times 16 bytes: the row is longer";
    if (is_resident && packets > (int64_t)block * 8)
        return "a thread keeps at most 8 times 16 bytes: the row is longer";
    if (walks && launch->axis[1] * 8 < kg_extent(size, ROWS))
        return "so few blocks walk over more than 8 rows each";
    if (is_resident && block > 64 && packets < block)
        return "the row is too short to give each thread a part";
    return NULL;
}

/* Elements next to each other in bfloat16, around a mean that is a thousand times their standard
 * deviation. */
static void fill_offset(const kg_problem *problem, int argument, void *data)
{
    int64_t elements = kg_extent(problem->size, ROWS) * kg_extent(problem->size, COLUMNS);

    kg_fill_random(problem, argument, data);
    for (int64_t i = 0; argument == X && i < elements; i++)
        kg_set_element(KG_BFLOAT16, data, (size_t)i, i % 64 == 0 ? 1032 : 1024);
}

/* By turns a row has a NaN, an infinity, two of them that cancel, and nothing of that. */
static void fill_infinities(const kg_problem *problem, int argument, void *data)
{
    int64_t columns = kg_extent(problem->size, COLUMNS);

    kg_fill_random(problem, argument, data);
    for (int64_t row = 0; argument == X && row < kg_extent(problem->size, ROWS); row++) {
        size_t first = (size_t)(row * columns), last = first + (size_t)columns - 1;

        if (row % 4 < 3)
            kg_set_element(KG_BFLOAT16, data, last, row % 4 == 0 ? (double)NAN : (double)INFINITY);
        if (row % 4 == 2)
            kg_set_element(KG_BFLOAT16, data, first, -(double)INFINITY);
    }
}

static const kg_pattern patterns[] = {
    { "offset", fill_offset, NULL, false },
    { "infinities", fill_infinities, NULL, false },
    KG_END,
};

KG_COMPARISON(layernorm_bf16, .variants = variants, .sizes = sizes, .axes = { "b", "g" },
              .arguments = arguments, .reference = reference, .work = work, .refuses = refuses,
              .advanced.patterns = patterns);

KG_DEFECTS(layernorm_bf16, defects);

/* 16 rows of 1024 elements are 1024 sectors. The parameters, read once per row, are 2048 more; a
 * request is 32 elements of 2 bytes, or of 16. */
KG_COUNT_CLAIM(layernorm_bf16, rows_are_read_three_times_then_twice_then_once)
{
    kg_expect_within("global_load_sectors", "three_pass/16x1024/b256", 5 * 1024, 5 * 1024);
    kg_expect_within("global_load_sectors", "welford/16x1024/b256", 4 * 1024, 4 * 1024);
    kg_expect_within("global_load_sectors", "register_resident/16x1024/b64", 3 * 1024, 3 * 1024);
    kg_expect_within("global_load_sectors", "row_ahead/16x1024/b64g2", 3 * 1024, 3 * 1024);
}

KG_COUNT_CLAIM(layernorm_bf16, sixteen_bytes_need_an_eighth_of_the_requests)
{
    kg_expect_less("global_store_requests", "register_resident/16x1024/b64", "welford/16x1024/b256",
                   8);
}

KG_COUNT_CLAIM(layernorm_bf16, a_warp_per_row_needs_no_barrier)
{
    kg_expect_within("barriers", "register_resident/16x1024/b64", 16, 16);
    kg_expect_within("barriers", "warp_per_row/16x1024/b64", 0, 0);
}

/* 2.7 on an H100, 3.2 on an H200. */
KG_TIME_CLAIM(layernorm_bf16, registers_beat_a_second_read)
{
    kg_expect_speedup("register_resident/32768x1024/b64", "welford/32768x1024/b256", 1.80);
    kg_expect_speedup("register_resident/1024x32768/b512", "welford/1024x32768/b256", 1.80);
    kg_expect_speedup("row_ahead/1024x32768/b512g256", "welford/1024x32768/b256", 1.90);
}
