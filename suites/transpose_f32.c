/* SPDX-License-Identifier: MIT */
/* transpose_f32: y[column][row] = x[row][column] in single precision. Sizes are rows x columns. */
#include <kernelgate/kernelgate.h>

enum { ROWS, COLUMNS };

kg_launcher transpose_f32_naive, transpose_f32_tiled, transpose_f32_padded, transpose_f32_swizzled,
    transpose_f32_vectorized, transpose_f32_l2_prefetch, transpose_f32_tma, transpose_f32_copy,
    transpose_f32_square, transpose_f32_swizzled_once;

/* A launch is threads per block. */
static const kg_launch tiles[] = { KG_LAUNCH(256), KG_END };
static const kg_launch vectors[] = { KG_LAUNCH(512), KG_END };

static const kg_variant variants[] = {
    KG_VARIANT("naive", transpose_f32_naive, "rows are read, columns are written",
               .launches = tiles, KG_REPEATABLE),
    KG_VARIANT("tiled", transpose_f32_tiled, "a tile of 32 x 32 is turned in shared memory",
               .launches = tiles, KG_REPEATABLE),
    KG_VARIANT("padded", transpose_f32_padded, "rows of the tile are 33 elements apart",
               .launches = tiles, KG_REPEATABLE),
    KG_VARIANT("swizzled", transpose_f32_swizzled, "rows of the tile are permuted instead",
               .launches = tiles, KG_REPEATABLE),
    KG_VARIANT("vectorized", transpose_f32_vectorized, "a tile of 64 x 64 by float4",
               .launches = vectors, KG_REPEATABLE),
    KG_VARIANT("l2_prefetch", transpose_f32_l2_prefetch,
               "L2 fetches 256 bytes around each load, blocks write whole rows of y",
               .launches = tiles, KG_REPEATABLE),
    KG_VARIANT("tma", transpose_f32_tma,
               "TMA fetches and writes tiles, 4 x 4 elements are turned in registers",
               .launches = tiles, KG_REPEATABLE),
    KG_VARIANT("copy", transpose_f32_copy, "the limit: copies by float4, and does not transpose",
               .launches = tiles, KG_REPEATABLE, .advanced.own_reference = true),
    KG_END,
};

static const kg_defect defects[] = {
    KG_DEFECT("square", transpose_f32_square, "takes the rows of y to be as long as those of x",
              KG_CHECKED(68, 33), KG_LAUNCH(256)),
    KG_DEFECT("swizzled_once", transpose_f32_swizzled_once,
              "reads the tile by the permutation of the next row", KG_CHECKED(33, 65),
              KG_LAUNCH(256)),
    KG_END,
};

/* Rows of x, of y, of both and of neither are float4; tiles end within tiles. */
static const kg_size sizes[] = {
    KG_CHECKED(1, 1),
    KG_CHECKED(1, 37),
    KG_CHECKED(37, 1),
    KG_CHECKED(31, 33),
    KG_CHECKED(33, 68),
    KG_CHECKED(68, 33),
    KG_CHECKED(64, 132),
    KG_COUNTED(100, 532),
    KG_TIMED(960, 1280),
    KG_TIMED(4104, 8200),
    KG_END,
};

static void arguments(const kg_size *size, kg_arguments *list)
{
    int64_t rows = kg_extent(size, ROWS);
    int64_t columns = kg_extent(size, COLUMNS);

    kg_add_argument(list, KG_INPUT, "x", KG_FLOAT32, rows, columns);
    kg_add_argument(list, KG_OUTPUT, "y", KG_FLOAT32, columns, rows);
}

static const char *refuses(const kg_variant *variant, const kg_size *size, const kg_launch *launch)
{
    (void)launch;
    if (variant->launch == transpose_f32_tma &&
        (kg_extent(size, ROWS) % 4 != 0 || kg_extent(size, COLUMNS) % 4 != 0))
        return "TMA takes rows of a multiple of 16 bytes: both extents must be multiples of 4";
    return NULL;
}

/* Nothing is computed: only the bytes count. */
static kg_work work(const kg_size *size)
{
    (void)size;
    return (kg_work){ 0 };
}

/* Nothing is rounded. */
static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    int64_t rows = kg_extent(problem->size, ROWS);
    int64_t columns = kg_extent(problem->size, COLUMNS);
    const float *x = problem->data[0];
    bool is_copy = problem->variant != NULL;

    (void)output;
    for (int64_t row = 0; row < rows; row++)
        for (int64_t column = 0; column < columns; column++) {
            int64_t from = row * columns + column;
            int64_t to = is_copy ? from : column * rows + row;

            expected[to] = x[from];
            tolerance[to] = 0;
        }
}

KG_COMPARISON(transpose_f32, .variants = variants, .sizes = sizes, .axes = { "b" },
              .arguments = arguments, .refuses = refuses, .reference = reference, .work = work);

KG_DEFECTS(transpose_f32, defects);

/* Neighbors in a row of x lie 100 elements apart in y: a sector for each lane. */
KG_COUNT_CLAIM(transpose_f32, a_tile_makes_stores_coalesced)
{
    kg_expect_within("global_store_sectors_per_request", "naive/100x532/b256", 31, 32);
    kg_expect_less("global_store_sectors", "tiled/100x532/b256", "naive/100x532/b256", 6.5);
}

/* A column of 32 elements takes 32 wavefronts, those of the last tiles, of four rows, 4: 25 on the
 * average. */
KG_COUNT_CLAIM(transpose_f32, padding_and_swizzling_remove_all_conflicts)
{
    kg_expect_within("shared_load_wavefronts_per_request", "tiled/100x532/b256", 25, 25);
    kg_expect_within("shared_load_wavefronts_per_request", "padded/100x532/b256", 1, 1);
    kg_expect_within("shared_load_wavefronts_per_request", "swizzled/100x532/b256", 1, 1);
}

/* A float4 of 32 lanes is 4 wavefronts at least. Every other row of 532 begins within a sector, so
 * that its parts of 32 elements touch 5 instead of 4: an eighth more than the copy. */
KG_COUNT_CLAIM(transpose_f32, float4_moves_what_a_copy_moves)
{
    kg_expect_less("global_load_requests", "vectorized/100x532/b512", "padded/100x532/b256", 3.7);
    kg_expect_within("global_load_sectors", "vectorized/100x532/b512", 7500, 7500);
    kg_expect_within("global_load_sectors", "copy/100x532/b256", 6650, 6650);
    kg_expect_within("shared_store_wavefronts_per_request", "vectorized/100x532/b512", 1, 1);
    kg_expect_within("shared_load_wavefronts_per_request", "vectorized/100x532/b512", 3, 4);
}

/* A wider fetch by L2 and another order of blocks change no request. */
KG_COUNT_CLAIM(transpose_f32, l2_prefetch_moves_what_float4_moves)
{
    kg_expect_within("global_load_sectors", "l2_prefetch/100x532/b256", 7500, 7500);
    kg_expect_within("shared_store_wavefronts_per_request", "l2_prefetch/100x532/b256", 1, 1);
    kg_expect_within("shared_load_wavefronts_per_request", "l2_prefetch/100x532/b256", 4, 4);
}

/* 1.7 on an H200. */
KG_TIME_CLAIM(transpose_f32, padding_pays)
{
    kg_expect_speedup("padded/4104x8200/b256", "tiled/4104x8200/b256", 1.30);
}

/* 1.03 on an H100, 1.05 on an H200. */
KG_TIME_CLAIM(transpose_f32, l2_prefetch_pays)
{
    kg_expect_speedup("l2_prefetch/4104x8200/b256", "vectorized/4104x8200/b512", 1.01);
}
