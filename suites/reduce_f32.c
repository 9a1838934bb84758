/* SPDX-License-Identifier: MIT */
/* reduce_f32: the sum of n elements in single precision; sizes are n. */
#include <kernelgate/kernelgate.h>
#include <math.h>

enum { X, Y };

kg_launcher reduce_f32_atomics, reduce_f32_shared_tree, reduce_f32_shuffles, reduce_f32_grid_stride,
    reduce_f32_one_pass, reduce_f32_tail_twice;
#ifdef KG_LIBRARIES
kg_launcher reduce_f32_cub;
#endif

/* A launch is threads per block and, of what strides, the most blocks: 4 for each of 132
 * multiprocessors. */
static const kg_launch blocks[] = { KG_LAUNCH(256), KG_END };
/* Three blocks, which go round even where n is small. */
static const kg_launch narrow_grid[] = { KG_LAUNCH(64, 3), KG_END };
static const kg_launch two_kernels[] = { KG_LAUNCH(512, 528), KG_END };
static const kg_launch one_kernel[] = { KG_LAUNCH(256, 528), KG_END };

/* Atomic operations add in another order in each run. */
static const kg_variant variants[] = {
    KG_VARIANT("atomics", reduce_f32_atomics, "each warp adds its sum to the result",
               .launches = blocks),
    KG_VARIANT("shared_tree", reduce_f32_shared_tree,
               "a block halves its elements in shared memory; a second kernel adds the blocks",
               .launches = blocks, KG_REPEATABLE),
    KG_VARIANT("shuffles", reduce_f32_shuffles, "a warp adds by shuffles instead",
               .launches = blocks, KG_REPEATABLE),
    KG_VARIANT("grid_stride", reduce_f32_grid_stride,
               "few blocks walk over the elements, four float4 on their way per thread",
               .launches = two_kernels, KG_REPEATABLE),
    KG_VARIANT("one_pass", reduce_f32_one_pass, "the last block done adds the blocks' sums",
               .launches = one_kernel, KG_REPEATABLE),
    KG_VARIANT("one_pass_narrow", reduce_f32_one_pass, "one_pass in a grid of few threads",
               .launches = narrow_grid, KG_REPEATABLE,
               .advanced.not_for = KG_PURPOSE_TIME | KG_PURPOSE_COUNT),
#ifdef KG_LIBRARIES
    KG_VARIANT("cub", reduce_f32_cub, "cub::DeviceReduce::Sum"),
#endif
    KG_END,
};

static const kg_defect defects[] = {
    KG_DEFECT("odd_half", reduce_f32_shared_tree, "halves three sums, and loses one",
              KG_CHECKED(257), KG_LAUNCH(96)),
    KG_DEFECT("tail_twice", reduce_f32_tail_twice, "every block adds the last elements",
              KG_CHECKED(4099), KG_LAUNCH(64, 3)),
    KG_END,
};

/* Next to a warp and a block, with tails of each length. */
static const kg_size sizes[] = {
    KG_CHECKED(1),
    KG_CHECKED(31),
    KG_CHECKED(33),
    KG_CHECKED(257),
    KG_CHECKED(4098),
    KG_COUNTED(65543),
    KG_TIMED((1 << 20) + 530),
    KG_TIMED(1 << 26),
    KG_END,
};

/* `sums` holds a sum per block, at most one per 96 elements, or as much as CUB's launcher allows.
 */
static void arguments(const kg_size *size, kg_arguments *list)
{
    int64_t n = kg_extent(size, 0);

    kg_add_argument(list, KG_INPUT, "x", KG_FLOAT32, 1, n);
    kg_add_argument(list, KG_OUTPUT, "y", KG_FLOAT32, 1, 1);
    kg_add_argument(list, KG_SCRATCH, "sums", KG_FLOAT32, 1, n / 32 + 16384);
}

static kg_work work(const kg_size *size)
{
    return (kg_work){ .operations = (double)kg_extent(size, 0) };
}

/* The most additions that an element goes through bound the error, not the number of elements (N.
 * J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 4.2). Most are those
 * of `atomics`: 5 in a warp, and one per warp; the others take less than 64 and one per 512. */
static int64_t additions(int64_t n)
{
    return 64 + n / 32;
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    int64_t n = kg_extent(problem->size, 0);
    const float *x = problem->data[X];
    double sum = 0;
    double magnitude = 0;

    (void)output;
    for (int64_t i = 0; i < n; i++) {
        sum += x[i];
        magnitude += fabs((double)x[i]);
    }
    expected[0] = sum;
    /* Infinite sums are exact, and NaN where both infinities are in them. */
    tolerance[0] =
        isfinite(sum) ? kg_sum_tolerance(KG_FLOAT32, KG_FLOAT32, additions(n), magnitude) : 0;
}

/* In "few_ones" an eighth of the elements is 1, the others are 0. All sums are integers that a
 * float represents, 2^23 for 2^26 elements: the result is exact in every order, and at every size a
 * row of elements that is left out, or added twice, shows. */
static int few_ones(int64_t i)
{
    return (uint64_t)i * 0x9e3779b97f4a7c15u >> 61 == 0;
}

static void fill_few_ones(const kg_problem *problem, int argument, void *data)
{
    int64_t n = kg_extent(problem->size, 0);
    float *x = data;

    (void)argument;
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)few_ones(i);
}

static void expect_few_ones(const kg_problem *problem, int output, double *expected,
                            double *tolerance)
{
    int64_t n = kg_extent(problem->size, 0);

    (void)output;
    expected[0] = 0;
    for (int64_t i = 0; i < n; i++)
        expected[0] += few_ones(i);
    tolerance[0] = 0;
}

/* One infinity, the last element. */
static void fill_infinity(const kg_problem *problem, int argument, void *data)
{
    float *x = data;

    kg_fill_random(problem, argument, data);
    x[kg_extent(problem->size, 0) - 1] = INFINITY;
}

static const kg_pattern patterns[] = {
    { "few_ones", fill_few_ones, expect_few_ones, true },
    { "infinity", fill_infinity, NULL, false },
    KG_END,
};

KG_COMPARISON(reduce_f32, .variants = variants, .sizes = sizes, .axes = { "b", "g" },
              .arguments = arguments, .reference = reference, .work = work,
              .advanced.patterns = patterns);

KG_DEFECTS(reduce_f32, defects);

/* 2049 warps add to one address, or 257 blocks have a sum each, or 9 of a grid-stride loop. */
KG_COUNT_CLAIM(reduce_f32, few_blocks_have_few_sums)
{
    kg_expect_within("global_atomic_requests", "atomics/65543/b256", 2056, 2056);
    kg_expect_within("global_store_requests", "shuffles/65543/b256", 258, 258);
    kg_expect_within("global_store_requests", "grid_stride/65543/b512g528", 10, 10);
}

/* A block of 256 halves its sums eight times; the shuffles leave eight sums to shared memory. */
KG_COUNT_CLAIM(reduce_f32, shuffles_replace_shared_memory)
{
    kg_expect_less("shared_load_requests", "shuffles/65543/b256", "shared_tree/65543/b256", 10);
}

/* A load of 512 bytes instead of 128, and one launch instead of two. */
KG_COUNT_CLAIM(reduce_f32, float4_needs_a_quarter_of_the_requests)
{
    kg_expect_less("global_load_requests", "one_pass/65543/b256g528", "shuffles/65543/b256", 3.5);
    kg_expect_within("launches", "one_pass/65543/b256g528", 1, 1);
    kg_expect_within("launches", "grid_stride/65543/b512g528", 2, 2);
}

/* 5.6 on an H200. */
KG_TIME_CLAIM(reduce_f32, a_grid_stride_beats_a_tree)
{
    kg_expect_speedup("grid_stride/67108864/b512g528", "shared_tree/67108864/b256", 3.00);
}
