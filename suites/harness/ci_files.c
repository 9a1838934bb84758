/* What a run leaves for CI systems, end to end: programs that pass, fail, crash, hang and skip, and
 * the JUnit file, the summary and the annotations that come of them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "drive.h"

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
        "\"complete\": true, \"target\": {\"key\": \"t\"}, \"cases\": [{\"case\": "
        "\"other/v/1/-\", \"target\": \"t\", \"verdict\": \"wrong\", \"why\": \"<a href='x'> "
        "& ]]> &amp; <![CDATA[ \\u0001\\u001b[31m\\u001f\\u007f \\ufffe \\r\\n::error::x "
        "100 %\"}]}");
    write_text(at("out/records/gpu.skips.time.verdicts.json"),
               "{\"schema\": \"kernelgate-verdicts/1\", \"test\": \"gpu.skips.time\", "
               "\"complete\": true, \"skipped\": \"no <GPU> & ]]>\", \"skipped_by\": "
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
        "<skipped message=\"7 is an unlucky size\"/>",
        "<skipped message=\"no &lt;GPU&gt; &amp; ]]&gt;\"/>",
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
