/* SPDX-License-Identifier: MIT */
/* hardware_two_pass: sums[r] = alpha (sum of row r of x) + beta, and a copy of them. It has axes of
 * its own, scratch by the launch and scalar parameters, and is no part of the gate. */
#include <kernelgate/kernelgate.h>
#include <math.h>

enum { X, PARTIAL, SUMS, COPY };
enum { ALPHA, BETA };
enum { THREADS, PARTS };

kg_launcher hardware_two_pass_parts, hardware_two_pass_unfilled, hardware_two_pass_beyond_scratch,
    hardware_two_pass_unscaled;

static const kg_variant variants[] = {
    KG_VARIANT("parts", hardware_two_pass_parts, "a block for each part of a row"),
    KG_END,
};

static const kg_size sizes[] = {
    KG_CHECKED(1, 1), KG_CHECKED(3, 33), KG_COUNTED(17, 1000), KG_TIMED(1024, 4096), KG_END,
};

static const kg_launch launches[] = { KG_LAUNCH(64, 1), KG_LAUNCH(32, 7), KG_END };

static const kg_defect defects[] = {
    KG_DEFECT("unfilled", hardware_two_pass_unfilled, "adds to what scratch held before",
              KG_CHECKED(3, 33), KG_LAUNCH(32, 7)),
    KG_DEFECT("beyond_scratch", hardware_two_pass_beyond_scratch, "a part more than scratch has",
              KG_CHECKED(3, 33), KG_LAUNCH(32, 7)),
    KG_DEFECT("unscaled", hardware_two_pass_unscaled, "leaves out alpha", KG_CHECKED(3, 33),
              KG_LAUNCH(32, 7)),
    KG_END,
};

/* The copy has an element more, which nothing writes. */
static void arguments(const kg_size *size, kg_arguments *list)
{
    int64_t rows = kg_extent(size, 0);

    kg_add_argument(list, KG_INPUT, "x", KG_FLOAT32, rows, kg_extent(size, 1));
    kg_add_argument(list, KG_SCRATCH, "partial", KG_FLOAT32, rows, KG_AXIS(list, PARTS));
    kg_add_argument(list, KG_OUTPUT, "sums", KG_FLOAT32, 1, rows);
    kg_add_argument(list, KG_OUTPUT, "copy", KG_FLOAT32, 1, rows + 1);
    kg_add_scalar(list, 0.5);
    kg_add_scalar(list, (double)kg_extent(size, 1));
}

static kg_work work(const kg_size *size)
{
    return (kg_work){ .operations = (double)(kg_extent(size, 0) * kg_extent(size, 1)) };
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    int64_t rows = KG_EXTENT(problem, 0);
    double alpha = KG_SCALAR(problem, double, ALPHA);
    double beta = KG_SCALAR(problem, double, BETA);

    kg_reference_sums(problem, X, SUMS, expected, tolerance);
    for (int64_t i = 0; i < rows; i++) {
        double magnitude = fabs(alpha * expected[i]) + fabs(beta);

        tolerance[i] = fabs(alpha) * tolerance[i];
        tolerance[i] += kg_sum_tolerance(KG_FLOAT32, KG_FLOAT32, 2, magnitude + tolerance[i]);
        expected[i] = alpha * expected[i] + beta;
    }
    if (output == COPY)
        tolerance[rows] = (double)INFINITY;
}

KG_COMPARISON(hardware_two_pass, .variants = variants, .sizes = sizes, .launches = launches,
              .axes = { "threads", "parts" }, .arguments = arguments, .reference = reference,
              .work = work);

KG_DEFECTS(hardware_two_pass, defects);
