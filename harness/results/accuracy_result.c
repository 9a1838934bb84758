/* SPDX-License-Identifier: MIT */
#include "results/accuracy_result.h"

#include <string.h>

#include "base/text.h"
#include "suite/id_parts.h"

static const char *const names[KG__ERRORS] = { "error_max", "error_mean" };
static const char *const words[KG__ERRORS] = { "largest error", "mean error" };

/* Writes an error with the digits that baselines have. */
static void show_error(char *text, size_t size, double error)
{
    if (error >= 1000)
        kg__show_figure(text, size, error, "");
    else
        kg__format(text, size, "%.4g", error);
}

/* Appends a move, "largest error 3.1 roundoffs, was 0.9 (limit 5.0 %)". */
static void append_move(char *text, size_t size, int which, const kg__metric_result *metric)
{
    char now[KG__FIGURE_SIZE];
    char then[KG__FIGURE_SIZE];
    char limit[KG__FIGURE_SIZE];

    show_error(now, sizeof now, metric->figures.value);
    show_error(then, sizeof then, metric->baseline);
    kg__append(text, size, "%s%s %s roundoffs, was %s", *text != '\0' ? "; " : "", words[which],
               now, then);
    if (metric->limit > 0) {
        kg__show_percent(limit, sizeof limit, metric->limit, false);
        kg__append(text, size, " (limit %s)", limit);
    }
}

/* Adds an error with its judgment; without one (NULL) it is shown. */
static void add_error(kg__pool *pool, kg__case_result *result, const char *name, double error,
                      const kg__judgment *judgment)
{
    kg__metric_result *metric = kg__case_result_add_metric(pool, result, name);

    metric->figures.value = error;
    metric->verdict = KG__PASS;
    metric->why = "";
    if (judgment == NULL) {
        metric->gated = KG__NO;
        return;
    }
    metric->baseline = judgment->baseline;
    metric->change = judgment->change;
    metric->limit = metric->band = judgment->limit;
    metric->smallest = judgment->smallest;
    metric->verdict = judgment->verdict;
    result->verdict = kg__worse(result->verdict, judgment->verdict);
}

/* Says which errors moved, and how to accept that. */
static void explain(kg__pool *pool, kg__case_result *result)
{
    char why[KG__MESSAGE_SIZE] = "";

    for (int i = 0; i < KG__ERRORS; i++) {
        const kg__metric_result *metric = kg__case_result_metric(result, names[i]);

        if (metric->verdict == result->verdict)
            append_move(why, sizeof why, i, metric);
    }
    if (result->verdict == KG__UNCHANGED)
        result->why = kg__pool_format(
            pool, "not judged, since its launch and machine code are unchanged: %s", why);
    else
        result->why = kg__pool_format(
            pool, "%s; to %s it: commit, then KG_FILTER='%.*s*' kernelgate rebaseline --target %s",
            why, result->verdict == KG__LESS_ACCURATE ? "accept" : "keep",
            (int)kg__variant_length(result->id), result->id,
            strcmp(result->target, KG__MODEL_KEY) == 0 ? "model" : "gpu");
}

/* Judges an error by what is recorded of it (NULL: nothing). */
static kg__judgment judge(double error, int which, const kg__baseline_accuracy *recorded,
                          const kg__accuracy_reference *reference)
{
    kg__expectation expectation = { .gated = true };

    if (recorded == NULL)
        return kg__judge_error(error, NULL, false);
    expectation.value = recorded->errors[which];
    expectation.band = recorded->band > 0 ? recorded->band : reference->exact ? 0 : KG__ERROR_BAND;
    return kg__judge_error(error, &expectation, reference->same_code != NULL);
}

void kg__add_accuracy(kg__pool *pool, kg__case_result *result, const kg__observation *plain,
                      const kg__accuracy_reference *reference)
{
    const kg__baseline *baseline = reference->baseline;
    const kg__baseline_accuracy *recorded =
        baseline != NULL ? kg__baseline_accuracy_of(baseline, result->id) : NULL;
    const bool is_judged = baseline != NULL && (baseline->accuracy != NULL || reference->strict);

    for (int i = 0; i < KG__ERRORS && plain->metric_count > 0; i++) {
        const double error = kg__value_of(plain, names[i]);
        const kg__judgment judgment = judge(error, i, recorded, reference);

        add_error(pool, result, names[i], error, is_judged ? &judgment : NULL);
    }
    if (plain->metric_count == 0 && recorded != NULL) {
        result->verdict = KG__LESS_ACCURATE;
        result->why = "its errors can no longer be measured: is a tolerance infinite, or the "
                      "output of another type?";
    } else if (result->verdict == KG__NO_BASELINE) {
        result->why = baseline == NULL || baseline->accuracy != NULL
                          ? "no baseline: record one with kernelgate rebaseline"
                          : "the baseline has no errors: record them with kernelgate rebaseline";
    } else if (result->verdict == KG__ERROR) {
        result->why = "its record has no usable error: build the programs again";
    } else if (result->verdict != KG__PASS) {
        explain(pool, result);
    }
    if (result->verdict == KG__UNCHANGED)
        result->same_code = reference->same_code;
}
