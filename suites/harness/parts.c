/* The parts of a comparison from end to end: its real programs, on kernels that do as they are told
 * and on a GPU that is not there; what they print, the verdicts that they leave, and their exit
 * codes. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "baseline.h"
#include "clock.h"
#include "drive.h"
#include "gating.h"
#include "holding.h"
#include "lock.h"
#include "machine_code.h"
#include "records.h"
#include "results_text.h"

static kg__baseline baseline;

static void begin(void)
{
    make_folder();
    cr_assert(mkdir(at("baselines"), 0777) == 0);
    set("KG_OUT", at("out"));
    set("KG_BASELINES", at("baselines"));
    set("KG_LOCK_DIR", at(""));
    set("FAKE_LOG", at("log"));
    set("FAKE_PLAN", at("plan"));
    set("FAKE_COUNT_LOG", at("count_log"));
    set("FAKE_COUNT_PLAN", at("count_plan"));
    set("KG_CASE_TIMEOUT", "20");
    set("KG_FILTER", "fake/plain/*,fake/quick/*");
    baseline.target = (kg__target){ .key = "nvidia-fake",
                                    .name = "NVIDIA Fake",
                                    .compute_capability = "9.0",
                                    .memory_mib = 81920,
                                    .multiprocessors = 132 };
}

static void finish(void)
{
    kg__baseline_free(&baseline);
    remove_folder();
}

TestSuite(parts, .init = begin, .fini = finish, .timeout = 60);

static ending run(const char *program, const char *option)
{
    const char *const arguments[] = { program, option, NULL };

    return drive(arguments, environment);
}

/* Runs one test of a program; its exit code and a line of its output must be so. */
static void expect_run(const char *program, const char *option, int code, const char *line)
{
    ending seen = run(program, option);

    expect_ending(&seen, code, line);
    free(seen.output);
}

static void expect_check(int code, const char *line)
{
    expect_run(KG__FAKE_MODEL, "--filter=fake/check", code, line);
}

static void expect_time(int code, const char *line)
{
    expect_run(KG__FAKE_GPU, "--filter=fake/time", code, line);
}

static json_t *verdicts_of(const char *test)
{
    char name[128];

    kg__format(name, sizeof name, "out/records/%s.verdicts.json", test);
    return read_json(at(name));
}

static const json_t *find_case(const json_t *verdicts, const char *id)
{
    size_t i;
    json_t *entry;

    json_array_foreach (json_object_get(verdicts, "cases"), i, entry) {
        if (strcmp(kg__json_text(entry, "case"), id) == 0)
            return entry;
    }
    return NULL;
}

static size_t size_of(const json_t *verdicts, const char *list)
{
    return json_array_size(json_object_get(verdicts, list));
}

/* What a test left of one case: its verdict, and a part of its reason. */
static void expect_case(const char *test, const char *id, const char *verdict, const char *why)
{
    json_t *verdicts = verdicts_of(test);
    const json_t *entry = find_case(verdicts, id);

    cr_assert(entry != NULL, "%s: %s is not there", test, id);
    cr_assert(strcmp(kg__json_text(entry, "verdict"), verdict) == 0, "%s: %s (%s)", id,
              kg__json_text(entry, "verdict"), kg__json_text(entry, "why"));
    cr_assert(strstr(kg__json_text(entry, "why"), why) != NULL, "%s: %s", id,
              kg__json_text(entry, "why"));
    json_decref(verdicts);
}

/* How many cases of a test have a verdict. */
static size_t count_cases(const char *test, const char *verdict)
{
    json_t *verdicts = verdicts_of(test);
    size_t count = 0;
    size_t i;
    json_t *entry;

    json_array_foreach (json_object_get(verdicts, "cases"), i, entry)
        count += strcmp(kg__json_text(entry, "verdict"), verdict) == 0;
    json_decref(verdicts);
    return count;
}

static void expect_skip(const char *test, const char *by, const char *why)
{
    json_t *verdicts = verdicts_of(test);

    cr_assert(strcmp(kg__json_text(verdicts, "skipped_by"), by) == 0, "%s, expected %s",
              kg__json_text(verdicts, "skipped_by"), by);
    cr_assert(strstr(kg__json_text(verdicts, "skipped"), why) != NULL, "%s",
              kg__json_text(verdicts, "skipped"));
    cr_assert(json_is_true(json_object_get(verdicts, "complete")));
    json_decref(verdicts);
}

Test(parts, what_is_right_passes)
{
    json_t *verdicts;

    expect_check(0, "pass         cpu-model    fake/quick/64/b64                 checked");
    verdicts = verdicts_of("model.fake.check");
    cr_assert(strcmp(kg__json_text(verdicts, "test"), "model.fake.check") == 0);
    cr_assert(json_is_true(json_object_get(verdicts, "complete")));
    cr_assert(json_is_number(json_object_get(verdicts, "seconds")));
    cr_assert(strcmp(kg__json_text(json_object_get(verdicts, "target"), "key"), "cpu-model") == 0);
    cr_assert(size_of(verdicts, "cases") == 8);
    cr_assert(size_of(verdicts, "refused") == 8, "what is refused is said, not skipped");
    cr_assert(size_of(verdicts, "errors") == 0);
    cr_assert(json_object_get(verdicts, "skipped") == NULL);
    json_decref(verdicts);
    cr_assert(count_cases("model.fake.check", "pass") == 8);
    expect_case("model.fake.check", "fake/plain/1/b32", "pass", "");
}

Test(parts, refusals_are_printed_with_their_reason)
{
    expect_check(0, "refused      cpu-model    fake/plain/7/b32                  7 is an unlucky");
    expect_check(0, "fake/quick/0/b64                  a size below 1 leaves nothing to compute");
}

/* A run in which every case is refused has judged nothing, and says so. */
Test(parts, all_is_refused)
{
    set("KG_FILTER", "fake/plain/7/*,fake/quick/0/b32");
    expect_check(77, "skipped      cpu-model    model.fake.check: the comparison refuses every");
    expect_skip("model.fake.check", "unavailable", "refuses every case");
    set("KG_STRICT", "1");
    expect_check(2, "refuses every");
}

/* Each wrong variant is caught, named by its file, and spoils its one case alone. */
Test(parts, each_way_to_be_wrong)
{
    static const char *const wrong[][2] = {
        { "wrong", "kernels/fake/wrong.cu: to[17]: expected" },
        { "nan", "kernels/fake/nan.cu: to[3]: expected" },
        { "unwritten", "1 of 64 elements wrong, 1 of them as they were before; inputs random" },
        { "overruns", "kernels/fake/overruns.cu: guard zone behind to: 4 bytes overwritten" },
        { "scribbles", "kernels/fake/scribbles.cu: from[5]: an input was written to" },
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char filter[64];
        char id[64];

        kg__format(filter, sizeof filter, "fake/plain/*,fake/%s/*", wrong[i][0]);
        kg__format(id, sizeof id, "fake/%s/64/b32", wrong[i][0]);
        set("KG_FILTER", filter);
        expect_check(1, wrong[i][1]);
        expect_case("model.fake.check", id, "wrong", wrong[i][1]);
        cr_assert(count_cases("model.fake.check", "pass") == 7);
    }
}

/* What one variant does to its process or its device leaves the others' verdicts standing. */
Test(parts, each_way_to_fail)
{
    static const char *const failing[][2] = {
        { "crashes", "kernels/fake/crashes.cu: crashed: the observer died of signal 11" },
        { "hangs", "kernels/fake/hangs.cu: hung: no record for 1 s" },
        { "cannot", "kernels/fake/cannot.cu: launching: cudaErrorInvalidValue" },
        { "strays", "kernels/fake/strays.cu: running the kernel: cudaErrorIllegalAddress" },
    };

    set("KG_CASE_TIMEOUT", "1");
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        char filter[64];
        char id[64];

        kg__format(filter, sizeof filter, "fake/%s/*,fake/plain/*,fake/quick/*", failing[i][0]);
        kg__format(id, sizeof id, "fake/%s/64/b32", failing[i][0]);
        set("KG_FILTER", filter);
        expect_check(2, failing[i][1]);
        expect_case("model.fake.check", id, "error", failing[i][1]);
        cr_assert(count_cases("model.fake.check", "pass") == 11);
        cr_assert(count_cases("model.fake.check", "error") == 1);
    }
}

static void plan_counts(const char *text)
{
    write_text(at("count_plan"), text);
    (void)unlink(at("count_log"));
}

/* How many instrumented observers the last run started. */
static size_t instrumented_processes(void)
{
    char *text;
    size_t count;

    if (!exists(at("count_log")))
        return 0;
    text = read_text(at("count_log"));
    count = occurrences(text, "\n");
    free(text);
    return count;
}

#define FINDING "kernels/fake/other.cu:14: reads 4 bytes at from + 256, beyond its end (256 bytes)"

/* A check runs each variant in two programs, and a case has one line and one verdict of both. */
Test(parts, what_instrumented_kernels_find_is_wrong)
{
    ending seen;

    plan_counts("* fake/plain/64/b32 finding\n");
    seen = run(KG__FAKE_MODEL, "--filter=fake/check");
    expect_ending(&seen, 1, "wrong        cpu-model    fake/plain/64/b32                 " FINDING);
    cr_assert(occurrences(seen.output, "fake/plain/64/b32") == 1, "one line: %s", seen.output);
    cr_assert(occurrences(seen.output, "fake/quick/64/b32") == 1, "one line: %s", seen.output);
    free(seen.output);
    expect_case("model.fake.check", "fake/plain/64/b32", "wrong", FINDING);
    cr_assert(count_cases("model.fake.check", "pass") == 7);
    cr_assert(instrumented_processes() == 2, "one a variant that the filter leaves");
}

/* What was not looked at is said of a case that passes, too. */
Test(parts, a_check_of_some_blocks_says_so)
{
    set("KG_FILTER", "fake/plain/*");
    plan_counts("* fake/plain/64/b32 sampled\n");
    expect_check(0, "memory checks on 120 of 16384 blocks");
    expect_case("model.fake.check", "fake/plain/64/b32", "pass",
                "memory checks on 120 of 16384 blocks");
}

/* The line of source comes first, then what the plain program found. */
Test(parts, both_reasons_are_given)
{
    set("KG_FILTER", "fake/plain/*,fake/wrong/*");
    plan_counts("* fake/wrong/64/b32 finding\n");
    expect_check(1, "thread (1, 0, 0); 3 times; kernels/fake/wrong.cu: to[17]: expected");
    expect_case("model.fake.check", "fake/wrong/64/b32", "wrong", FINDING);
}

/* The same wrong result is told once, whichever figures came with it. */
Test(parts, a_wrong_result_of_both_is_told_once)
{
    json_t *verdicts;
    const char *why;

    set("KG_FILTER", "fake/plain/*,fake/wrong/*");
    plan_counts("* fake/wrong/64/b32 wrong\n");
    expect_check(1, "kernels/fake/wrong.cu: to[17]: expected");
    verdicts = verdicts_of("model.fake.check");
    why = kg__json_text(find_case(verdicts, "fake/wrong/64/b32"), "why");
    cr_assert(occurrences(why, "to[17]") == 1, "%s", why);
    json_decref(verdicts);
    plan_counts("* fake/plain/64/b32 wrong\n");
    expect_check(1, "fake/plain/64/b32                 kernels/fake/plain.cu: to[17]: expected 1, "
                    "got 2; inputs random");
}

/* A finding explains a crash, and an error stays one. */
Test(parts, a_crash_is_explained_by_what_instrumented_kernels_find)
{
    set("KG_FILTER", "fake/plain/*,fake/crashes/*");
    plan_counts("* fake/crashes/64/b32 finding\n");
    expect_check(2, FINDING);
    expect_case("model.fake.check", "fake/crashes/64/b32", "error",
                "3 times; kernels/fake/crashes.cu: crashed: the observer died of signal 11");
    plan_counts("");
    expect_check(2, NULL);
    expect_case("model.fake.check", "fake/crashes/64/b32", "error",
                "kernels/fake/crashes.cu: crashed");
}

/* What goes wrong with instrumented kernels alone is an error, and said to be theirs. */
Test(parts, instrumented_kernels_that_fail)
{
    static const char *const events[][2] = {
        { "failed", "with instrumented kernels: kernels/fake/plain.cu: running the kernel: "
                    "cudaErrorLaunchFailure" },
        { "crash", "with instrumented kernels: kernels/fake/plain.cu: crashed: the observer" },
        { "hang", "with instrumented kernels: kernels/fake/plain.cu: hung: no record for 1 s" },
        { "forget", "with instrumented kernels: kernels/fake/plain.cu: record lost" },
    };

    set("KG_CASE_TIMEOUT", "1");
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        char text[64];

        kg__format(text, sizeof text, "* fake/plain/64/b32 %s\n", events[i][0]);
        plan_counts(text);
        expect_check(2, events[i][1]);
        expect_case("model.fake.check", "fake/plain/64/b32", "error", events[i][1]);
        cr_assert(count_cases("model.fake.check", "pass") == 7);
    }
}

/* Whoever hung once would hang again, and is not run with instrumented kernels. */
Test(parts, what_hung_is_not_run_again)
{
    set("KG_CASE_TIMEOUT", "1");
    set("KG_FILTER", "fake/hangs/64/*");
    plan_counts("* fake/hangs/64/b32 finding\n");
    expect_check(2, "kernels/fake/hangs.cu: hung: no record for 1 s");
    expect_case("model.fake.check", "fake/hangs/64/b32", "error", "kernels/fake/hangs.cu: hung");
    cr_assert(instrumented_processes() == 1, "for the other launch alone");
}

#define DEFECTS "--filter=fake/defects"
#define DEFECTS_TEST "model.fake.defects"

/* A defect is there to be found wrong, and then all is well; its source is told by its launcher,
 * for several variants and defects may share one. */
Test(parts, a_defect_that_is_caught)
{
    json_t *verdicts;

    set("KG_FILTER", "fake/misses/*");
    set("KG_STRICT", "1");
    expect_run(KG__FAKE_MODEL, DEFECTS, 0,
               "pass         cpu-model    fake/misses/64/b32                caught: "
               "kernels/fake/adds_one.cu: to[17]: expected ");
    expect_case(DEFECTS_TEST, "fake/misses/64/b32", "pass", "caught: kernels/fake/adds_one.cu: ");
    verdicts = verdicts_of(DEFECTS_TEST);
    cr_assert(size_of(verdicts, "cases") == 1 && size_of(verdicts, "errors") == 0);
    cr_assert(strcmp(kg__json_text(find_case(verdicts, "fake/misses/64/b32"), "part"), "defects") ==
              0);
    json_decref(verdicts);
    expect_run(KG__FAKE_GPU, DEFECTS, 0,
               "pass         nvidia-fake  fake/misses/64/b32                caught: kernels/fake/");
    expect_case("gpu.fake.defects", "fake/misses/64/b32", "pass", "caught: ");
}

/* What the instrumented program sees counts alike, and both reasons are told. */
Test(parts, a_defect_that_instrumented_kernels_catch)
{
    set("KG_FILTER", "fake/harmless/*");
    plan_counts("* fake/harmless/64/b32 finding\n");
    expect_run(KG__FAKE_MODEL, DEFECTS, 0, "caught: " FINDING);
    cr_assert(instrumented_processes() == 1);
    set("KG_FILTER", "fake/misses/*");
    plan_counts("* fake/misses/64/b32 finding\n");
    expect_run(KG__FAKE_MODEL, DEFECTS, 0, "caught: " FINDING);
    expect_case(DEFECTS_TEST, "fake/misses/64/b32", "pass",
                "3 times; kernels/fake/adds_one.cu: to[17]: expected ");
}

Test(parts, a_defect_that_is_not_caught)
{
    const char *const merge[] = { KG__COMMAND, "results", NULL };
    ending seen;

    set("KG_FILTER", "fake/harmless/*,fake/misses/*");
    expect_run(KG__FAKE_MODEL, DEFECTS, 1,
               "wrong        cpu-model    fake/harmless/64/b32              no check caught this "
               "defect (is right after all): mend the checks, or the row that says where it shows");
    expect_case(DEFECTS_TEST, "fake/harmless/64/b32", "wrong", "(is right after all)");
    cr_assert(count_cases(DEFECTS_TEST, "pass") == 1);
    seen = drive(merge, environment);
    expect_ending(&seen, 1, "ctest --test-dir build/cpu -R '^model\\.fake\\.defects$'");
    free(seen.output);
    expect_run(KG__FAKE_GPU, DEFECTS, 1, "wrong        nvidia-fake  fake/harmless/64/b32");
}

/* What could not be run was not looked at by any check. */
Test(parts, defects_that_cannot_be_run)
{
    set("KG_FILTER", "fake/unlaunchable/*,fake/misses/*");
    expect_run(KG__FAKE_MODEL, DEFECTS, 2,
               "error        cpu-model    fake/unlaunchable/64/b32          "
               "kernels/fake/unlaunchable.cu: launching: cudaErrorInvalidValue");
    expect_case(DEFECTS_TEST, "fake/unlaunchable/64/b32", "error", "launching: ");
    cr_assert(count_cases(DEFECTS_TEST, "pass") == 1);
    expect_run(KG__FAKE_GPU, DEFECTS, 2, "launching: cudaErrorInvalidValue");
    set("KG_FILTER", "fake/misses/*");
    plan_counts("* fake/misses/64/b32 crash\n");
    expect_run(KG__FAKE_MODEL, DEFECTS, 2, "with instrumented kernels: kernels/fake/adds_one.cu: ");
    set("KG_FILTER", "fake/unlucky/*");
    expect_run(KG__FAKE_MODEL, DEFECTS, 2,
               "error        cpu-model    fake/unlucky/7/b32                refused (7 is an "
               "unlucky size): no check sees this defect: mend its row");
    expect_case(DEFECTS_TEST, "fake/unlucky/7/b32", "error", "refused");
    expect_run(KG__FAKE_GPU, DEFECTS, 2, "refused (7 is an unlucky size)");
}

Test(parts, defects_that_are_filtered_out_or_absent)
{
    expect_run(KG__FAKE_MODEL, DEFECTS, 77, "KG_FILTER leaves this test no case");
    expect_skip(DEFECTS_TEST, "filter", "KG_FILTER leaves this test no case");
    expect_run(KG__FAKE_SOUND_GPU, DEFECTS, 2, "fake: the filter matches no test");
}

/* A part that cannot write down what it found is an error, whichever part it is. */
Test(parts, defects_that_cannot_be_written)
{
    set("KG_FILTER", "fake/misses/*");
    write_text(at("file"), "");
    set("KG_OUT", at("file/out"));
    expect_run(KG__FAKE_MODEL, DEFECTS, 2, "file/out: the folder cannot be made");
}

/* A variant whose results lie elsewhere is right once they are collected. */
Test(parts, results_that_are_collected)
{
    set("KG_FILTER", "fake/leaves/*");
    expect_check(0, "pass         cpu-model    fake/leaves/64/b32");
    set("FAKE_COLLECT", "collect");
    expect_check(2, "kernels/fake/leaves.cu: collecting the results: cudaErrorNotSupported");
    set("FAKE_COLLECT", "launch");
    expect_check(2, "kernels/fake/leaves.cu: launching: cudaErrorInvalidValue");
}

/* A copy of the model's program that stands alone. */
static const char *lone_program(void)
{
    static char path[512];
    char command[1200];

    kg__format(path, sizeof path, "%s", at("lone.model"));
    kg__format(command, sizeof command, "cp '%s' '%s'", KG__FAKE_MODEL, path);
    cr_assert(system(command) == 0);
    return path;
}

/* A build without instrumented programs checks results, and says what it leaves out. */
Test(parts, a_check_without_instrumented_kernels)
{
    json_t *verdicts;
    const char *note;

    expect_run(lone_program(), "--filter=fake/check", 0,
               "note         cpu-model    accesses to memory are not checked: ");
    verdicts = verdicts_of("model.fake.check");
    note = json_string_value(json_array_get(json_object_get(verdicts, "notes"), 0));
    cr_assert(note != NULL && strstr(note, "lone.instrumented: the program with") != NULL, "%s",
              note);
    cr_assert(size_of(verdicts, "notes") == 1);
    json_decref(verdicts);
    cr_assert(count_cases("model.fake.check", "pass") == 8);
    cr_assert(instrumented_processes() == 0);
    set("KG_STRICT", "1");
    expect_run(lone_program(), "--filter=fake/check", 2,
               "kernelgate: model.fake.check: accesses to memory are not checked: ");
    cr_assert(count_cases("model.fake.check", "pass") == 8);
}

Test(parts, a_filter_that_leaves_nothing)
{
    set("KG_FILTER", "matmul/*");
    expect_check(77, "skipped      cpu-model    model.fake.check: KG_FILTER leaves this test no");
    expect_skip("model.fake.check", "filter", "KG_FILTER leaves this test no case");
    set("KG_STRICT", "1");
    expect_check(77, "KG_FILTER leaves this test no case");
}

Test(parts, a_table_that_is_wrong)
{
    json_t *verdicts;

    expect_run(KG__FAKE_BAD_TABLE, "--filter=fake/check", 2,
               "model.fake.check: fake/plain/64/b32: stands twice in the table");
    verdicts = verdicts_of("model.fake.check");
    cr_assert(size_of(verdicts, "errors") == 1 && size_of(verdicts, "cases") == 0);
    json_decref(verdicts);
    expect_run(KG__FAKE_BAD_TABLE, "--filter=fake/claim_fewer_sectors", 2,
               "model.fake.claim_fewer_sectors    fake/plain/64/b32: stands twice in the table");
}

Test(parts, results_that_cannot_be_written)
{
    write_text(at("file"), "");
    set("KG_OUT", at("file/out"));
    expect_check(2, "file/out: the folder cannot be made: Not a directory");
    cr_assert(mkdir(at("out"), 0777) == 0);
    write_text(at("out/records"), "");
    set("KG_OUT", at("out"));
    expect_check(2, "out/records: is no folder");
}

/* A limit that is no number is complained of, and no reason to fail. */
Test(parts, settings_that_are_wrong)
{
    set("KG_CASE_TIMEOUT", "soon");
    expect_check(0, "KG_CASE_TIMEOUT=soon: no number of seconds above 0: 60 is used");
}

Test(parts, options)
{
    const char *const with_value[] = { KG__FAKE_MODEL, "--filter", "fake/check", "-j", "1",
                                       "--encoding=C", NULL };
    ending seen;

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
    seen = drive(with_value, environment);
    expect_ending(&seen, 0, "pass         cpu-model");
    free(seen.output);
}

/* A suite may have tests of its own: they count as claims do, and their names stand for them. */
Test(parts, tests_of_a_suites_own)
{
    expect_run(KG__FAKE_SOUND_GPU, "--filter=own/passes", 0, "Passing: 1");
    expect_run(KG__FAKE_SOUND_GPU, "--filter=own/fails", 1, "told to");
    expect_run(KG__FAKE_SOUND_GPU, "--filter=own/skips", 77, NULL);
    expect_run(KG__FAKE_SOUND_GPU, "--filter=own/crashes", 2,
               "own.crashes: crashed outside of any case");
    expect_run(KG__FAKE_SOUND_GPU, "--filter=own/dawdles", 2,
               "gpu.own.dawdles: overdue, and ended");
    expect_run(KG__FAKE_SOUND_GPU, "--filter=own/@(passes|fails)", 1, "told to");
    expect_run(KG__FAKE_SOUND_GPU, "--filter=own/@(passes|skips)", 0, NULL);
    set("KG_STRICT", "1");
    expect_run(KG__FAKE_SOUND_GPU, "--filter=own/@(passes|skips)", 2, NULL);
}

/* Always one test at a time, and never a success by request. */
Test(parts, no_option_turns_a_failure_into_a_success)
{
    const char *const arguments[] = { KG__FAKE_MODEL, "--always-succeed", "--ignore-warnings",
                                      NULL };
    ending seen;

    set("KG_FILTER", "fake/wrong/*");
    seen = drive(arguments, environment);
    expect_ending(&seen, 1, "wrong        cpu-model");
    free(seen.output);
}

Test(parts, cases_are_listed)
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
    seen = drive(none, environment);
    expect_ending(&seen, 2, "fake: this target has no part time");
    free(seen.output);
    seen = drive(unnamed, environment);
    expect_ending(&seen, 2, "--cases: name a part");
    free(seen.output);
    set("KG_FILTER", "");
    seen = drive(defects, environment);
    expect_ending(&seen, 0, NULL);
    cr_assert(strcmp(seen.output, "fake/misses/64/b32\nfake/harmless/64/b32\n"
                                  "fake/unlaunchable/64/b32\nfake/unlucky/7/b32\n") == 0,
              "%s", seen.output);
    free(seen.output);
    seen = drive(bad, environment);
    expect_ending(&seen, 2, "stands twice");
    free(seen.output);
}

/* The launches of what is timed or counted anywhere; on the CPU model the fake starts no kernel. */
Test(parts, launches_are_told)
{
    const char *const gpu[] = { KG__FAKE_GPU, "--launches", NULL };
    const char *const model[] = { KG__FAKE_MODEL, "--launches", NULL };
    const char *const valued[] = { KG__FAKE_GPU, "--launches", "all", NULL };
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
    seen = drive(model, environment);
    expect_ending(&seen, 0, "\"without\": [\n  \"fake/plain/64/b32\"");
    free(seen.output);
    seen = drive(valued, environment);
    expect_ending(&seen, 2, "all: --launches takes no value");
    free(seen.output);
    set("KG_FILTER", "");
    seen = drive(bad, environment);
    expect_ending(&seen, 2, "stands twice");
    free(seen.output);
}

#define FIRST_BOARD "GPU-00000000-1111-2222-3333-444444444444"
#define OTHER_BOARD "GPU-aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
#define FIRST_ID "id:gpu_00000000_1111_2222_3333_444444444444,slots:8"
#define OTHER_ID "id:gpu_aaaaaaaa_bbbb_cccc_dddd_eeeeeeeeeeee,slots:8"

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
Test(parts, ctest_chooses_the_board)
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
Test(parts, a_board_that_cannot_be_had_is_an_error)
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
Test(parts, observers_that_change_boards_are_an_error)
{
    set_boards("NVIDIA Fake");
    set("CTEST_RESOURCE_GROUP_COUNT", "0");
    set("FAKE_DEVICE", "moves");
    expect_run(KG__FAKE_GPU, "--filter=fake/check", 2,
               "an observer ran on " OTHER_BOARD ", the one before it on " FIRST_BOARD);
}

/* The boards of a machine, as CTest wants to be told. */
Test(parts, a_program_lists_the_boards)
{
    const char *const listing[] = { KG__FAKE_GPU, "--resource-spec", NULL };
    const char *const of_model[] = { KG__FAKE_MODEL, "--resource-spec", NULL };
    const char *const with_value[] = { KG__FAKE_GPU, "--resource-spec", "now", NULL };
    ending seen;
    json_t *spec;

    set("FAKE_BOARDS", "MIG-aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee=NVIDIA H200 MIG 1g.18gb");
    seen = drive(listing, environment);
    expect_ending(&seen, 77, "is a MIG instance");
    free(seen.output);
    set_boards("NVIDIA Other");
    seen = drive(listing, environment);
    expect_ending(&seen, 0, "\"gpu_aaaaaaaa_bbbb_cccc_dddd_eeeeeeeeeeee\"");
    spec = json_loads(seen.output, JSON_REJECT_DUPLICATES, NULL);
    cr_assert(spec != NULL, "%s", seen.output);
    json_decref(spec);
    free(seen.output);
    set("CUDA_VISIBLE_DEVICES", OTHER_BOARD);
    seen = drive(listing, environment);
    expect_ending(&seen, 0, "\"gpu_aaaaaaaa_");
    cr_assert(strstr(seen.output, "gpu_00000000_") == NULL, "%s", seen.output);
    free(seen.output);
    set("CUDA_VISIBLE_DEVICES", "-1");
    seen = drive(listing, environment);
    expect_ending(&seen, 77, "no resource spec: no GPU");
    free(seen.output);
    seen = drive(of_model, environment);
    expect_ending(&seen, 2, "the CPU model has no boards");
    free(seen.output);
    seen = drive(with_value, environment);
    expect_ending(&seen, 2, "--resource-spec takes no value");
    free(seen.output);
}

static void expect_observer(const char *cases, const char *part, const char *records, int code,
                            const char *line)
{
    const char *const arguments[] = { KG__FAKE_MODEL, "--observe", cases,   "--part",
                                      part,           "--records", records, NULL };
    ending seen = drive(arguments, environment);

    expect_ending(&seen, code, line);
    free(seen.output);
}

Test(parts, an_observer_leaves_records)
{
    char *text;

    write_text(at("cases"), "fake/plain/7/b32\nfake/plain/64/b32\nfake/wrong/64/b32\n");
    expect_observer(at("cases"), "check", at("records"), 0, NULL);
    text = read_text(at("records"));
    cr_assert(occurrences(text, "\n") == 7, "%s", text);
    cr_assert(strncmp(text, "{\"event\":\"target\"", 17) == 0, "%s", text);
    cr_assert(strstr(text, "{\"event\":\"refused\",\"case\":\"fake/plain/7/b32\",\"why\":") !=
              NULL);
    cr_assert(strstr(text, "{\"event\":\"start\",\"case\":\"fake/plain/64/b32\"}\n{\"event\":"
                           "\"checked\",\"case\":\"fake/plain/64/b32\",\"right\":true") != NULL);
    cr_assert(strstr(text, "\"fake/wrong/64/b32\",\"right\":false,\"why\":\"to[17]") != NULL);
    cr_assert(strstr(text, "{\"event\":\"done\"}\n") != NULL);
    free(text);
}

/* Whoever looks on at the launches of a GPU sees those of the variant and no other: nothing is
 * collected. */
Test(parts, an_observer_of_launches_collects_nothing)
{
    const char *const arguments[] = { KG__FAKE_GPU, "--observe", at("cases"),   "--part",
                                      "launch",     "--records", at("records"), NULL };
    ending seen;
    char *text;

    write_text(at("cases"), "fake/leaves/64/b32\n");
    set("FAKE_COLLECT", "collect");
    seen = drive(arguments, environment);
    expect_ending(&seen, 0, NULL);
    free(seen.output);
    text = read_text(at("records"));
    cr_assert(strstr(text, "{\"event\":\"launched\",\"case\":\"fake/leaves/64/b32\",") != NULL,
              "%s", text);
    free(text);
    set("FAKE_COLLECT", "launch");
    seen = drive(arguments, environment);
    expect_ending(&seen, 0, NULL);
    free(seen.output);
    text = read_text(at("records"));
    cr_assert(strstr(text,
                     "\"failed\",\"case\":\"fake/leaves/64/b32\",\"why\":\"running the kernel: "
                     "cudaErrorInvalidValue") != NULL,
              "%s", text);
    free(text);
}

/* A lost context is the process's end, with an exit code of its own. */
Test(parts, an_observer_that_loses_its_device)
{
    char *text;

    write_text(at("cases"), "fake/strays/64/b32\nfake/plain/64/b32\n");
    expect_observer(at("cases"), "check", at("records"), 3, NULL);
    text = read_text(at("records"));
    cr_assert(strstr(text, "plain") == NULL && strstr(text, "done") == NULL, "%s", text);
    free(text);
}

Test(parts, an_observer_that_is_called_wrongly)
{
    const char *const lacking[] = { KG__FAKE_MODEL, "--observe", "cases", NULL };
    const char *const valueless[] = { KG__FAKE_MODEL, "--observe", "cases", "--part", NULL };
    const char *const unknown[] = { KG__FAKE_MODEL, "--observe", "cases", "--prat", "check", NULL };
    ending seen;

    seen = drive(lacking, environment);
    expect_ending(&seen, 2, "an observer needs --observe CASES --part PART --records FILE");
    free(seen.output);
    seen = drive(valueless, environment);
    expect_ending(&seen, 2, "--part: the option needs a value");
    free(seen.output);
    seen = drive(unknown, environment);
    expect_ending(&seen, 2, "--prat: no option of an observer");
    free(seen.output);

    write_text(at("cases"), "fake/plain/64/b32\n");
    expect_observer(at("missing"), "check", at("records"), 2, "missing: cannot be read");
    expect_observer(at("cases"), "check", at("missing/records"), 2,
                    "missing/records: cannot be written: No such file");
    expect_observer(at("cases"), "time", at("records"), 2, "fake: this target has no part time");
    write_text(at("cases"), "fake/plain/64/b32\nfake/plain/65/b32\n");
    expect_observer(at("cases"), "check", at("records"), 2,
                    "fake/plain/65/b32: no such case in the table");
}

/* A search tries launches that no row has; they are checked as any other. */
Test(parts, an_observer_checks_launches_beyond_the_table)
{
    char *records;

    write_text(at("cases"), "fake/plain/64/b32\nfake/plain/64/b96\n");
    expect_observer(at("cases"), "check", at("records"), 0, NULL);
    records = read_text(at("records"));
    cr_expect(strstr(records, "\"case\":\"fake/plain/64/b96\",\"right\":true") != NULL, "%s",
              records);
    free(records);
    /* That a launch cannot be is no defect where no row asks for it. */
    write_text(at("cases"), "fake/cannot/64/b32\nfake/cannot/64/b96\n");
    expect_observer(at("cases"), "check", at("refusals"), 0, NULL);
    records = read_text(at("refusals"));
    cr_expect(strstr(records, "\"failed\",\"case\":\"fake/cannot/64/b32\"") != NULL, "%s", records);
    cr_expect(strstr(records, "\"refused\",\"case\":\"fake/cannot/64/b96\"") != NULL, "%s",
              records);
    free(records);
    /* This program cannot count; that it has no such case is not why. */
    write_text(at("cases"), "fake/plain/64/b96\n");
    expect_observer(at("cases"), "count", at("counts"), 3, "needs the instrumented program");
    write_text(at("cases"), "fake/plain/64/96\n");
    expect_observer(at("cases"), "check", at("records"), 2, "fake/plain/64/96: no such case");
}

Test(parts, an_observer_takes_no_more_cases_than_there_are)
{
    FILE *file = fopen(at("cases"), "w");

    cr_assert(file != NULL);
    for (int i = 0; i < 1000; i++)
        cr_assert(fputs("fake/plain/64/b32\n", file) >= 0);
    cr_assert(fclose(file) == 0);
    expect_observer(at("cases"), "check", at("records"), 2, "more cases than the table has");
}

/* An observer that cannot report is of no use: it ends. */
Test(parts, an_observer_whose_records_are_full)
{
    if (access("/dev/full", W_OK) != 0) {
        remove_folder();
        cr_skip_test("there is no /dev/full here");
    }
    write_text(at("cases"), "fake/plain/64/b32\n");
    expect_observer(at("cases"), "check", "/dev/full", 2,
                    "a record cannot be written: No space left on device");
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

/* CTest kills the runner alone when a test is overdue: what it judged until then stays, the rest is
 * an error, and nothing that it started lives on. */
Test(parts, a_killed_test_leaves_no_hole_and_no_process)
{
    const char *const arguments[] = { "/usr/bin/timeout", "-s",           "KILL", "2",
                                      KG__FAKE_MODEL,     "--encoding=C", NULL };
    const char *const merge[] = { KG__COMMAND, "results", NULL };
    const struct timespec moment = { 0, 20000000 };
    json_t *verdicts;
    ending seen;

    set("KG_CASE_TIMEOUT", "50");
    set("KG_FILTER", "fake/plain/*,fake/hangs/64/*");
    seen = drive(arguments, environment);
    cr_assert(seen.code == 128 + 9 || seen.code == 124, "%d", seen.code);
    free(seen.output);
    for (int i = 0; i < 250 && anything_runs_here(); i++)
        nanosleep(&moment, NULL);
    cr_assert(!anything_runs_here());
    verdicts = verdicts_of("model.fake.check");
    cr_assert(json_is_false(json_object_get(verdicts, "complete")));
    json_decref(verdicts);
    expect_case("model.fake.check", "fake/plain/64/b32", "pass", "");
    expect_case("model.fake.check", "fake/hangs/64/b32", "error", "the test ended before this");
    seen = drive(merge, environment);
    expect_ending(&seen, 2, "ended before it was finished");
    free(seen.output);
}

/* Criterion ends a test that is overdue likewise, and the runner says where to look. */
Test(parts, an_overdue_test_is_an_error)
{
    const char *const arguments[] = { KG__FAKE_MODEL, "--filter=fake/check", "--timeout=2", NULL };
    const struct timespec moment = { 0, 20000000 };
    ending seen;

    set("KG_CASE_TIMEOUT", "50");
    set("KG_FILTER", "fake/plain/*,fake/hangs/64/*");
    seen = drive(arguments, environment);
    expect_ending(&seen, 2, "model.fake.check: overdue, and ended: see ");
    free(seen.output);
    expect_case("model.fake.check", "fake/plain/64/b32", "pass", "");
    expect_case("model.fake.check", "fake/hangs/64/b32", "error", "the test ended before this");
    for (int i = 0; i < 250 && anything_runs_here(); i++)
        nanosleep(&moment, NULL);
    cr_assert(!anything_runs_here());
}

Test(parts, a_run_is_summed_up)
{
    const char *const merge[] = { KG__COMMAND, "results", NULL };
    json_t *results;
    ending seen;

    set("KG_FILTER", "fake/plain/*,fake/overruns/*");
    expect_check(1, NULL);
    seen = drive(merge, environment);
    expect_ending(&seen, 1, "fake/overruns/64/b32");
    free(seen.output);
    results = read_json(at("out/results.json"));
    cr_assert(size_of(results, "cases") == 8 && size_of(results, "refused") == 8);
    cr_assert(strstr(kg__json_text(find_case(results, "fake/overruns/64/b32"), "why"),
                     "guard zone behind to") != NULL);
    json_decref(results);
    cr_assert(exists(at("out/junit.xml")) && exists(at("out/summary.md")));
}

static kg__baseline_metric *add_metric(kg__baseline_case *entry, const char *name, double value)
{
    double sessions[5] = { value, value, value, value, value };
    kg__baseline_metric *metric = kg__baseline_add_metric(entry, name);

    metric->value = value;
    metric->band = 0.02;
    metric->floor = 50;
    kg__baseline_set_sessions(metric, sessions, 5);
    return metric;
}

static void add_case(const char *id, double hot)
{
    kg__baseline_case *entry = kg__baseline_add(&baseline, id);

    free(entry->commit);
    entry->commit = kg__copy_text("0123456789");
    (void)add_metric(entry, "time_ns", hot);
    (void)add_metric(entry, "cold_time_ns", 1.2 * hot);
}

static void save_baseline(void)
{
    kg__error error = { "" };

    cr_assert(kg__baseline_save(at("baselines/nvidia-fake.json"), &baseline, &error), "%s",
              error.text);
}

/* The baseline of what the fake GPU does without a plan, sentinels included. */
static void store_baseline(void)
{
    add_case("fake/plain/64/b32", 10000);
    add_case("fake/plain/64/b64", 10000);
    add_case("fake/quick/64/b32", 5000);
    add_case("fake/quick/64/b64", 5000);
    (void)add_metric(kg__baseline_add_sentinel(&baseline, "copy"), "time_ns", 100000);
    (void)add_metric(kg__baseline_add_sentinel(&baseline, "fma"), "time_ns", 200000);
    save_baseline();
}

/* The merged results, whose exit code must be that. */
static json_t *merged_results(int code)
{
    const char *const merge[] = { KG__COMMAND, "results", NULL };
    ending seen = drive(merge, environment);

    expect_ending(&seen, code, NULL);
    free(seen.output);
    return read_json(at("out/results.json"));
}

/* A comparison is judged by the baseline of the board that it got, whatever board its checks got;
 * where that model has none, it is said, and strictness makes it fail. */
Test(parts, each_model_has_its_own_baseline)
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
    expect_time(77, "nvidia-other.json has none of these cases");
    set("KG_STRICT", "1");
    json_decref(merged_results(2));
}

static void plan(const char *text)
{
    write_text(at("plan"), text);
    (void)unlink(at("log"));
}

/* How many observers the last run started. */
static size_t processes(void)
{
    char *text = read_text(at("log"));
    size_t count = occurrences(text, "\n");

    free(text);
    return count;
}

#define SLOW "fake/plain/64/b32"

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

Test(parts, times_that_hold)
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
    cr_assert(strcmp(json_string_value(json_array_get(json_object_get(verdicts, "notes"), 0)),
                     "fake/quick/64/b32 runs at 2.00 times the speed of plain hot, 2.00 cold") ==
              0);
    json_decref(verdicts);
    expect_time(0, "pass         nvidia-fake  fake/quick/64/b64                 hot 5 000 ns (0.0 "
                   "%)  cold 6 000 ns (0.0 %)");
    expect_time(0, "speedup      nvidia-fake  fake/quick/64/b32 runs at 2.00 times");
}

/* A figure is the same whether a file holds it as 700 or as 700.0. */
Test(parts, times_of_other_surroundings)
{
    json_t *verdicts;

    baseline.provenance = json_pack("{s:s, s:i}", "driver", "1.2.3", "power_limit_w", 700);
    store_baseline();
    expect_time(0, "speedup      nvidia-fake");
    verdicts = verdicts_of("gpu.fake.time");
    cr_assert(size_of(verdicts, "notes") == 2, "no more than the speedups");
    json_decref(verdicts);
    json_object_set_new(baseline.provenance, "power_limit_w", json_integer(650));
    save_baseline();
    expect_time(0, "note         nvidia-fake  nvidia-fake: the baseline was recorded with "
                   "power_limit_w 650, this run has 700.0");
}

Test(parts, slower)
{
    json_t *verdicts;

    store_baseline();
    plan("* " SLOW " hot 11000\n");
    expect_verdict("slower", "slower by 10.0 % (11 000 ns against 10 000 ns, limit 2.0 %)", 1, 1);
    cr_assert(processes() == 3, "two more observers confirm it");
    verdicts = verdicts_of("gpu.fake.time");
    cr_assert(json_integer_value(json_object_get(find_case(verdicts, SLOW), "observers")) == 3);
    cr_assert(json_integer_value(
                  json_object_get(find_case(verdicts, "fake/quick/64/b32"), "observers")) == 1);
    json_decref(verdicts);
    plan("* " SLOW " hot 11000\n");
    expect_time(1, "confirming   nvidia-fake  fake/plain/64/b32                 hot 11 000 ns "
                   "(+10.0 %)");
    plan("* " SLOW " cold 13000\n");
    expect_verdict("slower", "cold_time_ns slower by 8.3 %", 1, 1);
}

Test(parts, slower_while_others_compute_on_the_card)
{
    store_baseline();
    plan("* " SLOW " hot 11000 foreign 2\n");
    expect_verdict("environment", "2 other processes computed on the card: slower by 10.0 %", 0, 1);
    cr_assert(processes() == 3);
}

/* Puts a disassembler on the path of the programs, which knows the fake kernel of the fake GPU, and
 * counts how often it is called. */
static void install_disassembler(void)
{
    char text[1024];

    cr_assert(mkdir(at("tools"), 0777) == 0);
    (void)snprintf(text, sizeof text,
                   "#!/bin/sh\necho called >>'%s'\ncat <<'TEXT'\n\tcode for sm_90\n\t\tFunction : "
                   "fake_kernel\n/*0000*/ EXIT ; /* 0x000000000000794d */\n\t\t..........\nTEXT\n",
                   at("disassembled"));
    write_text(at("tools/cuobjdump"), text);
    cr_assert(chmod(at("tools/cuobjdump"), 0777) == 0);
    (void)snprintf(text, sizeof text, "%s:%s", at("tools"), getenv("PATH"));
    set("PATH", text);
    set("FAKE_CUDA", "13.0");
}

/* The fingerprint of the fake kernel, launched so. */
static void fingerprint_of(const char *launch, char *text)
{
    json_t *machine_code = kg__machine_code_parse("\tcode for sm_90\n\t\tFunction : fake_kernel\n"
                                                  "/*0000*/ EXIT ; /* 0x000000000000794d */\n"
                                                  "\t\t..........\n",
                                                  "9.0");
    json_t *kernel = json_pack("{s:[s], s:s}", "names", "fake_kernel", "launch", launch);

    cr_assert(kg__machine_code_of(machine_code, kernel, text));
    json_decref(machine_code);
    json_decref(kernel);
}

Test(parts, slower_with_the_baselines_own_code)
{
    char code[KG__HASH_TEXT_SIZE];

    install_disassembler();
    baseline.provenance = json_pack("{s:s}", "cuda", "13.0");
    store_baseline();
    fingerprint_of("aa", code);
    kg__baseline_find(&baseline, SLOW)->code =
        json_pack("{s:i, s:s}", "registers", 40, "fingerprint", code);
    save_baseline();
    plan("* " SLOW " launch aa\n");
    expect_time(0, NULL);
    cr_assert(!exists(at("disassembled")), "nothing tripped");

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
    const json_t *changed = json_object_get(find_case(verdicts, SLOW), "changed");

    cr_assert(json_array_size(changed) == 2);
    cr_assert(strcmp(json_string_value(json_array_get(changed, 0)), "registers 40 -> 48") == 0);
    cr_assert(strcmp(json_string_value(json_array_get(changed, 1)),
                     "its machine code, or its launch, differs from the baseline's") == 0);
    json_decref(verdicts);

    plan("* " SLOW " hot 11000\n");
    expect_verdict("slower", "slower by 10.0 %", 1, 1);
    plan("* " SLOW " hot 9000 launch aa\n");
    expect_verdict("faster", "faster by 10.0 %", 0, 0);
}

/* Under another toolkit, or one that is not known, fingerprints say nothing. */
Test(parts, code_of_another_toolkit_is_not_compared)
{
    char code[KG__HASH_TEXT_SIZE];

    install_disassembler();
    baseline.provenance = json_pack("{s:s}", "cuda", "12.9");
    store_baseline();
    fingerprint_of("aa", code);
    kg__baseline_find(&baseline, SLOW)->code = json_pack("{s:s}", "fingerprint", code);
    save_baseline();
    plan("* " SLOW " hot 11000 launch aa\n");
    expect_time(1, "slower by 10.0 %");
    json_object_del(baseline.provenance, "cuda");
    save_baseline();
    plan("* " SLOW " hot 11000 launch aa\n");
    expect_time(1, "slower by 10.0 %");
    cr_assert(!exists(at("disassembled")));
}

Test(parts, a_disassembler_that_fails_excuses_nothing)
{
    char code[KG__HASH_TEXT_SIZE];

    install_disassembler();
    write_text(at("tools/cuobjdump"), "#!/bin/sh\nexit 255\n");
    baseline.provenance = json_pack("{s:s}", "cuda", "13.0");
    store_baseline();
    fingerprint_of("aa", code);
    kg__baseline_find(&baseline, SLOW)->code = json_pack("{s:s}", "fingerprint", code);
    save_baseline();
    plan("* " SLOW " hot 11000 launch aa\n");
    expect_time(1, "slower by 10.0 %");
}

/* Within the band, and within the floor of a short case. */
Test(parts, a_small_move_is_none)
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
Test(parts, a_slowness_that_is_not_confirmed)
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

Test(parts, faster)
{
    store_baseline();
    plan("* " SLOW " hot 8000\n");
    expect_verdict("faster", "faster by 20.0 % (8 000 ns against 10 000 ns", 0, 0);
    cr_assert(processes() == 3);
}

Test(parts, noisy)
{
    store_baseline();
    plan("* " SLOW " width 0.05\n");
    expect_verdict("noisy", "known only to 5.0 %", 0, 1);
    cr_assert(processes() == 1, "more observers would not help");
}

Test(parts, a_throttled_card)
{
    store_baseline();
    plan("* " SLOW " hot 11000 throttled\n");
    expect_verdict("environment", "the card throttled: slower by 10.0 %", 0, 1);
    cr_assert(processes() == 3);
    plan("* " SLOW " throttled\n");
    expect_verdict("pass", "", 0, 0);
}

Test(parts, sentinels_that_moved)
{
    store_baseline();
    plan("* " SLOW " hot 11000\n* copy hot 110000\n");
    expect_verdict("environment", "the copy sentinel moved by +10.0 %", 0, 1);
    plan("* " SLOW " hot 11000\n* fma hot 201000\n");
    expect_verdict("slower", "slower by 10.0 %", 1, 1);
}

Test(parts, what_is_not_gated_is_shown)
{
    store_baseline();
    kg__baseline_metric_of(kg__baseline_find(&baseline, SLOW), "time_ns")->gated = false;
    save_baseline();
    plan("* " SLOW " hot 15000\n");
    expect_verdict("pass", "not gated: slower by 50.0 %", 0, 0);
    cr_assert(processes() == 1);
}

Test(parts, no_baseline_at_all)
{
    expect_time(77, "baselines/nvidia-fake.json has none of these cases: record them with "
                    "ci/rebaseline");
    expect_skip("gpu.fake.time", "no-baseline", "nvidia-fake.json");
    cr_assert(count_cases("gpu.fake.time", "no-baseline") == 4);
    cr_assert(processes() == 1);
    set("KG_STRICT", "1");
    expect_time(2, "no-baseline  nvidia-fake  fake/plain/64/b32                 hot 10 000 ns");
}

Test(parts, a_case_without_a_baseline)
{
    store_baseline();
    cr_assert(kg__baseline_remove(&baseline, SLOW));
    save_baseline();
    expect_verdict("no-baseline", "no baseline: record one with ci/rebaseline", 0, 1);
}

/* Boards of another memory are another target, though they share the name. */
Test(parts, a_baseline_of_another_board)
{
    baseline.target.memory_mib = 40960;
    store_baseline();
    expect_time(77, "baselines/nvidia-fake-80gib.json has none of these cases");
    expect_skip("gpu.fake.time", "no-baseline", "nvidia-fake-80gib.json");
}

Test(parts, a_case_that_vanished_from_the_table)
{
    json_t *verdicts;

    add_case("fake/old/64/b32", 1000);
    add_case("fake/plain/65/b32", 1000);
    add_case("other/plain/64/b32", 1000);
    add_case("fakes/plain/64/b32", 1000);
    store_baseline();
    set("KG_FILTER", "*/plain/*,*/quick/*,*/old/*");
    expect_time(0, "fake/old/64/b32: in the baseline and no longer in the table");
    verdicts = verdicts_of("gpu.fake.time");
    cr_assert(size_of(verdicts, "vanished") == 2);
    json_decref(verdicts);
    set("KG_STRICT", "1");
    expect_time(1, "fake/plain/65/b32: in the baseline and no longer in the table");
    set("KG_FILTER", "fake/quick/*");
    expect_time(0, NULL);
}

/* What can be judged is judged, and still the file is an error. */
Test(parts, a_bad_baseline)
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

Test(parts, no_device)
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

Test(parts, a_broken_device)
{
    store_baseline();
    set("FAKE_DEVICE", "broken");
    expect_time(2, "gpu.fake.time: the driver does not work: this one is a fake");
    expect_case("gpu.fake.time", SLOW, "error", "no observer could be run for this case");
    expect_run(KG__FAKE_GPU, "--filter=fake/check", 2, "the driver does not work");
}

/* A device that goes away in the midst of a run leaves errors, not skipped cases. */
Test(parts, a_device_that_goes_away)
{
    set("FAKE_DEVICE", "first");
    expect_run(KG__FAKE_GPU, "--filter=fake/check", 2, "gpu.fake.check: no GPU: this one is");
    cr_assert(count_cases("gpu.fake.check", "pass") == 4);
    expect_case("gpu.fake.check", "fake/quick/64/b32", "error", "no observer could be run");
    store_baseline();
    plan("* " SLOW " hot 11000\n");
    expect_time(2, "no GPU: this one is");
    expect_case("gpu.fake.time", SLOW, "error", "no observer could be run");
    cr_assert(count_cases("gpu.fake.time", "pass") == 3);
}

/* A card that falls off its bus while it is timed: what was judged stands, the rest says why. */
Test(parts, a_device_that_is_lost_while_timing)
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
Test(parts, a_device_that_is_lost_while_confirming)
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
Test(parts, a_device_that_comes_back)
{
    const char *const merge[] = { KG__COMMAND, "results", NULL };
    ending seen;

    store_baseline();
    (void)unlink(at("log"));
    set("FAKE_DEVICE", "lost 2-2");
    expect_run(KG__FAKE_GPU, "--filter=fake/check", 2, "gpu.fake.check: the driver does not work");
    cr_assert(count_cases("gpu.fake.check", "pass") == 4);
    expect_case("gpu.fake.check", "fake/quick/64/b32", "error", "the driver does not work");
    expect_time(0, "pass         nvidia-fake  fake/quick/64/b64");
    cr_assert(count_cases("gpu.fake.time", "pass") == 4);
    seen = drive(merge, environment);
    expect_ending(&seen, 2, "the driver does not work: this one is a fake");
    free(seen.output);
}

/* A driver that does not even say no is given up like a case that hangs. */
Test(parts, a_device_that_does_not_answer)
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

/* The run around a test was killed, and another one took its folder over meanwhile. */
Test(parts, a_folder_that_is_taken_over)
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
        if (!kg__holding_take(out, getpid(), &error))
            _exit(1);
        for (;;)
            pause();
    }
    expect_time(2, "/out: held by test_parts, process ");
    verdicts = verdicts_of("gpu.fake.time");
    cr_assert(json_is_false(json_object_get(verdicts, "complete")), "nothing is written any more");
    json_decref(verdicts);
    /* And no test begins there. */
    (void)unlink(at("out/records/gpu.fake.time.verdicts.json"));
    expect_time(2, "/out: held by test_parts, process ");
    expect_run(KG__FAKE_GPU, NULL, 2, "/out: held by test_parts, process ");
    cr_assert(!exists(at("out/records/gpu.fake.time.verdicts.json")));
    expect_run(KG__FAKE_GPU, "--list", 0, "fake");
    cr_assert(kill(stranger, SIGKILL) == 0 && waitpid(stranger, NULL, 0) == stranger);
    (void)unlink(at("log"));
    expect_time(2, "hung");
}

Test(parts, what_goes_wrong_while_timing)
{
    static const struct {
        const char *event;
        const char *verdict;
        const char *why;
        int code;
        size_t processes;
    } events[] = {
        { "wrong", "wrong", "kernels/fake/plain.cu: to[3]: expected 1, got 2, after timing", 1, 1 },
        { "failed", "error", "kernels/fake/plain.cu: launching: cudaErrorInvalidValue", 2, 1 },
        { "forget", "error", "record lost", 2, 1 },
        { "crash", "error", "crashed: the observer died of signal 11", 2, 2 },
        { "hang", "error", "hung: no record for 1 s", 2, 2 },
        { "quit", "error", "the context is gone", 2, 2 },
    };

    set("KG_CASE_TIMEOUT", "1");
    store_baseline();
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        char text[64];

        kg__format(text, sizeof text, "* " SLOW " %s\n", events[i].event);
        plan(text);
        expect_time(events[i].code, events[i].why);
        expect_case("gpu.fake.time", SLOW, events[i].verdict, events[i].why);
        cr_assert(count_cases("gpu.fake.time", "pass") == 3);
        cr_assert(processes() == events[i].processes, "%s: %zu observers", events[i].event,
                  processes());
    }
}

/* What goes wrong while a case is being confirmed counts. */
Test(parts, what_goes_wrong_while_confirming)
{
    store_baseline();
    plan("* " SLOW " hot 11000\n2 " SLOW " crash\n");
    expect_time(2, "crashed");
    expect_case("gpu.fake.time", SLOW, "error", "crashed");
    plan("* " SLOW " hot 11000\n3 " SLOW " wrong\n");
    expect_time(1, "after timing");
    expect_case("gpu.fake.time", SLOW, "wrong", "after timing");
}

Test(parts, a_metric_that_is_no_longer_measured)
{
    store_baseline();
    plan("* " SLOW " cold 0\n");
    expect_verdict("error",
                   "cold_time_ns is in the baseline and was not measured (too many buffer sets)", 2,
                   2);
}

/* Two who time on one card do not do it at once, and the one who waits says so. */
Test(parts, a_card_that_is_taken)
{
    const struct timespec while_held = { 0, 300000000 };
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

Test(parts, a_lock_that_cannot_be_taken)
{
    store_baseline();
    set("KG_LOCK_DIR", at("missing"));
    expect_time(2, "missing/kernelgate-GPU-fake.lock: the lock cannot be opened");
}

static kg__baseline counts;

static void expect_count(int code, const char *line)
{
    expect_run(KG__FAKE_MODEL, "--filter=fake/count", code, line);
}

static void save_counts(void)
{
    kg__error error = { "" };

    cr_assert(kg__baseline_save(at("baselines/cpu-model.json"), &counts, &error), "%s", error.text);
}

/* The baseline of what the fake program counts without a plan. */
static void store_counts(void)
{
    static const char *const ids[] = { "fake/plain/64/b32", "fake/plain/64/b64",
                                       "fake/quick/64/b32", "fake/quick/64/b64" };
    static const struct {
        const char *counter;
        double value;
    } usual[] = {
        { "global_load_requests", 200 },
        { "global_load_sectors", 400 },
        { "global_store_requests", 100 },
        { "global_store_sectors", 400 },
        { "barriers", 8 },
        { "unique_bytes_read", 256 },
        { "unique_bytes_written", 256 },
    };
    json_t *lines = json_pack("{s:{s:i, s:i}, s:{s:i, s:i}}", "kernels/fake/plain.cu:14",
                              "global_load_requests", 200, "global_load_sectors", 400,
                              "kernels/fake/plain.cu:16", "global_store_requests", 100,
                              "global_store_sectors", 400);

    counts.target = (kg__target){ .key = KG__MODEL_KEY, .compiler = "gcc 12.2.0" };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        kg__baseline_case *entry = kg__baseline_add(&counts, ids[i]);

        for (size_t j = 0; j < sizeof usual / sizeof *usual; j++)
            kg__baseline_add_metric(entry, usual[j].counter)->value = usual[j].value;
        kg__baseline_set_lines(entry, lines);
    }
    json_decref(lines);
    save_counts();
}

Test(parts, counts_that_hold)
{
    json_t *verdicts;
    const json_t *entry;

    store_counts();
    expect_count(0, "pass         cpu-model    fake/quick/64/b64                 loads 200, 2.00 "
                    "sectors each  stores 100, 4.00 each  barriers 8");
    cr_assert(count_cases("model.fake.count", "pass") == 4);
    cr_assert(instrumented_processes() == 1, "counts repeat: nothing is confirmed");
    verdicts = verdicts_of("model.fake.count");
    cr_assert(size_of(verdicts, "refused") == 4 && size_of(verdicts, "vanished") == 0);
    cr_assert(size_of(verdicts, "notes") == 0 && size_of(verdicts, "errors") == 0);
    cr_assert(
        strcmp(kg__json_text(json_object_get(verdicts, "target"), "compiler"), "gcc 12.2.0") == 0);
    entry = find_case(verdicts, SLOW);
    cr_assert(json_is_number(json_object_get(entry, "seconds")));
    cr_assert(json_object_size(json_object_get(entry, "lines")) == 2);
    json_decref(verdicts);
    kg__baseline_free(&counts);
}

/* One request more fails, with the line that makes it and what accepts it. */
Test(parts, counts_that_rise)
{
    store_counts();
    plan_counts("* " SLOW " global_load_sectors 3200 line kernels/fake/plain.cu:14 "
                "global_load_sectors 3200\n");
    expect_count(1, "slower       cpu-model    fake/plain/64/b32                 loads 200, 16.00 "
                    "sectors each (was 2.00)");
    expect_case("model.fake.count", SLOW, "slower",
                "global_load_sectors rose by 700.0 % (3 200 against 400); "
                "kernels/fake/plain.cu:14: loads went from 2.00 to 16.00 sectors a request; to "
                "accept it: commit, then KG_FILTER='fake/plain/*' ci/rebaseline --target model");
    cr_assert(count_cases("model.fake.count", "pass") == 3);
    cr_assert(instrumented_processes() == 1);
    plan_counts("* " SLOW " global_load_requests 100 shuffles 1\n");
    expect_count(1, "shuffles rose (1 against 0); fallen: global_load_requests");
    kg__baseline_free(&counts);
}

Test(parts, counts_that_fall)
{
    store_counts();
    plan_counts("* " SLOW " barriers 0\n");
    expect_count(0, "faster       cpu-model    fake/plain/64/b32");
    expect_case(
        "model.fake.count", SLOW, "faster",
        "barriers fell by 100.0 % (0 against 8); to keep it: commit, then KG_FILTER='fake/plain/*' "
        "ci/rebaseline --target model");
    kg__baseline_free(&counts);
}

Test(parts, a_launch_that_was_sampled)
{
    store_counts();
    plan_counts("* " SLOW " sampled\n");
    expect_count(0, "barriers 8  sampled, 120 of 16 384 blocks");
    expect_case("model.fake.count", SLOW, "pass", "");
    kg__baseline_free(&counts);
}

/* The counts of a kernel that touches what it must not are no reason for praise or blame. */
Test(parts, counts_of_a_wrong_kernel)
{
    store_counts();
    plan_counts("* " SLOW " barriers 7\n* " SLOW " finding\n");
    expect_count(1, "wrong        cpu-model    " SLOW);
    expect_case("model.fake.count", SLOW, "wrong", "kernels/fake/other.cu:14: reads 4 bytes");
    kg__baseline_free(&counts);
}

/* A program in the place of the instrumented one that looks at nothing. */
Test(parts, a_check_that_would_see_nothing)
{
    set("FAKE_BLIND", "1");
    expect_run(KG__FAKE_MODEL, "--filter=fake/check", 2,
               "its kernels are not instrumented, so that no access is checked: build it anew");
}

/* Another compiler is no reason by itself; beside one it is told. */
Test(parts, counts_of_another_compiler)
{
    json_t *verdicts;

    store_counts();
    set("FAKE_COMPILER", "gcc 13.1.0");
    expect_count(0, "note         cpu-model    the baseline was recorded with gcc 12.2.0, this run "
                    "has gcc 13.1.0");
    verdicts = verdicts_of("model.fake.count");
    cr_assert(size_of(verdicts, "notes") == 1);
    json_decref(verdicts);
    plan_counts("* " SLOW " barriers 9\n");
    expect_count(1, "; the baseline was recorded with gcc 12.2.0, this run has gcc 13.1.0; to "
                    "accept it: ");
    plan_counts("* " SLOW " barriers 7\n");
    expect_count(0, "; the baseline was recorded with gcc 12.2.0, this run has gcc 13.1.0; to "
                    "keep it: ");
    kg__baseline_free(&counts);
}

Test(parts, counts_without_a_baseline)
{
    expect_count(77, "baselines/cpu-model.json has none of these cases: record them with "
                     "ci/rebaseline");
    expect_skip("model.fake.count", "no-baseline", "cpu-model.json");
    cr_assert(count_cases("model.fake.count", "no-baseline") == 4);
    set("KG_STRICT", "1");
    expect_count(2, "no-baseline  cpu-model    fake/plain/64/b32                 loads 200");
    store_counts();
    cr_assert(kg__baseline_remove(&counts, SLOW));
    save_counts();
    expect_count(1, "no baseline: record one with ci/rebaseline");
    set("KG_STRICT", "0");
    expect_count(0, "no baseline: record one with ci/rebaseline");
    kg__baseline_free(&counts);
}

Test(parts, a_counted_case_that_vanished)
{
    store_counts();
    kg__baseline_add_metric(kg__baseline_add(&counts, "fake/plain/65/b32"), "barriers")->value = 1;
    save_counts();
    expect_count(0, "fake/plain/65/b32: in the baseline and no longer in the table");
    set("KG_STRICT", "1");
    expect_count(1, "fake/plain/65/b32: in the baseline and no longer in the table");
    kg__baseline_free(&counts);
}

Test(parts, a_bad_baseline_of_counts)
{
    store_counts();
    write_text(at("baselines/cpu-model.json"),
               "{\"schema\": \"kernelgate-baseline/1\", \"target\": {\"key\": \"cpu-model\"},\n"
               "\"cases\": {\"fake/plain/64/b32\": {\"time_ns\": {\"value\": 5, \"band\": 0, "
               "\"floor\": 1}}}}");
    expect_count(2, "cpu-model.json:2: cases: fake/plain/64/b32: time_ns: ");
    kg__baseline_free(&counts);
}

Test(parts, what_goes_wrong_while_counting)
{
    static const struct {
        const char *event;
        const char *verdict;
        const char *why;
        int code;
        size_t processes;
    } events[] = {
        { "failed", "error", "kernels/fake/plain.cu: running the kernel: cudaError", 2, 1 },
        { "wrong", "wrong", "kernels/fake/plain.cu: to[17]: expected 1, got 2", 1, 1 },
        { "forget", "error", "kernels/fake/plain.cu: record lost", 2, 1 },
        { "crash", "error", "kernels/fake/plain.cu: crashed: the observer died of signal 11", 2,
          2 },
        { "hang", "error", "kernels/fake/plain.cu: hung: no record for 1 s", 2, 2 },
    };

    set("KG_CASE_TIMEOUT", "1");
    store_counts();
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        char text[64];

        kg__format(text, sizeof text, "* " SLOW " %s\n", events[i].event);
        plan_counts(text);
        expect_count(events[i].code, events[i].why);
        expect_case("model.fake.count", SLOW, events[i].verdict, events[i].why);
        cr_assert(count_cases("model.fake.count", "pass") == 3);
        cr_assert(instrumented_processes() == events[i].processes);
    }
    kg__baseline_free(&counts);
}

Test(parts, counting_needs_the_instrumented_program)
{
    expect_run(lone_program(), "--filter=fake/count", 2,
               "lone.instrumented: the program with instrumented kernels cannot be run: No such "
               "file or directory: build it");
    expect_case("model.fake.count", SLOW, "error", "no observer could be run for this case");
}

Test(parts, a_part_count_that_is_filtered_out)
{
    store_counts();
    set("KG_FILTER", "fake/plain/1/*");
    set("KG_STRICT", "1");
    expect_count(77, "skipped      cpu-model    model.fake.count: KG_FILTER leaves this test no");
    expect_skip("model.fake.count", "filter", "KG_FILTER leaves this test no case");
    kg__baseline_free(&counts);
}

/* Both parts of a case come together: the check's verdict and the counters. */
Test(parts, checks_and_counts_are_summed_up)
{
    const char *const merge[] = { KG__COMMAND, "results", NULL };
    const json_t *entry;
    json_t *results;
    char *text;
    ending seen;

    store_counts();
    plan_counts("* " SLOW " barriers 9\n");
    expect_check(0, NULL);
    expect_count(1, NULL);
    seen = drive(merge, environment);
    expect_ending(&seen, 1, "barriers rose by 12.5 % (9 against 8)");
    cr_assert(strstr(seen.output, "&& KG_FILTER='fake/plain/64/b32' ctest") != NULL);
    free(seen.output);
    results = read_json(at("out/results.json"));
    entry = find_case(results, SLOW);
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
    kg__baseline_free(&counts);
}

#define CLAIM "--filter=fake/claim_quick_beats_plain"
#define CLAIM_TEST "gpu.fake.claim_quick_beats_plain"

static bool prints_speedup(void)
{
    ending seen = run(KG__FAKE_GPU, "--filter=fake/time");
    bool printed = strstr(seen.output, "fake/quick/64/b32 runs at") != NULL;

    cr_assert(strstr(seen.output, "fake/quick/64/b64 runs at 2.00") != NULL);
    free(seen.output);
    return printed;
}

/* There is no speedup over a variant that is wrong, or against one. */
Test(parts, speedups_are_of_what_is_right)
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
    write_text(at("out/records/gpu.fake.check.verdicts.json"),
               "{\"schema\": \"kernelgate-verdicts/1\", \"test\": \"gpu.fake.check\", "
               "\"complete\": true, \"cases\": [{\"case\": \"fake/plain/64/b32\", "
               "\"target\": \"nvidia-fake\", \"verdict\": \"wrong\"}]}");
    cr_assert(!prints_speedup(), "the checks of this run found it to be wrong");
}

/* Where the number of blocks is the variant's own, what it is compared with is named whole. */
Test(parts, speedups_over_another_launch)
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

/* Whatever is timed is timed with the whole comparison: what the filter leaves out too, which is
 * not judged. */
Test(parts, what_is_timed_has_the_whole_comparison)
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
                            "fake/wide/64/b32g8\n") != NULL &&
                  strstr(cases, "fake/quick/64/b64\n") != NULL,
              "%s", cases);
    free(cases);
    cases = read_text(at("out/records/gpu.fake.time.first.cases"));
    cr_assert(strstr(cases, "fake/quick/64/b64\n") != NULL, "%s", cases);
    free(cases);
    cases = read_text(at("out/records/gpu.fake.time.verdicts.json"));
    cr_assert(strstr(cases, "fake/quick") == NULL, "%s", cases);
    free(cases);
}

Test(parts, a_claim_that_holds)
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
Test(parts, a_claim_that_fails)
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

Test(parts, a_claim_on_what_is_wrong)
{
    store_baseline();
    expect_run(KG__FAKE_GPU, CLAIM, 77, "nothing to speak of: fake/quick/64/b32 must be right");
    plan("* fake/quick/64/b32 wrong\n");
    expect_time(1, NULL);
    expect_run(KG__FAKE_GPU, CLAIM, 77, "skipped      claim");
    expect_skip(CLAIM_TEST, "unavailable",
                "fake/quick/64/b32 must be right and have its time_ns in this run (part time)");
    set("KG_STRICT", "1");
    expect_run(KG__FAKE_GPU, CLAIM, 2, "nothing to speak of");
}

Test(parts, a_claim_that_is_filtered_out)
{
    store_baseline();
    set("KG_STRICT", "1");
    set("KG_FILTER", "fake/quick/*");
    expect_time(0, NULL);
    expect_run(KG__FAKE_GPU, CLAIM, 77, "KG_FILTER leaves out");
    expect_skip(CLAIM_TEST, "filter", "KG_FILTER leaves out");
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

Test(parts, claims_on_counters)
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

Test(parts, claims_on_counters_that_fail)
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
Test(parts, claims_on_zeros)
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
Test(parts, a_claim_that_expects_several_things)
{
    const char *const merge[] = { KG__COMMAND, "results", NULL };
    json_t *results;
    ending seen;

    count_by_plan("");
    expect_count_claim("several", 0, "unique_bytes_read of plain/64/b64 is 256, 0 to 256 expected");
    expect_held("several", 3, 0);
    seen = drive(merge, environment);
    expect_ending(&seen, 0, NULL);
    free(seen.output);
    results = read_json(at("out/results.json"));
    cr_assert(size_of(results, "claims") == 3);
    json_decref(results);

    count_by_plan("* fake/quick/64/b32 global_load_sectors 401\n");
    expect_count_claim("several", 1, "fails        claim        model.fake.claim_several");
    expect_held("several", 1, 1);

    count_by_plan("* fake/plain/64/b64 unique_bytes_read -\n");
    expect_count_claim("several", 0, "nothing to speak of: fake/plain/64/b64 must be right");
    expect_skip("model.fake.claim_several", "unavailable", "have its unique_bytes_read in this");
    expect_held("several", 2, 0);
    set("KG_STRICT", "1");
    expect_count_claim("several", 2, "nothing to speak of");
}

Test(parts, claims_on_what_this_run_did_not_count)
{
    expect_count_claim("fewer_sectors", 77, "nothing to speak of: fake/quick/64/b32 must be right");
}

/* What the check found wrong is nothing to speak of, whatever it counts. */
Test(parts, claims_on_counts_of_what_is_wrong)
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
Test(parts, a_claim_shows_counts_to_the_last_digit)
{
    count_by_plan("* fake/plain/64/b32 barriers 1000001\n");
    expect_count_claim("several", 1, "barriers of plain/64/b32 is 1 000 001, 8 expected");
}

/* A claim that can never speak would be skipped for ever: it is an error. */
Test(parts, claims_that_say_nothing)
{
    static const char *const mistaken[][2] = {
        { "no_such_case", "fake/plain/65/b32: no such case among those of part count: mend" },
        { "no_case_that_is_counted", "fake/plain/1/b32: no such case among those of part count" },
        { "no_such_metric", "barrier: no metric of part count: mend the claim" },
        { "a_time", NULL },
        { "no_factor", "a factor that is no number above 0: mend the claim" },
        { "no_range", "a range whose least is above its most: mend the claim" },
        { "a_range_of_nothing", "a range whose least is above its most: mend the claim" },
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

Test(parts, a_claim_on_counters_that_is_filtered_out)
{
    count_by_plan("");
    set("KG_STRICT", "1");
    set("KG_FILTER", "fake/quick/*");
    expect_count_claim("fewer_sectors", 77, "KG_FILTER leaves out fake/plain/64/b32");
    expect_skip("model.fake.claim_fewer_sectors", "filter", "KG_FILTER leaves out");
    expect_count_claim("no_such_case", 77, "KG_FILTER leaves out fake/plain/64/b32");
}

Test(parts, claims_on_cold_times)
{
    static const char *const mistaken[][2] = {
        { "a_counter", "barriers: no metric of part time: mend the claim" },
        { "a_speedup_by_nothing", "a factor that is no number above 0: mend the claim" },
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

Test(parts, a_run_on_both_targets_is_summed_up)
{
    const char *const merge[] = { KG__COMMAND, "results", NULL };
    json_t *results;
    json_t *entry;
    ending seen;

    store_baseline();
    plan("* fake/quick/64/b64 hot 6000\n");
    expect_check(0, NULL);
    expect_run(KG__FAKE_GPU, "--filter=fake/check", 0, NULL);
    (void)unlink(at("log"));
    expect_time(1, NULL);
    expect_run(KG__FAKE_GPU, CLAIM, 0, NULL);
    seen = drive(merge, environment);
    expect_ending(&seen, 1, "slower by 20.0 %");
    cr_assert(strstr(seen.output, "runs at 2.00 times the speed of plain") != NULL);
    free(seen.output);
    results = read_json(at("out/results.json"));
    cr_assert(json_object_size(json_object_get(results, "targets")) == 2);
    cr_assert(size_of(results, "tests") == 4 && size_of(results, "claims") == 1);
    cr_assert(size_of(results, "cases") == 16);
    entry = (json_t *)find_case(results, "fake/quick/64/b64");
    cr_assert(entry != NULL);
    json_decref(results);
}

/* The part that checks describes the device first; the one that times adds its sentinels to that.
 */
Test(parts, the_results_hold_what_the_sentinels_said)
{
    const char *const merge[] = { KG__COMMAND, "results", NULL };
    const json_t *said;
    json_t *results;
    ending seen;

    store_baseline();
    expect_run(KG__FAKE_SOUND_GPU, "--filter=fake/check", 0, NULL);
    expect_run(KG__FAKE_SOUND_GPU, "--filter=fake/time", 0, NULL);
    seen = drive(merge, environment);
    free(seen.output);
    results = read_json(at("out/results.json"));
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
Test(parts, a_timed_run_has_its_table)
{
    const char *const merge[] = { KG__COMMAND, "results", NULL };
    const char *const table[] = { KG__COMMAND, "report", "--table", "fake", NULL };
    const json_t *entry;
    json_t *results;
    ending seen;

    store_baseline();
    expect_run(KG__FAKE_SOUND_GPU, "--filter=fake/check", 0, NULL);
    expect_run(KG__FAKE_SOUND_GPU, "--filter=fake/time", 0, NULL);
    seen = drive(merge, environment);
    free(seen.output);
    results = read_json(at("out/results.json"));
    entry = kg__find_entry(results, "fake/plain/64/b32");
    cr_assert(kg__json_number(json_object_get(entry, "work"), "operations") == 64);
    cr_assert(kg__json_number(json_object_get(entry, "work"), "bytes") == 512);
    cr_assert(kg__json_number(json_object_get(entry, "kernel"), "registers") == 40);
    json_decref(results);
    seen = drive(table, environment);
    expect_ending(&seen, 0, "| 64   | b32    |    10 | 5 (2.00×) |");
    expect_ending(&seen, 0, "| 64   | b32    | 75.0 % | 75.0 % |");
    free(seen.output);
}
