/* Claims: assertions across cases, on what this run's parts recorded. */
#include <kernelgate/kernelgate.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/color.h"
#include "base/json.h"
#include "base/text.h"
#include "results/results.h"
#include "results/results_read.h"
#include "results/time_result.h"
#include "suite/counters.h"
#include "suite/settings.h"
#include "suite/table.h"

/* The verdicts that a part of this run left, or NULL. */
static json_t *load_part(const char *part)
{
    char test[128];
    char path[KG__PATH_SIZE];

    kg__test_name(KG__TARGET_KIND, kg__comparison->name, part, test, sizeof test);
    kg__verdicts_path(kg__comparison->home, test, path, sizeof path);
    return kg__verdicts_load_json(path, NULL);
}

/* The part whose records claims are about. */
#ifdef KG__TARGET_GPU
#define MEASURING_PART "time"
#else
#define MEASURING_PART "count"
#endif

/* Whether that part has a metric of this name at all. */
static bool is_metric(const char *metric)
{
#ifdef KG__TARGET_GPU
    return strcmp(metric, "time_ns") == 0 || strcmp(metric, "cold_time_ns") == 0;
#else
    for (int i = 0; i < KG__RATIOS; i++) {
        if (strcmp(kg__ratios[i].name, metric) == 0)
            return true;
    }
    return kg__counter_parse(metric, NULL);
#endif
}

/* A case that a claim speaks of. */
typedef struct subject {
    char id[KG__CASE_ID_SIZE];
    bool in_table;
    kg__error broken; /* what is wrong with the table, else empty */
    double value;     /* NAN: this run has none that counts */
} subject;

static subject look_up(const json_t *measured, const json_t *checks, const char *name,
                       const char *metric)
{
    subject one = { .value = NAN };
    const json_t *entry;
    kg__case_list cases;

    kg__format(one.id, sizeof one.id, "%s/%s", kg__comparison->name, name);
    one.in_table = kg__table_expand(kg__comparison, MEASURING_PART, &cases, &one.broken) &&
                   kg__table_find(&cases, one.id) != NULL;
    kg__case_list_free(&cases);
    entry = kg__find_entry(measured, one.id);
    if (entry != NULL && kg__results_verdict(entry) < KG__WRONG &&
        !kg__is_disproved_json(checks, one.id))
        one.value =
            kg__json_number(json_object_get(json_object_get(entry, "metrics"), metric), "value");
    return one;
}

/* What became of a claim. */
typedef enum outcome { HOLDS, FAILS, FILTERED_OUT, UNDECIDED, MISTAKEN } outcome;

/* Leaves a claim's verdicts file, and prints its line. What the same test expected before and found
 * stays in the file. */
static void write_claim(const json_t *measured, const char *claim, outcome what, const char *why)
{
    static const char *const words[] = { "holds", "fails", "skipped", "skipped", "error" };
    static json_t *told;
    char test[128];
    char path[KG__PATH_SIZE];
    json_t *document;
    kg__error error;

    if (told == NULL)
        told = json_array();
    kg__test_name(KG__TARGET_KIND, kg__comparison->name, claim, test, sizeof test);
    kg__verdicts_path(kg__comparison->home, test, path, sizeof path);
    document = kg__verdicts_make_json(test);
    json_object_set(document, "claims", told);
    if (json_object_get(measured, "target") != NULL)
        json_object_set(document, "target", json_object_get(measured, "target"));
    if (what == MISTAKEN) {
        json_array_append_new(json_object_get(document, "errors"), json_string(why));
    } else if (what == FILTERED_OUT || what == UNDECIDED) {
        json_object_set_new(document, "skipped", json_string(why));
        json_object_set_new(document, "skipped_by",
                            json_string(what == FILTERED_OUT ? "filter" : "unavailable"));
    } else {
        json_array_append_new(told, json_pack("{s:s, s:b, s:s}", "claim", test, "holds",
                                              (int)(what == HOLDS), "why", why));
    }
    if (!kg__results_write_json(path, document, 1, &error))
        kg__complain("%s", error.text);
    json_decref(document);
    if (what != HOLDS || kg__is_verbose())
        kg__print_verdict(stdout, words[what], "%-11s  %-32s  %s\n", "claim", test, why);
    fflush(stdout);
}

/* A claim being settled: the cases that it is about, one or two, and what was found of them. */
typedef struct claim {
    json_t *measured;
    json_t *checks;
    const char *metric;
    subject subjects[2];
    int count;
    const char *mistake; /* what makes the claim one that says nothing, or NULL */
} claim;

static claim begin(const char *metric, const char *first, const char *second, const char *mistake)
{
    claim one = { .measured = load_part(MEASURING_PART),
                  .checks = load_part("check"),
                  .metric = metric,
                  .count = second != NULL ? 2 : 1,
                  .mistake = mistake };

    one.subjects[0] = look_up(one.measured, one.checks, first, metric);
    if (second != NULL)
        one.subjects[1] = look_up(one.measured, one.checks, second, metric);
    return one;
}

/* What keeps a claim from being decided, with `why`; HOLDS where nothing does. */
static outcome obstacle(const claim *one, char *why, size_t size)
{
    if (one->subjects[0].broken.text[0] != '\0') {
        kg__format(why, size, "%s", one->subjects[0].broken.text);
        return MISTAKEN;
    }
    if (one->mistake != NULL) {
        kg__format(why, size, "%s: fix the claim", one->mistake);
        return MISTAKEN;
    }
    if (!is_metric(one->metric)) {
        kg__format(why, size, "%s: no metric of part %s: fix the claim", one->metric,
                   MEASURING_PART);
        return MISTAKEN;
    }
    for (int i = 0; i < one->count; i++) {
        if (!one->subjects[i].in_table) {
            kg__format(why, size, "%s: no such case among those of part %s: fix the claim",
                       one->subjects[i].id, MEASURING_PART);
            return MISTAKEN;
        }
    }
    for (int i = 0; i < one->count; i++) {
        if (!kg__filter_takes(one->subjects[i].id)) {
            kg__format(why, size, "not selected by --filter: %s", one->subjects[i].id);
            return FILTERED_OUT;
        }
    }
    for (int i = 0; i < one->count; i++) {
        if (isnan(one->subjects[i].value)) {
            kg__format(why, size, "%s must be right and have its %s in this run (part %s)",
                       one->subjects[i].id, one->metric, MEASURING_PART);
            return UNDECIDED;
        }
    }
    return HOLDS;
}

/* Whether the test has expected anything. */
static bool has_expected;

/* Records a claim, and ends the test by its outcome. */
static void settle(const claim *one, outcome what, const char *why)
{
    has_expected = true;
    write_claim(one->measured, criterion_current_test->name, what, why);
    json_decref(one->measured);
    json_decref(one->checks);
    if (what == FILTERED_OUT || what == UNDECIDED)
        cr_skip_test("%s", why);
    else
        cr_assert(what == HOLDS, "%s", why);
}

/* A factor that every pair of cases exceeds, or none, makes no claim. */
static const char *mistake_of_factor(double factor)
{
    return factor > 0 && isfinite(factor) ? NULL : "a factor that is not a number above 0";
}

/* A case's name as the claim has it. */
static const char *short_name(const subject *one)
{
    return one->id + strlen(kg__comparison->name) + 1;
}

void kg_expect_speedup(const char *fast, const char *slow, double factor)
{
    claim one = begin("time_ns", fast, slow, mistake_of_factor(factor));
    char why[KG__MESSAGE_SIZE];
    outcome what = obstacle(&one, why, sizeof why);

    if (what == HOLDS) {
        double speedup = one.subjects[1].value / one.subjects[0].value;

        what = speedup >= factor ? HOLDS : FAILS;
        kg__format(why, sizeof why, "%s runs at %.2f times the speed of %s, at least %.2f expected",
                   short_name(&one.subjects[0]), speedup, short_name(&one.subjects[1]), factor);
    }
    settle(&one, what, why);
}

void kg_expect_less(const char *metric, const char *less, const char *more, double factor)
{
    claim one = begin(metric, less, more, mistake_of_factor(factor));
    char why[KG__MESSAGE_SIZE];
    outcome what = obstacle(&one, why, sizeof why);

    if (what == HOLDS) {
        double low = one.subjects[0].value;
        double high = one.subjects[1].value;
        char figures[2][KG__FIGURE_SIZE];
        char times[KG__FIGURE_SIZE] = "";

        kg__show_figure(figures[0], sizeof figures[0], low, kg__metric_unit(metric));
        kg__show_figure(figures[1], sizeof figures[1], high, kg__metric_unit(metric));
        /* Two zeros are alike, and neither is less than the other. */
        what = high >= factor * low && (high > 0 || factor <= 1) ? HOLDS : FAILS;
        if (low > 0)
            kg__format(times, sizeof times, ": %.2f times as much", high / low);
        kg__format(why, sizeof why,
                   "%s: %s has %s, %s has %s%s, at least %.2f times as much expected", metric,
                   short_name(&one.subjects[0]), figures[0], short_name(&one.subjects[1]),
                   figures[1], times, factor);
    }
    settle(&one, what, why);
}

/* Shows a figure of a claim. Whole ones are shown in full, since the last digit of a count decides;
 * six digits are plenty for a ratio, and more than a reader is shown elsewhere, for an end of a
 * range may be close. */
static void show_exactly(char *text, size_t size, double value)
{
    if (value == floor(value))
        kg__show_figure(text, size, value, "");
    else
        kg__format(text, size, "%.6g", value);
}

void kg_expect_within(const char *metric, const char *name, double least, double most)
{
    claim one =
        begin(metric, name, NULL, least <= most ? NULL : "a range whose least is above its most");
    char why[KG__MESSAGE_SIZE];
    outcome what = obstacle(&one, why, sizeof why);

    if (what == HOLDS) {
        double value = one.subjects[0].value;
        char figures[3][KG__FIGURE_SIZE];

        what = value >= least && value <= most ? HOLDS : FAILS;
        show_exactly(figures[0], sizeof figures[0], value);
        show_exactly(figures[1], sizeof figures[1], least);
        show_exactly(figures[2], sizeof figures[2], most);
        kg__format(why, sizeof why, "%s of %s is %s, %s%s%s expected", metric,
                   short_name(&one.subjects[0]), figures[0], figures[1], least < most ? " to " : "",
                   least < most ? figures[2] : "");
    }
    settle(&one, what, why);
}

void kg__end_claim(void)
{
    static const char why[] = "the claim expects nothing: give it a kg_expect_...(), or remove it";

    if (has_expected)
        return;
    write_claim(NULL, criterion_current_test->name, MISTAKEN, why);
    cr_assert_fail("%s", why);
}
