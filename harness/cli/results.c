/* kernelgate begin, kernelgate results: the two ends of a run. */
#include "../results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "../annotations.h"
#include "../file.h"
#include "../holding.h"
#include "../records.h"
#include "../run.h"
#include "command.h"
#include "publish.h"

static const char *out;
static const char *build;
static bool strict;
static bool report_only;
static bool as_json;

/* Whoever runs this command, such as ctest, whose run it begins and ends; itself where that is
 * outside of what this process can see. */
static pid_t whose_run(void)
{
    pid_t parent = getppid();

    return parent > 0 ? parent : getpid();
}

static int begin(size_t count, char **operands)
{
    const char *folder = kg__results_folder(out);
    kg__error error = { "" };

    (void)count;
    (void)operands;
    if (kg__file_make_folder(folder, &error) && kg__holding_take(folder, whose_run(), &error) &&
        kg__results_begin(folder, &error))
        return KG__EXIT_PASS;
    kg__complain("%s", error.text);
    return KG__EXIT_ERROR;
}

static const kg__option begin_options[] = {
    { "--out", "DIR", "the folder of the results (default: KG_OUT, else out)", &out, NULL },
    { 0 },
};

const kg__command kg__begin_command = {
    .name = "begin",
    .operands = "",
    .summary =
        "Begin a run: make the folder of its results and clear what an earlier run left there",
    .details =
        "CTest calls this before the first test of a run. Files of other names stay. The folder\n"
        "is held for whoever called until kernelgate results: another run there is refused.\n",
    .options = begin_options,
    .run = begin,
};

/* Whether the filter, or a glob of it, takes no case, which no single test can tell: of what tests
 * left, all other errors are a test's. */
static bool filter_takes_nothing(const json_t *results)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(results, "errors"), i, entry)
        if (json_object_get(entry, "test") == NULL)
            return json_array_size(json_object_get(results, "tests")) > 0;
    return false;
}

static size_t count_suspects(const json_t *results)
{
    size_t suspects = 0;
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(results, "cases"), i, entry)
        suspects += json_is_true(json_object_get(entry, "suspect"));
    return suspects;
}

/* The exit code of a mere report: tests carry their verdicts themselves, all but those of suspects,
 * which they let pass for others to settle, and a filter of which a part takes nothing of any. */
static int report_code(const json_t *results)
{
    size_t suspects = count_suspects(results);

    if (filter_takes_nothing(results))
        return KG__EXIT_ERROR;
    if (suspects == 0 || kg__is_settling())
        return KG__EXIT_PASS;
    kg__complain("%zu suspect%s of a run with KG_BASE set: settle %s by kernelgate settle, or run "
                 "the tests without it",
                 suspects, suspects == 1 ? "" : "s", suspects == 1 ? "it" : "them");
    return kg__results_exit_code(results);
}

/* Has GitHub Actions show what failed beside the lines of the change, where this is one of its
 * jobs. The sources are in the current folder, which is the tree's or one that holds none of them.
 */
static void annotate(const json_t *results)
{
    const char *actions = getenv("GITHUB_ACTIONS");
    char prefix[KG__PATH_SIZE];
    kg__annotated_tree tree = { ".", prefix };

    if (actions == NULL || strcmp(actions, "true") != 0)
        return;
    kg__annotation_prefix(getenv("GITHUB_WORKSPACE"), tree.folder, prefix, sizeof prefix);
    kg__annotations_print(stdout, results, &tree);
}

static int merge(size_t count, char **operands)
{
    const char *folder = kg__results_folder(out);
    kg__error error = { "" };
    json_t *results = NULL;
    bool written;
    int code;

    (void)count;
    (void)operands;
    if (kg__holding_permits(folder, &error))
        results = kg__results_merge(folder, strict || kg__is_strict(), &error);
    if (results == NULL) {
        kg__complain("%s", error.text);
        return KG__EXIT_ERROR;
    }
    if (build != NULL)
        json_object_set_new(results, "build", json_string(build));
    kg__name_commits(results, NULL);
    written = kg__publish_results(folder, results, as_json ? NULL : stdout);
    /* What is no part of the document must not stand beside it. */
    if (!report_only && !as_json)
        annotate(results);
    if (as_json && !kg__json_print(json_incref(results), JSON_INDENT(1), "results"))
        written = false;
    if (written && !kg__flush_output("results"))
        written = false;
    code = report_only ? report_code(results) : kg__results_exit_code(results);
    json_decref(results);
    kg__holding_release(folder, whose_run());
    return written ? code : KG__EXIT_ERROR;
}

static const kg__option results_options[] = {
    { "--out", "DIR", "the folder of the results (default: KG_OUT, else out)", &out, NULL },
    { "--build", "DIR", "the build folder that the lines to reproduce a verdict name", &build,
      NULL },
    { "--strict", NULL, "fail on environment, noisy, no-baseline and vanished too (as KG_STRICT=1)",
      NULL, &strict },
    { "--report-only", NULL,
      "exit with 0 whatever the tests' verdicts, which they carry themselves, but not over "
      "suspects that wait to be settled",
      NULL, &report_only },
    KG__JSON_OPTION(as_json),
    { 0 },
};

const kg__command kg__results_command = {
    .name = "results",
    .operands = "",
    .summary =
        "End a run: merge what its tests left into results.json, junit.xml, summary.md and report/",
    .details =
        "exit: 0 judged, and nothing below; 1 slower or wrong (with --strict also environment,\n"
        "noisy, no-baseline, vanished); 2 an error; 77 nothing was judged (with --strict 2,\n"
        "unless all was filtered out)\n"
        "\n"
        "In a job of GitHub Actions (GITHUB_ACTIONS=true) what failed is annotated besides, the\n"
        "worst first, at the lines of the sources in the current folder.\n",
    .options = results_options,
    .run = merge,
};
