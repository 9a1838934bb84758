/* SPDX-License-Identifier: MIT */
/* What an observer records of launches: their findings, counters and lines. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "baseline/counter_lines.h"
#include "device/device.h"
#include "observer/check.h"
#include "observer/measure.h"
#include "tests/fakes/drive.h"
#include "tests/model/defect_fixture.h"

static kg__error why;

/* Doubles the first of every `of` elements. */
static cudaError_t double_part(const kg_call *call, int64_t of, bool defective,
                               defect_launcher *launch)
{
    return launch(&(defect_call){ .n = (int)(kg_extent(call->size, 0) / of),
                                  .block = KG_AXIS(call, 0),
                                  .defective = defective,
                                  .in = call->argument[0],
                                  .out = call->argument[1] });
}

static cudaError_t double_all(const kg_call *call)
{
    return double_part(call, 1, false, launch_off_by_one_guard);
}

static cudaError_t double_a_tenth(const kg_call *call)
{
    return double_part(call, 10, false, launch_off_by_one_guard);
}

static cudaError_t double_one_too_many(const kg_call *call)
{
    return double_part(call, 1, true, launch_off_by_one_guard);
}

static cudaError_t double_unevenly(const kg_call *call)
{
    return double_part(call, 1, true, launch_uneven_loop);
}

static cudaError_t double_a_tenth_unevenly(const kg_call *call)
{
    return double_part(call, 10, true, launch_uneven_loop);
}

static cudaError_t double_all_at_first(const kg_call *call)
{
    static int calls;

    return calls++ == 0 ? double_all(call) : double_a_tenth(call);
}

static cudaError_t double_all_by_turns(const kg_call *call)
{
    static int calls;

    return calls++ == 0 ? double_all(call) : double_unevenly(call);
}

/* The same twice, the second time by a kernel without debug information. */
static cudaError_t double_in_part_without_lines(const kg_call *call)
{
    cudaError_t code = double_all(call);

    return code != cudaSuccess
               ? code
               : launch_without_lines(&(defect_call){ .n = (int)kg_extent(call->size, 0),
                                                      .block = KG_AXIS(call, 0),
                                                      .in = call->argument[0],
                                                      .out = call->argument[1] });
}

static cudaError_t fail_to_prepare(const kg_call *call)
{
    (void)call;
    return cudaErrorMemoryAllocation;
}

static void arguments_of_doubling(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT, "in", KG_FLOAT32, 1, kg_extent(size, 0));
    kg_add_argument(list, KG_OUTPUT, "out", KG_FLOAT32, 1, kg_extent(size, 0));
}

static void reference_of_doubling(const kg_problem *problem, int output, double *expected,
                                  double *tolerance)
{
    const float *in = problem->data[0];

    (void)output;
    (void)tolerance;
    for (int64_t i = 0; i < kg_extent(problem->size, 0); i++)
        expected[i] = 2.0 * in[i];
}

static const kg_size size_of_doubling = KG_COUNTED(530);
static const kg_comparison doubling = { .name = "doubling",
                                        .home = "/nowhere",
                                        .arguments = arguments_of_doubling,
                                        .reference = reference_of_doubling };

static kg__case case_of(const kg_variant *variant)
{
    return (kg__case){
        .variant = variant, .size = &size_of_doubling, .launch = KG_LAUNCH(64), .id = "doubled"
    };
}

/* The record that part count leaves of a variant. */
static json_t *record_of(const kg_variant *variant)
{
    const kg__case c = case_of(variant);
    const kg__case *const cases[] = { &c };
    FILE *file = tmpfile();
    json_t *record;

    cr_assert(file != NULL);
    cr_assert(kg__measure_cases(&doubling, "count", cases, 1, fileno(file), &why), "%s", why.text);
    rewind(file);
    json_decref(json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL));
    record = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL);
    fclose(file);
    return keep_json(record);
}

static json_int_t metric_of(const json_t *record, const char *name)
{
    const json_t *metrics = json_object_get(record, "metrics");

    return json_integer_value(json_object_get(json_object_get(metrics, name), "value"));
}

/* What prepares the arguments and what collects the results is neither part of the job nor of what
 * it costs; yet it must not touch what it must not. A part of the job is wrong. */
Test(defect_records, the_job_alone_is_counted)
{
    static const struct {
        kg_variant variant;
        const char *event;
        const char *why; /* its beginning */
        json_int_t loads;
        size_t findings;
    } rows[] = {
        { KG_VARIANT("whole", double_all, ""), "measured", "", 17, 0 },
        { KG_VARIANT("prepared", double_all, "", .advanced.prepare = double_all), "measured", "",
          17, 0 },
        { KG_VARIANT("astray", double_all, "", .advanced.prepare = double_one_too_many), "checked",
          "", 0, 2 },
        { KG_VARIANT("unprepared", double_all, "", .advanced.prepare = fail_to_prepare), "failed",
          "preparing the arguments: cudaErrorMemory", 0, 0 },
        { KG_VARIANT("tenth", double_a_tenth, ""), "checked", "out[53]: expected ", 0, 0 },
        /* Threads that have ended do not count at a barrier: that explains wrong results alone. */
        { KG_VARIANT("uneven", double_unevenly, ""), "measured", "", 26, 0 },
        { KG_VARIANT("uneven_tenth", double_a_tenth_unevenly, ""), "checked", "", 0, 1 },
        { KG_VARIANT("at_first", double_all_at_first, ""), "failed",
          "the first launch starts 1 kernels of 9 blocks, the second 1 of 1: make every", 0, 0 },
        { KG_VARIANT("by_turns", double_all_by_turns, ""), "failed",
          "the first launch starts 1 kernels of 9 blocks, the second 1 of 9, other ones: make ", 0,
          0 },
        { KG_VARIANT("collected", double_a_tenth, "", .advanced.collect = double_all), "measured",
          "", 2, 0 },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        json_t *record = record_of(&rows[i].variant);
        const char *why = kg__json_text(record, "why");

        cr_expect_str_eq(kg__json_text(record, "event"), rows[i].event, "%s", why);
        cr_expect(strncmp(why, rows[i].why, strlen(rows[i].why)) == 0, "%s", why);
        cr_expect(metric_of(record, "global_load_requests") == rows[i].loads, "%zu", i);
        cr_expect(json_array_size(json_object_get(record, "findings")) == rows[i].findings);
    }
}

/* A baseline's counters are held to the sums of their lines: those that do not add up, for want of
 * debug information, are left out. */
Test(defect_records, lines_add_up_or_are_not_kept)
{
    static const kg_variant whole = KG_VARIANT("whole", double_all, "");
    static const kg_variant prepared =
        KG_VARIANT("prepared", double_all, "", .advanced.prepare = double_all);
    static const kg_variant part = KG_VARIANT("part", double_in_part_without_lines, "");
    json_t *with_lines = record_of(&whole);
    json_t *after_preparing = record_of(&prepared);
    json_t *without = record_of(&part);
    const json_t *lines = json_object_get(with_lines, "lines");
    kg__lines *read = kg__pool_lines(test_pool());
    const char *key;
    const char *counter;

    cr_assert(kg__lines_read(lines, read, &key, &counter) && read->count > 0);
    for (int i = 0; i < KG__COUNTERS; i++) {
        const char *name = kg__counter_name((kg__counter)i);

        if (kg__is_counted_by_line((kg__counter)i))
            cr_expect(kg__lines_sum(read, (kg__counter)i) == (double)metric_of(with_lines, name),
                      "%s", name);
    }
    cr_expect(metric_of(without, "global_load_requests") ==
              2 * metric_of(with_lines, "global_load_requests"));
    cr_expect(json_object_size(json_object_get(without, "lines")) == 0);
    cr_expect(json_equal(lines, json_object_get(after_preparing, "lines")));
    cr_expect(json_equal(json_object_get(with_lines, "metrics"),
                         json_object_get(after_preparing, "metrics")));
}

/* Of a sampled launch, most outputs are not there. */
Test(defect_records, a_sampled_launch_is_not_compared)
{
    static const kg_variant whole = KG_VARIANT("whole", double_all, "");
    const kg__case c = case_of(&whole);
    kg__stage stage = { 0 };

    cr_assert(kg__stage_set(&stage, &doubling, &c, &why), "%s", why.text);
    for (int sampled = 0; sampled <= 1; sampled++) {
        const kg_call call = { .size = c.size, .launch = c.launch, .argument = stage.buffers.data };
        cudaError_t (*const launched)(const kg_call *) = sampled ? double_all : double_a_tenth;
        bool whole_launch;

        kg__model_watch(BOTH, sampled ? 100 : 0);
        cr_assert(kg__buffers_fill(&stage.buffers, stage.problem.device, kg__poison(0), &why));
        cr_assert(launched(&call) == cudaSuccess);
        (void)kg__device_skipped_checks(&why, &whole_launch);
        cr_assert(whole_launch == !sampled);
        cr_expect(kg__check_results(&doubling, &c, &stage.problem, &stage.buffers, kg__poison(0),
                                    "", &why) == (sampled ? KG__RIGHT : KG__INCORRECT));
    }
    kg__stage_clear(&stage);
}

/* The model's program says how it was compiled. */
Test(defect_records, the_flags_of_the_project_are_recorded)
{
    kg__device_description device;

    cr_assert(kg__device_open(&device, &why) == KG__DEVICE_READY, "%s", why.text);
    cr_expect_str_eq(kg__json_text(keep_json(device.provenance), "flags"),
                     "-ffast-math -DWORD=\"a\\b\"");
}
