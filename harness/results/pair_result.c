#include "results/pair_result.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/statistics.h"
#include "base/text.h"
#include "results/results_read.h"

#define CONFIDENCE 0.95

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

static const kg__baseline *baseline_of(const kg__suspect *one)
{
    return one->rivals->baseline;
}

static bool is_gated(const kg__suspect *one, const char *metric)
{
    const kg__baseline_case *expected =
        baseline_of(one) != NULL ? kg__baseline_find(baseline_of(one), one->id) : NULL;
    const kg__baseline_metric *stored =
        expected != NULL ? kg__baseline_metric_of(expected, metric) : NULL;

    return stored == NULL || stored->gated;
}

static bool rose(const json_t *metric)
{
    return json_is_true(json_object_get(metric, "tripped")) &&
           json_number_value(json_object_get(metric, "change")) > 0;
}

/* Adds the metrics in doubt: those that tripped upwards, or all. */
static void add_contests(kg__suspect *one, bool all)
{
    const char *name;
    json_t *metric;

    json_object_foreach (json_object_get(one->entry, "metrics"), name, metric) {
        if ((all ? is_gated(one, name) : rose(metric)) && one->contest_count < KG__SUSPECT_METRICS)
            one->contests[one->contest_count++].metric = name;
    }
}

/* The first observation alone was looked up in the disassembly: what the same program launches
 * alike runs the same code. */
static void keep_head(kg__suspect *one, const kg__measurement *head)
{
    kg__measurement *kept = &one->heads[one->head_count];

    if (one->head_count == sizeof one->heads / sizeof *one->heads)
        return;
    *kept = *head;
    kept->measured = kg__observation_keep(head->measured);
    if (kg__is_same_launch(one->heads[0].measured->kernel, kept->measured->kernel))
        kept->surroundings.same_code = one->heads[0].surroundings.same_code;
    one->head_count++;
}

static void close_suspect(kg__suspect *one)
{
    (void)json_object_del(one->entry, "suspect");
    (void)json_object_del(one->entry, "first");
    json_object_set_new(one->entry, "observers", json_integer((json_int_t)one->head_count));
    if (one->note[0] != '\0')
        json_object_set_new(one->entry, "note", json_string(one->note));
    one->settled = true;
}

bool kg__suspect_begin(kg__suspect *one, json_t *entry, const kg__rivals *rivals, kg__error *error)
{
    json_t *first = json_object_get(entry, "first");
    kg__error fault = { "it has none" };
    kg__observation *measured = NULL;
    kg__observation *seen = NULL;
    kg__sentinel_log sentinels = { 0 };
    kg__measurement head;

    *one = (kg__suspect){ .entry = entry, .id = kg__json_text(entry, "case"), .rivals = rivals };
    if (json_is_object(json_object_get(first, "measured")))
        measured = kg__observation_read(json_object_get(first, "measured"), &fault);
    if (measured == NULL)
        return kg__fail(error,
                        "%s: a suspect without its first observation (%s): run its test again",
                        one->id, fault.text);
    seen = kg__observation_read(json_object_get(first, "sentinels"), NULL);
    if (seen != NULL)
        kg__sentinels_add(&sentinels, seen);
    kg__observation_release(seen);
    head =
        (kg__measurement){ measured, kg__surroundings_of(&sentinels, rivals->baseline, measured) };
    keep_head(one, &head);
    kg__observation_release(measured);
    add_contests(one, rivals->paired);
    if (one->contest_count == 0)
        add_contests(one, true);
    /* Nothing of it is gated: there is nothing to be judged. */
    if (one->contest_count == 0)
        close_suspect(one);
    return true;
}

static bool is_disturbed(const kg__measurement *seen)
{
    return seen->surroundings.throttled || seen->surroundings.foreign_processes > 0;
}

/* Why a base's observation is no match for a head's; false where it is one. */
static bool find_mismatch(const kg__suspect *one, const kg__measurement *base,
                          const kg__measurement *head, char *why, size_t size)
{
    for (size_t i = 0; i < one->contest_count; i++) {
        const char *metric = one->contests[i].metric;
        const char *clock = clock_of(head, metric);
        const char *base_clock = clock_of(base, metric);

        if (isnan(value_of(base, metric)) || isnan(value_of(head, metric)))
            kg__format(why, size, "%s is not measured by both %s and this build", metric,
                       one->rivals->ref);
        else if (strcmp(clock, base_clock) != 0)
            kg__format(why, size, "%s of %s has another clock (%s; here %s)", metric,
                       one->rivals->ref, base_clock, clock);
        else
            continue;
        return true;
    }
    return false;
}

void kg__suspect_add_pair(kg__suspect *one, const kg__measurement *base,
                          const kg__measurement *head)
{
    char why[256];

    keep_head(one, head);
    if (find_mismatch(one, base, head, why, sizeof why)) {
        kg__suspect_leave(one, why);
        return;
    }
    if (is_disturbed(base) || is_disturbed(head)) {
        one->dropped++;
        return;
    }
    if (one->pairs == KG__PAIRS_MAXIMUM)
        return;
    for (size_t i = 0; i < one->contest_count; i++) {
        kg__contest *contest = &one->contests[i];

        contest->base[one->pairs] = value_of(base, contest->metric);
        contest->head[one->pairs] = value_of(head, contest->metric);
        contest->hypothesis.differences[one->pairs] =
            log(contest->head[one->pairs] / contest->base[one->pairs]);
        contest->hypothesis.count = one->pairs + 1;
    }
    one->pairs++;
}

void kg__suspect_add_head(kg__suspect *one, const kg__measurement *head)
{
    keep_head(one, head);
}

void kg__suspect_leave(kg__suspect *one, const char *why)
{
    one->by_baseline = true;
    kg__format(one->note, sizeof one->note, "%s", why);
}

bool kg__suspect_has_heads(const kg__suspect *one)
{
    return one->head_count >= 1 + KG__CONFIRMATIONS;
}

bool kg__suspect_is_disturbed(const kg__suspect *one, size_t wanted)
{
    return one->dropped > wanted / 2;
}

/* A probability with as many decimals as show its first digit. */
static void show_probability(char *text, size_t size, double p)
{
    int decimals = p > 0 && p < 0.1 ? (int)ceil(-log10(p)) : 2;

    kg__format(text, size, "%.*f", decimals, p);
}

/* A contest's outcome, in fractions: the median of the differences and its interval. */
static kg__interval change_of(const kg__contest *contest)
{
    double differences[KG__PAIRS_MAXIMUM];
    size_t count = contest->hypothesis.looked;
    kg__interval found;

    memcpy(differences, contest->hypothesis.differences, count * sizeof *differences);
    found = kg__median_interval(differences, count, CONFIDENCE);
    return (kg__interval){ expm1(found.value), expm1(found.low), expm1(found.high) };
}

static double median_of(const double *values, size_t count)
{
    double copy[KG__PAIRS_MAXIMUM];

    memcpy(copy, values, count * sizeof *copy);
    return kg__median(copy, count);
}

/* "16 pairs, p = 0.00002". */
static void show_evidence(const kg__contest *contest, char *text, size_t size)
{
    char p[32];

    show_probability(p, sizeof p, contest->hypothesis.p);
    kg__format(text, size, "%zu pairs, p = %s", contest->hypothesis.looked, p);
}

/* "slower than main by 2.3 % (interval 1.9 % to 2.6 %, 16 pairs, p = 0.00002; 61 390 ns against
 * 60 010 ns)". */
static void tell_slower(const kg__suspect *one, const kg__contest *contest,
                        const kg__interval *change, char *why, size_t size)
{
    size_t count = contest->hypothesis.looked;
    const char *unit = kg__metric_unit(contest->metric);
    char evidence[64];
    char by[KG__FIGURE_SIZE];
    char low[KG__FIGURE_SIZE];
    char high[KG__FIGURE_SIZE];
    char head[KG__FIGURE_SIZE];
    char base[KG__FIGURE_SIZE];

    show_evidence(contest, evidence, sizeof evidence);
    kg__show_percent(by, sizeof by, change->value, false);
    kg__show_percent(low, sizeof low, change->low, false);
    kg__show_percent(high, sizeof high, change->high, false);
    kg__show_figure(head, sizeof head, median_of(contest->head, count), unit);
    kg__show_figure(base, sizeof base, median_of(contest->base, count), unit);
    kg__format(why, size, "slower than %s by %s (interval %s to %s, %s; %s against %s)",
               one->rivals->ref, by, low, high, evidence, head, base);
}

/* "as fast as main (+0.1 %, 24 pairs, p = 1.00); against the stored baseline +3.1 %: the machine,
 * or an earlier commit". */
static void tell_not_slower(const kg__suspect *one, const kg__contest *contest,
                            const kg__interval *change, char *why, size_t size)
{
    const json_t *metric = json_object_get(json_object_get(one->entry, "metrics"), contest->metric);
    bool open = contest->hypothesis.finding == KG__UNDECIDED || change->value > KG__PAIRS_MARGIN;
    const char *relation = open ? "not found slower by more than 1 % than"
                           : change->value < -KG__PAIRS_MARGIN ? "faster than"
                                                               : "as fast as";
    char evidence[64];
    char by[KG__FIGURE_SIZE];
    char since[KG__FIGURE_SIZE];

    show_evidence(contest, evidence, sizeof evidence);
    kg__show_percent(by, sizeof by, change->value, true);
    kg__format(why, size, "%s %s (%s, %s)", relation, one->rivals->ref, by, evidence);
    if (!rose(metric))
        return;

    size_t used = strlen(why);

    kg__show_percent(since, sizeof since, json_number_value(json_object_get(metric, "change")),
                     true);
    kg__format(why + used, size - used,
               "; against the stored baseline %s: the machine, or an earlier commit", since);
}

/* Puts a contest's outcome into the entry. */
static void decide(kg__suspect *one, const kg__contest *contest, json_t *pairs)
{
    json_t *metric = json_object_get(json_object_get(one->entry, "metrics"), contest->metric);
    bool slower = contest->hypothesis.finding == KG__FOUND_SLOWER;
    kg__interval change = change_of(contest);
    json_t *outcome = json_object();
    char why[KG__MESSAGE_SIZE];

    if (slower)
        tell_slower(one, contest, &change, why, sizeof why);
    else
        tell_not_slower(one, contest, &change, why, sizeof why);
    json_object_set_new(metric, "verdict",
                        json_string(kg__verdict_name(slower ? KG__SLOWER : KG__PASS)));
    json_object_set_new(metric, "why", json_string(why));
    json_object_set_new(outcome, "count", json_integer((json_int_t)contest->hypothesis.looked));
    kg__json_set_finite(outcome, "change", change.value);
    kg__json_set_finite(outcome, "low", change.low);
    kg__json_set_finite(outcome, "high", change.high);
    kg__json_set_finite(outcome, "p", contest->hypothesis.p);
    json_object_set_new(pairs, contest->metric, outcome);
}

/* Gives the entry the worst verdict of its metrics; of equals the first that gives a reason. */
static void sum_up(json_t *entry)
{
    kg__verdict worst = KG__PASS;
    char why[KG__MESSAGE_SIZE] = "";
    const char *name;
    json_t *metric;

    json_object_foreach (json_object_get(entry, "metrics"), name, metric) {
        const char *reason = kg__json_text(metric, "why");
        kg__verdict verdict = kg__results_verdict(metric);

        if (reason[0] != '\0' && (why[0] == '\0' || verdict > worst))
            kg__format(why, sizeof why, "%s %s", name, reason);
        worst = kg__worse(worst, verdict);
    }
    json_object_set_new(entry, "verdict", json_string(kg__verdict_name(worst)));
    json_object_set_new(entry, "why", json_string(why));
}

static void name_base(kg__suspect *one)
{
    json_t *base = json_pack("{s:s}", "ref", one->rivals->ref);

    if (one->rivals->commit[0] != '\0')
        json_object_set_new(base, "commit", json_string(one->rivals->commit));
    json_object_set_new(one->entry, "base", base);
}

/* How many of the contests stand so. */
static size_t count_findings(const kg__suspect *one, kg__pairs_finding finding)
{
    size_t count = 0;

    for (size_t i = 0; i < one->contest_count; i++)
        count += one->contests[i].hypothesis.finding == finding;
    return count;
}

static void decide_all(kg__suspect *one)
{
    json_t *pairs = json_object();

    for (size_t i = 0; i < one->contest_count; i++)
        decide(one, &one->contests[i], pairs);
    json_object_set_new(one->entry, "pairs", pairs);
    name_base(one);
    sum_up(one->entry);
    close_suspect(one);
}

bool kg__suspect_settle_by_pairs(kg__suspect *one)
{
    if (count_findings(one, KG__UNDECIDED) > 0)
        return false;
    decide_all(one);
    return true;
}

bool kg__suspect_settle_by_finding(kg__suspect *one)
{
    if (count_findings(one, KG__FOUND_SLOWER) == 0)
        return false;
    decide_all(one);
    return true;
}

/* Takes the verdict of another entry of the same case, which it frees. The id stays: it is pointed
 * at. */
static void replace_verdict(kg__suspect *one, json_t *entry)
{
    (void)json_object_del(entry, "case");
    (void)json_object_update(one->entry, entry);
    json_decref(entry);
}

void kg__suspect_settle_by_baseline(kg__suspect *one)
{
    if (kg__suspect_has_heads(one)) {
        json_t *entry = kg__time_result(one->id, one->rivals->target, "time", one->heads,
                                        one->head_count, baseline_of(one), NULL);

        replace_verdict(one, entry);
    }
    close_suspect(one);
}

void kg__suspect_settle_disturbed(kg__suspect *one)
{
    char why[KG__MESSAGE_SIZE];

    kg__format(why, sizeof why,
               "the card was throttled, or not alone, in %zu of %zu pairs with %s: free it, let it "
               "cool, and run again",
               one->dropped, one->dropped + one->pairs, one->rivals->ref);
    for (size_t i = 0; i < one->contest_count; i++) {
        json_t *metric =
            json_object_get(json_object_get(one->entry, "metrics"), one->contests[i].metric);

        json_object_set_new(metric, "verdict", json_string(kg__verdict_name(KG__ENVIRONMENT)));
        json_object_set_new(metric, "why", json_string(why));
    }
    name_base(one);
    sum_up(one->entry);
    close_suspect(one);
}

void kg__suspect_settle_as(kg__suspect *one, kg__verdict verdict, const char *why)
{
    json_t *entry = kg__plain_result(one->id, one->rivals->target, "time", verdict, why);

    replace_verdict(one, entry);
    close_suspect(one);
}

void kg__suspect_free(kg__suspect *one)
{
    for (size_t i = 0; i < one->head_count; i++)
        kg__observation_release(one->heads[i].measured);
    one->head_count = 0;
}
