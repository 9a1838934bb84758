/* The main function of a comparison's programs: an observer, a list of cases or of boards, or
 * Criterion's runner with exit codes that CTest can trust. */
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <criterion/options.h>
#include <dlfcn.h>
#include <kernelgate/kernelgate.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "candidates.h"
#include "file.h"
#include "holding.h"
#include "launches.h"
#include "observe.h"
#include "records.h"
#include "results.h"
#include "run.h"
#include "table.h"
#include "work.h"

/* What the tests that ran add up to. Only the runner's process fills it. */
static kg__tally tally;
static size_t tests_run;
static size_t claims_held;

/* Criterion ignores words and options that it does not know and succeeds; these are the ones that
 * it does. `takes_value` becomes whether the next argument may be the option's value. */
static bool is_known_option(const char *argument, bool *takes_value)
{
    static const char *const known[] = {
        "--help",
        "--version",
        "--list",
        "--filter",
        "--pattern",
        "--jobs",
        "--timeout",
        "--fail-fast",
        "--verbose",
        "--quiet",
        "--short-filename",
        "--no-early-exit",
        "--always-succeed",
        "--ascii",
        "--color",
        "--encoding",
        "--tap",
        "--xml",
        "--json",
        "--output",
        "--crash",
        "--debug",
        "--debug-transport",
        "--ignore-warnings",
        "--full-stats",
    };
    size_t length = strcspn(argument, "=");

    if (argument[0] != '-' || argument[1] == '\0')
        return false;
    *takes_value = argument[length] == '\0';
    if (argument[1] != '-') {
        *takes_value = *takes_value && argument[2] == '\0' && strchr("jO", argument[1]) != NULL;
        return strchr("hqvljfSO", argument[1]) != NULL;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strlen(known[i]) == length && strncmp(known[i], argument, length) == 0)
            return true;
    }
    return false;
}

static bool arguments_are_known(int argc, char **argv)
{
    bool takes_value = false;

    for (int i = 1; i < argc; i++) {
        bool is_value = takes_value && argv[i][0] != '-';

        takes_value = false;
        if (is_value || is_known_option(argv[i], &takes_value))
            continue;
        kg__complain("%s: no such option: see --help", argv[i]);
        return false;
    }
    return true;
}

static bool is_harmless(int exit_code)
{
    return exit_code == KG__EXIT_PASS || exit_code == KG__EXIT_NOTHING;
}

/* Suspects are settled after the run, and its results judge them: here they let their test pass. */
static void excuse_suspects(const json_t *verdicts, kg__tally *all)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(verdicts, "cases"), i, entry) {
        kg__verdict verdict;

        if (!json_is_true(json_object_get(entry, "suspect")) ||
            !kg__verdict_parse(kg__json_text(entry, "verdict"), &verdict))
            continue;
        all->verdicts[verdict]--;
        all->verdicts[KG__PASS]++;
    }
}

/* Adds what a test left to the tally: by its verdicts file where it left one, by Criterion's status
 * else. */
static void count_test(const struct criterion_test_stats *stats)
{
    char name[128];
    char path[KG__PATH_SIZE];
    json_t *verdicts;
    bool failed = stats->test_status == CR_STATUS_FAILED || stats->crashed || stats->timed_out;

    if (stats->test_status == CR_STATUS_SKIPPED && stats->test->data->disabled)
        return;
    tests_run++;
    kg__test_name(KG__TARGET_KIND, stats->test->category, stats->test->name, name, sizeof name);
    kg__verdicts_path(kg__comparison->home, name, path, sizeof path);
    verdicts = kg__verdicts_load(path, NULL);
    if (stats->timed_out && verdicts != NULL)
        kg__complain("%s: overdue, and ended: see %s for the case that was running", name, path);
    else if (stats->timed_out)
        kg__complain("%s: overdue, and ended: see what it waits for", name);
    if (verdicts != NULL) {
        kg__tally before = tally;
        kg__tally own = { 0 };

        kg__verdicts_tally(verdicts, &tally);
        kg__verdicts_tally(verdicts, &own);
        excuse_suspects(verdicts, &tally);
        excuse_suspects(verdicts, &own);
        /* A file that tells of nothing that fails is not the one of a test that did. */
        if (failed && is_harmless(kg__exit_code(&own, false)))
            tally.broken++;
        if (!failed && tally.failed_claims == before.failed_claims)
            claims_held += json_array_size(json_object_get(verdicts, "claims"));
    } else if (failed && kg__is_part(stats->test->name)) {
        /* A part that could not even write down what it found. */
        tally.broken++;
    } else if (failed) {
        tally.failed_claims++;
    } else if (stats->test_status == CR_STATUS_SKIPPED) {
        tally.unavailable++;
    } else {
        claims_held++;
    }
    if (stats->crashed || stats->timed_out)
        tally.broken++;
    json_decref(verdicts);
}

ReportHook(POST_TEST)(struct criterion_test_stats *stats)
{
    count_test(stats);
}

/* Leaves the verdicts file of a test that died before it had one, so that the run's results know of
 * it. */
static void leave_crash(const struct criterion_test_stats *stats, const char *why)
{
    char name[128];
    char path[KG__PATH_SIZE];
    char folder[KG__PATH_SIZE];
    json_t *verdicts;
    kg__error error = { "" };

    kg__test_name(KG__TARGET_KIND, stats->test->category, stats->test->name, name, sizeof name);
    kg__verdicts_path(kg__comparison->home, name, path, sizeof path);
    verdicts = kg__verdicts_load(path, NULL);
    if (verdicts == NULL) {
        verdicts = kg__verdicts_make(name);
        json_array_append_new(json_object_get(verdicts, "errors"), json_string(why));
        kg__format(folder, sizeof folder, "%s", path);
        *strrchr(folder, '/') = '\0';
        if (!kg__file_make_folder(folder, &error) ||
            !kg__results_write_json(path, verdicts, 1, &error))
            kg__complain("%s", error.text);
    }
    json_decref(verdicts);
}

/* Criterion ends a test that crashed without POST_TEST. Kernels run in observers, so that what
 * crashed here is the suite or the harness. */
ReportHook(TEST_CRASH)(struct criterion_test_stats *stats)
{
    char why[KG__MESSAGE_SIZE];

    tests_run++;
    tally.broken++;
    kg__format(why, sizeof why,
               "crashed outside of any case: look for a table without its KG_END in suites/%s.c",
               kg__comparison->name);
    kg__complain("%s.%s: %s", stats->test->category, stats->test->name, why);
    leave_crash(stats, why);
}

/* Run whole by hand, claims come before the part `time` in Criterion's order: they must not take an
 * earlier run's times for this one's. */
static void forget_verdicts(void)
{
    static const char *const parts[] = { "check", "defects", "time", "count" };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char name[128];
        char path[KG__PATH_SIZE];

        kg__test_name(KG__TARGET_KIND, kg__comparison->name, parts[i], name, sizeof name);
        kg__verdicts_path(kg__comparison->home, name, path, sizeof path);
        (void)unlink(path);
    }
}

/* Another run's results are not to be mixed with ours, nor are tests to be run whose exit code or
 * limits nobody could tell. */
static bool may_run_tests(void)
{
    char out[KG__PATH_SIZE];
    kg__error error = { "" };

    kg__out_folder(kg__comparison->home, out, sizeof out);
    if (kg__settings_are_clear(&error) && kg__holding_permits(out, &error))
        return true;
    kg__complain("%s", error.text);
    return false;
}

static bool asks_for_help(int argc, char **argv)
{
    return argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
}

/* What the program is asked by others than CTest; Criterion's own options follow. */
static void print_help(void)
{
    printf(
        "The comparison %s. Without an option all its tests run on the target %s.\n\n"
        "  --cases PART       print the ids of a part's cases: check, defects, time (of a GPU),\n"
        "                     count (of the CPU model)\n"
        "  --resource-spec    of a GPU: print the boards that CUDA shows, for CTest to hand out\n"
        "  --beside [FILE]    of a GPU: print the ids of the cases that are timed beside those in\n"
        "                     FILE, or beside those that KG_FILTER lets through\n"
        "  --work             print as JSON what each case asks for: operations, bytes, blocks\n"
        "  --candidates       print the launches that a tuning tries, as JSON\n"
        "  --launches         print as JSON what each timed or counted case launches, without\n"
        "                     doing it\n"
        "  --observe FILE --part PART --records FILE\n"
        "                     be an observer of the cases in FILE: what the tests spawn\n\n"
        "exit: 0 judged, and nothing below; 1 slower or wrong; 2 an error; 77 nothing was "
        "judged\n\n"
        "The tests are Criterion's, and so are the options of theirs:\n\n",
        kg__comparison->name, KG__TARGET_KIND);
    (void)fflush(stdout);
}

static int run_tests(int argc, char **argv)
{
    struct criterion_test_set *tests;

    if (!arguments_are_known(argc, argv))
        return KG__EXIT_ERROR;
    if (asks_for_help(argc, argv))
        print_help();
    /* CTest that is interrupted leaves its tests running; what they started must not keep the GPU.
     * The variable is CTest's own, for every test that it runs. */
    if (getenv("CTEST_INTERACTIVE_DEBUG_MODE") != NULL)
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    tests = criterion_initialize();
    criterion_options.jobs = 1;
    criterion_options.logging_threshold = CRITERION_IMPORTANT;
    if (!criterion_handle_args(argc, argv, true)) {
        criterion_finalize(tests);
        return KG__EXIT_PASS;
    }
    if (!may_run_tests()) {
        criterion_finalize(tests);
        return KG__EXIT_ERROR;
    }
    if (argc == 1)
        forget_verdicts();
    (void)criterion_run_all_tests(tests);
    criterion_finalize(tests);
    if (tests_run == 0) {
        kg__complain("%s: the filter matches no test: see --list", kg__comparison->name);
        return KG__EXIT_ERROR;
    }
    /* A claim that holds passes its own test, and is no judgement of what has no baseline. */
    if (tally.verdicts[KG__NO_BASELINE] == 0)
        tally.verdicts[KG__PASS] += claims_held;
    return kg__exit_code(&tally, kg__is_strict());
}

/* Criterion's sandbox replaces the first instructions of main() in its workers. Where its library
 * was linked with -Bsymbolic-functions (Ubuntu), the main() that it finds is the library's own, so
 * that a worker begins in ours: it must then go on in that one. Where the library finds ours
 * (Debian), no worker comes here. */
static int work_for_criterion(int argc, char **argv)
{
    int (*replaced)(int, char **) = NULL;
    void *address = dlsym(RTLD_NEXT, "main");

    memcpy(&replaced, &address, sizeof replaced);
    if (replaced == NULL) {
        kg__complain("this build of Criterion cannot start its tests: install Criterion 2.4");
        return KG__EXIT_ERROR;
    }
    return replaced(argc, argv);
}

int main(int argc, char **argv)
{
    if (getenv("BXFI_MAP") != NULL)
        return work_for_criterion(argc, argv);
    if (argc > 1 && strcmp(argv[1], "--observe") == 0)
        return kg__observe(kg__comparison, argc, argv);
    if (argc > 1 && strcmp(argv[1], "--cases") == 0)
        return kg__print_cases(kg__comparison, argc, argv);
    if (argc > 1 && strcmp(argv[1], "--resource-spec") == 0)
        return kg__print_resource_spec(argc, argv);
    if (argc > 1 && strcmp(argv[1], "--beside") == 0)
        return kg__print_beside(kg__comparison, argc, argv);
    if (argc > 1 && strcmp(argv[1], "--work") == 0)
        return kg__print_work(kg__comparison, argc, argv);
    if (argc > 1 && strcmp(argv[1], "--candidates") == 0)
        return kg__print_candidates(kg__comparison, argc, argv);
    if (argc > 1 && strcmp(argv[1], "--launches") == 0)
        return kg__print_launches(kg__comparison, argc, argv);
    return run_tests(argc, argv);
}
