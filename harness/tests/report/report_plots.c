/* Which plots a comparison's table and a failed case have. */
#include "report/report_plots.h"
#include "base/json.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "records/records.h"

static json_t *results;
static kg__report_table table;
static json_t *plots;

static void begin(void)
{
    unsetenv("KG_FILTER");
    results = json_pack("{s:[], s:[], s:{}, s:{s:{s:{s:f, s:f}}}}", "cases", "refused", "targets",
                        "provenance", "nvidia-h200", "limits", "copy_bytes_per_second", 1e12,
                        "operations_per_second", 1e12);
}

static void end(void)
{
    json_decref(plots);
    plots = NULL;
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
    plots = kg__report_table_plots(&table);
}

static const json_t *find(const char *title)
{
    const json_t *one;
    size_t i;

    json_array_foreach (plots, i, one) {
        if (strstr(kg__json_text(one, "title"), title) != NULL)
            return one;
    }
    return NULL;
}

/* What one plot is to hold: each text is the JSON of a member, with what a number is to six digits;
 * NULL where there is none. */
typedef struct expected_plot {
    const char *title;
    const char *kind;
    const char *places;
    const char *series;
    const char *log_from;
} expected_plot;

static void expect_member(const json_t *one, const char *key, const char *expected)
{
    const json_t *member = json_object_get(one, key);
    char *text = member != NULL
                     ? json_dumps(member, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(6))
                     : NULL;

    cr_expect((text == NULL) == (expected == NULL) && (text == NULL || strcmp(text, expected) == 0),
              "%s: %s is %s, not %s", kg__json_text(one, "title"), key,
              text != NULL ? text : "not there", expected != NULL ? expected : "none");
    free(text);
}

static void expect_plots(const expected_plot *expected, size_t count)
{
    cr_expect(json_array_size(plots) == count, "%zu plots", json_array_size(plots));
    for (size_t i = 0; i < count; i++) {
        const json_t *one = find(expected[i].title);

        cr_assert(one != NULL, "no plot \"%s\"", expected[i].title);
        expect_member(one, "kind", expected[i].kind);
        expect_member(one, "places", expected[i].places);
        expect_member(one, "series", expected[i].series);
        expect_member(one, "log_from", expected[i].log_from);
    }
}

#define EXPECT_PLOTS(...)                                                                          \
    expect_plots((const expected_plot[]){ __VA_ARGS__ },                                           \
                 sizeof((const expected_plot[]){ __VA_ARGS__ }) / sizeof(expected_plot))

#define SERIES(name, style, values)                                                                \
    "{\"name\":\"" name "\",\"style\":" style ",\"values\":[" values "]}"

static void make_grid(void)
{
    timed("a/naive/530/b8", 9000, 18000);
    timed("a/tiled/530/b8", 5000, 0);
    timed("a/naive/530/b16", 8000, 16000);
    timed("a/tiled/530/b16", 6000, 12000);
    timed("a/naive/0x99/b8", 2000, 4000);
    timed("a/tiled/31x2/b8", 1000, 2000);
}

/* Sizes from small to large, whatever their order in the table; each variant at its fastest; hot
 * and cold of the same launch. 1e6 bytes take 1000 ns at the limit: of the cold time, or of the hot
 * one where there is no cold one. */
Test(report_plots, of_times)
{
    make_grid();
    plot("nvidia-h200");
    EXPECT_PLOTS(
        { "Time by size, hot, at the fastest launch", "\"lines\"", "[\"0x99\",\"31x2\",\"530\"]",
          "[" SERIES("naive", "0", "2.0,null,8.0") "," SERIES("tiled", "1", "null,1.0,5.0") "]",
          NULL },
        { "Time by launch, hot, at size 530", "\"lines\"", "[\"b8\",\"b16\"]",
          "[" SERIES("naive", "0", "9.0,8.0") "," SERIES("tiled", "1", "5.0,6.0") "]", NULL },
        { "Variants side by side at size 530", "\"bars\"", "[\"naive\",\"tiled\"]",
          "[" SERIES("hot in the caches", "0", "8.0,5.0") "," SERIES("cold from device memory", "1",
                                                                     "16.0,null") "]",
          NULL },
        { "Share of the limit", "\"lines\"", "[\"0x99\",\"31x2\",\"530\"]",
          "[" SERIES("naive", "0", "25.0,null,6.25") "," SERIES("tiled", "1", "null,50.0,20.0") "]",
          NULL });
}

/* A variant keeps its style where another one is not shown. */
Test(report_plots, of_a_variant_without_kernels)
{
    const json_t *share;

    make_grid();
    for (size_t i = 0; i < 6; i += 2)
        json_object_del(json_array_get(json_object_get(results, "cases"), i), "kernel");
    plot("nvidia-h200");
    share = find("Share of the limit");
    expect_member(share, "series", "[" SERIES("tiled", "1", "null,50.0,20.0") "]");
}

/* A range of more than 20 to 1 has a logarithmic axis. */
Test(report_plots, of_a_wide_range)
{
    timed("a/naive/1/b8", 1300, 0);
    timed("a/naive/530/b8", 26000, 0);
    timed("a/tiled/530/b8", 25999, 0);
    plot("nvidia-h200");
    expect_member(find("Time by size"), "log_from", NULL);
    json_decref(plots);
    kg__report_table_free(&table);
    timed("a/tiled/1/b8", 1200, 0);
    plot("nvidia-h200");
    /* A bar of the least value needs a height: 0.8 of it is less than 1. */
    expect_member(find("Time by size"), "log_from", "0.1");
}

Test(report_plots, without_cold_times)
{
    timed("a/naive/530/b8", 9000, 0);
    timed("a/tiled/530/b8", 5000, 0);
    plot("nvidia-h200");
    /* One size and one launch are no line. */
    EXPECT_PLOTS({ "side by side", "\"bars\"", "[\"naive\",\"tiled\"]",
                   "[" SERIES("hot in the caches", "0", "9.0,5.0") "]", NULL });
}

Test(report_plots, a_single_figure_is_no_plot)
{
    timed("a/naive/530/b8", 9000, 0);
    plot("nvidia-h200");
    cr_expect(json_array_size(plots) == 0);
}

/* What is wrong has no figures. */
Test(report_plots, nothing_right)
{
    json_object_set_new(timed("a/naive/530/b8", 9000, 0), "verdict", json_string("wrong"));
    json_object_set_new(timed("a/tiled/530/b8", 9000, 0), "verdict", json_string("error"));
    plot("nvidia-h200");
    cr_expect(json_array_size(plots) == 0);
}

/* The counters in which variants differ, where most of them were counted. */
Test(report_plots, counters)
{
    counted("a/naive/530/b8", 100, 4000);
    counted("a/tiled/530/b8", 100, 150);
    counted("a/naive/17/b8", 10, 40);
    plot("cpu-model");
    EXPECT_PLOTS({ "Global load sectors at 530/b8", "\"bars\"", "[\"naive\",\"tiled\"]",
                   "[" SERIES("Global load sectors", "0", "4000.0,150.0") "]", "100.0" },
                 { "Global load sectors per request at 530/b8", "\"bars\"", "[\"naive\",\"tiled\"]",
                   "[" SERIES("Global load sectors per request", "0", "40.0,1.5") "]", "1.0" });
}

Test(report_plots, samples_of_a_failed_case)
{
    json_t *metric =
        json_pack("{s:f, s:f, s:f, s:s, s:[[f,f],[f]]}", "value", 9000.0, "baseline", 8000.0,
                  "limit", 0.02, "verdict", "slower", KG__SAMPLES_NS, 8999.0, 9001.0, 9100.0);
    json_t *entry = timed("a/naive/530/b8", 9000, 0);

    json_object_set_new(json_object_get(entry, "metrics"), "time_ns", metric);
    plots = kg__report_case_plots(entry);
    EXPECT_PLOTS({ "Samples of time_ns", "\"dots\"", "[\"1\",\"2\"]",
                   "[" SERIES("a sample", "0", "[8.999,9.001],[9.1]") "]", NULL });
    expect_member(json_array_get(plots, 0), "marks",
                  "[{\"name\":\"baseline\",\"value\":8.0},{\"name\":\"limit\",\"value\":8.16}]");
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
    plots = kg__report_case_plots(entry);
    cr_expect(json_array_size(plots) == 0);
}
