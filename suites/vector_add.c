/* SPDX-License-Identifier: MIT */
/* vector_add: y += x in single precision; sizes are the vectors' lengths. */
#include <kernelgate/kernelgate.h>

enum { X, Y };

kg_launcher vector_add_strided, vector_add_unstrided, vector_add_vectorized;

static const kg_launch unstrided_launches[] = { KG_LAUNCH(256), KG_LAUNCH(1024), KG_END };
static const kg_launch first_unstrided_launch[] = { KG_LAUNCH(256), KG_END };

/* Every thread that an H200 has room for: 132 multiprocessors of 2048. */
static const kg_launch strided_launches[] = { KG_LAUNCH(256, 1056), KG_LAUNCH(1024, 264), KG_END };
static const kg_launch first_strided_launch[] = { KG_LAUNCH(256, 1056), KG_END };
/* Of 672 threads. The others all have 270336, which a kernel that takes its stride from anywhere
 * but the grid can get right by chance. */
static const kg_launch narrow_launch[] = { KG_LAUNCH(96, 7), KG_END };

static const kg_variant variants[] = {
    KG_VARIANT("unstrided", vector_add_unstrided, "one thread an element",
               .launches = unstrided_launches, KG_REPEATABLE),
    KG_VARIANT("strided", vector_add_strided, "a grid-stride loop", .launches = strided_launches,
               KG_REPEATABLE),
    KG_VARIANT("vectorized", vector_add_vectorized, "a float4 a thread",
               .launches = unstrided_launches, KG_REPEATABLE),
    KG_VARIANT("unstrided_managed", vector_add_unstrided,
               "one thread an element, in managed memory that is resident on the device",
               .launches = unstrided_launches, .advanced.memory = { KG_MANAGED, KG_MANAGED }),
    KG_VARIANT("strided_managed", vector_add_strided,
               "a grid-stride loop, in managed memory that is resident on the device",
               .launches = strided_launches, .advanced.memory = { KG_MANAGED, KG_MANAGED }),
    KG_VARIANT(
        "unstrided_first_touch", vector_add_unstrided,
        "one thread an element, in managed memory that is first touched by the kernel, pages "
        "on the host",
        .launches = first_unstrided_launch, .advanced.memory = { KG_MANAGED, KG_MANAGED },
        .advanced.clock = KG_FIRST_TOUCH_CLOCK, .advanced.not_for = KG_PURPOSE_COUNT),
    KG_VARIANT(
        "strided_first_touch", vector_add_strided,
        "a grid-stride loop, in managed memory that is first touched by the kernel, pages on "
        "the host",
        .launches = first_strided_launch, .advanced.memory = { KG_MANAGED, KG_MANAGED },
        .advanced.clock = KG_FIRST_TOUCH_CLOCK, .advanced.not_for = KG_PURPOSE_COUNT),
    KG_VARIANT("strided_narrow", vector_add_strided, "a grid-stride loop in a grid of few threads",
               .launches = narrow_launch, .advanced.not_for = KG_PURPOSE_TIME | KG_PURPOSE_COUNT),
    KG_END,
};

/* Up to 270336 elements a thread of `strided` has one at most; in 811013 its grid goes round three
 * times, and five threads once more. */
static const kg_size sizes[] = {
    KG_CHECKED(1),     KG_CHECKED(31),     KG_CHECKED(33),    KG_CHECKED(65535),  KG_CHECKED(65537),
    KG_COUNTED(65541), KG_COUNTED(811013), KG_TIMED(1048576), KG_TIMED(33554432), KG_END,
};

static void arguments(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "x", KG_FLOAT32, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_INPUT_OUTPUT, "y", KG_FLOAT32, 1, kg_extent(size, 0));
}

/* An addition an element; x is read, y read and written. */
static kg_work work(const kg_size *size)
{
    double n = (double)kg_extent(size, 0);

    return (kg_work){ .operations = n, .bytes = 12 * n };
}

/* One sum is one rounding, to the nearest, which IEEE 754 leaves no choice in: a right kernel gives
 * the very same float as the host, so the tolerance is 0. Rounding the sum in double once more to
 * single changes nothing, since 53 bits are more than twice 24 and one (S. A. Figueroa, When is
 * double rounding innocuous?, 1995). */
static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    int64_t n = kg_extent(problem->size, 0);
    const float *x = problem->data[X];
    const float *y = problem->data[output];

    for (int64_t i = 0; i < n; i++) {
        expected[i] = (float)((double)y[i] + x[i]);
        tolerance[i] = 0;
    }
}

/* The index and twice it, cut to 20 bits so that three times it stays below 2^24, where single
 * precision is exact. */
static int64_t cut_index(int64_t i)
{
    return i & 0xfffff;
}

static void fill_index_and_double(const kg_problem *problem, int argument, void *data)
{
    int64_t n = kg_extent(problem->size, 0);
    float *values = data;

    for (int64_t i = 0; i < n; i++)
        values[i] = (float)(argument == X ? cut_index(i) : 2 * cut_index(i));
}

static void expect_thrice_index(const kg_problem *problem, int output, double *expected,
                                double *tolerance)
{
    int64_t n = kg_extent(problem->size, 0);

    (void)output;
    for (int64_t i = 0; i < n; i++) {
        expected[i] = 3.0 * (double)cut_index(i);
        tolerance[i] = 0;
    }
}

static const kg_pattern patterns[] = {
    { "index_and_its_double", fill_index_and_double, expect_thrice_index, true },
    KG_END,
};

/* First touches differ by 10 % between processes (baselines/), and those of 2^25 elements would
 * take seconds of each gate. */
static const char *refuses(const kg_variant *variant, const kg_size *size, const kg_launch *launch)
{
    (void)launch;
    return variant->advanced.clock == KG_FIRST_TOUCH_CLOCK && kg_extent(size, 0) > 1 << 20
               ? "first touches are timed at 1048576 elements: larger ones take seconds and vary "
                 "as much"
               : NULL;
}

KG_COMPARISON(vector_add, .variants = variants, .sizes = sizes, .advanced.patterns = patterns,
              .arguments = arguments, .reference = reference, .work = work, .refuses = refuses);

/* Walking in steps of the grid keeps a warp's 32 elements side by side. */
KG_COUNT_CLAIM(vector_add, a_grid_stride_loop_moves_the_same_sectors)
{
    kg_expect_less("global_load_sectors", "strided/811013/b256g1056", "unstrided/811013/b256", 1);
    kg_expect_less("global_load_sectors", "unstrided/811013/b256", "strided/811013/b256g1056", 1);
    kg_expect_less("global_store_sectors", "strided/811013/b256g1056", "unstrided/811013/b256", 1);
    kg_expect_less("global_store_sectors", "unstrided/811013/b256", "strided/811013/b256g1056", 1);
}

/* 811013 elements are 202753 float4, of 6336 whole warps and one more, and an element of each
 * vector that the thread after them loads. Sectors stay the same. */
KG_COUNT_CLAIM(vector_add, vectors_ask_four_times_less)
{
    kg_expect_less("global_load_requests", "vectorized/811013/b256", "unstrided/811013/b256", 3.99);
    kg_expect_less("global_store_requests", "vectorized/811013/b256", "unstrided/811013/b256",
                   3.99);
    kg_expect_within("global_load_sectors_per_request", "vectorized/811013/b256", 15.9, 16);
}

KG_TIME_CLAIM(vector_add, a_grid_stride_loop_costs_nothing)
{
    kg_expect_speedup("strided/33554432/b256g1056", "unstrided/33554432/b256", 0.97);
}

KG_TIME_CLAIM(vector_add, resident_managed_memory_is_as_fast)
{
    kg_expect_speedup("unstrided_managed/33554432/b256", "unstrided/33554432/b256", 0.97);
    kg_expect_speedup("strided_managed/33554432/b256g1056", "strided/33554432/b256g1056", 0.97);
}
