/* Drift: what lies between two baselines. */
#include "baseline/baseline_diff.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static kg__baseline first;
static kg__baseline last;

static void begin(void)
{
    first = (kg__baseline){ .target = { .key = "nvidia-fake" } };
    last = first;
}

static void end(void)
{
    kg__baseline_free(&first);
    kg__baseline_free(&last);
}

TestSuite(drift, .init = begin, .fini = end);

static kg__baseline_metric *add(kg__baseline *baseline, const char *id, const char *name,
                                double value)
{
    kg__baseline_metric *metric = kg__baseline_add_metric(kg__baseline_add(baseline, id), name);

    metric->value = value;
    metric->band = 0.02;
    metric->floor = 50;
    return metric;
}

static void add_both(const char *id, double before, double after)
{
    add(&first, id, "time_ns", before);
    add(&last, id, "time_ns", after);
}

Test(drift, of_equal_files_is_nothing)
{
    kg__baseline_diff drifts;

    add_both("a/b/1/-", 10000, 10000);
    drifts = kg__baseline_diff_make(&first, &last);
    cr_assert(drifts.count == 0 && drifts.cases == 1);
    cr_assert(drifts.slower == 0 && drifts.faster == 0 && drifts.added == 0 && drifts.retired == 0);
    kg__baseline_diff_free(&drifts);
}

Test(drift, of_empty_files_is_nothing)
{
    kg__baseline_diff drifts = kg__baseline_diff_make(&first, &last);

    cr_assert(drifts.count == 0 && drifts.cases == 0);
    kg__baseline_diff_free(&drifts);
}

Test(drift, stands_the_worst_first)
{
    static const char *const order[] = { "d/b/1/-", "c/b/1/-", "a/b/1/-", "b/b/1/-",
                                         "e/b/1/-", "g/b/1/-", "f/b/1/-" };
    kg__baseline_diff drifts;

    add_both("a/b/1/-", 10000, 10100);
    add_both("b/b/1/-", 10000, 9000);
    add_both("c/b/1/-", 10000, 10300);
    add_both("d/b/1/-", 10000, 12000);
    add(&last, "e/b/1/-", "time_ns", 1);
    add(&last, "g/b/1/-", "time_ns", 1);
    add(&first, "f/b/1/-", "time_ns", 1);
    drifts = kg__baseline_diff_make(&first, &last);
    cr_assert(drifts.count == 7);
    for (size_t i = 0; i < 7; i++)
        cr_expect(strcmp(drifts.items[i].id, order[i]) == 0, "%zu: %s", i, drifts.items[i].id);
    cr_expect(fabs(drifts.items[0].change - 0.2) < 1e-12);
    cr_expect(drifts.items[4].kind == KG__DIFFERENCE_NEW && drifts.items[4].whole);
    cr_expect(drifts.items[6].kind == KG__DIFFERENCE_RETIRED && drifts.items[6].last == NULL);
    cr_expect(drifts.cases == 4 && drifts.slower == 2 && drifts.faster == 1);
    cr_expect(drifts.added == 2 && drifts.retired == 1);
    kg__baseline_diff_free(&drifts);
}

/* Exactly at the band or at the floor is within it, as the judge has it. */
Test(drift, counts_beyond_band_and_floor)
{
    static const struct {
        double before;
        double after;
        bool beyond;
    } moves[] = {
        { 10000, 10200, false }, { 10000, 10201, true }, { 1000, 1050, false },
        { 1000, 1051, true },    { 10000, 9804, false }, { 10000, 9800, true },
    };

    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        kg__baseline_diff drifts;

        begin();
        add_both("a/b/1/-", moves[i].before, moves[i].after);
        drifts = kg__baseline_diff_make(&first, &last);
        cr_expect(drifts.count == 1 && drifts.items[0].beyond == moves[i].beyond, "%zu", i);
        cr_expect(drifts.slower + drifts.faster == moves[i].beyond, "%zu", i);
        kg__baseline_diff_free(&drifts);
        end();
    }
}

/* A chain of steps that were each accepted. */
Test(drift, is_the_sum_of_its_steps)
{
    kg__baseline_diff drifts;

    add_both("a/b/1/-", 10000, 10000 * 1.019 * 1.019 * 1.019);
    drifts = kg__baseline_diff_make(&first, &last);
    cr_assert(drifts.slower == 1 && fabs(drifts.items[0].change - 0.0581) < 1e-4);
    cr_expect(kg__baseline_difference_exceeds(&drifts.items[0], 0.05));
    cr_expect(!kg__baseline_difference_exceeds(&drifts.items[0], 0.06));
    kg__baseline_diff_free(&drifts);
}

Test(drift, of_what_is_not_judged_does_not_count)
{
    kg__baseline_diff drifts;

    add_both("a/b/1/-", 10000, 20000);
    add_both("b/b/1/-", 10000, 10000);
    kg__baseline_find(&last, "a/b/1/-")->metrics[0].gated = false;
    kg__baseline_find(&last, "b/b/1/-")->metrics[0].gated = false;
    drifts = kg__baseline_diff_make(&first, &last);
    cr_assert(drifts.count == 2 && drifts.slower == 0 && drifts.ungated == 2);
    cr_expect(drifts.items[0].beyond && !kg__baseline_difference_exceeds(&drifts.items[0], 0.01));
    cr_expect(drifts.items[1].change == 0 && !drifts.items[1].gated);
    kg__baseline_diff_free(&drifts);
}

/* A wider band, or a higher floor, lets pass what was found before. */
Test(drift, of_what_is_held_otherwise_is_told)
{
    kg__baseline_diff drifts;

    add(&first, "a/wider/1/-", "time_ns", 10000);
    add(&last, "a/wider/1/-", "time_ns", 10000)->band = 0.999;
    add(&first, "a/higher/1/-", "time_ns", 10000);
    add(&last, "a/higher/1/-", "time_ns", 10000)->floor = 1000;
    add(&first, "a/tighter/1/-", "time_ns", 10000);
    add(&last, "a/tighter/1/-", "time_ns", 10000)->band = 0.01;
    add(&first, "a/idle/1/-", "time_ns", 10000)->gated = false;
    add(&last, "a/idle/1/-", "time_ns", 10000)->band = 0.5;
    add(&first, "a/unlike/1/-", "time_ns", 10000);
    add(&last, "a/unlike/1/-", "time_ns", 10000)->floor = 100;
    drifts = kg__baseline_diff_make(&first, &last);
    cr_assert(drifts.count == 5, "%zu", drifts.count);
    cr_assert(drifts.loosened == 2, "%zu", drifts.loosened);
    for (size_t i = 0; i < drifts.count; i++)
        cr_assert(drifts.items[i].change == 0.0 &&
                      drifts.items[i].loosened == (strstr(drifts.items[i].id, "er/1/-") != NULL &&
                                                   strstr(drifts.items[i].id, "tight") == NULL),
                  "%s", drifts.items[i].id);
    kg__baseline_diff_free(&drifts);
}

/* The limit in force is 3 sigma of the sessions where that is more than the band. */
Test(drift, of_the_limit_in_force_is_told)
{
    static const double near[] = { 10000, 10010, 9990 };
    static const double spread[] = { 10000, 10500, 9500 };
    static const struct {
        const double *then;
        const double *now;
        bool gated;
        bool loosened;
    } sessions[] = {
        { near, spread, true, true },
        { spread, near, true, false },
        { near, near, true, false },
        { near, spread, false, false },
    };

    for (size_t i = 0; i < sizeof sessions / sizeof *sessions; i++) {
        kg__baseline_metric *now;
        kg__baseline_diff drifts;

        begin();
        kg__baseline_set_sessions(add(&first, "a/b/1/-", "time_ns", 10000), sessions[i].then, 3);
        now = add(&last, "a/b/1/-", "time_ns", 10000);
        kg__baseline_set_sessions(now, sessions[i].now, 3);
        now->gated = first.cases[0].metrics[0].gated = sessions[i].gated;
        drifts = kg__baseline_diff_make(&first, &last);
        cr_expect(drifts.loosened == sessions[i].loosened, "%zu", i);
        cr_expect(drifts.count == (sessions[i].gated && sessions[i].then != sessions[i].now), "%zu",
                  i);
        kg__baseline_diff_free(&drifts);
        end();
    }
}

Test(drift, of_metrics_that_came_and_went)
{
    kg__baseline_diff drifts;

    add_both("a/b/1/-", 10000, 10000);
    add(&first, "a/b/1/-", "cold_time_ns", 1);
    add(&last, "a/b/1/-", "warm_time_ns", 1);
    drifts = kg__baseline_diff_make(&first, &last);
    cr_assert(drifts.count == 2 && drifts.cases == 1);
    cr_expect(drifts.items[0].kind == KG__DIFFERENCE_NEW && !drifts.items[0].whole);
    cr_expect(strcmp(drifts.items[0].metric, "warm_time_ns") == 0);
    cr_expect(drifts.items[1].kind == KG__DIFFERENCE_RETIRED && drifts.added == 0);
    cr_expect(!kg__baseline_difference_exceeds(&drifts.items[0], 0));
    kg__baseline_diff_free(&drifts);
}

static void count(kg__baseline *baseline, const char *name, double value)
{
    kg__baseline_metric *metric = add(baseline, "a/b/1/-", name, value);

    metric->band = 0;
    metric->floor = 0;
}

/* A counter that a case lacks is 0. */
Test(drift, of_counters_is_exact)
{
    kg__baseline_diff drifts;

    kg__format(first.target.key, sizeof first.target.key, "%s", KG__MODEL_KEY);
    last.target = first.target;
    count(&first, "global_load_requests", 1000000);
    count(&last, "global_load_requests", 1000001);
    count(&first, "barriers", 5);
    count(&last, "shuffles", 7);
    drifts = kg__baseline_diff_make(&first, &last);
    cr_assert(drifts.count == 3 && drifts.slower == 1 && drifts.faster == 0);
    cr_expect(strcmp(drifts.items[0].metric, "shuffles") == 0 && isinf(drifts.items[0].change));
    cr_expect(kg__baseline_difference_exceeds(&drifts.items[0], 10));
    cr_expect(drifts.items[1].beyond && kg__baseline_difference_exceeds(&drifts.items[1], 0));
    cr_expect(strcmp(drifts.items[2].metric, "barriers") == 0 && drifts.items[2].change == -1);
    cr_expect(drifts.items[2].beyond);
    kg__baseline_diff_free(&drifts);
}

/* A case that is only checked may come and go too; one that is counted from now on is not a loss.
 */
Test(drift, of_checked_cases)
{
    kg__baseline_diff drifts;

    kg__format(first.target.key, sizeof first.target.key, "%s", KG__MODEL_KEY);
    last.target = first.target;
    (void)kg__baseline_list(&first, "a/gone/1/-");
    (void)kg__baseline_list(&first, "a/kept/1/-");
    (void)kg__baseline_list(&last, "a/kept/1/-");
    (void)kg__baseline_list(&last, "a/new/1/-");
    drifts = kg__baseline_diff_make(&first, &last);
    cr_assert(drifts.count == 2 && drifts.added == 1 && drifts.retired == 1);
    cr_expect_str_eq(drifts.items[0].id, "a/new/1/-");
    cr_expect_str_eq(drifts.items[1].id, "a/gone/1/-");
    cr_expect(drifts.items[1].whole && drifts.items[1].kind == KG__DIFFERENCE_RETIRED);
    kg__baseline_diff_free(&drifts);
}

/* What an older model did not count, or counted otherwise, did not rise from 0. */
Test(drift, of_counters_that_an_older_model_did_not_count)
{
    kg__baseline_diff drifts;

    kg__format(first.target.key, sizeof first.target.key, "%s", KG__MODEL_KEY);
    last.target = first.target;
    first.provenance = json_pack("{s:s}", "model", "2");
    count(&last, "launches", 1);
    count(&first, "constant_load_words", 8);
    count(&last, "constant_load_words", 32);
    count(&first, "shuffles", 6);
    count(&last, "shuffles", 7);
    drifts = kg__baseline_diff_make(&first, &last);
    cr_assert(drifts.count == 3 && drifts.slower == 1);
    cr_expect_str_eq(drifts.items[0].metric, "shuffles");
    for (size_t i = 1; i < 3; i++) {
        cr_expect(drifts.items[i].kind == KG__DIFFERENCE_NEW && isnan(drifts.items[i].change));
        cr_expect(!kg__baseline_difference_exceeds(&drifts.items[i], 0));
    }
    kg__baseline_diff_free(&drifts);
}
