/* The part that checks from end to end: a comparison's program for the CPU model, on kernels that
 * do as they are told, and the instrumented program beside it; what is printed, the verdicts that
 * stay, and the exit codes. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/message.h"
#include "records/records.h"
#include "results/time_result.h"
#include "tests/fakes/fake_runs.h"

TestSuite(part_check, .init = begin_fake_runs, .fini = end_fake_runs, .timeout = 60);

Test(part_check, what_is_right_passes)
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

Test(part_check, refusals_are_printed_with_their_reason)
{
    expect_check(0, "refused      cpu-model    fake/plain/7/b32                  7 is an unlucky");
    expect_check(0, "fake/quick/0/b64                  a size below 1 leaves nothing to compute");
}

/* A run in which every case is refused has judged nothing, and says so. */
Test(part_check, all_is_refused)
{
    set("KG_FILTER", "fake/plain/7/*,fake/quick/0/b32");
    expect_check(77, "skipped      cpu-model    model.fake.check: the comparison refuses every");
    expect_skip("model.fake.check", "unavailable", "refuses every case");
    set("KG_STRICT", "1");
    expect_check(2, "refuses every");
}

/* Checks a variant beside others; its case at 64/b32 has this verdict, for this reason. */
static void expect_spoilt(const char *variant, const char *others, int code, const char *verdict,
                          const char *why)
{
    char filter[64];
    char id[64];

    kg__format(filter, sizeof filter, "fake/%s/*,%s", variant, others);
    kg__format(id, sizeof id, "fake/%s/64/b32", variant);
    set("KG_FILTER", filter);
    expect_check(code, why);
    expect_case("model.fake.check", id, verdict, why);
}

/* Each wrong variant is caught, named by its file, and spoils its one case alone. */
Test(part_check, each_way_to_be_wrong)
{
    static const char *const wrong[][2] = {
        { "wrong", "kernels/fake/wrong.cu: to[17]: expected" },
        { "nan", "kernels/fake/nan.cu: to[3]: expected" },
        { "unwritten", "1 of 64 elements wrong, 1 of them as they were before; inputs random" },
        { "overruns", "kernels/fake/overruns.cu: guard zone after to: 4 bytes overwritten" },
        { "scribbles", "kernels/fake/scribbles.cu: from[5]: an input was written to" },
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        expect_spoilt(wrong[i][0], "fake/plain/*", 1, "wrong", wrong[i][1]);
        cr_assert(count_cases("model.fake.check", "pass") == 7);
    }
}

/* The number of the first line of a file that holds `text`. */
static unsigned int line_with(const char *path, const char *text)
{
    char line[256];
    FILE *file = fopen(path, "r");
    unsigned int number = 1;

    cr_assert(file != NULL, "cannot read %s", path);
    while (fgets(line, sizeof line, file) != NULL && strstr(line, text) == NULL)
        number++;
    fclose(file);
    return number;
}

/* What one variant does to its process or its device leaves the others' verdicts standing. */
Test(part_check, each_way_to_fail)
{
    static const char *const failing[][2] = {
        { "crashes", "kernels/fake/crashes.cu: crashed: the observer died of signal 11" },
        { "hangs", "kernels/fake/hangs.cu: hung: no record for 1 s" },
        { "cannot", "kernels/fake/cannot.cu: launching: cudaErrorInvalidValue" },
        { "strays", "kernels/fake/strays.cu: running the kernel: cudaErrorIllegalAddress" },
    };

    set("KG_CASE_TIMEOUT", "1");
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        expect_spoilt(failing[i][0], "fake/plain/*,fake/quick/*", 2, "error", failing[i][1]);
        cr_assert(count_cases("model.fake.check", "pass") == 11);
        cr_assert(count_cases("model.fake.check", "error") == 1);
    }
}

/* A kernel that hung is told with the line where it stood. */
Test(part_check, where_a_kernel_hung)
{
    char expected[256];
    unsigned int line = line_with(KG__FAKE_SOURCE, "/* here it hangs */");

    kg__format(expected, sizeof expected,
               "hung: no record for 1 s (KG_CASE_TIMEOUT sets the limit); it was ended at %s:%u, "
               "in kernel sleep_for_ever, block (0,0,0), thread (0,0,0)",
               KG__FAKE_SOURCE, line);
    set("KG_CASE_TIMEOUT", "1");
    set("FAKE_HANG", "kernel");
    expect_spoilt("hangs", "fake/plain/*", 2, "error", expected);
}

Test(part_check, where_a_kernel_hung_that_has_no_lines)
{
    const char *program = lone_program();
    char command[1200];

    kg__format(command, sizeof command, "strip -g '%s'", program);
    cr_assert(system(command) == 0);
    set("KG_CASE_TIMEOUT", "1");
    set("FAKE_HANG", "kernel");
    set("KG_FILTER", "fake/hangs/64/b32");
    expect_run(
        program, "--filter=fake/check", 2,
        "it was ended in kernel sleep_for_ever, block (0,0,0), thread (0,0,0), at an unknown "
        "line: build with -g");
}

/* A check runs each variant in two programs, and a case has one line and one verdict of both. */
Test(part_check, what_instrumented_kernels_find_is_wrong)
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

/* One mistake fails many cases, and what is printed of it is read once; the results have it all. */
Test(part_check, a_case_that_failed_as_another_did_refers_to_it)
{
    plan_counts("* fake/plain/64/b32 finding\n* fake/plain/64/b64 finding\n"
                "* fake/quick/64/b32 finding\n");
    set("KG_FILTER", "fake/plain/*,fake/quick/*");
    expect_check(1, "fake/plain/64/b64                 as fake/plain/64/b32 above\n");
    expect_check(1, "fake/quick/64/b32                 " FINDING);
    expect_case("model.fake.check", "fake/plain/64/b64", "wrong", FINDING);
}

/* What was not looked at is said of a case that passes, too. */
Test(part_check, a_check_of_some_blocks_says_so)
{
    set("KG_FILTER", "fake/plain/*");
    plan_counts("* fake/plain/64/b32 sampled\n");
    expect_check(0, "memory checks on 120 of 16384 blocks");
    expect_case("model.fake.check", "fake/plain/64/b32", "pass",
                "memory checks on 120 of 16384 blocks");
}

/* Whether an entry of the last check has these members, of these values. */
static void expect_data(const char *id, const char *members)
{
    json_t *verdicts = verdicts_of("model.fake.check");
    const json_t *entry = find_entry(verdicts, id);
    json_t *expected = json_loads(members, 0, NULL);
    const char *key;
    json_t *value;

    cr_assert(json_object_size(expected) > 0, "%s", members);
    json_object_foreach (expected, key, value) {
        char *got = json_dumps(json_object_get(entry, key), JSON_ENCODE_ANY);

        cr_expect(json_equal(json_object_get(entry, key), value), "%s: %s is %s", id, key, got);
        free(got);
    }
    json_decref(expected);
    json_decref(verdicts);
}

/* The line of source comes first, then what the plain program found. */
Test(part_check, both_reasons_are_given)
{
    set("KG_FILTER", "fake/plain/*,fake/wrong/*");
    plan_counts("* fake/wrong/64/b32 finding\n");
    expect_check(1, "; kernels/fake/wrong.cu: to[17]: expected");
    expect_case("model.fake.check", "fake/wrong/64/b32", "wrong", FINDING);
    expect_data("fake/wrong/64/b32",
                "{\"failure\": {\"kind\": \"wrong_elements\", \"symbol\": "
                "\"to\"}, \"at\": {\"file\": \"kernels/fake/wrong.cu\"}, "
                "\"findings\": [{\"kind\": \"out_of_bounds\", \"file\": "
                "\"kernels/fake/other.cu\", \"line\": 14, \"access\": \"read\", "
                "\"bytes\": 4, \"space\": \"global\", \"symbol\": \"from\", "
                "\"size\": 256, \"offset\": 256, \"count\": 3}]}");
}

/* A finding without a file is the variant's; one that is none is an error of its case. */
Test(part_check, findings_without_a_file_and_without_sense)
{
    set("KG_FILTER", "fake/plain/64/*");
    plan_counts("* fake/plain/64/b32 nowhere\n");
    expect_check(1, "fake/plain/64/b32                 kernels/fake/plain.cu: error: ");
    plan_counts("* fake/plain/64/b32 damaged\n");
    expect_check(
        2, "kernels/fake/plain.cu: its record is not usable: finding: kind is not known here");
}

/* The same wrong result is told once, whichever figures came with it. */
Test(part_check, a_wrong_result_of_both_is_told_once)
{
    json_t *verdicts;
    const char *why;

    set("KG_FILTER", "fake/plain/*,fake/wrong/*");
    plan_counts("* fake/wrong/64/b32 wrong\n");
    expect_check(1, "kernels/fake/wrong.cu: to[17]: expected");
    verdicts = verdicts_of("model.fake.check");
    why = kg__json_text(find_entry(verdicts, "fake/wrong/64/b32"), "why");
    cr_assert(occurrences(why, "to[17]") == 1, "%s", why);
    json_decref(verdicts);
    plan_counts("* fake/plain/64/b32 wrong\n");
    expect_check(1, "fake/plain/64/b32                 kernels/fake/plain.cu: to[17]: expected 1, "
                    "got 2; inputs random");
}

/* A finding explains a crash, and an error stays one. */
Test(part_check, a_crash_is_explained_by_what_instrumented_kernels_find)
{
    set("KG_FILTER", "fake/plain/*,fake/crashes/*");
    plan_counts("* fake/crashes/64/b32 finding\n");
    expect_check(2, FINDING);
    expect_case("model.fake.check", "fake/crashes/64/b32", "error",
                "; kernels/fake/crashes.cu: crashed: the observer died of signal 11");
    plan_counts("");
    expect_check(2, NULL);
    expect_case("model.fake.check", "fake/crashes/64/b32", "error",
                "kernels/fake/crashes.cu: crashed");
}

/* What goes wrong with instrumented kernels alone is an error, and said to be theirs. */
Test(part_check, instrumented_kernels_that_fail)
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
Test(part_check, what_hung_is_not_run_again)
{
    set("KG_CASE_TIMEOUT", "1");
    set("KG_FILTER", "fake/hangs/64/*");
    plan_counts("* fake/hangs/64/b32 finding\n");
    expect_check(2, "kernels/fake/hangs.cu: hung: no record for 1 s");
    expect_case("model.fake.check", "fake/hangs/64/b32", "error", "kernels/fake/hangs.cu: hung");
    cr_assert(instrumented_processes() == 1, "for the other launch alone");
}

/* A variant whose results lie elsewhere is right once they are collected. */
Test(part_check, results_that_are_collected)
{
    set("KG_FILTER", "fake/leaves/*");
    expect_check(0, "pass         cpu-model    fake/leaves/64/b32");
    set("FAKE_COLLECT", "collect");
    expect_check(2, "kernels/fake/leaves.cu: collecting the results: cudaErrorNotSupported");
    set("FAKE_COLLECT", "launch");
    expect_check(2, "kernels/fake/leaves.cu: launching: cudaErrorInvalidValue");
}

/* A build without instrumented programs checks results, and says what it leaves out. */
Test(part_check, a_check_without_instrumented_kernels)
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

/* A program in the place of the instrumented one that looks at nothing. */
Test(part_check, a_check_that_would_see_nothing)
{
    set("FAKE_BLIND", "1");
    expect_run(KG__FAKE_MODEL, "--filter=fake/check", 2,
               "its kernels are not instrumented, so that no access is checked: build it again");
}

Test(part_check, a_filter_that_leaves_nothing)
{
    set("KG_FILTER", "matmul/*");
    expect_check(77, "skipped      cpu-model    model.fake.check: not selected by");
    expect_skip("model.fake.check", "filter", "not selected by --filter");
    set("KG_STRICT", "1");
    expect_check(77, "not selected by --filter");
}

Test(part_check, a_table_that_is_wrong)
{
    json_t *verdicts;

    expect_run(KG__FAKE_BAD_TABLE, "--filter=fake/check", 2,
               "model.fake.check: fake/plain/64/b32: appears twice in the table");
    verdicts = verdicts_of("model.fake.check");
    cr_assert(size_of(verdicts, "errors") == 1 && size_of(verdicts, "cases") == 0);
    json_decref(verdicts);
    expect_run(KG__FAKE_BAD_TABLE, "--filter=fake/claim_fewer_sectors", 2,
               "model.fake.claim_fewer_sectors    fake/plain/64/b32: appears twice in the table");
}

Test(part_check, results_that_cannot_be_written)
{
    write_text(at("file"), "");
    set("KG_OUT", at("file/out"));
    expect_check(2, "file/out: the folder cannot be made: Not a directory");
    cr_assert(mkdir(at("out"), 0777) == 0);
    write_text(at("out/records"), "");
    set("KG_OUT", at("out"));
    expect_check(2, "out/records: is not a folder");
}

Test(part_check, settings_that_are_wrong)
{
    set("KG_CASE_TIMEOUT", "soon");
    expect_check(2, "kernelgate: KG_CASE_TIMEOUT='soon' is not a number of seconds from 0.001 to "
                    "1000000: set it to one, or unset it\n");
    cr_assert(!exists(at("out")), "it comes before anything is tested");
}
