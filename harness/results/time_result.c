/* SPDX-License-Identifier: MIT */
#include "results/time_result.h"

#include <limits.h>
#include <math.h>

#include "base/json.h"
#include "base/statistics.h"
#include "base/text.h"
#include "judge/launch_cost.h"
#include "records/gpu_state.h"
#include "results/judgment_text.h"
#include "suite/id_parts.h"

void kg__sentinels_add(kg__sentinel_log *seen, const kg__observation *sentinels)
{
    for (int i = 0; i < KG__SENTINELS; i++) {
        double value = kg__value_of(sentinels, kg__sentinel_kinds[i].name);

        if (value > 0 && isfinite(value)) {
            seen->sum[i] += log(value);
            seen->count[i]++;
        }
    }
}

const kg__observation *kg__sentinels_observation(kg__pool *pool, const kg__sentinel_log *seen)
{
    kg__observation *sentinels = kg__pool_array(pool, 1, sizeof *sentinels);

    *sentinels = (kg__observation){
        .event = KG__EVENT_SENTINELS,
        .metrics = kg__pool_array(pool, KG__SENTINELS, sizeof(kg__figures)),
    };
    for (int i = 0; i < KG__SENTINELS; i++) {
        if (seen->count[i] > 0)
            sentinels->metrics[sentinels->metric_count++] =
                (kg__figures){ .name = kg__sentinel_kinds[i].name,
                               .value = exp(seen->sum[i] / seen->count[i]),
                               .low = NAN,
                               .high = NAN };
    }
    return sentinels;
}

kg__surroundings kg__surroundings_of(const kg__sentinel_log *seen, const kg__baseline *baseline,
                                     const kg__observation *measured)
{
    kg__surroundings result = { .throttled = measured->throttled };
    int64_t foreign = measured->gpu_state != NULL ? measured->gpu_state->foreign_processes : 0;
    const kg__baseline_case *recorded = kg__baseline_find(baseline, measured->id);

    result.foreign_processes = foreign > 0 && foreign < INT_MAX ? (int)foreign : 0;
    result.same_code = recorded != NULL && kg__is_same_code(recorded->code, measured->kernel);
    for (int i = 0; i < KG__SENTINELS; i++) {
        const kg__baseline_case *entry =
            baseline != NULL ? kg__baseline_sentinel(baseline, kg__sentinel_kinds[i].name) : NULL;
        const kg__baseline_metric *metric = kg__baseline_metric_of(entry, "time_ns");

        result.sentinel_move[i] = result.sentinel_limit[i] = NAN;
        if (metric == NULL || seen->count[i] == 0)
            continue;
        result.sentinel_move[i] = seen->sum[i] / seen->count[i] - log(metric->value);
        result.sentinel_limit[i] = log1p(metric->band);
    }
    return result;
}

/* The measurement whose value of a metric is the median of those that have one (the higher of the
 * middle two, lest a lost confirmation excuse a slowdown); `count` when none has. */
static size_t find_median(const kg__measurement *measurements, size_t count, const char *metric)
{
    size_t valued = 0;

    for (size_t i = 0; i < count; i++)
        valued += !isnan(kg__value_of(measurements[i].measured, metric));
    for (size_t i = 0; i < count; i++) {
        double value = kg__value_of(measurements[i].measured, metric);
        size_t below = 0;

        if (isnan(value))
            continue;
        for (size_t j = 0; j < count; j++) {
            double other = kg__value_of(measurements[j].measured, metric);

            below += other < value || (other == value && j < i);
        }
        if (below == valued / 2)
            return i;
    }
    return count;
}

/* Keeps the samples of every measurement of a time that is worse than its baseline; of any other
 * they would only fill the results. */
static void keep_samples(kg__pool *pool, kg__metric_result *metric,
                         const kg__measurement *measurements, size_t count)
{
    kg__sample_list *samples = kg__pool_array(pool, count, sizeof *samples);

    metric->samples = samples;
    for (size_t i = 0; i < count; i++) {
        const kg__figures *figures = kg__figures_of(measurements[i].measured, metric->figures.name);

        if (figures != NULL && figures->samples_ns_count > 0)
            samples[metric->sample_count++] =
                (kg__sample_list){ figures->samples_ns, figures->samples_ns_count };
    }
}

/* Judges one metric by the measurement that was chosen, and adds it to the result. */
static kg__metric_result *judge_metric(kg__pool *pool, kg__case_result *result, const char *name,
                                       const kg__measurement *chosen,
                                       const kg__baseline_metric *expected)
{
    const kg__figures *figures = kg__figures_of(chosen->measured, name);
    kg__interval observed = { figures->value, figures->low, figures->high };
    kg__metric_result *metric = kg__case_result_add_metric(pool, result, name);
    kg__surroundings surroundings = chosen->surroundings;
    kg__expectation expectation;
    kg__judgment judgment;
    const char *unit = kg__metric_unit(name);
    char why[KG__JUDGMENT_TEXT_SIZE];

    surroundings.bound = figures->bound;
    if (expected != NULL)
        expectation = kg__baseline_expectation(expected);
    judgment =
        kg__judge(&observed, expected != NULL ? &expectation : NULL, &surroundings, *unit != '\0');
    kg__judgment_text(why, sizeof why, &judgment, unit);
    metric->figures = *figures;
    if (expected != NULL) {
        metric->baseline = expected->value;
        metric->band = expected->band;
        metric->change = judgment.change;
        metric->limit = judgment.limit;
        metric->smallest = judgment.smallest;
        metric->gated = expected->gated ? KG__YES : KG__NO;
    }
    metric->tripped = judgment.tripped;
    metric->verdict = judgment.verdict;
    metric->why = kg__pool_text(pool, why);
    return metric;
}

/* Keeps what the results show besides the metrics: what the job asks for, what the kernel takes of
 * a multiprocessor (not how its identity came about), and the worst state that the GPU was seen in.
 */
static void add_conditions(kg__pool *pool, kg__case_result *result,
                           const kg__measurement *measurements, size_t count)
{
    const kg__observation *first = measurements[0].measured;
    kg__gpu_state worst = kg__gpu_state_unknown;
    kg__gpu_state *state;

    result->work = first->work;
    if (first->kernel != NULL) {
        kg__kernel_code *shown = kg__pool_array(pool, 1, sizeof *shown);

        *shown = *first->kernel;
        shown->names = (kg__texts){ NULL, 0 };
        shown->launch[0] = '\0';
        result->kernel = shown;
    }
    for (size_t i = 0; i < count; i++) {
        if (measurements[i].measured->gpu_state != NULL)
            kg__gpu_state_join(&worst, measurements[i].measured->gpu_state);
        worst.throttled = worst.throttled || measurements[i].measured->throttled;
    }
    if (!kg__gpu_state_is_known(&worst))
        return;
    state = kg__pool_array(pool, 1, sizeof *state);
    *state = worst;
    result->gpu_state = state;
}

/* Notes what an empty launch cost while a case was timed, where that is not what it cost when the
 * baseline was recorded. */
static void note_launch_cost(kg__pool *pool, kg__case_result *result, const kg__baseline *baseline)
{
    double now;
    double then;
    char now_text[KG__FIGURE_SIZE];
    char then_text[KG__FIGURE_SIZE];

    if (!kg__launch_cost_moved(result->gpu_state, baseline->provenance, &now, &then))
        return;
    kg__show_figure(now_text, sizeof now_text, now, "ns");
    kg__show_figure(then_text, sizeof then_text, then, "ns");
    kg__pool_add_text(
        pool, &result->changed,
        kg__pool_format(pool,
                        "a launch cost %s at the least, and %s when the baseline was recorded",
                        now_text, then_text));
}

/* Notes how a kernel differs from the baseline's: "code changed: registers 32 -> 40". */
static void note_code(kg__pool *pool, kg__case_result *result, const kg__kernel_code *before)
{
    const char *what = kg__is_same_code(before, result->kernel)
                           ? "code and launch are the baseline's"
                       : kg__is_other_code(before, result->kernel) ? "code changed"
                                                                   : "";
    kg__code_change figures[KG__CODE_CHANGES];
    size_t count = kg__kernel_code_changes(before, result->kernel, figures);
    char text[KG__MESSAGE_SIZE];

    kg__format(text, sizeof text, "%s", what);
    for (size_t i = 0; i < count; i++)
        kg__append(text, sizeof text, "%s%s",
                   i > 0           ? ", "
                   : *what != '\0' ? ": "
                                   : "",
                   figures[i].text);
    if (*text != '\0')
        kg__pool_add_text(pool, &result->changed, text);
}

/* A metric that the baseline has and the run has not must not pass unseen: an error with `why`. */
static void find_lost(kg__case_result *result, const kg__baseline_case *expected,
                      const kg__observation *measured, char *why, size_t size)
{
    for (size_t i = 0; expected != NULL && i < expected->metric_count; i++) {
        const char *lost = expected->metrics[i].name;

        if (kg__case_result_metric(result, lost) != NULL || !expected->metrics[i].gated)
            continue;
        result->verdict = KG__ERROR;
        kg__format(why, size, "%s is in the baseline and was not measured (%s): record it again",
                   lost, kg__absence_of(measured, lost));
    }
}

/* Appends the command that records a faster case. */
static void append_command(const char *id, bool imported, char *why, size_t size)
{
    char neighbors[160];

    if (imported) {
        kg__append(why, size, "; to keep it: kernelgate baseline adopt --yes");
        return;
    }
    kg__case_id_neighbors(id, neighbors, sizeof neighbors);
    kg__append(why, size, "; to keep it: KG_FILTER='%.*s/*/%s' kernelgate rebaseline --target gpu",
               (int)kg__comparison_length(id), id, neighbors);
}

/* Judges the metrics of the first measurement, each by its median; `why` becomes the reason of the
 * worst. */
static void judge_metrics(kg__pool *pool, kg__case_result *result,
                          const kg__measurement *measurements, size_t count,
                          const kg__baseline_case *expected, char *why, size_t size)
{
    const kg__observation *first = measurements[0].measured;

    for (size_t i = 0; i < first->metric_count; i++) {
        const char *name = first->metrics[i].name;
        size_t middle = find_median(measurements, count, name);
        const kg__baseline_metric *recorded = kg__baseline_metric_of(expected, name);
        kg__metric_result *metric;

        if (middle == count)
            continue;
        metric = judge_metric(pool, result, name, &measurements[middle], recorded);
        if (metric->verdict > KG__NO_BASELINE)
            keep_samples(pool, metric, measurements, count);
        if (metric->gated == KG__YES)
            result->smallest = fmin(result->smallest, metric->smallest);
        if (metric->why[0] != '\0' && (why[0] == '\0' || metric->verdict > result->verdict))
            kg__format(why, size, "%s %s", name, metric->why);
        result->verdict = kg__worse(result->verdict, metric->verdict);
    }
}

kg__case_result *kg__time_result(kg__pool *pool, const char *id, const kg__target *target,
                                 const kg__measurement *measurements, size_t count,
                                 const kg__baseline *baseline)
{
    const kg__baseline_case *expected = kg__baseline_find(baseline, id);
    const kg__observation *first = measurements[0].measured;
    kg__case_result *result = kg__case_result_make(pool, id, target->key, "time", KG__PASS, "");
    char why[KG__MESSAGE_SIZE] = "";

    judge_metrics(pool, result, measurements, count, expected, why, sizeof why);
    find_lost(result, expected, first, why, sizeof why);
    if (result->metric_count == 0 && result->verdict == KG__PASS) {
        result->verdict = KG__ERROR;
        kg__format(why, sizeof why, "the observer recorded no figure of this case");
    }
    if (result->verdict == KG__FASTER)
        append_command(id, first->imported, why, sizeof why);
    result->why = kg__pool_text(pool, why);
    result->observers = (unsigned int)count;
    if (measurements[0].surroundings.same_code)
        result->same_code = "baseline";
    add_conditions(pool, result, measurements, count);
    if ((result->verdict == KG__SLOWER || result->verdict == KG__ENVIRONMENT) && expected != NULL) {
        note_code(pool, result, expected->code);
        note_launch_cost(pool, result, baseline);
    }
    return result;
}

bool kg__launch_cost_moved(const kg__gpu_state *state, const json_t *provenance, double *now,
                           double *then)
{
    *now = state != NULL ? (double)state->launch_ns : NAN;
    *then = kg__json_number(provenance, "launch_ns");
    return *now > 0 && *then > 0 && kg__launch_costs_differ(*now, *then);
}
