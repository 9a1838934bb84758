/* matmul_f32: C = A B in single precision, row after row; sizes are m x n x k (C is m x n). */
#include <kernelgate/kernelgate.h>
#include <math.h>
#include <stdlib.h>

enum { A, B, C };

kg_launcher matmul_f32_naive, matmul_f32_tiled;

static const kg_variant variants[] = {
    KG_VARIANT("naive", matmul_f32_naive, "one thread an output, every operand from global memory"),
    KG_VARIANT("tiled", matmul_f32_tiled, "tiles of A and B staged in shared memory"),
    KG_END,
};

static const kg_size sizes[] = {
    KG_CHECKED(1),          KG_CHECKED(15),         KG_CHECKED(16),
    KG_CHECKED(17),         KG_CHECKED(31),         KG_CHECKED(33),
    KG_CHECKED(31, 33, 17), KG_CHECKED(1, 97, 530), KG_CHECKED(127, 2, 65),
    KG_CHECKED(257),        KG_TIMED(256),          KG_TIMED_AND_COUNTED(530),
    KG_TIMED(1024),         KG_TIMED(2048),         KG_END,
};

/* A launch is a tile's edge: blocks of edge x edge threads. */
static const kg_launch launches[] = { KG_LAUNCH(8), KG_LAUNCH(16), KG_LAUNCH(32), KG_END };

static void arguments(const kg_size *size, kg_arguments *list)
{
    int64_t m = kg_extent(size, 0);
    int64_t n = kg_extent(size, 1);
    int64_t k = kg_extent(size, 2);

    kg_add_argument(list, KG_INPUT, "a", KG_FLOAT32, m, k);
    kg_add_argument(list, KG_INPUT, "b", KG_FLOAT32, k, n);
    kg_add_argument(list, KG_OUTPUT, "c", KG_FLOAT32, m, n);
}

/* Two operations a product's term; each matrix crosses the memory once. */
static kg_work work(const kg_size *size)
{
    double m = (double)kg_extent(size, 0);
    double n = (double)kg_extent(size, 1);
    double k = (double)kg_extent(size, 2);

    return (kg_work){ .operations = 2 * m * n * k, .bytes = 4 * (m * k + k * n + m * n) };
}

/* The bound of a dot product of k terms in single precision, whatever the order of summation:
 * |error| <= 2 k 2^-24 sum |a b| (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd
 * ed., section 3.1, with room for the second-order terms). */
static double rounding_bound(int64_t k)
{
    return 2.0 * (double)k * ldexp(1.0, -24);
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    int64_t m = kg_extent(problem->size, 0);
    int64_t n = kg_extent(problem->size, 1);
    int64_t k = kg_extent(problem->size, 2);
    const float *a = problem->data[A];
    const float *b = problem->data[B];
    double bound = rounding_bound(k);

    (void)output;
    for (int64_t row = 0; row < m; row++) {
        double *sums = expected + row * n;
        double *magnitudes = tolerance + row * n;

        for (int64_t column = 0; column < n; column++)
            sums[column] = magnitudes[column] = 0;
        for (int64_t i = 0; i < k; i++) {
            double factor = a[row * k + i];

            for (int64_t column = 0; column < n; column++) {
                double term = factor * b[i * n + column];

                sums[column] += term;
                magnitudes[column] += fabs(term);
            }
        }
        for (int64_t column = 0; column < n; column++)
            magnitudes[column] *= bound;
    }
}

/* A weight of the projection: integers of 15 bits, never 0, so that products with small integers
 * stay exact in double. */
static double weight(int64_t column)
{
    uint64_t bits = (uint64_t)column * 0x9e3779b97f4a7c15u;

    return (double)(int64_t)((bits >> 48) | 1) - 32768.0;
}

/* C w against A (B w) for weights w, in double and O(n^2) (R. Freivalds, Probabilistic machines can
 * use less running time, 1977). With an exact pattern any single wrong element shows, for then both
 * sides are equal integers; with random inputs the rounding bound is carried through as |A| (|B|
 * |w|), which shows only gross errors. */
static bool projection(const kg_problem *problem, int output, const void *computed,
                       kg_mismatch *mismatch)
{
    int64_t m = kg_extent(problem->size, 0);
    int64_t n = kg_extent(problem->size, 1);
    int64_t k = kg_extent(problem->size, 2);
    const float *a = problem->data[A];
    const float *b = problem->data[B];
    const float *c = computed;
    double bound = problem->exact ? 0 : rounding_bound(k);
    double *weighted = kg_allocate(2 * (size_t)k, sizeof *weighted);
    double *magnitude = weighted + k;

    (void)output;
    for (int64_t i = 0; i < k; i++) {
        weighted[i] = magnitude[i] = 0;
        for (int64_t column = 0; column < n; column++) {
            double term = b[i * n + column] * weight(column);

            weighted[i] += term;
            magnitude[i] += fabs(term);
        }
    }
    mismatch->is_row = true;
    for (int64_t row = 0; row < m; row++) {
        double expected = 0;
        double tolerance = 0;
        double got = 0;

        for (int64_t i = 0; i < k; i++) {
            expected += a[row * k + i] * weighted[i];
            tolerance += fabs((double)a[row * k + i]) * magnitude[i];
        }
        for (int64_t column = 0; column < n; column++)
            got += c[row * n + column] * weight(column);
        tolerance *= bound;
        if (!(fabs(got - expected) <= tolerance)) {
            if (mismatch->count++ == 0) {
                mismatch->index = (size_t)row;
                mismatch->expected = expected;
                mismatch->got = got;
                mismatch->tolerance = tolerance;
            }
        }
    }
    free(weighted);
    return mismatch->count == 0;
}

/* Integers from -4 to 4: sums of 2048 products stay far below 2^24, so single precision is exact.
 */
static void fill_small_integers(const kg_problem *problem, int argument, void *data)
{
    const kg_argument *shape = &problem->arguments.list[argument];
    float *values = data;
    uint64_t state = 0x2545f4914f6cdd1du + (uint64_t)argument;

    for (size_t i = 0; i < shape->rows * shape->columns; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        values[i] = (float)((int)((state >> 33) % 9) - 4);
    }
}

/* A all ones, B all twos: every element of C is 2 k. */
static void fill_ones_and_twos(const kg_problem *problem, int argument, void *data)
{
    const kg_argument *shape = &problem->arguments.list[argument];
    float *values = data;

    for (size_t i = 0; i < shape->rows * shape->columns; i++)
        values[i] = argument == A ? 1.0f : 2.0f;
}

static void expect_twice_k(const kg_problem *problem, int output, double *expected,
                           double *tolerance)
{
    const kg_argument *shape = &problem->arguments.list[output];

    for (size_t i = 0; i < shape->rows * shape->columns; i++) {
        expected[i] = 2.0 * (double)kg_extent(problem->size, 2);
        tolerance[i] = 0;
    }
}

static const kg_pattern patterns[] = {
    { "small_integers", fill_small_integers, NULL, true },
    { "ones_times_twos", fill_ones_and_twos, expect_twice_k, true },
    KG_END,
};

KG_COMPARISON(matmul_f32, .variants = variants, .sizes = sizes, .launches = launches,
              .axes = { "b" }, .advanced.ranges = { { 2, 32, 0 } }, .advanced.patterns = patterns,
              .arguments = arguments, .reference = reference, .advanced.projection = projection,
              .work = work);

/* 1.43 on an H200. */
KG_TIME_CLAIM(matmul_f32, tiled_beats_naive)
{
    kg_expect_speedup("tiled/530/b16", "naive/530/b16", 1.10);
}

/* 6.79 times fewer. */
KG_COUNT_CLAIM(matmul_f32, tiled_reads_four_times_fewer_sectors)
{
    kg_expect_less("global_load_sectors", "tiled/530/b16", "naive/530/b16", 4);
}
