/* SPDX-License-Identifier: MIT */
/* pair_means: for every pair of a row of A and a row of B, the mean of each over the positions
 * where neither is NaN, and their number; NaN, NaN and 0 without such a position. Sizes
 * are a x b x dim: a rows of A and b rows of B, of dim elements each. */
#include <kernelgate/kernelgate.h>
#include <math.h>

enum { A, B, MEAN_A, MEAN_B, PAIRS };

kg_launcher pair_means_shared_tree, pair_means_warp_shuffle, pair_means_register_tile,
    pair_means_either_is_number, pair_means_oversized_launch;

static const kg_launch whole_warps[] = { KG_LAUNCH(32), KG_LAUNCH(128), KG_END };

static const kg_variant variants[] = {
    KG_VARIANT("shared_tree", pair_means_shared_tree,
               "a block a pair, its threads added up as a tree in shared memory", KG_REPEATABLE),
    KG_VARIANT("warp_shuffle", pair_means_warp_shuffle,
               "a block a pair, its threads added up by shuffles within each warp", KG_REPEATABLE),
    KG_VARIANT("register_tile", pair_means_register_tile, "2 x 4 pairs a block, by float4",
               .launches = whole_warps, KG_REPEATABLE),
    KG_END,
};

static const kg_defect defects[] = {
    KG_DEFECT("either_is_number", pair_means_either_is_number,
              "counts a position where only one of the two is NaN", KG_CHECKED(5, 5, 100),
              KG_LAUNCH(32)),
    KG_DEFECT("oversized_launch", pair_means_oversized_launch,
              "32 x 32 threads on shared arrays of 16 elements", KG_CHECKED(5, 5, 100),
              KG_LAUNCH(16)),
    KG_END,
};

static const kg_size sizes[] = {
    KG_CHECKED(1, 1, 1),
    KG_CHECKED(5, 5, 0),
    KG_CHECKED(3, 4, 1),
    KG_CHECKED(5, 5, 15),
    KG_CHECKED(5, 5, 17),
    KG_CHECKED(2, 3, 31),
    KG_CHECKED(3, 2, 33),
    KG_COUNTED(7, 5, 130),
    KG_TIMED_AND_COUNTED(5, 5, 100),
    KG_MODEL_ONLY(16, 20, 1000),
    KG_TIMED(64, 64, 1000),
    KG_TIMED(2, 8192, 4096),
    KG_END,
};

/* A launch is a block's threads: half a warp, a warp, four warps. */
static const kg_launch launches[] = { KG_LAUNCH(16), KG_LAUNCH(32), KG_LAUNCH(128), KG_END };

static const char *refuses(const kg_variant *variant, const kg_size *size, const kg_launch *launch)
{
    int64_t a = kg_extent(size, 0);
    int64_t b = kg_extent(size, 1);

    (void)variant;
    if (a == 0 || b == 0)
        return "no rows in A or in B: there is no pair to compute";
    if (a > INT32_MAX || b > INT32_MAX / a)
        return "more pairs than a grid has blocks, 2147483647";
    if (kg_extent(size, 2) > 1 << 24)
        return "rows of more than 16777216 elements, up to which a float counts exactly";
    if (launch->axis[0] < 1 || launch->axis[0] > 1024)
        return "a block has 1 to 1024 threads";
    if ((launch->axis[0] & (launch->axis[0] - 1)) != 0)
        return "the number of threads per block must be a power of two: sums are halved level by "
               "level";
    return NULL;
}

static void arguments(const kg_size *size, kg_arguments *list)
{
    int64_t a = kg_extent(size, 0);
    int64_t b = kg_extent(size, 1);
    int64_t dim = kg_extent(size, 2);

    kg_add_argument(list, KG_INPUT, "a", KG_FLOAT32, a, dim);
    kg_add_argument(list, KG_INPUT, "b", KG_FLOAT32, b, dim);
    kg_add_argument(list, KG_OUTPUT, "mean_a", KG_FLOAT32, a, b);
    kg_add_argument(list, KG_OUTPUT, "mean_b", KG_FLOAT32, a, b);
    kg_add_argument(list, KG_OUTPUT, "pairs", KG_INT32, a, b);
}

/* Four operations a pair's position: whether both are numbers, which is one comparison, two
 * additions and a count; two divisions a pair. */
static kg_work work(const kg_size *size)
{
    double a = (double)kg_extent(size, 0);
    double b = (double)kg_extent(size, 1);
    double dim = (double)kg_extent(size, 2);

    return (kg_work){ .operations = a * b * (4 * dim + 2),
                      .bytes = 4 * dim * (a + b) + 12 * a * b };
}

/* The bound of a sum of n terms in single precision, whatever the order of summation: |error| <= 2
 * n 2^-24 sum |x| (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section
 * 4.2, with room for second-order terms and for the division that makes it a mean). */
static double rounding_bound(int64_t n)
{
    return 2.0 * (double)n * ldexp(1.0, -24);
}

/* The mean of `of` over the positions where neither it nor `other` is NaN, and its tolerance;
 * returns how many those are. A mean that is infinite or NaN is exact: an infinite tolerance would
 * accept anything. */
static int64_t reference_mean(const float *of, const float *other, int64_t dim, double *mean,
                              double *tolerance)
{
    double sum = 0;
    double magnitude = 0;
    int64_t count = 0;

    for (int64_t i = 0; i < dim; i++) {
        if (isnan(of[i]) || isnan(other[i]))
            continue;
        sum += of[i];
        magnitude += fabs((double)of[i]);
        count++;
    }
    *mean = count > 0 ? sum / (double)count : (double)NAN;
    *tolerance = isfinite(*mean) ? rounding_bound(count) * magnitude / (double)count : 0;
    return count;
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    int64_t a_rows = kg_extent(problem->size, 0);
    int64_t b_rows = kg_extent(problem->size, 1);
    int64_t dim = kg_extent(problem->size, 2);
    const float *a = problem->data[A];
    const float *b = problem->data[B];

    for (int64_t pair = 0; pair < a_rows * b_rows; pair++) {
        const float *row_a = a + pair / b_rows * dim;
        const float *row_b = b + pair % b_rows * dim;
        const float *of = output == MEAN_B ? row_b : row_a;
        const float *other = output == MEAN_B ? row_a : row_b;
        int64_t count = reference_mean(of, other, dim, &expected[pair], &tolerance[pair]);

        if (output == PAIRS) {
            expected[pair] = (double)count;
            tolerance[pair] = 0;
        }
    }
}

/* Numbers in [-1, 1), and NaN with a probability of `nan_share`. */
static void fill_numbers_and_nan(const kg_problem *problem, int argument, double nan_share,
                                 float *values)
{
    const kg_argument *shape = &problem->arguments.list[argument];
    uint64_t state = 0x2545f4914f6cdd1du + (uint64_t)argument;

    for (size_t i = 0; i < shape->rows * shape->columns; i++) {
        double uniform;

        state = state * 6364136223846793005u + 1442695040888963407u;
        uniform = (double)(state >> 40) * ldexp(1.0, -24);
        /* What is left of the draw is uniform again. */
        values[i] =
            uniform < nan_share ? NAN : (float)(2 * (uniform - nan_share) / (1 - nan_share) - 1);
    }
}

static void fill_sprinkled_nan(const kg_problem *problem, int argument, void *data)
{
    fill_numbers_and_nan(problem, argument, 0.2, data);
}

static void fill_all_nan(const kg_problem *problem, int argument, void *data)
{
    fill_numbers_and_nan(problem, argument, 1, data);
}

/* NaN in A alone. */
static void fill_nan_in_one(const kg_problem *problem, int argument, void *data)
{
    fill_numbers_and_nan(problem, argument, argument == A ? 0.2 : 0, data);
}

/* By turns a row gets +inf, -inf, both, or a 0 where others have +inf: what counts must not be told
 * from a sum, a difference or a product of the two. NaN is sprinkled over the rest, so that some
 * infinities meet a NaN and do not count. */
static void fill_infinities(const kg_problem *problem, int argument, void *data)
{
    const kg_argument *shape = &problem->arguments.list[argument];
    float *values = data;

    fill_numbers_and_nan(problem, argument, 0.2, values);
    for (size_t row = 0; row < shape->rows && shape->columns > 0; row++) {
        float *of_row = values + row * shape->columns;

        if (row % 4 == 0 || row % 4 == 2)
            of_row[shape->columns / 4] = INFINITY;
        if (row % 4 == 1 || row % 4 == 2)
            of_row[shape->columns - 1] = -INFINITY;
        if (row % 4 == 3)
            of_row[shape->columns / 4] = 0;
    }
}

static const kg_pattern patterns[] = {
    { "sprinkled_nan", fill_sprinkled_nan, NULL, false },
    { "all_nan", fill_all_nan, NULL, false },
    { "nan_in_one", fill_nan_in_one, NULL, false },
    { "infinities", fill_infinities, NULL, false },
    KG_END,
};

KG_COMPARISON(pair_means, .variants = variants, .sizes = sizes, .launches = launches,
              .advanced.patterns = patterns, .arguments = arguments, .reference = reference,
              .work = work, .advanced.takes_zero = true, .refuses = refuses);

KG_DEFECTS(pair_means, defects);

KG_TIME_CLAIM(pair_means, warp_shuffle_beats_shared_tree)
{
    kg_expect_speedup("warp_shuffle/5x5x100/b128", "shared_tree/5x5x100/b128", 1.0);
}

/* 1.9 on an H200: B is read once. */
KG_TIME_CLAIM(pair_means, a_register_tile_reads_long_rows_once)
{
    kg_expect_speedup("register_tile/2x8192x4096/b128", "warp_shuffle/2x8192x4096/b128", 1.4);
}

/* The tree waits at each of the 7 levels of 128 threads; the shuffles wait once, for all warps. */
KG_COUNT_CLAIM(pair_means, shuffles_replace_barriers)
{
    kg_expect_less("barriers", "warp_shuffle/5x5x100/b128", "shared_tree/5x5x100/b128", 7);
}

KG_COUNT_CLAIM(pair_means, one_warp_needs_no_barrier)
{
    kg_expect_within("barriers", "warp_shuffle/5x5x100/b16", 0, 0);
    kg_expect_within("barriers", "warp_shuffle/5x5x100/b32", 0, 0);
}

/* 17.7 times and 3 times. */
KG_COUNT_CLAIM(pair_means, shuffles_replace_shared_memory)
{
    kg_expect_less("shared_load_wavefronts", "warp_shuffle/5x5x100/b128",
                   "shared_tree/5x5x100/b128", 16);
    kg_expect_less("shared_store_wavefronts", "warp_shuffle/5x5x100/b128",
                   "shared_tree/5x5x100/b128", 3);
}

KG_COUNT_CLAIM(pair_means, tree_has_no_bank_conflicts)
{
    kg_expect_within("shared_load_wavefronts_per_request", "shared_tree/5x5x100/b128", 1, 1);
    kg_expect_within("shared_store_wavefronts_per_request", "shared_tree/5x5x100/b128", 1, 1);
}

/* Four elements per request, each for two or four pairs. */
KG_COUNT_CLAIM(pair_means, a_register_tile_asks_ten_times_less)
{
    kg_expect_less("global_load_requests", "register_tile/16x20x1000/b32",
                   "warp_shuffle/16x20x1000/b32", 10);
    kg_expect_less("global_load_sectors", "register_tile/16x20x1000/b32",
                   "warp_shuffle/16x20x1000/b32", 2.6);
}

/* A row of 100 elements takes 7 passes of 16 threads, and 4 of 32. */
KG_COUNT_CLAIM(pair_means, half_a_warp_needs_more_requests)
{
    kg_expect_less("global_load_requests", "shared_tree/5x5x100/b32", "shared_tree/5x5x100/b16",
                   1.75);
    kg_expect_less("global_load_requests", "warp_shuffle/5x5x100/b32", "warp_shuffle/5x5x100/b16",
                   1.75);
}
