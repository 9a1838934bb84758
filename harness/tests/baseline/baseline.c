/* The baseline in memory: what is added, found and removed. */
#include "baseline/baseline.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/baseline/baseline_fixture.h"

TestSuite(baseline, .init = begin_baselines, .fini = remove_folder);

Test(baseline, additions_are_sorted)
{
    kg__baseline baseline = { .target = { .key = "nvidia-h200" } };
    char id[64];

    for (int i = 0; i < 1000; i++) {
        snprintf(id, sizeof id, "a/b/%d/-", i * 7919 % 1000);
        cr_assert_str_eq(kg__baseline_add(&baseline, id)->id, id);
    }
    cr_assert(baseline.case_count == 1000);
    for (size_t i = 1; i < baseline.case_count; i++)
        cr_assert(strcmp(baseline.cases[i - 1].id, baseline.cases[i].id) < 0);
    for (int i = 0; i < 1000; i++) {
        snprintf(id, sizeof id, "a/b/%d/-", i);

        kg__baseline_case *entry = kg__baseline_find(&baseline, id);

        cr_assert_not_null(entry);
        cr_assert(kg__baseline_add(&baseline, id) == entry, "found, not added again");
    }
    cr_expect(baseline.case_count == 1000);
    kg__baseline_free(&baseline);
}

Test(baseline, added_metrics_are_sorted_and_gated)
{
    kg__baseline baseline = { .target = { .key = "nvidia-h200" } };
    kg__baseline_case *entry = kg__baseline_add_sentinel(&baseline, "copy");
    static const char *const names[] = { "time_ns", "barriers", "requests", "sectors" };

    for (size_t i = 0; i < 4; i++) {
        kg__baseline_metric *metric = kg__baseline_add_metric(entry, names[i]);

        cr_expect_str_eq(metric->name, names[i]);
        cr_expect(metric->gated && metric->value == 0 && metric->band == 0 && metric->floor == 0);
        cr_expect(metric->sessions == NULL && !metric->band_by_hand);
    }
    cr_assert(entry->metric_count == 4);
    for (size_t i = 1; i < 4; i++)
        cr_expect(strcmp(entry->metrics[i - 1].name, entry->metrics[i].name) < 0);
    cr_expect(kg__baseline_add_metric(entry, "requests") ==
              kg__baseline_metric_of(entry, "requests"));
    cr_expect(entry->metric_count == 4);
    cr_expect(kg__baseline_sentinel(&baseline, "copy") == entry);
    cr_expect(baseline.case_count == 0, "a sentinel is not a case");
    kg__baseline_free(&baseline);
}

Test(baseline, cases_are_removed)
{
    kg__baseline baseline = { .target = { .key = "nvidia-h200" } };
    static const char *const ids[] = { "a/a/1/-", "a/b/1/-", "a/c/1/-" };

    for (size_t i = 0; i < 3; i++)
        kg__baseline_add_metric(kg__baseline_add(&baseline, ids[i]), "barriers");
    cr_expect(kg__baseline_remove(&baseline, ids[1]));
    cr_expect_not(kg__baseline_remove(&baseline, ids[1]));
    cr_expect(baseline.case_count == 2);
    cr_expect_null(kg__baseline_find(&baseline, ids[1]));
    cr_expect_not_null(kg__baseline_find(&baseline, ids[0]));
    cr_expect_not_null(kg__baseline_find(&baseline, ids[2]));
    cr_expect(kg__baseline_remove(&baseline, ids[2]));
    cr_expect(kg__baseline_remove(&baseline, ids[0]));
    cr_expect_not(kg__baseline_remove(&baseline, ids[0]));
    cr_expect(baseline.case_count == 0);
    /* What is empty can be added to again. */
    cr_expect_not_null(kg__baseline_add(&baseline, ids[0]));
    kg__baseline_free(&baseline);
}

Test(baseline, sessions_are_copied)
{
    kg__baseline baseline = small_baseline();
    kg__baseline_metric *metric =
        kg__baseline_metric_of(kg__baseline_find(&baseline, "a/b/530/b16"), "time_ns");
    double sessions[] = { 1, 2, 3 };

    kg__baseline_set_sessions(metric, sessions, 3);
    sessions[0] = 9;
    cr_expect(metric->session_count == 3 && metric->sessions[0] == 1 && metric->sessions[2] == 3);
    kg__baseline_set_sessions(metric, metric->sessions + 1, 2);
    cr_expect(metric->session_count == 2 && metric->sessions[0] == 2 && metric->sessions[1] == 3);
    kg__baseline_set_sessions(metric, NULL, 0);
    cr_expect(metric->session_count == 0 && metric->sessions == NULL);
    kg__baseline_free(&baseline);
}

Test(baseline, ten_thousand_cases)
{
    kg__baseline baseline = { .target = { .key = "nvidia-h200" } };
    kg__baseline back;
    kg__error error = { .text = "" };
    char id[64];

    for (int i = 9999; i >= 0; i--) {
        snprintf(id, sizeof id, "matmul_f32/tiled/%d/b16", i);

        kg__baseline_metric *metric =
            kg__baseline_add_metric(kg__baseline_add(&baseline, id), "time_ns");

        metric->value = 1000.0 + i / 7.0;
    }
    cr_assert(kg__baseline_save(path, &baseline, &error), "%s", error.text);
    cr_assert(kg__baseline_load(path, &back, &error) == KG__LOADED, "%s", error.text);
    cr_assert(back.case_count == 10000);
    for (size_t i = 0; i < 10000; i++)
        cr_assert(strcmp(back.cases[i].id, baseline.cases[i].id) == 0 &&
                  back.cases[i].metrics[0].value == baseline.cases[i].metrics[0].value);
    /* What was loaded can be added to. */
    kg__baseline_add(&back, "a/a/1/-");
    kg__baseline_add(&back, "z/z/1/-");
    cr_expect(back.case_count == 10002 && strcmp(back.cases[0].id, "a/a/1/-") == 0);
    kg__baseline_free(&back);
    kg__baseline_free(&baseline);
}
