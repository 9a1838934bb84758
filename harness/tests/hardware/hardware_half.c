/* SPDX-License-Identifier: MIT */
/* hardware_half: products of matrices in float16 and bfloat16. It holds the CPU model's arithmetic
 * and its counts of 16-bit types against the hardware's (tools/dev/validate-model), and is no part
 * of the gate. */
#include "hardware_product.h"

kg_launcher hardware_half_naive, hardware_half_pairs;

static const kg_variant variants[] = {
    KG_VARIANT("naive", hardware_half_naive, "one element at a time"),
    KG_VARIANT("pairs", hardware_half_pairs, "two elements in one load"),
    KG_END,
};

static const kg_size sizes[] = {
    KG_CHECKED(2), KG_CHECKED(17, 33, 40), KG_COUNTED(32), KG_COUNTED(65, 33, 128), KG_END,
};

static const kg_launch launches[] = { KG_LAUNCH(96), KG_END };

static void arguments(const kg_size *size, kg_arguments *list)
{
    int64_t m = kg_extent(size, 0);
    int64_t n = kg_extent(size, 1);
    int64_t k = kg_extent(size, 2);

    kg_add_argument(list, KG_INPUT, "a", KG_FLOAT16, m, k);
    kg_add_argument(list, KG_INPUT, "b", KG_FLOAT16, n, k);
    kg_add_argument(list, KG_OUTPUT, "c", KG_FLOAT16, m, n);
    kg_add_argument(list, KG_INPUT, "p", KG_BFLOAT16, m, k);
    kg_add_argument(list, KG_INPUT, "q", KG_BFLOAT16, n, k);
    kg_add_argument(list, KG_OUTPUT, "r", KG_BFLOAT16, m, n);
}

KG_COMPARISON(hardware_half, .variants = variants, .sizes = sizes, .launches = launches,
              .arguments = arguments, .reference = product_reference);
