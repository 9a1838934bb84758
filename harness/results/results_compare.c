#include "results/results_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "baseline/baseline.h"
#include "baseline/baseline_rules.h"
#include "baseline/kernel_code.h"
#include "records/records.h"
#include "results/results_text.h"
#include "suite/settings.h"

/* What two runs of the same code spread by, as a multiple of what one run spreads by around the
 * median of many. */
#define TWO_RUNS 1.4142135623730951

/* The share of a metric's spread that limits rest on: three standard deviations. */
#define SIGMAS 3.0

/* By so much of itself a value may lie beside its interval, both having been rounded. */
#define INTERVAL_ROUNDING 1e-6

static const char *const sentinels[KG__SENTINELS] = { "copy", "fma" };

/* One run. */
typedef struct run {
    const json_t *document;
    json_t *places; /* the place of a case in its list, by "target case" */
    const char *lone_gpu;
    const char *name; /* what messages call it */
} run;

/* A comparison while it is made. */
typedef struct comparing {
    run a;
    run b;
    const char *filter;
    bool across;
    size_t common;   /* cases that both have */
    size_t filtered; /* of those, let through */
    size_t room;
    size_t one_sided_room;
    size_t sum_room;
    kg__results_comparison *into;
} comparing;

/* A case of both runs. */
typedef struct both {
    const json_t *a;
    const json_t *b;
    const char *id;
    const char *target_a;
    const char *target_b;
    bool across; /* of two targets */
} both;

const char *kg__limit_source_name(kg__limit_source source)
{
    static const char *const names[] = {
        [KG__LIMIT_OF_A] = "A's baseline",
        [KG__LIMIT_OF_B] = "B's baseline",
        [KG__LIMIT_DEFAULT] = "default",
        [KG__LIMIT_EXACT] = "exact",
    };

    return names[source];
}

static const json_t *cases_of(const run *one)
{
    return json_object_get(one->document, "cases");
}

static void name_place(char *key, size_t size, const char *target, const char *id)
{
    kg__format(key, size, "%s %s", target, id);
}

/* Notes where each case of a run stands. */
static bool note_places(run *one, kg__error *error)
{
    const json_t *entry;
    size_t i;

    one->places = json_object();
    json_array_foreach (cases_of(one), i, entry) {
        const char *id = kg__json_text(entry, "case");
        const char *target = kg__json_text(entry, "target");
        char key[KG__MESSAGE_SIZE];

        name_place(key, sizeof key, target, id);
        if (json_object_get(one->places, key) != NULL)
            return kg__fail(error, "%s: %s appears twice on %s: name a file as a run wrote it",
                            one->name, id, target);
        json_object_set_new(one->places, key, json_integer((json_int_t)i));
    }
    if (json_object_size(one->places) == 0)
        return kg__fail(error, "%s holds no case: name the results of a run that judged some",
                        one->name);
    return true;
}

static const json_t *find_case(const run *one, const char *target, const char *id)
{
    char key[KG__MESSAGE_SIZE];
    const json_t *place;

    name_place(key, sizeof key, target, id);
    place = json_object_get(one->places, key);
    return place != NULL ? json_array_get(cases_of(one), (size_t)json_integer_value(place)) : NULL;
}

static bool has_target(const run *one, const char *target)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (cases_of(one), i, entry) {
        if (strcmp(kg__json_text(entry, "target"), target) == 0)
            return true;
    }
    return false;
}

/* The only GPU that `one` has and `other` has not; NULL where there is none, or more than one. */
static const char *lone_gpu(const run *one, const run *other)
{
    const char *lone = NULL;
    const json_t *entry;
    size_t i;

    json_array_foreach (cases_of(one), i, entry) {
        const char *target = kg__json_text(entry, "target");

        if (strcmp(target, KG__MODEL_KEY) == 0 || (lone != NULL && strcmp(target, lone) == 0) ||
            has_target(other, target))
            continue;
        if (lone != NULL)
            return NULL;
        lone = target;
    }
    return lone;
}

/* The target of `to` that cases of a target of `from` are compared on. */
static const char *counterpart(const run *from, const run *to, const char *target)
{
    bool crosses = from->lone_gpu != NULL && to->lone_gpu != NULL;

    return crosses && strcmp(target, from->lone_gpu) == 0 ? to->lone_gpu : target;
}

static bool is_taken(const comparing *all, const char *id)
{
    return (*all->filter == '\0' || kg__globs_take_from(all->filter, id)) && kg__filter_takes(id);
}

static kg__compared *add_row(comparing *all, const both *one, const char *metric)
{
    kg__results_comparison *into = all->into;
    kg__compared *row;

    into->metrics = kg__grow(into->metrics, into->count, &all->room, sizeof *into->metrics);
    row = &into->metrics[into->count++];
    *row = (kg__compared){ .id = one->id,
                           .target_a = one->target_a,
                           .target_b = one->target_b,
                           .metric = metric,
                           .a = { NAN, NAN, NAN },
                           .b = { NAN, NAN, NAN },
                           .ratio = { NAN, NAN, NAN },
                           .limit = NAN,
                           .gated = true,
                           .judged = true };
    return row;
}

static void add_one_sided(comparing *all, const char *id, const char *target, const char *metric,
                          bool in_b)
{
    kg__results_comparison *into = all->into;

    into->one_sided = kg__grow(into->one_sided, into->one_sided_count, &all->one_sided_room,
                               sizeof *into->one_sided);
    into->one_sided[into->one_sided_count++] =
        (kg__one_sided){ .id = id, .target = target, .metric = metric, .in_b = in_b };
}

/* A metric's value with its interval; a value without one stands for itself. */
static kg__interval interval_of(const json_t *figures)
{
    kg__interval seen = { kg__json_number(figures, "value"), kg__json_number(figures, "low"),
                          kg__json_number(figures, "high") };

    if (isnan(seen.low))
        seen.low = seen.value;
    if (isnan(seen.high))
        seen.high = seen.value;
    return seen;
}

/* The figures of a metric that has a value; NULL where a case has none. */
static const json_t *figures_of(const json_t *entry, const char *metric)
{
    const json_t *figures = json_object_get(json_object_get(entry, "metrics"), metric);

    return json_is_number(json_object_get(figures, "value")) ? figures : NULL;
}

/* Whether a run judged a metric. One that was written down as not gated is not; where nothing is
 * written, the limit of a time tells: what spreads more is recorded ungated. */
static bool is_gated(const char *metric, const json_t *figures)
{
    const json_t *gated = json_object_get(figures, "gated");

    if (gated != NULL)
        return json_is_true(gated);
    return *kg__metric_unit(metric) == '\0' ||
           !(kg__json_number(figures, "limit") > KG__GATED_LIMIT);
}

/* The limits of a baseline that a run was judged against; false where it was judged by none. Where
 * the floor is not what decides, it is not written down: it is then no more than its share of the
 * baseline. */
static bool take_limits(const json_t *figures, kg__expectation *expectation)
{
    double limit = kg__json_number(figures, "limit");
    double baseline = kg__json_number(figures, "baseline");
    double smallest = kg__json_number(figures, "smallest");

    if (!(limit >= 0.0) || !(baseline >= 0.0))
        return false;
    expectation->band = limit;
    expectation->floor =
        smallest > limit ? smallest * baseline : fmin(KG__TIME_FLOOR_NS, limit * baseline);
    return true;
}

/* What B's value is held against: A's. */
static kg__expectation expect(kg__compared *row, const json_t *a, const json_t *b)
{
    kg__expectation expectation = { .value = row->a.value, .gated = row->gated };

    if (*kg__metric_unit(row->metric) == '\0') {
        row->limit_source = KG__LIMIT_EXACT;
        return expectation;
    }
    if (take_limits(a, &expectation)) {
        row->limit_source = KG__LIMIT_OF_A;
    } else if (take_limits(b, &expectation)) {
        row->limit_source = KG__LIMIT_OF_B;
    } else {
        row->limit_source = KG__LIMIT_DEFAULT;
        expectation.band = KG__COMPARED_BAND;
        expectation.floor = KG__TIME_FLOOR_NS;
    }
    expectation.band = expm1(TWO_RUNS * log1p(expectation.band));
    return expectation;
}

/* What a run measured of a sentinel; NaN where it has none. */
static double sentinel_of(const run *one, const char *target, size_t sentinel)
{
    const json_t *provenance =
        json_object_get(json_object_get(one->document, "provenance"), target);

    return kg__json_number(json_object_get(provenance, "sentinels_ns"), sentinels[sentinel]);
}

static int foreign_of(const json_t *entry)
{
    return (int)json_integer_value(
        json_object_get(json_object_get(entry, "card"), "foreign_processes"));
}

/* What surrounded the two measurements, as far as the documents tell. */
static kg__surroundings surroundings_of(const comparing *all, const both *one)
{
    int foreign_a = foreign_of(one->a);
    int foreign_b = foreign_of(one->b);
    kg__surroundings around = {
        .foreign_processes = foreign_a > foreign_b ? foreign_a : foreign_b,
        .same_code = !one->across && kg__is_same_code(json_object_get(one->a, "kernel"),
                                                      json_object_get(one->b, "kernel")),
    };

    for (size_t i = 0; i < KG__SENTINELS; i++) {
        double then = sentinel_of(&all->a, one->target_a, i);
        double now = sentinel_of(&all->b, one->target_b, i);

        around.sentinel_move[i] =
            !one->across && then > 0.0 && now > 0.0 ? log(now / then) : (double)NAN;
        around.sentinel_limit[i] = TWO_RUNS * SIGMAS * KG__SIGMA_MINIMUM;
    }
    return around;
}

/* Leaves a doubt that a run itself had about a metric in the verdict on a move. */
static void keep_doubt(kg__compared *row, const json_t *figures, const char *run)
{
    char move[sizeof row->why];

    if (row->verdict != KG__SLOWER && row->verdict != KG__FASTER)
        return;
    if (kg__results_verdict(figures) != KG__ENVIRONMENT)
        return;
    row->verdict = KG__ENVIRONMENT;
    kg__format(move, sizeof move, "%s", row->why);
    kg__format(row->why, sizeof row->why, "%s's surroundings were disturbed: %s", run, move);
}

static void judge(const comparing *all, const both *one, kg__compared *row, const json_t *a,
                  const json_t *b)
{
    kg__expectation expectation = expect(row, a, b);
    kg__surroundings around = surroundings_of(all, one);
    /* What is known of A is no better than what is known of B: both widen the interval. */
    kg__interval observed = row->b;
    kg__judgement judgement;

    if (!isnan(row->ratio.low)) {
        /* Rounding must not move a bound past the value. */
        observed.low = fmin(row->ratio.low * row->a.value, row->b.value);
        observed.high = fmax(row->ratio.high * row->a.value, row->b.value);
    }
    judgement = kg__judge(&observed, &expectation, &around, kg__metric_unit(row->metric));
    row->limit = judgement.smallest;
    row->judged = row->gated && !(one->across && !all->across);
    row->verdict = row->judged ? judgement.verdict : KG__PASS;
    if (judgement.verdict == KG__ERROR)
        row->verdict = KG__ERROR;
    kg__format(row->why, sizeof row->why, "%s", judgement.why);
    if (!row->judged && row->gated)
        row->why[0] = '\0';
    keep_doubt(row, a, "A");
    keep_doubt(row, b, "B");
}

/* Whether a metric can be held against anything: its value is a number of at least 0, above 0 for a
 * time, that a baseline might hold, and lies in its own interval. */
static bool is_usable(const char *metric, const kg__interval *seen)
{
    double rounding = seen->value * INTERVAL_ROUNDING;

    return seen->value >= 0.0 && seen->value <= KG__LARGEST_FIGURE &&
           (seen->value > 0.0 || *kg__metric_unit(metric) == '\0') &&
           seen->low <= seen->value + rounding && seen->high >= seen->value - rounding;
}

static void sum_up(comparing *all, const kg__compared *row)
{
    kg__results_comparison *into = all->into;
    kg__compared_sum *sum = NULL;

    if (!(row->ratio.value > 0.0) || *kg__metric_unit(row->metric) == '\0')
        return;
    for (size_t i = 0; i < into->sum_count && sum == NULL; i++) {
        if (strcmp(into->sums[i].target_a, row->target_a) == 0 &&
            strcmp(into->sums[i].metric, row->metric) == 0)
            sum = &into->sums[i];
    }
    if (sum == NULL) {
        into->sums = kg__grow(into->sums, into->sum_count, &all->sum_room, sizeof *into->sums);
        sum = &into->sums[into->sum_count++];
        *sum = (kg__compared_sum){ row->target_a, row->target_b, row->metric, 0, 1.0 };
    }
    sum->count++;
    sum->mean = exp(log(sum->mean) + (log(row->ratio.value) - log(sum->mean)) / (double)sum->count);
}

/* Compares a metric of both; returns its verdict. */
static kg__verdict compare_metric(comparing *all, const both *one, const char *metric,
                                  const json_t *a, const json_t *b)
{
    kg__compared *row = add_row(all, one, metric);

    row->gated = is_gated(metric, a) && is_gated(metric, b);
    row->a = interval_of(a);
    row->b = interval_of(b);
    if (row->a.value > 0.0) {
        row->ratio = (kg__interval){ row->b.value / row->a.value, row->b.low / row->a.high,
                                     row->b.high / row->a.low };
    }
    if (!is_usable(metric, &row->a) || !is_usable(metric, &row->b)) {
        row->verdict = KG__ERROR;
        row->ratio = (kg__interval){ NAN, NAN, NAN };
        kg__format(row->why, sizeof row->why,
                   "%s's value is not a figure to compare: measure it again",
                   is_usable(metric, &row->a) ? "B" : "A");
        return row->verdict;
    }
    judge(all, one, row, a, b);
    all->into->unjudged += row->gated && !row->judged;
    sum_up(all, row);
    return row->verdict;
}

/* Notes what only one of the two measured of a case: from A it is missed, in B it has nothing to be
 * held against. */
static kg__verdict note_lone_metrics(comparing *all, const both *one, bool in_b)
{
    const json_t *from = in_b ? one->b : one->a;
    const json_t *other = in_b ? one->a : one->b;
    kg__verdict verdict = KG__PASS;
    const char *name;
    json_t *figures;

    json_object_foreach (json_object_get(from, "metrics"), name, figures) {
        if (figures_of(from, name) == NULL || figures_of(other, name) != NULL)
            continue;
        add_one_sided(all, one->id, in_b ? one->target_b : one->target_a, name, in_b);
        if (!is_gated(name, figures))
            continue;
        if (in_b)
            verdict = KG__NO_BASELINE;
        else
            all->into->tally.vanished++;
    }
    return verdict;
}

/* Gives a case whose figures do not count a row of its own; returns its verdict. */
static kg__verdict dismiss(comparing *all, const both *one)
{
    kg__verdict in_a = kg__results_verdict(one->a);
    kg__verdict in_b = kg__results_verdict(one->b);
    kg__compared *row = add_row(all, one, NULL);

    if (in_b >= KG__WRONG) {
        row->verdict = in_b;
        kg__format(row->why, sizeof row->why, "in B: %s", kg__json_text(one->b, "why"));
    } else {
        row->verdict = KG__NO_BASELINE;
        kg__format(row->why, sizeof row->why, "nothing to hold B against: A had it %s",
                   kg__verdict_name(in_a));
    }
    return row->verdict;
}

/* Whether a case was timed or counted. */
static bool has_figures(const json_t *entry)
{
    const char *name;
    json_t *figures;

    json_object_foreach (json_object_get(entry, "metrics"), name, figures) {
        if (figures_of(entry, name) != NULL)
            return true;
    }
    return false;
}

static void compare_case(comparing *all, const both *one)
{
    kg__results_comparison *into = all->into;
    kg__verdict verdict = KG__PASS;
    size_t unjudged = into->unjudged;
    size_t rows = into->count;
    const char *name;
    json_t *figures;

    if (kg__results_verdict(one->a) >= KG__WRONG || kg__results_verdict(one->b) >= KG__WRONG) {
        into->tally.verdicts[dismiss(all, one)]++;
        return;
    }
    json_object_foreach (json_object_get(one->a, "metrics"), name, figures) {
        const json_t *other = figures_of(one->b, name);

        if (figures_of(one->a, name) != NULL && other != NULL)
            verdict = kg__worse(verdict, compare_metric(all, one, name, figures, other));
    }
    (void)note_lone_metrics(all, one, false);
    verdict = kg__worse(verdict, note_lone_metrics(all, one, true));
    /* Of what B did not measure as A did nothing is held against anything. */
    if (into->count == rows && (has_figures(one->a) || has_figures(one->b)))
        verdict = kg__worse(verdict, KG__NO_BASELINE);
    else
        into->checked += into->count == rows;
    if (into->unjudged > unjudged && verdict < KG__WRONG)
        into->tally.unavailable++;
    else
        into->tally.verdicts[verdict]++;
}

/* Compares all of A's cases that B has, and notes those that it has not. */
static void compare_cases(comparing *all)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (cases_of(&all->a), i, entry) {
        both one = { .a = entry,
                     .id = kg__json_text(entry, "case"),
                     .target_a = kg__json_text(entry, "target") };

        one.target_b = counterpart(&all->a, &all->b, one.target_a);
        one.across = strcmp(one.target_a, one.target_b) != 0;
        one.b = find_case(&all->b, one.target_b, one.id);
        all->common += one.b != NULL;
        if (!is_taken(all, one.id))
            continue;
        all->filtered += one.b != NULL;
        if (one.b != NULL) {
            compare_case(all, &one);
        } else {
            add_one_sided(all, one.id, one.target_a, NULL, false);
            all->into->tally.vanished++;
        }
    }
}

/* Notes the cases that B alone has: what was measured has nothing to be held against, and what was
 * only checked is right or wrong all the same. */
static void note_new_cases(comparing *all)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (cases_of(&all->b), i, entry) {
        const char *id = kg__json_text(entry, "case");
        const char *target = kg__json_text(entry, "target");
        kg__verdict verdict = kg__results_verdict(entry);

        if (!is_taken(all, id) ||
            find_case(&all->a, counterpart(&all->b, &all->a, target), id) != NULL)
            continue;
        add_one_sided(all, id, target, NULL, true);
        if (verdict < KG__WRONG && json_object_size(json_object_get(entry, "metrics")) > 0)
            verdict = KG__NO_BASELINE;
        if (verdict >= KG__NO_BASELINE)
            all->into->tally.verdicts[verdict]++;
    }
}

/* Whether the runs measured a GPU on boards that are not the same. */
static bool are_other_boards(const run *a, const run *b)
{
    const json_t *boards = json_object_get(b->document, "boards");
    const json_t *before = json_object_get(a->document, "boards");
    const char *uuid;
    json_t *board;

    json_object_foreach ((json_t *)boards, uuid, board) {
        if (json_object_size(before) > 0 && json_object_get(before, uuid) == NULL)
            return true;
    }
    return false;
}

static bool compare(comparing *all, kg__error *error)
{
    if (!note_places(&all->a, error) || !note_places(&all->b, error))
        return false;
    all->a.lone_gpu = lone_gpu(&all->a, &all->b);
    all->b.lone_gpu = lone_gpu(&all->b, &all->a);
    compare_cases(all);
    note_new_cases(all);
    all->into->other_boards = are_other_boards(&all->a, &all->b);
    if (all->common == 0)
        return kg__fail(error, "the two results have no case in common: compare runs of the same "
                               "comparisons on the same kind of target");
    if (all->filtered == 0)
        return kg__fail(error,
                        "the filter leaves none of %zu cases that both results have: give "
                        "another, or none",
                        all->common);
    return true;
}

bool kg__results_compare(const json_t *a, const json_t *b, const char *filter, bool across,
                         kg__results_comparison *comparison, kg__error *error)
{
    comparing all = { .a = { .document = a, .name = "A" },
                      .b = { .document = b, .name = "B" },
                      .filter = filter,
                      .across = across,
                      .into = comparison };
    bool compared;

    *comparison = (kg__results_comparison){ 0 };
    compared = compare(&all, error);
    json_decref(all.a.places);
    json_decref(all.b.places);
    return compared;
}

void kg__results_comparison_free(kg__results_comparison *comparison)
{
    free(comparison->metrics);
    free(comparison->one_sided);
    free(comparison->sums);
    *comparison = (kg__results_comparison){ 0 };
}
