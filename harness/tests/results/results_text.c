/* Results in words: reasons, figures, outcomes, and the line that reproduces one. */
#include "results/results_text.h"
#include "results/result_text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdlib.h>

static void expect_line(char *line, const char *expected)
{
    cr_expect(eq(str, line, (char *)expected));
    free(line);
}

Test(results_text, reproduction_quotes_what_a_shell_would_read)
{
    kg__results results = { .build = NULL };
    kg__case_result result = { .id = "matmul_f32/tiled/530/b16", .test = "gpu.matmul_f32.time" };

    expect_line(kg__reproduce_case(&results, &result),
                "cmake --build build/gpu && KG_FILTER='matmul_f32/tiled/530/b16' ctest --test-dir "
                "build/gpu -R "
                "'^gpu\\.matmul_f32\\.time$' --output-on-failure");
    expect_line(kg__reproduce_test(&results, "model.a+b.check"),
                "cmake --build build/cpu && ctest --test-dir build/cpu -R "
                "'^model\\.a\\+b\\.check$' --output-on-failure");
    results.build = "my build";
    result.id = "it's; $(reboot)\n";
    result.test = "model.a+b.check";
    expect_line(kg__reproduce_case(&results, &result),
                "cmake --build 'my build' && KG_FILTER='it'\\''s; $(reboot) ' ctest --test-dir 'my "
                "build' -R "
                "'^model\\.a\\+b\\.check$' --output-on-failure");
    cr_expect(kg__reproduce_test(&results, NULL) == NULL);
    cr_expect(kg__reproduce_test(&results, "import.nvidia-h200") == NULL);
}

/* Without strictness the case would pass, and in strict mode a filter must be given on purpose. */
Test(results_text, reproduction_is_strict_where_strictness_failed)
{
    static const struct {
        kg__verdict verdict;
        bool strict;
        bool expected;
    } failures[] = {
        { KG__NOISY, true, true },   { KG__NO_BASELINE, true, true },
        { KG__SLOWER, true, false }, { KG__ENVIRONMENT, true, true },
        { KG__ERROR, true, false },  { KG__NOISY, false, false },
    };
    static const char *file = "c.json";

    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        kg__results results = { .strict = failures[i].strict };
        kg__case_result result = { .id = "a/b/1/-",
                                   .test = "gpu.a.time",
                                   .verdict = failures[i].verdict };

        expect_line(
            kg__reproduce_case(&results, &result),
            failures[i].expected
                ? "cmake --build build/gpu && KG_STRICT=1 KG_FILTER='a/b/1/-' "
                  "KG_FILTER_GIVEN='a/b/1/-' ctest --test-dir build/gpu -R "
                  "'^gpu\\.a\\.time$' --output-on-failure"
                : "cmake --build build/gpu && KG_FILTER='a/b/1/-' ctest --test-dir build/gpu "
                  "-R '^gpu\\.a\\.time$' --output-on-failure");
        result.imported = (kg__import_origin){ .from = "nvbench", .files = { &file, 1 } };
        expect_line(kg__reproduce_case(&results, &result),
                    failures[i].expected
                        ? "KG_STRICT=1 KG_FILTER='a/b/1/-' kernelgate import --from nvbench c.json"
                        : "KG_FILTER='a/b/1/-' kernelgate import --from nvbench c.json");
    }
}

Test(results_text, reasons_come_from_the_worst_metric_where_the_case_has_none)
{
    kg__metric_result metrics[] = {
        { .figures = { .name = "cold_time_ns", .value = 3 }, .verdict = KG__PASS },
        { .figures = { .name = "time_ns", .value = 47980 },
          .baseline = 45130,
          .change = 0.0631,
          .limit = 0.02,
          .verdict = KG__SLOWER },
    };
    kg__case_result result = { .verdict = KG__SLOWER, .metrics = metrics, .metric_count = 2 };

    expect_line(kg__case_result_reason(&result),
                "time_ns 47 980 ns (baseline 45 130 ns, +6.3 %, limit 2.0 %): slower");
    metrics[1].why = "slower by 6.3 %";
    expect_line(kg__case_result_reason(&result), "time_ns slower by 6.3 %");
    result.why = "its\nown\twords";
    expect_line(kg__case_result_reason(&result), "its own words");
    result = (kg__case_result){ .verdict = KG__ERROR };
    expect_line(kg__case_result_reason(&result), "no reason was recorded");
    result.verdict = KG__PASS;
    expect_line(kg__case_result_reason(&result), "");
}

Test(results_text, figures_leave_out_what_is_unknown)
{
    kg__metric_result metric = { .figures = { .name = "global_load_requests", .value = 9550600 },
                                 .baseline = NAN,
                                 .change = NAN,
                                 .limit = NAN,
                                 .verdict = KG__VERDICTS };

    expect_line(kg__metric_result_figures(&metric), "global_load_requests 9 550 600");
    metric.figures.name = "n";
    metric.baseline = 9550600;
    expect_line(kg__metric_result_figures(&metric), "n 9 550 600 (baseline 9 550 600)");
    metric.figures.value = NAN;
    expect_line(kg__metric_result_figures(&metric), "n unknown (baseline 9 550 600)");
}

#define VERDICTS(...) .tally.verdicts = { __VA_ARGS__ }

Test(results_text, outcomes_in_words)
{
    static const struct {
        kg__results results;
        const char *outcome;
    } table[] = {
        { { .exit_code = 0, VERDICTS([KG__PASS] = 2) }, "PASS (exit 0)" },
        { { .exit_code = 0,
            .tally = { .verdicts = { [KG__PASS] = 2, [KG__NOISY] = 1, [KG__NO_BASELINE] = 3 },
                       .unlisted = 4 } },
          "PASS (exit 0), but not with KG_STRICT=1: 1 noisy, 3 no-baseline, 4 unlisted" },
        { { .exit_code = 1, VERDICTS([KG__PASS] = 2), .vanished.count = 1 }, "FAIL (exit 1)" },
        { { .exit_code = 0,
            VERDICTS([KG__PASS] = 1),
            .coverage = { true, 32, 32, 626, 1, "a/*", false } },
          "PASS (exit 0), filtered: 1 of 626 cases" },
        { { .exit_code = 0,
            VERDICTS([KG__PASS] = 9),
            .coverage = { true, 32, 4, 626, 9, NULL, true } },
          "PASS (exit 0), partial: 4 of 32 tests" },
        { { .exit_code = 0, .tally = { .verdicts = { [KG__PASS] = 2 }, .unavailable = 1 } },
          "PASS (exit 0); 1 test had nothing to judge" },
        { { .exit_code = 1, .tally = { .verdicts = { [KG__SLOWER] = 2 }, .unavailable = 3 } },
          "FAIL (exit 1); 3 tests had nothing to judge" },
        { { .exit_code = 2, VERDICTS([KG__ERROR] = 2) }, "ERROR (exit 2)" },
        { { .exit_code = 2, .errors.count = 1 }, "ERROR (exit 2)" },
        { { .exit_code = 77, VERDICTS([KG__NO_BASELINE] = 2) }, "NOTHING JUDGED (exit 77)" },
        { { .exit_code = 77, VERDICTS([KG__PASS] = 1) }, "NOTHING JUDGED (exit 77)" },
        { { .exit_code = 77, VERDICTS([KG__NO_BASELINE] = 2), .claims.count = 1 },
          "NOTHING JUDGED (exit 77)" },
        { { .exit_code = 1,
            .tally = { .verdicts = { [KG__NO_BASELINE] = 2 }, .failed_claims = 1 } },
          "FAIL (exit 1)" },
        { { .exit_code = 2, .strict = true, VERDICTS([KG__NO_BASELINE] = 2) },
          "NOTHING JUDGED (exit 2, because of KG_STRICT=1: 2 no-baseline)" },
        { { .exit_code = 2,
            .strict = true,
            .tally = { .verdicts = { [KG__NO_BASELINE] = 2 }, .unavailable = 1 },
            .claims.count = 1 },
          "NOTHING JUDGED (exit 2, because of KG_STRICT=1: 2 no-baseline, 1 test had nothing to "
          "judge)" },
        { { .exit_code = 2,
            .strict = true,
            .tally = { .verdicts = { [KG__PASS] = 2 }, .unavailable = 3 } },
          "ERROR (exit 2, because of KG_STRICT=1: 3 tests had nothing to judge)" },
        { { .exit_code = 2, .strict = true, VERDICTS([KG__NO_BASELINE] = 2, [KG__ERROR] = 1) },
          "ERROR (exit 2)" },
        { { .exit_code = 1,
            .strict = true,
            .tally = { .verdicts = { [KG__PASS] = 2, [KG__NOISY] = 1 }, .unlisted = 1 } },
          "FAIL (exit 1, because of KG_STRICT=1: 1 noisy, 1 unlisted)" },
        { { .exit_code = 1, .strict = true, VERDICTS([KG__SLOWER] = 1, [KG__NOISY] = 1) },
          "FAIL (exit 1)" },
        { { .exit_code = 0 }, "NOTHING JUDGED (exit 0)" },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        expect_line(kg__results_outcome(&table[i].results), table[i].outcome);
}
