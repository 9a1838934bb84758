/* row_sums: the sum of each row of a matrix in single precision; sizes are rows x columns. */
#include <kernelgate/kernelgate.h>
#include <math.h>

enum { MATRIX, SUMS };

kg_launcher row_sums_thread_each, row_sums_warp_each;
kg_launcher row_sums_cublas, row_sums_prepare_cublas, row_sums_cub, row_sums_prepare_cub;

/* A library chooses its own launches. */
static const kg_launch none[] = { KG_END };

static const kg_variant variants[] = {
    KG_VARIANT("thread_each", row_sums_thread_each, "one thread per row"),
    KG_VARIANT("warp_each", row_sums_warp_each, "one warp per row, summed by shuffles"),
    KG_VARIANT("cublas", row_sums_cublas, "cuBLAS: the matrix times a vector of ones",
               .launches = none, .advanced.prepare = row_sums_prepare_cublas),
    KG_VARIANT("cub", row_sums_cub, "CUB: a reduction of segments", .launches = none,
               .advanced.prepare = row_sums_prepare_cub),
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

/* One addition per element; every element is read, every sum written. */
static kg_work work(const kg_size *size)
{
    double rows = (double)kg_extent(size, 0);
    double columns = (double)kg_extent(size, 1);

    return (kg_work){ .operations = rows * columns, .bytes = 4 * rows * (columns + 1) };
}

/* The bound of a sum of n terms in single precision, whatever the order of summation: |error| <= 2
 * n 2^-24 sum |x| (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section
 * 4.2, with a margin for second-order terms). */
static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    int64_t rows = kg_extent(problem->size, 0);
    int64_t columns = kg_extent(problem->size, 1);
    const float *matrix = problem->data[MATRIX];

    (void)output;
    for (int64_t row = 0; row < rows; row++) {
        double sum = 0;
        double magnitude = 0;

        for (int64_t column = 0; column < columns; column++) {
            sum += matrix[row * columns + column];
            magnitude += fabs((double)matrix[row * columns + column]);
        }
        expected[row] = sum;
        tolerance[row] = ldexp(2.0 * (double)columns * magnitude, -24);
    }
}

KG_COMPARISON(row_sums, .variants = variants, .sizes = sizes, .launches = launches,
              .arguments = arguments, .reference = reference, .work = work);

/* 32 lanes that read 32 rows touch 32 sectors at once; side by side they touch 4 or 5. */
KG_COUNT_CLAIM(row_sums, a_warp_a_row_is_coalesced)
{
    kg_expect_less("global_load_sectors", "warp_each/530x67/b128", "thread_each/530x67/b128", 4);
}
