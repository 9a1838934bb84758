/* Publishes the results of a run: its files, console output and commits. */
#include "cli/publish.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child_process.h"
#include "base/message.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/tool.h"
#include "results/results.h"
#include "results/results_describe.h"
#include "results/run_files.h"
#include "suite/settings.h"

void kg__name_commits(kg__results *results, const char *commit)
{
    const char *ref = kg__setting("KG_BASE_REF");
    const char *base_commit = kg__setting("KG_BASE_COMMIT");
    char current_commit[128];

    if (commit == NULL && kg__current_commit(current_commit, sizeof current_commit))
        commit = current_commit;
    if (commit != NULL)
        results->commit = kg__pool_text(results->pool, commit);
    if (kg__base_folder() == NULL || ref == NULL)
        return;
    results->base_ref = kg__pool_text(results->pool, ref);
    if (base_commit != NULL)
        results->base_commit = kg__pool_text(results->pool, base_commit);
}

#define CONSOLE_OPTION "--console="
#define PRINT_OPTION "--print="

/* Whether this is a job of GitHub Actions, which shows annotations next to the lines of a change.
 */
static bool is_github_job(void)
{
    const char *actions = getenv("GITHUB_ACTIONS");

    return actions != NULL && strcmp(actions, "true") == 0;
}

/* Has the files made of results.json in `folder`, and it printed. */
static bool call_printers(const char *folder, const char *detail, bool annotated)
{
    const char *arguments[4 + 2 * KG__RUN_FILES_MAXIMUM] = { folder };
    kg__run_file files[KG__RUN_FILES_MAXIMUM];
    size_t file_count = kg__run_files(files);
    char console[sizeof CONSOLE_OPTION + 16];
    size_t count = 1;

    for (size_t i = 0; i < file_count; i++) {
        arguments[count++] = files[i].form;
        arguments[count++] = files[i].path;
    }
    if (detail != NULL) {
        kg__format(console, sizeof console, CONSOLE_OPTION "%s", detail);
        arguments[count++] = console;
    }
    if (kg__narration() == stderr)
        arguments[count++] = "--to-stderr";
    if (annotated)
        arguments[count++] = "--annotations";
    return kg__call_tool("publish.py", arguments, count);
}

bool kg__publish_results(const char *folder, kg__results *results, const char *detail,
                         bool annotated)
{
    char path[KG__PATH_SIZE];
    kg__error error = { "" };

    kg__results_describe(results);
    kg__format_path(path, sizeof path, "%s/results.json", folder);
    if (!kg__results_save(results, path, &error)) {
        kg__complain("%s", error.text);
        return false;
    }
    return kg__flush_output("the verdicts") &&
           call_printers(folder, detail, annotated && is_github_job());
}

bool kg__print_results(const char *path, const char *detail)
{
    char option[sizeof PRINT_OPTION + 16];

    kg__format(option, sizeof option, PRINT_OPTION "%s", detail);
    return kg__call_tool("publish.py", (const char *const[]){ option, path }, 2);
}
