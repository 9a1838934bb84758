/* SPDX-License-Identifier: MIT */
/* The comparison `findings` of the corpus: y = 2 x on the CPU model, each variant with a defect of
 * its own. */
#include <kernelgate/kernelgate.h>

enum { X };

#define LAUNCHER(name_) kg_launcher findings_##name_;
#define CHECKED(name_)                                                                             \
    KG_VARIANT(#name_, findings_##name_, "",                                                       \
               .advanced.not_for = KG_PURPOSE_COUNT | KG_PURPOSE_TIME),
#define COUNTED(name_) KG_VARIANT(#name_, findings_counted, "")

// clang-format off
#define EACH_CHECKED(X) \
    X(clean) X(wrong_value) X(unwritten_output) X(read_past_end) X(write_before_start) \
    X(atomic_past_end) X(shared_array_index) X(dynamic_shared_past_end) X(local_array_index) \
    X(constant_index) X(unwritten_shared) X(unwritten_global) X(race_in_block) X(race_in_warp) \
    X(race_between_blocks) X(race_with_an_atomic) X(divergent_barrier) X(misaligned) \
    X(input_written) X(lanes_missing) X(hang) X(trap) X(divide_by_zero) X(far_address) \
    X(after_free) X(memory_of_the_host) X(host_in_device_memory)

EACH_CHECKED(LAUNCHER)
LAUNCHER(counted)

/* What is counted is one kernel, which the baseline has other counts of under each name. */
static const kg_variant variants[] = {
    EACH_CHECKED(CHECKED)
    COUNTED(equal),
    COUNTED(slower),
    COUNTED(faster),
    COUNTED(both_ways),
    COUNTED(by_hand),
    COUNTED(not_recorded),
    KG_END,
};
// clang-format on

static const kg_size sizes[] = { KG_COUNTED(128), KG_END };
static const kg_launch launches[] = { KG_LAUNCH(64), KG_END };

static void arguments(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "x", KG_FLOAT32, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_OUTPUT, "y", KG_FLOAT32, 1, kg_extent(size, 0));
}

static kg_work work(const kg_size *size)
{
    double n = (double)kg_extent(size, 0);

    return (kg_work){ .operations = n, .bytes = 8 * n };
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    const float *x = problem->data[X];

    (void)output;
    for (int64_t i = 0; i < kg_extent(problem->size, 0); i++) {
        expected[i] = 2.0 * x[i];
        tolerance[i] = 0;
    }
}

KG_COMPARISON(findings, .variants = variants, .sizes = sizes, .launches = launches,
              .arguments = arguments, .reference = reference, .work = work);
