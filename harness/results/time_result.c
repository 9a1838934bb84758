#include "results/time_result.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/statistics.h"
#include "base/text.h"
#include "baseline/kernel_code.h"
#include "judge/launch_cost.h"
#include "records/gpu_state.h"
#include "records/records.h"
#include "results/count_result.h"
#include "results/results_read.h"
#include "results/results_text.h"

static const char *const sentinel_names[KG__SENTINELS] = { "copy", "fma" };

void kg__sentinels_add(kg__sentinel_log *seen, const kg__observation *sentinels)
{
    for (int i = 0; i < KG__SENTINELS; i++) {
        double value = kg__value_of(sentinels, sentinel_names[i]);

        if (value > 0 && isfinite(value)) {
            seen->sum[i] += log(value);
            seen->count[i]++;
        }
    }
}

json_t *kg__sentinels_record(const kg__sentinel_log *seen)
{
    kg__figures figures[KG__SENTINELS];
    kg__observation sentinels = { .event = KG__EVENT_SENTINELS, .metrics = figures };

    for (int i = 0; i < KG__SENTINELS; i++) {
        if (seen->count[i] > 0)
            figures[sentinels.metric_count++] =
                (kg__figures){ .name = sentinel_names[i],
                               .value = exp(seen->sum[i] / seen->count[i]),
                               .low = NAN,
                               .high = NAN };
    }
    return kg__observation_json(&sentinels);
}

kg__surroundings kg__surroundings_of(const kg__sentinel_log *seen, const kg__baseline *baseline,
                                     const kg__observation *measured)
{
    kg__surroundings result = { .throttled = measured->throttled };
    int64_t foreign = measured->gpu_state != NULL ? measured->gpu_state->foreign_processes : 0;
    const kg__baseline_case *recorded =
        baseline != NULL ? kg__baseline_find(baseline, measured->id) : NULL;

    result.foreign_processes = foreign > 0 && foreign < INT_MAX ? (int)foreign : 0;
    result.same_code = recorded != NULL && kg__is_same_code(recorded->code, measured->kernel);
    for (int i = 0; i < KG__SENTINELS; i++) {
        const kg__baseline_case *entry =
            baseline != NULL ? kg__baseline_sentinel(baseline, sentinel_names[i]) : NULL;
        const kg__baseline_metric *metric =
            entry != NULL ? kg__baseline_metric_of(entry, "time_ns") : NULL;

        result.sentinel_move[i] = result.sentinel_limit[i] = NAN;
        if (metric == NULL || seen->count[i] == 0)
            continue;
        double sigma = metric->session_count > 1
                           ? kg__log_deviation(metric->sessions, metric->session_count)
                           : NAN;

        result.sentinel_move[i] = seen->sum[i] / seen->count[i] - log(metric->value);
        result.sentinel_limit[i] = 3 * (sigma > KG__SIGMA_MINIMUM ? sigma : KG__SIGMA_MINIMUM);
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
        for (size_t other = 0; other < count; other++) {
            double rival = kg__value_of(measurements[other].measured, metric);

            below += rival < value || (rival == value && other < i);
        }
        if (below == valued / 2)
            return i;
    }
    return count;
}

/* Beside a time that is worse than its baseline stand the samples of every measurement, a list
 * each; beside any other they would only fill the results. */
static void keep_samples(json_t *entry, const char *name, const kg__measurement *measurements,
                         size_t count)
{
    json_t *lists = json_array();

    for (size_t i = 0; i < count; i++) {
        const kg__figures *figures = kg__figures_of(measurements[i].measured, name);

        if (figures != NULL && figures->samples_ns_count > 0)
            json_array_append_new(
                lists, kg__record_samples(figures->samples_ns, figures->samples_ns_count));
    }
    if (json_array_size(lists) > 0)
        json_object_set(entry, KG__SAMPLES_NS, lists);
    json_decref(lists);
}

/* Judges one metric and adds its entry to `metrics`. */
static kg__judgement gate_metric(const char *name, const kg__measurement *chosen,
                                 const kg__baseline_metric *expected, json_t *metrics)
{
    const kg__figures *figures = kg__figures_of(chosen->measured, name);
    kg__interval observed = { figures->value, figures->low, figures->high };
    kg__expectation expectation;
    kg__judgement judgement;
    json_t *entry = kg__figures_json(figures);

    if (expected != NULL)
        expectation = kg__baseline_expectation(expected);
    judgement = kg__judge(&observed, expected != NULL ? &expectation : NULL, &chosen->surroundings,
                          kg__metric_unit(name));
    if (expected != NULL) {
        kg__json_set_finite(entry, "baseline", expected->value);
        kg__json_set_finite(entry, "band", expected->band);
        kg__json_set_finite(entry, "change", judgement.change);
        kg__json_set_finite(entry, "limit", judgement.limit);
        kg__json_set_finite(entry, "smallest", judgement.smallest);
        json_object_set_new(entry, "gated", json_boolean(expected->gated));
    }
    if (judgement.tripped)
        json_object_set_new(entry, "tripped", json_true());
    json_object_set_new(entry, "verdict", json_string(kg__verdict_name(judgement.verdict)));
    json_object_set_new(entry, "why", json_string(judgement.why));
    json_object_set_new(metrics, name, entry);
    return judgement;
}

json_t *kg__plain_result(const char *id, const kg__target *target, const char *part,
                         kg__verdict verdict, const char *why)
{
    return json_pack("{s:s, s:s, s:s, s:{}, s:s, s:s}", "case", id, "target", target->key, "part",
                     part, "metrics", "verdict", kg__verdict_name(verdict), "why", why);
}

static size_t comparison_length(const char *id)
{
    return strcspn(id, "/");
}

/* What follows "comparison/variant/" in a case's id, without a number of blocks: variants are timed
 * side by side, so all of a size and number of threads per block are recorded together. */
static void name_neighbours(const char *id, char *glob, size_t size)
{
    const char *variant = id + comparison_length(id);
    const char *rest = *variant != '\0' ? strchr(variant + 1, '/') : NULL;
    const char *launch = rest != NULL ? strrchr(rest, '/') : NULL;

    if (launch == NULL)
        kg__format(glob, size, "*");
    else if (strchr(launch, 'g') != NULL)
        kg__format(glob, size, "%.*s*", (int)(strchr(launch, 'g') - rest - 1), rest + 1);
    else
        kg__format(glob, size, "%s", rest + 1);
}

/* Keeps what the results show besides the metrics: what the job asks for, what the kernel takes of
 * a multiprocessor (not how its identity came about), and the worst state that the card was seen
 * in.
 */
static void carry(json_t *entry, const kg__observation *first, const kg__gpu_state *worst)
{
    if (first->work != NULL)
        json_object_set_new(entry, "work", kg__work_json(first->work));
    if (json_object_size(first->kernel) > 0) {
        json_t *kernel = json_copy(first->kernel);

        (void)json_object_del(kernel, "names");
        (void)json_object_del(kernel, "launch");
        json_object_set_new(entry, "kernel", kernel);
    }
    if (kg__gpu_state_is_known(worst))
        json_object_set_new(entry, "card", kg__gpu_state_json(worst));
}

/* The worst state that the card was seen in. */
static kg__gpu_state worst_state(const kg__measurement *measurements, size_t count)
{
    kg__gpu_state worst = KG__GPU_STATE_UNKNOWN;

    for (size_t i = 0; i < count; i++) {
        if (measurements[i].measured->gpu_state != NULL)
            kg__gpu_state_join(&worst, measurements[i].measured->gpu_state);
    }
    return worst;
}

/* Notes what an empty launch cost while a case was timed, where that is not what it cost when the
 * baseline was recorded. */
static void note_launch_cost(json_t *changed, const kg__gpu_state *state,
                             const kg__baseline *baseline)
{
    double now;
    double then;
    char now_text[KG__FIGURE_SIZE];
    char then_text[KG__FIGURE_SIZE];
    char text[160];

    if (!kg__launch_cost_moved(state, baseline->provenance, &now, &then))
        return;
    kg__show_figure(now_text, sizeof now_text, now, "ns");
    kg__show_figure(then_text, sizeof then_text, then, "ns");
    kg__format(text, sizeof text,
               "a launch cost %s at the least, and %s when the baseline was recorded", now_text,
               then_text);
    json_array_append_new(changed, json_string(text));
}

/* Notes how a kernel differs from the baseline's: "code changed: registers 32 -> 40". */
static void note_code(json_t *changed, const json_t *before, const json_t *kernel)
{
    const char *what = kg__is_same_code(before, kernel)    ? "code and launch are the baseline's"
                       : kg__is_other_code(before, kernel) ? "code changed"
                                                           : "";
    json_t *figures = json_array();
    char text[KG__MESSAGE_SIZE];
    const json_t *figure;
    size_t i;

    kg__kernel_code_changes(before, kernel, figures);
    kg__format(text, sizeof text, "%s", what);
    json_array_foreach (figures, i, figure) {
        size_t used = strlen(text);

        kg__format(text + used, sizeof text - used, "%s%s",
                   i > 0           ? ", "
                   : *what != '\0' ? ": "
                                   : "",
                   json_string_value(figure));
    }
    if (*text != '\0')
        json_array_append_new(changed, json_string(text));
    json_decref(figures);
}

/* Notes how the kernel, and what a launch costs, differ from the baseline's, beside a slower time.
 */
static void note_changes(json_t *entry, const kg__baseline *baseline,
                         const kg__baseline_case *expected, const kg__gpu_state *state)
{
    json_t *changed = json_array();

    note_code(changed, expected->code, json_object_get(entry, "kernel"));
    note_launch_cost(changed, state, baseline);
    if (json_array_size(changed) > 0)
        json_object_set(entry, KG__CHANGED, changed);
    json_decref(changed);
}

/* A metric that the baseline has and the run has not must not pass unseen: an error with `why`. */
static kg__verdict find_lost(const kg__baseline_case *expected, const json_t *metrics,
                             const kg__observation *measured, char *why, size_t size)
{
    kg__verdict worst = KG__PASS;

    for (size_t i = 0; expected != NULL && i < expected->metric_count; i++) {
        const char *lost = expected->metrics[i].name;

        if (json_object_get(metrics, lost) != NULL || !expected->metrics[i].gated)
            continue;
        worst = KG__ERROR;
        kg__format(why, size, "%s is in the baseline and was not measured (%s): record it again",
                   lost, kg__absence_of(measured, lost));
    }
    return worst;
}

/* Appends the command that records a faster case. */
static void append_command(const char *id, bool imported, char *why, size_t size)
{
    size_t used = strlen(why);
    char neighbours[160];

    if (imported) {
        kg__format(why + used, size - used, "; to keep it: kernelgate baseline adopt --yes");
        return;
    }
    name_neighbours(id, neighbours, sizeof neighbours);
    kg__format(why + used, size - used,
               "; to keep it: KG_FILTER='%.*s/*/%s' ci/rebaseline --target gpu",
               (int)comparison_length(id), id, neighbours);
}

json_t *kg__time_result(const char *id, const kg__target *target, const char *part,
                        const kg__measurement *measurements, size_t count,
                        const kg__baseline *baseline, bool *tripped)
{
    const kg__baseline_case *expected = baseline != NULL ? kg__baseline_find(baseline, id) : NULL;
    const kg__observation *first = measurements[0].measured;
    kg__gpu_state state = worst_state(measurements, count);
    json_t *metrics = json_object();
    kg__verdict worst = KG__PASS;
    double smallest = NAN;
    bool any_tripped = false;
    char why[KG__MESSAGE_SIZE] = "";
    json_t *entry;

    for (size_t i = 0; i < first->metric_count; i++) {
        const char *name = first->metrics[i].name;
        size_t middle = find_median(measurements, count, name);
        const kg__baseline_metric *metric =
            expected != NULL ? kg__baseline_metric_of(expected, name) : NULL;
        kg__judgement judgement;

        if (middle == count)
            continue;
        judgement = gate_metric(name, &measurements[middle], metric, metrics);
        if (judgement.verdict > KG__NO_BASELINE)
            keep_samples(json_object_get(metrics, name), name, measurements, count);
        any_tripped = any_tripped || judgement.tripped;
        if (metric != NULL && metric->gated)
            smallest = fmin(smallest, judgement.smallest);
        if (judgement.why[0] != '\0' && (why[0] == '\0' || judgement.verdict > worst))
            kg__format(why, sizeof why, "%s %s", name, judgement.why);
        worst = kg__worse(worst, judgement.verdict);
    }
    worst = kg__worse(worst, find_lost(expected, metrics, first, why, sizeof why));
    if (json_object_size(metrics) == 0 && worst == KG__PASS) {
        worst = KG__ERROR;
        kg__format(why, sizeof why, "the observer recorded no figure of this case");
    }
    if (worst == KG__FASTER)
        append_command(id, first->imported, why, sizeof why);
    if (tripped != NULL)
        *tripped = any_tripped;
    entry = json_pack("{s:s, s:s, s:s, s:o, s:s, s:s, s:i}", "case", id, "target", target->key,
                      "part", part, "metrics", metrics, "verdict", kg__verdict_name(worst), "why",
                      why, "observers", (int)count);
    kg__json_set_finite(entry, "smallest", smallest);
    carry(entry, first, &state);
    if ((worst == KG__SLOWER || worst == KG__ENVIRONMENT) && expected != NULL)
        note_changes(entry, baseline, expected, &state);
    return entry;
}

/* The figures of a timed case: "  hot 60 600 ns (+1.0 %)  cold 73 000 ns (0.0 %)". */
static void show_figures(const json_t *entry, char *text, size_t size)
{
    const char *name;
    json_t *metric;

    json_object_foreach (json_object_get(entry, "metrics"), name, metric) {
        char value[KG__FIGURE_SIZE];
        char change[KG__FIGURE_SIZE] = "";
        size_t used = strlen(text);

        kg__show_figure(value, sizeof value, kg__json_number(metric, "value"),
                        kg__metric_unit(name));
        if (json_object_get(metric, "change") != NULL)
            kg__show_percent(change, sizeof change, kg__json_number(metric, "change"), true);
        kg__format(text + used, size - used, "  %s %s%s%s%s",
                   strcmp(name, "time_ns") == 0        ? "hot"
                   : strcmp(name, "cold_time_ns") == 0 ? "cold"
                                                       : name,
                   value, change[0] != '\0' ? " (" : "", change, change[0] != '\0' ? ")" : "");
    }
}

void kg__time_result_line(const json_t *entry, const char *word, char *text, size_t size)
{
    bool has_metrics = json_object_size(json_object_get(entry, "metrics")) > 0;
    char *why =
        *kg__json_text(entry, "why") != '\0' ? kg__results_reason(entry) : kg__copy_text("");
    char figures[512] = "";

    if (kg__is_counted(entry))
        kg__counted_figures(entry, figures, sizeof figures);
    else
        show_figures(entry, figures, sizeof figures);
    kg__format(text, size, "%-11s  %-11s  %-32s%s%s%s",
               word != NULL ? word : kg__json_text(entry, "verdict"),
               kg__json_text(entry, "target"), kg__json_text(entry, "case"),
               !has_metrics && why[0] == '\0' ? "  checked" : figures, why[0] != '\0' ? "  " : "",
               why);
    free(why);
}

const json_t *kg__find_entry(const json_t *verdicts, const char *id)
{
    size_t i;
    json_t *entry;

    json_array_foreach (json_object_get(verdicts, "cases"), i, entry) {
        if (strcmp(kg__json_text(entry, "case"), id) == 0)
            return entry;
    }
    return NULL;
}

bool kg__is_disproved_json(const json_t *checks, const char *id)
{
    const json_t *entry = kg__find_entry(checks, id);

    return entry != NULL && kg__results_verdict(entry) != KG__PASS;
}

double kg__speedup(const json_t *fast, const json_t *slow, const char *metric)
{
    const json_t *both[2] = { fast, slow };
    double time[2];

    for (int i = 0; i < 2; i++) {
        if (kg__results_verdict(both[i]) >= KG__WRONG)
            return NAN;
        time[i] =
            kg__json_number(json_object_get(json_object_get(both[i], "metrics"), metric), "value");
        if (!(time[i] > 0) || !isfinite(time[i]))
            return NAN;
    }
    return time[1] / time[0];
}

bool kg__launch_cost_moved(const kg__gpu_state *state, const json_t *provenance, double *now,
                           double *then)
{
    *now = state != NULL ? (double)state->launch_ns : NAN;
    *then = kg__json_number(provenance, "launch_ns");
    return *now > 0 && *then > 0 && kg__launch_costs_differ(*now, *then);
}
