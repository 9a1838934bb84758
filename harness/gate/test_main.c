/* SPDX-License-Identifier: MIT */
/* The main function of a comparison's programs: an observer, a list of cases or of boards, or
 * Criterion's runner with exit codes that CTest can trust. */
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <criterion/options.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <kernelgate/kernelgate.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/process.h"
#include "base/run_lock.h"
#include "gate/part.h"
#include "gate/settle.h"
#include "gate/test_tally.h"
#include "observer/launches.h"
#include "observer/observe.h"
#include "observer/tune_candidates.h"
#include "observer/work.h"
#include "suite/settings.h"
#include "suite/table.h"

/* What a runner needs: below these limits Criterion aborts, crashes or hangs. */
static const struct {
    __rlimit_resource_t resource;
    rlim_t least;
    const char *text;
} limits[] = {
    /* 20 MiB, and for each of the two threads of Criterion's libraries a stack of 8 MiB and up to
     * 64 MiB that malloc reserves. */
    { RLIMIT_AS, (rlim_t)192 << 20,
      "bytes of address space, too little to run a test: allow 192 MiB or more (ulimit -v)" },
    /* 16 pass for the CPU model. */
    { RLIMIT_NOFILE, 32, "open files, too few to run a test: allow 32 or more (ulimit -n)" },
};

/* Where Criterion keeps what the runner and its tests share; without it, it aborts. */
static const char *const shared_folders[] = { "/dev/shm", "/tmp" };

/* After so long without the process of a test, Criterion waits for one that is not there. */
#define SECONDS_WITHOUT_TEST 10

ReportHook(POST_TEST)(struct criterion_test_stats *stats)
{
    kg__test_tally_add(stats);
}

/* Criterion ends a test that crashed without POST_TEST. */
ReportHook(TEST_CRASH)(struct criterion_test_stats *stats)
{
    kg__test_tally_add(stats);
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

/* Ends a run whose test has no process, or one that ended and is not waited for: BoxFort reports no
 * failure where it cannot start the thread that waits, and Criterion then waits forever. */
static void *watch_tests(void *nothing)
{
    int seconds = 0;

    (void)nothing;
    while (seconds < SECONDS_WITHOUT_TEST) {
        siginfo_t ended = { 0 };

        sleep(1);
        if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0)
            seconds = 0;
        else
            seconds++;
    }
    kg__complain(
        "%s: a test's process cannot be started: raise the number of processes (ulimit -u) and "
        "the address space (ulimit -v), or what the container may have of both",
        kg__comparison->name);
    _exit(KG__EXIT_ERROR);
}

static bool has_what_criterion_needs(void)
{
    struct rlimit limit;

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (getrlimit(limits[i].resource, &limit) == 0 && limit.rlim_cur < limits[i].least) {
            kg__complain("%s: limited to %llu %s", kg__comparison->name,
                         (unsigned long long)limit.rlim_cur, limits[i].text);
            return false;
        }
    }
    for (size_t i = 0; i < sizeof shared_folders / sizeof *shared_folders; i++) {
        if (access(shared_folders[i], W_OK | X_OK) != 0) {
            kg__complain("%s: %s: %s: Criterion needs it to run a test: mount a tmpfs there, or "
                         "make it writable",
                         kg__comparison->name, shared_folders[i], strerror(errno));
            return false;
        }
    }
    return true;
}

/* Starts the thread that watches the tests; false with a complaint where a runner cannot work. */
static bool can_start_tests(void)
{
    sigset_t all;
    sigset_t before;
    pthread_t watcher;
    int cause;

    if (!has_what_criterion_needs())
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    cause = pthread_create(&watcher, NULL, watch_tests, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (cause != 0)
        kg__complain("%s: no thread can be started: %s: raise the number of processes (ulimit -u), "
                     "or what the container may have",
                     kg__comparison->name, strerror(cause));
    return cause == 0;
}

/* Another run's results are not to be mixed with ours, nor are tests to be run whose exit code or
 * limits nobody could tell. */
static bool may_run_tests(void)
{
    char out[KG__PATH_SIZE];
    kg__error error = { "" };

    kg__out_folder(kg__comparison->home, out, sizeof out);
    if (kg__settings_are_valid(&error) && kg__baselines_are_there(&error) &&
        kg__filter_is_allowed(kg__is_strict(), &error) && kg__run_lock_permits(out, &error))
        return true;
    kg__complain("%s", error.text);
    return false;
}

/* Whether Criterion prints something in place of a run. */
static bool only_prints(char *const *argument)
{
    static const char *const printing[] = { "--help", "-h", "--list", "-l", "--version", "-v" };

    while (*++argument != NULL) {
        for (size_t i = 0; i < sizeof printing / sizeof *printing; i++) {
            if (strcmp(*argument, printing[i]) == 0)
                return true;
        }
    }
    return false;
}

/* The ids of the cases of a test, whatever KG_FILTER says; those of a claim are none. A table that
 * is wrong its own tests report. */
static json_t *ids_of(const char *test)
{
    json_t *ids = json_array();
    kg__case_list table = { 0 };

    if (kg__is_part(test) && kg__table_expand(kg__comparison, test, &table, NULL)) {
        for (size_t i = 0; i < table.count; i++)
            json_array_append_new(ids, json_string(table.list[i].id));
    }
    kg__case_list_free(&table);
    return ids;
}

static int print_tests(const kg_comparison *comparison)
{
    struct criterion_test_set *set = criterion_initialize();
    json_t *tests = json_array();

    (void)comparison;
    FOREACH_SET(struct criterion_suite_set * suite, set->suites)
    {
        FOREACH_SET(struct criterion_test * test, suite->tests)
        {
            char name[128];

            kg__test_name(KG__TARGET_KIND, test->category, test->name, name, sizeof name);
            json_array_append_new(
                tests, json_pack("{s:s, s:o}", "test", name, "cases", ids_of(test->name)));
        }
    }
    criterion_finalize(set);
    return kg__json_print(json_pack("{s:o}", "tests", tests), JSON_INDENT(1), "--tests")
               ? KG__EXIT_PASS
               : KG__EXIT_ERROR;
}

/* What the program is asked by others than CTest; Criterion's own options follow. */
static void print_help(void)
{
    printf(
        "The comparison %s. Without an option all its tests run on the target %s.\n\n"
        "  --tests            print as JSON the tests that there are, with all their cases\n"
        "  --cases PART       print the ids of a part's cases: check, defects, time (of a GPU),\n"
        "                     count (of the CPU model)\n"
        "  --resource-spec    of a GPU: print the boards that CUDA shows, for CTest to hand out\n"
        "  --timed-with       of a GPU: print the ids of the cases that are timed beside those "
        "that\n"
        "                     KG_FILTER lets through\n"
        "  --work             print as JSON what each case asks for: operations, bytes, blocks\n"
        "  --candidates       print the launches that a tuning tries, as JSON\n"
        "  --launches         print as JSON what each timed or counted case launches, without\n"
        "                     doing it\n"
        "  --observe FILE --part PART --records FILE\n"
        "                     be an observer of the cases in FILE: what the tests spawn\n"
        "  --settle BASE --seconds N --share X\n"
        "                     of a GPU: settle suspects against the base build's program BASE:\n"
        "                     what `kernelgate settle` runs\n\n"
        "exit: 0 judged, no failure; 1 slower or wrong; 2 an error; 77 nothing was "
        "judged\n\n"
        "The tests are Criterion's, and so are the options of theirs:\n\n",
        kg__comparison->name, KG__TARGET_KIND);
    (void)fflush(stdout);
}

/* Runs the tests that the options choose. Criterion reads its options with getopt_long() and
 * ignores what that leaves; for an option that it refuses it prints its usage and succeeds. */
static int run_criterion(struct criterion_test_set *tests, int argc, char **argv)
{
    if (!criterion_handle_args(argc, argv, true)) {
        if (only_prints(argv))
            return KG__EXIT_PASS;
        kg__complain(
            "%s: Criterion refused its options: correct them or CRITERION_OUTPUTS, or see --help",
            kg__comparison->name);
        return KG__EXIT_ERROR;
    }
    if (optind < argc) {
        kg__complain("%s: unexpected argument \"%s\": see --help", kg__comparison->name,
                     argv[optind]);
        return KG__EXIT_ERROR;
    }
    if (!may_run_tests() || !can_start_tests())
        return KG__EXIT_ERROR;
    if (argc == 1)
        forget_verdicts();
    (void)criterion_run_all_tests(tests);
    return kg__test_tally_exit_code();
}

/* Takes the place of Mbed TLS's function. Criterion initializes libgit2 at each start, which would
 * parse all of the system's certificates: 12 of 18 ms. No test connects to a server. */
__attribute__((visibility("default"))) int mbedtls_x509_crt_parse_file(void *chain,
                                                                       const char *path);
int mbedtls_x509_crt_parse_file(void *chain, const char *path)
{
    (void)chain;
    (void)path;
    return -1;
}

static int run_tests(int argc, char **argv)
{
    struct criterion_test_set *tests;
    int code;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        print_help();
    /* CTest that is interrupted leaves its tests running; what they started must not keep the GPU.
     * The variable is CTest's own, for every test that it runs. */
    if (getenv("CTEST_INTERACTIVE_DEBUG_MODE") != NULL)
        kg__end_with_parent();
    kg__name_parent();
    tests = criterion_initialize();
    criterion_options.jobs = 1;
    criterion_options.logging_threshold = CRITERION_IMPORTANT;
    code = run_criterion(tests, argc, argv);
    criterion_finalize(tests);
    return code;
}

/* Criterion's sandbox replaces the first instructions of main() in its workers. Where its library
 * was linked with -Bsymbolic-functions (Ubuntu), the main() that it finds is the library's own, so
 * that a worker begins in ours: it must then go on in that one. Where the library finds ours
 * (Debian), no worker comes here. */
static int run_as_worker(int argc, char **argv)
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

/* What the program is asked for, with the value that it takes; KG_FILTER chooses the cases. */
static const struct {
    const char *option;
    int (*answer)(const kg_comparison *comparison);
    int (*answer_of)(const kg_comparison *comparison, const char *value); /* NULL: takes none */
} questions[] = {
    { "--tests", print_tests, NULL },
    { "--cases", NULL, kg__print_cases },
    { "--resource-spec", kg__print_resource_spec, NULL },
    { "--timed-with", kg__print_timed_with, NULL },
    { "--work", kg__print_work, NULL },
    { "--candidates", kg__print_tune_candidates, NULL },
    { "--launches", kg__print_launches, NULL },
};

/* What a program opens takes the number of a closed stream, and so the stream's text. */
static bool streams_are_open(void)
{
    if (fcntl(STDOUT_FILENO, F_GETFD) >= 0 && fcntl(STDERR_FILENO, F_GETFD) >= 0)
        return true;
    kg__complain("%s: the standard output or error is closed: redirect it, to /dev/null if need be",
                 kg__comparison->name);
    return false;
}

int main(int argc, char **argv)
{
    if (getenv("BXFI_MAP") != NULL)
        return run_as_worker(argc, argv);
    if (!streams_are_open())
        return KG__EXIT_ERROR;
    if (argc > 1 && strcmp(argv[1], "--observe") == 0)
        return kg__observe(kg__comparison, argc, argv);
#ifndef KG__TARGET_GPU
    if (!kg__tables_end())
        return KG__EXIT_ERROR;
#endif
    if (argc > 1 && strcmp(argv[1], "--settle") == 0)
        return kg__settle(kg__comparison, argc, argv);
    for (size_t i = 0; argc > 1 && i < sizeof questions / sizeof *questions; i++) {
        bool takes_value = questions[i].answer_of != NULL;

        if (strcmp(argv[1], questions[i].option) != 0)
            continue;
        if (argc > (takes_value ? 3 : 2)) {
            kg__complain("%s: %s takes %s: omit it", argv[argc - 1], argv[1],
                         takes_value ? "one value" : "no value");
            return KG__EXIT_ERROR;
        }
        return takes_value ? questions[i].answer_of(kg__comparison, argv[2])
                           : questions[i].answer(kg__comparison);
    }
    return run_tests(argc, argv);
}
