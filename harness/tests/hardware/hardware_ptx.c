/* SPDX-License-Identifier: MIT */
/* hardware_ptx: products of matrices in float16 by inline PTX. It holds the CPU model's arithmetic
 * of mma and its counts of cp.async, ldmatrix and vectors against the hardware's
 * (tools/dev/validate-model), and is no part of the gate. */
#include "hardware_product.h"

kg_launcher hardware_ptx_padded, hardware_ptx_packed, hardware_ptx_vectors;

static const kg_variant variants[] = {
    KG_VARIANT("padded", hardware_ptx_padded, "ldmatrix and mma, without bank conflicts"),
    KG_VARIANT("packed", hardware_ptx_packed, "the same with bank conflicts"),
    KG_VARIANT("vectors", hardware_ptx_vectors, "loads of 16 bytes"),
    KG_END,
};

/* A block's two warps have 16 x 8 outputs each. */
static const kg_size sizes[] = {
    KG_CHECKED(16, 16, 16),
    KG_CHECKED(48, 32, 80),
    KG_COUNTED(32, 16, 64),
    KG_COUNTED(64, 64, 128),
    KG_END,
};

static const kg_launch launches[] = { KG_LAUNCH(64), KG_END };

static void arguments(const kg_size *size, kg_arguments *list)
{
    add_product(list, size, KG_FLOAT16, "a", "b", KG_FLOAT32, "c");
}

KG_COMPARISON(hardware_ptx, .variants = variants, .sizes = sizes, .launches = launches,
              .arguments = arguments, .reference = product_reference);
