/* SPDX-License-Identifier: MIT */
/* Claims: assertions across cases, on what this run's parts recorded. */
#include <kernelgate/kernelgate.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "gate/part.h"
#include "gate/verdict_line.h"
#include "judge/claim.h"
#include "results/verdicts.h"
#include "suite/counters.h"
#include "suite/settings.h"
#include "suite/table.h"

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

/* What became of a claim; REPORTED is one that does not hold and never has on this target. */
typedef enum claim_outcome {
    HOLDS,
    FAILS,
    REPORTED,
    FILTERED_OUT,
    UNCHANGED,
    UNDECIDED,
    MISTAKEN
} claim_outcome;

/* A case that a claim is about. */
typedef struct claim_case {
    char id[KG__CASE_ID_SIZE];
    bool in_table;
    kg__error broken; /* what is wrong with the table, else empty */
    bool unchanged;   /* and was not timed */
    double value;     /* NAN: this run has none that counts */
    double stored;    /* the baseline's; NAN: it has none; so is the next */
    double limit;     /* the fraction that it may move by */
} claim_case;

/* A claim being decided: the cases that it is about, one or two, and what was found of them. */
typedef struct claim_check {
    kg__pool pool;
    const kg__verdicts *measured;
    const kg__verdicts *checks;
    const char *metric;
    claim_case cases[2];
    int count;
    claim_outcome outcome;
    kg__error why;
} claim_check;

static claim_case find_case(const claim_check *claim, const char *name)
{
    claim_case found = { .value = NAN, .stored = NAN, .limit = NAN };
    const kg__case_result *result;
    const kg__metric_result *metric;
    kg__case_list cases;

    kg__format(found.id, sizeof found.id, "%s/%s", kg__comparison->name, name);
    found.in_table = kg__table_expand(kg__comparison, MEASURING_PART, &cases, &found.broken) &&
                     kg__table_find(&cases, found.id) != NULL;
    kg__case_list_free(&cases);
    result = kg__verdicts_find(claim->measured, found.id);
    metric = kg__case_result_metric(result, claim->metric);
    if (metric != NULL && result->verdict < KG__WRONG &&
        !kg__case_failed_check(claim->checks, found.id))
        found.value = metric->figures.value;
    found.unchanged = metric == NULL && result != NULL && result->verdict == KG__UNCHANGED;
    if (metric != NULL) {
        found.stored = metric->baseline;
        found.limit = metric->limit;
    }
    return found;
}

/* Leaves a claim's verdicts file, and prints its line. What the same test expected before and found
 * stays in the file. */
static void write_claim(const kg__verdicts *measured, const char *claim, claim_outcome outcome,
                        const char *why)
{
    static const char *const words[] = { "holds",   "fails",   "reported", "skipped",
                                         "skipped", "skipped", "error" };
    static kg__pool pool;
    static kg__verdicts *verdicts;
    char test[128];
    char path[KG__PATH_SIZE];
    kg__error error;

    kg__test_name(KG__TARGET_KIND, kg__comparison->name, claim, test, sizeof test);
    kg__verdicts_path(kg__comparison->home, test, path, sizeof path);
    if (verdicts == NULL)
        verdicts = kg__verdicts_make(&pool, test);
    if (measured != NULL)
        verdicts->target = measured->target;
    if (outcome == MISTAKEN) {
        kg__pool_add_text(&pool, &verdicts->errors, why);
    } else if (outcome >= FILTERED_OUT) {
        verdicts->skipped = kg__pool_text(&pool, why);
        verdicts->skipped_by = outcome == FILTERED_OUT ? KG__SKIP_FILTER
                               : outcome == UNCHANGED  ? KG__SKIP_UNCHANGED
                                                       : KG__SKIP_UNAVAILABLE;
    } else {
        kg__verdicts_add_claim(verdicts, &(kg__claim){ .claim = test,
                                                       .holds = outcome == HOLDS,
                                                       .why = why,
                                                       .reported_only = outcome == REPORTED });
    }
    if (!kg__verdicts_save(verdicts, path, &error))
        kg__complain("%s", error.text);
    if (outcome != HOLDS || kg__is_verbose())
        kg__print_verdict(words[outcome], "claim", test, why);
}

/* Whether a claim can be decided; otherwise its outcome is known. `mistake` is what makes the claim
 * one that says nothing, or NULL. */
static bool is_decidable(claim_check *claim, const char *mistake)
{
    claim->outcome = MISTAKEN;
    if (claim->cases[0].broken.text[0] != '\0')
        return kg__fail(&claim->why, "%s", claim->cases[0].broken.text);
    if (mistake != NULL)
        return kg__fail(&claim->why, "%s: fix the claim", mistake);
    if (!is_metric(claim->metric))
        return kg__fail(&claim->why, "%s: no metric of part %s: fix the claim", claim->metric,
                        MEASURING_PART);
    for (int i = 0; i < claim->count; i++) {
        if (!claim->cases[i].in_table)
            return kg__fail(&claim->why, "%s: no such case among those of part %s: fix the claim",
                            claim->cases[i].id, MEASURING_PART);
    }
    claim->outcome = FILTERED_OUT;
    for (int i = 0; i < claim->count; i++) {
        if (!kg__filter_takes(claim->cases[i].id))
            return kg__fail(&claim->why, "not selected by --filter: %s", claim->cases[i].id);
    }
    claim->outcome = UNCHANGED;
    for (int i = 0; i < claim->count; i++) {
        if (claim->cases[i].unchanged)
            return kg__fail(&claim->why, "%s is unchanged, and was not timed", claim->cases[i].id);
    }
    claim->outcome = UNDECIDED;
    for (int i = 0; i < claim->count; i++) {
        if (isnan(claim->cases[i].value))
            return kg__fail(&claim->why, "%s must be right and have its %s in this run (part %s)",
                            claim->cases[i].id, claim->metric, MEASURING_PART);
    }
    return true;
}

/* Reads what this run found of a claim's cases. Whether they allow to decide it. */
static bool begin(claim_check *claim, const char *metric, const char *first, const char *second,
                  const char *mistake)
{
    *claim = (claim_check){ .metric = metric, .count = second != NULL ? 2 : 1 };
    claim->measured = kg__part_load(&claim->pool, MEASURING_PART);
    claim->checks = kg__part_load(&claim->pool, "check");
    claim->cases[0] = find_case(claim, first);
    if (second != NULL)
        claim->cases[1] = find_case(claim, second);
    return is_decidable(claim, mistake);
}

/* Whether the test has expected anything. */
static bool has_expected;

/* Records a claim, and ends the test by its outcome. */
static void end(claim_check *claim)
{
    claim_outcome outcome = claim->outcome;

    has_expected = true;
    write_claim(claim->measured, criterion_current_test->name, outcome, claim->why.text);
    kg__pool_free(&claim->pool);
    if (outcome >= FILTERED_OUT && outcome <= UNDECIDED)
        cr_skip_test("%s", claim->why.text);
    else
        cr_assert(outcome == HOLDS || outcome == REPORTED, "%s", claim->why.text);
}

/* Decides a claim by whether it holds in this run, and in the target's baseline; `now` and
 * `recorded` are what it is about in each. Times differ from GPU to GPU and from run to run: a
 * claim on them that the baseline does not bear out is no loss, nor is one that the noise of its
 * times undoes. Counters are exact. */
static void decide(claim_check *claim, bool holds, bool held, double now, double recorded)
{
    kg__claimed_figure figure = { now, recorded, claim->cases[0].limit };
    char then[KG__FIGURE_SIZE];
    char limit[KG__FIGURE_SIZE];

    if (claim->count > 1)
        figure.limit = fmax(figure.limit, claim->cases[1].limit);
    claim->outcome = holds ? HOLDS : FAILS;
    if (strcmp(MEASURING_PART, "time") != 0)
        return;
    if (claim->count > 1)
        kg__format(then, sizeof then, "%.2f", recorded);
    else
        kg__show_figure(then, sizeof then, recorded, "");
    kg__show_percent(limit, sizeof limit, figure.limit, false);
    switch (kg__judge_claim(&figure, holds, held)) {
    case KG__CLAIM_HOLDS:
        break;
    case KG__CLAIM_WITHIN_NOISE:
        claim->outcome = HOLDS;
        kg__append(claim->why.text, sizeof claim->why.text, "; %s at recording, within %s", then,
                   limit);
        break;
    case KG__CLAIM_LOST:
        kg__append(claim->why.text, sizeof claim->why.text, "; %s at recording, further than %s",
                   then, limit);
        break;
    case KG__CLAIM_NEVER_HELD:
        claim->outcome = REPORTED;
        kg__append(claim->why.text, sizeof claim->why.text,
                   "; the baseline does not have it either, so it fails nothing");
        break;
    }
}

/* A factor that every pair of cases exceeds, or none, makes no claim. */
static const char *mistake_of_factor(double factor)
{
    return factor > 0 && isfinite(factor) ? NULL : "a factor that is not a number above 0";
}

/* A case's name as the claim has it. */
static const char *short_name(const claim_case *named)
{
    return named->id + strlen(kg__comparison->name) + 1;
}

void kg_expect_speedup(const char *fast, const char *slow, double factor)
{
    claim_check claim;

    if (begin(&claim, "time_ns", fast, slow, mistake_of_factor(factor))) {
        double speedup = claim.cases[1].value / claim.cases[0].value;
        double recorded = claim.cases[1].stored / claim.cases[0].stored;

        kg__format(claim.why.text, sizeof claim.why.text,
                   "%s runs at %.2f times the speed of %s, at least %.2f expected",
                   short_name(&claim.cases[0]), speedup, short_name(&claim.cases[1]), factor);
        decide(&claim, speedup >= factor, recorded >= factor, speedup, recorded);
    }
    end(&claim);
}

/* Two zeros are alike, and neither is less than the other; of NAN nothing is less. */
static bool is_less(double low, double high, double factor)
{
    return high >= factor * low && (high > 0 || factor <= 1);
}

void kg_expect_less(const char *metric, const char *less, const char *more, double factor)
{
    claim_check claim;

    if (begin(&claim, metric, less, more, mistake_of_factor(factor))) {
        double low = claim.cases[0].value;
        double high = claim.cases[1].value;
        char figures[2][KG__FIGURE_SIZE];
        char times[KG__FIGURE_SIZE] = "";

        kg__show_figure(figures[0], sizeof figures[0], low, kg__metric_unit(metric));
        kg__show_figure(figures[1], sizeof figures[1], high, kg__metric_unit(metric));
        if (low > 0)
            kg__format(times, sizeof times, ": %.2f times as much", high / low);
        kg__format(claim.why.text, sizeof claim.why.text,
                   "%s: %s has %s, %s has %s%s, at least %.2f times as much expected", metric,
                   short_name(&claim.cases[0]), figures[0], short_name(&claim.cases[1]), figures[1],
                   times, factor);
        decide(&claim, is_less(low, high, factor),
               is_less(claim.cases[0].stored, claim.cases[1].stored, factor), high / low,
               claim.cases[1].stored / claim.cases[0].stored);
    }
    end(&claim);
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
    claim_check claim;

    if (begin(&claim, metric, name, NULL,
              least <= most ? NULL : "a range whose least is above its most")) {
        double value = claim.cases[0].value;
        char figures[3][KG__FIGURE_SIZE];

        show_exactly(figures[0], sizeof figures[0], value);
        show_exactly(figures[1], sizeof figures[1], least);
        show_exactly(figures[2], sizeof figures[2], most);
        kg__format(claim.why.text, sizeof claim.why.text, "%s of %s is %s, %s%s%s expected", metric,
                   short_name(&claim.cases[0]), figures[0], figures[1], least < most ? " to " : "",
                   least < most ? figures[2] : "");
        decide(&claim, value >= least && value <= most,
               claim.cases[0].stored >= least && claim.cases[0].stored <= most, value,
               claim.cases[0].stored);
    }
    end(&claim);
}

void kg__end_claim(void)
{
    static const char why[] = "the claim expects nothing: give it a kg_expect_...(), or remove it";

    if (has_expected)
        return;
    write_claim(NULL, criterion_current_test->name, MISTAKEN, why);
    cr_assert_fail("%s", why);
}
