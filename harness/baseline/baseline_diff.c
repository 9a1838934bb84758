#include "baseline/baseline_diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "baseline/baseline_rules.h"
#include "judge/judge.h"
#include "records/records.h"
#include "suite/counters.h"

/* A difference while it is made. */
typedef struct diff_builder {
    kg__baseline_diff diff;
    size_t capacity;
    bool counters;         /* one that a case lacks is 0 */
    const char *models[2]; /* that counted the earlier ones, and the later; "" where unknown */
} diff_builder;

static void add(diff_builder *builder, kg__baseline_difference difference)
{
    builder->diff.items = kg__grow(builder->diff.items, builder->diff.count, &builder->capacity,
                                   sizeof *builder->diff.items);
    builder->diff.items[builder->diff.count++] = difference;
}

/* Whether a move would trip the judge: by more than a fraction and a floor, either way. */
static bool moved_beyond(double first, double last, double fraction, double floor)
{
    kg__interval now = { last, last, last };
    kg__expectation then = { .value = first, .band = fraction, .floor = floor, .gated = true };

    return kg__judge(&now, &then, NULL, "").tripped;
}

static double value_or_zero(const kg__baseline_metric *metric)
{
    return metric != NULL ? metric->value : 0.0;
}

/* Whether two metrics that are judged have the same limit in force, as far as it is shown. */
static bool have_same_limit(const kg__baseline_metric *first, const kg__baseline_metric *last)
{
    return fabs(kg__baseline_judgement(first).limit - kg__baseline_judgement(last).limit) <=
           KG__BAND_STEP;
}

/* Whether a metric that both have is held as it was. */
static bool is_held_the_same(const kg__baseline_metric *first, const kg__baseline_metric *last)
{
    return first == NULL || last == NULL ||
           (first->gated == last->gated && first->band == last->band &&
            first->floor == last->floor && (!last->gated || have_same_limit(first, last)));
}

/* Whether two values of a metric, one of which may be lacking, can be held against each other. */
static bool is_comparable(const diff_builder *builder, const kg__baseline_metric *first,
                          const kg__baseline_metric *last)
{
    kg__counter counter;

    if (!builder->counters)
        return first != NULL && last != NULL;
    return !kg__counter_parse(last != NULL ? last->name : first->name, &counter) ||
           (kg__counter_is_of(counter, builder->models[0]) &&
            kg__counter_is_of(counter, builder->models[1]));
}

/* Adds what became of a metric that one of two cases may lack. */
static void compare_metric(diff_builder *builder, const char *id, const kg__baseline_metric *first,
                           const kg__baseline_metric *last, bool *slower, bool *faster)
{
    const kg__baseline_metric *now = last != NULL ? last : first;
    kg__baseline_difference difference = { .id = id,
                                           .metric = now->name,
                                           .first = first,
                                           .last = last,
                                           .change = NAN,
                                           .gated = now->gated };

    double before = value_or_zero(first);
    double after = value_or_zero(last);

    if (before == after && is_held_the_same(first, last))
        return;
    if (!is_comparable(builder, first, last)) {
        difference.kind = last != NULL ? KG__DIFFERENCE_NEW : KG__DIFFERENCE_RETIRED;
        add(builder, difference);
        return;
    }
    difference.change = before == after ? 0.0 : before > 0.0 ? after / before - 1.0 : INFINITY;
    difference.beyond = moved_beyond(before, after, now->band, now->floor);
    *slower |= difference.gated && difference.beyond && after > before;
    *faster |= difference.gated && difference.beyond && after < before;
    difference.loosened =
        !is_held_the_same(first, last) && first->gated && last->gated &&
        kg__baseline_judgement(last).smallest > kg__baseline_judgement(first).smallest;
    builder->diff.loosened += difference.loosened;
    builder->diff.ungated += first != NULL && last != NULL && first->gated && !last->gated;
    add(builder, difference);
}

static void compare_case(diff_builder *builder, const kg__baseline_case *first,
                         const kg__baseline_case *last)
{
    bool slower = false;
    bool faster = false;

    for (size_t i = 0; i < last->metric_count; i++) {
        const kg__baseline_metric *metric = &last->metrics[i];

        compare_metric(builder, last->id, kg__baseline_metric_of(first, metric->name), metric,
                       &slower, &faster);
    }
    for (size_t i = 0; i < first->metric_count; i++) {
        if (kg__baseline_metric_of(last, first->metrics[i].name) == NULL)
            compare_metric(builder, last->id, &first->metrics[i], NULL, &slower, &faster);
    }
    builder->diff.cases++;
    builder->diff.slower += slower;
    builder->diff.faster += faster && !slower;
}

/* A case that was added or retired counts once, not by its metrics. */
static void add_case(diff_builder *builder, const char *id, kg__baseline_difference_kind kind)
{
    add(builder, (kg__baseline_difference){
                     .kind = kind, .id = id, .metric = "", .change = NAN, .whole = true });
    if (kind == KG__DIFFERENCE_NEW)
        builder->diff.added++;
    else
        builder->diff.retired++;
}

/* Adds the cases that one baseline lists as checked and of which another knows nothing. */
static void add_checked(diff_builder *builder, const kg__baseline *listed,
                        const kg__baseline *other, kg__baseline_difference_kind kind)
{
    for (size_t i = 0; i < listed->checked_count; i++) {
        const char *id = listed->checked[i];

        if (kg__baseline_find(other, id) == NULL && !kg__baseline_lists(other, id))
            add_case(builder, id, kind);
    }
}

/* Moves before what is new before what is retired; moves by their size, the worst first; the rest
 * as the files have it. */
static int compare_differences(const void *left, const void *right)
{
    const kg__baseline_difference *a = left;
    const kg__baseline_difference *b = right;
    int order = (a->kind > b->kind) - (a->kind < b->kind);

    if (order == 0 && a->kind == KG__DIFFERENCE_MOVED)
        order = (a->change < b->change) - (a->change > b->change);
    if (order == 0)
        order = strcmp(a->id, b->id);
    return order != 0 ? order : strcmp(a->metric, b->metric);
}

kg__baseline_diff kg__baseline_diff_make(const kg__baseline *first, const kg__baseline *last)
{
    diff_builder builder = { .counters = kg__is_model(&last->target),
                             .models = { kg__json_text(first->provenance, "model"),
                                         kg__json_text(last->provenance, "model") } };

    for (size_t i = 0; i < last->case_count; i++) {
        const kg__baseline_case *entry = &last->cases[i];
        const kg__baseline_case *old = kg__baseline_find(first, entry->id);

        if (old != NULL)
            compare_case(&builder, old, entry);
        else
            add_case(&builder, entry->id, KG__DIFFERENCE_NEW);
    }
    for (size_t i = 0; i < first->case_count; i++) {
        if (kg__baseline_find(last, first->cases[i].id) == NULL)
            add_case(&builder, first->cases[i].id, KG__DIFFERENCE_RETIRED);
    }
    add_checked(&builder, last, first, KG__DIFFERENCE_NEW);
    add_checked(&builder, first, last, KG__DIFFERENCE_RETIRED);
    if (builder.diff.count > 0)
        qsort(builder.diff.items, builder.diff.count, sizeof *builder.diff.items,
              compare_differences);
    return builder.diff;
}

bool kg__baseline_difference_exceeds(const kg__baseline_difference *difference, double limit)
{
    double before = value_or_zero(difference->first);
    double after = value_or_zero(difference->last);
    double floor = difference->last != NULL ? difference->last->floor : 0.0;

    return difference->kind == KG__DIFFERENCE_MOVED && difference->gated && after > before &&
           limit >= 0.0 && moved_beyond(before, after, limit, floor);
}

void kg__baseline_diff_free(kg__baseline_diff *diff)
{
    free(diff->items);
    *diff = (kg__baseline_diff){ 0 };
}
