/* SPDX-License-Identifier: MIT */
/* Timing: from what observers measured of a case to its result, and to its line on the console. */
#include "results/time_result.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

#include "tests/results/time_fixture.h"

TestSuite(time_result, .fini = release);

static const kg__case_result *result;

static const kg__metric_result *hot_of(const kg__case_result *of)
{
    return kg__case_result_metric(of, "time_ns");
}

static const kg__metric_result *cold_of(const kg__case_result *of)
{
    return kg__case_result_metric(of, "cold_time_ns");
}

Test(time_result, a_pass_carries_its_figures)
{
    kg__baseline_case *entry = add_baseline_case(&baseline, ID);

    expect_metric(entry, "time_ns", 60000);
    expect_metric(entry, "cold_time_ns", 73000);
    result = judge(observe(60500, 73000));
    expect_verdict(result, KG__PASS);
    cr_expect(not(kg__case_result_tripped(result)));
    cr_expect(eq(str, (char *)result->id, ID));
    cr_expect(eq(str, (char *)result->target, "nvidia-fake"));
    cr_expect(eq(str, (char *)result->part, "time"));
    cr_expect(eq(str, (char *)result->why, ""));
    cr_expect(result->observers == 1);
    cr_expect(hot_of(result)->figures.value == 60500 && hot_of(result)->figures.samples == 60);
    cr_expect(hot_of(result)->baseline == 60000 && hot_of(result)->band == 0.02);
    cr_expect(epsilon_eq(dbl, hot_of(result)->change, 500.0 / 60000, 1e-12));
    cr_expect(epsilon_eq(dbl, hot_of(result)->limit, 0.02, 1e-12));
    cr_expect(cold_of(result)->figures.value == 73000 && cold_of(result)->verdict == KG__PASS);
}

/* They show how sure a failure is; next to a pass they would fill the results. */
Test(time_result, samples_of_every_process_are_kept_of_what_is_slower_alone)
{
    static const double samples[] = { 71992, 72000, 72008 };
    kg__measurement slow[3] = { measure(70000, 0), measure(71000, 0), measure(72000, 0) };
    kg__observation *right = observe(60000, 0);
    const kg__metric_result *hot;

    expect_metric(add_baseline_case(&baseline, ID), "time_ns", 60000);
    for (int i = 0; i < 3; i++) {
        kg__figures *figures = &((kg__observation *)slow[i].measured)->metrics[0];

        figures->samples_ns = samples;
        figures->samples_ns_count = 3;
    }
    hot = hot_of(kg__time_result(test_pool(), ID, &target, slow, 3, &baseline));
    cr_assert(hot->sample_count == 3 && hot->samples[2].count == 3);
    cr_expect(hot->samples[2].items[1] == 72000);
    right->metrics[0].samples_ns = samples;
    right->metrics[0].samples_ns_count = 3;
    cr_expect(hot_of(judge(right))->sample_count == 0);
}

/* Of three observations the median counts, metric by metric; those that lack a metric do not count
 * for it, and of two the slower decides. */
Test(time_result, the_median_decides)
{
    static const struct {
        size_t count;
        double hot[3];
        double cold[3]; /* 0: absent */
        kg__verdict verdict;
        double hot_seen, cold_seen;
        bool tripped;
    } rows[] = {
        { 1, { 70000 }, { 50000 }, KG__SLOWER, 70000, 50000, true },
        { 3, { 70000, 60100, 60050 }, { 73000, 90000, 73500 }, KG__PASS, 60100, 73500, false },
        { 3, { 70000, 60100, 69000 }, { 73000, 73000, 73000 }, KG__SLOWER, 69000, 73000, true },
        { 3, { 50000, 60100, 51000 }, { 73000, 73000, 73000 }, KG__FASTER, 51000, 73000, true },
        { 3, { 60000, 60000, 60000 }, { 73000, 73000, 73000 }, KG__PASS, 60000, 73000, false },
        { 3, { 70000, 60000, 60000 }, { 73000, 73000, 73000 }, KG__PASS, 60000, 73000, false },
        { 3, { 60000, 60000, 60000 }, { 73000, 0, 0 }, KG__PASS, 60000, 73000, false },
        { 3, { 60000, 60000, 60000 }, { 73000, 0, 72500 }, KG__PASS, 60000, 73000, false },
        { 3, { 60000, 60000, 60000 }, { 84000, 0, 73000 }, KG__SLOWER, 60000, 84000, true },
    };
    kg__baseline_case *entry = add_baseline_case(&baseline, ID);

    expect_metric(entry, "time_ns", 60000);
    expect_metric(entry, "cold_time_ns", 73000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg__measurement all[3];

        for (size_t j = 0; j < rows[i].count; j++)
            all[j] = measure(rows[i].hot[j], rows[i].cold[j]);
        result = kg__time_result(test_pool(), ID, &target, all, rows[i].count, &baseline);
        expect_verdict(result, rows[i].verdict);
        cr_expect(kg__case_result_tripped(result) == rows[i].tripped, "%zu", i);
        cr_expect(hot_of(result)->figures.value == rows[i].hot_seen, "%zu", i);
        cr_expect(cold_of(result)->figures.value == rows[i].cold_seen, "%zu", i);
        cr_expect(result->observers == rows[i].count);
        /* Each metric has its own verdict; the case has the worst and its reason. */
        if (i == 0) {
            cr_expect(cold_of(result)->verdict == KG__FASTER);
            cr_expect(strncmp(result->why, "time_ns slower by", 17) == 0, "%s", result->why);
        }
    }
}

/* What a report needs of a case is carried as the first observation has it. */
Test(time_result, what_has_no_baseline)
{
    static const kg_work work = { .operations = 8, .bytes = 12 };
    kg__observation *observation = observe(60500, 73000);
    kg__measurement measured = { observation, quiet };

    (void)add_baseline_case(&baseline, "matmul/other/530/b16");
    observation->work = &work;
    result = judge(observation);
    expect_verdict(result, KG__NO_BASELINE);
    cr_expect(not(kg__case_result_tripped(result)));
    cr_expect(isnan(hot_of(result)->change) && result->work == &work);
    expect_verdict(kg__time_result(test_pool(), ID, &target, &measured, 1, NULL), KG__NO_BASELINE);
    expect_metric(add_baseline_case(&baseline, ID), "time_ns", 60000);
    result = judge(observation);
    expect_verdict(result, KG__NO_BASELINE);
    cr_expect(hot_of(result)->verdict == KG__PASS);
    cr_expect(cold_of(result)->verdict == KG__NO_BASELINE);
}

/* A metric of the baseline's that the run did not measure must not pass unseen. */
Test(time_result, a_metric_that_is_missing)
{
    kg__baseline_case *entry = add_baseline_case(&baseline, ID);

    expect_metric(entry, "time_ns", 60000);
    expect_metric(entry, "cold_time_ns", 73000);
    result = judge(observe(60000, 0));
    expect_verdict(result, KG__ERROR);
    cr_expect(strstr(result->why, "cold_time_ns is in the baseline") != NULL);
    cr_expect(strstr(result->why, "(too many sets)") != NULL);
    kg__baseline_metric_of(entry, "cold_time_ns")->gated = false;
    expect_verdict(judge(observe(60000, 0)), KG__PASS);
}

Test(time_result, an_observation_without_figures_is_an_error)
{
    kg__observation *negative = make_observation();

    add_figures(negative, "time_ns", -1, 0);
    expect_verdict(judge(make_observation()), KG__ERROR);
    expect_verdict(judge(negative), KG__ERROR);
}

/* A counter has no interval of its own, and its unit is not nanoseconds. */
Test(time_result, a_counter)
{
    kg__observation *counted = make_observation();

    add_figures(counted, "global_load_sectors", 101, 0);
    add_baseline_metric(add_baseline_case(&baseline, ID), "global_load_sectors")->value = 100;
    result = judge(counted);
    expect_verdict(result, KG__SLOWER);
    cr_expect(strstr(result->why, " ns") == NULL, "%s", result->why);
}

Test(time_result, a_case_states_the_smallest_slowdown_that_it_would_see)
{
    kg__baseline_case *entry = add_baseline_case(&baseline, ID);
    const kg__observation *observation = observe(60000, 73000);

    cr_expect(isnan(judge(observation)->smallest), "without a baseline");
    expect_metric(entry, "time_ns", 60000)->band = 0.05;
    expect_metric(entry, "cold_time_ns", 73000)->band = 0.03;
    cr_expect(epsilon_eq(dbl, judge(observation)->smallest, 0.03, 1e-12));
    kg__baseline_metric_of(entry, "cold_time_ns")->gated = false;
    cr_expect(epsilon_eq(dbl, judge(observation)->smallest, 0.05, 1e-12));
    kg__baseline_metric_of(entry, "time_ns")->gated = false;
    cr_expect(isnan(judge(observation)->smallest), "nothing is gated");
}
