/* SPDX-License-Identifier: MIT */
#include "results/count_result.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "baseline/counter_lines.h"
#include "judge/judge.h"
#include "results/judgment_text.h"
#include "suite/counters.h"
#include "suite/id_parts.h"

/* So many counters that moved are named beside the first one; the rest is counted. */
#define OTHERS_NAMED 3

/* A counted case while it is judged. */
typedef struct counted_case {
    const kg__observation *measured;
    const kg__baseline_case *expected; /* NULL: no baseline */
    const char *model;                 /* the version that recorded it; "" where that is unknown */
    bool strict;
    kg__pool *pool;
    kg__case_result *result;
    kg__judgment judgments[KG__COUNTERS];
    char why[KG__MESSAGE_SIZE];
    const kg__line_counts *at; /* the line that moved furthest; NULL where none is known */
} counted_case;

static bool is_unique_bytes(kg__counter counter)
{
    return counter == KG__UNIQUE_BYTES_READ || counter == KG__UNIQUE_BYTES_WRITTEN;
}

/* The baseline's figure of a counter, where it has one that was counted as this run counts. */
static const kg__baseline_metric *expected_of(const counted_case *counted, kg__counter counter)
{
    return kg__counter_is_of(counter, counted->model)
               ? kg__baseline_metric_of(counted->expected, kg__counter_name(counter))
               : NULL;
}

/* Makes an error of the case, unless it is one already. */
static void fail(counted_case *counted, const char *why)
{
    if (counted->result->verdict != KG__ERROR)
        kg__format(counted->why, sizeof counted->why, "%s", why);
    counted->result->verdict = KG__ERROR;
}

/* Marks figures as shown and not judged. */
static void leave_unjudged(kg__metric_result *metric, const char *why)
{
    metric->gated = KG__NO;
    metric->verdict = KG__PASS;
    metric->why = why;
}

/* Leaves a counter unjudged that the baseline's model counted otherwise. In strict mode the case
 * must not pass by that. */
static void leave_outdated(counted_case *counted, kg__counter counter, kg__metric_result *metric)
{
    leave_unjudged(metric, "not judged: the baseline's model counted it differently");
    if (!counted->strict)
        return;
    metric->verdict = KG__NO_BASELINE;
    counted->result->verdict = kg__worse(counted->result->verdict, KG__NO_BASELINE);
    if (counted->why[0] == '\0')
        kg__format(counted->why, sizeof counted->why,
                   "the baseline's model %s counted %s differently: record it again with "
                   "kernelgate rebaseline --target model",
                   counted->model, kg__counter_name(counter));
}

/* Judges one counter whose value is `value`, and adds its figures. */
static void judge_counter(counted_case *counted, kg__counter counter, double value)
{
    const kg__baseline_metric *recorded = expected_of(counted, counter);
    kg__expectation expectation = { .gated = true };
    kg__interval observed = { value, value, value };
    kg__judgment *judgment = &counted->judgments[counter];
    char why[KG__JUDGMENT_TEXT_SIZE];
    kg__metric_result *metric =
        kg__case_result_add_metric(counted->pool, counted->result, kg__counter_name(counter));

    metric->figures.value = value;
    if (counted->expected != NULL && !kg__counter_is_of(counter, counted->model)) {
        leave_outdated(counted, counter, metric);
        return;
    }
    if (recorded != NULL)
        expectation = kg__baseline_expectation(recorded);
    *judgment = kg__judge(&observed, counted->expected != NULL ? &expectation : NULL, NULL, false);
    if (counter == KG__TENSOR_MULTIPLY_ADDS)
        kg__judge_kept(judgment);
    kg__judgment_text(why, sizeof why, judgment, "");
    if (counted->expected != NULL) {
        metric->baseline = expectation.value;
        metric->band = expectation.band;
        metric->change = judgment->change;
        metric->limit = judgment->limit;
        metric->smallest = judgment->smallest;
        metric->gated = expectation.gated ? KG__NOT_KNOWN : KG__NO;
    }
    metric->verdict = judgment->verdict;
    metric->why = kg__pool_text(counted->pool, why);
    counted->result->verdict = kg__worse(counted->result->verdict, judgment->verdict);
}

/* Takes one counter of the record: judges it, or leaves it out where it is not known. */
static void take_counter(counted_case *counted, kg__counter counter)
{
    const char *name = kg__counter_name(counter);
    const kg__figures *figures = kg__figures_of(counted->measured, name);
    const char *absent = kg__absence_of(counted->measured, name);

    if (figures != NULL) {
        if (figures->value >= 0 && figures->value < KG__LARGEST_FIGURE &&
            figures->value == floor(figures->value)) {
            judge_counter(counted, counter, figures->value);
            return;
        }
        fail(counted,
             kg__pool_format(counted->pool, "%s is not a whole number from 0 to 2^53 in the record",
                             name));
        return;
    }
    if (is_unique_bytes(counter) && counted->measured->sampled_of > 0)
        return;
    if (*absent != '\0') {
        fail(counted, kg__pool_format(counted->pool, "%s was not counted: %s", name, absent));
        return;
    }
    if (expected_of(counted, counter) != NULL)
        judge_counter(counted, counter, 0);
}

/* A name in the record that is not a counter means that two versions met. */
static void refuse_unknown_counters(counted_case *counted)
{
    for (size_t i = 0; i < counted->measured->metric_count; i++) {
        const char *name = counted->measured->metrics[i].name;

        if (!kg__counter_parse(name, NULL))
            fail(counted,
                 kg__pool_format(counted->pool,
                                 "%s was counted, and is not a counter: build both programs again",
                                 name));
    }
}

/* Whether a counter tells of what a kernel's threads do. Copies are made without it, and a launch
 * counts, with its blocks, threads and shared memory, though its threads return at once. */
static bool is_of_threads(const char *name)
{
    kg__counter counter;

    return kg__counter_parse(name, &counter) && counter != KG__COPIED_BYTES &&
           counter != KG__LAUNCHES && counter != KG__BLOCKS && counter != KG__THREADS &&
           counter != KG__SHARED_BYTES;
}

/* A kernel that is started no more costs nothing: no counter got better by that. */
static void refuse_nothing(counted_case *counted)
{
    bool had[2] = { false, false }; /* anything, and anything that threads do */
    bool has[2] = { false, false };

    for (size_t i = 0; counted->expected != NULL && i < counted->expected->metric_count; i++) {
        const kg__baseline_metric *metric = &counted->expected->metrics[i];

        had[0] = had[0] || metric->value > 0;
        had[1] = had[1] || (metric->value > 0 && is_of_threads(metric->name));
    }
    for (size_t i = 0; i < counted->measured->metric_count; i++) {
        const kg__figures *figures = &counted->measured->metrics[i];

        has[0] = has[0] || figures->value > 0;
        has[1] = has[1] || (figures->value > 0 && is_of_threads(figures->name));
    }
    if ((had[0] && !has[0]) || (had[1] && !has[1]))
        fail(counted, "nothing was counted, where the baseline has counts: does the launcher "
                      "still launch its kernel?");
}

/* The counter that moved furthest of those with a verdict, as a fraction; KG__COUNTERS where none
 * has it. */
static kg__counter furthest(const counted_case *counted, kg__verdict verdict)
{
    kg__counter first = KG__COUNTERS;

    for (int i = 0; i < KG__COUNTERS; i++) {
        if (counted->judgments[i].verdict != verdict)
            continue;
        if (first == KG__COUNTERS ||
            fabs(counted->judgments[i].change) > fabs(counted->judgments[first].change))
            first = (kg__counter)i;
    }
    return first;
}

/* Names the counters of a verdict besides `known`, behind `what`. */
static void name_others(counted_case *counted, kg__verdict verdict, kg__counter known,
                        const char *what)
{
    size_t named = 0;
    size_t left_out = 0;

    for (int i = 0; i < KG__COUNTERS; i++) {
        if (counted->judgments[i].verdict != verdict || i == (int)known)
            continue;
        if (named == OTHERS_NAMED) {
            left_out++;
            continue;
        }
        kg__append(counted->why, sizeof counted->why, "%s%s", named == 0 ? what : ", ",
                   kg__counter_name((kg__counter)i));
        named++;
    }
    if (left_out > 0)
        kg__append(counted->why, sizeof counted->why, " and %zu more", left_out);
}

/* Says so where nothing rose but what the busiest block or warp asks for: the same work, spread
 * differently. */
static void name_uneven_work(counted_case *counted)
{
    bool blocks = counted->judgments[KG__BUSIEST_BLOCK_REQUESTS].verdict == KG__SLOWER;

    for (int i = 0; i < KG__COUNTERS; i++) {
        if (counted->judgments[i].verdict == KG__SLOWER && i != KG__BUSIEST_BLOCK_REQUESTS &&
            i != KG__BUSIEST_WARP_REQUESTS)
            return;
    }
    kg__append(counted->why, sizeof counted->why, "%s",
               blocks ? "; the work is done by fewer blocks, or spread less evenly"
                      : "; the work is done by fewer warps, or spread less evenly");
}

/* Why a counter that was judged has its verdict. */
static const char *why_of(const counted_case *counted, kg__counter counter)
{
    return kg__case_result_metric(counted->result, kg__counter_name(counter))->why;
}

static bool has_lost_tensor_work(const counted_case *counted)
{
    const kg__judgment *judgment = &counted->judgments[KG__TENSOR_MULTIPLY_ADDS];

    return judgment->tripped && judgment->value < judgment->baseline;
}

/* Says what moved, where in the source, and how to accept it. */
static void explain_move(counted_case *counted, const char *id, const char *differences)
{
    bool slower = counted->result->verdict == KG__SLOWER;
    bool lost_all = slower && has_lost_tensor_work(counted) &&
                    counted->judgments[KG__TENSOR_MULTIPLY_ADDS].verdict == KG__SLOWER;
    kg__counter first =
        lost_all ? KG__TENSOR_MULTIPLY_ADDS : furthest(counted, counted->result->verdict);
    char lines[KG__MESSAGE_SIZE];
    char command[KG__MESSAGE_SIZE];
    size_t used;
    size_t rest;

    kg__format(command, sizeof command,
               "; to %s it: commit, then KG_FILTER='%.*s*' kernelgate rebaseline --target model",
               slower ? "accept" : "keep", (int)kg__variant_length(id), id);
    kg__format(counted->why, sizeof counted->why, "%s %s", kg__counter_name(first),
               why_of(counted, first));
    name_others(counted, counted->result->verdict, first,
                slower ? "; also risen: " : "; also fallen: ");
    if (slower) {
        name_others(counted, KG__FASTER, KG__COUNTERS, "; fallen: ");
        name_uneven_work(counted);
    }
    /* The command at the end must not be cut off: lines of source get the rest. */
    used = strlen(counted->why) + 2 * strlen("; ") + strlen(differences) + strlen(command);
    rest = used < sizeof counted->why ? sizeof counted->why - used : 0;
    if (kg__counter_lines_explain(counted->expected->lines, counted->measured->lines, lines, rest,
                                  &counted->at))
        kg__append(counted->why, sizeof counted->why, "; %s", lines);
    if (*differences != '\0')
        kg__append(counted->why, sizeof counted->why, "; %s", differences);
    counted->result->lines_before =
        kg__counter_lines_before(counted->expected->lines, counted->measured->lines);
    kg__json_keep(counted->pool, counted->result->lines_before);
    counted->result->moves = kg__pool_text(counted->pool, counted->why);
    kg__append(counted->why, sizeof counted->why, "%s", command);
}

/* A case that lost work on tensor cores is not faster, whatever fell: without a clock nobody knows
 * what that costs. */
static void hold_back(counted_case *counted)
{
    counted->result->verdict = KG__PASS;
    for (int i = 0; i < KG__COUNTERS; i++) {
        const char *name = kg__counter_name((kg__counter)i);

        if (counted->judgments[i].verdict == KG__FASTER)
            kg__case_result_metric(counted->result, name)->verdict = KG__PASS;
    }
    kg__format(counted->why, sizeof counted->why, "%s %s: not called faster",
               kg__counter_name(KG__TENSOR_MULTIPLY_ADDS),
               why_of(counted, KG__TENSOR_MULTIPLY_ADDS));
}

/* The reason of a case that did not move: that of its counter with the worst verdict, where it has
 * one. */
static void explain_rest(counted_case *counted)
{
    for (int i = 0; i < KG__COUNTERS; i++) {
        const kg__judgment *judgment = &counted->judgments[i];
        const char *why;

        if (judgment->verdict != counted->result->verdict || judgment->reason == KG__WITHIN_LIMIT)
            continue;
        why = why_of(counted, (kg__counter)i);
        if (counted->result->verdict == KG__NO_BASELINE)
            kg__format(counted->why, sizeof counted->why, "%s", why);
        else
            kg__format(counted->why, sizeof counted->why, "%s %s", kg__counter_name((kg__counter)i),
                       why);
        return;
    }
}

/* The value of a counter; NAN where it has none. */
static double count_of(const kg__case_result *result, kg__counter counter)
{
    const kg__metric_result *metric = kg__case_result_metric(result, kg__counter_name(counter));

    return metric != NULL ? metric->figures.value : NAN;
}

/* Adds the ratios of the counters, next to the baseline's. A ratio whose denominator is 0 has no
 * value, and is left out. */
static void add_ratios(const counted_case *counted)
{
    for (size_t i = 0; i < KG__RATIOS; i++) {
        const kg__ratio *ratio = &kg__ratios[i];
        const kg__baseline_metric *above = expected_of(counted, ratio->above);
        const kg__baseline_metric *below = expected_of(counted, ratio->below);
        double value =
            count_of(counted->result, ratio->above) / count_of(counted->result, ratio->below);
        kg__metric_result *metric;

        if (!isfinite(value))
            continue;
        metric = kg__case_result_add_metric(counted->pool, counted->result, ratio->name);
        metric->figures.value = value;
        leave_unjudged(metric, "");
        if (above != NULL && below != NULL && above->value > 0 && below->value > 0) {
            metric->baseline = above->value / below->value;
            metric->change = value / metric->baseline - 1;
        }
    }
}

/* The smallest rise that is seen, as a fraction: 0 but where a hand set every band; NaN where
 * nothing is gated. */
static double smallest_of(const kg__baseline_case *expected)
{
    double smallest = NAN;

    for (size_t i = 0; expected != NULL && i < expected->metric_count; i++) {
        if (expected->metrics[i].gated)
            smallest = fmin(smallest, expected->metrics[i].band);
    }
    return smallest;
}

kg__case_result *kg__count_result(kg__pool *pool, const char *id, const kg__target *target,
                                  const kg__observation *measured, const kg__baseline *baseline,
                                  const char *differences, bool strict)
{
    kg__case_result *result = kg__case_result_make(pool, id, target->key, "count", KG__PASS, "");
    counted_case counted = { .measured = measured,
                             .expected = kg__baseline_find(baseline, id),
                             .model = baseline != NULL
                                          ? kg__json_text(baseline->provenance, "model")
                                          : "",
                             .strict = strict,
                             .pool = pool,
                             .result = result };

    if (measured->metric_count == 0)
        fail(&counted, "the observer recorded no counter of this case");
    refuse_unknown_counters(&counted);
    for (int i = 0; i < KG__COUNTERS && measured->metric_count > 0; i++)
        take_counter(&counted, (kg__counter)i);
    refuse_nothing(&counted);
    if (result->verdict == KG__FASTER && has_lost_tensor_work(&counted))
        hold_back(&counted);
    if (result->verdict == KG__SLOWER || result->verdict == KG__FASTER)
        explain_move(&counted, id, differences);
    else if (counted.why[0] == '\0')
        explain_rest(&counted);
    add_ratios(&counted);
    result->why = kg__pool_text(pool, counted.why);
    result->observers = 1;
    result->smallest = smallest_of(counted.expected);
    if (counted.at != NULL) {
        result->at_file = kg__pool_text(pool, counted.at->file);
        result->at_line = counted.at->line;
    }
    result->absent = measured->absent;
    if (measured->lines != NULL && measured->lines->count > 0)
        result->lines = measured->lines;
    result->sampled_blocks = measured->sampled_blocks;
    result->sampled_of = measured->sampled_of;
    result->work = measured->work;
    return result;
}
