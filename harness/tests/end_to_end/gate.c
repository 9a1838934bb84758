/* ci/gate from its first line to its last, in a folder of its own, with a build that needs no
 * building and a ctest that stands in for CTest's: what it refuses, and that it never takes an
 * earlier run's words for this one's. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "tests/fakes/drive.h"

#define EARLIER_WORDS "what an earlier ctest said"

/* A ctest that runs the part `check` alone and reports how it ended, or what FAKE_REPORT says. */
#define CTEST(more)                                                                                \
    "#!/bin/sh\n"                                                                                  \
    "while [ $# -gt 0 ]; do if [ \"$1\" = --output-junit ]; then report=$2; fi; shift; "           \
    "done\n" KG__COMMAND " begin || exit 8\n" KG__FAKE_MODEL                                       \
    " --filter=fake/check >/dev/null 2>&1; code=$?\n"                                              \
    "case $code in 0) status=run ;; 77) status=notrun why=SKIP_RETURN_CODE=77 ;; *) status=fail "  \
    ";; "                                                                                          \
    "esac\n"                                                                                       \
    "echo \"<testsuite><testcase name=\\\"model.fake.check\\\" status=\\\"$status\\\"><skipped "   \
    "message=\\\"$why\\\"/></testcase></testsuite>\" >\"$report\"\n" more                          \
    "test $code -eq 0 -o $code -eq 77\n"

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
                 "/common.sh " KG__CI "/base.sh " KG__CI "/run-files ci/ && printf %s " KG__COMMAND
                 " >build/cpu/kernelgate.path && echo build/cpu/fake.model "
                 ">build/cpu/kernelgate.programs");
    write_script("build/cpu/fake.model",
                 "#!/bin/sh\necho '{\"tests\": [{\"test\": \"model.fake.check\", \"cases\": "
                 "[\"fake/plain/1/b32\", \"fake/plain/1/b64\", \"fake/plain/64/b32\", "
                 "\"fake/plain/64/b64\", \"fake/wrong/64/b32\"]}]}'\n");
    write_script("bin/cmake", "#!/bin/sh\n");
    write_script("ci/setup", "#!/bin/sh\n");
    write_text("CMakePresets.json", "{}");
    write_text("build/cpu/ctest.log", EARLIER_WORDS "\n");
    write_script("bin/ctest", CTEST(""));
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
    expect_gate(0, "\nPASS  4 cases on cpu-model, filtered: 4 of 5 cases");
}

/* Only here are warnings errors because of CI: another project's are that project's to say. */
Test(gate, warnings_are_errors_here_alone)
{
    static const struct {
        const char *ci;
        const char *project;
        const char *option;
    } calls[] = { { "true", NULL, "-DKG_WERROR=ON" },
                  { NULL, NULL, "-DKG_WERROR=OFF" },
                  { "true", "theirs", "" } };

    expect_shell("mkdir theirs && cp CMakePresets.json theirs/");
    write_script("bin/cmake", "#!/bin/sh\necho \"$*\" >>configured; exit 1\n");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char *line;

        set("CI", calls[i].ci);
        set("KG_PROJECT", calls[i].project);
        expect_gate(2, "configuring preset cpu failed");
        line = read_text(at(calls[i].project != NULL ? "theirs/configured" : "configured"));
        cr_expect(strstr(line, "--preset cpu") != NULL && strstr(line, calls[i].option) != NULL &&
                      (*calls[i].option != '\0' || strstr(line, "WERROR") == NULL),
                  "call %zu: %s", i, line);
        free(line);
        (void)unlink(at("configured"));
    }
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

/* Nothing was judged, so the results of the run before are still the last. */
Test(gate, a_filter_that_matches_nothing_leaves_the_results)
{
    static const char *const files[] = { "out/results.json", "out/report/index.html",
                                         "out/records/model.fake.check.verdicts.json" };

    expect_shell("mkdir -p out/records out/report");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        write_text(files[i], "earlier\n");
    set("KG_FILTER", "fake/plan/*");
    expect_gate(2, "KG_FILTER=fake/plan/* matches no case of any test; did you mean "
                   "\"fake/plain/*\"? `kernelgate list` has the cases");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *text = read_text(files[i]);

        cr_expect_str_eq(text, "earlier\n", "%s", files[i]);
        free(text);
    }
    /* A build that fails leaves none: it may be of another tree. */
    write_script("bin/cmake", "#!/bin/sh\nexit 1\n");
    expect_gate(2, "configuring preset cpu failed");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        cr_expect(!exists(files[i]), "%s", files[i]);
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
    expect_gate(0, "\nPASS  2 cases on cpu-model, filtered");
}

/* With several compilers at once, the error is far above the log's end. */
Test(gate, a_failed_build_shows_its_first_error)
{
    static const char *const shown[][2] = {
        { "echo '[1/9] Building a.o'; echo 'FAILED: b.o '; echo 'cc b.c'; echo 'b.c:3: error: x'; "
          "for i in $(seq 100); do echo \"[$i/9] note\"; done; echo 'ninja: build stopped'",
          "\nFAILED: b.o \ncc b.c\nb.c:3: error: x\nninja: build stopped\n" },
        { "for i in $(seq 100); do echo \"before $i\"; done; echo 'c.c:9: fatal error: y'; "
          "for i in $(seq 100); do echo \"after $i\"; done; echo 'make: *** [all] Error 2'",
          "--- the log, from its first error on:\nc.c:9: fatal error: y\nafter 1\n" },
        /* CMake that runs again within the build. */
        { "echo '[1/2] Re-running CMake...'; echo 'CMake Error at a.cmake:1'; echo 'FAILED: "
          "build.ninja'",
          "--- the log, from its first error on:\nCMake Error at a.cmake:1\nFAILED: build.ninja" },
        { "echo 'CMake Error at CMakeLists.txt:3 (message):'; seq -f 'more %g' 100",
          "--- the log, from its first error on:\nCMake Error at CMakeLists.txt:3 (message):\n" },
        { "seq -f 'line %g' 100", "--- the last lines of the log:\nline 61\n" },
    };

    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const char *const arguments[] = { "ci/gate", "--target", "model", NULL };
        char script[512];
        ending seen;

        snprintf(script, sizeof script, "#!/bin/sh\n%s\nexit 1\n", shown[i][0]);
        write_script("bin/cmake", script);
        seen = drive(arguments, environment);
        expect_ending(&seen, 2, shown[i][1]);
        expect_ending(&seen, 2, "ci/gate: configuring preset cpu failed: the whole log is in ");
        cr_expect(occurrences(seen.output, "\n") < 50, "%s", seen.output);
        free(seen.output);
    }
}

/* The results say why a claim fails; what else Criterion has to say of that test is passed on. */
Test(gate, a_claim_that_fails_is_told_once)
{
    const char *const arguments[] = { "ci/gate", "--target", "model", NULL };
    ending seen;

    write_script(
        "bin/ctest",
        CTEST(
            "printf '%s\\n' '7: Environment variable modifications: ' '7:  KG__PARENT=set:1' "
            "'7: fails        claim  a claim' '8: [----]   of another test' \\\n"
            "    '7: [----] ./harness/gate/claims.c:207: Assertion Failed' '7: [----]   why again' "
            "'7: [----] ' \\\n"
            "    '7: [----] ./suites/own.c:3: Assertion Failed' '7: [----]   of a suite'\n"));
    set("KG_FILTER", "fake/plain/*");
    seen = drive(arguments, environment);
    expect_ending(&seen, 0,
                  "\n[----]   of another test\n[----] ./suites/own.c:3: Assertion Failed\n"
                  "[----]   of a suite\n");
    cr_expect(strstr(seen.output, "Environment variable") == NULL, "%s", seen.output);
    cr_expect(strstr(seen.output, "a claim") == NULL, "%s", seen.output);
    free(seen.output);
}

/* A green gate is short, a quiet one a single line; what a test that passed printed is not shown.
 */
Test(gate, says_as_much_as_was_asked_for)
{
    static const struct {
        const char *option;
        const char *expected;
        size_t lines;
    } details[] = {
        { NULL,
          "\n  fake              4 checked       4 refused\nPASS  4 cases on cpu-model, filtered: ",
          9 },
        { "-q", "PASS  4 cases on cpu-model, filtered: 4 of 5 cases\n", 1 },
        { "--verbose", "\nkernelgate: own: passed after 0.50 s\n", 19 },
    };

    write_script(
        "bin/ctest",
        CTEST("echo '7: of a test'; echo ' 1/2 Test  #7: own ......   Passed    0.50 sec'\n"
              "echo '8: of another'; echo ' 2/2 Test  #8: more .....***Failed    0.50 "
              "sec'\n"));
    set("KG_FILTER", "fake/plain/*");
    for (size_t i = 0; i < sizeof details / sizeof *details; i++) {
        const char *const arguments[] = { "ci/gate", "--target", "model", details[i].option, NULL };
        ending seen = drive(arguments, environment);

        expect_ending(&seen, 0, details[i].expected);
        cr_expect(occurrences(seen.output, "\n") == details[i].lines, "%zu lines:\n%s",
                  occurrences(seen.output, "\n"), seen.output);
        cr_expect(strstr(seen.output, "of a test") == NULL, "%s", seen.output);
        cr_expect((strstr(seen.output, "\ntest more: failed after 0.50 s\nof another\n") != NULL) ==
                      (details[i].lines > 1),
                  "%s", seen.output);
        free(seen.output);
    }
}

/* What a test prints is no command of ours to whoever reads the job's output. */
Test(gate, what_tests_print_is_no_workflow_command)
{
    const char *const arguments[] = { "ci/gate", "--target", "model", NULL };
    ending seen;

    write_script("bin/ctest",
                 CTEST("printf '%s\\n' '7: ::error::x' '7:   ::error::y' '7: in ##[error]z'\n"));
    set("KG_FILTER", "fake/plain/*");
    seen = drive(arguments, environment);
    expect_ending(&seen, 0, "\n: error::x\n  : error::y\nin # [error]z\n");
    cr_expect(commands_in(seen.output) == 0, "%s", seen.output);
    free(seen.output);

    write_script("bin/ctest", "#!/bin/sh\nprintf '::error::x\\n' >build/cpu/ctest.log\nexit 9\n");
    seen = drive(arguments, environment);
    expect_ending(&seen, 2, ": error::x\n");
    cr_expect(commands_in(seen.output) == 0, "%s", seen.output);
    free(seen.output);
}

/* What a build cannot have in its path is refused before anything is removed. */
Test(gate, a_path_that_cannot_be_built_in)
{
    static const struct {
        const char *name;
        const char *holds; /* NULL: it is taken */
    } paths[] = {
        { "a;b", "';'" },   { "a#b", "'#'" },  { "a\"b", "'\"'" }, { "a[b]", "'['" },
        { "a\\b", "'\\'" }, { "a|b", "'|'" },  { "a*b", "'*'" },   { "a${b}", "'${'" },
        { "a\nb", "a b" },  { "a b", NULL },   { "a$b", NULL },    { "a'b", NULL },
        { "a(b)", NULL },   { "a:b,c", NULL },
    };

    set("KG_FILTER", "fake/plain/*");
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const char *results = at("tree/out/results.json");
        char script[128];
        const char *const arguments[] = { script, "--target", "model", NULL };
        char *text;
        ending seen;

        expect_shell("rm -rf tree && mkdir -p tree/out && cp -R ci kernels build CMakePresets.json "
                     "tree && echo earlier >tree/out/results.json");
        cr_assert(rename("tree", paths[i].name) == 0);
        kg__format(script, sizeof script, "%s/ci/gate", paths[i].name);
        if (strchr(paths[i].name, '\n') != NULL)
            script[1] = '\n';
        seen = drive(arguments, environment);
        expect_ending(&seen, paths[i].holds == NULL ? 0 : 2, paths[i].holds);
        free(seen.output);
        cr_assert(rename(paths[i].name, "tree") == 0);
        text = read_text(results);
        cr_expect((strcmp(text, "earlier\n") == 0) == (paths[i].holds != NULL), "%s: %s",
                  paths[i].name, text);
        free(text);
    }
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
    expect_gate(0, "\nPASS  4 cases");
    set("KG_STRICT", "0");
    expect_gate(0, "\nPASS  4 cases");
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
    expect_gate(2, "ctest ended with code 9 and left no report of its tests there");
    write_script("bin/ctest", "#!/bin/sh\nprintf 'in its log\\n' >build/cpu/ctest.log\nexit 9\n");
    expect_gate(2, "\nin its log\n");
    write_script("bin/ctest", CTEST(""));
    set("KG_FILTER", "fake/plain/*");
    expect_gate(0, "\nPASS  4 cases");
    write_script("bin/ctest", "#!/bin/sh\nexit 9\n");
    expect_gate(2, "no test left a verdict, of these: model.fake.check");
}

/* A filter that was left in the environment would pass for a whole gate. */
Test(gate, a_strict_run_takes_no_filter_of_the_environment)
{
    const char *const given[] = { "ci/gate",  "--target",     "model", "--strict",
                                  "--filter", "fake/plain/*", NULL };

    set("KG_STRICT", "1");
    set("KG_FILTER", "fake/plain/*");
    set("KG_FILTER_GIVEN", "fake/plain/*");
    expect_gate(2, "ci/gate: KG_FILTER='fake/plain/*' is set in the environment of a strict run");
    cr_assert(!exists("out"), "it comes before anything is done");
    expect_drive(given, 0, "\nPASS  4 cases on cpu-model, filtered: ");
    expect_shell("grep -q '^# kernelgate: PASS (exit 0), filtered: ' out/summary.md");
}

/* How a run that is not whole ends, and what says so. */
typedef struct hole {
    const char *ctest;
    const char *line;
} hole;

static void expect_no_pass(const hole *one)
{
    write_script("bin/ctest", one->ctest);
    expect_gate(2, one->line);
    expect_shell("! grep -q 'PASS' out/summary.md out/junit.xml out/report/index.html");
    expect_shell("grep -q '\"exit_code\": 2' out/results.json");
}

/* Only the step whose exit code it is says PASS, and no file of a run that ends otherwise does. */
Test(gate, what_ctest_saw_otherwise_is_no_pass)
{
    static const hole holes[] = {
        { CTEST("echo '<testsuite><testcase name=\"model.fake.check\" status=\"fail\"><failure "
                "message=\"Segmentation fault\"/></testcase></testsuite>' >\"$report\"; exit 8\n"),
          "\nmodel.fake.check: error: ended as \"fail\" (Segmentation fault) for CTest, and "
          "its "
          "verdicts were written for exit code 0" },
        { CTEST("echo '<testsuite><testcase name=\"gate.begin\" status=\"fail\"/></testsuite>' "
                ">\"$report\"; exit 8\n"),
          "\ngate.begin: error: failed: see CTest's log" },
        { CTEST("echo '<testsuite><testcase name=\"mine\" status=\"disabled\"/></testsuite>' "
                ">\"$report\"; exit 8\n"),
          "\nmine: error: was not run: see CTest's log" },
        { CTEST("exit 9\n"), "ctest ended with code 9, though no test failed" },
        { CTEST("rm -f \"$report\"; exit 137\n"),
          "ctest ended with code 137 and left no report of its tests there" },
        { CTEST("rm -f out/records/*; exit 0\n"),
          "no test left a verdict, of these: model.fake.check" },
    };

    set("KG_FILTER", "fake/plain/*");
    for (size_t i = 0; i < sizeof holes / sizeof *holes; i++)
        expect_no_pass(&holes[i]);
}

/* A program that ends by itself, such as by a constructor's _Exit(0), leaves no verdict; nor does
 * a test that CTest was told to ignore. */
Test(gate, a_test_without_a_verdict_is_an_error)
{
    write_script("build/cpu/fake.model",
                 "#!/bin/sh\necho '{\"tests\": [{\"test\": \"model.fake.check\", \"cases\": "
                 "[\"fake/plain/1/b32\"]}, {\"test\": \"model.fake.count\", \"cases\": []}]}'\n");
    set("KG_FILTER", "fake/plain/*");
    expect_gate(2, "\nmodel.fake.count: error: left no verdict: it was not run, or its program "
                   "ended before it could report");
    write_script("build/cpu/fake.model", "#!/bin/sh\nexit 0\n");
    expect_gate(2, "build/cpu/fake.model: does not list its tests");
}
