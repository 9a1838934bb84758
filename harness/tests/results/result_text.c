/* The result of a case in words: its reason, and its figures. */
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

Test(result_text, reasons_come_from_the_worst_metric_where_the_case_has_none)
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

Test(result_text, figures_leave_out_what_is_unknown)
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
