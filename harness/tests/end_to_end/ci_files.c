/* What a run leaves for CI systems, end to end: programs that pass, fail, crash, hang and skip, and
 * the JUnit file, the summary and the annotations that come of them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/message.h"
#include "tests/fakes/drive.h"

static void begin(void)
{
    make_folder();
    set("KG_OUT", at("out"));
    set("KG_LOCK_DIR", at(""));
    set("KG_CASE_TIMEOUT", "1");
    set("KG_FILTER", "fake/plain/*,fake/wrong/64/*,fake/crashes/64/*,fake/hangs/64/*");
}

TestSuite(ci_files, .init = begin, .fini = remove_folder, .timeout = 60);

static void check_all(void)
{
    const char *const arguments[] = { KG__FAKE_MODEL, "--filter=fake/check", NULL };
    ending seen = drive(arguments, environment);

    expect_ending(&seen, 2, NULL);
    free(seen.output);
}

static char *sum_up(int code)
{
    const char *const arguments[] = { KG__COMMAND, "results", NULL };
    ending seen = drive(arguments, environment);

    expect_ending(&seen, code, NULL);
    return seen.output;
}

/* Runs xmllint on the run's JUnit file. */
static ending validate(void)
{
    const char *const arguments[] = { "/usr/bin/env",   "xmllint",           "--noout", "--schema",
                                      KG__JUNIT_SCHEMA, at("out/junit.xml"), NULL };

    return drive(arguments, NULL);
}

static void expect_xmllint_accepts(void)
{
    ending seen = validate();

    expect_ending(&seen, 0, "junit.xml validates");
    free(seen.output);
}

static void expect_within(const char *text, const char *part)
{
    cr_expect(strstr(text, part) != NULL, "\"%s\" is not in:\n%s", part, text);
}

/* Verdicts whose texts break whoever does not escape them, one of a test that was skipped, and of
 * one that was killed. */
static void leave_hostile_verdicts(void)
{
    write_text(
        at("out/records/gpu.other.time.verdicts.json"),
        "{\"schema\": \"kernelgate-verdicts/1\", \"test\": \"gpu.other.time\", "
        "\"complete\": true, \"exit_code\": 0, \"target\": {\"key\": \"t\"}, \"cases\": "
        "[{\"case\": "
        "\"other/v/1/-\", \"target\": \"t\", \"verdict\": \"wrong\", \"why\": \"<a href='x'> "
        "& ]]> &amp; <![CDATA[ \\u0001\\u001b[31m\\u001f\\u007f \\ufffe \\r\\n::error::x "
        "100 %\"}]}");
    write_text(
        at("out/records/gpu.skips.time.verdicts.json"),
        "{\"schema\": \"kernelgate-verdicts/1\", \"test\": \"gpu.skips.time\", "
        "\"complete\": true, \"exit_code\": 77, \"skipped\": \"no <GPU> & ]]>\", \"skipped_by\": "
        "\"unavailable\"}");
    write_text(at("out/records/gpu.killed.time.verdicts.json"),
               "{\"schema\": \"kernelgate-verdicts/1\", \"test\": \"gpu.killed.time\", "
               "\"complete\": false}");
    write_text(at("out/records/gpu.torn.time.verdicts.json"), "{\"schema\": ");
}

Test(ci_files, the_junit_file_of_a_run_of_every_kind_is_valid)
{
    static const char *const expected[] = {
        "name=\"fake/plain/64/b32\"",
        "<failure type=\"wrong\" message=\"wrong: kernels/fake/wrong.cu: ",
        "crashed: the observer died of signal 11",
        "hung: no record for 1 s",
        "<skipped message=\"7 is an unlucky size\"",
        "<skipped message=\"no &lt;GPU&gt; &amp; ]]&gt;\"",
        "&lt;a href='x'&gt; &amp; ]]&gt; &amp;amp; &lt;![CDATA[  ",
        "gpu.killed.time",
        "gpu.torn.time",
    };
    char *text;

    check_all();
    leave_hostile_verdicts();
    free(sum_up(2));
    expect_xmllint_accepts();
    text = read_text(at("out/junit.xml"));
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        expect_within(text, expected[i]);
    free(text);
}

Test(ci_files, the_junit_file_of_a_run_that_left_nothing_is_valid)
{
    cr_assert(mkdir(at("out"), 0700) == 0 && mkdir(at("out/records"), 0700) == 0);
    free(sum_up(2));
    expect_xmllint_accepts();
}

/* The schema must be able to refuse. */
Test(ci_files, the_schema_refuses_what_readers_do)
{
    static const char *const wrong[] = {
        "<testsuites skipped=\"1\"/>",
        "<testsuites time=\"1e3\"/>",
        "<testsuites><testsuite name=\"a\" tests=\"0\" failures=\"0\" errors=\"0\"/></testsuites>",
        "<testsuites><testsuite name=\"a\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\">"
        "<testcase name=\"b\" time=\"0\"><system-out/><failure type=\"x\"/></testcase>"
        "</testsuite></testsuites>",
        "<testsuites><testsuite name=\"a\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\">"
        "<testcase name=\"b\" time=\"0\"><failure/></testcase></testsuite></testsuites>",
    };

    cr_assert(mkdir(at("out"), 0700) == 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ending seen;

        write_text(at("out/junit.xml"), wrong[i]);
        seen = validate();
        cr_expect(seen.code == 3, "%s: %s", wrong[i], seen.output);
        free(seen.output);
    }
}

Test(ci_files, a_job_of_github_actions_gets_annotations)
{
    char *text;

    check_all();
    leave_hostile_verdicts();
    set("GITHUB_ACTIONS", "true");
    text = sum_up(2);
    cr_expect(occurrences(text, "\n::error") == 6, "%s", text);
    expect_within(text,
                  "title=error%3A fake/hangs/64/b32 on cpu-model::kernels/fake/hangs.cu: hung");
    expect_within(text, "\n::error title=wrong%3A other/v/1/- on t::<a href='x'> & ]]> &amp; ");
    expect_within(text, "::error::x 100 %25%0Areproduce: ");
    cr_expect(occurrences(text, "\n::error::x") == 0, "no text is a command of its own: %s", text);
    free(text);
}

/* Whoever reads what a job prints takes no text of a run for a command of ours. */
Test(ci_files, only_annotations_are_workflow_commands)
{
    const char *const as_json[] = { KG__COMMAND, "results", "--json", NULL };
    json_t *verdicts;
    ending seen;
    char *text;

    set("KG_FILTER", NULL);
    cr_assert(mkdir(at("out"), 0700) == 0 && mkdir(at("out/records"), 0700) == 0);
    verdicts = json_pack(
        "{s:s, s:s, s:b, s:{s:s}, s:[s, s], s:[s], s:[{s:s, s:s}], s:[{s:s, s:b, s:s}], "
        "s:[{s:s, s:s, s:s, s:s}]}",
        "schema", "kernelgate-verdicts/1", "test", "::error::test", "complete", 1, "target", "key",
        "t", "notes", "::error::a note", "\n\t ::notice::another, ##[error]x", "errors",
        "::error::an error", "refused", "case", "::error::a/b/1/-", "why", "##[error]y", "claims",
        "claim", "::error::claim", "holds", 0, "why", "::error::why", "cases", "case",
        "::error::other/v/1/-", "target", "t", "verdict", "wrong", "why", "##[error]z ::error::z");
    cr_assert(json_dump_file(verdicts, at("out/records/gpu.other.verdicts.json"), 0) == 0);
    json_decref(verdicts);

    text = sum_up(2);
    cr_expect(commands_in(text) == 0, "%s", text);
    free(text);
    seen = drive(as_json, environment);
    expect_ending(&seen, 2, "#\\u0023[error]z");
    cr_expect(commands_in(seen.output) == 0, "%s", seen.output);
    free(seen.output);
    set("GITHUB_ACTIONS", "true");
    text = sum_up(2);
    cr_expect(commands_in(text) == 3 && occurrences(text, "\n::error title=") == 3, "%s", text);
    free(text);
}

Test(ci_files, the_summary_says_how_to_run_each_failure_again)
{
    char *text;

    check_all();
    free(sum_up(2));
    text = read_text(at("out/summary.md"));
    expect_within(text, "KG_FILTER='fake/wrong/64/b32' ctest --test-dir build/cpu -R "
                        "'^model\\.fake\\.check$'");
    expect_within(text, "KG_FILTER='fake/crashes/64/b32' ctest");
    expect_within(text, "KG_FILTER='fake/hangs/64/b32' ctest");
    free(text);
}

/* A run with many failures, each of a kind that once took time by the square of something. */
typedef struct failures {
    const char *verdict;
    size_t length;   /* of each reason, a path's characters */
    size_t variants; /* that the cases are of */
    bool counted;    /* other sizes of these were counted on the CPU model */
} failures;

static json_t *failure(const failures *kind, size_t number, size_t variant, const char *target,
                       const char *verdict)
{
    char *why = kg__allocate(kind->length + 1, 1);
    char id[64];
    json_t *entry;

    kg__format(id, sizeof id, "other/v%zu/%zu/b8", variant, number + 1);
    memset(why, 'a', kind->length);
    entry = json_pack("{s:s, s:s, s:s, s:s, s:{s:{s:f, s:f, s:s}}}", "case", id, "target", target,
                      "verdict", verdict, "why", why, "metrics",
                      strcmp(target, "t") == 0 ? "time_ns" : "global_loads", "value", 2.0,
                      "baseline", 1.0, "verdict", verdict);
    free(why);
    return entry;
}

static void leave_failures(const failures *kind, size_t count, const char *target,
                           const char *verdict)
{
    json_t *cases = json_array();
    json_t *verdicts =
        json_pack("{s:s, s:s+, s:b, s:{s:s}, s:o}", "schema", "kernelgate-verdicts/1", "test",
                  target, ".other", "complete", 1, "target", "key", target, "cases", cases);
    bool timed = strcmp(target, "t") == 0;
    char name[64];

    kg__format(name, sizeof name, "out/records/%s.verdicts.json", target);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(
            cases, failure(kind, timed ? i : i + count, i % kind->variants, target, verdict));
    cr_assert(json_dump_file(verdicts, at(name), 0) == 0);
    json_decref(verdicts);
}

/* The seconds of the processor that it takes to sum up so many failures. */
static double time_failures(const failures *kind, size_t count)
{
    struct rusage before;
    struct rusage after;

    leave_failures(kind, count, "t", kind->verdict);
    if (kind->counted)
        leave_failures(kind, count, "cpu-model", "pass");
    cr_assert(getrusage(RUSAGE_CHILDREN, &before) == 0);
    free(sum_up(1));
    cr_assert(getrusage(RUSAGE_CHILDREN, &after) == 0);
    return (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
           (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) / 1e6;
}

/* Four times as many failures, or reasons four times as long, are about four times the work; by the
 * square they would be sixteen times as much. */
#define MOST_GROWTH 8

Test(ci_files, many_failures_are_summed_up_in_proportion)
{
    static const struct {
        failures small;
        failures large;
        size_t small_count;
        size_t large_count;
    } runs[] = {
        { { "wrong", 3000, 60, false }, { "wrong", 12000, 60, false }, 60, 60 },
        { { "slower", 10, 300, false }, { "slower", 10, 1200, false }, 300, 1200 },
        { { "slower", 10, 1, true }, { "slower", 10, 1, true }, 750, 3000 },
    };

    set("KG_FILTER", NULL);
    set("KG_CHART_JS", at("none"));
    cr_assert(mkdir(at("out"), 0700) == 0 && mkdir(at("out/records"), 0700) == 0);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        double small = time_failures(&runs[i].small, runs[i].small_count);
        double large = time_failures(&runs[i].large, runs[i].large_count);

        cr_expect(large < MOST_GROWTH * small, "run %zu: %g s, then %g s", i, small, large);
    }
}
