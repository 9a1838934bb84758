/* SPDX-License-Identifier: MIT */
/* hardware_filter: out[i] = sum of weights[k] in[i + k] over k < 16, the weights in constant
 * memory. It holds the CPU model's counts against the hardware's (tools/dev/validate-model), and is
 * no part of the gate. */
#include <kernelgate/kernelgate.h>
#include <math.h>

#define TAPS 16

enum { IN, OUT };

kg_launcher hardware_filter_uniform, hardware_filter_divergent;

static const kg_variant variants[] = {
    KG_VARIANT("uniform", hardware_filter_uniform, "all lanes read the same weight"),
    KG_VARIANT("divergent", hardware_filter_divergent, "each lane reads another weight"),
    KG_END,
};

static const kg_size sizes[] = {
    KG_CHECKED(1), KG_CHECKED(15), KG_CHECKED(17), KG_COUNTED(1000), KG_COUNTED(99991), KG_END,
};

static const kg_launch launches[] = { KG_LAUNCH(256), KG_END };

static void arguments(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "in", KG_FLOAT32, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_OUTPUT, "out", KG_FLOAT32, 1, kg_extent(size, 0));
}

/* The bound of a sum of 16 products in single precision, whatever its order. */
static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    int64_t n = kg_extent(problem->size, 0);
    const float *in = problem->data[IN];

    (void)output;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < TAPS && i + k < n; k++) {
            double term = (double)(k + 1) / TAPS * in[i + k];

            expected[i] += term;
            tolerance[i] += 2.0 * TAPS * ldexp(1.0, -24) * fabs(term);
        }
    }
}

KG_COMPARISON(hardware_filter, .variants = variants, .sizes = sizes, .launches = launches,
              .arguments = arguments, .reference = reference);
