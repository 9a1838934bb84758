/* kernelgate begin, kernelgate results: the two ends of a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/file.h"
#include "base/process.h"
#include "base/run_lock.h"
#include "cli/baseline_files.h"
#include "cli/baseline_since.h"
#include "cli/command.h"
#include "cli/ctest_report.h"
#include "cli/expected_tests.h"
#include "cli/publish.h"
#include "results/merge.h"
#include "results/run_files.h"
#include "suite/settings.h"

static const char *out;
static const char *build;
static bool strict;
static const char *since;
static bool as_json;
static bool verbose;
static bool quiet;
static const char *programs;
static const char *kind;
static const char *ctest_report;
static const char *ctest_code;
static const char *printed;
static const char *known_errors[KG__REPEATS_MAXIMUM + 1];

/* Whoever runs this command, such as ctest, whose run it begins and ends; itself where that is
 * outside of what this process can see. */
static pid_t whose_run(void)
{
    pid_t parent = getppid();

    return parent > 0 ? parent : getpid();
}

/* Whether KG_FILTER, where it is set, takes a case of the programs. */
static bool filter_takes_any(kg__error *error)
{
    const char *filter = kg__setting("KG_FILTER");
    kg__pool pool = { 0 };
    kg__expected expected = { .pool = &pool };
    kg__texts ids = { 0 };
    bool takes = filter == NULL;
    bool listed = filter == NULL || kg__expect_programs(programs, kind, &expected, error);

    for (size_t i = 0; i < expected.tests.count; i++) {
        const kg__expected_test *test = expected.tests.entries[i].thing;

        for (size_t j = 0; j < test->ids.count; j++) {
            takes = takes || kg__globs_take(filter, test->ids.entries[j].name);
            kg__pool_add_text(&pool, &ids, test->ids.entries[j].name);
        }
    }
    if (listed && !takes) {
        char subject[KG__MESSAGE_SIZE];

        kg__format(subject, sizeof subject, "KG_FILTER=%s", filter);
        kg__fail_filter(error, subject, filter, ids.items, ids.count);
    }
    kg__pool_free(&pool);
    return listed && takes;
}

static int begin(size_t count, char **operands)
{
    const char *folder = kg__results_folder(out);
    kg__error error = { "" };

    (void)count;
    (void)operands;
    if (kg__filter_is_meant(kg__is_strict(), &error) &&
        (programs == NULL || filter_takes_any(&error)) && kg__file_make_folder(folder, &error) &&
        kg__run_lock_take(folder, whose_run(), &error) && kg__results_begin(folder, &error))
        return KG__EXIT_PASS;
    kg__complain("%s", error.text);
    return KG__EXIT_ERROR;
}

static const kg__option begin_options[] = {
    { "--out", "DIR", "the folder of the results (default: KG_OUT, else out)", &out, NULL },
    { "--programs", "FILE",
      "refuse a KG_FILTER that takes no case of the programs which FILE lists, one per line",
      &programs, NULL },
    { "--target", "KIND", "with --programs: of their tests those of gpu, or of model, alone", &kind,
      NULL },
    { 0 },
};

const kg__command kg__begin_command = {
    .name = "begin",
    .operands = "",
    .summary =
        "Begin a run: make the folder of its results and clear what an earlier run left there",
    .details =
        "CTest calls this before the first test of a run. Files of other names stay. The folder\n"
        "is held for whoever called until kernelgate results: another run there is refused.\n"
        "What is refused leaves the folder as it was.\n",
    .options = begin_options,
    .run = begin,
};

/* The exit code that --ctest-code gives; -1 where that is not one. */
static int code_of_ctest(void)
{
    char *end;
    long code = ctest_code != NULL ? strtol(ctest_code, &end, 10) : 0;

    if (ctest_code == NULL || (*ctest_code != '\0' && *end == '\0' && code >= 0 && code <= 255))
        return (int)code;
    kg__complain("results: --ctest-code '%s': expected an exit code from 0 to 255", ctest_code);
    return -1;
}

/* Merges what the tests left, compared with what had to report; NULL with a complaint. */
static kg__results *merge_tests(kg__pool *pool, const char *folder)
{
    bool is_strict = strict || kg__is_strict();
    char baselines[KG__PATH_SIZE];
    kg__expected expected = { .pool = pool,
                              .baselines = baselines,
                              .partial = kg__ctest_chose_tests() };
    kg__error error = { "" };
    kg__results *results = NULL;

    kg__default_baselines(baselines, sizeof baselines);
    if (kg__filter_is_meant(is_strict, &error) && kg__run_lock_permits(folder, &error) &&
        (programs == NULL || kg__expect_programs(programs, kind, &expected, &error)))
        results =
            kg__results_merge(pool, folder, is_strict, programs != NULL ? &expected : NULL, &error);
    if (results == NULL)
        kg__complain("%s", error.text);
    return results;
}

/* Adds what whoever ran the tests knows, and the tests' own verdicts cannot say. */
static void add_errors(kg__results *results, int code)
{
    kg__error error = { "" };

    if (ctest_report != NULL && !kg__ctest_report_check(ctest_report, code, results, &error))
        kg__results_add_error(results, NULL, error.text);
    for (size_t i = 0; known_errors[i] != NULL; i++)
        kg__results_add_error(results, NULL, known_errors[i]);
    if (programs != NULL)
        kg__lint_into_results(results);
}

static const char *detail(void)
{
    return quiet ? "quiet" : verbose ? "verbose" : "brief";
}

/* Prints the results in a file as the end of their run did. */
static int print_again(void)
{
    kg__error error = { "" };
    kg__pool pool = { 0 };
    bool is_sound = kg__results_load(&pool, printed, &error) != NULL;

    if (!is_sound)
        kg__complain("%s", error.text);
    kg__pool_free(&pool);
    return is_sound && kg__print_results(printed, detail()) ? KG__EXIT_PASS : KG__EXIT_ERROR;
}

/* Completes the results, writes and prints them; the exit code. */
static int publish(kg__results *results, const char *folder, int from_ctest)
{
    bool written;

    add_errors(results, from_ctest);
    results->build = build;
    kg__name_commits(results, NULL);
    if (!kg__add_baselines(results, since))
        kg__results_add_error(
            results, NULL,
            "the baselines could not be compared with what they were: the standard "
            "error says why");
    /* What is not part of the document must not be next to it. */
    written = kg__publish_results(folder, results, as_json ? NULL : detail(), !as_json);
    if (as_json && !kg__results_print(results))
        written = false;
    if (written && !kg__flush_output("results"))
        written = false;
    kg__run_lock_release(folder, whose_run());
    return written ? (int)results->exit_code : KG__EXIT_ERROR;
}

static int merge(size_t count, char **operands)
{
    const char *folder = kg__results_folder(out);
    int from_ctest = code_of_ctest();
    kg__pool pool = { 0 };
    kg__results *results;
    int code;

    (void)count;
    (void)operands;
    if (printed != NULL)
        return print_again();
    results = from_ctest >= 0 ? merge_tests(&pool, folder) : NULL;
    code = results != NULL ? publish(results, folder, from_ctest) : KG__EXIT_ERROR;
    kg__pool_free(&pool);
    return code;
}

static const kg__option results_options[] = {
    { "--out", "DIR", "the folder of the results (default: KG_OUT, else out)", &out, NULL },
    { "--build", "DIR", "the build folder that the lines to reproduce a verdict name", &build,
      NULL },
    { "--strict", NULL,
      "fail on environment, noisy, no-baseline and unlisted cases too (as KG_STRICT=1)", NULL,
      &strict },
    { "--programs", "FILE", "the programs whose tests had to report, one path per line", &programs,
      NULL },
    { "--target", "KIND", "gpu or model: only the tests of this target had to report", &kind,
      NULL },
    { "--ctest", "FILE", "the report of ctest --output-junit, which says how each test ended",
      &ctest_report, NULL },
    { "--ctest-code", "N", "the exit code of ctest", &ctest_code, NULL },
    { "--error", "TEXT", "an error of the run that no test can report; may be repeated",
      known_errors, NULL },
    { "--since", "COMMIT",
      "compare the baselines with what they were at this commit, branch or tag, and say what is "
      "held more loosely",
      &since, NULL },
    { "--print", "FILE", "only print the results of an earlier run, whose results.json FILE is",
      &printed, NULL },
    { "--verbose", NULL, "print one line per case, not only one per comparison", NULL, &verbose },
    { "--quiet", NULL, "print the line of the verdict alone", NULL, &quiet },
    { "-v", NULL, "short for --verbose", NULL, &verbose },
    { "-q", NULL, "short for --quiet", NULL, &quiet },
    KG__JSON_OPTION(as_json),
    { 0 },
};

const kg__command kg__results_command = {
    .name = "results",
    .operands = "",
    .summary =
        "End a run: merge what its tests left into results.json, junit.xml, summary.md and report/",
    .details =
        "exit: 0 judged, and nothing below; 1 slower or wrong, or a case of the baseline is in no\n"
        "table (with --strict also environment, noisy, no-baseline, unlisted); 2 an error; 77\n"
        "nothing was judged (with --strict 2, unless all was filtered out)\n"
        "\n"
        "With --programs each test of theirs that left no verdict is an error, unless the ctest\n"
        "that called this was told to run only some tests (-R, -L and the like). Cases of the\n"
        "baselines (KG_BASELINES, else baselines) that no table has any more have vanished.\n"
        "\n"
        "--since changes no verdict, but where a commit is not known, or a baseline cannot be\n"
        "read, which is an error.\n"
        "\n"
        "In a job of GitHub Actions (GITHUB_ACTIONS=true) what failed is also annotated, the\n"
        "worst first, at the lines of the sources in the current folder.\n",
    .options = results_options,
    .repeated = "--error",
    .run = merge,
};
