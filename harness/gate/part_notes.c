/* SPDX-License-Identifier: MIT */
/* What a part notes once its cases are settled: surroundings that differ from the baseline's. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "gate/part.h"
#include "records/gpu_state.h"
#include "results/time_result.h"
#include "suite/settings.h"

void kg__part_note_accuracy(kg__part_run *run)
{
    bool any = false;

    for (size_t i = 0; i < run->count; i++)
        any = any || kg__case_result_metric(run->part_cases[i].result, "error_max") != NULL;
    if (any && run->baseline != NULL && run->baseline->accuracy == NULL && !kg__is_strict())
        kg__part_add_note(run, "errors against the reference are not gated, since the baseline has "
                               "none: record them with kernelgate rebaseline");
}

/* 700 is 700.0. */
static bool is_equal(const json_t *one, const json_t *other)
{
    return json_is_number(one) && json_is_number(other)
               ? json_number_value(one) == json_number_value(other)
               : json_equal(one, other);
}

/* Notes a fact that is not what it was when the baseline was recorded. */
static void note_fact(kg__part_run *run, const char *name, const json_t *then, const json_t *now)
{
    char *before;
    char *after;

    if (then == NULL || now == NULL || is_equal(then, now))
        return;
    before = json_dumps(then, JSON_ENCODE_ANY);
    after = json_dumps(now, JSON_ENCODE_ANY);
    kg__part_add_note(run,
                      kg__pool_format(&run->pool,
                                      "%s: the baseline was recorded with %s %s, this run has %s",
                                      run->target.key, name, before, after));
    free(before);
    free(after);
}

/* Says where this run's surroundings differ from those that the baseline was recorded in. */
void kg__part_note_provenance(kg__part_run *run)
{
    static const char *const facts[] = { "driver", "cuda", "power_limit_w", "ecc" };

    if (run->recording_differences[0] != '\0')
        kg__part_add_note(run, run->recording_differences);
    for (size_t i = 0; run->baseline != NULL && i < sizeof facts / sizeof facts[0]; i++) {
        note_fact(run, facts[i], json_object_get(run->baseline->provenance, facts[i]),
                  json_object_get(run->verdicts->provenance, facts[i]));
    }
}

void kg__part_note_launch_cost(kg__part_run *run)
{
    size_t timed = 0;
    size_t differing = 0;
    double then = 0;
    double farthest = 0;
    char now_text[KG__FIGURE_SIZE];
    char then_text[KG__FIGURE_SIZE];

    for (size_t i = 0; i < run->count; i++) {
        const kg__case_result *result = run->part_cases[i].result;
        const kg__gpu_state *state = result != NULL ? result->gpu_state : NULL;
        double now;

        timed += state != NULL;
        if (!kg__launch_cost_moved(state, run->stored.provenance, &now, &then))
            continue;
        differing++;
        if (farthest == 0 || fabs(log(now / then)) > fabs(log(farthest / then)))
            farthest = now;
    }
    if (differing == 0)
        return;
    kg__show_figure(now_text, sizeof now_text, farthest, "ns");
    kg__show_figure(then_text, sizeof then_text, then, "ns");
    kg__part_add_note(
        run, kg__pool_format(&run->pool,
                             "%s: %zu of %zu cases were timed while a launch cost %s, and not %s "
                             "as when the baseline was recorded",
                             run->target.key, differing, timed, now_text, then_text));
}
