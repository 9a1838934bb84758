/* Which plots a comparison's table and a failed case have. */
#include "report/report_plots.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "records/records.h"

static json_t *results;
static kg__report_table table;
static kg__plot plots[KG__REPORT_PLOTS];
static size_t count;

static void begin(void)
{
    unsetenv("KG_FILTER");
    results = json_pack("{s:[], s:[], s:{}, s:{s:{s:{s:f, s:f}}}}", "cases", "refused", "targets",
                        "provenance", "nvidia-h200", "limits", "copy_bytes_per_second", 1e12,
                        "operations_per_second", 1e12);
}

static void end(void)
{
    for (size_t i = 0; i < count; i++)
        kg__plot_free(&plots[i]);
    kg__report_table_free(&table);
    json_decref(results);
}

TestSuite(report_plots, .init = begin, .fini = end);

/* A case that was timed: cold in half as much time again; 0: no cold time. */
static json_t *timed(const char *id, double hot, double cold)
{
    json_t *entry =
        json_pack("{s:s, s:s, s:[s], s:{s:{s:f}}, s:s, s:s, s:{s:f, s:f}, s:{}}", "case", id,
                  "target", "nvidia-h200", "parts", "time", "metrics", "time_ns", "value", hot,
                  "verdict", "pass", "why", "", "work", "operations", 1e6, "bytes", 1e6, "kernel");

    if (cold > 0)
        json_object_set_new(json_object_get(entry, "metrics"), "cold_time_ns",
                            json_pack("{s:f}", "value", cold));
    json_array_append_new(json_object_get(results, "cases"), entry);
    return entry;
}

static void counted(const char *id, int requests, int sectors)
{
    json_array_append_new(
        json_object_get(results, "cases"),
        json_pack("{s:s, s:s, s:[s], s:{s:{s:i}, s:{s:i}}, s:s, s:s}", "case", id, "target",
                  "cpu-model", "parts", "count", "metrics", "global_load_requests", "value",
                  requests, "global_load_sectors", "value", sectors, "verdict", "pass", "why", ""));
}

static void plot(const char *target)
{
    kg__error error = { "" };

    cr_assert(kg__report_table_make(results, "a", target, &table, &error), "%s", error.text);
    count = kg__report_table_plots(&table, plots);
}

static const kg__plot *find(const char *title)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(plots[i].title, title) != NULL)
            return &plots[i];
    cr_assert(false, "no plot \"%s\"", title);
    return NULL;
}

static void expect_point(const kg__plot_series *series, size_t point, size_t place, double value)
{
    cr_assert(point < series->count, "%s has %zu points", series->name, series->count);
    cr_expect(series->points[point].place == place, "%s", series->name);
    cr_expect(fabs(series->points[point].value - value) < 1e-9, "%s: %g, expected %g", series->name,
              series->points[point].value, value);
}

static void make_grid(void)
{
    timed("a/naive/530/b8", 9000, 18000);
    timed("a/tiled/530/b8", 5000, 0);
    timed("a/naive/530/b16", 8000, 16000);
    timed("a/tiled/530/b16", 6000, 12000);
    timed("a/naive/0x99/b8", 2000, 4000);
    timed("a/tiled/31x2/b8", 1000, 2000);
}

/* Sizes from small to large, whatever their order in the table; each variant at its fastest. */
Test(report_plots, time_by_size)
{
    const kg__plot *by_size;

    make_grid();
    plot("nvidia-h200");
    by_size = find("Time by size");
    cr_assert(by_size->place_count == 3 && by_size->series_count == 2);
    cr_expect(strcmp(by_size->places[0], "0x99") == 0 && strcmp(by_size->places[1], "31x2") == 0 &&
                  strcmp(by_size->places[2], "530") == 0,
              "%s %s %s", by_size->places[0], by_size->places[1], by_size->places[2]);
    expect_point(&by_size->series[0], 0, 0, 2);
    expect_point(&by_size->series[0], 1, 2, 8);
    expect_point(&by_size->series[1], 0, 1, 1);
    expect_point(&by_size->series[1], 1, 2, 5);
}

Test(report_plots, time_by_launch)
{
    const kg__plot *by_launch;

    make_grid();
    plot("nvidia-h200");
    by_launch = find("Time by launch, hot, at size 530");
    cr_assert(by_launch->place_count == 2);
    cr_expect(strcmp(by_launch->places[1], "b16") == 0);
    expect_point(&by_launch->series[1], 0, 0, 5);
    expect_point(&by_launch->series[1], 1, 1, 6);
}

/* A variant keeps its colour where another one is not shown. */
Test(report_plots, share_of_the_limit)
{
    const kg__plot *share;

    make_grid();
    json_object_del(json_array_get(json_object_get(results, "cases"), 0), "kernel");
    json_object_del(json_array_get(json_object_get(results, "cases"), 2), "kernel");
    json_object_del(json_array_get(json_object_get(results, "cases"), 4), "kernel");
    plot("nvidia-h200");
    share = find("Share of the limit");
    cr_assert(share->series_count == 1);
    cr_expect(strcmp(share->series[0].name, "tiled") == 0 && share->series[0].style == 1);
    /* 1e6 bytes take 1000 ns at the limit: of 2000 cold, and of 5000 hot. */
    expect_point(&share->series[0], 0, 1, 50);
    expect_point(&share->series[0], 1, 2, 20);
}

/* Hot and cold of the same launch; without a cold time no empty room for it. */
Test(report_plots, side_by_side)
{
    const kg__plot *beside;

    make_grid();
    plot("nvidia-h200");
    beside = find("Variants side by side at size 530");
    cr_assert(beside->series_count == 2);
    expect_point(&beside->series[0], 0, 0, 8);
    expect_point(&beside->series[0], 1, 1, 5);
    cr_expect(beside->series[1].count == 1);
    expect_point(&beside->series[1], 0, 0, 16);
}

Test(report_plots, without_cold_times)
{
    timed("a/naive/530/b8", 9000, 0);
    timed("a/tiled/530/b8", 5000, 0);
    plot("nvidia-h200");
    cr_expect(find("side by side")->series_count == 1);
    cr_expect(count == 1, "one size and one launch are no line");
}

Test(report_plots, a_single_figure_is_no_plot)
{
    timed("a/naive/530/b8", 9000, 0);
    plot("nvidia-h200");
    cr_expect(count == 0);
}

/* What is wrong has no figures. */
Test(report_plots, nothing_right)
{
    json_object_set_new(timed("a/naive/530/b8", 9000, 0), "verdict", json_string("wrong"));
    json_object_set_new(timed("a/tiled/530/b8", 9000, 0), "verdict", json_string("error"));
    plot("nvidia-h200");
    cr_expect(count == 0);
}

/* The counters in which variants differ, where most of them were counted. */
Test(report_plots, counters)
{
    const kg__plot *sectors;

    counted("a/naive/530/b8", 100, 400);
    counted("a/tiled/530/b8", 100, 300);
    counted("a/naive/17/b8", 10, 40);
    plot("cpu-model");
    cr_expect(count == 2, "%zu", count);
    sectors = find("Global load sectors at 530/b8");
    expect_point(&sectors->series[0], 0, 0, 400);
    expect_point(&sectors->series[0], 1, 1, 300);
    (void)find("Global load sectors per request at 530/b8");
}

Test(report_plots, samples_of_a_failed_case)
{
    json_t *metric =
        json_pack("{s:f, s:f, s:f, s:s, s:[[f,f],[f]]}", "value", 9000.0, "baseline", 8000.0,
                  "limit", 0.02, "verdict", "slower", KG__SAMPLES_NS, 8999.0, 9001.0, 9100.0);
    json_t *entry = timed("a/naive/530/b8", 9000, 0);

    json_object_set_new(json_object_get(entry, "metrics"), "time_ns", metric);
    count = kg__report_case_plots(entry, plots);
    cr_assert(count == 1);
    cr_expect(plots[0].place_count == 2 && plots[0].from_data && plots[0].mark_count == 2);
    expect_point(&plots[0].series[0], 0, 0, 8.999);
    expect_point(&plots[0].series[0], 2, 1, 9.1);
    cr_expect(fabs(plots[0].marks[1].value - 8.16) < 1e-9);
}

/* A metric that is right beside one that is not, and one whose samples are no numbers. */
Test(report_plots, what_has_no_samples_to_show)
{
    json_t *entry = timed("a/naive/530/b8", 9000, 9000);
    json_t *metrics = json_object_get(entry, "metrics");

    json_object_set_new(metrics, "time_ns",
                        json_pack("{s:f, s:s, s:[[f,f]]}", "value", 1.0, "verdict", "pass",
                                  KG__SAMPLES_NS, 1.0, 2.0));
    json_object_set_new(metrics, "cold_time_ns",
                        json_pack("{s:f, s:s, s:[s,[s],{}]}", "value", 1.0, "verdict", "slower",
                                  KG__SAMPLES_NS, "x", "y"));
    count = kg__report_case_plots(entry, plots);
    cr_expect(count == 0);
}
