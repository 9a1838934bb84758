/* Runs of several parts, whose verdicts `kernelgate results` joins. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "records/records.h"
#include "results/time_result.h"
#include "tests/fakes/fake_runs.h"

TestSuite(whole_runs, .init = begin_fake_runs, .fini = end_fake_runs, .timeout = 60);

Test(whole_runs, a_run_is_summed_up)
{
    json_t *results;

    set("KG_FILTER", "fake/plain/*,fake/overruns/*");
    expect_check(1, NULL);
    expect_merge(1, "fake/overruns/64/b32");
    results = read_json(at("out/results.json"));
    cr_assert(size_of(results, "cases") == 8 && size_of(results, "refused") == 8);
    cr_assert(strstr(kg__json_text(find_entry(results, "fake/overruns/64/b32"), "why"),
                     "guard zone after to") != NULL);
    json_decref(results);
    cr_assert(exists(at("out/junit.xml")) && exists(at("out/summary.md")));
}

/* Both parts of a case come together: the check's verdict and the counters. */
Test(whole_runs, checks_and_counts_are_summed_up)
{
    const json_t *entry;
    json_t *results;
    char *text;

    store_counts();
    plan_counts("* " SLOW " barriers 9\n");
    expect_check(0, NULL);
    expect_count(1, NULL);
    expect_merge(1, "barriers rose by 12.5 % (9 against 8)");
    expect_merge(1, "&& KG_FILTER='fake/plain/64/b32' ctest");
    results = read_json(at("out/results.json"));
    entry = find_entry(results, SLOW);
    cr_assert(json_array_size(json_object_get(entry, "parts")) == 2);
    cr_assert(json_object_size(json_object_get(entry, "metrics")) >= 17 + 2, "all of them");
    cr_assert(json_object_get(entry, "lines") != NULL);
    json_decref(results);
    text = read_text(at("out/summary.md"));
    cr_assert(occurrences(text, "`barriers`") == 4 &&
                  strstr(text, "`constant_load_words`") == NULL &&
                  strstr(text, "not gated |") != NULL,
              "%s", text);
    free(text);
    text = read_text(at("out/junit.xml"));
    cr_assert(strstr(text, "barriers 9 (baseline 8, +12.5 %") != NULL, "%s", text);
    cr_assert(strstr(text, "constant_load_words") == NULL &&
                  strstr(text, "global_load_sectors_per_request 2 ") != NULL,
              "%s", text);
    free(text);
}

Test(whole_runs, a_run_on_both_targets_is_summed_up)
{
    json_t *results;

    store_baseline();
    plan("* fake/quick/64/b64 hot 6000\n");
    expect_check(0, NULL);
    expect_run(KG__FAKE_GPU, "--filter=fake/check", 0, NULL);
    (void)unlink(at("log"));
    expect_time(1, NULL);
    expect_run(KG__FAKE_GPU, "--filter=fake/claim_quick_beats_plain", 0, NULL);
    expect_merge(1, "64/b64 takes 6 µs, was 5 µs (+20.0 %, limit 2.0 %)");
    results = read_json(at("out/results.json"));
    cr_assert(json_object_size(json_object_get(results, "targets")) == 2);
    cr_assert(size_of(results, "tests") == 4 && size_of(results, "claims") == 1);
    cr_assert(size_of(results, "cases") == 16);
    cr_assert(find_entry(results, "fake/quick/64/b64") != NULL);
    json_decref(results);
}

/* What a run leaves in which the variants that are right were checked and timed. */
static json_t *results_of_sound_run(void)
{
    store_baseline();
    expect_run(KG__FAKE_SOUND_GPU, "--filter=fake/check", 0, NULL);
    expect_run(KG__FAKE_SOUND_GPU, "--filter=fake/time", 0, NULL);
    return merged_results(0);
}

/* The part that checks describes the device first; the one that times adds its sentinels to that.
 */
Test(whole_runs, the_results_hold_what_the_sentinels_said)
{
    const json_t *said;
    json_t *results = results_of_sound_run();

    said = json_object_get(json_object_get(json_object_get(results, "provenance"), "nvidia-fake"),
                           "sentinels_ns");
    cr_assert(json_is_number(json_object_get(said, "copy")) &&
              json_is_number(json_object_get(said, "fma")));
    /* 400 MB in 100 us, 10 G operations in 200 us. */
    said = json_object_get(json_object_get(json_object_get(results, "provenance"), "nvidia-fake"),
                           "limits");
    cr_assert(json_object_size(said) == 2);
    cr_assert(fabs(kg__json_number(said, "copy_bytes_per_second") - 4e12) < 1e3);
    cr_assert(fabs(kg__json_number(said, "operations_per_second") - 5e13) < 1e4);
    json_decref(results);
}

/* The job's work and what its kernel takes go from the record to the results, and from there into
 * the table. */
Test(whole_runs, a_timed_run_has_its_table)
{
    const char *const table[] = { KG__COMMAND, "report", "--table", "fake", NULL };
    const json_t *entry;
    json_t *results = results_of_sound_run();
    ending seen;

    entry = find_entry(results, "fake/plain/64/b32");
    cr_assert(kg__json_number(json_object_get(entry, "work"), "operations") == 64);
    cr_assert(kg__json_number(json_object_get(entry, "work"), "bytes") == 512);
    cr_assert(kg__json_number(json_object_get(entry, "kernel"), "registers") == 40);
    json_decref(results);
    seen = drive(table, environment);
    expect_ending(&seen, 0, "| 64   | b32    |    10 | 5 (2.00×) |");
    expect_ending(&seen, 0, "| 64   | b32    | 75.0 % | 75.0 % |");
    free(seen.output);
}
