/* SPDX-License-Identifier: MIT */
/* histogram_u8: how often each of 256 values occurs in n bytes; sizes are n. */
#include <kernelgate/kernelgate.h>
#include <string.h>

enum { X };
enum { BINS = 256 };

kg_launcher histogram_u8_global_atomics, histogram_u8_shared_atomics, histogram_u8_private_copies,
    histogram_u8_vectorized, histogram_u8_byte_counters, histogram_u8_lost_carry,
    histogram_u8_tail_by_all;
#ifdef KG_LIBRARIES
kg_launcher histogram_u8_cub;
#endif

/* A launch is threads per block and, of what walks, the most blocks. */
static const kg_launch per_byte[] = { KG_LAUNCH(256), KG_END };
static const kg_launch walkers[] = { KG_LAUNCH(512, 528), KG_END };
/* 32 KiB of shared memory per block. */
static const kg_launch with_copies[] = { KG_LAUNCH(1024, 264), KG_END };
/* 256 bytes of shared memory per thread, for 24 warps per SM. */
static const kg_launch with_bytes[] = { KG_LAUNCH(128, 1), KG_LAUNCH(768, 132), KG_END };

static const kg_variant variants[] = {
    KG_VARIANT("global_atomics", histogram_u8_global_atomics, "an update of global memory per byte",
               .launches = per_byte, KG_REPEATABLE),
    KG_VARIANT("shared_atomics", histogram_u8_shared_atomics,
               "a histogram per block in shared memory", .launches = walkers, KG_REPEATABLE),
    KG_VARIANT("private_copies", histogram_u8_private_copies,
               "a histogram per lane, each in a bank of its own", .launches = with_copies,
               KG_REPEATABLE),
    KG_VARIANT("vectorized", histogram_u8_vectorized,
               "private copies, loads of 16 bytes ahead of the counting", .launches = with_copies,
               KG_REPEATABLE),
    KG_VARIANT("byte_counters", histogram_u8_byte_counters,
               "counters of a byte for each thread, without atomics", .launches = with_bytes,
               KG_REPEATABLE),
#ifdef KG_LIBRARIES
    KG_VARIANT("cub", histogram_u8_cub, "cub::DeviceHistogram::HistogramEven", KG_REPEATABLE),
#endif
    KG_END,
};

static const kg_defect defects[] = {
    KG_DEFECT("lost_carry", histogram_u8_lost_carry, "loses 256 bytes when a counter wraps",
              KG_CHECKED(12818), KG_LAUNCH(32, 1)),
    KG_DEFECT("tail_by_all", histogram_u8_tail_by_all,
              "each block counts the bytes after the last vector", KG_CHECKED(12818),
              KG_LAUNCH(256, 1000)),
    KG_END,
};

/* Next to a vector of 16 bytes; 65541 is several blocks of every launch, and more than 255 bytes
 * per thread of b128g1. */
static const kg_size sizes[] = {
    KG_CHECKED(1),
    KG_CHECKED(15),
    KG_CHECKED(16),
    KG_CHECKED(530),
    KG_CHECKED(12818),
    KG_COUNTED(65541),
    KG_TIMED((1 << 20) + 530),
    KG_TIMED(1 << 26),
    KG_END,
};

static const char *refuses(const kg_variant *variant, const kg_size *size, const kg_launch *launch)
{
    if (variant->launch == histogram_u8_global_atomics && kg_extent(size, 0) > 1 << 24)
        return "updates one after the other take a hundred times as long as those of a block";
    return launch->axis[1] == 1 && kg_extent(size, 0) > 65541
               ? "one block is for checks of counters that wrap"
               : NULL;
}

static void arguments(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "x", KG_UINT8, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_OUTPUT, "counts", KG_INT32, 1, BINS);
    /* CUB, the one without a launch, has a histogram for each block there; its launcher checks that
     * this suffices. */
    kg_add_argument(list, KG_SCRATCH, "temporary", KG_UINT8, 1,
                    KG_AXIS(list, 0) == 0 ? 4 << 20 : 1);
}

static kg_work work(const kg_size *size)
{
    return (kg_work){ .operations = (double)kg_extent(size, 0) };
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    int64_t n = kg_extent(problem->size, 0);
    const uint8_t *x = problem->data[X];
    int32_t counts[BINS] = { 0 };

    (void)output;
    for (int64_t i = 0; i < n; i++)
        counts[x[i]]++;
    for (int bin = 0; bin < BINS; bin++) {
        expected[bin] = counts[bin];
        tolerance[bin] = 0;
    }
}

/* All lanes update one counter, in the last bin. */
static void fill_equal(const kg_problem *problem, int argument, void *data)
{
    (void)argument;
    memset(data, BINS - 1, (size_t)kg_extent(problem->size, 0));
}

/* Runs of 100 equal bytes, as in a picture: some warps meet at one counter, some at two. */
static void fill_runs(const kg_problem *problem, int argument, void *data)
{
    int64_t n = kg_extent(problem->size, 0);
    uint8_t *x = data;

    (void)argument;
    for (int64_t i = 0; i < n; i++)
        x[i] = (uint8_t)((uint64_t)(i / 100) * 0x9e3779b97f4a7c15u >> 56);
}

static const kg_pattern patterns[] = {
    { "equal", fill_equal, NULL, true },
    { "runs", fill_runs, NULL, true },
    KG_END,
};

KG_COMPARISON(histogram_u8, .variants = variants, .sizes = sizes, .axes = { "b", "g" },
              .arguments = arguments, .reference = reference, .work = work, .refuses = refuses,
              .advanced.patterns = patterns);

KG_DEFECTS(histogram_u8, defects);

/* A block updates L2 once per bin, not per byte. */
KG_COUNT_CLAIM(histogram_u8, blocks_spare_global_atomics)
{
    kg_expect_less("global_atomic_passes", "shared_atomics/65541/b512g528",
                   "global_atomics/65541/b256", 54);
}

/* Of 32 random bytes the most frequent one occurs 1.91 times. With a counter per lane it is one
 * pass per request; that no two counters are in one bank is not counted. */
KG_COUNT_CLAIM(histogram_u8, lanes_of_their_own_do_not_meet)
{
    kg_expect_less("shared_atomic_passes", "private_copies/65541/b1024g264",
                   "shared_atomics/65541/b512g528", 1.9);
    kg_expect_within("shared_atomic_passes", "private_copies/65541/b1024g264", 2049, 2049);
}

KG_COUNT_CLAIM(histogram_u8, vectors_are_a_sixteenth_of_the_loads)
{
    kg_expect_less("global_load_requests", "vectorized/65541/b1024g264",
                   "private_copies/65541/b1024g264", 15.8);
}

/* A load and a store per byte: 2049 requests, and those that zero and sum 6 blocks' counters. */
KG_COUNT_CLAIM(histogram_u8, byte_counters_need_no_atomics)
{
    kg_expect_within("shared_atomic_requests", "byte_counters/65541/b768g132", 0, 0);
    kg_expect_within("shared_load_wavefronts_per_request", "byte_counters/65541/b768g132", 1, 1);
    kg_expect_within("shared_store_requests", "byte_counters/65541/b768g132", 2049, 2049 + 6 * 384);
}

/* 4.7 on an H200. */
KG_TIME_CLAIM(histogram_u8, vectors_beat_single_bytes)
{
    kg_expect_speedup("vectorized/67108864/b1024g264", "private_copies/67108864/b1024g264", 3.50);
}
