/* The Markdown summary. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/report.h"
#include "tests/fakes/drive.h"

static char path[256];

static void make_path(void)
{
    const char *base = getenv("TMPDIR");
    int file;

    snprintf(path, sizeof path, "%s/kernelgate-summary-XXXXXX", base != NULL ? base : "/tmp");
    file = mkstemp(path);
    cr_assert(file >= 0);
    close(file);
}

static void remove_path(void)
{
    unlink(path);
}

TestSuite(summary, .init = make_path, .fini = remove_path);
static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *document = json_loads(text, 0, &error);

    cr_assert(document != NULL, "%s: %s", error.text, text);
    return document;
}

/* The summary of `results`, which it frees, on the heap. */
static char *summary(json_t *results)
{
    kg__error error = { "" };
    char *text = kg__allocate(1 << 20, 1);
    FILE *file;

    cr_assert(kg__printer_save(kg__printer_find("markdown"), &(kg__report){ .results = results },
                               path, &error),
              "%s", error.text);
    json_decref(results);
    file = fopen(path, "r");
    cr_assert(file != NULL);
    cr_assert(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

static void expect_within(const char *text, const char *part)
{
    cr_expect(strstr(text, part) != NULL, "\"%s\" is not in:\n%s", part, text);
}

static void expect_not_within(const char *text, const char *part)
{
    cr_expect(strstr(text, part) == NULL, "\"%s\" is in:\n%s", part, text);
}

static void expect_order(const char *text, const char *first, const char *second)
{
    const char *a = strstr(text, first);
    const char *b = strstr(text, second);

    cr_expect(a != NULL && b != NULL && a < b, "\"%s\" does not stand before \"%s\" in:\n%s", first,
              second, text);
}

static const char failing[] =
    "{\"out\": \"out\", \"strict\": %s, \"exit_code\": 1, \"tally\": {\"pass\": 2, \"slower\": 1, "
    "\"wrong\": 1, \"noisy\": 1, \"faster\": 1, \"vanished\": 1, \"unavailable\": 1, "
    "\"failed_claims\": 1},"
    " \"targets\": {\"cpu-model\": {\"key\": \"cpu-model\"}, \"nvidia-h200\": {\"name\": \"NVIDIA "
    "H200\", \"memory_mib\": 143771}}, \"provenance\": {\"nvidia-h200\": {\"driver\": \"580\"}}, "
    "\"cases\": ["
    "{\"case\": \"a/v/1/b8\", \"target\": \"cpu-model\", \"verdict\": \"pass\", \"why\": \"\"},"
    "{\"case\": \"a/v/1/b8\", \"target\": \"nvidia-h200\", \"verdict\": \"pass\", \"metrics\": "
    "{\"time_ns\": {\"value\": 1234.5, \"baseline\": 1230, \"change\": 0.0037, \"smallest\": "
    "0.0406, "
    "\"verdict\": \"pass\"}, \"cold_time_ns\": {\"value\": 2345}}},"
    "{\"case\": \"a/v/2/b8\", \"target\": \"nvidia-h200\", \"verdict\": \"slower\", \"why\": "
    "\"time_ns "
    "slower by 6.3 %%\", \"test\": \"gpu.a.time\"},"
    "{\"case\": \"a/v/3/b8\", \"target\": \"nvidia-h200\", \"verdict\": \"noisy\", \"why\": "
    "\"interval "
    "too wide\", \"test\": \"gpu.a.time\"},"
    "{\"case\": \"a/v/4/b8\", \"target\": \"nvidia-h200\", \"verdict\": \"wrong\", \"why\": \"[3] "
    "is "
    "1, expected 2\", \"test\": \"gpu.a.check\"},"
    "{\"case\": \"a/v/5/b8\", \"target\": \"nvidia-h200\", \"verdict\": \"faster\", \"why\": \"by "
    "9 "
    "%%\", \"test\": \"gpu.a.time\"}],"
    " \"vanished\": [{\"case\": \"a/old/1/-\", \"target\": \"nvidia-h200\"}],"
    " \"refused\": [{\"case\": \"a/v/0/-\", \"target\": \"nvidia-h200\", \"why\": \"size 0\"}],"
    " \"claims\": [{\"claim\": \"a/claim_x\", \"test\": \"gpu.a.claim_x\", \"target\": "
    "\"nvidia-h200\", \"holds\": false, \"why\": \"0.97 times\"}, {\"claim\": \"a/claim_y\", "
    "\"target\": \"nvidia-h200\", \"holds\": true, \"why\": \"1.33 times\"}],"
    " \"notes\": [{\"note\": \"tiled is 1.33 times as fast as naive at 530/b16\", \"target\": "
    "\"nvidia-h200\"}],"
    " \"tests\": [{\"name\": \"gpu.b.time\", \"skipped\": \"no baseline\", \"exit_code\": 77}, "
    "{\"name\": \"gpu.a.check\", \"board\": \"GPU-1\"}, {\"name\": \"gpu.a.time\", \"board\": "
    "\"GPU-1\"}, {\"name\": \"gpu.c.time\", \"board\": \"GPU-2\"}],"
    " \"boards\": {\"GPU-1\": {\"target\": \"nvidia-h200\", \"provenance\": {\"bus_id\": "
    "\"0000:19:00.0\"}}, \"GPU-2\": {\"target\": \"nvidia-h200\"}},"
    " \"errors\": []}";

static json_t *failing_run(bool strict)
{
    char text[8192];

    snprintf(text, sizeof text, failing, strict ? "true" : "false");
    return parse(text);
}

Test(summary, begins_with_the_outcome_and_the_counts)
{
    char *text = summary(failing_run(false));

    cr_expect(strncmp(text, "# kernelgate: FAIL (exit 1); 1 test had nothing to judge\n", 56) == 0,
              "%s", text);
    expect_within(text,
                  "1 wrong, 1 slower, 1 noisy, 1 faster of 1 case on cpu-model, 5 on nvidia-h200, "
                  "1 failed claim, 1 vanished case.");
    free(text);
}

Test(summary, lists_failures_first_worst_first_and_how_to_reproduce_them)
{
    char *text = summary(failing_run(false));

    expect_order(text, "## Failed",
                 "| **wrong** | `a/v/4/b8` | `nvidia-h200` | \\[3\\] is 1, expected 2 |");
    expect_order(text, "| **wrong**",
                 "| **slower** | `a/v/2/b8` | `nvidia-h200` | time\\_ns slower by");
    expect_order(text, "| **slower**", "| **claim** | `a/claim_x`");
    expect_order(text, "| **claim**", "```sh\n");
    expect_within(text, "cmake --build build/gpu && KG_FILTER='a/v/2/b8' ctest --test-dir "
                        "build/gpu -R '^gpu\\.a\\.time$'");
    expect_within(text, "cmake --build build/gpu && KG_FILTER='a/v/4/b8' ctest --test-dir "
                        "build/gpu -R '^gpu\\.a\\.check$'");
    expect_within(
        text, "\ncmake --build build/gpu && ctest --test-dir build/gpu -R '^gpu\\.a\\.claim_x$'");
    expect_not_within(text, "KG_FILTER='a/v/3/b8'");
    free(text);
}

static const char changed_run[] =
    "{\"exit_code\": 1, \"tally\": {\"slower\": 1}, \"targets\": {\"nvidia-h200\": {}}, \"cases\": "
    "[{\"case\": \"a/v/2/b8\", \"target\": \"nvidia-h200\", \"verdict\": \"slower\", \"why\": "
    "\"time_ns slower by 6.3 %\", \"test\": \"gpu.a.time\", \"changed\": [\"registers 32 -> 40\", "
    "\"a\\nline | two\", 7]}, {\"case\": \"a/v/3/b8\", \"target\": \"nvidia-h200\", \"verdict\": "
    "\"pass\", \"changed\": []}]}";

Test(summary, tells_what_changed_beside_a_slow_verdict)
{
    char *text = summary(parse(changed_run));

    expect_within(text, "## What changed\n\n- `a/v/2/b8`\n  - registers 32 -&gt; 40\n  - a line "
                        "\\| two\n  - \n");
    expect_not_within(text, "- `a/v/3/b8`");
    free(text);
    text = summary(failing_run(false));
    expect_not_within(text, "What changed");
    free(text);
}

Test(summary, lists_what_else_is_to_be_looked_at)
{
    char *text = summary(failing_run(false));

    expect_order(text, "```sh\n", "## To look at");
    expect_order(text, "## To look at", "| **noisy** | `a/v/3/b8`");
    expect_order(text, "| **noisy**", "| **faster** | `a/v/5/b8`");
    expect_order(text, "| **vanished** | `a/old/1/-`", "## To look at");
    expect_within(text, "| **refused** | `a/v/0/-` | `nvidia-h200` | size 0 |");
    expect_within(text, "| **skipped** | `gpu.b.time` |  | no baseline |");
    expect_within(text, "- `a/claim_y` holds: 1.33 times\n");
    expect_within(text, "- `a/claim_x` does not hold: 0.97 times\n");
    expect_within(text, "- tiled is 1.33 times as fast as naive at 530/b16 on `nvidia-h200`\n");
    free(text);
}

Test(summary, shows_every_case_and_where_it_was_measured)
{
    char *text = summary(failing_run(false));

    expect_within(text, "<details><summary>All 6 cases</summary>");
    expect_within(text,
                  "| `a/v/1/b8` | `nvidia-h200` | `time_ns` | 1 234 ns | 1 230 ns | +0.4 % | 4.1 % "
                  "| pass |");
    expect_within(text,
                  "| `a/v/1/b8` | `nvidia-h200` | `cold_time_ns` | 2 345 ns |  |  |  | pass |");
    expect_within(text, "| `a/v/1/b8` | `cpu-model` | | | | | | pass |");
    expect_within(text, "| `nvidia-h200` | target | memory\\_mib | 143771 |");
    expect_within(text, "| `nvidia-h200` | provenance | driver | 580 |");
    expect_within(text,
                  "| `nvidia-h200` | board | GPU-1, 0000:19:00.0 | gpu.a.check, gpu.a.time |");
    expect_within(text, "| `nvidia-h200` | board | GPU-2 | gpu.c.time |");
    free(text);
}

Test(summary, of_a_strict_run_fails_noisy_too)
{
    char *text = summary(failing_run(true));

    expect_order(text, "| **noisy** | `a/v/3/b8`", "## To look at");
    expect_within(text, "KG_FILTER='a/v/3/b8'");
    expect_order(text, "## To look at", "| **faster**");
    free(text);
}

Test(summary, of_a_run_that_judged_nothing_says_so)
{
    char *text =
        summary(parse("{\"exit_code\": 77, \"tests\": [{\"name\": \"gpu.a.time\", \"skipped\": "
                      "\"no GPU\"}]}"));

    cr_expect(strncmp(text, "# kernelgate: NOTHING JUDGED (exit 77)\n", 39) == 0, "%s", text);
    expect_within(text, "no case was judged.");
    expect_within(text, "| **skipped** | `gpu.a.time` |  | no GPU |");
    expect_not_within(text, "PASS");
    expect_not_within(text, "## Failed");
    expect_not_within(text, "details");
    free(text);
}

Test(summary, errors_come_first)
{
    char *text =
        summary(parse("{\"exit_code\": 2, \"errors\": [{\"why\": \"no verdicts\"}, {\"test\": "
                      "\"gpu.a.time\", \"why\": \"killed\"}]}"));

    cr_expect(strncmp(text, "# kernelgate: ERROR (exit 2)\n", 29) == 0, "%s", text);
    expect_within(text, "| **error** | `kernelgate` |  | no verdicts |");
    expect_within(text, "| **error** | `gpu.a.time` |  | killed |");
    expect_within(
        text, "```sh\ncmake --build build/gpu && ctest --test-dir build/gpu -R '^gpu\\.a\\.time$' "
              "--output-on-failure\n```\n");
    free(text);
}

Test(summary, hostile_texts_stay_within_their_cells)
{
    json_t *results = parse("{\"cases\": [{\"target\": \"t\", \"verdict\": \"wrong\", \"test\": "
                            "\"gpu.a|b.time\"}]}");
    json_t *entry = json_array_get(json_object_get(results, "cases"), 0);
    char *text;

    json_object_set_new(entry, "case", json_string("a`b|c\nd"));
    json_object_set_new(entry, "why",
                        json_string_nocheck("<script>a|b</script> & *bold* `code` [l](u) ~~x~~ "
                                            "\\ @team #1 $x$ \xff\ny"));
    text = summary(results);
    expect_within(text,
                  "| **wrong** | `a'b\\|c d` | `t` | &lt;script&gt;a\\|b&lt;/script&gt; &amp; "
                  "\\*bold\\* \\`code\\` \\[l\\](u) \\~\\~x\\~\\~ \\\\ \\@team \\#1 \\$x\\$ "
                  "\xef\xbf\xbd y |\n");
    expect_within(text, "```sh\ncmake --build build/gpu && KG_FILTER='a`b|c d' ctest");
    free(text);
}

Test(summary, counts_the_verdicts_of_each_target)
{
    char *text = summary(failing_run(false));

    expect_within(text, "\n| target | wrong | slower | noisy | faster | pass |\n"
                        "| --- | ---: | ---: | ---: | ---: | ---: |\n"
                        "| `cpu-model` | 0 | 0 | 0 | 0 | 1 |\n"
                        "| `nvidia-h200` | 1 | 1 | 1 | 1 | 1 |\n\n## Failed");
    free(text);
}

Test(summary, a_long_table_is_cut_and_says_so)
{
    json_t *results = json_object();
    json_t *cases = json_array();
    char *text;

    for (int i = 0; i < 10000; i++)
        json_array_append_new(
            cases, json_pack("{s:s,s:s,s:s}", "case", "a/b/c/-", "target", "t", "verdict", "pass"));
    json_object_set_new(results, "cases", cases);
    text = summary(results);
    cr_expect(strstr(text, "All 10000 cases") != NULL);
    cr_expect(strstr(text,
                     "\n| `a/b/c/-` | `t` | | | | | | pass |\n\n5572 more lines: results.json has "
                     "them all.\n\n</details>\n") != NULL);
    free(text);
}

/* Every list of a document with `count` entries whose texts are long, of two targets. */
static json_t *crowded_run(size_t count, const char *long_text)
{
    static const char *const lists[] = { "cases",   "claims", "errors", "vanished",
                                         "refused", "notes",  "tests",  NULL };
    json_t *results = json_pack("{s:{}}", "targets");

    for (const char *const *list = lists; *list != NULL; list++)
        json_object_set_new(results, *list, json_array());
    for (size_t i = 0; i < count; i++) {
        char id[64];
        json_t *entry;

        snprintf(id, sizeof id, "a/v%zu/1/-", i);
        entry = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:[s]}", "case", id, "target",
                          i % 2 == 0 ? "t" : "u", "verdict", i % 3 == 0 ? "noisy" : "wrong", "why",
                          long_text, "note", long_text, "claim", id, "skipped", long_text, "test",
                          id, "changed", long_text);
        for (const char *const *list = lists; *list != NULL; list++)
            json_array_append(json_object_get(results, *list), entry);
        json_object_set_new(json_object_get(results, "targets"), id,
                            json_pack("{s:s}", "name", long_text));
        json_decref(entry);
    }
    return results;
}

Test(summary, stays_below_a_mebibyte_whatever_it_holds)
{
    static const char *const parts[] = {
        "## Failed",     " more lines: results.json has them all.\n\nTo run them again",
        "```sh\n",       "--output-on-failure\n```\n",
        "## To look at", "## What changed",
        "## Speedups",   "\n</details>\n",
    };
    static char long_text[2000];
    const char *found;
    char *text;

    memset(long_text, '&', sizeof long_text - 1);
    text = summary(crowded_run(3000, long_text));
    cr_expect(strlen(text) < (1 << 20) - 1, "%zu bytes", strlen(text));
    cr_expect(strlen(text) > 900000, "%zu bytes: each section takes its share", strlen(text));
    found = text;
    /* The page is too long to be shown where one is missing. */
    for (size_t i = 0; i < sizeof parts / sizeof *parts && found != NULL; i++) {
        found = strstr(found, parts[i]);
        cr_expect(found != NULL, "\"%s\" is not behind the one before it", parts[i]);
    }
    cr_expect(strcmp(text + strlen(text) - 12, "\n</details>\n") == 0, "it ends whole");
    free(text);
}

static const char alike_run[] =
    "{\"exit_code\": 1, \"tally\": {\"wrong\": 4}, \"targets\": {\"cpu-model\": {}}, \"cases\": ["
    "{\"case\": \"a/v/1/b8\", \"target\": \"cpu-model\", \"verdict\": \"wrong\", \"why\": "
    "\"kernels/a/v.cu:9: reads x; 3 times\", \"test\": \"model.a.check\"}, "
    "{\"case\": \"a/v/2/b8\", \"target\": \"cpu-model\", \"verdict\": \"wrong\", \"why\": "
    "\"kernels/a/v.cu:9: reads x; 4 times\", \"test\": \"model.a.check\"}, "
    "{\"case\": \"a/v/2/b16\", \"target\": \"cpu-model\", \"verdict\": \"wrong\", \"why\": "
    "\"kernels/a/v.cu:9: reads x; 5 times\", \"test\": \"model.a.check\"}, "
    "{\"case\": \"a/v/3/b8\", \"target\": \"cpu-model\", \"verdict\": \"wrong\", \"why\": "
    "\"kernels/a/v.cu:11: reads x; 5 times\", \"test\": \"model.a.check\"}]}";

Test(summary, cases_that_failed_alike_are_one_row)
{
    char *text = summary(parse(alike_run));

    expect_within(text, "v.cu:9: reads x; 3 times; also 2/b8, 2/b16 |\n");
    expect_within(text, "v.cu:11: reads x; 5 times |\n");
    expect_not_within(text, "4 times");
    expect_within(text, "KG_FILTER='a/v/1/b8'");
    expect_not_within(text, "KG_FILTER='a/v/2/b8'");
    free(text);
}

Test(summary, documents_of_any_shape_are_written)
{
    static const char *const shapes[] = {
        "{}",
        "[]",
        "{\"cases\": 3, \"claims\": \"x\", \"tests\": {}, \"errors\": [1, null, []], \"vanished\": "
        "[1], "
        "\"refused\": [[]], \"targets\": [], \"provenance\": 1, \"notes\": [3], \"exit_code\": "
        "\"0\"}",
        "{\"cases\": [1, {}, {\"case\": 3, \"target\": [], \"verdict\": \"great\", \"why\": {}, "
        "\"metrics\": []}, {\"case\": \"a\", \"verdict\": \"slower\", \"metrics\": {\"m\": 3}}], "
        "\"tally\": {\"pass\": -3, \"slower\": \"x\"}, \"targets\": {\"t\": 3}}",
    };

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        free(summary(parse(shapes[i])));
    }
}
