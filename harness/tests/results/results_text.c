/* Results in words: reasons, figures, outcomes, and the line that reproduces one. */
#include "results/results_text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

static void expect_line(char *line, const char *expected)
{
    cr_expect(eq(str, line, (char *)expected));
    free(line);
}

Test(results_text, reproduction_quotes_what_a_shell_would_read)
{
    json_t *results = json_object();
    json_t *entry = json_pack("{s:s}", "test", "gpu.matmul_f32.time");

    expect_line(kg__results_reproduce(results, entry, "matmul_f32/tiled/530/b16"),
                "cmake --build build/gpu && KG_FILTER='matmul_f32/tiled/530/b16' ctest --test-dir "
                "build/gpu -R "
                "'^gpu\\.matmul_f32\\.time$' --output-on-failure");
    json_object_set_new(entry, "test", json_string("model.a+b.check"));
    expect_line(kg__results_reproduce(results, entry, NULL),
                "cmake --build build/cpu && ctest --test-dir build/cpu -R "
                "'^model\\.a\\+b\\.check$' --output-on-failure");
    json_object_set_new(results, "build", json_string("my build"));
    expect_line(kg__results_reproduce(results, entry, "it's; $(reboot)\n"),
                "cmake --build 'my build' && KG_FILTER='it'\\''s; $(reboot) ' ctest --test-dir 'my "
                "build' -R "
                "'^model\\.a\\+b\\.check$' --output-on-failure");
    cr_expect(kg__results_reproduce(results, results, "x") == NULL);
    json_decref(entry);
    json_decref(results);
}

/* Without strictness the case would pass, and in strict mode a filter must be given on purpose. */
Test(results_text, reproduction_is_strict_where_strictness_failed)
{
    static const struct {
        const char *verdict;
        bool strict;
        bool expected;
    } failures[] = {
        { "noisy", true, true },   { "no-baseline", true, true }, { "environment", true, true },
        { "slower", true, false }, { "error", true, false },      { "noisy", false, false },
    };

    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        json_t *results = json_pack("{s:b}", "strict", (int)failures[i].strict);
        json_t *entry =
            json_pack("{s:s, s:s}", "test", "gpu.a.time", "verdict", failures[i].verdict);
        json_t *imported = json_pack("{s:s, s:{s:s, s:[s]}}", "verdict", failures[i].verdict,
                                     "imported", "from", "nvbench", "files", "c.json");

        expect_line(
            kg__results_reproduce(results, entry, "a/b/1/-"),
            failures[i].expected
                ? "cmake --build build/gpu && KG_STRICT=1 KG_FILTER='a/b/1/-' "
                  "KG_FILTER_GIVEN='a/b/1/-' ctest --test-dir build/gpu -R "
                  "'^gpu\\.a\\.time$' --output-on-failure"
                : "cmake --build build/gpu && KG_FILTER='a/b/1/-' ctest --test-dir build/gpu "
                  "-R '^gpu\\.a\\.time$' --output-on-failure");
        expect_line(kg__results_reproduce(results, imported, NULL),
                    failures[i].expected ? "KG_STRICT=1 kernelgate import --from nvbench c.json"
                                         : "kernelgate import --from nvbench c.json");
        json_decref(imported);
        json_decref(entry);
        json_decref(results);
    }
}

Test(results_text, reasons_come_from_the_worst_metric_where_the_case_has_none)
{
    json_t *entry =
        json_loads("{\"verdict\": \"slower\", \"metrics\": {\"cold_time_ns\": {\"value\": "
                   "3, \"verdict\": \"pass\"}, \"time_ns\": {\"value\": 47980, "
                   "\"baseline\": 45130, \"change\": 0.0631, \"limit\": 0.02, \"verdict\": "
                   "\"slower\"}}}",
                   0, NULL);
    json_t *metric = json_object_get(json_object_get(entry, "metrics"), "time_ns");

    expect_line(kg__results_reason(entry),
                "time_ns 47 980 ns (baseline 45 130 ns, +6.3 %, limit 2.0 %): slower");
    json_object_set_new(metric, "why", json_string("slower by 6.3 %"));
    expect_line(kg__results_reason(entry), "time_ns slower by 6.3 %");
    json_object_set_new(entry, "why", json_string("its\nown\twords"));
    expect_line(kg__results_reason(entry), "its own words");
    json_object_clear(entry);
    expect_line(kg__results_reason(entry), "no reason was recorded");
    json_object_set_new(entry, "verdict", json_string("pass"));
    expect_line(kg__results_reason(entry), "");
    json_decref(entry);
}

Test(results_text, figures_leave_out_what_is_unknown)
{
    json_t *metric = json_pack("{s:i}", "value", 9550600);

    expect_line(kg__results_figures("global_load_requests", metric),
                "global_load_requests 9 550 600");
    json_object_set_new(metric, "baseline", json_real(9550600));
    expect_line(kg__results_figures("n", metric), "n 9 550 600 (baseline 9 550 600)");
    json_object_set_new(metric, "value", json_null());
    expect_line(kg__results_figures("n", metric), "n unknown (baseline 9 550 600)");
    json_decref(metric);
}

Test(results_text, outcomes_in_words)
{
    static const struct {
        const char *results;
        const char *outcome;
    } table[] = {
        { "{\"exit_code\": 0, \"tally\": {\"pass\": 2}}", "PASS (exit 0)" },
        { "{\"exit_code\": 0, \"tally\": {\"pass\": 2, \"noisy\": 1, \"no-baseline\": 3, "
          "\"unlisted\": "
          "4}}",
          "PASS (exit 0), but not with KG_STRICT=1: 1 noisy, 3 no-baseline, 4 unlisted" },
        { "{\"exit_code\": 1, \"tally\": {\"pass\": 2, \"vanished\": 1}, \"vanished\": [{}]}",
          "FAIL (exit 1)" },
        { "{\"exit_code\": 0, \"tally\": {\"pass\": 1}, \"coverage\": {\"filter\": \"a/*\", "
          "\"tests\": {\"expected\": 32, \"reported\": 32}, \"cases\": {\"expected\": 626, "
          "\"reported\": 1}}}",
          "PASS (exit 0), filtered: 1 of 626 cases" },
        { "{\"exit_code\": 0, \"tally\": {\"pass\": 9}, \"coverage\": {\"partial\": true, "
          "\"tests\": {\"expected\": 32, \"reported\": 4}, \"cases\": {\"expected\": 626, "
          "\"reported\": 9}}}",
          "PASS (exit 0), partial: 4 of 32 tests" },
        { "{\"exit_code\": 0, \"tally\": {\"pass\": 2, \"unavailable\": 1}}",
          "PASS (exit 0); 1 test had nothing to judge" },
        { "{\"exit_code\": 1, \"tally\": {\"slower\": 2, \"unavailable\": 3}}",
          "FAIL (exit 1); 3 tests had nothing to judge" },
        { "{\"exit_code\": 2, \"tally\": {\"error\": 2}}", "ERROR (exit 2)" },
        { "{\"exit_code\": 2, \"errors\": [{}]}", "ERROR (exit 2)" },
        { "{\"exit_code\": 77, \"tally\": {\"no-baseline\": 2}}", "NOTHING JUDGED (exit 77)" },
        { "{\"exit_code\": 77, \"tally\": {\"pass\": 1}}", "NOTHING JUDGED (exit 77)" },
        { "{\"exit_code\": 77, \"tally\": {\"no-baseline\": 2}, \"claims\": [{\"holds\": true}]}",
          "NOTHING JUDGED (exit 77)" },
        { "{\"exit_code\": 1, \"tally\": {\"no-baseline\": 2, \"failed_claims\": 1}}",
          "FAIL (exit 1)" },
        { "{\"exit_code\": 2, \"strict\": true, \"tally\": {\"no-baseline\": 2}}",
          "NOTHING JUDGED (exit 2, because of KG_STRICT=1: 2 no-baseline)" },
        { "{\"exit_code\": 2, \"strict\": true, \"tally\": {\"no-baseline\": 2, \"unavailable\": "
          "1}, "
          "\"claims\": [{\"holds\": true}]}",
          "NOTHING JUDGED (exit 2, because of KG_STRICT=1: 2 no-baseline, 1 test had nothing to "
          "judge)" },
        { "{\"exit_code\": 2, \"strict\": true, \"tally\": {\"pass\": 2, \"unavailable\": 3}}",
          "ERROR (exit 2, because of KG_STRICT=1: 3 tests had nothing to judge)" },
        { "{\"exit_code\": 2, \"strict\": true, \"tally\": {\"no-baseline\": 2, \"error\": 1}}",
          "ERROR (exit 2)" },
        { "{\"exit_code\": 1, \"strict\": true, \"tally\": {\"pass\": 2, \"noisy\": 1, "
          "\"unlisted\": "
          "1}}",
          "FAIL (exit 1, because of KG_STRICT=1: 1 noisy, 1 unlisted)" },
        { "{\"exit_code\": 1, \"strict\": true, \"tally\": {\"slower\": 1, \"noisy\": 1}}",
          "FAIL (exit 1)" },
        { "{\"exit_code\": 0}", "NOTHING JUDGED (exit 0)" },
        { "{}", "NOTHING JUDGED (exit 2)" },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        json_t *results = json_loads(table[i].results, 0, NULL);

        expect_line(kg__results_outcome(results), table[i].outcome);
        json_decref(results);
    }
}
