/* ci/gate from its first line to its last, in a folder of its own, with a build that needs no
 * building and a ctest that stands in for CTest's: what it refuses, and that it never takes an
 * earlier run's words for this one's. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drive.h"
#include "message.h"

#define EARLIER_WORDS "what an earlier ctest said"

static void begin(void)
{
    static const char *const unset[] = { "CUDACXX", "CI", "CTEST_PARALLEL_LEVEL" };
    char path[600];

    make_folder();
    cr_assert(chdir(at("")) == 0);
    kg__format(path, sizeof path, "%s:%s", at("bin"), getenv("PATH"));
    set("PATH", path);
    set_fake_surroundings();
    set("KG_OUT", NULL);
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++)
        set(unset[i], NULL);
    expect_shell("mkdir -p bin ci kernels build/cpu && cp " KG__CI "/gate " KG__CI
                 "/common.sh " KG__CI "/base.sh ci/ && printf %s " KG__COMMAND
                 " >build/cpu/kernelgate.path");
    write_script("bin/cmake", "#!/bin/sh\n");
    write_script("ci/setup", "#!/bin/sh\n");
    write_text("CMakePresets.json", "{}");
    write_text("build/cpu/ctest.log", EARLIER_WORDS "\n");
    /* The part `check` alone, between the two ends of a run. */
    write_script("bin/ctest", "#!/bin/sh\n" KG__COMMAND " begin || exit 8\n" KG__FAKE_MODEL
                              " --filter=fake/check; code=$?\n" KG__COMMAND
                              " results --report-only >/dev/null; test $code -eq 0\n");
}

static void end(void)
{
    cr_assert(chdir("/") == 0);
    remove_folder();
}

TestSuite(gate, .init = begin, .fini = end, .timeout = 120);

/* Gates the CPU model; the exit code and a part of the output must be so, and nothing in it an
 * earlier run's. */
static void expect_gate(int code, const char *expected)
{
    const char *const arguments[] = { "ci/gate", "--target", "model", NULL };
    ending seen = drive(arguments, environment);

    expect_ending(&seen, code, expected);
    cr_assert(strstr(seen.output, EARLIER_WORDS) == NULL, "%s", seen.output);
    free(seen.output);
}

Test(gate, judges_what_ctest_runs)
{
    set("KG_FILTER", "fake/plain/*");
    expect_gate(0, "\nverdict: PASS (exit 0)");
}

Test(gate, names_what_a_filter_may_have_meant)
{
    set("KG_FILTER", "fake/plan/*");
    expect_gate(2, "KG_FILTER=fake/plan/* matches no case of any test; did you mean "
                   "\"fake/plain/*\"? `kernelgate list` has the cases");
    set("KG_FILTER", "fake");
    expect_gate(2, "did you mean \"fake/*\"?");
    set("KG_FILTER", "fake/plain/65/b32");
    expect_gate(2, "did you mean \"fake/plain/64/b32\"?");
    set("KG_FILTER", "nothing/at/all,fake/plain");
    expect_gate(2, "did you mean \"fake/plain/*\"?");
    set("KG_FILTER", "nothing/at/all");
    expect_gate(2,
                "KG_FILTER=nothing/at/all matches no case of any test: `kernelgate list` has the "
                "cases, and COMPARISON/* is a filter for those of one comparison");
}

/* A list of which a part is misspelled would gate the rest alone, and pass. */
Test(gate, each_glob_of_a_filter_takes_a_case)
{
    set("KG_FILTER", "fake/plain/*,fake/qick/*");
    expect_gate(2, "KG_FILTER: \"fake/qick/*\" matches no case of any test; did you mean "
                   "\"fake/quick/*\"? `kernelgate list` has the cases");
    set("KG_FILTER", "fake/plain/64/*, fake/quick/64/b32");
    expect_gate(2, "KG_FILTER: \" fake/quick/64/b32\" matches no case of any test; did you mean "
                   "\"fake/quick/64/b32\"?");
    set("KG_FILTER", "fake/plain/*,nothing/at/all");
    expect_gate(2,
                "KG_FILTER: \"nothing/at/all\" matches no case of any test: `kernelgate list` has "
                "the cases");
    set("KG_FILTER", "fake/plain/64/*,fake/plain/7/*,");
    expect_gate(0, "\nverdict: PASS (exit 0)");
}

/* A claim's line says why it fails; what else Criterion has to say of that test is passed on. */
Test(gate, a_claim_that_fails_is_told_once)
{
    const char *const arguments[] = { "ci/gate", "--target", "model", NULL };
    ending seen;

    write_script(
        "bin/ctest",
        "#!/bin/sh\n" KG__COMMAND " begin || exit 8\n" KG__FAKE_MODEL " --filter=fake/check\n"
        "printf '%s\\n' '7: fails        claim  a claim' '8: [----]   of another test' \\\n"
        "    '7: [----] ./harness/claims.c:207: Assertion Failed' '7: [----]   why again' "
        "'7: [----] ' \\\n"
        "    '7: [----] ./suites/own.c:3: Assertion Failed' '7: [----]   of a suite'\n" KG__COMMAND
        " results --report-only >/dev/null\n");
    set("KG_FILTER", "fake/plain/*");
    seen = drive(arguments, environment);
    expect_ending(&seen, 0,
                  "\nfails        claim  a claim\n[----]   of another test\n"
                  "[----] ./suites/own.c:3: Assertion Failed\n[----]   of a suite\n");
    free(seen.output);
}

Test(gate, strictness_is_0_or_1)
{
    static const char *const unclear[] = { "false", "no", "off", "yes", "2" };

    set("KG_FILTER", "fake/plain/*");
    for (size_t i = 0; i < sizeof unclear / sizeof *unclear; i++) {
        char expected[160];

        set("KG_STRICT", unclear[i]);
        kg__format(expected, sizeof expected,
                   "ci/gate: KG_STRICT='%s' is neither 0 nor 1: set it to 1 for strict mode, or "
                   "to 0",
                   unclear[i]);
        expect_gate(2, expected);
        cr_assert(!exists("out"), "it comes before anything is done");
    }
    set("KG_STRICT", "");
    expect_gate(0, "\nverdict: PASS (exit 0)");
    set("KG_STRICT", "0");
    expect_gate(0, "\nverdict: PASS (exit 0)");
}

Test(gate, says_that_ctest_is_missing)
{
    expect_shell(
        "mkdir tools && for folder in ${PATH//:/ }; do ln -sf \"$folder\"/* tools/; done && "
        "rm -f tools/ctest");
    set("PATH", at("tools"));
    expect_gate(2, "ci/gate: ctest is not on the PATH: install the package cmake, 3.25 or newer, "
                   "which brings it\n");
}

Test(gate, shows_no_log_of_an_earlier_run)
{
    write_script("bin/ctest", "#!/bin/sh\necho 'CMake Error: no such preset' >&2\nexit 9\n");
    expect_gate(2, "ci/gate: ctest ended with code 9 and left no results in ");
    write_script("bin/ctest", "#!/bin/sh\nprintf 'in its log\\n' >build/cpu/ctest.log\nexit 9\n");
    expect_gate(2, "in its log\nci/gate: ctest ended with code 9 and left no results in ");
}
