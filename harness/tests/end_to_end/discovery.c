/* Discovery: CTest finds the tests of the programs when it runs, with their labels and what the
 * exit code 77 means; a program that cannot be asked fails the run. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/message.h"
#include "records/records.h"
#include "results/results_text.h"
#include "tests/fakes/drive.h"

TestSuite(discovery, .init = make_folder, .fini = remove_folder, .timeout = 60);

/* Makes the test's folder one that CTest runs: a program's tests, as kg__discover_tests() has it.
 * `whole` names the program's one test where it may be run whole. */
static void include_program_as(const char *whole, const char *program, const char *labels,
                               const char *properties)
{
    char text[2048];

    kg__format(text, sizeof text,
               "set(program \"%s\") set(prefix \"gpu.\") set(properties %s) set(labels \"%s\") "
               "set(board_slots 8) set(whole \"%s\") set(whole_timeout 60) "
               "include(\"%s/KgDiscoverTests.cmake\")",
               program, properties, labels, whole, KG__MODULES);
    /* A format's newlines would become spaces, which separate CMake's commands no less badly. */
    for (char *c = text; *c != '\0'; c++) {
        if (c[0] == ')' && c[1] == ' ')
            c[1] = '\n';
    }
    write_text(at("CTestTestfile.cmake"), text);
}

static void include_program(const char *program, const char *labels, const char *properties)
{
    include_program_as("", program, labels, properties);
}

static ending run_ctest(const char *option, const char *value, const char *filter)
{
    char out[600];
    char case_filter[128];
    const char *const arguments[] = { KG__CTEST, "--test-dir", at(""), option, value, NULL };
    const char *const settings[] = { out, case_filter, "CTEST_PARALLEL_LEVEL=1",
                                     "KG_CASE_TIMEOUT=20", NULL };

    kg__format(out, sizeof out, "KG_OUT=%s", at("out"));
    kg__format(case_filter, sizeof case_filter, "KG_FILTER=%s", filter);
    return drive(arguments, settings);
}

static void expect_ctest(const char *option, const char *value, const char *filter, bool passes,
                         const char *text)
{
    ending seen = run_ctest(option, value, filter);

    cr_assert((seen.code == 0) == passes, "exit code %d:\n%s", seen.code, seen.output);
    cr_assert(strstr(seen.output, text) != NULL, "\"%s\" is not in\n%s", text, seen.output);
    free(seen.output);
}

#define SKIPPING "SKIP_RETURN_CODE 77 TIMEOUT 60"

Test(discovery, tests_are_found_with_their_labels)
{
    ending seen;

    include_program(KG__FAKE_GPU, "gpu;fake", SKIPPING);
    seen = run_ctest("-N", NULL, "");
    expect_ending(&seen, 0, "Total Tests: 4");
    cr_assert(strstr(seen.output, ": gpu.fake.check\n") != NULL);
    cr_assert(strstr(seen.output, ": gpu.fake.defects\n") != NULL);
    cr_assert(strstr(seen.output, ": gpu.fake.time\n") != NULL);
    cr_assert(strstr(seen.output, ": gpu.fake.claim_quick_beats_plain\n") != NULL);
    free(seen.output);
    seen = run_ctest("--print-labels", NULL, "");
    expect_ending(&seen, 0, "  fake\n  gpu\n");
    free(seen.output);
    seen = run_ctest("-LE", "^fake$", "");
    expect_ending(&seen, 0, "No tests were found");
    free(seen.output);
}

static void expect_tests(const char *expression, const char *total)
{
    const char *const arguments[] = {
        KG__CTEST, "--test-dir", at(""), "-N", "-R", expression, NULL
    };
    ending seen = drive(arguments, NULL);

    expect_ending(&seen, 0, total);
    free(seen.output);
}

/* The names that docs/reference.md gives for a comparison, a part of it and a claim. */
Test(discovery, names_choose_a_comparison_or_a_part)
{
    include_program(KG__FAKE_GPU, "gpu;fake", SKIPPING);
    expect_tests("\\.fake\\.", "Total Tests: 4");
    expect_tests("^gpu\\.fake\\.", "Total Tests: 4");
    expect_tests("^gpu\\.fake\\.check$", "Total Tests: 1");
    expect_tests("^gpu\\.fake\\.claim_", "Total Tests: 1");
    expect_tests("^model\\.fake\\.", "Total Tests: 0");
}

/* A filter may be the id of one case: then that alone is judged. */
Test(discovery, a_filter_reaches_a_single_case)
{
    const char *const arguments[] = { KG__CTEST, "--test-dir", at(""), "-V", "-R", "check$", NULL };
    char out[600];
    const char *const settings[] = { out, "KG_FILTER=fake/plain/64/b32", "KG_VERBOSE=1", NULL };
    ending seen;

    kg__format(out, sizeof out, "KG_OUT=%s", at("out"));
    include_program(KG__FAKE_GPU, "gpu;fake", SKIPPING);
    seen = drive(arguments, settings);
    expect_ending(&seen, 0, "pass         nvidia-fake  fake/plain/64/b32 ");
    cr_assert(occurrences(seen.output, "nvidia-fake  fake/") == 1, "%s", seen.output);
    free(seen.output);
}

/* Claims read what the parts before them recorded, and speedups need the checks. */
Test(discovery, the_parts_depend_on_each_other)
{
    ending seen;
    const char *check;
    const char *time;
    const char *claim;

    include_program(KG__FAKE_GPU, "gpu;fake", SKIPPING);
    seen = run_ctest("-V", NULL, "nothing/*");
    check = strstr(seen.output, "Start 1: gpu.fake.check");
    time = strstr(seen.output, ": gpu.fake.time\n");
    claim = strstr(seen.output, ": gpu.fake.claim_quick_beats_plain\n");
    cr_assert(check != NULL && time != NULL && claim != NULL, "%s", seen.output);
    cr_assert(check < time && time < claim, "%s", seen.output);
    free(seen.output);
}

static const json_t *property_of(const json_t *test, const char *name)
{
    const json_t *property;
    size_t i;

    json_array_foreach (json_object_get(test, "properties"), i, property) {
        if (strcmp(json_string_value(json_object_get(property, "name")), name) == 0)
            return json_object_get(property, "value");
    }
    return NULL;
}

static bool depends_on(const json_t *test, const char *name)
{
    const json_t *other;
    size_t i;

    json_array_foreach (property_of(test, "DEPENDS"), i, other) {
        if (strcmp(json_string_value(other), name) == 0)
            return true;
    }
    return false;
}

/* A claim of either program waits for the checks and for what it speaks of. */
static void expect_claims_to_wait(const char *program, const char *part, size_t expected)
{
    ending seen;
    json_t *document;
    const json_t *test;
    size_t claims = 0;
    size_t i;

    include_program(program, "fake", SKIPPING);
    seen = run_ctest("--show-only=json-v1", NULL, "");
    cr_assert(seen.code == 0, "%s", seen.output);
    document = json_loads(seen.output, 0, NULL);
    cr_assert(document != NULL, "%s", seen.output);
    json_array_foreach (json_object_get(document, "tests"), i, test) {
        const char *name = json_string_value(json_object_get(test, "name"));

        if (strncmp(name, "gpu.fake.claim_", 15) != 0)
            continue;
        claims++;
        cr_assert(depends_on(test, "gpu.fake.check") && depends_on(test, part), "%s", name);
    }
    cr_assert(claims == expected, "%zu", claims);
    json_decref(document);
    free(seen.output);
}

Test(discovery, claims_come_after_what_they_speak_of)
{
    expect_claims_to_wait(KG__FAKE_MODEL_CLAIMS, "gpu.fake.count", 14);
    expect_claims_to_wait(KG__FAKE_GPU, "gpu.fake.time", 1);
}

Test(discovery, exit_codes_become_outcomes)
{
    include_program(KG__FAKE_MODEL, "model;fake", SKIPPING);
    expect_ctest("-R", "check", "fake/plain/*", true, "100% tests passed, 0 tests failed");
    expect_ctest("-R", "check", "fake/wrong/*", false, "(Failed)");
    expect_ctest("-R", "check", "fake/crashes/*", false, "(Failed)");
    expect_ctest("-R", "check", "nothing/*", true, "gpu.fake.check (Skipped)");
}

/* Without what makes 77 a skip it is a failure: nothing judged never looks like success. */
Test(discovery, a_skip_is_no_success_by_itself)
{
    include_program(KG__FAKE_MODEL, "model;fake", "TIMEOUT 60");
    expect_ctest("-R", "check", "nothing/*", false, "(Failed)");
}

Test(discovery, a_program_that_is_missing_fails)
{
    include_program(at("missing.gpu"), "gpu;fake", SKIPPING);
    expect_ctest("--no-tests=error", NULL, "", false, "not-built (Not Run)");
}

static void write_program(const char *script)
{
    char text[512];

    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script);
    write_text(at("program"), text);
    cr_assert(chmod(at("program"), 0755) == 0);
    include_program(at("program"), "gpu;fake", SKIPPING);
}

Test(discovery, a_program_that_cannot_list_its_tests_fails)
{
    write_program("echo 'no such library' >&2; exit 127");
    expect_ctest("--no-tests=error", NULL, "", false, "--list failed (127): no such library");
    write_program("kill -SEGV $$");
    expect_ctest("--no-tests=error", NULL, "", false, "--list failed (Segmentation fault)");
}

Test(discovery, a_program_without_tests_fails)
{
    write_program("exit 0");
    expect_ctest("--no-tests=error", NULL, "", false, "lists no test");
}

/* Whatever stands in a name of a test's tree, as Criterion draws it. */
Test(discovery, listings_of_several_suites)
{
    ending seen;

    write_program("printf 'one: 2 tests\\n|-- a\\n`-- b_2\\ntwo: 1 test\\n`-- c\\n'");
    seen = run_ctest("-N", NULL, "");
    expect_ending(&seen, 0, "Total Tests: 3");
    cr_assert(strstr(seen.output, ": gpu.one.a\n") != NULL &&
                  strstr(seen.output, ": gpu.one.b_2\n") != NULL &&
                  strstr(seen.output, ": gpu.two.c\n") != NULL,
              "%s", seen.output);
    free(seen.output);
}

static ending run_ctest_whole(const char *option, const char *setting)
{
    const char *const arguments[] = { KG__CTEST, "--test-dir", at(""), option, NULL };
    const char *const settings[] = { setting, NULL };

    return drive(arguments, settings);
}

/* A program that is run whole is one test, and its exit code is the test's; one without tests and
 * one that is never run whole are what they are otherwise. */
Test(discovery, whole_programs)
{
    ending seen;

    write_program("[ \"$1\" = --jobs=1 ] && echo '[FAIL] one::b' && exit 1\n"
                  "printf 'one: 2 tests\\n|-- a\\n`-- b\\n'");
    include_program_as("harness.one", at("program"), "harness;one", "TIMEOUT 20");
    seen = run_ctest_whole("-N", "KG_WHOLE_PROGRAMS=0");
    expect_ending(&seen, 0, "Total Tests: 2");
    free(seen.output);
    seen = run_ctest_whole("-N", "KG_WHOLE_PROGRAMS=1");
    expect_ending(&seen, 0, ": harness.one\n\nTotal Tests: 1");
    free(seen.output);
    seen = run_ctest_whole("--output-on-failure", "KG_WHOLE_PROGRAMS=1");
    cr_assert(seen.code != 0 && strstr(seen.output, "[FAIL] one::b") != NULL, "%s", seen.output);
    free(seen.output);
    include_program(at("program"), "model;one", "TIMEOUT 20");
    seen = run_ctest_whole("-N", "KG_WHOLE_PROGRAMS=1");
    expect_ending(&seen, 0, "Total Tests: 2");
    free(seen.output);
    write_program("exit 0");
    include_program_as("harness.one", at("program"), "harness;one", "TIMEOUT 20");
    seen = run_ctest_whole("--no-tests=error", "KG_WHOLE_PROGRAMS=1");
    cr_assert(seen.code != 0 && strstr(seen.output, "lists no test") != NULL, "%s", seen.output);
    free(seen.output);
}

/* How many slots of a board a test takes; 0 where it takes no board. */
static json_int_t slots_of(const json_t *test)
{
    const json_t *groups = property_of(test, "RESOURCE_GROUPS");
    json_int_t slots = 0;

    if (groups != NULL)
        cr_assert(json_unpack((json_t *)groups, "[{s:[{s:I}]}]", "requirements", "slots", &slots) ==
                  0);
    return slots;
}

static const json_t *test_named(const json_t *document, const char *name)
{
    const json_t *test;
    size_t i;

    json_array_foreach (json_object_get(document, "tests"), i, test) {
        if (strcmp(json_string_value(json_object_get(test, "name")), name) == 0)
            return test;
    }
    cr_assert_fail("there is no test %s", name);
    return NULL;
}

/* Checks share a board, times have one to themselves, claims need none; and times come first, which
 * is why what they wait for does, the longest first. */
Test(discovery, tests_take_boards)
{
    ending seen;
    json_t *document;
    double check;
    double defects;
    double time;

    include_program(KG__FAKE_GPU, "gpu;fake", SKIPPING);
    seen = run_ctest("--show-only=json-v1", NULL, "fake/plain/*");
    document = json_loads(seen.output, 0, NULL);
    cr_assert(document != NULL, "%s", seen.output);
    cr_assert(slots_of(test_named(document, "gpu.fake.check")) == 1);
    cr_assert(slots_of(test_named(document, "gpu.fake.defects")) == 1);
    cr_assert(slots_of(test_named(document, "gpu.fake.time")) == 8);
    cr_assert(slots_of(test_named(document, "gpu.fake.claim_quick_beats_plain")) == 0);
    check = json_number_value(property_of(test_named(document, "gpu.fake.check"), "COST"));
    defects = json_number_value(property_of(test_named(document, "gpu.fake.defects"), "COST"));
    time = json_number_value(property_of(test_named(document, "gpu.fake.time"), "COST"));
    cr_assert(check == 10004 && defects == 15000 && time == 20004, "%g, %g, %g", check, defects,
              time);
    json_decref(document);
    free(seen.output);
}

/* A run with a resource spec: every test runs on a board of it, which it names; the spec is of the
 * boards that the program itself lists. */
Test(discovery, ctest_hands_out_boards)
{
    const char *const listing[] = { KG__FAKE_GPU, "--resource-spec", NULL };
    const char *const boards[] = {
        "FAKE_BOARDS=GPU-00000000-1111-2222-3333-444444444444=NVIDIA Fake,"
        "GPU-aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee=NVIDIA Fake",
        NULL
    };
    const char *const testing[] = {
        KG__CTEST,    "--test-dir",           at(""),          "-V", "-R",
        "check|time", "--resource-spec-file", at("gpus.json"), NULL
    };
    char out[600];
    const char *const settings[] = { out,
                                     boards[0],
                                     "KG_FILTER=fake/plain/64/*",
                                     "CTEST_PARALLEL_LEVEL=4",
                                     "KG_CASE_TIMEOUT=20",
                                     "KG_VERBOSE=1",
                                     NULL };
    ending seen = drive(listing, boards);

    expect_ending(&seen, 0, NULL);
    write_text(at("gpus.json"), seen.output);
    free(seen.output);
    kg__format(out, sizeof out, "KG_OUT=%s", at("out"));
    include_program(KG__FAKE_GPU, "gpu;fake", SKIPPING);
    seen = drive(testing, settings);
    cr_assert(seen.code == 0, "%s", seen.output);
    cr_assert(occurrences(seen.output, " runs on GPU-") == 2, "%s", seen.output);
    free(seen.output);
    /* A board that is in the spec and no longer there. */
    seen = drive(testing, (const char *const[]){ out, "FAKE_BOARDS=GPU-1=NVIDIA Fake", settings[2],
                                                 settings[3], settings[4], NULL });
    cr_assert(seen.code != 0 && strstr(seen.output, "CUDA does not show the board") != NULL, "%s",
              seen.output);
    free(seen.output);
}

/* A gate of one program for CTest, between the two ends of a run. */
static void make_gate(const char *program)
{
    char text[8192];
    char *tests;

    include_program(program, "gpu;fake", "FIXTURES_REQUIRED gate " SKIPPING);
    tests = read_text(at("CTestTestfile.cmake"));
    snprintf(text, sizeof text,
             "add_test(gate.begin \"%s\" begin)\n"
             "set_tests_properties(gate.begin PROPERTIES FIXTURES_SETUP gate)\n"
             "add_test(gate.results \"%s\" results --programs \"%s\")\n"
             "set_tests_properties(gate.results PROPERTIES FIXTURES_CLEANUP gate "
             "SKIP_RETURN_CODE 77)\n%s",
             KG__COMMAND, KG__COMMAND, at("programs"), tests);
    free(tests);
    write_text(at("CTestTestfile.cmake"), text);
    kg__format(text, sizeof text, "%s", program);
    write_text(at("programs"), text);
}

/* A run of that gate, and what its results hold. */
typedef struct gate_run {
    const char *name;
    const char *ignored; /* a test that CTest is told to ignore; NULL: none */
    const char *options[2];
    bool dead; /* the program ends by itself when it is to run a test */
    bool passes;
    size_t reported;
    const char *missing; /* the tests that an error names, each followed by a space */
} gate_run;

static void expect_gate_run(const gate_run *run)
{
    const char *const arguments[] = { KG__CTEST,       "--test-dir",    at(""),
                                      run->options[0], run->options[1], NULL };
    char text[600];
    const char *program = KG__FAKE_GPU;
    char missing[256] = "";
    const json_t *coverage;
    const json_t *error;
    json_t *results;
    ending seen;
    size_t i;

    if (run->dead) {
        program = at("dead.gpu");
        kg__format(text, sizeof text,
                   "#!/bin/sh\ncase $1 in --filter*) exit 0 ;; esac\nexec %s \"$@\"\n",
                   KG__FAKE_GPU);
        for (char *c = text; *c != '\0'; c++) {
            if (strncmp(c, "sh case", 7) == 0 || strncmp(c, "esac exec", 9) == 0)
                *strchr(c, ' ') = '\n';
        }
        write_script(program, text);
    }
    make_gate(program);
    kg__format(text, sizeof text, "set(CTEST_CUSTOM_TESTS_IGNORE %s)",
               run->ignored != NULL ? run->ignored : "");
    write_text(at("CTestCustom.cmake"), text);
    seen = drive(arguments, environment);
    cr_expect((seen.code == 0) == run->passes, "%s: exit code %d:\n%s", run->name, seen.code,
              seen.output);
    results = read_json(at("out/results.json"));
    coverage = json_object_get(json_object_get(results, "coverage"), "tests");
    cr_expect(kg__json_count(coverage, "expected") == 4 &&
                  kg__json_count(coverage, "reported") == run->reported,
              "%s: %zu of %zu", run->name, kg__json_count(coverage, "reported"),
              kg__json_count(coverage, "expected"));
    json_array_foreach (json_object_get(results, "errors"), i, error)
        kg__format(missing + strlen(missing), sizeof missing - strlen(missing), "%s ",
                   kg__json_text(error, "test"));
    cr_expect(strcmp(missing, run->missing) == 0, "%s: %s", run->name, missing);
    free(seen.output);
    json_decref(results);
}

/* CTest alone is the gate too: what left no verdict fails it, unless its command line asked for
 * less. */
Test(discovery, every_test_of_a_run_has_to_report)
{
    static const gate_run runs[] = {
        { .name = "all", .passes = true, .reported = 4, .missing = "" },
        { .name = "one is ignored",
          .ignored = "gpu.fake.time",
          .reported = 3,
          .missing = "gpu.fake.time " },
        { .name = "some are chosen",
          .options = { "-R", "check" },
          .passes = true,
          .reported = 1,
          .missing = "" },
        { .name = "some are left out",
          .options = { "-E", "time" },
          .passes = true,
          .reported = 3,
          .missing = "" },
        { .name = "the program exits with 0 and says nothing", .dead = true, .missing = " " },
    };

    set_fake_surroundings();
    set("KG_FILTER", "fake/plain/64/*");
    set("KG_BASELINES", at("baselines"));
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        expect_gate_run(&runs[i]);
}

/* Characters of a build folder's path, those that a build cannot have and others. */
Test(discovery, a_path_that_cannot_be_built_in_is_refused_first)
{
    static const struct {
        const char *name;
        const char *holds; /* NULL: it is taken */
    } paths[] = {
        { "a;b", "';'" },        { "a#b", "'#'" },      { "a\"b", "'\"'" },
        { "a[b]", "'['" },       { "a]b", "']'" },      { "a*b", "'*'" },
        { "a?b", "'?'" },        { "a<b", "'<'" },      { "a>b", "'>'" },
        { "a|b", "'|'" },        { "a${b}", "'${'" },   { "a$ENV{b}", "'$ENV{'" },
        { "a\nb", "control" },   { "a\tb", "control" }, { "a b", NULL },
        { "a$b", NULL },         { "a'b", NULL },       { "a(b){c}", NULL },
        { "a:b,c=d%e&f", NULL },
    };

    write_text(at("CMakeLists.txt"), "cmake_minimum_required(VERSION 3.25)\n"
                                     "include(\"" KG__MODULES "/KgPaths.cmake\")\n"
                                     "project(paths LANGUAGES NONE)\n");
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        bool taken = paths[i].holds == NULL;
        char build[512];
        const char *const arguments[] = { KG__CMAKE, "-S",  taken ? at("") : KG__SOURCE,
                                          "-B",      build, NULL };
        ending seen;

        /* Not by kg__format(), which takes control characters out. */
        (void)snprintf(build, sizeof build, "%s/%s", at(""), paths[i].name);
        seen = drive(arguments, NULL);
        expect_ending(&seen, taken ? 0 : 1, taken ? NULL : paths[i].holds);
        cr_expect(strstr(seen.output, "identification") == NULL, "%s: %s", paths[i].name,
                  seen.output);
        free(seen.output);
    }
}
