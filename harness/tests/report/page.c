/* The page of a run, as `kernelgate report --html` and kernelgate results write it. How it looks
 * and works in a browser is seen by ci/test-page. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "report/report.h"
#include "results/results.h"
#include "tests/fakes/drive.h"

#define GPU "nvidia-h200"
#define HOSTILE "<script>alert(1)</script> & ]]> \"'"

static json_t *results;

static void begin(void)
{
    make_folder();
    setenv("KG_CHART_JS", at("chart.js"), 1);
    unsetenv("KG_FILTER");
    results = json_pack(
        "{s:s, s:b, s:{s:{s:s, s:s}}, s:{s:{s:s}}, s:{}, s:[], s:[], s:[], s:[], s:[], s:[], "
        "s:[], s:{}, s:i}",
        "schema", "kernelgate-results/1", "strict", 0, "targets", GPU, "key", GPU, "name",
        "NVIDIA H200", "provenance", GPU, "driver", "580.1", "boards", "cases", "tests", "claims",
        "refused", "vanished", "errors", "notes", "tally", "exit_code", 0);
    for (int verdict = 0; verdict < KG__VERDICTS; verdict++)
        json_object_set_new(json_object_get(results, "tally"),
                            kg__verdict_name((kg__verdict)verdict), json_integer(1));
    for (size_t i = 0; i < 5; i++)
        json_object_set_new(json_object_get(results, "tally"),
                            (const char *const[]){ "vanished", "failed_claims", "filtered_out",
                                                   "unavailable", "broken" }[i],
                            json_integer(0));
}

static void end(void)
{
    json_decref(results);
    remove_folder();
}

TestSuite(page, .init = begin, .fini = end, .timeout = 60);

static json_t *timed(const char *id, double time, const char *verdict, const char *why)
{
    json_t *entry =
        json_pack("{s:s, s:s, s:[s], s:{s:{s:f, s:s}}, s:s, s:s, s:s}", "case", id, "target", GPU,
                  "parts", "time", "metrics", "time_ns", "value", time, "verdict", verdict,
                  "verdict", verdict, "why", why, "test", "gpu.a.time");

    json_array_append_new(json_object_get(results, "cases"), entry);
    return entry;
}

static bool save_page(const char *path, kg__error *error)
{
    kg__report report = { .results = results };

    return kg__printer_save(kg__printer_find("html"), &report, path, error);
}

/* The page of the results, freed by the caller. */
static char *page(void)
{
    kg__error error = { "" };

    cr_assert(save_page(at("report/index.html"), &error), "%s", error.text);
    return read_text(at("report/index.html"));
}

static void expect_order(const char *text, const char *const *parts)
{
    const char *from = text;

    for (; *parts != NULL; parts++) {
        const char *found = strstr(from, *parts);

        cr_assert(found != NULL, "no \"%s\" where it belongs", *parts);
        from = found + strlen(*parts);
    }
}

Test(page, failures_first_worst_first)
{
    char *text;

    json_object_set_new(results, "exit_code", json_integer(1));
    timed("a/naive/530/b8", 1000, "pass", "");
    timed("a/tiled/530/b8", 1000, "slower", "by 9 %");
    timed("a/tiled/530/b16", 1000, "wrong", "expected 1, got 2");
    timed("a/tiled/17/b16", 1000, "noisy", "wide");
    json_array_append_new(json_object_get(results, "errors"),
                          json_pack("{s:s, s:s}", "test", "gpu.a.time", "why", "it crashed"));
    text = page();
    expect_order(text,
                 (const char *const[]){ "FAIL (exit 1)", ">Failed<", "it crashed",
                                        "expected 1, got 2", "by 9 %", "KG_FILTER=", ">To look at<",
                                        "wide", "on nvidia-h200", "NVIDIA H200, driver 580.1.",
                                        "cases</summary>", ">Where it was measured<", NULL });
    free(text);
}

Test(page, a_pass_has_no_failures)
{
    char *text;

    timed("a/naive/530/b8", 45130, "pass", "");
    text = page();
    cr_expect(occurrences(text, ">Failed<") == 0 && occurrences(text, ">To look at<") == 0 &&
              occurrences(text, "Refused and skipped") == 0);
    cr_expect(occurrences(text, "PASS (exit 0)") == 2, "in the title and in the heading");
    cr_expect(occurrences(text, "45.13") == 1 && occurrences(text, "45 130 ns") == 1, "%s", text);
    free(text);
}

Test(page, hostile_texts_stay_texts)
{
    static const char *const lists[] = { "claims", "refused", "vanished", "errors", "notes" };
    json_t *of_list[] = {
        json_pack("{s:s, s:b, s:s, s:s, s:s}", "claim", HOSTILE, "holds", 0, "why", HOSTILE,
                  "target", HOSTILE, "test", HOSTILE),
        json_pack("{s:s, s:s, s:s, s:s}", "case", HOSTILE, "why", HOSTILE, "target", HOSTILE,
                  "test", HOSTILE),
        json_pack("{s:s, s:s, s:s}", "case", HOSTILE, "target", HOSTILE, "test", HOSTILE),
        json_pack("{s:s, s:s}", "test", HOSTILE, "why", HOSTILE),
        json_pack("{s:s, s:s, s:s}", "note", HOSTILE, "target", HOSTILE, "test", HOSTILE),
    };
    char *text;

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        json_array_append_new(json_object_get(results, lists[i]), of_list[i]);
    json_object_set_new(results, "commit", json_string(HOSTILE));
    json_object_set_new(results, "base", json_pack("{s:s}", "ref", HOSTILE));
    json_object_set_new(json_object_get(json_object_get(results, "provenance"), GPU), "driver",
                        json_string(HOSTILE));
    json_object_set_new(timed("a/naive/530/b8", 1000, "slower", HOSTILE), "changed",
                        json_pack("[s]", HOSTILE));
    text = page();
    cr_expect(occurrences(text, "<script>alert") == 0);
    cr_expect(occurrences(text, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; ]]&gt;") > 15, "%zu",
              occurrences(text, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; ]]&gt;"));
    cr_expect(occurrences(text, "</script>") == 1, "the page's own");
    free(text);
}

/* A comparison whose ids are none has no table, and the rest of the page is there. */
Test(page, ids_that_are_none)
{
    char *text;

    timed(HOSTILE "/b", 1000, "pass", "");
    timed("a/naive/530/b8", 1000, "pass", "");
    text = page();
    cr_expect(occurrences(text, "A comparison has no table: ") == 1);
    cr_expect(occurrences(text, "id=\"comparison-a\"") == 1);
    free(text);
}

Test(page, many_failures_are_a_table)
{
    char *text;
    char id[64];

    for (int i = 0; i < 100; i++) {
        kg__format(id, sizeof id, "a/v%d/530/b8", i);
        timed(id, 1000, "slower", "slow");
    }
    text = page();
    cr_expect(occurrences(text, "<article class=\"failure\"") == 20);
    cr_expect(occurrences(text, "80 more") == 1);
    free(text);
}

Test(page, cases_that_failed_alike_are_one_failure)
{
    char *text;

    timed("a/tiled/530/b16", 1000, "wrong", "kernels/a/tiled.cu: c[1]: expected 1, got 2");
    timed("a/tiled/530/b32", 1000, "wrong", "kernels/a/tiled.cu: c[7]: expected 3, got 4");
    timed("a/tiled/17/b32", 1000, "wrong", "kernels/a/tiled.cu: c[7]: expected 5, got 4");
    timed("a/naive/17/b32", 1000, "wrong", "kernels/a/naive.cu: c[7]: expected 5, got 4");
    text = page();
    cr_expect(occurrences(text, "<article class=\"failure\"") == 2);
    expect_order(text, (const char *const[]){ "expected 1, got 2", "Also 2 other cases: ",
                                              "a/tiled/530/b32", "a/tiled/17/b32", NULL });
    cr_expect(occurrences(text, "Also") == 1);
    cr_expect(occurrences(text, "expected 3, got 4") == 0);
    free(text);
}

Test(page, several_boards_and_the_model)
{
    json_t *boards = json_object_get(results, "boards");
    char *text;

    json_object_set_new(
        boards, "GPU-1",
        json_pack("{s:s, s:{s:s}}", "target", GPU, "provenance", "driver", "580.1"));
    json_object_set_new(
        boards, "GPU-2",
        json_pack("{s:s, s:{s:s}}", "target", GPU, "provenance", "driver", "580.2"));
    json_object_set_new(json_object_get(results, "targets"), "cpu-model",
                        json_pack("{s:s, s:s}", "key", "cpu-model", "compiler", "gcc 12.2.0"));
    json_array_append_new(json_object_get(results, "cases"),
                          json_pack("{s:s, s:s, s:[s], s:{s:{s:i, s:s}}, s:s, s:s, s:{s:{s:i}}}",
                                    "case", "a/naive/530/b8", "target", "cpu-model", "parts",
                                    "count", "metrics", "global_load_requests", "value", 9550600,
                                    "verdict", "pass", "verdict", "pass", "why", "", "lines",
                                    "kernels/a/naive.cu:14", "global_load_requests", 9495180));
    json_object_set_new(json_object_get(results, "provenance"), "cpu-model",
                        json_pack("{s:s, s:s}", "compiler", "gcc 12.2.0", "model", "2"));
    timed("a/naive/530/b8", 1000, "pass", "");
    text = page();
    expect_order(text,
                 (const char *const[]){ "on nvidia-h200", "on cpu-model", "gcc 12.2.0", "9 550 600",
                                        "Counters by line of source", "kernels/a/naive.cu:14",
                                        "9 495 180", "GPU-1", "580.1", "GPU-2", "580.2", NULL });
    cr_expect(occurrences(text, "id=\"comparison-a\"") == 1);
    cr_expect(occurrences(text, "<td>compiler</td>") == 1, "told once");
    cr_expect(occurrences(text, "<td>model</td>") == 1);
    free(text);
}

/* Results without a case, as of a run that could judge nothing. */
Test(page, nothing_judged)
{
    char *text;

    json_object_set_new(results, "exit_code", json_integer(77));
    json_array_append_new(json_object_get(results, "tests"),
                          json_pack("{s:s, s:s, s:f, s:b, s:i, s:s, s:s}", "name", "gpu.a.time",
                                    "target", "", "seconds", 0.5, "complete", 0, "exit_code", 77,
                                    "skipped", "no GPU here", "skipped_by", "unavailable"));
    text = page();
    expect_order(text, (const char *const[]){ "class=\"doubtful\"", "no case was judged",
                                              "no GPU here", ">Tests that ran<", "0.50", NULL });
    free(text);
}

/* What draws the plots, and what the page says where that is not to be had; the tables are there in
 * any case. */
Test(page, plots_need_chart_js)
{
    static const struct {
        const char *content; /* NULL: there is no such file */
        const char *said;    /* NULL: the plots are there */
    } files[] = {
        { NULL, "chart.js: apt-get install libjs-chart.js." },
        { "/*!\n * Chart.js v3.9.1\n */\nplot_all();", NULL },
        { "/*!\n * Chart.js v4.4.0\n */\nplot_all();", "chart.js: not a file of Chart.js 3: name" },
        { "", "not a file of Chart.js" },
        { "/*!\n * Chart.js v3.9.1\n */\n'</SCRIPT>'", "not a file of Chart.js" },
        { "/*!\n * Chart.js v3.9.1\n */\n'<!--'", "not a file of Chart.js" },
    };

    timed("a/naive/530/b8", 2000, "pass", "");
    timed("a/tiled/530/b8", 1000, "pass", "");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        bool drawn = files[i].said == NULL;
        char *text;

        if (files[i].content != NULL)
            write_text(at("chart.js"), files[i].content);
        text = page();
        cr_expect(occurrences(text, "No plots") == !drawn, "file %zu", i);
        cr_expect(drawn || occurrences(text, files[i].said) == 1, "file %zu: %s", i, text);
        cr_expect(occurrences(text, "plot_all();") == drawn, "file %zu", i);
        cr_expect(occurrences(text, "<div class=\"plots\" data-plots=\"0,1\"></div>") == drawn,
                  "file %zu", i);
        cr_expect(occurrences(text, "id=\"plots\">[{\"kind\":\"bars\"") == drawn, "file %zu", i);
        cr_expect(occurrences(text, "(2.00×)") == 1, "file %zu", i);
        free(text);
    }
}

/* An id has no such letters, a metric's name may: in the plots' data it ends no element. */
Test(page, hostile_names_stay_in_the_data_of_plots)
{
    json_t *failed = timed("a/naive/530/b8", 2000, "slower", "");
    char *text;

    write_text(at("chart.js"), "/* Chart.js v3.9.1 */");
    json_object_set_new(json_object_get(failed, "metrics"), "</script><!--<script>",
                        json_pack("{s:f, s:s, s:[[f, f]]}", "value", 1.0, "verdict", "slower",
                                  "samples_ns", 1.0, 2.0));
    text = page();
    cr_expect(occurrences(text, "Samples of \\u003c/script>\\u003c!--\\u003cscript>, ") == 1);
    cr_expect(occurrences(text, "<!--") == 0);
    cr_expect(occurrences(text, "<script") == 3 && occurrences(text, "</script>") == 3);
    free(text);
}

Test(page, no_stale_page)
{
    kg__error error = { "" };
    char *text;

    cr_assert(mkdir(at("report"), 0777) == 0);
    write_text(at("report/index.html"), "of another run");
    text = page();
    cr_expect(occurrences(text, "of another run") == 0);
    free(text);
    write_text(at("file"), "");
    cr_expect(!save_page(at("file/index.html"), &error));
    cr_expect(strstr(error.text, at("file")) != NULL, "%s", error.text);
}

/* Sizes down and variants across: what no browser shows in good time is cut, and that is said. */
Test(page, a_table_of_very_many_cells_is_cut)
{
    char id[64];
    char *text;

    for (unsigned i = 0; i < 400; i++) {
        snprintf(id, sizeof id, "a/v%u/%u/b8", i, i + 1);
        (void)timed(id, 2000, "pass", "");
    }
    text = page();
    cr_expect(occurrences(text, "152 more rows are in results.json.") == 1);
    free(text);
}

static ending run(const char *const given[])
{
    const char *arguments[10] = { KG__COMMAND };

    for (size_t i = 0; i < 8 && given[i] != NULL; i++)
        arguments[i + 1] = given[i];
    return drive(arguments, environment);
}

#define kernelgate(...) run((const char *const[]){ __VA_ARGS__, NULL })

static void expect(ending seen, int code, const char *expected)
{
    expect_ending(&seen, code, expected);
    free(seen.output);
}

static void leave_results(void)
{
    kg__error error = { "" };

    timed("a/naive/530/b8", 2000, "pass", "");
    cr_assert(kg__results_write_json(at("results.json"), results, 1, &error), "%s", error.text);
}

Test(page, the_command)
{
    leave_results();
    expect(kernelgate("report", "--html", at("new/page.html"), "--results", at("results.json")), 0,
           NULL);
    cr_expect(exists(at("new/page.html")));
    expect(kernelgate("report", "--html", at("results.json/page"), "--results", at("results.json")),
           2, "report: ");
    expect(kernelgate("report", "--html", at("results.json"), "--results", at("results.json")), 2,
           "is the results file itself");
    set("KG_FILTER", "nothing/*");
    expect(kernelgate("report", "--html", at("empty.html"), "--results", at("results.json")), 2,
           "KG_FILTER=nothing/* leaves none of the");
    cr_expect(!exists(at("empty.html")));
    set("KG_FILTER", NULL);
    expect(kernelgate("report", "--html", "x", "--table", "a"), 2,
           "report: --html writes the page of the whole run: omit --table");
    expect(kernelgate("report", "--html", "x", "--target", "a"), 2, "omit --target");
    expect(kernelgate("report", "--html", "x", "--format", "csv"), 2, "omit --format");
    expect(kernelgate("report", "--html", "x", "--results", at("none.json")), 2, "cannot be read");
}

/* No page takes the place of a device, a pipe or a folder, nor of a link to one, or to nothing. */
Test(page, what_is_not_a_file_stays)
{
    static const char *const names[] = { "pipe", "folder", "to_device", "to_pipe", "to_nothing" };

    leave_results();
    cr_assert(mkfifo(at("pipe"), 0666) == 0);
    cr_assert(mkdir(at("folder"), 0777) == 0);
    cr_assert(symlink("/dev/full", at("to_device")) == 0);
    cr_assert(symlink("pipe", at("to_pipe")) == 0);
    cr_assert(symlink("nothing", at("to_nothing")) == 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct stat before;
        struct stat after;
        ending seen;

        cr_assert(lstat(at(names[i]), &before) == 0);
        seen = kernelgate("report", "--html", at(names[i]), "--results", at("results.json"));
        cr_expect(seen.code == 2 && occurrences(seen.output, "kernelgate: ") == 1, "%s: %d, %s",
                  names[i], seen.code, seen.output);
        cr_expect(lstat(at(names[i]), &after) == 0 && after.st_ino == before.st_ino &&
                      after.st_mode == before.st_mode,
                  "%s", names[i]);
        free(seen.output);
    }
    cr_expect(!exists(at("nothing")));
}

Test(page, a_link_stays_and_its_file_is_replaced)
{
    struct stat facts;
    char *text;

    leave_results();
    cr_assert(mkdir(at("else"), 0777) == 0);
    write_text(at("else/page.html"), "old");
    cr_assert(symlink("else/page.html", at("link")) == 0);
    expect(kernelgate("report", "--html", at("link"), "--results", at("results.json")), 0, NULL);
    cr_expect(lstat(at("link"), &facts) == 0 && S_ISLNK(facts.st_mode));
    text = read_text(at("else/page.html"));
    cr_expect(occurrences(text, "a/naive/530/b8") > 0);
    free(text);
}

Test(page, a_disk_that_takes_no_more_leaves_the_old_page)
{
    const struct rlimit full = { 512, 512 };
    kg__error error = { "" };
    char *text;

    timed("a/naive/530/b8", 2000, "pass", "");
    write_text(at("page.html"), "old");
    cr_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    cr_assert(setrlimit(RLIMIT_FSIZE, &full) == 0);
    cr_expect(!save_page(at("page.html"), &error));
    text = read_text(at("page.html"));
    cr_expect_str_eq(text, "old");
    free(text);
}

/* The two ends of a run: its page is cleared by the one and written by the other. */
Test(page, a_run_leaves_its_page)
{
    expect(kernelgate("begin", "--out", at("out")), 0, NULL);
    expect(kernelgate("results", "--out", at("out")), 2, NULL);
    cr_expect(exists(at("out/report/index.html")));
    expect(kernelgate("begin", "--out", at("out")), 0, NULL);
    cr_expect(!exists(at("out/report/index.html")));
}
