/* SPDX-License-Identifier: MIT */
/* stencil_2d: one step of the heat equation on five points in single precision, y = x / 2 + (north
 * + south + west + east) / 8; the border is copied. Sizes are rows x columns. */
#include <kernelgate/kernelgate.h>
#include <math.h>

enum { ROWS, COLUMNS };

kg_launcher stencil_2d_naive, stencil_2d_tiled, stencil_2d_sliding, stencil_2d_vectorized,
    stencil_2d_seam, stencil_2d_in_place;

/* A launch is threads per block and, of what slides, rows per thread. */
static const kg_launch tiles[] = { KG_LAUNCH(256), KG_END };
static const kg_launch scalar_walks[] = { KG_LAUNCH(128, 8), KG_END };
static const kg_launch walks[] = { KG_LAUNCH(64, 4), KG_END };

static const kg_variant variants[] = {
    KG_VARIANT("naive", stencil_2d_naive, "a thread per element, five loads each",
               .launches = tiles, KG_REPEATABLE),
    KG_VARIANT("tiled", stencil_2d_tiled, "a tile and its border staged in shared memory",
               .launches = tiles, KG_REPEATABLE),
    KG_VARIANT("sliding", stencil_2d_sliding,
               "a thread walks down a column, three rows of it in registers",
               .launches = scalar_walks, KG_REPEATABLE),
    KG_VARIANT("vectorized", stencil_2d_vectorized,
               "walks down by float4, neighbors from the lanes next to it", .launches = walks,
               KG_REPEATABLE),
    KG_END,
};

static const kg_defect defects[] = {
    KG_DEFECT("seam", stencil_2d_seam, "neighbors in another warp are taken from the own lane",
              KG_CHECKED(9, 65), KG_LAUNCH(64)),
    KG_DEFECT("in_place", stencil_2d_in_place, "overwrites what neighbors still need",
              KG_CHECKED(9, 65), KG_LAUNCH(128)),
    KG_END,
};

/* Rows of 256 and 532 elements are float4, others are not; 132 has a float4 in a second warp, 8200
 * two in a last one. */
static const kg_size sizes[] = {
    KG_CHECKED(1, 1),
    KG_CHECKED(2, 3),
    KG_CHECKED(1, 37),
    KG_CHECKED(37, 1),
    KG_CHECKED(3, 4),
    KG_CHECKED(17, 33),
    KG_CHECKED(9, 132),
    KG_CHECKED(33, 129),
    KG_CHECKED(7, 530),
    KG_COUNTED(100, 532),
    KG_TIMED(960, 1280),
    KG_TIMED(4100, 8200),
    KG_END,
};

static void arguments(const kg_size *size, kg_arguments *list)
{
    int64_t rows = kg_extent(size, ROWS);
    int64_t columns = kg_extent(size, COLUMNS);

    kg_add_argument(list, KG_INPUT, "x", KG_FLOAT32, rows, columns);
    kg_add_argument(list, KG_OUTPUT, "y", KG_FLOAT32, rows, columns);
}

/* Four sums and two products per element. */
static kg_work work(const kg_size *size)
{
    return (kg_work){ .operations =
                          6 * (double)kg_extent(size, ROWS) * (double)kg_extent(size, COLUMNS) };
}

/* Every element goes through at most three additions; products by 1/2 and 1/8 are exact. */
static void reference_row(const float *row, int64_t columns, double *expected, double *tolerance)
{
    double of_one = kg_sum_tolerance(KG_FLOAT32, KG_FLOAT32, 3, 1);

    for (int64_t i = 1; i < columns - 1; i++) {
        double north = row[i - columns], south = row[i + columns];
        double west = row[i - 1], east = row[i + 1], here = row[i];
        double magnitude =
            fabs(here) / 2 + (fabs(north) + fabs(south) + fabs(west) + fabs(east)) / 8;

        expected[i] = here / 2 + (north + south + west + east) / 8;
        /* What is infinite or NaN is exact. */
        tolerance[i] = isfinite(magnitude) ? of_one * magnitude : 0;
    }
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    int64_t rows = kg_extent(problem->size, ROWS);
    int64_t columns = kg_extent(problem->size, COLUMNS);
    const float *x = problem->data[0];

    (void)output;
    for (int64_t i = 0; i < rows * columns; i++) {
        expected[i] = x[i];
        tolerance[i] = 0;
    }
    for (int64_t row = 1; row < rows - 1; row++)
        reference_row(x + row * columns, columns, expected + row * columns,
                      tolerance + row * columns);
}

/* Now and then NaN or an infinity, which reach the four neighbors and no others. */
static void fill_infinities(const kg_problem *problem, int argument, void *data)
{
    static const float values[] = { INFINITY, -INFINITY, NAN };
    int64_t n = kg_extent(problem->size, ROWS) * kg_extent(problem->size, COLUMNS);
    float *x = data;

    kg_fill_random(problem, argument, data);
    for (int64_t i = 0; i < n; i += 7)
        x[i] = values[i % 3];
}

static const kg_pattern patterns[] = {
    { "infinities", fill_infinities, NULL, false },
    KG_END,
};

KG_COMPARISON(stencil_2d, .variants = variants, .sizes = sizes, .axes = { "b", "h" },
              .arguments = arguments, .reference = reference, .work = work,
              .advanced.patterns = patterns);

KG_DEFECTS(stencil_2d, defects);

/* A tile of 32 x 8 needs 340 elements of its own 256: 3.44 times fewer requests, and 2.78 times
 * fewer sectors. */
KG_COUNT_CLAIM(stencil_2d, a_tile_replaces_five_loads)
{
    kg_expect_less("global_load_requests", "tiled/100x532/b256", "naive/100x532/b256", 3.4);
    kg_expect_less("global_load_sectors", "tiled/100x532/b256", "naive/100x532/b256", 2.7);
    kg_expect_within("shared_load_wavefronts_per_request", "tiled/100x532/b256", 1, 1);
}

/* Three loads instead of five, and two more in 8 rows. */
KG_COUNT_CLAIM(stencil_2d, sliding_loads_three_times)
{
    kg_expect_less("global_load_requests", "sliding/100x532/b128h8", "naive/100x532/b256", 1.5);
    kg_expect_within("shared_store_requests", "sliding/100x532/b128h8", 0, 0);
}

/* A float4 and a request for both ends of a warp in each row: 2 per 128 elements. */
KG_COUNT_CLAIM(stencil_2d, float4_needs_a_sixth_of_the_requests)
{
    kg_expect_less("global_load_requests", "vectorized/100x532/b64h4", "naive/100x532/b256", 5.5);
    kg_expect_less("global_store_requests", "vectorized/100x532/b64h4", "naive/100x532/b256", 2.8);
}

/* 1.8 on an H200. */
KG_TIME_CLAIM(stencil_2d, vectors_beat_single_elements)
{
    kg_expect_speedup("vectorized/4100x8200/b64h4", "naive/4100x8200/b256", 1.30);
}
