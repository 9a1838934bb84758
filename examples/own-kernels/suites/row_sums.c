/* row_sums: the sum of each row of a matrix in single precision; sizes are rows x columns. */
#include <kernelgate/kernelgate.h>

enum { MATRIX, SUMS };

kg_launcher row_sums_thread_each, row_sums_warp_each;

static const kg_variant variants[] = {
    KG_VARIANT("thread_each", row_sums_thread_each, "one thread per row"),
    KG_VARIANT("warp_each", row_sums_warp_each, "one warp per row, summed by shuffles"),
    KG_END,
};

static const kg_size sizes[] = {
    KG_CHECKED(1, 1),    KG_CHECKED(1, 1000),   KG_CHECKED(31, 33),
    KG_CHECKED(33, 31),  KG_CHECKED(32, 32),    KG_CHECKED(1000, 1),
    KG_COUNTED(530, 67), KG_TIMED(32768, 1000), KG_END,
};

static const kg_launch launches[] = { KG_LAUNCH(128), KG_LAUNCH(256), KG_END };

static void arguments(const kg_size *size, kg_arguments *list)
{
    int64_t rows = kg_extent(size, 0);

    kg_add_argument(list, KG_INPUT, "matrix", KG_FLOAT32, rows, kg_extent(size, 1));
    kg_add_argument(list, KG_OUTPUT, "sums", KG_FLOAT32, rows, 1);
}

/* One addition per element. */
static kg_work work(const kg_size *size)
{
    return (kg_work){ .operations = (double)(kg_extent(size, 0) * kg_extent(size, 1)) };
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    kg_reference_sums(problem, MATRIX, output, expected, tolerance);
}

KG_COMPARISON(row_sums, .variants = variants, .sizes = sizes, .launches = launches,
              .arguments = arguments, .reference = reference, .work = work);

/* 32 lanes that read 32 rows touch 32 sectors at once; side by side they touch 4 or 5. */
KG_COUNT_CLAIM(row_sums, a_warp_a_row_is_coalesced)
{
    kg_expect_less("global_load_sectors", "warp_each/530x67/b128", "thread_each/530x67/b128", 4);
}
