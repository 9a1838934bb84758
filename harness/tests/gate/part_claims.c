/* The claims of a suite from end to end, on times and on counters that this run recorded. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/json.h"
#include "base/message.h"
#include "records/records.h"
#include "tests/fakes/fake_runs.h"

TestSuite(part_claims, .init = begin_fake_runs, .fini = end_fake_runs, .timeout = 60);

#define CLAIM "--filter=fake/claim_quick_beats_plain"
#define CLAIM_TEST "gpu.fake.claim_quick_beats_plain"

Test(part_claims, a_claim_that_holds)
{
    json_t *verdicts;
    const json_t *claim;

    store_baseline();
    expect_time(0, NULL);
    expect_run(
        KG__FAKE_GPU, CLAIM, 0,
        "holds        claim        " CLAIM_TEST
        "  quick/64/b32 runs at 2.00 times the speed of plain/64/b32, at least 1.50 expected");
    verdicts = verdicts_of(CLAIM_TEST);
    claim = json_array_get(json_object_get(verdicts, "claims"), 0);
    cr_assert(json_is_true(json_object_get(claim, "holds")));
    cr_assert(strcmp(kg__json_text(json_object_get(verdicts, "target"), "key"), "nvidia-fake") ==
              0);
    json_decref(verdicts);
    set("KG_STRICT", "1");
    expect_run(KG__FAKE_GPU, CLAIM, 0, "holds");
}

/* A claim needs no baseline: both times are of this run. */
Test(part_claims, a_claim_that_fails)
{
    json_t *verdicts;

    plan("* fake/quick/64/b32 hot 7000\n");
    expect_time(77, NULL);
    expect_run(KG__FAKE_GPU, CLAIM, 1,
               "fails        claim        " CLAIM_TEST "  quick/64/b32 runs at 1.43 times");
    verdicts = verdicts_of(CLAIM_TEST);
    cr_assert(json_is_false(
        json_object_get(json_array_get(json_object_get(verdicts, "claims"), 0), "holds")));
    json_decref(verdicts);
}

/* It compares this run with itself, so that no case is judged by it. */
Test(part_claims, a_claim_that_holds_without_a_baseline)
{
    static const char both[] = "--filter=fake/@(time|claim_quick_beats_plain)";

    expect_time(77, NULL);
    expect_run(KG__FAKE_GPU, CLAIM, 0, "holds        claim        " CLAIM_TEST);
    expect_run(KG__FAKE_GPU, both, 77, "holds        claim        " CLAIM_TEST);
    expect_merge(77, "claims: 1 holds");
    expect_merge(77, "\nNOTHING JUDGED  4 no-baseline of 4 cases on ");
    set("KG_STRICT", "1");
    expect_merge(2, ", because of KG_STRICT=1: 4 no-baseline, 1 test had nothing to judge\n");
    expect_run(KG__FAKE_GPU, both, 2, "holds        claim        " CLAIM_TEST);
}

Test(part_claims, a_claim_on_what_is_wrong)
{
    store_baseline();
    expect_run(KG__FAKE_GPU, CLAIM, 77, "fake/quick/64/b32 must be right");
    plan("* fake/quick/64/b32 wrong\n");
    expect_time(1, NULL);
    expect_run(KG__FAKE_GPU, CLAIM, 77, "skipped      claim");
    expect_skip(CLAIM_TEST, "unavailable",
                "fake/quick/64/b32 must be right and have its time_ns in this run (part time)");
    set("KG_STRICT", "1");
    expect_run(KG__FAKE_GPU, CLAIM, 2, "must be right and have its");
}

Test(part_claims, a_claim_that_is_filtered_out)
{
    store_baseline();
    set("KG_STRICT", "1");
    set("KG_FILTER", "fake/quick/*");
    expect_time(0, NULL);
    expect_run(KG__FAKE_GPU, CLAIM, 77, "not selected by --filter:");
    expect_skip(CLAIM_TEST, "filter", "not selected by --filter:");
}

/* Runs one claim of a program; its exit code and a line of its output must be so. */
static void expect_claim(const char *program, const char *claim, int code, const char *line)
{
    char filter[64];

    kg__format(filter, sizeof filter, "--filter=fake/claim_%s", claim);
    expect_run(program, filter, code, line);
}

static void expect_count_claim(const char *claim, int code, const char *line)
{
    expect_claim(KG__FAKE_MODEL_CLAIMS, claim, code, line);
}

/* Counts whatever the plan says; there is no baseline, and claims need none. */
static void count_by_plan(const char *text)
{
    plan_counts(text);
    expect_count(77, "no-baseline  cpu-model");
}

Test(part_claims, claims_on_counters)
{
    count_by_plan("* fake/quick/64/b32 global_load_sectors 200\n");
    set("KG_STRICT", "1");
    expect_count_claim("fewer_sectors", 0,
                       "holds        claim        model.fake.claim_fewer_sectors    "
                       "global_load_sectors: quick/64/b32 has 200, plain/64/b32 has 400: 2.00 "
                       "times as much, at least 2.00 times as much expected");
    expect_count_claim("fewer_sectors_a_request", 0,
                       "global_load_sectors_per_request: quick/64/b32 has 1, plain/64/b32 has 2: "
                       "2.00 times");
    expect_count_claim("sectors_a_request", 0,
                       "global_load_sectors_per_request of plain/64/b32 is 2, 2 to 2.5 expected");
}

Test(part_claims, claims_on_counters_that_fail)
{
    count_by_plan("* fake/quick/64/b32 global_load_sectors 201\n");
    expect_count_claim("fewer_sectors", 1,
                       "fails        claim        model.fake.claim_fewer_sectors    "
                       "global_load_sectors: quick/64/b32 has 201, plain/64/b32 has 400: 1.99 "
                       "times as much, at least 2.00 times as much expected");
    count_by_plan("* fake/plain/64/b32 global_load_sectors 501\n");
    expect_count_claim("sectors_a_request", 1, "is 2.505, 2 to 2.5 expected");
    count_by_plan("* fake/plain/64/b32 global_load_sectors 399\n");
    expect_count_claim("sectors_a_request", 1, "is 1.995, 2 to 2.5 expected");
}

/* Nothing is less than nothing, and something more than any number of times nothing. */
Test(part_claims, claims_on_zeros)
{
    count_by_plan("* * barriers 0\n");
    expect_count_claim(
        "fewer_barriers", 1,
        "barriers: quick/64/b32 has 0, plain/64/b32 has 0, at least 2.00 times as much");
    expect_count_claim("as_many_barriers", 0, "holds");
    count_by_plan("* fake/quick/64/b32 barriers 0\n");
    expect_count_claim(
        "fewer_barriers", 0,
        "barriers: quick/64/b32 has 0, plain/64/b32 has 8, at least 2.00 times as much");
    expect_count_claim("as_many_barriers", 1, "fails");
}

static void expect_held(const char *claim, size_t held, size_t failed)
{
    char test[64];
    json_t *verdicts;
    json_t *entry;
    size_t count = 0;
    size_t i;

    kg__format(test, sizeof test, "model.fake.claim_%s", claim);
    verdicts = verdicts_of(test);
    json_array_foreach (json_object_get(verdicts, "claims"), i, entry)
        count += json_is_true(json_object_get(entry, "holds"));
    cr_assert(count == held && size_of(verdicts, "claims") == held + failed, "%zu of %zu hold",
              count, size_of(verdicts, "claims"));
    json_decref(verdicts);
}

/* A test may expect several things: all of them stay in its file, up to the first that fails. */
Test(part_claims, a_claim_that_expects_several_things)
{
    json_t *results;

    count_by_plan("");
    expect_count_claim("several", 0, "unique_bytes_read of plain/64/b64 is 256, 0 to 256 expected");
    expect_held("several", 3, 0);
    expect_merge(77, NULL);
    results = read_json(at("out/results.json"));
    cr_assert(size_of(results, "claims") == 3);
    json_decref(results);

    count_by_plan("* fake/quick/64/b32 global_load_sectors 401\n");
    expect_count_claim("several", 1, "fails        claim        model.fake.claim_several");
    expect_held("several", 1, 1);

    count_by_plan("* fake/plain/64/b64 unique_bytes_read -\n");
    expect_count_claim("several", 0, "fake/plain/64/b64 must be right");
    expect_skip("model.fake.claim_several", "unavailable", "have its unique_bytes_read in this");
    expect_held("several", 2, 0);
    set("KG_STRICT", "1");
    expect_count_claim("several", 2, "must be right and have its");
}

Test(part_claims, claims_on_what_this_run_did_not_count)
{
    expect_count_claim("fewer_sectors", 77, "fake/quick/64/b32 must be right");
}

/* What the check found wrong is nothing to speak of, whatever it counts. */
Test(part_claims, claims_on_counts_of_what_is_wrong)
{
    plan_counts("* fake/plain/64/b32 finding\n");
    expect_count(1, "wrong        cpu-model    fake/plain/64/b32");
    expect_count_claim("fewer_barriers", 77, "fake/plain/64/b32 must be right");
    count_by_plan("* fake/quick/64/b32 barriers 0\n");
    expect_count_claim("fewer_barriers", 0, "holds");
    plan_counts("* fake/quick/64/b32 wrong\n");
    expect_check(1, "wrong        cpu-model    fake/quick/64/b32");
    expect_count_claim("fewer_barriers", 77, "fake/quick/64/b32 must be right");
}

/* Six digits of a count would show 1 000 001 as what was expected of 1 000 000. */
Test(part_claims, a_claim_shows_counts_to_the_last_digit)
{
    count_by_plan("* fake/plain/64/b32 barriers 1000001\n");
    expect_count_claim("several", 1, "barriers of plain/64/b32 is 1 000 001, 8 expected");
}

/* A claim that can never speak would be skipped for ever: it is an error. */
Test(part_claims, claims_that_say_nothing)
{
    static const char *const mistaken[][2] = {
        { "no_such_case", "fake/plain/65/b32: no such case among those of part count: fix" },
        { "no_case_that_is_counted", "fake/plain/1/b32: no such case among those of part count" },
        { "no_such_metric", "barrier: no metric of part count: fix the claim" },
        { "a_time", NULL },
        { "no_factor", "a factor that is not a number above 0: fix the claim" },
        { "no_range", "a range whose least is above its most: fix the claim" },
        { "a_range_of_nothing", "a range whose least is above its most: fix the claim" },
        { "nothing_at_all", "the claim expects nothing: give it a kg_expect_...(), or remove it" },
    };

    count_by_plan("");
    for (size_t i = 0; i < sizeof mistaken / sizeof *mistaken; i++) {
        char test[64];
        json_t *verdicts;

        expect_count_claim(mistaken[i][0], 2, mistaken[i][1]);
        kg__format(test, sizeof test, "model.fake.claim_%s", mistaken[i][0]);
        verdicts = verdicts_of(test);
        cr_assert(size_of(verdicts, "errors") == 1, "%s", test);
        json_decref(verdicts);
    }
    expect_held("no_such_case", 1, 0);
}

Test(part_claims, a_claim_on_counters_that_is_filtered_out)
{
    count_by_plan("");
    set("KG_STRICT", "1");
    set("KG_FILTER", "fake/quick/*");
    expect_count_claim("fewer_sectors", 77, "not selected by --filter: fake/plain/64/b32");
    expect_skip("model.fake.claim_fewer_sectors", "filter", "not selected by --filter:");
    expect_count_claim("no_such_case", 77, "not selected by --filter: fake/plain/64/b32");
}

Test(part_claims, claims_on_cold_times)
{
    static const char *const mistaken[][2] = {
        { "a_counter", "barriers: no metric of part time: fix the claim" },
        { "a_speedup_by_nothing", "a factor that is not a number above 0: fix the claim" },
    };

    store_baseline();
    expect_time(0, NULL);
    expect_claim(KG__FAKE_GPU_CLAIMS, "quick_from_memory", 0,
                 "cold_time_ns: quick/64/b32 has 6 000 ns, plain/64/b32 has 12 000 ns: 2.00 times");
    expect_claim(KG__FAKE_GPU_CLAIMS, "quick_from_memory", 0,
                 "time_ns of quick/64/b32 is 5 000, 4 000 to 6 000 expected");
    for (size_t i = 0; i < sizeof mistaken / sizeof *mistaken; i++)
        expect_claim(KG__FAKE_GPU_CLAIMS, mistaken[i][0], 2, mistaken[i][1]);
    plan("* fake/quick/64/b32 cold 6100\n");
    expect_time(0, NULL);
    expect_claim(KG__FAKE_GPU_CLAIMS, "quick_from_memory", 1,
                 "1.97 times as much, at least 2.00 times");
    plan("* fake/quick/64/b32 cold 0\n");
    expect_time(2, NULL);
    expect_claim(KG__FAKE_GPU_CLAIMS, "quick_from_memory", 77, "must be right and have its cold_");
    expect_run(KG__FAKE_GPU, CLAIM, 77, "fake/quick/64/b32 must be right and have its time_ns");
}
