/* SPDX-License-Identifier: MIT */
/* The comparison `findings` of the corpus: y = 2 x on the CPU model, each variant with a defect of
 * its own. */
#include <kernelgate/kernelgate.h>

enum { X };

#define CHECKED(name_)                                                                             \
    KG_VARIANT(#name_, findings_##name_, "", .advanced.not_for = KG_PURPOSE_COUNT | KG_PURPOSE_TIME)
#define COUNTED(name_) KG_VARIANT(#name_, findings_counted, "")

kg_launcher findings_clean, findings_wrong_value, findings_unwritten_output, findings_read_past_end,
    findings_write_before_start, findings_atomic_past_end, findings_shared_array_index,
    findings_dynamic_shared_past_end, findings_local_array_index, findings_constant_index,
    findings_unwritten_shared, findings_unwritten_global, findings_race_in_block,
    findings_race_in_warp, findings_race_between_blocks, findings_race_with_an_atomic,
    findings_divergent_barrier, findings_misaligned, findings_input_written, findings_lanes_missing,
    findings_hang, findings_trap, findings_divide_by_zero, findings_far_address, findings_counted,
    findings_after_free, findings_memory_of_the_host, findings_host_in_device_memory;

/* What is counted is one kernel, which the baseline has other counts of under each name. */
static const kg_variant variants[] = {
    CHECKED(clean),
    CHECKED(wrong_value),
    CHECKED(unwritten_output),
    CHECKED(read_past_end),
    CHECKED(write_before_start),
    CHECKED(atomic_past_end),
    CHECKED(shared_array_index),
    CHECKED(dynamic_shared_past_end),
    CHECKED(local_array_index),
    CHECKED(constant_index),
    CHECKED(unwritten_shared),
    CHECKED(unwritten_global),
    CHECKED(race_in_block),
    CHECKED(race_in_warp),
    CHECKED(race_between_blocks),
    CHECKED(race_with_an_atomic),
    CHECKED(divergent_barrier),
    CHECKED(misaligned),
    CHECKED(input_written),
    CHECKED(lanes_missing),
    CHECKED(hang),
    CHECKED(trap),
    CHECKED(divide_by_zero),
    CHECKED(far_address),
    CHECKED(after_free),
    CHECKED(memory_of_the_host),
    CHECKED(host_in_device_memory),
    COUNTED(equal),
    COUNTED(slower),
    COUNTED(faster),
    COUNTED(both_ways),
    COUNTED(by_hand),
    COUNTED(not_recorded),
    KG_END,
};

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
