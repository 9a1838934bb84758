/* SPDX-License-Identifier: MIT */
/* hardware_cluster: tiles of 256 numbers, each reversed by a cluster of four blocks. It holds the
 * CPU model's counts of clusters against the hardware's (tools/dev/validate-model), and is no part
 * of the gate. */
#include <kernelgate/kernelgate.h>

#define TILE 256

kg_launcher hardware_cluster_pull, hardware_cluster_push, hardware_cluster_add;

static const kg_variant variants[] = {
    KG_VARIANT("pull", hardware_cluster_pull, "reads what another block has"),
    KG_VARIANT("push", hardware_cluster_push, "writes to another block"),
    KG_VARIANT("add", hardware_cluster_add, "adds to another block"),
    KG_END,
};

static const kg_size sizes[] = {
    KG_CHECKED(1), KG_CHECKED(257), KG_COUNTED(530), KG_COUNTED(65541), KG_END,
};

static const kg_launch launches[] = { KG_LAUNCH(64), KG_END };

static void arguments(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "in", KG_INT32, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_OUTPUT, "out", KG_INT32, 1, kg_extent(size, 0));
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    const int32_t *in = problem->data[0];
    const int64_t n = kg_extent(problem->size, 0);

    (void)output;
    (void)tolerance;
    for (int64_t i = 0; i < n; i++) {
        int64_t from = i / TILE * TILE + TILE - 1 - i % TILE;

        expected[i] = from < n ? in[from] : 0;
    }
}

KG_COMPARISON(hardware_cluster, .variants = variants, .sizes = sizes, .launches = launches,
              .arguments = arguments, .reference = reference);
