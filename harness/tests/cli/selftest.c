/* The command `kernelgate selftest`, with a comparison on a GPU that is not there: a gate that
 * works passes, and one that is broken, in whichever way, does not. */
#include "tests/selftest/selftest.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/message.h"
#include "base/run_lock.h"
#include "tests/fakes/documents.h"
#include "tests/fakes/drive.h"

static void begin(void)
{
    make_folder();
    set_fake_surroundings();
}

TestSuite(selftest, .init = begin, .fini = remove_folder, .timeout = 60);

/* The first process describes the device, the second checks, 3 to 7 are the baseline's sessions, 8
 * is the run as they are, 9 and 10 are those of 1 and 2 %, where nothing trips; from there on each
 * run is of three processes: 11 with 3 %, 14 with 5 %, 17 the drift, 20 the kernels' alone. */
static void plan(const char *text)
{
    write_text(at("plan"), text);
}

static ending run(const char *program)
{
    const char *const arguments[] = { KG__COMMAND, "selftest", program, NULL };

    return drive(arguments, environment);
}

static void expect_run(int code, const char *line)
{
    ending result = run(KG__FAKE_SOUND_GPU);

    expect_ending(&result, code, line);
    free(result.output);
}

Test(selftest, a_gate_that_works_is_proven)
{
    char *table;
    char *log;

    expect_run(0, "selftest: PASS");
    table = read_text(at("out/selftest/selftest.md"));
    cr_assert(occurrences(table, "\n| fake/") == 28, "%s", table);
    cr_assert(strstr(table, "| fake/quick/64/b64    | +3 %         |   +3.00 % | 2.00 % |   +3.00 "
                            "% | 2.00 % | slower      | slower      |") != NULL,
              "%s", table);
    cr_assert(strstr(table, "- +0 %: 4 of 4 pass\n- +1 %: 0 of 4 slower (reported, whatever it "
                            "is)\n") != NULL,
              "%s", table);
    cr_assert(strstr(table,
                     "- machine +5 %: 4 of 4 environment\n- kernels +5 %: 4 of 4 slower\n") != NULL,
              "%s", table);
    free(table);
    log = read_text(at("log"));
    cr_assert(occurrences(log, "\n") == 22, "processes: %zu", occurrences(log, "\n"));
    free(log);
}

static json_t *run_as_json(const char *program, int code, char **complaints)
{
    const char *const arguments[] = { KG__COMMAND, "selftest", "--json", program, NULL };

    return drive_document(arguments, environment, code, SCHEMA_OF("selftest"), complaints);
}

Test(selftest, prints_a_document)
{
    char *complaints;
    json_t *document = run_as_json(KG__FAKE_SOUND_GPU, 0, &complaints);
    const json_t *entry;
    const json_t *metric;

    cr_assert(strstr(complaints, "session 5 of 5\n") != NULL &&
                  strstr(complaints, "judging +3 %\n") != NULL &&
                  strstr(complaints, "selftest: PASS") != NULL,
              "%s", complaints);
    free(complaints);
    cr_expect_str_eq(json_string_value(json_object_get(document, "target")), "nvidia-fake");
    cr_expect(json_array_size(json_object_get(document, "runs")) == 7);
    cr_expect(json_array_size(json_object_get(document, "failures")) == 0);
    entry = ENTRY(document, "runs", "run", "plus3", "made_slower", "+3 %", "expected", "slower");
    cr_expect(json_integer_value(json_object_get(entry, "agreed")) == 4 &&
              json_integer_value(json_object_get(entry, "exit_code")) == 1 &&
              json_is_true(json_object_get(entry, "judged")));
    cr_expect(fabs(json_number_value(json_object_get(entry, "extra")) - 0.03) < 1e-12);
    entry = ENTRY(entry, "cases", "case", "fake/quick/64/b64", "verdict", "slower");
    metric = json_object_get(json_object_get(entry, "metrics"), "cold_time_ns");
    cr_expect(json_integer_value(json_object_get(entry, "observers")) == 3 &&
              fabs(json_number_value(json_object_get(metric, "change")) - 0.03) < 1e-3 &&
              json_number_value(json_object_get(metric, "limit")) == 0.02);
    entry = ENTRY(document, "runs", "run", "plus1");
    cr_expect(json_is_false(json_object_get(entry, "judged")) &&
              json_integer_value(json_object_get(entry, "agreed")) == 0);
    (void)ENTRY(document, "runs", "run", "drift", "expected", "environment", "baselines",
                "drifted");
    /* The changes of a whole document would be too many. */
    while (json_array_size(json_object_get(document, "runs")) > 1)
        json_array_remove(json_object_get(document, "runs"), 0);
    expect_strict(SCHEMA_OF("selftest"), document);
    json_decref(document);
}

Test(selftest, prints_a_document_of_what_failed)
{
    json_t *document;
    const json_t *failure;

    plan("11 fake/quick/64/b64 hot 5000 cold 6000\n");
    document = run_as_json(KG__FAKE_SOUND_GPU, 1, NULL);
    failure = ENTRY(document, "failures", "run", "plus3", "expected", "slower");
    cr_expect_str_eq(json_string_value(json_object_get(failure, "what")),
                     "fake/quick/64/b64 is pass, by 1 observers");
    cr_expect(json_integer_value(
                  json_object_get(ENTRY(document, "runs", "run", "plus3"), "agreed")) == 3);
    json_decref(document);
    (void)unlink(at("log"));
    plan("11 fake/quick/64/b64 wrong\n");
    document = run_as_json(KG__FAKE_SOUND_GPU, 1, NULL);
    failure = ENTRY(document, "runs", "run", "plus3");
    (void)ENTRY(failure, "cases", "case", "fake/quick/64/b64", "verdict", "wrong");
    json_decref(document);
    (void)unlink(at("log"));
    plan("11 fake/plain/64/b32 quit\n12 * quit\n13 * quit\n");
    document = run_as_json(KG__FAKE_SOUND_GPU, 2, NULL);
    cr_expect(json_array_size(json_object_get(document, "runs")) == 3,
              "those before the one that could not be run");
    json_decref(document);
}

Test(selftest, what_is_only_reported_may_be_slower)
{
    plan("9 fake/plain/* hot 10250\n10 fake/plain/* hot 10250\n11 fake/plain/* hot 10250\n");
    expect_run(0, "- +1 %: 2 of 4 slower (reported, whatever it is)\n");
}

Test(selftest, the_surroundings_do_not_steer_it)
{
    set("KG_FILTER", "fake/quick/*");
    set("KG_STRICT", "1");
    set("KG_SELFTEST_EXTRA", "100");
    expect_run(0, "- +0 %: 4 of 4 pass");
}

Test(selftest, an_earlier_table_does_not_stay)
{
    expect_run(0, NULL);
    cr_assert(exists(at("out/selftest/selftest.md")));
    plan("* fake/plain/64/b32 wrong\n");
    expect_run(2, "there is no baseline to judge by");
    cr_assert(!exists(at("out/selftest/selftest.md")));
}

Test(selftest, another_one_in_the_same_folder)
{
    kg__error error = { "" };
    pid_t other = fork();

    if (other == 0) {
        /* A test that fails must not leave it behind. */
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            (void)pause();
    }
    cr_assert(other > 0);
    cr_assert(kg__file_make_folder(at("out/selftest"), &error), "%s", error.text);
    write_text(at("out/selftest/selftest.md"), "of the other run");
    cr_assert(kg__run_lock_take(at("out/selftest"), other, &error), "%s", error.text);
    expect_run(2, "held by test_selftest, process ");
    cr_assert(exists(at("out/selftest/selftest.md")));
    cr_assert(kill(other, SIGKILL) == 0 && waitpid(other, NULL, 0) == other);
    expect_run(0, "selftest: PASS");
    cr_assert(kg__run_lock_permits(at("out/selftest"), &error), "%s", error.text);
}

Test(selftest, an_earlier_baseline_is_not_judged_by)
{
    expect_run(0, NULL);
    (void)unlink(at("log"));
    plan("* fake/plain/64/b32 hot 10100\n");
    expect_run(0, "| fake/plain/64/b32    | +0 %         |   +0.00 % |");
}

Test(selftest, kernels_that_do_not_get_slower_prove_nothing)
{
    plan("* fake/plain/* hot 10000 cold 12000\n* fake/quick/* hot 5000 cold 6000\n");
    expect_run(1, "+3 %: fake/plain/64/b32 is pass, by 1 observers; expected slower");
    cr_assert(exists(at("out/selftest/selftest.md")));
}

Test(selftest, one_case_that_slips_through_is_enough)
{
    plan("11 fake/quick/64/b64 hot 5000 cold 6000\n");
    expect_run(1, "selftest: FAIL: the gate did otherwise than it must 1 times");
}

Test(selftest, a_gate_that_always_trips)
{
    plan("8 fake/* hot 11000\n9 fake/* hot 11000\n10 fake/* hot 11000\n");
    expect_run(1, "+0 %: fake/plain/64/b32 is slower, by 3 observers; expected pass: time_ns");
}

Test(selftest, noise_is_no_pass)
{
    plan("8 fake/plain/64/b32 width 0.05\n");
    expect_run(1, "+0 %: fake/plain/64/b32 is noisy, by 1 observers; expected pass");
}

Test(selftest, a_drift_that_no_sentinel_tells_of)
{
    plan("17 copy hot 95238\n17 fma hot 190476\n18 copy hot 95238\n18 fma hot 190476\n"
         "19 copy hot 95238\n19 fma hot 190476\n");
    expect_run(1,
               "machine +5 %: fake/plain/64/b32 is slower, by 3 observers; expected environment");
}

Test(selftest, a_slowdown_that_is_put_down_to_the_machine)
{
    plan("20 copy hot 105000\n21 copy hot 105000\n22 copy hot 105000\n");
    expect_run(1,
               "kernels +5 %: fake/plain/64/b32 is environment, by 3 observers; expected slower");
}

/* Runs with a program that executes a shell line after every call of the real one,
 * whose exit code is in $code: a gate that is broken in one way. */
static void expect_broken(const char *line, int code, const char *expected)
{
    FILE *script = fopen(at("broken.gpu"), "w");
    ending result;

    cr_assert(script != NULL);
    fprintf(script, "#!/bin/sh\n'%s' \"$@\"\ncode=$?\n%s\nexit $code\n", KG__FAKE_SOUND_GPU, line);
    cr_assert(fclose(script) == 0);
    cr_assert(chmod(at("broken.gpu"), 0755) == 0);
    result = run(at("broken.gpu"));
    expect_ending(&result, code, expected);
    free(result.output);
}

#define EDIT_VERDICTS                                                                              \
    "sed -i " /* with what is to be exchanged and the verdicts' files behind it                    \
               */
#define THE_VERDICTS " \"$KG_OUT\"/records/*.verdicts.json 2>/dev/null"

Test(selftest, a_script_around_the_program_changes_nothing)
{
    expect_broken(":", 0, "selftest: PASS");
}

Test(selftest, a_test_that_ends_with_the_wrong_exit_code)
{
    expect_broken("code=0", 1,
                  "+3 %: the test ended with exit code 0; expected slower: its verdicts are right");
}

Test(selftest, a_slowdown_that_was_not_confirmed)
{
    expect_broken(EDIT_VERDICTS "'s/\"observers\": 3/\"observers\": 2/'" THE_VERDICTS, 1,
                  "+3 %: fake/plain/64/b32 is slower, by 2 observers; expected slower");
}

Test(selftest, verdicts_that_are_not_whole)
{
    static const struct {
        const char *line;
        const char *expected;
    } ways[] = {
        { "rm -f" THE_VERDICTS, "+0 %: the test ended with exit code 0: " },
        { EDIT_VERDICTS "'s/\"complete\": true/\"complete\": false/'" THE_VERDICTS,
          "exit code 0: it did not come to its end: see " },
        { EDIT_VERDICTS "'s/\"errors\": \\[\\]/\"errors\": [\"a crash\"]/'" THE_VERDICTS,
          "exit code 0: a crash: see " },
        { EDIT_VERDICTS "'s/\"schema\"/\"skipped\": \"no time\", \"skipped_by\": \"filter\", "
                        "\"schema\"/'" THE_VERDICTS,
          "exit code 0: it judged nothing: no time: see " },
        { EDIT_VERDICTS "'s/\"case\": \"fake.quick.64.b32\"/\"case\": \"lost\"/'" THE_VERDICTS,
          "exit code 0: it has no verdict of fake/quick/64/b32: see " },
    };

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        expect_broken(ways[i].line, 2, ways[i].expected);
        cr_assert(!exists(at("out/selftest/selftest.md")));
    }
}

Test(selftest, no_gpu)
{
    set("FAKE_DEVICE", "absent");
    expect_run(77, "no GPU: this one is a fake: nothing is proven");
}

Test(selftest, a_gpu_that_does_not_work)
{
    set("FAKE_DEVICE", "broken");
    expect_run(2, "its observer ended with exit code 2 (the driver does not work");
}

Test(selftest, a_gpu_that_goes)
{
    plan("11 fake/plain/64/b32 quit\n12 * quit\n13 * quit\n");
    expect_run(2, "+3 %: the test ended with exit code 2");
    cr_assert(!exists(at("out/selftest/selftest.md")));
    cr_assert(exists(at("out/selftest/plus3/output.txt")));
}

Test(selftest, without_a_baseline_nothing_can_be_judged)
{
    plan("3 fake/plain/64/b32 wrong\n");
    expect_run(2, "selftest: there is no baseline to judge by");
}

Test(selftest, a_folder_that_cannot_be_made)
{
    write_text(at("file"), "");
    set("KG_OUT", at("file"));
    expect_run(2, "file");
}

Test(selftest, it_takes_one_program)
{
    const char *const none[] = { KG__COMMAND, "selftest", NULL };
    const char *const two[] = { KG__COMMAND, "selftest", KG__FAKE_SOUND_GPU, KG__FAKE_SOUND_GPU,
                                NULL };
    ending result = drive(none, environment);

    expect_ending(&result, 2, "selftest: needs one program");
    free(result.output);
    expect_drive(two, 2, "selftest: needs one program");
    result = run(at("selftest.gpu"));
    expect_ending(&result, 2, "selftest.gpu: no such program");
    free(result.output);
    result = run("build/matmul_f32.model");
    expect_ending(&result, 2, "build/matmul_f32.model: is no program for a GPU: those end in .gpu");
    free(result.output);
}

static double body_us(const char *extra, int64_t us)
{
    if (extra != NULL)
        cr_assert(setenv("KG_SELFTEST_EXTRA", extra, 1) == 0);
    else
        cr_assert(unsetenv("KG_SELFTEST_EXTRA") == 0);
    return selftest_body_us(us);
}

/* What is timed is the launch: its body and what starting it takes. */
Test(selftest, an_extra_is_of_the_whole_launch)
{
    static const struct {
        const char *text;
        double fraction;
    } extras[] = { { NULL, 0 },     { "0", 0 },     { "10", 0.01 },
                   { "030", 0.03 }, { "50", 0.05 }, { "1000", 1 } };

    for (size_t i = 0; i < sizeof extras / sizeof extras[0]; i++) {
        for (int64_t us = 20; us <= 200; us += 180) {
            double total = body_us(extras[i].text, us) + SELFTEST_LAUNCH_US;

            cr_assert(fabs(total / (double)us - 1 - extras[i].fraction) < 1e-9, "%s: %g us",
                      extras[i].text, total);
        }
    }
}

Test(selftest, an_extra_that_is_none)
{
    static const char *const texts[] = { "",    " 1", "-1", "+1",   "1 ",
                                         "1.5", "3%", "x",  "1001", "99999999999999999999",
                                         "0x1" };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        cr_assert(body_us(texts[i], 20) < 0, "\"%s\"", texts[i]);
}
