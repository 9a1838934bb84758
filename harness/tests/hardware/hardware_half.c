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
    add_product(list, size, KG_FLOAT16, "a", "b", KG_FLOAT16, "c");
    add_product(list, size, KG_BFLOAT16, "p", "q", KG_BFLOAT16, "r");
}

KG_COMPARISON(hardware_half, .variants = variants, .sizes = sizes, .launches = launches,
              .arguments = arguments, .reference = product_reference);
