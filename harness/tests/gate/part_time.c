/* The part that times from end to end, on a GPU that is not there: what is judged, what is
 * confirmed, and what keeps a case from being judged. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/lock.h"
#include "base/message.h"
#include "baseline/fingerprint.h"
#include "records/records.h"
#include "results/time_result.h"
#include "tests/fakes/fake_code.h"
#include "tests/fakes/fake_runs.h"
#include "tests/fakes/made_baselines.h"

TestSuite(part_time, .init = begin_fake_runs, .fini = end_fake_runs, .timeout = 60);

/* One case has this verdict, the other three pass; the exit codes are those of a run that is not
 * strict and of one that is. */
static void expect_verdict(const char *verdict, const char *why, int code, int strict_code)
{
    set("KG_STRICT", "0");
    expect_time(code, why);
    expect_case("gpu.fake.time", SLOW, verdict, why);
    cr_assert(count_cases("gpu.fake.time", "pass") == (strcmp(verdict, "pass") == 0 ? 4 : 3));
    (void)unlink(at("log"));
    set("KG_STRICT", "1");
    expect_time(strict_code, why);
    expect_case("gpu.fake.time", SLOW, verdict, why);
}

Test(part_time, times_that_hold)
{
    json_t *verdicts;

    store_baseline();
    expect_verdict("pass", "", 0, 0);
    cr_assert(processes() == 1);
    verdicts = verdicts_of("gpu.fake.time");
    cr_assert(size_of(verdicts, "refused") == 4 && size_of(verdicts, "vanished") == 0);
    cr_assert(strcmp(kg__json_text(json_object_get(verdicts, "target"), "name"), "NVIDIA Fake") ==
              0);
    cr_assert(strcmp(kg__json_text(json_object_get(verdicts, "provenance"), "driver"), "1.2.3") ==
              0);
    cr_assert(strcmp(json_string_value(json_array_get(json_object_get(verdicts, "speedups"), 0)),
                     "fake/quick/64/b32 runs at 2.00 times the speed of plain hot, 2.00 cold") ==
              0);
    json_decref(verdicts);
    expect_time(0, "pass         nvidia-fake  fake/quick/64/b64                 hot 5 000 ns (0.0 "
                   "%)  cold 6 000 ns (0.0 %)");
    expect_time(0, "speedup      nvidia-fake  fake/quick/64/b32 runs at 2.00 times");
}

/* A figure is the same whether a file holds it as 700 or as 700.0. */
Test(part_time, times_of_other_surroundings)
{
    json_t *verdicts;

    kg__provenance_set_text(&baseline.provenance, "driver", "1.2.3");
    kg__provenance_set(&baseline.provenance, "power_limit_w", KG__FACT_COUNT, 700);
    store_baseline();
    expect_time(0, "speedup      nvidia-fake");
    verdicts = verdicts_of("gpu.fake.time");
    cr_assert(size_of(verdicts, "notes") == 0 && size_of(verdicts, "speedups") == 2);
    json_decref(verdicts);
    kg__provenance_set(&baseline.provenance, "power_limit_w", KG__FACT_COUNT, 650);
    save_baseline();
    expect_time(0, "note         nvidia-fake  nvidia-fake: the baseline was recorded with "
                   "power_limit_w 650, this run has 700.0");
}

/* Whatever the verdict: a case that is slower may pass at the cheaper cost of a launch. */
Test(part_time, a_launch_that_costs_something_else_is_noted)
{
    json_t *verdicts;

    kg__provenance_set(&baseline.provenance, "launch_ns", KG__FACT_COUNT, 680);
    store_baseline();
    plan("* " SLOW " launch_ns 690\n");
    expect_time(0, "pass         nvidia-fake  " SLOW);
    verdicts = verdicts_of("gpu.fake.time");
    cr_assert(size_of(verdicts, "notes") == 0 && size_of(verdicts, "speedups") == 2);
    json_decref(verdicts);
    plan("* " SLOW " launch_ns 502\n* fake/quick/64/b32 launch_ns 600\n");
    expect_time(0, "note         nvidia-fake  nvidia-fake: 2 of 2 cases were timed while a launch "
                   "cost 502 ns, and not 680 ns as when the baseline was recorded");
}

Test(part_time, slower)
{
    json_t *verdicts;

    store_baseline();
    plan("* " SLOW " hot 11000\n");
    expect_verdict("slower", "slower by 10.0 % (11 000 ns against 10 000 ns, limit 2.0 %)", 1, 1);
    cr_assert(processes() == 3, "two more observers confirm it");
    verdicts = verdicts_of("gpu.fake.time");
    cr_assert(json_integer_value(json_object_get(find_entry(verdicts, SLOW), "observers")) ==
              3);
    cr_assert(json_integer_value(json_object_get(find_entry(verdicts, "fake/quick/64/b32"),
                                                 "observers")) == 1);
    json_decref(verdicts);
    plan("* " SLOW " hot 11000\n");
    expect_time(1, "confirming   nvidia-fake  fake/plain/64/b32                 hot 11 000 ns "
                   "(+10.0 %)");
    plan("* " SLOW " cold 13000\n");
    expect_verdict("slower", "cold_time_ns slower by 8.3 %", 1, 1);
}

Test(part_time, slower_while_others_compute_on_the_card)
{
    store_baseline();
    plan("* " SLOW " hot 11000 foreign 2\n");
    expect_verdict("environment", "2 other processes computed on the card: slower by 10.0 %", 0, 1);
    cr_assert(processes() == 3);
}

/* Within the band, and within the floor of a short case. */
Test(part_time, a_small_move_is_none)
{
    add_case("fake/quick/64/b32", 1000);
    store_baseline();
    plan("* " SLOW " hot 10190 cold 12200\n* fake/quick/64/b32 hot 1049 cold 1249\n");
    baseline.cases[2].metrics[0].value = 1200;
    baseline.cases[2].metrics[1].value = 1000;
    save_baseline();
    expect_time(0, NULL);
    cr_assert(count_cases("gpu.fake.time", "pass") == 4);
    cr_assert(processes() == 1);
}

/* One process that was disturbed fails nothing. */
Test(part_time, a_slowness_that_is_not_confirmed)
{
    store_baseline();
    plan("1 " SLOW " hot 11000\n");
    expect_time(0, "confirming");
    expect_case("gpu.fake.time", SLOW, "pass", "");
    cr_assert(processes() == 3);
    plan("1 " SLOW " hot 11000\n3 " SLOW " hot 10900\n");
    expect_time(1, "slower by 9.0 %");
    expect_case("gpu.fake.time", SLOW, "slower", "10 900 ns");
}

Test(part_time, faster)
{
    store_baseline();
    plan("* " SLOW " hot 8000\n");
    expect_verdict("faster", "faster by 20.0 % (8 000 ns against 10 000 ns", 0, 0);
    cr_assert(processes() == 3);
}

Test(part_time, noisy)
{
    store_baseline();
    plan("* " SLOW " width 0.05\n");
    expect_verdict("noisy", "too noisy: interval 5.0 %", 0, 1);
    cr_assert(processes() == 1, "more observers would not help");
}

Test(part_time, a_throttled_card)
{
    store_baseline();
    plan("* " SLOW " hot 11000 throttled\n");
    expect_verdict("environment", "the card throttled: slower by 10.0 %", 0, 1);
    cr_assert(processes() == 3);
    plan("* " SLOW " throttled\n");
    expect_verdict("pass", "", 0, 0);
}

Test(part_time, sentinels_that_moved)
{
    store_baseline();
    plan("* " SLOW " hot 11000\n* copy hot 110000\n");
    expect_verdict("environment", "the copy sentinel moved by +10.0 %", 0, 1);
    plan("* " SLOW " hot 11000\n* fma hot 201000\n");
    expect_verdict("slower", "slower by 10.0 %", 1, 1);
}

Test(part_time, what_is_not_gated_is_shown)
{
    store_baseline();
    kg__baseline_metric_of(kg__baseline_find(&baseline, SLOW), "time_ns")->gated = false;
    save_baseline();
    plan("* " SLOW " hot 15000\n");
    expect_verdict("pass", "not gated: slower by 50.0 %", 0, 0);
    cr_assert(processes() == 1);
}

Test(part_time, no_baseline_at_all)
{
    expect_time(77,
                "baselines/nvidia-fake.json is not there: restore it, or record these cases with "
                "ci/rebaseline");
    expect_skip("gpu.fake.time", "no-baseline", "nvidia-fake.json");
    cr_assert(count_cases("gpu.fake.time", "no-baseline") == 4);
    cr_assert(processes() == 1);
    set("KG_STRICT", "1");
    expect_time(2, "no-baseline  nvidia-fake  fake/plain/64/b32                 hot 10 000 ns");
}

Test(part_time, a_case_without_a_baseline)
{
    store_baseline();
    remove_baseline_case(&baseline, SLOW);
    save_baseline();
    expect_verdict("no-baseline", "no baseline: record one with ci/rebaseline", 0, 1);
}

/* Boards of another memory are another target, though they share the name. */
Test(part_time, a_baseline_of_another_board)
{
    baseline.target.memory_mib = 40960;
    store_baseline();
    expect_time(77, "baselines/nvidia-fake-80gib.json is not there: restore it");
    expect_skip("gpu.fake.time", "no-baseline", "nvidia-fake-80gib.json");
}

/* What can be judged is judged, and still the file is an error. */
Test(part_time, a_bad_baseline)
{
    char *text;
    char *place;

    write_text(at("baselines/nvidia-fake.json"), "{\"schema\": \"kernelgate-baseline/1\",\n oops");
    expect_time(2, "baselines/nvidia-fake.json:2:");
    cr_assert(count_cases("gpu.fake.time", "no-baseline") == 4);

    store_baseline();
    text = read_text(at("baselines/nvidia-fake.json"));
    place = strstr(text, "\"fake/quick/64/b64\"");
    cr_assert(place != NULL);
    place = strstr(place, "\"band\"");
    cr_assert(place != NULL);
    place[2] = 'o';
    write_text(at("baselines/nvidia-fake.json"), text);
    free(text);
    expect_time(2, "bond");
    cr_assert(count_cases("gpu.fake.time", "pass") >= 3);

    write_text(at("baselines/nvidia-fake.json"), "{\"schema\": \"kernelgate-baseline/2\"}");
    expect_time(2, "kernelgate-baseline/2");
}

/* Another tool has no sentinels, and what it measures of a kernel is something else. */
Test(part_time, a_baseline_of_another_tool)
{
#define SENTINEL                                                                                   \
    "\"sentinels\": {\"copy\": {\"time_ns\": {\"value\": 100000, \"band\": 0.02, \"floor\": "      \
    "50}}}, "
    static const char *const origins[] = {
        "\"name\": \"NVIDIA Fake\"}, \"provenance\": {\"measured_by\": \"nvbench 1\"}, ",
        "\"name\": \"Fake\"}, \"provenance\": {\"measured_by\": \"nvbench 1\"}, " SENTINEL,
        "\"name\": \"nvidia-fake\"}, \"provenance\": {\"measured_by\": \"nvbench 1\"}, ",
    };
#undef SENTINEL

    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
        char text[1024];

        kg__format(
            text, sizeof text,
            "{\"schema\": \"kernelgate-baseline/1\", \"target\": {\"key\": \"nvidia-fake\", "
            "%s\"cases\": {\"fake/plain/64/b32\": {\"time_ns\": {\"value\": 10000, \"band\": "
            "0.02, \"floor\": 50}}}}",
            origins[i]);
        write_text(at("baselines/nvidia-fake.json"), text);
        expect_time(2, "provenance: measured_by: ");
    }
}

Test(part_time, what_goes_wrong_while_timing)
{
    static const fake_part timed = { "gpu.fake.time", plan, expect_time, processes };
    static const mishap mishaps[] = {
        { "wrong", "wrong", "kernels/fake/plain.cu: to[3]: expected 1, got 2, after timing", 1, 1 },
        { "failed", "error", "kernels/fake/plain.cu: launching: cudaErrorInvalidValue", 2, 1 },
        { "forget", "error", "record lost", 2, 1 },
        { "crash", "error", "crashed: the observer died of signal 11", 2, 2 },
        { "hang", "error", "hung: no record for 1 s", 2, 2 },
        { "quit", "error", "the context is gone", 2, 2 },
    };

    store_baseline();
    expect_mishaps(&timed, mishaps, sizeof mishaps / sizeof *mishaps, 3);
}

/* What goes wrong while a case is being confirmed counts. */
Test(part_time, what_goes_wrong_while_confirming)
{
    store_baseline();
    plan("* " SLOW " hot 11000\n2 " SLOW " crash\n");
    expect_time(2, "crashed");
    expect_case("gpu.fake.time", SLOW, "error", "crashed");
    plan("* " SLOW " hot 11000\n3 " SLOW " wrong\n");
    expect_time(1, "after timing");
    expect_case("gpu.fake.time", SLOW, "wrong", "after timing");
}

Test(part_time, a_metric_that_is_no_longer_measured)
{
    store_baseline();
    plan("* " SLOW " cold 0\n");
    expect_verdict("error",
                   "cold_time_ns is in the baseline and was not measured (too many buffer sets)", 2,
                   2);
}

/* Two who time on one card do not do it at once, and the one who waits says so. */
Test(part_time, a_card_that_is_taken)
{
    const struct timespec while_held = { 1, 500000000 };
    kg__error error = { "" };
    char held[256];
    pid_t holder;
    int ends[2];
    char word;

    store_baseline();
    cr_assert(pipe(ends) == 0);
    kg__format(held, sizeof held, "%s", at(""));
    holder = fork();
    cr_assert(holder >= 0);
    if (holder == 0) {
        setenv("KG_LOCK_DIR", held, 1);
        if (kg__lock_take("GPU-fake", KG__LOCK_EXCLUSIVE, NULL, NULL, &error) < 0 ||
            write(ends[1], "t", 1) != 1)
            _exit(1);
        nanosleep(&while_held, NULL);
        _exit(0);
    }
    close(ends[1]);
    cr_assert(read(ends[0], &word, 1) == 1);
    close(ends[0]);
    expect_time(0, "waiting for the lock of GPU-fake, held by process");
    cr_assert(waitpid(holder, NULL, 0) == holder);
}

Test(part_time, a_lock_that_cannot_be_taken)
{
    store_baseline();
    set("KG_LOCK_DIR", at("missing"));
    expect_time(2, "missing/kernelgate-GPU-fake.lock: the lock cannot be opened");
}

static bool prints_speedup(void)
{
    ending seen = run(KG__FAKE_GPU, "--filter=fake/time");
    bool printed = strstr(seen.output, "fake/quick/64/b32 runs at") != NULL;

    cr_assert(strstr(seen.output, "fake/quick/64/b64 runs at 2.00") != NULL);
    free(seen.output);
    return printed;
}

/* There is no speedup over a variant that is wrong, or against one. */
Test(part_time, speedups_are_of_what_is_right)
{
    store_baseline();
    cr_assert(prints_speedup());
    plan("* fake/quick/64/b32 wrong\n");
    cr_assert(!prints_speedup());
    plan("* fake/plain/64/b32 wrong\n");
    cr_assert(!prints_speedup());
    plan("");
    cr_assert(prints_speedup());
    cr_assert(unlink(at("out/records/gpu.fake.time.verdicts.json")) == 0);
    write_text(
        at("out/records/gpu.fake.check.verdicts.json"),
        "{\"schema\": \"kernelgate-verdicts/1\", \"test\": \"gpu.fake.check\", "
        "\"complete\": true, \"exit_code\": 0, \"cases\": [{\"case\": \"fake/plain/64/b32\", "
        "\"target\": \"nvidia-fake\", \"verdict\": \"wrong\"}]}");
    cr_assert(!prints_speedup(), "the checks of this run found it to be wrong");
}

/* Where the number of blocks is the variant's own, what it is compared with is named whole. */
Test(part_time, speedups_over_another_launch)
{
    ending seen;

    set("KG_FILTER", "fake/plain/*,fake/wide/*");
    seen = run(KG__FAKE_GPU, "--filter=fake/time");
    expect_ending(&seen, 77,
                  "fake/wide/64/b32g4 runs at 2.00 times the speed of fake/plain/64/b32 "
                  "hot, 2.00 cold");
    cr_assert(strstr(seen.output, "fake/wide/64/b32g8 runs at 2.00") != NULL);
    cr_assert(occurrences(seen.output, " times the speed of ") == 2, "%s", seen.output);
    free(seen.output);
}

/* Whatever stands beside a case is timed with it, whatever its blocks: what the filter leaves out
 * too, which is not judged. */
Test(part_time, what_is_timed_has_its_neighbours)
{
    char *cases;

    add_case("fake/wide/64/b32g4", 5000);
    add_case("fake/wide/64/b32g8", 5000);
    store_baseline();
    set("KG_FILTER", "fake/plain/*,fake/wide/*");
    plan("* fake/wide/64/b32g8 hot 6000\n");
    expect_time(1, "confirming   nvidia-fake  fake/wide/64/b32g8");
    cr_assert(processes() == 3);
    cases = read_text(at("out/records/gpu.fake.time.confirm1.cases"));
    cr_assert(strstr(cases, "fake/plain/64/b32\nfake/quick/64/b32\nfake/wide/64/b32g4\n"
                            "fake/wide/64/b32g8\n") == cases &&
                  strstr(cases, "/b64") == NULL,
              "%s", cases);
    free(cases);
    cases = read_text(at("out/records/gpu.fake.time.first.cases"));
    cr_assert(strstr(cases, "fake/quick/64/b32\n") != NULL, "%s", cases);
    free(cases);
    cases = read_text(at("out/records/gpu.fake.time.verdicts.json"));
    cr_assert(strstr(cases, "fake/quick") == NULL, "%s", cases);
    free(cases);
}

/* The code of the fake kernel in a fake program, launched so. */
static kg__kernel_code code_of(const char *launch)
{
    const char *name = "fake_kernel";
    kg__kernel_code code = fake_code(40, NAN, "");
    kg__kernels kernels = { 0 };

    code.names = (kg__texts){ &name, 1 };
    kg__format(code.launch, sizeof code.launch, "%s", launch);
    kg__kernels_add(&kernels, KG__FAKE_GPU, "");
    cr_assert(kg__kernels_fingerprint(&kernels, "", "9.0", &code));
    kg__kernels_free(&kernels);
    code.names = (kg__texts){ NULL, 0 };
    return code;
}

/* A baseline that was recorded under a toolkit, and knows what SLOW ran as. */
static void store_code(const char *toolkit)
{
    kg__kernel_code code = code_of("aa");

    set("FAKE_CUDA", "13.0");
    kg__provenance_set_text(&baseline.provenance, "cuda", toolkit);
    store_baseline();
    set_baseline_code(kg__baseline_find(&baseline, SLOW), &code);
    save_baseline();
}

Test(part_time, slower_with_the_baselines_own_code)
{
    store_code("13.0");
    plan("* " SLOW " launch aa\n");
    expect_time(0, NULL);

    plan("* " SLOW " hot 11000 launch aa\n");
    expect_verdict(
        "environment",
        "time_ns its machine code is the baseline's, and so is its launch: slower by 10.0 "
        "% (11 000 ns against 10 000 ns, limit 2.0 %); the machine moved",
        0, 1);
    cr_assert(processes() == 3);

    plan("* " SLOW " hot 11000 launch bb registers 48\n");
    expect_verdict("slower", "slower by 10.0 %", 1, 1);
    json_t *verdicts = verdicts_of("gpu.fake.time");
    const json_t *changed = json_object_get(find_entry(verdicts, SLOW), "changed");

    cr_assert(json_array_size(changed) == 1);
    cr_assert_str_eq(json_string_value(json_array_get(changed, 0)),
                     "code changed: registers 40 -> 48");
    json_decref(verdicts);

    plan("* " SLOW " hot 11000\n");
    expect_verdict("slower", "slower by 10.0 %", 1, 1);
    plan("* " SLOW " hot 9000 launch aa\n");
    expect_verdict("faster", "faster by 10.0 %", 0, 0);
}

/* Under another toolkit, or one that is not known, fingerprints say nothing. */
Test(part_time, code_of_another_toolkit_is_not_compared)
{
    store_code("12.9");
    plan("* " SLOW " hot 11000 launch aa\n");
    expect_time(1, "slower by 10.0 %");
    kg__provenance_free(&baseline.provenance);
    save_baseline();
    plan("* " SLOW " hot 11000 launch aa\n");
    expect_time(1, "slower by 10.0 %");
}

/* Nor does one of a disassembler's text say anything of machine code. */
Test(part_time, code_of_another_kind_is_not_compared)
{
    const kg__kernel_code code = fake_code(40, NAN, "0123456789abcdef");

    store_code("13.0");
    set_baseline_code(kg__baseline_find(&baseline, SLOW), &code);
    save_baseline();
    plan("* " SLOW " hot 11000 launch aa\n");
    expect_verdict("slower", "slower by 10.0 %", 1, 1);
    json_t *verdicts = verdicts_of("gpu.fake.time");

    cr_assert(json_object_get(find_entry(verdicts, SLOW), "changed") == NULL);
    json_decref(verdicts);
}

/* They may be checked, and are not what a baseline is of. */
Test(part_time, kernels_compiled_for_debugging_are_not_timed)
{
    store_baseline();
    expect_run(KG__FAKE_DEBUG_GPU, "--filter=fake/time", 2, "compiled with nvcc -G");
    expect_run(KG__FAKE_DEBUG_GPU, "--filter=fake/check", 0, "pass ");
}
