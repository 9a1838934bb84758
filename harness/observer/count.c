/* SPDX-License-Identifier: MIT */
/* Part count: runs each case once on the CPU model's instrumented kernels and records the counts
 * of their accesses. */
#include "observer/measure.h"
#include "observer/report_record.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/source_path.h"
#include "device/device.h"
#include "model/model.h"
#include "model/watch/watch.h"
#include "observer/check.h"
#include "observer/inputs.h"
#include "suite/counters.h"

/* Returns the counters by source line, or NULL if an access has no line, as without debug
 * information: lines must add up to the totals. */
static kg__lines *make_lines(const char *home, const kg__model_report *report)
{
    kg__lines *lines = kg__lines_make();

    for (size_t i = 0; i < report->line_count; i++) {
        const kg__model_line *line = &report->lines[i];
        const char *file;
        kg__counts *counts;

        if (line->line == 0) {
            kg__lines_free(lines);
            return kg__lines_make();
        }
        file = kg__source_name(home, line->file);
        counts = kg__lines_at(lines, file, strlen(file), line->line);
        for (int k = 0; k < KG__COUNTERS; k++)
            counts->value[k] += line->counts.value[k];
    }
    return lines;
}

/* The counts of a case's launch. */
typedef struct counted_case {
    kg__observation observation;
    bool is_checked; /* a check with instrumented kernels would launch nothing else */
    kg__figures metrics[KG__COUNTERS];
    kg__absence absent[KG__COUNTERS];
    kg_work work;
    kg__lines *lines;
} counted_case;

static void describe_counts(const kg_comparison *comparison, const kg__case *c,
                            const kg__model_report *report, counted_case *counted)
{
    bool sampled = report->watched < report->blocks;
    kg__observation *observation = &counted->observation;

    counted->lines = make_lines(comparison->home, report);
    *observation = (kg__observation){
        .event = KG__EVENT_MEASURED,
        .id = c->id,
        .metrics = counted->metrics,
        .absent.list = counted->absent,
        .lines = counted->lines,
        .work = kg__work_of(comparison, c, &counted->work),
        .sampled_blocks = sampled ? (int64_t)report->watched : 0,
        .sampled_of = sampled ? (int64_t)report->blocks : 0,
    };
    for (int i = 0; i < KG__COUNTERS; i++) {
        const char *name = kg__counter_name((kg__counter)i);

        if (sampled && (i == KG__UNIQUE_BYTES_READ || i == KG__UNIQUE_BYTES_WRITTEN))
            counted->absent[observation->absent.count++] =
                (kg__absence){ name, "only some blocks were run" };
        else
            counted->metrics[observation->metric_count++] = (kg__figures){
                .name = name, .value = (double)report->counts.value[i], .low = NAN, .high = NAN
            };
    }
}

/* Returns whether another launch would start the same kernels with as many blocks as the counted
 * one, since timing launches a case many times. Its kernels do not run, so a launcher that may wait
 * for them is not asked. */
static bool launches_the_same(const kg__case *c, kg_call call, const kg__launch_shape *counted,
                              kg__error *why)
{
    kg__launch_shape next;

    if (c->variant->advanced.clock == KG_HOST_CLOCK)
        return true;
    (void)kg__device_shape(c->variant, call, &next);
    return (next.kernels == counted->kernels && next.blocks == counted->blocks &&
            next.names == counted->names) ||
           kg__fail(
               why,
               "the first launch starts %" PRIu64 " kernels of %" PRIu64
               " blocks, the second %" PRIu64 " of %" PRIu64
               "%s: make every launch do the same work, and do one-time work in .advanced.prepare",
               counted->kernels, counted->blocks, next.kernels, next.blocks,
               next.names != counted->names ? ", other ones" : "");
}

/* Launches a case once on random inputs and records its counts. Accesses and results are checked
 * too: the counts of a wrong kernel are meaningless. */
static kg__outcome count_case(kg__stage *stage, const kg_comparison *comparison, const kg__case *c,
                              counted_case *counted, kg__error *why)
{
    kg_call call;
    const unsigned char poison = kg__poison(0);
    const kg__model_report *seen;
    kg__launch_shape shape;
    kg__outcome outcome;

    if (!kg__stage_set(stage, comparison, c, why))
        return KG__FAILED;
    kg__model_watch(KG__MODEL_COUNT | KG__MODEL_CHECK, KG__MODEL_BUDGET);
    if (!kg__buffers_fill(&stage->buffers, stage->problem.device, poison, why) ||
        !kg__prepare_launch(c, &stage->buffers, why))
        return KG__FAILED;
    if (kg__check_found(comparison, why))
        return KG__INCORRECT;
    /* Filling and preparing the arguments is not part of the case's work: counting starts over. */
    kg__model_watch(KG__MODEL_COUNT | KG__MODEL_CHECK, KG__MODEL_BUDGET);
    call = kg__buffers_call(&stage->buffers, c, NULL);
    if (!kg__run_step(c->variant->launch, &call, "running the kernel", why))
        return KG__FAILED;
    /* Neither is collecting the results. */
    seen = kg__model_seen();
    shape = (kg__launch_shape){ .kernels = seen->counts.value[KG__LAUNCHES],
                                .blocks = seen->counts.value[KG__BLOCKS],
                                .names = seen->kernels };
    describe_counts(comparison, c, seen, counted);
    outcome = kg__check_results(comparison, c, &stage->problem, &stage->buffers, poison, "", why);
    counted->is_checked = kg__patterns_checked(comparison, &stage->buffers.arguments) == 1 &&
                          !kg__device_skipped_checks(&(kg__error){ "" }, &(bool){ false });
    return outcome == KG__RIGHT && !launches_the_same(c, call, &shape, why) ? KG__FAILED : outcome;
}

/* Records the counts of a case and, for the part `check`, that it need not run the case again. */
static bool append(int records, const counted_case *counted, kg__error *error)
{
    const kg__observation right = { .event = KG__EVENT_CHECKED,
                                    .id = counted->observation.id,
                                    .right = true };

    return kg__observation_append(records, &counted->observation, error) &&
           (!counted->is_checked || kg__observation_append(records, &right, error));
}

bool kg__measure_cases(const kg_comparison *comparison, const char *part,
                       const kg__case *const *cases, size_t count, int records, kg__error *error)
{
    kg__stage stage = { 0 };
    bool sound = true;

    if (strcmp(part, "count") != 0 || !kg__model_is_instrumented())
        return kg__fail(
            error,
            "%s: part %s needs the instrumented program, which is next to this one: run "
            "that",
            comparison->name, part);
    kg__model_set_order(KG__MODEL_ASCENDING);
    for (size_t i = 0; i < count && sound; i++) {
        kg__error why = { "" };
        counted_case counted = { 0 };
        kg__outcome outcome;

        kg__report(records, KG__EVENT_START, cases[i]->id, NULL);
        outcome = count_case(&stage, comparison, cases[i], &counted, &why);
        if (outcome == KG__RIGHT)
            sound = append(records, &counted, error);
        else if (outcome == KG__INCORRECT || kg__check_found(comparison, &why))
            kg__report_wrong(records, comparison->home, cases[i]->id, why.text);
        else
            kg__report(records, KG__EVENT_FAILED, cases[i]->id, why.text);
        kg__lines_free(counted.lines);
        if (kg__device_is_lost())
            sound =
                kg__fail(error, "%s: the kernel made the device unusable for this process: fix it",
                         cases[i]->id);
    }
    kg__stage_clear(&stage);
    return sound;
}
