#include "results/count_result.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "baseline/counter_lines.h"
#include "judge/judge.h"
#include "records/finding.h"
#include "suite/counters.h"

/* Below 2^53 a double holds every whole number. */
#define LARGEST_COUNT 9007199254740992

/* So many counters that moved are named beside the first one; the rest is counted. */
#define OTHERS_NAMED 3

/* What the reason of a case that moved ends in begins so: the command. */
static const char command_mark[] = "; to ";

/* A counted case while it is judged. */
typedef struct counted {
    const kg__observation *measured;
    const kg__baseline_case *expected; /* NULL: no baseline */
    const char *model;                 /* the version that recorded it; "" where that is unknown */
    json_t *metrics;
    kg__judgement judgements[KG__COUNTERS];
    kg__verdict worst;
    char why[KG__MESSAGE_SIZE];
    const kg__line_counts *at; /* the line that moved furthest; NULL where none is known */
} counted;

static bool is_unique_bytes(kg__counter counter)
{
    return counter == KG__UNIQUE_BYTES_READ || counter == KG__UNIQUE_BYTES_WRITTEN;
}

/* The baseline's figure of a counter, where it has one that was counted as this run counts. */
static const kg__baseline_metric *expected_of(const counted *one, kg__counter counter)
{
    if (one->expected == NULL || !kg__counter_is_of(counter, one->model))
        return NULL;
    return kg__baseline_metric_of(one->expected, kg__counter_name(counter));
}

static void append(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);

    kg__format(text + used, size - used, "%s", more);
}

/* Makes an error of the case, unless it is one already. */
static void fail(counted *one, const char *why)
{
    if (one->worst != KG__ERROR)
        kg__format(one->why, sizeof one->why, "%s", why);
    one->worst = KG__ERROR;
}

static void set_count(json_t *figures, const char *key, double count)
{
    json_object_set_new(figures, key, json_integer((json_int_t)count));
}

/* Adds to figures that they are shown and decide nothing. */
static void leave_unjudged(json_t *figures, const char *why)
{
    json_object_set_new(figures, "gated", json_false());
    json_object_set_new(figures, "verdict", json_string(kg__verdict_name(KG__PASS)));
    json_object_set_new(figures, "why", json_string(why));
}

/* Judges one counter whose value is `value`, and adds its figures. */
static void judge_counter(counted *one, kg__counter counter, double value)
{
    const char *name = kg__counter_name(counter);
    const kg__baseline_metric *metric = expected_of(one, counter);
    kg__expectation expectation = { .gated = true };
    kg__interval observed = { value, value, value };
    kg__judgement *judgement = &one->judgements[counter];
    json_t *figures = json_object();

    set_count(figures, "value", value);
    json_object_set_new(one->metrics, name, figures);
    if (one->expected != NULL && !kg__counter_is_of(counter, one->model)) {
        leave_unjudged(figures, "not judged: the baseline's model did not count it so");
        return;
    }
    if (metric != NULL)
        expectation = kg__baseline_expectation(metric);
    *judgement = kg__judge(&observed, one->expected != NULL ? &expectation : NULL, NULL, "");
    if (one->expected != NULL) {
        set_count(figures, "baseline", expectation.value);
        kg__json_set_finite(figures, "band", expectation.band);
        kg__json_set_finite(figures, "change", judgement->change);
        kg__json_set_finite(figures, "limit", judgement->limit);
        kg__json_set_finite(figures, "smallest", judgement->smallest);
        if (!expectation.gated)
            json_object_set_new(figures, "gated", json_false());
    }
    json_object_set_new(figures, "verdict", json_string(kg__verdict_name(judgement->verdict)));
    json_object_set_new(figures, "why", json_string(judgement->why));
    one->worst = kg__worse(one->worst, judgement->verdict);
}

/* Takes one counter of the record: judges it, or leaves it out where it is not known. */
static void take_counter(counted *one, kg__counter counter)
{
    const char *name = kg__counter_name(counter);
    const kg__figures *figures = kg__figures_of(one->measured, name);
    const char *absent = kg__absence_of(one->measured, name);
    char why[KG__MESSAGE_SIZE];

    if (figures != NULL) {
        if (figures->value >= 0 && figures->value < LARGEST_COUNT &&
            figures->value == floor(figures->value)) {
            judge_counter(one, counter, figures->value);
            return;
        }
        kg__format(why, sizeof why, "%s is not a whole number from 0 to 2^53 in the record", name);
        fail(one, why);
        return;
    }
    if (is_unique_bytes(counter) && one->measured->sampled_of > 0)
        return;
    if (*absent != '\0') {
        kg__format(why, sizeof why, "%s was not counted: %s", name, absent);
        fail(one, why);
        return;
    }
    if (expected_of(one, counter) != NULL)
        judge_counter(one, counter, 0);
}

/* A name in the record that is not a counter means that two versions met. */
static void refuse_strangers(counted *one)
{
    char why[KG__MESSAGE_SIZE];

    for (size_t i = 0; i < one->measured->metric_count; i++) {
        const char *name = one->measured->metrics[i].name;

        if (kg__counter_parse(name, NULL))
            continue;
        kg__format(why, sizeof why,
                   "%s was counted, and is not a counter: build both programs again", name);
        fail(one, why);
    }
}

/* Whether a counter tells of what a kernel's threads do. Copies are made without it, and a launch
 * counts, and a block has its shared memory, though its threads return at once. */
static bool is_of_threads(const char *name)
{
    kg__counter counter;

    return kg__counter_parse(name, &counter) && counter != KG__COPIED_BYTES &&
           counter != KG__LAUNCHES && counter != KG__SHARED_BYTES;
}

/* A kernel that is started no more costs nothing: no counter got better by that. */
static void refuse_nothing(counted *one)
{
    bool had[2] = { false, false }; /* anything, and anything that threads do */
    bool has[2] = { false, false };

    for (size_t i = 0; one->expected != NULL && i < one->expected->metric_count; i++) {
        const kg__baseline_metric *metric = &one->expected->metrics[i];

        had[0] = had[0] || metric->value > 0;
        had[1] = had[1] || (metric->value > 0 && is_of_threads(metric->name));
    }
    for (size_t i = 0; i < one->measured->metric_count; i++) {
        const kg__figures *figures = &one->measured->metrics[i];

        has[0] = has[0] || figures->value > 0;
        has[1] = has[1] || (figures->value > 0 && is_of_threads(figures->name));
    }
    if ((had[0] && !has[0]) || (had[1] && !has[1]))
        fail(one, "nothing was counted of it, where the baseline has counts: does the launcher "
                  "still launch its kernel?");
}

/* The counter that moved furthest of those with a verdict, as a fraction; KG__COUNTERS where none
 * has it. */
static kg__counter furthest(const counted *one, kg__verdict verdict)
{
    kg__counter first = KG__COUNTERS;

    for (int i = 0; i < KG__COUNTERS; i++) {
        if (one->judgements[i].verdict != verdict)
            continue;
        if (first == KG__COUNTERS ||
            fabs(one->judgements[i].change) > fabs(one->judgements[first].change))
            first = (kg__counter)i;
    }
    return first;
}

/* Names the counters of a verdict besides `known`, behind `what`. */
static void name_others(counted *one, kg__verdict verdict, kg__counter known, const char *what)
{
    size_t named = 0;
    size_t left_out = 0;
    char text[128];

    for (int i = 0; i < KG__COUNTERS; i++) {
        if (one->judgements[i].verdict != verdict || i == (int)known)
            continue;
        if (named == OTHERS_NAMED) {
            left_out++;
            continue;
        }
        kg__format(text, sizeof text, "%s%s", named == 0 ? what : ", ",
                   kg__counter_name((kg__counter)i));
        append(one->why, sizeof one->why, text);
        named++;
    }
    if (left_out > 0) {
        kg__format(text, sizeof text, " and %zu more", left_out);
        append(one->why, sizeof one->why, text);
    }
}

/* Whether nothing rose but what the busiest block asks for: the same work, otherwise shared out. */
static bool is_shared_out_otherwise(const counted *one)
{
    for (int i = 0; i < KG__COUNTERS; i++) {
        if ((one->judgements[i].verdict == KG__SLOWER) != (i == KG__BUSIEST_BLOCK_REQUESTS))
            return false;
    }
    return true;
}

/* Says what moved, where in the source, and how to accept it. */
static void explain_move(counted *one, const char *id, const char *otherwise)
{
    bool slower = one->worst == KG__SLOWER;
    kg__counter first = furthest(one, one->worst);
    char lines[KG__MESSAGE_SIZE];
    char end[KG__MESSAGE_SIZE];
    size_t used;
    size_t room;

    /* What stands last must not be cut off: lines of source get what is left. */
    kg__format(end, sizeof end,
               "%s%s%s%s it: commit, then KG_FILTER='%.*s*' ci/rebaseline --target model",
               *otherwise != '\0' ? "; " : "", otherwise, command_mark, slower ? "accept" : "keep",
               (int)kg__variant_length(id), id);
    kg__format(one->why, sizeof one->why, "%s %s", kg__counter_name(first),
               one->judgements[first].why);
    name_others(one, one->worst, first, slower ? "; also risen: " : "; also fallen: ");
    if (slower)
        name_others(one, KG__FASTER, KG__COUNTERS, "; fallen: ");
    if (is_shared_out_otherwise(one))
        append(one->why, sizeof one->why,
               "; the work is done by fewer blocks, or spread less evenly");
    used = strlen(one->why) + strlen("; ") + strlen(end);
    room = used < sizeof one->why ? sizeof one->why - used : 0;
    if (kg__counter_lines_explain(one->expected->lines, one->measured->lines, lines, room,
                                  &one->at)) {
        append(one->why, sizeof one->why, "; ");
        append(one->why, sizeof one->why, lines);
    }
    append(one->why, sizeof one->why, end);
}

/* The reason of a case that did not move: that of its counter with the worst verdict, where it has
 * one. */
static void explain_rest(counted *one)
{
    for (int i = 0; i < KG__COUNTERS; i++) {
        const kg__judgement *judgement = &one->judgements[i];

        if (judgement->verdict != one->worst || judgement->why[0] == '\0')
            continue;
        if (one->worst == KG__NO_BASELINE)
            kg__format(one->why, sizeof one->why, "%s", judgement->why);
        else
            kg__format(one->why, sizeof one->why, "%s %s", kg__counter_name((kg__counter)i),
                       judgement->why);
        return;
    }
}

/* Adds the ratios of the counters, next to the baseline's. A ratio whose denominator is 0 has no
 * value, and is left out. */
static void add_ratios(const counted *one)
{
    json_t *metrics = one->metrics;

    for (size_t i = 0; i < KG__RATIOS; i++) {
        const kg__ratio *ratio = &kg__ratios[i];
        const kg__baseline_metric *above = expected_of(one, ratio->above);
        const kg__baseline_metric *below = expected_of(one, ratio->below);
        double value =
            kg__json_number(json_object_get(metrics, kg__counter_name(ratio->above)), "value") /
            kg__json_number(json_object_get(metrics, kg__counter_name(ratio->below)), "value");
        json_t *figures;

        if (!isfinite(value))
            continue;
        figures = json_pack("{s:f}", "value", value);
        leave_unjudged(figures, "");
        if (above != NULL && below != NULL && above->value > 0 && below->value > 0) {
            double before = above->value / below->value;

            json_object_set_new(figures, "baseline", json_real(before));
            json_object_set_new(figures, "change", json_real(value / before - 1));
        }
        json_object_set_new(metrics, ratio->name, figures);
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

/* Keeps what the results show besides the counters. */
static void carry(json_t *entry, const kg__observation *measured)
{
    json_t *absent = json_object();

    for (size_t i = 0; i < measured->absent_count; i++)
        json_object_set_new(absent, measured->absent[i].metric,
                            json_string(measured->absent[i].why));
    if (json_object_size(absent) > 0)
        json_object_set(entry, "absent", absent);
    json_decref(absent);
    if (measured->lines != NULL && measured->lines->count > 0)
        json_object_set_new(entry, "lines", kg__lines_json(measured->lines));
    if (measured->sampled_of > 0)
        json_object_set_new(entry, "sampled",
                            json_pack("{s:I, s:I}", "blocks", (json_int_t)measured->sampled_blocks,
                                      "of", (json_int_t)measured->sampled_of));
    if (measured->work != NULL)
        json_object_set_new(entry, "work", kg__work_json(measured->work));
}

json_t *kg__count_result(const char *id, const kg__target *target, const kg__observation *measured,
                         const kg__baseline *baseline, const char *otherwise)
{
    counted one = { .measured = measured,
                    .expected = baseline != NULL ? kg__baseline_find(baseline, id) : NULL,
                    .model =
                        baseline != NULL ? kg__provenance_text(&baseline->provenance, "model") : "",
                    .metrics = json_object() };
    json_t *entry;

    if (measured->metric_count == 0)
        fail(&one, "the observer recorded no counter of this case");
    refuse_strangers(&one);
    for (int i = 0; i < KG__COUNTERS && measured->metric_count > 0; i++)
        take_counter(&one, (kg__counter)i);
    refuse_nothing(&one);
    if (one.worst == KG__SLOWER || one.worst == KG__FASTER)
        explain_move(&one, id, otherwise);
    else if (one.why[0] == '\0')
        explain_rest(&one);
    add_ratios(&one);
    entry = json_pack("{s:s, s:s, s:s, s:o, s:s, s:s, s:i}", "case", id, "target", target->key,
                      "part", "count", "metrics", one.metrics, "verdict",
                      kg__verdict_name(one.worst), "why", one.why, "observers", 1);
    if (isfinite(smallest_of(one.expected)))
        json_object_set_new(entry, "smallest", json_real(smallest_of(one.expected)));
    if (one.at != NULL)
        json_object_set_new(entry, KG__AT, kg__source_json(one.at->file, one.at->line));
    carry(entry, measured);
    return entry;
}

void kg__counted_moves(const json_t *entry, char *text, size_t size)
{
    const char *why = kg__json_text(entry, "why");
    const char *command = NULL;

    for (const char *next = why; (next = strstr(next, command_mark)) != NULL; next++)
        command = next;
    kg__format(text, size, "%.*s", (int)(command != NULL ? (size_t)(command - why) : strlen(why)),
               why);
}

bool kg__is_counted(const json_t *entry)
{
    return json_object_get(json_object_get(entry, "metrics"),
                           kg__counter_name(KG__GLOBAL_LOAD_REQUESTS)) != NULL;
}

/* Appends " (+12.0 %)" where a metric moved. */
static void append_change(char *text, size_t size, const json_t *figures)
{
    double change = kg__json_number(figures, "change");
    char percent[KG__FIGURE_SIZE];
    char shown[KG__FIGURE_SIZE + 4];

    if (!isfinite(change) || change == 0)
        return;
    kg__show_percent(percent, sizeof percent, change, true);
    kg__format(shown, sizeof shown, " (%s)", percent);
    append(text, size, shown);
}

/* Appends "  barriers 78 608 (+0.5 %)", of a counter that is or was above 0. */
static void append_count(char *text, size_t size, const json_t *metrics, kg__counter counter,
                         const char *what)
{
    const json_t *figures = json_object_get(metrics, kg__counter_name(counter));
    double value = kg__json_number(figures, "value");
    char figure[KG__FIGURE_SIZE];
    char shown[KG__FIGURE_SIZE + 32];

    if (!(value > 0) && !(kg__json_number(figures, "baseline") > 0))
        return;
    kg__show_figure(figure, sizeof figure, value, "");
    kg__format(shown, sizeof shown, "  %s %s", what, figure);
    append(text, size, shown);
    append_change(text, size, figures);
}

/* Appends ", 2.35 sectors each (was 2.00)", of a ratio. */
static void append_ratio(char *text, size_t size, const json_t *metrics, const char *name,
                         const char *before, const char *unit)
{
    const json_t *figures = json_object_get(metrics, name);
    char now[32];
    char then[32];
    char shown[128];

    if (figures == NULL)
        return;
    kg__format(now, sizeof now, "%.2f", kg__json_number(figures, "value"));
    kg__format(shown, sizeof shown, "%s%s%s", before, now, unit);
    append(text, size, shown);
    kg__format(then, sizeof then, "%.2f", kg__json_number(figures, "baseline"));
    if (json_object_get(figures, "baseline") == NULL || strcmp(now, then) == 0)
        return;
    kg__format(shown, sizeof shown, " (was %s)", then);
    append(text, size, shown);
}

void kg__counted_figures(const json_t *entry, char *text, size_t size)
{
    const json_t *metrics = json_object_get(entry, "metrics");
    const json_t *sampled = json_object_get(entry, "sampled");
    char blocks[2][KG__FIGURE_SIZE];
    char shown[2 * KG__FIGURE_SIZE + 32];

    text[0] = '\0';
    append_count(text, size, metrics, KG__GLOBAL_LOAD_REQUESTS, "loads");
    append_ratio(text, size, metrics, "global_load_sectors_per_request", ", ", " sectors each");
    append_count(text, size, metrics, KG__GLOBAL_STORE_REQUESTS, "stores");
    append_ratio(text, size, metrics, "global_store_sectors_per_request", ", ", " each");
    append_ratio(text, size, metrics, "shared_load_wavefronts_per_request", "  shared loads ",
                 " wavefronts each");
    append_ratio(text, size, metrics, "shared_store_wavefronts_per_request", "  shared stores ",
                 "");
    append_count(text, size, metrics, KG__BARRIERS, "barriers");
    if (json_object_size(sampled) > 0) {
        kg__show_figure(blocks[0], sizeof blocks[0], kg__json_number(sampled, "blocks"), "");
        kg__show_figure(blocks[1], sizeof blocks[1], kg__json_number(sampled, "of"), "");
        kg__format(shown, sizeof shown, "  sampled, %s of %s blocks", blocks[0], blocks[1]);
        append(text, size, shown);
    }
}
