/* SPDX-License-Identifier: MIT */
#include "results/pair_result.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/statistics.h"
#include "base/text.h"
#include "records/records.h"

/* NaN where the metric was not measured. */
static double value_of(const kg__measurement *seen, const char *metric)
{
    double value = kg__value_of(seen->measured, metric);

    return value > 0 && isfinite(value) ? value : NAN;
}

static const char *clock_of(const kg__measurement *seen, const char *metric)
{
    const kg__figures *figures = kg__figures_of(seen->measured, metric);

    return figures != NULL ? figures->clock : "";
}

static bool is_gated(const kg__suspect *suspect, const char *metric)
{
    const kg__baseline_case *expected =
        kg__baseline_find(suspect->base->baseline, suspect->result->id);
    const kg__baseline_metric *stored = kg__baseline_metric_of(expected, metric);

    return stored == NULL || stored->gated;
}

static bool rose(const kg__metric_result *metric)
{
    return metric->tripped && metric->change > 0;
}

/* Adds the metrics in doubt: those that tripped upward, or all. */
static void add_metrics(kg__suspect *suspect, bool all)
{
    for (size_t i = 0; i < suspect->result->metric_count; i++) {
        kg__metric_result *metric = &suspect->result->metrics[i];

        if ((all ? is_gated(suspect, metric->figures.name) : rose(metric)) &&
            suspect->metric_count < KG__SUSPECT_METRICS)
            suspect->metrics[suspect->metric_count++].metric = metric;
    }
}

/* The first observation alone was looked up in the program: what the same program launches alike
 * runs the same code. */
void kg__suspect_add_measurement(kg__suspect *suspect, const kg__measurement *measured)
{
    kg__measurement *kept = &suspect->measured[suspect->measured_count];

    if (suspect->measured_count == sizeof suspect->measured / sizeof *suspect->measured)
        return;
    *kept = *measured;
    kept->measured = kg__observation_hold(suspect->base->pool, measured->measured);
    if (kg__is_same_launch(suspect->measured[0].measured->kernel, kept->measured->kernel))
        kept->surroundings.same_code = suspect->measured[0].surroundings.same_code;
    suspect->measured_count++;
}

static void close_suspect(kg__suspect *suspect)
{
    kg__case_result *result = suspect->result;

    result->suspect = false;
    result->first = result->first_sentinels = NULL;
    result->observers = (unsigned int)suspect->measured_count;
    if (suspect->note[0] != '\0')
        result->note = kg__pool_text(suspect->base->pool, suspect->note);
    suspect->settled = true;
}

bool kg__suspect_begin(kg__suspect *suspect, kg__case_result *result, const kg__pairs_base *base,
                       kg__error *error)
{
    kg__sentinel_log sentinels = { 0 };
    kg__measurement first = { .measured = result->first };

    *suspect = (kg__suspect){ .result = result, .base = base };
    if (result->first == NULL)
        return kg__fail(error, "%s: a suspect without its first observation: run its test again",
                        result->id);
    if (result->first_sentinels != NULL)
        kg__sentinels_add(&sentinels, result->first_sentinels);
    first.surroundings = kg__surroundings_of(&sentinels, base->baseline, result->first);
    kg__suspect_add_measurement(suspect, &first);
    add_metrics(suspect, base->paired);
    if (suspect->metric_count == 0)
        add_metrics(suspect, true);
    /* Nothing of it is gated: there is nothing to be judged. */
    if (suspect->metric_count == 0)
        close_suspect(suspect);
    return true;
}

static bool is_disturbed(const kg__measurement *seen)
{
    return seen->surroundings.throttled || seen->surroundings.foreign_processes > 0;
}

/* Leaves a suspect whose base's observation cannot be compared with a head's; false where it can.
 */
static bool leave_mismatch(kg__suspect *suspect, const kg__measurement *base,
                           const kg__measurement *head)
{
    for (size_t i = 0; i < suspect->metric_count; i++) {
        const char *metric = suspect->metrics[i].metric->figures.name;
        const char *clock = clock_of(head, metric);
        const char *base_clock = clock_of(base, metric);

        if (isnan(value_of(base, metric)) || isnan(value_of(head, metric)))
            kg__suspect_leave(suspect, "%s is not measured by both %s and this build", metric,
                              suspect->base->ref);
        else if (strcmp(clock, base_clock) != 0)
            kg__suspect_leave(suspect, "%s of %s has another clock (%s; here %s)", metric,
                              suspect->base->ref, base_clock, clock);
        else
            continue;
        return true;
    }
    return false;
}

void kg__suspect_add_pair(kg__suspect *suspect, const kg__measurement *base,
                          const kg__measurement *head)
{
    kg__suspect_add_measurement(suspect, head);
    if (leave_mismatch(suspect, base, head))
        return;
    if (is_disturbed(base) || is_disturbed(head)) {
        suspect->dropped++;
        return;
    }
    if (suspect->pairs == KG__PAIRS_MAXIMUM)
        return;
    for (size_t i = 0; i < suspect->metric_count; i++) {
        kg__paired_metric *paired = &suspect->metrics[i];
        const char *metric = paired->metric->figures.name;

        paired->base[suspect->pairs] = value_of(base, metric);
        paired->head[suspect->pairs] = value_of(head, metric);
        paired->hypothesis.differences[suspect->pairs] =
            log(paired->head[suspect->pairs] / paired->base[suspect->pairs]);
        paired->hypothesis.count = suspect->pairs + 1;
    }
    suspect->pairs++;
}

void kg__suspect_leave(kg__suspect *suspect, const char *format, ...)
{
    suspect->by_baseline = true;
    KG__FORMAT_REST(suspect->note, sizeof suspect->note, format);
}

bool kg__suspect_is_confirmed(const kg__suspect *suspect)
{
    return suspect->measured_count >= 1 + KG__CONFIRMATIONS;
}

bool kg__suspect_is_disturbed(const kg__suspect *suspect, size_t wanted)
{
    return suspect->dropped > wanted / 2;
}

/* A probability with as many decimals as show its first digit. */
static void show_probability(char *text, size_t size, double p)
{
    int decimals = p > 0 && p < 0.1 ? (int)ceil(-log10(p)) : 2;

    kg__format(text, size, "%.*f", decimals, p);
}

/* A metric's outcome, in fractions: the median of the differences and its interval. */
static kg__interval change_of(const kg__paired_metric *paired)
{
    double differences[KG__PAIRS_MAXIMUM];
    size_t count = paired->hypothesis.looked;
    kg__interval found;

    memcpy(differences, paired->hypothesis.differences, count * sizeof *differences);
    found = kg__median_interval(differences, count, KG__CONFIDENCE);
    return (kg__interval){ expm1(found.value), expm1(found.low), expm1(found.high) };
}

static double median_of(const double *values, size_t count)
{
    double copy[KG__PAIRS_MAXIMUM];

    memcpy(copy, values, count * sizeof *copy);
    return kg__median(copy, count);
}

/* "16 pairs, p = 0.00002". */
static void show_evidence(const kg__paired_metric *paired, char *text, size_t size)
{
    char p[32];

    show_probability(p, sizeof p, paired->hypothesis.p);
    kg__format(text, size, "%zu pairs, p = %s", paired->hypothesis.looked, p);
}

/* "slower than main by 2.3 % (interval 1.9 % to 2.6 %, 16 pairs, p = 0.00002; 61 390 ns against
 * 60 010 ns)". */
static void explain_slower(const kg__suspect *suspect, const kg__paired_metric *paired,
                           const kg__interval *change, char *why, size_t size)
{
    size_t count = paired->hypothesis.looked;
    const char *unit = kg__metric_unit(paired->metric->figures.name);
    char evidence[64];
    char by[KG__FIGURE_SIZE];
    char low[KG__FIGURE_SIZE];
    char high[KG__FIGURE_SIZE];
    char head[KG__FIGURE_SIZE];
    char base[KG__FIGURE_SIZE];

    show_evidence(paired, evidence, sizeof evidence);
    kg__show_percent(by, sizeof by, change->value, false);
    kg__show_percent(low, sizeof low, change->low, false);
    kg__show_percent(high, sizeof high, change->high, false);
    kg__show_figure(head, sizeof head, median_of(paired->head, count), unit);
    kg__show_figure(base, sizeof base, median_of(paired->base, count), unit);
    kg__format(why, size, "slower than %s by %s (interval %s to %s, %s; %s against %s)",
               suspect->base->ref, by, low, high, evidence, head, base);
}

/* "as fast as main (+0.1 %, 24 pairs, p = 1.00); against the stored baseline +3.1 %: the machine,
 * or an earlier commit". */
static void explain_not_slower(const kg__suspect *suspect, const kg__paired_metric *paired,
                               const kg__interval *change, char *why, size_t size)
{
    double margin = suspect->base->margin;
    bool open = paired->hypothesis.finding == KG__UNDECIDED || change->value > margin;
    const char *relation = change->value < -margin ? "faster than" : "as fast as";
    char evidence[64];
    char least[KG__FIGURE_SIZE];
    char doubt[KG__FIGURE_SIZE + 32];
    char by[KG__FIGURE_SIZE];
    char since[KG__FIGURE_SIZE];

    show_evidence(paired, evidence, sizeof evidence);
    kg__show_percent(by, sizeof by, change->value, true);
    kg__show_percent(least, sizeof least, margin, false);
    kg__format(doubt, sizeof doubt, "not found slower by more than %s than", least);
    kg__format(why, size, "%s %s (%s, %s)", open ? doubt : relation, suspect->base->ref, by,
               evidence);
    if (!rose(paired->metric))
        return;
    kg__show_percent(since, sizeof since, paired->metric->change, true);
    kg__append(why, size, "; against the stored baseline %s: the machine, or an earlier commit",
               since);
}

/* What the processes of a side measured, in the order of the pairs. */
static json_t *list_values(const kg__suspect *suspect, const double *values, size_t count)
{
    json_t *list = kg__record_samples(values, count);

    kg__json_keep(suspect->base->pool, list);
    return list;
}

/* Puts the outcome of a metric's pairs into the result. */
static void decide_metric(const kg__suspect *suspect, const kg__paired_metric *paired)
{
    bool slower = paired->hypothesis.finding == KG__FOUND_SLOWER;
    kg__interval change = change_of(paired);
    char why[KG__MESSAGE_SIZE];

    if (slower)
        explain_slower(suspect, paired, &change, why, sizeof why);
    else
        explain_not_slower(suspect, paired, &change, why, sizeof why);
    paired->metric->verdict = slower ? KG__SLOWER : KG__PASS;
    paired->metric->why = kg__pool_text(suspect->base->pool, why);
    paired->metric->pairs = (kg__pairs_result){
        .count = (int64_t)paired->hypothesis.looked,
        .change = change.value,
        .low = change.low,
        .high = change.high,
        .p = paired->hypothesis.p,
        .base_ns = list_values(suspect, paired->base, paired->hypothesis.looked),
        .head_ns = list_values(suspect, paired->head, paired->hypothesis.looked),
    };
}

/* Gives a result that was compared with the base the worst verdict of its metrics, by the first
 * that has it, and closes the suspect. */
static void close_compared(kg__suspect *suspect)
{
    kg__case_result *result = suspect->result;
    const kg__metric_result *worst = NULL;

    result->verdict = KG__PASS;
    for (size_t i = 0; i < result->metric_count; i++) {
        const kg__metric_result *metric = &result->metrics[i];
        kg__verdict verdict = metric->verdict < KG__VERDICTS ? metric->verdict : KG__ERROR;

        if (metric->why != NULL && *metric->why != '\0' &&
            (worst == NULL || verdict > result->verdict))
            worst = metric;
        result->verdict = kg__worse(result->verdict, verdict);
    }
    result->why = worst != NULL ? kg__pool_format(suspect->base->pool, "%s %s", worst->figures.name,
                                                  worst->why)
                                : "";
    result->base_ref = suspect->base->ref;
    result->base_commit = suspect->base->commit;
    close_suspect(suspect);
}

/* How many of the metrics have a finding. */
static size_t count_findings(const kg__suspect *suspect, kg__pairs_finding finding)
{
    size_t count = 0;

    for (size_t i = 0; i < suspect->metric_count; i++)
        count += suspect->metrics[i].hypothesis.finding == finding;
    return count;
}

static void decide_all(kg__suspect *suspect)
{
    for (size_t i = 0; i < suspect->metric_count; i++)
        decide_metric(suspect, &suspect->metrics[i]);
    close_compared(suspect);
}

bool kg__suspect_settle_by_pairs(kg__suspect *suspect)
{
    if (count_findings(suspect, KG__UNDECIDED) > 0)
        return false;
    decide_all(suspect);
    return true;
}

bool kg__suspect_settle_by_finding(kg__suspect *suspect)
{
    if (count_findings(suspect, KG__FOUND_SLOWER) == 0)
        return false;
    decide_all(suspect);
    return true;
}

void kg__suspect_settle_by_baseline(kg__suspect *suspect)
{
    const kg__pairs_base *base = suspect->base;

    if (kg__suspect_is_confirmed(suspect)) {
        double seconds = suspect->result->seconds;

        *suspect->result =
            *kg__time_result(base->pool, suspect->result->id, base->target, suspect->measured,
                             suspect->measured_count, base->baseline);
        suspect->result->seconds = seconds;
    }
    close_suspect(suspect);
}

void kg__suspect_settle_disturbed(kg__suspect *suspect)
{
    const char *why = kg__pool_format(
        suspect->base->pool,
        "the GPU was throttled, or not alone, in %zu of %zu pairs with %s: free it, let it cool, "
        "and run again",
        suspect->dropped, suspect->dropped + suspect->pairs, suspect->base->ref);

    for (size_t i = 0; i < suspect->metric_count; i++) {
        suspect->metrics[i].metric->verdict = KG__ENVIRONMENT;
        suspect->metrics[i].metric->why = why;
    }
    close_compared(suspect);
}

void kg__suspect_settle_as(kg__suspect *suspect, kg__verdict verdict, const char *why)
{
    suspect->result->metric_count = 0;
    suspect->result->verdict = verdict;
    suspect->result->why = kg__pool_text(suspect->base->pool, why);
    close_suspect(suspect);
}
