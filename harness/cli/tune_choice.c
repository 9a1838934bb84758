#include "cli/tune_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "records/records.h"
#include "suite/settings.h"

#define CONFIDENCE 0.95

const char *kg__tuning_fate_name(kg__tuning_fate fate)
{
    static const char *const names[KG__TUNING_FATES] = {
        [KG__TUNING_UNTRIED] = "untried", [KG__TUNING_MEASURED] = "measured",
        [KG__TUNING_REFUSED] = "refused", [KG__TUNING_WRONG] = "wrong",
        [KG__TUNING_FAILED] = "failed",   [KG__TUNING_PASSED_OVER] = "passed-over",
    };

    return names[fate];
}

void kg__tuning_begin(kg__tuning *tuning, const char *metric)
{
    *tuning = (kg__tuning){ .metric = metric };
}

void kg__tuning_free(kg__tuning *tuning)
{
    for (size_t i = 0; i < tuning->count; i++) {
        free(tuning->list[i].id);
        free(tuning->list[i].why);
        free(tuning->list[i].rounds);
        free(tuning->list[i].no_final);
        json_decref(tuning->list[i].record);
    }
    free(tuning->list);
    *tuning = (kg__tuning){ 0 };
}

bool kg__tuning_is_timed(const kg__tuning *tuning)
{
    return strcmp(tuning->metric, KG__TUNING_TIME) == 0;
}

static kg__tuning_candidate *find_candidate(const kg__tuning *tuning, const char *id)
{
    for (size_t i = 0; i < tuning->count; i++) {
        if (strcmp(tuning->list[i].id, id) == 0)
            return &tuning->list[i];
    }
    return NULL;
}

static void set_fate(kg__tuning_candidate *candidate, kg__tuning_fate fate, const char *why)
{
    free(candidate->why);
    candidate->why = kg__copy_text(why);
    candidate->fate = fate;
}

bool kg__tuning_add(kg__tuning *tuning, const char *id, const char *refusal, kg__error *error)
{
    static const kg__interval unknown = { NAN, NAN, NAN };
    kg__case_id name;
    kg__tuning_candidate *candidate;

    if (!kg__case_id_parse(id, &name))
        return kg__fail(error, "\"%s\": is not a case id: one is comparison/variant/size/launch",
                        id);
    if (find_candidate(tuning, id) != NULL)
        return kg__fail(error, "%s: appears twice among the candidates: build the program again",
                        id);
    tuning->list = kg__grow(tuning->list, tuning->count, &tuning->capacity, sizeof *tuning->list);
    candidate = &tuning->list[tuning->count++];
    *candidate = (kg__tuning_candidate){ .id = kg__copy_text(id),
                                         .name = name,
                                         .figure = unknown,
                                         .occupancy = NAN,
                                         .operations = NAN,
                                         .bytes = NAN,
                                         .last = unknown };
    if (refusal != NULL)
        set_fate(candidate, KG__TUNING_REFUSED, refusal);
    return true;
}

static size_t read_count(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));

    return value > 0 ? (size_t)value : 0;
}

/* The interval of {"value", "low", "high"}; infinite without bounds. */
static kg__interval read_interval(const json_t *figures)
{
    kg__interval interval = { .value = kg__json_number(figures, "value"),
                              .low = kg__json_number(figures, "low"),
                              .high = kg__json_number(figures, "high") };

    if (!(interval.low <= interval.value && interval.value <= interval.high)) {
        interval.low = -INFINITY;
        interval.high = INFINITY;
    }
    return interval;
}

/* Takes a finalist's samples, one per round; none if one of them is invalid. */
static void take_rounds(kg__tuning_candidate *candidate, const json_t *final)
{
    const json_t *samples = json_object_get(final, "samples_ns");
    size_t count = json_array_size(samples);
    kg__interval last = read_interval(final);

    if (count == 0 || !(last.value > 0))
        return;
    candidate->rounds = kg__allocate(count, sizeof *candidate->rounds);
    for (size_t i = 0; i < count; i++) {
        candidate->rounds[i] = json_number_value(json_array_get(samples, i));
        if (candidate->rounds[i] > 0)
            continue;
        free(candidate->rounds);
        candidate->rounds = NULL;
        return;
    }
    candidate->round_count = count;
    candidate->last = last;
}

static void take_time(kg__tuning_candidate *candidate, const json_t *record, const json_t *figures)
{
    candidate->figure = read_interval(figures);
    candidate->samples = read_count(figures, "samples");
    candidate->dropped = read_count(record, "dropped_in_round");
    candidate->occupancy = kg__json_number(json_object_get(record, "kernel"), "occupancy");
    take_rounds(candidate, json_object_get(record, "final"));
    if (*kg__json_text(record, "no_final") != '\0')
        candidate->no_final = kg__copy_text(kg__json_text(record, "no_final"));
}

static void take_counter(kg__tuning_candidate *candidate, const json_t *figures)
{
    double value = kg__json_number(figures, "value");

    candidate->figure = (kg__interval){ value, value, value };
    candidate->samples = 1;
}

static void take_measured(const kg__tuning *tuning, kg__tuning_candidate *candidate,
                          const json_t *record)
{
    const json_t *figures = json_object_get(json_object_get(record, "metrics"), tuning->metric);
    const json_t *work = json_object_get(record, "work");
    bool timed = kg__tuning_is_timed(tuning);
    double value = kg__json_number(figures, "value");
    char why[KG__MESSAGE_SIZE];

    if (!(timed ? value > 0 : value >= 0)) {
        const char *absent = kg__json_text(json_object_get(record, "absent"), tuning->metric);

        kg__format(why, sizeof why, "its record has no %s%s%s", tuning->metric,
                   *absent != '\0' ? ": " : "", absent);
        set_fate(candidate, KG__TUNING_FAILED, why);
        return;
    }
    if (timed)
        take_time(candidate, record, figures);
    else
        take_counter(candidate, figures);
    candidate->operations = kg__json_number(work, "operations");
    candidate->bytes = kg__json_number(work, "bytes");
    candidate->fate = KG__TUNING_MEASURED;
}

const kg__tuning_candidate *kg__tuning_take(kg__tuning *tuning, const json_t *record)
{
    const char *event = kg__json_text(record, "event");
    const char *why = kg__json_text(record, "why");
    kg__tuning_candidate *candidate = find_candidate(tuning, kg__json_text(record, "case"));

    if (candidate == NULL || candidate->fate != KG__TUNING_UNTRIED)
        return NULL;
    if (strcmp(event, "measured") == 0)
        take_measured(tuning, candidate, record);
    else if (strcmp(event, "refused") == 0)
        set_fate(candidate, KG__TUNING_REFUSED, why);
    else if (strcmp(event, "passed_over") == 0)
        set_fate(candidate, KG__TUNING_PASSED_OVER, why);
    else if (strcmp(event, "failed") == 0)
        set_fate(candidate, KG__TUNING_FAILED, why);
    else if (strcmp(event, "checked") == 0 && !json_is_true(json_object_get(record, "right")))
        set_fate(candidate, KG__TUNING_WRONG, why);
    else
        return NULL;
    candidate->record = json_incref((json_t *)record);
    return candidate;
}

size_t kg__tuning_close(kg__tuning *tuning, const char *why)
{
    size_t count = 0;

    for (size_t i = 0; i < tuning->count; i++) {
        if (tuning->list[i].fate != KG__TUNING_UNTRIED)
            continue;
        set_fate(&tuning->list[i], KG__TUNING_FAILED, why);
        count++;
    }
    return count;
}

kg__tuning_problem *kg__tuning_problems(const kg__tuning *tuning, size_t *count)
{
    kg__tuning_problem *problems = kg__allocate(tuning->count + 1, sizeof *problems);

    *count = 0;
    for (size_t i = 0; i < tuning->count; i++) {
        const kg__case_id *name = &tuning->list[i].name;
        size_t at = 0;

        while (at < *count && (strcmp(problems[at].comparison, name->comparison) != 0 ||
                               strcmp(problems[at].size, name->size) != 0))
            at++;
        if (at == *count)
            problems[(*count)++] = (kg__tuning_problem){ name->comparison, name->size };
    }
    return problems;
}

kg__tuning_set *kg__tuning_variants(const kg__tuning *tuning, const char *comparison, size_t *count)
{
    kg__tuning_set *sets = kg__allocate(tuning->count + 1, sizeof *sets);

    *count = 0;
    for (size_t i = 0; i < tuning->count; i++) {
        const kg__case_id *name = &tuning->list[i].name;
        size_t at = 0;

        if (comparison != NULL && strcmp(comparison, name->comparison) != 0)
            continue;
        while (at < *count && strcmp(sets[at].name, name->variant) != 0)
            at++;
        if (at == *count)
            sets[(*count)++] = (kg__tuning_set){ name->variant, name->variant };
    }
    return sets;
}

/* Whether a candidate belongs to a problem and a set. */
static bool is_in_set(const kg__tuning_problem *problem, const kg__tuning_set *set,
                      const kg__tuning_candidate *candidate)
{
    return strcmp(problem->comparison, candidate->name.comparison) == 0 &&
           strcmp(problem->size, candidate->name.size) == 0 &&
           kg__globs_take(set->globs, candidate->name.variant);
}

kg__interval kg__tuning_figure(const kg__tuning_candidate *candidate)
{
    return candidate->rounds != NULL ? candidate->last : candidate->figure;
}

/* Work per nanosecond: bytes become GB/s, operations GFLOP/s. */
static double compute_rate(double work, const kg__tuning_candidate *candidate)
{
    return work > 0 ? work / kg__tuning_figure(candidate).value : NAN;
}

double kg__tuning_gigabytes(const kg__tuning_candidate *candidate)
{
    return compute_rate(candidate->bytes, candidate);
}

double kg__tuning_gigaflops(const kg__tuning_candidate *candidate)
{
    return compute_rate(candidate->operations, candidate);
}

/* The precision class of a candidate: less is better. */
static int rank_candidate(const kg__tuning_candidate *candidate)
{
    if (candidate->rounds != NULL)
        return 0;
    return candidate->dropped == 0 ? 1 : 2;
}

/* Whether `candidate` has a better class, or the same class and the smaller figure. */
static bool is_ahead(const kg__tuning_candidate *candidate, const kg__tuning_candidate *other)
{
    if (rank_candidate(candidate) != rank_candidate(other))
        return rank_candidate(candidate) < rank_candidate(other);
    return kg__tuning_figure(candidate).value < kg__tuning_figure(other).value;
}

/* Whether a candidate has an aim's figure. */
static bool has_figure(const kg__tuning_candidate *candidate, kg__tuning_aim aim)
{
    if (aim == KG__TUNING_BY_BANDWIDTH)
        return !isnan(kg__tuning_gigabytes(candidate));
    return aim != KG__TUNING_BY_OCCUPANCY || !isnan(candidate->occupancy);
}

static bool is_better(const kg__tuning_candidate *candidate, const kg__tuning_candidate *other,
                      kg__tuning_aim aim)
{
    if (aim == KG__TUNING_BY_OCCUPANCY && candidate->occupancy != other->occupancy)
        return candidate->occupancy > other->occupancy;
    if (aim == KG__TUNING_BY_BANDWIDTH && rank_candidate(candidate) == rank_candidate(other))
        return kg__tuning_gigabytes(candidate) > kg__tuning_gigabytes(other);
    return is_ahead(candidate, other);
}

const kg__tuning_candidate *kg__tuning_best(const kg__tuning *tuning,
                                            const kg__tuning_problem *problem,
                                            const kg__tuning_set *set, kg__tuning_aim aim)
{
    const kg__tuning_candidate *best = NULL;

    for (size_t i = 0; i < tuning->count; i++) {
        const kg__tuning_candidate *candidate = &tuning->list[i];

        if (candidate->fate == KG__TUNING_MEASURED && has_figure(candidate, aim) &&
            is_in_set(problem, set, candidate) && (best == NULL || is_better(candidate, best, aim)))
            best = candidate;
    }
    return best;
}

size_t kg__tuning_ties(const kg__tuning *tuning, const kg__tuning_problem *problem,
                       const kg__tuning_set *set, const kg__tuning_candidate *best)
{
    size_t count = 0;

    for (size_t i = 0; i < tuning->count; i++) {
        const kg__tuning_candidate *candidate = &tuning->list[i];

        count += candidate->fate == KG__TUNING_MEASURED && is_in_set(problem, set, candidate) &&
                 kg__tuning_figure(candidate).value == kg__tuning_figure(best).value;
    }
    return count;
}

kg__tuning_tally kg__tuning_count(const kg__tuning *tuning, const kg__tuning_problem *problem,
                                  const kg__tuning_set *set)
{
    kg__tuning_tally tally = { 0 };

    for (size_t i = 0; i < tuning->count; i++) {
        const kg__tuning_candidate *candidate = &tuning->list[i];

        if (!is_in_set(problem, set, candidate))
            continue;
        tally.candidates++;
        tally.fates[candidate->fate]++;
        tally.dropped += candidate->dropped > 0;
        tally.samples += candidate->samples + candidate->round_count;
    }
    return tally;
}

static kg__tuning_ratio make_unknown_ratio(const char *why)
{
    static const kg__interval unknown = { NAN, NAN, NAN };

    return (kg__tuning_ratio){ .why = why, .times = unknown, .bandwidths = unknown };
}

static kg__tuning_ratio compare_counts(const kg__tuning_candidate *candidate,
                                       const kg__tuning_candidate *other)
{
    kg__tuning_ratio ratio = make_unknown_ratio(NULL);
    double above = candidate->figure.value;
    double below = other->figure.value;
    double value = above == below ? 1 : above / below;

    if (!isfinite(value))
        return make_unknown_ratio("the other count is 0");
    ratio.known = true;
    ratio.times = (kg__interval){ value, value, value };
    ratio.differs = above != below;
    return ratio;
}

/* The median of `factor` times numerator over denominator by round, and its interval. */
static kg__interval compare_rounds(const double *numerator, const double *denominator, size_t count,
                                   double factor)
{
    double *ratios = kg__allocate(count, sizeof *ratios);
    kg__interval interval;

    for (size_t i = 0; i < count; i++)
        ratios[i] = factor * numerator[i] / denominator[i];
    interval = kg__median_interval(ratios, count, CONFIDENCE);
    free(ratios);
    return interval;
}

kg__tuning_ratio kg__tuning_compare(const kg__tuning *tuning, const kg__tuning_candidate *candidate,
                                    const kg__tuning_candidate *other)
{
    kg__tuning_ratio ratio = make_unknown_ratio(NULL);

    if (!kg__tuning_is_timed(tuning))
        return compare_counts(candidate, other);
    if (candidate->rounds == NULL || other->rounds == NULL) {
        const kg__tuning_candidate *absent = candidate->rounds == NULL ? candidate : other;

        return make_unknown_ratio(absent->no_final != NULL ? absent->no_final
                                                           : "not both were timed in the final");
    }
    if (candidate->round_count != other->round_count)
        return make_unknown_ratio("they were timed in finals of different processes");
    if (candidate->round_count < KG__TUNING_FEWEST_ROUNDS)
        return make_unknown_ratio("the final had too few rounds for an interval");
    ratio.known = true;
    ratio.rounds = candidate->round_count;
    ratio.times = compare_rounds(candidate->rounds, other->rounds, ratio.rounds, 1);
    if (candidate->bytes > 0 && other->bytes > 0)
        ratio.bandwidths = compare_rounds(other->rounds, candidate->rounds, ratio.rounds,
                                          candidate->bytes / other->bytes);
    ratio.differs = ratio.times.low > 1 || ratio.times.high < 1;
    return ratio;
}
