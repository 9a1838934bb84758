/* SPDX-License-Identifier: MIT */
/* attention_bf16: out = softmax(Q K^T / sqrt(128)) V of bfloat16, head after head, rows of 128
 * elements; sizes are heads x sequence x causal. With causal 1 a query sees the keys up to its own
 * place alone, with 0 all. */
#include <kernelgate/kernelgate.h>
#include <math.h>
#include <string.h>

#define DEPTH 128

enum { HEADS, SEQUENCE, CAUSAL };
enum { Q, K, V, OUT };

kg_launcher attention_bf16_naive, attention_bf16_tiled, attention_bf16_mma,
    attention_bf16_wgmma_tma, attention_bf16_unmasked, attention_bf16_stale_maximum;

static const kg_variant variants[] = {
    KG_VARIANT("naive", attention_bf16_naive,
               "a warp per query, which keeps all its scores in shared memory", KG_REPEATABLE),
    KG_VARIANT("tiled", attention_bf16_tiled,
               "32 queries share tiles of K and V in shared memory, softmax online", KG_REPEATABLE),
    KG_VARIANT("mma", attention_bf16_mma,
               "mma.sync on tiles that asynchronous copies fetch, weights stay in registers",
               KG_REPEATABLE),
    KG_VARIANT("wgmma_tma", attention_bf16_wgmma_tma,
               "wgmma on a ring of tiles that TMA fills, softmax of one warp group and products of "
               "the other by turns",
               KG_REPEATABLE),
    KG_END,
};

static const kg_defect defects[] = {
    KG_DEFECT("unmasked", attention_bf16_unmasked,
              "no mask on the diagonal tile: queries see later keys", KG_CHECKED(1, 65, 1), KG_END),
    KG_DEFECT("stale_maximum", attention_bf16_stale_maximum,
              "online, but sums keep the scale of a lesser maximum", KG_CHECKED(1, 129, 0), KG_END),
    KG_END,
};

/* Tiles are of 32 to 128 keys, blocks of 4 to 128 queries. From 16 heads of 2048 on, an H100
 * reaches its power limit, so that no time can be gated there. */
static const kg_size sizes[] = {
    KG_CHECKED(1, 1, 0),
    KG_CHECKED(2, 63, 1),
    KG_CHECKED(1, 65, 0),
    KG_CHECKED(1, 129, 1),
    KG_COUNTED(1, 128, 0),
    KG_TIMED(8, 512, 0),
    KG_END,
};

static void arguments(const kg_size *size, kg_arguments *list)
{
    int64_t rows = kg_extent(size, HEADS) * kg_extent(size, SEQUENCE);

    kg_add_argument(list, KG_INPUT, "q", KG_BFLOAT16, rows, DEPTH);
    kg_add_argument(list, KG_INPUT, "k", KG_BFLOAT16, rows, DEPTH);
    kg_add_argument(list, KG_INPUT, "v", KG_BFLOAT16, rows, DEPTH);
    kg_add_argument(list, KG_OUTPUT, "out", KG_BFLOAT16, rows, DEPTH);
}

/* Two products, of the pairs that are seen. */
static kg_work work(const kg_size *size)
{
    double sequence = (double)kg_extent(size, SEQUENCE);
    double pairs = kg_extent(size, CAUSAL) ? sequence * (sequence + 1) / 2 : sequence * sequence;

    return (kg_work){ .operations = 4 * DEPTH * (double)kg_extent(size, HEADS) * pairs };
}

/* As kg_element(), which would take most of the time: bfloat16 is the upper half of a float. */
static double element(const kg_problem *problem, int argument, int64_t row, int64_t column)
{
    const uint16_t *bits = problem->data[argument];
    uint32_t widened = (uint32_t)bits[row * DEPTH + column] << 16;
    float value;

    memcpy(&value, &widened, sizeof value);
    return value;
}

/* A query's keys, from row `first` on, with the share of each in the softmax. */
typedef struct shares {
    int64_t first, keys;
    double *share;
    double *error; /* how much a share may be off, before all are divided by their sum */
    double kept;   /* the least that the sum of the shares can be then, of 1 */
} shares;

/* A score's error is that of a sum of 128 products in float, and 4 roundings of its distance from
 * the maximum: difference, product, the scale itself, ex2.approx's argument. ex2.approx is off by
 * 2^-22 (PTX ISA), as 4 roundings. An error e of the exponent makes of a weight w at most w e^e. */
static shares shares_of(const kg_problem *problem, int64_t row)
{
    const double roundoff = kg_roundoff(KG_FLOAT32), scale = 1 / sqrt(DEPTH);
    int64_t sequence = kg_extent(problem->size, SEQUENCE);
    shares of = { .first = row - row % sequence, .keys = sequence };
    double max = -INFINITY, sum = 0;

    if (kg_extent(problem->size, CAUSAL))
        of.keys = row % sequence + 1;
    of.share = kg_allocate((size_t)of.keys, sizeof(double));
    of.error = kg_allocate((size_t)of.keys, sizeof(double));
    for (int64_t i = 0; i < of.keys; i++) {
        double magnitude = 0;

        for (int64_t j = 0; j < DEPTH; j++) {
            double product = element(problem, Q, row, j) * element(problem, K, of.first + i, j);

            of.share[i] += product * scale;
            magnitude += fabs(product) * scale;
        }
        of.error[i] = kg_sum_tolerance(KG_FLOAT32, KG_FLOAT32, DEPTH, magnitude);
        max = fmax(max, of.share[i]);
    }
    for (int64_t i = 0; i < of.keys; i++) {
        double distance = max - of.share[i];
        double error = of.error[i] + 4 * (distance + 1) * roundoff;

        of.share[i] = exp(-distance);
        of.error[i] = exp(fmin(error - distance, 600)) - of.share[i];
        of.kept += of.share[i] * exp(-error);
        sum += of.share[i];
    }
    for (int64_t i = 0; i < of.keys; i++) {
        of.share[i] /= sum;
        of.error[i] /= sum;
    }
    of.kept /= sum;
    return of;
}

/* Shares that are off by e change the mean by at most the mean of e times the distance from it, and
 * never beyond the values themselves. Each share is rounded to bfloat16 for its product with V. The
 * sum in float has a step per key, and for each tile of 32 one that rescales. */
static void judge_element(const kg_problem *problem, const shares *of, int64_t column,
                          double *expected, double *tolerance)
{
    double mean = 0, magnitude = 0, error = 0, farthest = 0;
    double rounded = kg_roundoff(KG_BFLOAT16);

    for (int64_t i = 0; i < of->keys; i++)
        mean += of->share[i] * element(problem, V, of->first + i, column);
    for (int64_t i = 0; i < of->keys; i++) {
        double value = element(problem, V, of->first + i, column);

        magnitude += of->share[i] * fabs(value);
        error += of->error[i] * fabs(value - mean);
        farthest = fmax(farthest, fabs(value - mean));
    }
    *expected = mean;
    *tolerance = fmin(error / of->kept, farthest) + rounded * magnitude +
                 kg_sum_tolerance(KG_FLOAT32, KG_BFLOAT16, 3 * of->keys + 32, magnitude);
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    int64_t rows = kg_extent(problem->size, HEADS) * kg_extent(problem->size, SEQUENCE);

    (void)output;
    for (int64_t row = 0; row < rows; row++) {
        shares of = shares_of(problem, row);

        for (int64_t j = 0; j < DEPTH; j++)
            judge_element(problem, &of, j, &expected[row * DEPTH + j], &tolerance[row * DEPTH + j]);
        free(of.share);
        free(of.error);
    }
}

/* Every 127th row of large outputs: of each block's 128 rows at least one. */
static bool project(const kg_problem *problem, int output, const void *computed,
                    kg_mismatch *mismatch)
{
    int64_t rows = kg_extent(problem->size, HEADS) * kg_extent(problem->size, SEQUENCE);

    (void)output;
    for (int64_t row = 0; row < rows; row += DEPTH - 1) {
        shares of = shares_of(problem, row);

        for (int64_t j = 0; j < DEPTH; j++) {
            size_t index = (size_t)(row * DEPTH + j);
            double got = kg_element(KG_BFLOAT16, computed, index);
            double expected, tolerance;

            judge_element(problem, &of, j, &expected, &tolerance);
            if (fabs(got - expected) <= tolerance)
                continue;
            if (mismatch->count++ == 0)
                *mismatch = (kg_mismatch){ index, expected, got, tolerance, 1, false };
        }
        free(of.share);
        free(of.error);
    }
    return mismatch->count == 0;
}

KG_COMPARISON(attention_bf16, .variants = variants, .sizes = sizes, .arguments = arguments,
              .reference = reference, .work = work, .advanced.projection = project,
              .advanced.takes_zero = true);

KG_DEFECTS(attention_bf16, defects);

/* 671,744 sectors to 9,216: 32 queries share each key and value, and rows are read as a whole. */
KG_COUNT_CLAIM(attention_bf16, tiles_read_70_times_fewer_sectors)
{
    kg_expect_less("global_load_sectors", "tiled/1x128x0/-", "naive/1x128x0/-", 70);
}

/* Each of K and V once for 128 queries, and Q once: 3,072 sectors. */
KG_COUNT_CLAIM(attention_bf16, mma_reads_each_element_once)
{
    kg_expect_within("global_load_sectors", "mma/1x128x0/-", 3072, 3072);
}

/* 36,864 requests to 640 of ldmatrix, each 4 wavefronts, the fewest that there can be. */
KG_COUNT_CLAIM(attention_bf16, mma_loads_operands_without_bank_conflicts)
{
    kg_expect_less("shared_load_requests", "mma/1x128x0/-", "tiled/1x128x0/-", 57);
    kg_expect_within("shared_load_wavefronts_per_request", "mma/1x128x0/-", 4, 4);
}

KG_COUNT_CLAIM(attention_bf16, mma_keeps_weights_in_registers)
{
    kg_expect_within("shared_store_requests", "tiled/1x128x0/-", 1664, 1664);
    kg_expect_within("shared_store_requests", "mma/1x128x0/-", 0, 0);
}

/* 4.1 on an H100 and an H200. */
KG_TIME_CLAIM(attention_bf16, tiles_beat_naive)
{
    kg_expect_speedup("tiled/8x512x0/-", "naive/8x512x0/-", 3.00);
}

/* 3.6 on an H100 and an H200. */
KG_TIME_CLAIM(attention_bf16, tensor_cores_beat_tiled)
{
    kg_expect_speedup("mma/8x512x0/-", "tiled/8x512x0/-", 2.50);
}

/* 2.6 on an H100; 2.2 and causal 3.0 at 16 x 2048. */
KG_TIME_CLAIM(attention_bf16, wgmma_beats_mma)
{
    kg_expect_speedup("wgmma_tma/8x512x0/-", "mma/8x512x0/-", 1.80);
}
