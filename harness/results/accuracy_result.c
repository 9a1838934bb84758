#include "results/accuracy_result.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "suite/case_id.h"

enum { LARGEST, MEAN, ERRORS };

static const char *const names[ERRORS] = { "error_max", "error_mean" };
static const char *const words[ERRORS] = { "largest error", "mean error" };

/* Writes an error with the digits that baselines have. */
static void show_error(char *text, size_t size, double error)
{
    if (error >= 1000)
        kg__show_figure(text, size, error, "");
    else
        kg__format(text, size, "%.4g", error);
}

/* "3.1 roundoffs, was 0.9 (limit 5.0 %)"; empty where it did not move. */
static void describe_move(char *text, size_t size, const kg__judgment *judgment)
{
    char now[KG__FIGURE_SIZE];
    char then[KG__FIGURE_SIZE];
    char limit[KG__FIGURE_SIZE];

    text[0] = '\0';
    if (!judgment->tripped)
        return;
    show_error(now, sizeof now, judgment->value);
    show_error(then, sizeof then, judgment->baseline);
    kg__format(text, size, "%s roundoffs, was %s", now, then);
    if (judgment->limit > 0) {
        kg__show_percent(limit, sizeof limit, judgment->limit, false);
        kg__format(text + strlen(text), size - strlen(text), " (limit %s)", limit);
    }
}

static kg__verdict add_error(kg__pool *pool, kg__case_result *result, int which, double error,
                             const kg__expectation *expectation, bool same_code)
{
    kg__metric_result *metric = kg__case_result_add_metric(pool, result, names[which]);
    const kg__judgment judgment = kg__judge_error(error, expectation, same_code);
    char why[KG__MESSAGE_SIZE];

    describe_move(why, sizeof why, &judgment);
    metric->figures.value = error;
    metric->baseline = judgment.baseline;
    metric->change = judgment.change;
    metric->limit = judgment.limit;
    metric->smallest = judgment.smallest;
    metric->band = expectation != NULL ? expectation->band : NAN;
    metric->verdict = judgment.verdict;
    metric->why = kg__pool_text(pool, why);
    return judgment.verdict;
}

/* Shows errors that there is nothing to judge by. */
static void leave_unjudged(kg__pool *pool, kg__case_result *result, const kg__accuracy *errors)
{
    const double values[ERRORS] = { errors->max, errors->mean };

    for (int i = 0; i < ERRORS; i++) {
        kg__metric_result *metric = kg__case_result_add_metric(pool, result, names[i]);

        metric->figures.value = values[i];
        metric->gated = KG__NO;
        metric->verdict = KG__PASS;
        metric->why = "";
    }
}

/* Says which errors moved, and how to accept that. */
static void explain(kg__pool *pool, kg__case_result *result)
{
    char why[KG__MESSAGE_SIZE] = "";
    bool unchanged = result->verdict == KG__UNCHANGED;

    for (int i = 0; i < ERRORS; i++) {
        const kg__metric_result *metric = kg__case_result_metric(result, names[i]);
        size_t used = strlen(why);

        if (metric->verdict == result->verdict && *metric->why != '\0')
            kg__format(why + used, sizeof why - used, "%s%s %s", used > 0 ? "; " : "", words[i],
                       metric->why);
    }
    if (unchanged)
        result->why = kg__pool_format(
            pool, "not judged, since its launch and machine code are unchanged: %s", why);
    else
        result->why = kg__pool_format(
            pool, "%s; to %s it: commit, then KG_FILTER='%.*s*' ci/rebaseline --target %s", why,
            result->verdict == KG__LESS_ACCURATE ? "accept" : "keep",
            (int)kg__variant_length(result->id), result->id,
            strcmp(result->target, KG__MODEL_KEY) == 0 ? "model" : "gpu");
}

/* Judges errors by what is recorded of them (NULL: nothing). */
static void judge(kg__pool *pool, kg__case_result *result, const kg__accuracy *errors,
                  const kg__baseline_accuracy *recorded, const kg__accuracy_reference *reference)
{
    const double values[ERRORS] = { errors->max, errors->mean };

    for (int i = 0; i < ERRORS; i++) {
        kg__expectation expectation = { .gated = true };
        kg__verdict verdict;

        if (recorded != NULL) {
            expectation.value = i == LARGEST ? recorded->errors.max : recorded->errors.mean;
            expectation.band = recorded->band > 0 ? recorded->band
                               : reference->exact ? 0
                                                  : KG__ERROR_BAND;
        }
        verdict = add_error(pool, result, i, values[i], recorded != NULL ? &expectation : NULL,
                            reference->same_code != NULL);
        result->verdict = kg__worse(result->verdict, verdict);
    }
    if (result->verdict == KG__NO_BASELINE)
        result->why = reference->baseline->accuracy != NULL
                          ? "no baseline: record one with ci/rebaseline"
                          : "the baseline has no errors: record them with ci/rebaseline";
    else if (result->verdict != KG__PASS)
        explain(pool, result);
    if (result->verdict == KG__UNCHANGED)
        result->same_code = reference->same_code;
}

void kg__add_accuracy(kg__pool *pool, kg__case_result *result, const kg__accuracy *errors,
                      const kg__accuracy_reference *reference)
{
    const kg__baseline *baseline = reference->baseline;
    const kg__baseline_accuracy *recorded =
        baseline != NULL ? kg__baseline_accuracy_of(baseline, result->id) : NULL;
    char then[KG__FIGURE_SIZE];

    if (errors == NULL && recorded != NULL) {
        show_error(then, sizeof then, recorded->errors.max);
        result->verdict = KG__LESS_ACCURATE;
        result->why = kg__pool_format(
            pool,
            "its errors can no longer be measured, the largest was %s roundoffs: is a "
            "tolerance infinite, or the output of another type?",
            then);
    } else if (errors != NULL && baseline != NULL &&
               (baseline->accuracy != NULL || reference->strict)) {
        judge(pool, result, errors, recorded, reference);
    } else if (errors != NULL) {
        leave_unjudged(pool, result, errors);
    }
}
