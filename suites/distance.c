/* SPDX-License-Identifier: MIT */
/* distance: d = |p - q| of pairs of points in the plane, in single precision; sizes are the numbers
 * of pairs. */
#include <kernelgate/kernelgate.h>
#include <math.h>

enum { P, Q, D };

kg_launcher distance_strided, distance_unstrided, distance_vectorized;

static const kg_launch unstrided_launches[] = { KG_LAUNCH(256), KG_LAUNCH(1024), KG_END };
static const kg_launch first_unstrided_launch[] = { KG_LAUNCH(256), KG_END };

/* Every thread that an H200 has room for: 132 multiprocessors of 2048. */
static const kg_launch strided_launches[] = { KG_LAUNCH(256, 1056), KG_LAUNCH(1024, 264), KG_END };
static const kg_launch first_strided_launch[] = { KG_LAUNCH(256, 1056), KG_END };
/* Of 672 threads. The others all have 270336, which a kernel that takes its stride from anywhere
 * but the grid can get right by chance. */
static const kg_launch narrow_launch[] = { KG_LAUNCH(96, 7), KG_END };

static const kg_variant variants[] = {
    KG_VARIANT("unstrided", distance_unstrided, "one thread a pair", .launches = unstrided_launches,
               KG_REPEATABLE),
    KG_VARIANT("strided", distance_strided, "a grid-stride loop", .launches = strided_launches,
               KG_REPEATABLE),
    KG_VARIANT("vectorized", distance_vectorized, "two pairs a thread, by float4",
               .launches = unstrided_launches, KG_REPEATABLE),
    KG_VARIANT("unstrided_managed", distance_unstrided,
               "one thread a pair, in managed memory that is resident on the device",
               .launches = unstrided_launches,
               .advanced.memory = { [P] = KG_MANAGED, [Q] = KG_MANAGED, [D] = KG_MANAGED }),
    KG_VARIANT("strided_managed", distance_strided,
               "a grid-stride loop, in managed memory that is resident on the device",
               .launches = strided_launches,
               .advanced.memory = { [P] = KG_MANAGED, [Q] = KG_MANAGED, [D] = KG_MANAGED }),
    KG_VARIANT("unstrided_first_touch", distance_unstrided,
               "one thread a pair, in managed memory that is first touched by the kernel, pages on "
               "the host",
               .launches = first_unstrided_launch,
               .advanced.memory = { [P] = KG_MANAGED, [Q] = KG_MANAGED, [D] = KG_MANAGED },
               .advanced.clock = KG_FIRST_TOUCH_CLOCK, .advanced.not_for = KG_PURPOSE_COUNT),
    KG_VARIANT("strided_first_touch", distance_strided,
               "a grid-stride loop, in managed memory that is first touched by the kernel, pages "
               "on the host",
               .launches = first_strided_launch,
               .advanced.memory = { [P] = KG_MANAGED, [Q] = KG_MANAGED, [D] = KG_MANAGED },
               .advanced.clock = KG_FIRST_TOUCH_CLOCK, .advanced.not_for = KG_PURPOSE_COUNT),
    KG_VARIANT("strided_narrow", distance_strided, "a grid-stride loop in a grid of few threads",
               .launches = narrow_launch, .advanced.not_for = KG_PURPOSE_TIME | KG_PURPOSE_COUNT),
    KG_END,
};

/* The grids of `strided` hold 270336 threads: 811013 pairs take them round three times, and five of
 * them once more. */
static const kg_size sizes[] = {
    KG_CHECKED(1),     KG_CHECKED(31),     KG_CHECKED(33),    KG_CHECKED(65535),  KG_CHECKED(65537),
    KG_COUNTED(65541), KG_COUNTED(811013), KG_TIMED(1048576), KG_TIMED(16777216), KG_END,
};

static void arguments(const kg_size *size, kg_arguments *list)
{
    int64_t n = kg_extent(size, 0);

    kg_add_argument(list, KG_INPUT, "p", KG_FLOAT32, n, 2);
    kg_add_argument(list, KG_INPUT, "q", KG_FLOAT32, n, 2);
    kg_add_argument(list, KG_OUTPUT, "d", KG_FLOAT32, 1, n);
}

/* Two subtractions, two multiplications, an addition and a square root a pair; two points of 8
 * bytes are read and a distance of 4 written. */
static kg_work work(const kg_size *size)
{
    double n = (double)kg_extent(size, 0);

    return (kg_work){ .operations = 6 * n, .bytes = 20 * n };
}

/* Each rounding to nearest is off by u / (1 + u) of its value at most, u = 2^-24 (C.-P. Jeannerod,
 * S. M. Rump, On relative errors of floating-point operations: optimal bounds and applications,
 * 2018). A square carries its difference's rounding twice and its own once, and the sum of what
 * cannot cancel one more: four; the root keeps half, and with its own (CUDA's sqrtf() is
 * correctly rounded unless told otherwise) they are three. The third power of 1 + u / (1 + u) is
 * below 1 + 3 u. A fused multiplication and addition leaves a rounding out. */
static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    int64_t n = kg_extent(problem->size, 0);
    const float *p = problem->data[P];
    const float *q = problem->data[Q];

    (void)output;
    for (int64_t i = 0; i < n; i++) {
        double dx = (double)p[2 * i] - q[2 * i];
        double dy = (double)p[2 * i + 1] - q[2 * i + 1];

        expected[i] = sqrt(dx * dx + dy * dy);
        tolerance[i] = 3 * 0x1p-24 * expected[i];
    }
}

/* The scale of pair i's triangle, whose sides are 3, 4 and 5 times as long: the square of the
 * longest stays below 2^24, up to where single precision holds every integer. */
static int64_t triangle_scale(int64_t i)
{
    return i % 820;
}

/* q lies off p by the legs of a right triangle, to alternating sides. */
static void fill_triangles(const kg_problem *problem, int argument, void *data)
{
    float *point = data;

    for (int64_t i = 0; i < kg_extent(problem->size, 0); i++) {
        int64_t leg = argument == Q ? triangle_scale(i) : 0;
        int64_t side = i % 2 == 0 ? 1 : -1;

        point[2 * i] = (float)(i % 1021 + side * 3 * leg);
        point[2 * i + 1] = (float)(i % 1019 - side * 4 * leg);
    }
}

static void triangles_reference(const kg_problem *problem, int output, double *expected,
                                double *tolerance)
{
    (void)output;
    for (int64_t i = 0; i < kg_extent(problem->size, 0); i++) {
        expected[i] = (double)(5 * triangle_scale(i));
        tolerance[i] = 0;
    }
}

static const kg_pattern patterns[] = {
    { "triangles", fill_triangles, triangles_reference, .exact = true },
    KG_END,
};

/* First touches differ by 10 % between processes (baselines/), and those of 2^24 elements would
 * take seconds of each gate. */
static const char *refuses(const kg_variant *variant, const kg_size *size, const kg_launch *launch)
{
    (void)launch;
    return variant->advanced.clock == KG_FIRST_TOUCH_CLOCK && kg_extent(size, 0) > 1 << 20
               ? "first touches are timed at 1048576 elements: larger ones take seconds and vary "
                 "as much"
               : NULL;
}

KG_COMPARISON(distance, .variants = variants, .sizes = sizes, .advanced.patterns = patterns,
              .arguments = arguments, .reference = reference, .work = work, .refuses = refuses);

/* 32 lanes times 8 bytes are 8 sectors of 32 bytes; the last warp has 5 lanes. */
KG_COUNT_CLAIM(distance, points_are_coalesced)
{
    kg_expect_within("global_load_sectors_per_request", "unstrided/811013/b256", 7.99, 8.0);
    kg_expect_within("global_load_sectors_per_request", "strided/811013/b256g1056", 7.99, 8.0);
}

/* Two points in each of 25345 warps. Sectors a request cannot tell: a coordinate at a time is twice
 * as many requests, of 8 sectors too. */
KG_COUNT_CLAIM(distance, a_point_is_one_request)
{
    kg_expect_within("global_load_requests", "unstrided/811013/b256", 50690, 50690);
    kg_expect_within("global_load_requests", "strided/811013/b256g1056", 50690, 50690);
}

/* 25344 whole warps read 8 sectors of p and 8 of q, and the last five lanes 2 and 2. */
KG_COUNT_CLAIM(distance, going_round_reads_no_more)
{
    kg_expect_within("global_load_sectors", "unstrided/811013/b256", 405508, 405508);
    kg_expect_within("global_load_sectors", "strided/811013/b256g1056", 405508, 405508);
}

/* 405506 pairs of points by float4 in 12673 warps, and the last point alone. */
KG_COUNT_CLAIM(distance, two_points_are_one_request)
{
    kg_expect_less("global_load_requests", "vectorized/811013/b256", "unstrided/811013/b256", 1.99);
    kg_expect_within("global_load_sectors_per_request", "vectorized/811013/b256", 15.9, 16);
    kg_expect_within("global_store_sectors_per_request", "vectorized/811013/b256", 7.9, 8);
}

/* 0.96 on an H100, 0.99 on an H200. */
KG_TIME_CLAIM(distance, a_grid_stride_loop_costs_little)
{
    kg_expect_speedup("strided/16777216/b256g1056", "unstrided/16777216/b256", 0.94);
}
