/* The device that the parts run on: the board that CTest hands a test, and a GPU that is not there,
 * does not work, is lost or does not answer. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/message.h"
#include "records/records.h"
#include "tests/fakes/fake_runs.h"

TestSuite(part_devices, .init = begin_fake_runs, .fini = end_fake_runs, .timeout = 60);

#define FIRST_BOARD "GPU-00000000-1111-2222-3333-444444444444"
#define OTHER_BOARD "GPU-aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
#define FIRST_ID "id:gpu_00000000_1111_2222_3333_444444444444,slots:8"
#define OTHER_ID "id:gpu_aaaaaaaa_bbbb_cccc_dddd_eeeeeeeeeeee,slots:8"

/* Filters whose variants are checked in one process, and in two: a variant that is wrong shares no
 * process with the next. */
#define ONE_PROCESS "fake/plain/*,fake/quick/*"
#define TWO_PROCESSES "fake/wrong/*,fake/nan/*"

/* A machine with two boards, the other one of another model or not. */
static void set_boards(const char *other_name)
{
    char boards[300];

    kg__format(boards, sizeof boards, "%s=NVIDIA Fake,%s=%s", FIRST_BOARD, OTHER_BOARD, other_name);
    set("FAKE_BOARDS", boards);
    set("CTEST_RESOURCE_GROUP_COUNT", "1");
}

static void expect_board(const char *test, const char *board, const char *target)
{
    json_t *verdicts = verdicts_of(test);

    cr_assert(strcmp(kg__json_text(verdicts, "board"), board) == 0, "%s",
              kg__json_text(verdicts, "board"));
    cr_assert(strcmp(kg__json_text(json_object_get(verdicts, "target"), "key"), target) == 0);
    json_decref(verdicts);
}

/* With a resource spec CTest hands a test its board; without one it is the first. */
Test(part_devices, ctest_chooses_the_board)
{
    set_boards("NVIDIA Fake");
    set("CTEST_RESOURCE_GROUP_COUNT", "0");
    expect_run(KG__FAKE_GPU, "--filter=fake/check", 0, "gpu.fake.check runs on " FIRST_BOARD);
    expect_board("gpu.fake.check", FIRST_BOARD, "nvidia-fake");
    set("CTEST_RESOURCE_GROUP_COUNT", "1");
    set("CTEST_RESOURCE_GROUP_0_GPUS", OTHER_ID);
    expect_run(KG__FAKE_GPU, "--filter=fake/check", 0,
               "board        nvidia-fake  gpu.fake.check runs on " OTHER_BOARD " (0000:19:00.0)\n");
    expect_board("gpu.fake.check", OTHER_BOARD, "nvidia-fake");
}

/* What CTest hands out is there, and is used: anything else is an error, not a reason to skip. */
Test(part_devices, a_board_that_cannot_be_had_is_an_error)
{
    set_boards("NVIDIA Fake");
    set("CTEST_RESOURCE_GROUP_0_GPUS", "id:3,slots:1");
    expect_run(KG__FAKE_GPU, "--filter=fake/check", 2, "id:3,slots:1: names no board");
    expect_run(KG__FAKE_GPU, "--filter=fake/time", 2, "names no board");
    set("CTEST_RESOURCE_GROUP_0_GPUS", "id:gpu_bbbbbbbb_bbbb_cccc_dddd_eeeeeeeeeeee,slots:8");
    expect_run(KG__FAKE_GPU, "--filter=fake/time", 2,
               "CUDA does not show the board that CTest gave this test, "
               "GPU-bbbbbbbb-bbbb-cccc-dddd-eeeeeeeeeeee");
}

/* A confirmation on another board confirms nothing. */
Test(part_devices, observers_that_change_boards_are_an_error)
{
    set_boards("NVIDIA Fake");
    set("CTEST_RESOURCE_GROUP_COUNT", "0");
    set("FAKE_DEVICE", "moves");
    set("KG_FILTER", TWO_PROCESSES);
    expect_run(KG__FAKE_GPU, "--filter=fake/check", 2,
               "an observer ran on " OTHER_BOARD ", the one before it on " FIRST_BOARD);
}

/* The boards of a machine, as CTest wants to be told. */
Test(part_devices, a_program_lists_the_boards)
{
    const char *const listing[] = { KG__FAKE_GPU, "--resource-spec", NULL };
    const char *const of_model[] = { KG__FAKE_MODEL, "--resource-spec", NULL };
    const char *const with_value[] = { KG__FAKE_GPU, "--resource-spec", "now", NULL };
    ending seen;
    json_t *spec;
    json_t *expected;

    set("FAKE_BOARDS", "MIG-aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee=NVIDIA H200 MIG 1g.18gb");
    expect_drive(listing, 77, "is a MIG instance");
    set_boards("NVIDIA Other");
    seen = drive(listing, environment);
    expect_ending(&seen, 0, "\"gpu_aaaaaaaa_bbbb_cccc_dddd_eeeeeeeeeeee\"");
    spec = json_loads(seen.output, JSON_REJECT_DUPLICATES, NULL);
    cr_assert(spec != NULL, "%s", seen.output);
    expected =
        json_pack("{s:{s:i, s:i}, s:[{s:[{s:s, s:i}, {s:s, s:i}]}]}", "version", "major", 1,
                  "minor", 0, "local", "gpus", "id", "gpu_00000000_1111_2222_3333_444444444444",
                  "slots", 8, "id", "gpu_aaaaaaaa_bbbb_cccc_dddd_eeeeeeeeeeee", "slots", 8);
    cr_assert(json_equal(spec, expected), "%s", seen.output);
    json_decref(expected);
    json_decref(spec);
    free(seen.output);
    set("CUDA_VISIBLE_DEVICES", OTHER_BOARD);
    seen = drive(listing, environment);
    expect_ending(&seen, 0, "\"gpu_aaaaaaaa_");
    cr_assert(strstr(seen.output, "gpu_00000000_") == NULL, "%s", seen.output);
    free(seen.output);
    set("CUDA_VISIBLE_DEVICES", "-1");
    expect_drive(listing, 77, "no resource spec: no GPU");
    expect_drive(of_model, 2, "the CPU model has no boards");
    expect_drive(with_value, 2, "--resource-spec takes no value");
}

/* A comparison is judged by the baseline of the board that it got, whatever board its checks got;
 * where that model has none, it is said, and strictness makes it fail. */
Test(part_devices, each_model_has_its_own_baseline)
{
    json_t *results;
    const json_t *boards;

    store_baseline();
    set_boards("NVIDIA Other");
    set("KG_FILTER", "fake/plain/64/*");
    set("CTEST_RESOURCE_GROUP_0_GPUS", OTHER_ID);
    expect_run(KG__FAKE_GPU, "--filter=fake/check", 0, "gpu.fake.check runs on " OTHER_BOARD);
    set("CTEST_RESOURCE_GROUP_0_GPUS", FIRST_ID);
    expect_time(0, "pass         nvidia-fake  fake/plain/64/b32");
    set("KG_STRICT", "1");
    results = merged_results(0);
    boards = json_object_get(results, "boards");
    cr_assert(json_object_size(boards) == 2);
    cr_assert(
        strcmp(kg__json_text(json_object_get(boards, FIRST_BOARD), "target"), "nvidia-fake") == 0);
    cr_assert(
        strcmp(kg__json_text(json_object_get(boards, OTHER_BOARD), "target"), "nvidia-other") == 0);
    json_decref(results);
    set("CTEST_RESOURCE_GROUP_0_GPUS", OTHER_ID);
    expect_time(2, "no-baseline  nvidia-other  fake/plain/64/b32");
    set("KG_STRICT", "0");
    expect_time(77, "nvidia-other.json is not there: restore it");
    set("KG_STRICT", "1");
    json_decref(merged_results(2));
}

Test(part_devices, no_device)
{
    store_baseline();
    set("FAKE_DEVICE", "absent");
    expect_time(77, "skipped      gpu          gpu.fake.time: no GPU: this one is a fake");
    expect_skip("gpu.fake.time", "unavailable", "no GPU");
    expect_run(KG__FAKE_GPU, "--filter=fake/check", 77, "no GPU");
    set("KG_STRICT", "1");
    expect_time(2, "no GPU");
    expect_run(KG__FAKE_GPU, NULL, 2, "no GPU");
}

Test(part_devices, a_broken_device)
{
    store_baseline();
    set("FAKE_DEVICE", "broken");
    expect_time(2, "gpu.fake.time: the driver does not work: this one is a fake");
    expect_case("gpu.fake.time", SLOW, "error", "no observer could be run for this case");
    expect_run(KG__FAKE_GPU, "--filter=fake/check", 2, "the driver does not work");
}

/* Checks what a filter takes, and counts the cases that pass and the processes that it took. */
static void expect_processes(const char *filter, int code, const char *line, size_t passing,
                             size_t wanted)
{
    (void)unlink(at("log"));
    set("KG_FILTER", filter);
    expect_run(KG__FAKE_GPU, "--filter=fake/check", code, line);
    cr_assert(count_cases("gpu.fake.check", "pass") == passing);
    cr_assert(processes() == wanted, "%zu", processes());
}

/* On a GPU variants share a process for as long as they are right: whoever is not has touched it
 * last. Another process does for the rest, variant by variant, what it would have done anyway. */
Test(part_devices, right_variants_share_a_process)
{
    expect_processes(ONE_PROCESS, 0, "fake/quick/64/b64", 8, 1);
    expect_processes(ONE_PROCESS "," TWO_PROCESSES, 1, "kernels/fake/nan.cu: to[3]: expected", 14,
                     2);
    cr_assert(count_cases("gpu.fake.check", "wrong") == 2);
    /* The last is for what is left of a lost context. */
    expect_processes("fake/strays/*,fake/cannot/*,fake/plain/*", 2,
                     "kernels/fake/cannot.cu: launching", 10, 3);
    cr_assert(count_cases("gpu.fake.check", "error") == 2);
}

/* Whoever ends a check that hangs finds the variants before it judged. */
Test(part_devices, what_was_checked_outlives_the_runner)
{
    const char *const killed[] = { "/usr/bin/timeout",    "-s", "KILL", "2", KG__FAKE_GPU,
                                   "--filter=fake/check", NULL };

    set("KG_FILTER", "fake/plain/*,fake/hangs/*");
    set("KG_CASE_TIMEOUT", "60");
    expect_drive(killed, 128 + SIGKILL, "pass         nvidia-fake  fake/plain/64/b64");
    cr_assert(count_cases("gpu.fake.check", "pass") == 4);
    expect_case("gpu.fake.check", "fake/hangs/64/b32", "error", "the test ended before");
}

/* A device that goes away in the midst of a run leaves errors, not skipped cases. */
Test(part_devices, a_device_that_goes_away)
{
    set("FAKE_DEVICE", "first");
    set("KG_FILTER", TWO_PROCESSES);
    expect_run(KG__FAKE_GPU, "--filter=fake/check", 2, "gpu.fake.check: no GPU: this one is");
    cr_assert(count_cases("gpu.fake.check", "pass") == 3);
    cr_assert(count_cases("gpu.fake.check", "wrong") == 1);
    expect_case("gpu.fake.check", "fake/nan/1/b32", "error", "no observer could be run");
    set("KG_FILTER", ONE_PROCESS);
    store_baseline();
    plan("* " SLOW " hot 11000\n");
    expect_time(2, "no GPU: this one is");
    expect_case("gpu.fake.time", SLOW, "error", "no observer could be run");
    cr_assert(count_cases("gpu.fake.time", "pass") == 3);
}

/* A card that falls off its bus while it is timed: what was judged stands, the rest says why. */
Test(part_devices, a_device_that_is_lost_while_timing)
{
    store_baseline();
    plan("1 " SLOW " quit\n");
    set("FAKE_DEVICE", "lost 2-99");
    expect_time(2, "gpu.fake.time: the driver does not work: this one is a fake");
    expect_case("gpu.fake.time", SLOW, "error", "the context is gone");
    cr_assert(count_cases("gpu.fake.time", "pass") + count_cases("gpu.fake.time", "error") == 4);
    cr_assert(count_cases("gpu.fake.time", "error") > 1);
    expect_case("gpu.fake.time", "fake/quick/64/b64", "error",
                "no observer could be run for this case: the driver does not work");
    cr_assert(processes() == 2, "%zu", processes());
}

/* While it is confirmed: the suspect alone is open then. */
Test(part_devices, a_device_that_is_lost_while_confirming)
{
    store_baseline();
    plan("* " SLOW " hot 11000\n");
    set("FAKE_DEVICE", "lost 3-99");
    expect_time(2, "gpu.fake.time: the driver does not work");
    expect_case("gpu.fake.time", SLOW, "error", "no observer could be run for this case: the");
    cr_assert(count_cases("gpu.fake.time", "pass") == 3);
    cr_assert(processes() == 3, "%zu", processes());
}

/* What is lost for one part may be back for the next, whose verdicts count; the run fails. */
Test(part_devices, a_device_that_comes_back)
{
    store_baseline();
    (void)unlink(at("log"));
    set("FAKE_DEVICE", "lost 2-2");
    set("KG_FILTER", TWO_PROCESSES);
    expect_run(KG__FAKE_GPU, "--filter=fake/check", 2, "gpu.fake.check: the driver does not work");
    cr_assert(count_cases("gpu.fake.check", "pass") == 3);
    expect_case("gpu.fake.check", "fake/nan/64/b64", "error", "the driver does not work");
    set("KG_FILTER", ONE_PROCESS);
    expect_time(0, "pass         nvidia-fake  fake/quick/64/b64");
    cr_assert(count_cases("gpu.fake.time", "pass") == 4);
    expect_merge(2, "the driver does not work: this one is a fake");
}

/* A driver that does not even say no is given up like a case that hangs. */
Test(part_devices, a_device_that_does_not_answer)
{
    double began = kg__now();

    store_baseline();
    (void)unlink(at("log"));
    set("KG_CASE_TIMEOUT", "1");
    set("FAKE_DEVICE", "stuck 1-99");
    expect_time(2, "hung: no record for 1 s (KG_CASE_TIMEOUT sets the limit); it was ended before");
    cr_assert(count_cases("gpu.fake.time", "pass") == 0 && processes() == 1);
    expect_run(KG__FAKE_GPU, "--filter=fake/check", 2, "hung: no record for 1 s");
    cr_assert(processes() == 2);
    plan("1 " SLOW " quit\n");
    set("FAKE_DEVICE", "stuck 2-99");
    expect_time(2, "hung: no record for 1 s");
    expect_case("gpu.fake.time", SLOW, "error", "the context is gone");
    cr_assert(processes() == 2 && kg__now() - began < 15);
}
