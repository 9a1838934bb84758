/* The main function of a comparison's program: its options, what it lists, tests of a suite's own,
 * and tests that are ended from outside. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/message.h"
#include "base/run_lock.h"
#include "records/records.h"
#include "tests/fakes/fake_runs.h"

TestSuite(runner, .init = begin_fake_runs, .fini = end_fake_runs, .timeout = 60);

Test(runner, options)
{
    const char *const with_value[] = { KG__FAKE_MODEL, "--filter", "fake/check", "-j", "1",
                                       "--encoding=C", NULL };

    expect_run(KG__FAKE_MODEL, "--list", 0, "check");
    expect_run(KG__FAKE_GPU, "--list", 0, "claim_quick_beats_plain");
    expect_run(KG__FAKE_MODEL, "--help", 0, "usage: ");
    expect_run(KG__FAKE_MODEL, "--help", 0, "--cases PART");
    expect_run(KG__FAKE_MODEL, "--no-such-option", 2, "--no-such-option: no such option");
    expect_run(KG__FAKE_MODEL, "--filterx=fake/check", 2, "no such option: see --help");
    expect_run(KG__FAKE_MODEL, "-Z", 2, "-Z: no such option");
    expect_run(KG__FAKE_MODEL, "-", 2, "-: no such option");
    expect_run(KG__FAKE_MODEL, "check", 2, "check: no such option");
    expect_run(KG__FAKE_MODEL, "--filter=nothing/*", 2, "fake: the filter matches no test");
    expect_run(KG__FAKE_MODEL, "--filter=fake/time", 2, "fake: the filter matches no test");
    expect_drive(with_value, 0, "pass         cpu-model");
}

/* Criterion prints its usage for these, runs nothing, and would end with 0. */
Test(runner, an_option_that_criterion_refuses_is_an_error)
{
    static const struct {
        const char *option;
        const char *line;
    } refused[] = {
        { "--filter", "--filter: lacks its value: give a pattern of test names, such as " },
        { "--pattern", "--pattern: lacks its value: give a pattern of test names" },
        { "--jobs", "--jobs: lacks its value: give a number, such as --jobs=1" },
        { "--jobs=two", "--jobs: takes no 'two': give a number, such as --jobs=1" },
        { "-j", "-j: lacks its value: give a number, such as --jobs=1" },
        { "-jx", "-j: takes no 'x': give a number, such as --jobs=1" },
        { "-fj", "-j: lacks its value" },
        { "--timeout", "--timeout: lacks its value: give a number of seconds" },
        { "--timeout=soon", "--timeout: takes no 'soon': give a number of seconds" },
        { "--output", "--output: lacks its value: give a format and a file" },
        { "--output=xml", "--output: takes no 'xml': give a format and a file" },
        { "-O", "-O: lacks its value: give a format and a file, such as --output=xml:report.xml" },
        { "--encoding", "--encoding: lacks its value" },
        { "-qz", "-z: no such option: see --help" },
        { "-zq", "-z: no such option: see --help" },
        { "--quiet=1", "--quiet: takes no value: leave out '=1'" },
        { "--", "--: no such option" },
    };

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        ending seen = run(KG__FAKE_MODEL, refused[i].option);

        expect_ending(&seen, 2, refused[i].line);
        cr_expect(occurrences(seen.output, "\n") == 1, "%s: %s", refused[i].option, seen.output);
        free(seen.output);
    }
    set("CRITERION_OUTPUTS", "xml");
    /* Criterion keeps copies of what it refuses. */
    set("ASAN_OPTIONS", "detect_leaks=0");
    expect_run(KG__FAKE_MODEL, "-q", 2, "fake: Criterion refused its options: ");
}

Test(runner, strictness_is_0_or_1)
{
    set("KG_STRICT", "no");
    expect_run(KG__FAKE_MODEL, "--filter=fake/check", 2,
               "kernelgate: KG_STRICT='no' is neither 0 nor 1: set it to 1");
    expect_run(KG__FAKE_MODEL, "--list", 0, "check");
    set("KG_STRICT", "0");
    expect_run(KG__FAKE_MODEL, "--filter=fake/check", 0, "pass         cpu-model");
}

/* A test of a suite's own has verdicts too, and how it ended is in them. */
static void expect_verdicts(const char *test, const char *member, int code)
{
    json_t *verdicts = verdicts_of(test);
    const json_t *value = json_object_get(verdicts, member);

    cr_expect(json_is_array(value) ? json_array_size(value) == 1 : json_is_string(value), "%s",
              test);
    cr_expect(json_integer_value(json_object_get(verdicts, "exit_code")) == code &&
                  json_object_get(verdicts, "exit_code") != NULL,
              "%s", test);
    json_decref(verdicts);
}

/* A suite may have tests of its own: they count as claims do, and their names stand for them. */
Test(runner, tests_of_a_suites_own)
{
    const char *const results[] = { KG__COMMAND, "results", NULL };

    expect_run(KG__FAKE_SOUND_GPU, "--filter=own/passes", 0, "Passing: 1");
    expect_run(KG__FAKE_SOUND_GPU, "--filter=own/fails", 1, "told to");
    expect_run(KG__FAKE_SOUND_GPU, "--filter=own/skips", 77, NULL);
    expect_run(KG__FAKE_SOUND_GPU, "--filter=own/crashes", 2,
               "own.crashes: crashed outside of any case");
    expect_drive(results, 2,
                 "gpu.own.crashes: error: crashed outside of any case: look for a table");
    expect_verdicts("gpu.own.passes", "claims", 0);
    expect_verdicts("gpu.own.fails", "claims", 1);
    expect_verdicts("gpu.own.skips", "skipped", 77);
    expect_verdicts("gpu.own.crashes", "errors", 2);
    expect_run(KG__FAKE_SOUND_GPU, "--filter=own/dawdles", 2,
               "gpu.own.dawdles: overdue, and ended");
    expect_run(KG__FAKE_SOUND_GPU, "--filter=own/@(passes|fails)", 1, "told to");
    expect_run(KG__FAKE_SOUND_GPU, "--filter=own/@(passes|skips)", 0, NULL);
    set("KG_STRICT", "1");
    expect_run(KG__FAKE_SOUND_GPU, "--filter=own/@(passes|skips)", 2, NULL);
}

/* The test's folder `name` by a path of `length` bytes. */
static const char *long_path(const char *name, size_t length)
{
    static char path[8192];
    size_t used = strlen(at(name));

    memcpy(path, at(name), used);
    while (used + 2 <= length) {
        memcpy(path + used, "/.", 2);
        used += 2;
    }
    path[used] = '\0';
    return path;
}

/* Results go where they were told to, or nowhere. */
Test(runner, a_long_path_is_never_cut)
{
    static const size_t lengths[] = { 1030, 4080, 6000 };

    set("FAKE", at(""));
    set("KG_OUT", long_path("out", 1500));
    expect_shell(KG__COMMAND " begin && test -f \"$FAKE/out/run.lock\"");
    expect_check(0, "pass         cpu-model");
    expect_shell("test -f \"$FAKE/out/records/model.fake.check.verdicts.json\"");
    set("KG_LOCK_DIR", long_path("", 1500));
    expect_time(77, NULL);
    expect_shell("ls \"$FAKE\"/kernelgate-*.lock");
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        static char setting[8192];
        const char *const program[] = { "/usr/bin/env", setting, KG__FAKE_MODEL,
                                        "--filter=fake/check", NULL };

        expect_shell("rm -rf \"$FAKE/out\"");
        kg__format(setting, sizeof setting, "KG_OUT=%s", long_path("out", lengths[i]));
        if (lengths[i] < 4000)
            expect_drive(program, 0, "pass         cpu-model");
        else
            expect_drive(program, 2, "this path is longer than 4095 bytes: choose a shorter one");
        cr_expect(exists(at("out/records/model.fake.check.verdicts.json")) == (lengths[i] < 4000));
    }
}

/* What a run has to report, whatever the filter of the environment says. */
Test(runner, tests_are_listed_with_their_cases)
{
    const char *const gpu[] = { KG__FAKE_SOUND_GPU, "--tests", NULL };
    const char *const valued[] = { KG__FAKE_GPU, "--tests", "all", NULL };
    const char *const bad[] = { KG__FAKE_BAD_TABLE, "--tests", NULL };
    const json_t *test;
    size_t cases = 0;
    json_t *told;
    ending seen;
    size_t i;

    set("KG_FILTER", "fake/plain/1/*");
    seen = drive(gpu, environment);
    told = json_loads(seen.output, 0, NULL);
    cr_assert(seen.code == 0 && told != NULL, "%s", seen.output);
    cr_expect(json_array_size(json_object_get(told, "tests")) == 8);
    json_array_foreach (json_object_get(told, "tests"), i, test) {
        cases += json_array_size(json_object_get(test, "cases"));
        cr_expect(strncmp(kg__json_text(test, "test"), "gpu.", 4) == 0);
    }
    cr_expect(cases == 16 + 8, "checked and timed: %zu", cases);
    json_decref(told);
    free(seen.output);
    expect_drive(valued, 2, ": --tests takes no value");
    /* What is wrong with the table its own tests report. */
    expect_drive(bad, 0, "\"test\": \"model.fake.check\"");
}

/* Always one test at a time, and never a success by request. */
Test(runner, no_option_turns_a_failure_into_a_success)
{
    const char *const arguments[] = { KG__FAKE_MODEL, "--always-succeed", "--ignore-warnings",
                                      NULL };

    set("KG_FILTER", "fake/wrong/*");
    expect_drive(arguments, 1, "wrong        cpu-model");
}

Test(runner, cases_are_listed)
{
    const char *const defects[] = { KG__FAKE_MODEL, "--cases", "defects", NULL };
    const char *const parts[] = { KG__FAKE_GPU, "--cases", "time", NULL };
    const char *const none[] = { KG__FAKE_MODEL, "--cases", "time", NULL };
    const char *const unnamed[] = { KG__FAKE_MODEL, "--cases", NULL };
    const char *const bad[] = { KG__FAKE_BAD_TABLE, "--cases", "check", NULL };
    ending seen;

    set("KG_FILTER", "fake/plain/*");
    seen = drive(parts, environment);
    expect_ending(&seen, 0, NULL);
    cr_assert(strcmp(seen.output, "fake/plain/7/b32\nfake/plain/7/b64\n"
                                  "fake/plain/64/b32\nfake/plain/64/b64\n") == 0,
              "%s", seen.output);
    free(seen.output);
    expect_drive(none, 2, "fake: this target has no part time");
    expect_drive(unnamed, 2, "--cases: name a part");
    set("KG_FILTER", "");
    seen = drive(defects, environment);
    expect_ending(&seen, 0, NULL);
    cr_assert(strcmp(seen.output, "fake/misses/64/b32\nfake/harmless/64/b32\n"
                                  "fake/unlaunchable/64/b32\nfake/unlucky/7/b32\n") == 0,
              "%s", seen.output);
    free(seen.output);
    expect_drive(bad, 2, "appears twice");
}

/* The launches of what is timed or counted anywhere; on the CPU model the fake starts no kernel. */
Test(runner, launches_are_told)
{
    const char *const gpu[] = { KG__FAKE_GPU, "--launches", NULL };
    const char *const model[] = { KG__FAKE_MODEL, "--launches", NULL };
    const char *const valued[] = { KG__FAKE_GPU, "--launches", "all", NULL };
    const char *const narrowed[] = { KG__FAKE_GPU, "--candidates", "time", NULL };
    const char *const bad[] = { KG__FAKE_BAD_TABLE, "--launches", NULL };
    json_t *told;
    ending seen;

    set("KG_FILTER", "fake/plain/64/*");
    seen = drive(gpu, environment);
    told = json_loads(seen.output, 0, NULL);
    cr_assert(seen.code == 0 && told != NULL, "%s", seen.output);
    cr_expect(json_array_size(json_object_get(told, "cases")) == 2);
    cr_expect_str_eq(kg__json_text(json_array_get(json_object_get(told, "cases"), 0), "case"),
                     "fake/plain/64/b32");
    json_decref(told);
    free(seen.output);
    expect_drive(model, 0, "\"without\": [\n  \"fake/plain/64/b32\"");
    expect_drive(valued, 2, "all: --launches takes no value");
    expect_drive(narrowed, 2, "time: --candidates takes no value");
    set("KG_FILTER", "");
    expect_drive(bad, 2, "appears twice");
}

/* Whether a process lives whose arguments name the test's folder. */
static bool anything_runs_here(void)
{
    DIR *listing = opendir("/proc");
    const struct dirent *entry;
    bool found = false;

    cr_assert(listing != NULL);
    while (!found && (entry = readdir(listing)) != NULL) {
        char path[300];
        char text[4096];
        FILE *file;
        size_t length;

        kg__format(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
        file = fopen(path, "r");
        if (file == NULL)
            continue;
        length = fread(text, 1, sizeof text - 1, file);
        text[length] = '\0';
        fclose(file);
        for (size_t i = 0; i < length && !found; i += strlen(text + i) + 1)
            found = strncmp(text + i, at(""), strlen(at(""))) == 0;
    }
    closedir(listing);
    return found;
}

/* What was killed may take a moment to end. */
static void expect_nothing_runs_here(void)
{
    const struct timespec moment = { 0, 20000000 };

    for (int i = 0; i < 250 && anything_runs_here(); i++)
        nanosleep(&moment, NULL);
    cr_assert(!anything_runs_here());
}

/* CTest kills the runner alone when a test is overdue: what it judged until then stays, the rest is
 * an error, and nothing that it started lives on. */
Test(runner, a_killed_test_leaves_no_hole_and_no_process)
{
    const char *const arguments[] = { "/usr/bin/timeout", "-s",           "KILL", "2",
                                      KG__FAKE_MODEL,     "--encoding=C", NULL };
    json_t *verdicts;
    ending seen;

    set("KG_CASE_TIMEOUT", "50");
    set("KG_FILTER", "fake/plain/*,fake/hangs/64/*");
    seen = drive(arguments, environment);
    cr_assert(seen.code == 128 + 9 || seen.code == 124, "%d", seen.code);
    free(seen.output);
    expect_nothing_runs_here();
    verdicts = verdicts_of("model.fake.check");
    cr_assert(json_is_false(json_object_get(verdicts, "complete")));
    json_decref(verdicts);
    expect_case("model.fake.check", "fake/plain/64/b32", "pass", "");
    expect_case("model.fake.check", "fake/hangs/64/b32", "error", "the test ended before this");
    expect_merge(2, "ended before it was finished");
}

/* Criterion ends a test that is overdue likewise, and the runner says where to look. */
Test(runner, an_overdue_test_is_an_error)
{
    const char *const arguments[] = { KG__FAKE_MODEL, "--filter=fake/check", "--timeout=2", NULL };

    set("KG_CASE_TIMEOUT", "50");
    set("KG_FILTER", "fake/plain/*,fake/hangs/64/*");
    expect_drive(arguments, 2, "model.fake.check: overdue, and ended: see ");
    expect_case("model.fake.check", "fake/plain/64/b32", "pass", "");
    expect_case("model.fake.check", "fake/hangs/64/b32", "error", "the test ended before this");
    expect_nothing_runs_here();
}

/* The run around a test was killed, and another one took its folder over meanwhile. */
Test(runner, a_folder_that_is_taken_over)
{
    const struct timespec moment = { 0, 400000000 };
    kg__error error = { "" };
    char out[256];
    json_t *verdicts;
    pid_t stranger;

    store_baseline();
    set("KG_CASE_TIMEOUT", "1");
    plan("1 " SLOW " hang\n");
    kg__format(out, sizeof out, "%s", at("out"));
    stranger = fork();
    cr_assert(stranger >= 0);
    if (stranger == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        nanosleep(&moment, NULL);
        if (!kg__run_lock_take(out, getpid(), &error))
            _exit(1);
        for (;;)
            pause();
    }
    expect_time(2, "/out: held by test_test_main, process ");
    verdicts = verdicts_of("gpu.fake.time");
    cr_assert(json_is_false(json_object_get(verdicts, "complete")), "nothing is written any more");
    json_decref(verdicts);
    /* And no test begins there. */
    (void)unlink(at("out/records/gpu.fake.time.verdicts.json"));
    expect_time(2, "/out: held by test_test_main, process ");
    expect_run(KG__FAKE_GPU, NULL, 2, "/out: held by test_test_main, process ");
    cr_assert(!exists(at("out/records/gpu.fake.time.verdicts.json")));
    expect_run(KG__FAKE_GPU, "--list", 0, "fake");
    cr_assert(kill(stranger, SIGKILL) == 0 && waitpid(stranger, NULL, 0) == stranger);
    (void)unlink(at("log"));
    expect_time(2, "hung");
}
