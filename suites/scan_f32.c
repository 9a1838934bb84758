/* SPDX-License-Identifier: MIT */
/* scan_f32: inclusive prefix sums, y[i] = x[0] + ... + x[i], in single precision; sizes are n. */
#include <kernelgate/kernelgate.h>
#include <math.h>

enum { X, Y };

kg_launcher scan_f32_three_kernel, scan_f32_two_pass, scan_f32_look_back, scan_f32_look_back_warp,
    scan_f32_early_sums, scan_f32_one_too_few, scan_f32_by_difference;
#ifdef KG_LIBRARIES
kg_launcher scan_f32_cub;
#endif

/* A launch is threads per block, elements per thread and, of two_pass and early_sums, blocks. */
static const kg_launch tiles[] = { KG_LAUNCH(256, 16), KG_END };
static const kg_launch runs[] = { KG_LAUNCH(256, 16, 528), KG_END };
static const kg_launch one_walker[] = { KG_LAUNCH(512, 16), KG_END };
static const kg_launch walkers[] = { KG_LAUNCH(256, 24), KG_END };
static const kg_launch stayers[] = { KG_LAUNCH(256, 32, 264), KG_END };

/* What looks back adds up the sums of tiles that it finds, another number of them in each run: its
 * results are not repeatable. */
static const kg_variant variants[] = {
    KG_VARIANT("three_kernel", scan_f32_three_kernel,
               "scans the tiles, then their sums, then adds these: 4 n elements moved",
               .launches = tiles, KG_REPEATABLE),
    KG_VARIANT("two_pass", scan_f32_two_pass,
               "adds up a run of tiles per block, then scans each from there: 3 n elements moved",
               .launches = runs, KG_REPEATABLE),
    KG_VARIANT("look_back", scan_f32_look_back,
               "one pass, each block waits for the sums of earlier ones, seen by one thread: 2 n",
               .launches = one_walker),
    KG_VARIANT("look_back_warp", scan_f32_look_back_warp, "looks back over 32 tiles at a time",
               .launches = walkers),
    KG_VARIANT("early_sums", scan_f32_early_sums,
               "publishes the sum of a block's next tile before it looks back from this one",
               .launches = stayers),
#ifdef KG_LIBRARIES
    KG_VARIANT("cub", scan_f32_cub, "cub::DeviceScan::InclusiveSum"),
#endif
    KG_END,
};

static const kg_defect defects[] = {
    KG_DEFECT("one_too_few", scan_f32_one_too_few, "leaves out the tile at which looking back ends",
              KG_CHECKED(12818), KG_LAUNCH(256, 16)),
    KG_DEFECT("by_difference", scan_f32_by_difference,
              "takes what lies before an element for a difference, which is NaN for infinities",
              KG_CHECKED(530), KG_LAUNCH(32, 4)),
    KG_END,
};

/* Next to a tile of 2048 and of 4096; 12818 ends within a tile of every launch. */
static const kg_size sizes[] = {
    KG_CHECKED(1),     KG_CHECKED(31),
    KG_CHECKED(2049),  KG_CHECKED(4095),
    KG_CHECKED(4096),  KG_CHECKED(12818),
    KG_COUNTED(65541), KG_TIMED((1 << 20) + 530),
    KG_TIMED(1 << 26), KG_END,
};

/* `state` holds at most a word per tile and one more; CUB's, as much as its launcher allows. */
static void arguments(const kg_size *size, kg_arguments *list)
{
    int64_t n = kg_extent(size, 0);
    int64_t tile = (int64_t)KG_AXIS(list, 0) * KG_AXIS(list, 1);

    kg_add_argument(list, KG_INPUT, "x", KG_FLOAT32, 1, n);
    kg_add_argument(list, KG_OUTPUT, "y", KG_FLOAT32, 1, n);
    kg_add_argument(list, KG_SCRATCH, "state", KG_UINT64, 1,
                    tile > 0 ? (n + tile - 1) / tile + 1 : n / 1024 + 1024);
}

static kg_work work(const kg_size *size)
{
    return (kg_work){ .operations = (double)kg_extent(size, 0) };
}

/* The most additions that an element goes through on its way to y[i] bound the error, not the
 * number of elements (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
 * section 4.2). Within a tile of 1024 or more these are below 128 in every variant (two_pass at
 * most: 16 by a thread, then twice 6 in a warp, 16 warps and 4 rows); from tile to tile one each.
 */
static int64_t additions(int64_t i)
{
    return 128 + i / 1024;
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    int64_t n = kg_extent(problem->size, 0);
    const float *x = problem->data[X];
    double sum = 0;
    double magnitude = 0;
    double of_one = 0;

    (void)output;
    for (int64_t i = 0; i < n; i++) {
        if (i % 1024 == 0)
            of_one = kg_sum_tolerance(KG_FLOAT32, KG_FLOAT32, additions(i), 1);
        sum += x[i];
        magnitude += fabs((double)x[i]);
        expected[i] = sum;
        /* Infinite sums are exact, and NaN where both infinities are in them. */
        tolerance[i] = isfinite(sum) ? of_one * magnitude : 0;
    }
}

/* What the sum up to x[i] is in "known_sums": below 256. */
static int known_sum(int64_t i)
{
    return (int)((uint64_t)i * 0x9e3779b97f4a7c15u >> 56);
}

/* Differences of known sums. All sums in a tile, and of neighboring tiles, are integers that a
 * float represents, so that at every size a tile that is left out, or added twice, shows. */
static void fill_known_sums(const kg_problem *problem, int argument, void *data)
{
    int64_t n = kg_extent(problem->size, 0);
    float *x = data;

    (void)argument;
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(known_sum(i) - (i > 0 ? known_sum(i - 1) : 0));
}

static void expect_known_sums(const kg_problem *problem, int output, double *expected,
                              double *tolerance)
{
    int64_t n = kg_extent(problem->size, 0);

    (void)output;
    for (int64_t i = 0; i < n; i++) {
        expected[i] = known_sum(i);
        tolerance[i] = 0;
    }
}

/* Sums are infinite from the first third on, and NaN from the second. */
static void fill_infinities(const kg_problem *problem, int argument, void *data)
{
    int64_t n = kg_extent(problem->size, 0);
    float *x = data;

    kg_fill_random(problem, argument, data);
    x[n * 2 / 3] = -INFINITY;
    x[n / 3] = INFINITY;
}

static const kg_pattern patterns[] = {
    { "known_sums", fill_known_sums, expect_known_sums, true },
    { "infinities", fill_infinities, NULL, false },
    KG_END,
};

KG_COMPARISON(scan_f32, .variants = variants, .sizes = sizes, .axes = { "b", "i", "g" },
              .arguments = arguments, .reference = reference, .work = work,
              .advanced.patterns = patterns);

KG_DEFECTS(scan_f32, defects);

/* 65541 elements are 8193 sectors. A pass that only reads saves a quarter of the traffic: 8211 of
 * 15896 sectors are stored, since three_kernel leaves its first tile alone. */
KG_COUNT_CLAIM(scan_f32, two_pass_stores_once)
{
    kg_expect_less("global_store_sectors", "two_pass/65541/b256i16g528",
                   "three_kernel/65541/b256i16", 1.9);
    kg_expect_within("global_load_sectors", "two_pass/65541/b256i16g528", 2 * 8193, 16500);
}

/* Each element is loaded once and stored once. To look back takes 17 sectors by a thread, where
 * each tile finds the sum of all before the next one, and 45 by a warp. */
KG_COUNT_CLAIM(scan_f32, looking_back_moves_each_element_once)
{
    kg_expect_within("global_load_sectors", "look_back/65541/b512i16", 8193, 8193 + 17);
    kg_expect_within("global_load_sectors", "look_back_warp/65541/b256i24", 8193, 8193 + 45);
    kg_expect_within("global_store_sectors", "look_back_warp/65541/b256i24", 8193, 8193 + 34);
    kg_expect_within("launches", "look_back_warp/65541/b256i24", 1, 1);
    kg_expect_within("global_load_sectors", "early_sums/65541/b256i32g264", 8193, 8193 + 45);
    kg_expect_within("global_store_sectors", "early_sums/65541/b256i32g264", 8193, 8193 + 34);
}

/* Rows of float4 lie side by side: 16 sectors each. */
KG_COUNT_CLAIM(scan_f32, tiles_are_coalesced)
{
    kg_expect_within("global_load_sectors_per_request", "three_kernel/65541/b256i16", 14, 16);
    kg_expect_within("shared_load_wavefronts_per_request", "look_back_warp/65541/b256i24", 1, 1);
}

/* 1.4 on an H200. */
KG_TIME_CLAIM(scan_f32, looking_back_beats_three_kernels)
{
    kg_expect_speedup("look_back_warp/67108864/b256i24", "three_kernel/67108864/b256i16", 1.30);
}

/* 1.19 on an H100, 1.20 on an H200. */
KG_TIME_CLAIM(scan_f32, early_sums_end_the_wait)
{
    kg_expect_speedup("early_sums/67108864/b256i32g264", "look_back_warp/67108864/b256i24", 1.10);
}
