/* Results: beginning a run, reading what tests left, merging, exit codes. */
#include "results/merge.h"
#include "results/results_describe.h"
#include "results/results_files.h"
#include "results/results_tally.h"
#include "results/run_files.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "records/records.h"
#include "tests/fakes/drive.h"
#include "tests/gate/verdict_texts.h"

TestSuite(results, .init = make_folder, .fini = remove_folder);

static void begin(void)
{
    kg__error error = { "" };

    cr_assert(kg__results_begin(at("out"), &error), "%s", error.text);
}

/* Puts a verdicts file of the test `name` with the members `more` (which begins with a comma, or is
 * empty). */
static void put_test(const char *name, bool complete, const char *more)
{
    char path[256];
    char text[4096];

    snprintf(path, sizeof path, "out/records/%s.verdicts.json", name);
    snprintf(text, sizeof text,
             "{\"schema\": \"kernelgate-verdicts/1\", \"test\": \"%s\", \"complete\": %s%s}", name,
             complete ? "true, \"exit_code\": 0" : "false", more);
    write_text(at(path), text);
}

/* The results of a merge as they are written. */
static json_t *merge(bool strict)
{
    kg__error error = { "" };
    kg__pool pool = { 0 };
    kg__results *results = kg__results_merge(&pool, at("out"), strict, NULL, &error);
    json_t *document;

    cr_assert(results != NULL, "%s", error.text);
    kg__results_describe(results);
    document = kg__results_json(results);
    kg__pool_free(&pool);
    cr_assert(eq(str, (char *)kg__json_text(document, "schema"), "kernelgate-results/1"));
    return document;
}

static int exit_code_of(const json_t *results)
{
    return (int)json_integer_value(json_object_get(results, "exit_code"));
}

static size_t tallied(const json_t *results, const char *name)
{
    return kg__json_count(json_object_get(results, "tally"), name);
}

static bool loads_results(const char *path, kg__error *error)
{
    kg__pool pool = { 0 };
    bool loaded = kg__results_load(&pool, path, error) != NULL;

    kg__pool_free(&pool);
    return loaded;
}

static size_t size_of(const json_t *results, const char *list)
{
    return json_array_size(json_object_get(results, list));
}

static const json_t *item(const json_t *results, const char *list, size_t index)
{
    return json_array_get(json_object_get(results, list), index);
}

Test(results, begin_makes_folders_above)
{
    kg__error error = { "" };

    cr_assert(kg__results_begin(at("a/b//c/out"), &error), "%s", error.text);
    cr_assert(exists(at("a/b/c/out/records")));
}

Test(results, begin_names_what_is_in_its_way)
{
    static const struct {
        const char *path;
        bool folder; /* or a file */
        const char *error;
    } rows[] = {
        { "out", false, "/out: is not a folder" },
        { "out/results.json", true, "out/results.json: left by an earlier run" },
        { "out/report", false, "out/report: the folder cannot be read" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg__error error = { "" };

        if (i > 0)
            begin();
        if (rows[i].folder)
            cr_assert(mkdir(at(rows[i].path), 0777) == 0);
        else
            write_text(at(rows[i].path), "x");
        cr_expect(not(kg__results_begin(at("out"), &error)));
        cr_expect(strstr(error.text, rows[i].error) != NULL, "%s", error.text);
        cr_assert(remove(at(rows[i].path)) == 0);
    }
}

Test(results, begin_removes_what_a_run_left_and_nothing_else)
{
    static const char *const ours[] = { "out/results.json",
                                        "out/junit.xml",
                                        "out/summary.md",
                                        "out/.results.json.new-42",
                                        "out/report/index.html",
                                        "out/records/gpu.a.time.verdicts.json",
                                        "out/records/.gpu.a.time.verdicts.json.new-7",
                                        "out/records/gpu.a.time.1.jsonl",
                                        "out/records/gpu.a.time.1.cases" };
    static const char *const others[] = { "out/notes.txt",       "out/results.json.bak",
                                          "out/my.results.json", "out/.junit.xml.swp",
                                          "out/.new-1",          "out/..new-1",
                                          "out/records/.new-1",  "out/report/style.css",
                                          "out/records/readme",  "out/records/results.json",
                                          "out/records/.jsonl" };

    begin();
    cr_assert(mkdir(at("out/report"), 0777) == 0);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        write_text(at(ours[i]), "x");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        write_text(at(others[i]), "x");
    begin();
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        cr_expect(not(exists(at(ours[i]))), "%s stayed", ours[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_expect(exists(at(others[i])), "%s went", others[i]);
}

Test(results, json_leaves_the_old_file_where_it_cannot_write)
{
    kg__error error = { "" };
    json_t *bad = json_object();
    struct stat facts;

    write_text(at("x.json"), "old");
    json_object_set_new(bad, "text", json_string_nocheck("\xff"));
    cr_assert(not(kg__results_write_json(at("x.json"), bad, 1, &error)));
    cr_expect(strstr(error.text, "x.json: the document cannot be written") != NULL, "%s",
              error.text);
    cr_assert(stat(at("x.json"), &facts) == 0);
    cr_expect(eq(long, facts.st_size, 3));
    json_decref(bad);
}

/* Reads a merged document whose member at `path` (keys and indices) was replaced by `text`, or
 * taken out where that is NULL, or added; it must be refused with `message`. */
static void expect_results_refused(const json_t *merged, const char *path, const char *text,
                                   const char *message)
{
    kg__error error = { "" };
    json_t *changed = json_deep_copy(merged);
    json_t *inner = changed;
    char copy[128];
    char *rest = NULL;

    snprintf(copy, sizeof copy, "%s", path);
    for (char *step = strtok_r(copy, " ", &rest); step != NULL; step = strtok_r(NULL, " ", &rest)) {
        if (json_is_array(inner))
            inner = json_array_get(inner, strtoul(step, NULL, 10));
        else if (*rest != '\0')
            inner = json_object_get(inner, step);
        else if (text != NULL)
            json_object_set_new(inner, step, json_loads(text, JSON_DECODE_ANY, NULL));
        else
            json_object_del(inner, step);
    }
    cr_assert(kg__results_write_json(at("results.json"), changed, 1, &error), "%s", error.text);
    cr_expect(not(loads_results(at("results.json"), &error)), "accepted: %s %s", path,
              text != NULL ? text : "gone");
    cr_expect(strstr(error.text, message) != NULL, "%s: %s", message, error.text);
    json_decref(changed);
}

/* A merged document is read back; another, or one that was changed by hand, is refused by name. */
Test(results, a_results_document_is_read_back)
{
    static const struct {
        const char *path;
        const char *text;
        const char *message;
    } wrong[] = {
        { "schema", "\"kernelgate-verdicts/1\"",
          "results.json: its schema is \"kernelgate-verdicts/1\", not" },
        { "targets", NULL, "targets is not {\"type\": \"object\"}: run ctest" },
        { "cases 0 why", NULL, "cases[0].why is not {\"type\": \"string\"}" },
        { "tests 0 seconds", "-1", "tests[0].seconds is not" },
        { "tests 0 colour", "3", "tests[0].colour is not a known member" },
        { "tally what_is_new", "-1", "tally.what_is_new is not" },
        { "exit_code", "3", "exit_code is not {\"enum\": [0, 1, 2, 77]}" },
    };
    kg__error error = { "" };
    kg__pool pool = { 0 };
    kg__results *read;
    json_t *results;
    json_t *again;

    begin();
    put_test("gpu.a.time", true, TARGET ", \"cases\": [" TIMED("a/b/1/b16", "pass", "") "]");
    results = merge(false);
    cr_assert(kg__results_write_json(at("results.json"), results, 1, &error), "%s", error.text);
    read = kg__results_load(&pool, at("results.json"), &error);
    cr_assert(read != NULL, "%s", error.text);
    kg__results_describe(read);
    again = kg__results_json(read);
    cr_expect(json_equal(again, results));
    json_decref(again);
    kg__pool_free(&pool);
    cr_expect(not(loads_results(at("none.json"), &error)));
    cr_expect(strstr(error.text, "none.json: cannot be read: No such file") != NULL &&
                  strstr(error.text, "run ctest") != NULL,
              "%s", error.text);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_results_refused(results, wrong[i].path, wrong[i].text, wrong[i].message);
    json_decref(results);
    write_text(at("results.json"), "[]");
    cr_expect(not(loads_results(at("results.json"), &error)));
    cr_expect(strstr(error.text, "is no JSON object: run ctest") != NULL, "%s", error.text);
}

static kg__tally tally_of(const char *text)
{
    json_t *document = json_loads(text, 0, NULL);
    kg__pool pool = { 0 };
    kg__tally tally = { 0 };
    kg__error error = { "" };
    const kg__verdicts *verdicts = kg__verdicts_read(&pool, document, &error);

    cr_assert(verdicts != NULL, "%s: %s", text, error.text);
    kg__verdicts_tally(verdicts, &tally);
    json_decref(document);
    kg__pool_free(&pool);
    return tally;
}

Test(results, tally_counts_everything)
{
    kg__tally tally = tally_of(
        HEAD ", \"cases\": [{\"verdict\": \"pass\"}, {\"verdict\": \"slower\"}, {\"verdict\": "
             "\"slower\"}, {\"verdict\": \"error\"}], \"vanished\": [\"e\", \"f\"], \"errors\": "
             "[\"g\"], \"claims\": [{\"claim\": \"h\", \"holds\": false}, {\"claim\": \"i\", "
             "\"holds\": true}]}");

    cr_expect(eq(sz, tally.verdicts[KG__PASS], 1));
    cr_expect(eq(sz, tally.verdicts[KG__SLOWER], 2));
    cr_expect(eq(sz, tally.verdicts[KG__ERROR], 1));
    cr_expect(eq(sz, tally.vanished, 2));
    cr_expect(eq(sz, tally.failed_claims, 1));
    cr_expect(eq(sz, tally.broken, 1));
    cr_expect(eq(sz, tally.unavailable + tally.filtered_out, 0));
}

/* A test that judged nothing and gives no reason is broken. */
Test(results, tally_counts_reasons_to_skip)
{
    static const struct {
        const char *text;
        size_t filtered_out, unavailable, broken;
    } rows[] = {
        { HEAD ", \"skipped\": \"x\", \"skipped_by\": \"filter\"}", 1, 0, 0 },
        { HEAD ", \"skipped\": \"x\", \"skipped_by\": \"unavailable\"}", 0, 1, 0 },
        { HEAD ", \"skipped\": \"x\", \"skipped_by\": \"no-baseline\"}", 0, 1, 0 },
        { HEAD "}", 0, 0, 1 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg__tally tally = tally_of(rows[i].text);

        cr_expect(eq(sz, tally.filtered_out, rows[i].filtered_out), "%s", rows[i].text);
        cr_expect(eq(sz, tally.unavailable, rows[i].unavailable), "%s", rows[i].text);
        cr_expect(eq(sz, tally.broken, rows[i].broken), "%s", rows[i].text);
    }
}

Test(results, merge_joins_the_parts_of_a_case)
{
    const json_t *merged;
    json_t *results;

    begin();
    put_test("gpu.a.check", true,
             TARGET ", \"cases\": [" CASE("a/z/1/-", "nvidia-h200", "check", "pass", "") "," CASE(
                 "a/b/1/b16", "nvidia-h200", "check", "pass", "") "]");
    put_test("gpu.a.time", true,
             TARGET
             ", \"seconds\": 3.5, \"cases\": [" TIMED("a/b/1/b16", "slower", "6 % slower") "]");
    put_test("model.a.check", true,
             ", \"target\": {\"key\": \"cpu-model\"}, \"cases\": [" CASE("a/b/1/b16", "cpu-model",
                                                                         "check", "pass", "") "]");
    results = merge(false);

    cr_assert(eq(sz, size_of(results, "cases"), 3));
    cr_expect(eq(str, (char *)kg__json_text(item(results, "cases", 0), "target"), "cpu-model"));
    cr_expect(eq(str, (char *)kg__json_text(item(results, "cases", 1), "case"), "a/z/1/-"),
              "a target's cases come in order of first appearance");
    merged = item(results, "cases", 2);
    cr_expect(eq(str, (char *)kg__json_text(merged, "case"), "a/b/1/b16"));
    cr_expect(eq(str, (char *)kg__json_text(merged, "verdict"), "slower"));
    cr_expect(eq(str, (char *)kg__json_text(merged, "why"), "6 % slower"));
    cr_expect(eq(str, (char *)kg__json_text(merged, "test"), "gpu.a.time"));
    cr_expect(eq(sz, size_of(merged, "parts"), 2));
    cr_expect(epsilon_eq(dbl, kg__json_number(merged, "seconds"), 0.75, 1e-12));
    cr_expect(epsilon_eq(
        dbl,
        kg__json_number(json_object_get(json_object_get(merged, "metrics"), "time_ns"), "value"),
        47980.0, 1e-9));
    cr_expect(eq(dbl, kg__json_number(json_object_get(merged, "work"), "bytes"), 12));
    cr_expect(eq(dbl, kg__json_number(json_object_get(merged, "kernel"), "registers"), 40));
    cr_expect(eq(sz, tallied(results, "pass"), 2));
    cr_expect(eq(sz, tallied(results, "slower"), 1));
    cr_expect(eq(sz, json_object_size(json_object_get(results, "targets")), 2));
    cr_expect(eq(sz, json_object_size(json_object_get(results, "provenance")), 1));
    cr_expect(eq(sz, size_of(results, "tests"), 3));
    cr_expect(eq(
        int, (int)json_integer_value(json_object_get(item(results, "tests", 0), "exit_code")), 0));
    cr_expect(eq(
        int, (int)json_integer_value(json_object_get(item(results, "tests", 1), "exit_code")), 1));
    cr_expect(eq(int, exit_code_of(results), 1));
    json_decref(results);
}

/* Boards of one model share a target; what may differ between them is kept for each. */
Test(results, merge_keeps_the_boards_apart)
{
#define BOARD(uuid, driver)                                                                        \
    ", \"target\": {\"key\": \"nvidia-h200\"}, \"board\": \"" uuid "\", \"provenance\": "          \
    "{\"uuid\": \"" uuid "\", \"power_limit_w\": " driver "}"
    const json_t *boards;
    const json_t *board;
    json_t *results;

    begin();
    put_test("gpu.a.check", true,
             BOARD("GPU-1", "700") ", \"cases\": [" CASE("a/b/1/b16", "nvidia-h200", "check",
                                                         "pass", "") "]");
    put_test("gpu.a.time", true,
             BOARD("GPU-2", "600") ", \"cases\": [" TIMED("a/b/1/b16", "pass", "") "]");
    put_test("gpu.b.time", true,
             ", \"target\": {\"key\": \"nvidia-h200\"}, \"board\": \"GPU-1\", \"provenance\": "
             "{\"limits\": {}}, \"cases\": [" TIMED("b/b/1/b16", "pass", "") "]");
    put_test("model.a.check", true,
             ", \"target\": {\"key\": \"cpu-model\"}, \"cases\": [" CASE("a/b/1/b16", "cpu-model",
                                                                         "check", "pass", "") "]");
    results = merge(true);
    boards = json_object_get(results, "boards");
    cr_assert(eq(sz, json_object_size(boards), 2));
    board = json_object_get(boards, "GPU-1");
    cr_expect(eq(str, (char *)kg__json_text(board, "target"), "nvidia-h200"));
    board = json_object_get(board, "provenance");
    cr_expect(eq(dbl, kg__json_number(board, "power_limit_w"), 700));
    cr_expect(json_object_get(board, "limits") != NULL);
    board = json_object_get(json_object_get(boards, "GPU-2"), "provenance");
    cr_expect(eq(dbl, kg__json_number(board, "power_limit_w"), 600));
    cr_expect(json_object_get(board, "limits") == NULL);
    cr_expect(eq(str, (char *)kg__json_text(item(results, "tests", 1), "board"), "GPU-2"));
    cr_expect(json_object_get(item(results, "tests", 3), "board") == NULL);
    cr_expect(eq(int, exit_code_of(results), 0));
    json_decref(results);
}

/* Of two models one has a baseline: the other's tests judge nothing, which only strictness takes
 * amiss. */
Test(results, merge_judges_the_model_that_has_a_baseline)
{
    json_t *results;

    begin();
    put_test("gpu.a.time", true,
             BOARD("GPU-1", "700") ", \"cases\": [" TIMED("a/b/1/b16", "pass", "") "]");
    put_test("gpu.b.time", true,
             ", \"target\": {\"key\": \"nvidia-a100\"}, \"board\": \"GPU-3\", \"skipped\": "
             "\"no baseline\", \"skipped_by\": \"no-baseline\", \"cases\": [" CASE(
                 "b/b/1/b16", "nvidia-a100", "time", "no-baseline", "") "]");
    results = merge(false);
    cr_expect(eq(int, exit_code_of(results), 0));
    cr_expect(eq(sz, json_object_size(json_object_get(results, "targets")), 2));
    cr_expect(eq(str,
                 (char *)kg__json_text(json_object_get(json_object_get(results, "boards"), "GPU-3"),
                                       "target"),
                 "nvidia-a100"));
    json_decref(results);
    results = merge(true);
    cr_expect(eq(int, exit_code_of(results), 2));
    json_decref(results);
#undef BOARD
}

/* The GPU's test may end before the model's: what both say is joined when all is there. */
Test(results, merge_notes_what_changed_beside_a_slow_verdict)
{
    const json_t *changed;
    json_t *results;

    begin();
    put_test("gpu.m.time", true,
             TARGET
             ", \"cases\": [" TIMED("m/t/530/b16", "slower", "time_ns slower by 6.3 %%") ", " TIMED(
                 "m/u/530/b16", "pass", "") "]");
    put_test("model.m.count", true,
             ", \"target\": {\"key\": \"cpu-model\"}, \"cases\": [{\"case\": \"m/t/530/b16\", "
             "\"target\": \"cpu-model\", \"part\": \"count\", \"metrics\": "
             "{\"global_load_requests\": {\"value\": 2, \"verdict\": \"slower\"}}, \"verdict\": "
             "\"slower\", \"why\": \"global_load_requests rose; to accept it: commit\"}]");
    results = merge(false);
    changed = json_object_get(item(results, "cases", 1), "changed");
    cr_assert(eq(str, (char *)kg__json_text(item(results, "cases", 1), "target"), "nvidia-h200"));
    cr_assert(eq(int, (int)json_array_size(changed), 1));
    cr_assert(eq(str, (char *)json_string_value(json_array_get(changed, 0)),
                 "on the CPU model: global_load_requests rose"));
    for (size_t i = 0; i < 3; i += 2)
        cr_assert(json_object_get(item(results, "cases", i), "changed") == NULL);
    json_decref(results);
}

/* What belongs to a reason comes from the part that gives it, and goes with it. */
Test(results, merge_keeps_the_data_of_the_reason_that_it_gives)
{
    static const char head[] =
        TARGET ", \"cases\": [{\"case\": \"a/b/1/-\", \"target\": \"nvidia-h200\", \"part\": ";
    char document[1024];
    const json_t *merged;
    json_t *results;

    begin();
    snprintf(document, sizeof document,
             "%s\"check\", \"metrics\": {}, \"verdict\": \"wrong\", \"why\": \"w\", \"findings\": "
             "[{\"kind\": \"misaligned\"}], \"more_findings\": 2, \"also\": \"x\"}]",
             head);
    put_test("gpu.a.count", true, document);
    snprintf(document, sizeof document,
             "%s\"count\", \"metrics\": {}, \"verdict\": \"slower\", \"why\": \"6 %%\", \"at\": "
             "{\"file\": \"a.cu\", \"line\": 3}}]",
             head);
    put_test("gpu.a.check", true, document);
    results = merge(false);
    merged = item(results, "cases", 0);
    cr_expect(eq(sz, size_of(merged, "findings"), 1));
    cr_expect(eq(str, (char *)kg__json_text(merged, "also"), "x"));
    cr_expect(json_integer_value(json_object_get(merged, "more_findings")) == 2);
    cr_expect(json_object_get(merged, "at") == NULL, "of the other part");
    json_decref(results);
}

Test(results, merge_lists_a_vanished_or_refused_case_once_a_target)
{
    json_t *results;

    begin();
    put_test("gpu.a.check", true,
             TARGET
             ", \"vanished\": [\"a/old/1/-\"], \"refused\": [{\"case\": \"a/b/0/-\", \"why\": "
             "\"size 0\"}], \"cases\": [" CASE("a/b/1/-", "nvidia-h200", "check", "pass", "") "]");
    put_test("gpu.a.time", true,
             TARGET ", \"vanished\": [\"a/old/1/-\", \"a/older/1/-\"], \"refused\": [{\"case\": "
                    "\"a/b/0/-\", \"why\": \"size 0\"}], \"notes\": [\"tiled is faster\"]");
    put_test("model.a.check", true,
             ", \"target\": {\"key\": \"cpu-model\"}, \"vanished\": [\"a/old/1/-\"], \"notes\": "
             "[\"n\"]");
    results = merge(false);
    cr_expect(eq(sz, size_of(results, "vanished"), 3));
    cr_expect(eq(sz, kg__json_count(json_object_get(results, "tally"), "vanished"), 3));
    cr_expect(eq(sz, size_of(results, "refused"), 1));
    cr_expect(eq(str, (char *)kg__json_text(item(results, "refused", 0), "why"), "size 0"));
    cr_expect(eq(sz, size_of(results, "notes"), 2));
    cr_expect(eq(int, exit_code_of(results), 1));
    json_decref(results);
}

Test(results, merge_of_no_verdicts_is_an_error)
{
    json_t *results;
    kg__pool pool = { 0 };
    kg__error error = { "" };

    cr_assert(kg__results_merge(&pool, at("nowhere"), false, NULL, &error) == NULL);
    cr_expect(strstr(error.text, "nowhere/records: the folder cannot be read") != NULL, "%s",
              error.text);
    begin();
    results = merge(false);
    cr_assert(eq(sz, size_of(results, "errors"), 1));
    cr_expect(strstr(kg__json_text(item(results, "errors", 0), "why"), "holds no verdicts") !=
              NULL);
    cr_expect(eq(int, exit_code_of(results), 2));
    json_decref(results);
}

Test(results, merge_of_skipped_tests_judged_nothing)
{
    json_t *results;
    char *outcome;

    begin();
    put_test("gpu.a.time", true, ", \"skipped\": \"no GPU\", \"skipped_by\": \"unavailable\"");
    put_test("model.a.check", true, ", \"skipped\": \"filtered\", \"skipped_by\": \"filter\"");
    results = merge(false);
    cr_expect(eq(int, exit_code_of(results), 77));
    cr_expect(eq(str, (char *)kg__json_text(item(results, "tests", 0), "skipped"), "no GPU"));
    cr_expect(eq(str, (char *)kg__json_text(item(results, "tests", 0), "target"), "gpu"));
    outcome = (char *)kg__json_text(json_object_get(results, "summary"), "outcome");
    cr_expect(eq(str, outcome, "NOTHING JUDGED (exit 77)"));
    json_decref(results);

    results = merge(true);
    cr_expect(eq(int, exit_code_of(results), 2));
    outcome = (char *)kg__json_text(json_object_get(results, "summary"), "outcome");
    cr_expect(eq(str, outcome,
                 "NOTHING JUDGED (exit 2, because of KG_STRICT=1: 1 test had nothing to judge)"));
    json_decref(results);
}

#define HERE(part, verdict, why)                                                                   \
    TARGET ", \"cases\": [" CASE("a/b/1/-", "nvidia-h200", part, verdict, why) "]"

/* Of the parts of a case the worst counts; of equal ones the part that gives a reason. */
Test(results, merge_keeps_the_worst_part)
{
    static const struct {
        const char *first, *second;
        const char *verdict, *why, *test;
    } rows[] = {
        { HERE("check", "wrong", "[3]"), HERE("time", "slower", "6"), "wrong", "[3]", "gpu.a.1" },
        { HERE("check", "slower", "6"), HERE("time", "wrong", "[3]"), "wrong", "[3]", "gpu.a.2" },
        { HERE("check", "pass", ""), HERE("time", "pass", "ungated"), "pass", "ungated",
          "gpu.a.2" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const json_t *merged;
        json_t *results;

        begin();
        put_test("gpu.a.1", true, rows[i].first);
        put_test("gpu.a.2", true, rows[i].second);
        results = merge(false);
        merged = item(results, "cases", 0);
        cr_assert(eq(sz, size_of(results, "cases"), 1));
        cr_expect_str_eq(kg__json_text(merged, "verdict"), rows[i].verdict);
        cr_expect_str_eq(kg__json_text(merged, "why"), rows[i].why);
        cr_expect(i == 2 || strcmp(kg__json_text(merged, "test"), rows[i].test) == 0, "%zu", i);
        json_decref(results);
    }
    begin();
    put_test("gpu.a.again", true, TARGET ", \"cases\": [" TIMED("a/b/1/-", "slower", "") "]");
    put_test("gpu.a.time", true, TARGET ", \"cases\": [" TIMED("a/b/1/-", "pass", "") "]");
    json_t *results = merge(false);

    cr_expect(
        eq(str,
           (char *)kg__json_text(
               json_object_get(json_object_get(item(results, "cases", 0), "metrics"), "time_ns"),
               "verdict"),
           "slower"));
    json_decref(results);
}

/* A test that left no whole document of its own is an error, and what it left counts. */
Test(results, merge_reports_tests_that_did_not_end)
{
    static const struct {
        const char *text;
        const char *why;
        size_t cases;
    } rows[] = {
        { "{\"schema\": \"kernelgate-verd", "", 0 },
        { "{\"schema\": \"kernelgate-verdicts/1\", \"test\": \"gpu.a.time\", \"complete\": "
          "false" TARGET ", \"cases\": [" TIMED("a/b/1/-", "pass", "") "]}",
          "killed, crashed or timed out", 1 },
        /* The program ended after its test without an exit code. */
        { "{\"schema\": \"kernelgate-verdicts/1\", \"test\": \"gpu.a.time\", \"complete\": "
          "true" TARGET ", \"cases\": [" TIMED("a/b/1/-", "pass", "") "]}",
          "", 1 },
        /* It judged nothing, and gives no reason. */
        { HEAD "}", "", 0 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *results;

        begin();
        write_text(at("out/records/gpu.a.time.verdicts.json"), rows[i].text);
        write_text(at("out/records/.gpu.b.time.verdicts.json.new-3"), "{");
        write_text(at("out/records/gpu.a.time.jsonl"), "{");
        results = merge(false);
        cr_expect(eq(sz, size_of(results, "cases"), rows[i].cases), "%zu", i);
        cr_assert(eq(sz, size_of(results, "errors"), 1), "%zu", i);
        cr_expect_str_eq(kg__json_text(item(results, "errors", 0), "test"), "gpu.a.time");
        cr_expect(strstr(kg__json_text(item(results, "errors", 0), "why"), rows[i].why) != NULL);
        cr_expect(eq(int, exit_code_of(results), 2));
        json_decref(results);
    }
}

/* A claim that holds is no judged case, and one that does not fails the run. */
Test(results, merge_of_claims)
{
    static const struct {
        const char *holds, *verdict;
        bool strict;
        int code;
    } rows[] = { { "true", "no-baseline", false, 77 },
                 { "true", "no-baseline", true, 2 },
                 { "true", "pass", true, 0 },
                 { "false", "pass", false, 1 } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];
        json_t *results;

        begin();
        snprintf(text, sizeof text,
                 TARGET ", \"claims\": [{\"claim\": \"a/claim_x\", \"holds\": %s, "
                        "\"why\": \"1.33 times\"}]",
                 rows[i].holds);
        put_test("gpu.a.claim_x", true, text);
        snprintf(text, sizeof text,
                 TARGET ", \"cases\": [{\"case\": \"a/b/1/-\", \"target\": "
                        "\"nvidia-h200\", \"part\": \"time\", \"verdict\": \"%s\"}]",
                 rows[i].verdict);
        put_test("gpu.a.time", true, text);
        results = merge(rows[i].strict);
        cr_expect(eq(int, exit_code_of(results), rows[i].code), "%zu", i);
        cr_expect(eq(sz, kg__json_count(json_object_get(results, "tally"), "failed_claims"),
                     rows[i].code == 1));
        json_decref(results);
    }
}
