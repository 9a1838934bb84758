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

/* The last line of a run: the files that it left. */
static void print_files(const char *folder, FILE *console)
{
    kg__run_file files[KG__RUN_FILES_MAXIMUM];
    size_t count = kg__run_files(files);

    for (size_t i = 0; i < count; i++)
        kg__print(console, "%s%s/%s", i > 0 ? "  " : "", folder, files[i].path);
    fputc('\n', console);
}

/* Writes the files of the results in `folder` but for results.json, which they are made of. */
static bool write_files(const char *folder, bool annotated)
{
    const char *arguments[2 + 2 * KG__RUN_FILES_MAXIMUM] = { folder };
    kg__run_file files[KG__RUN_FILES_MAXIMUM];
    size_t file_count = kg__run_files(files);
    size_t count = 1;

    for (size_t i = 0; i < file_count; i++) {
        if (strcmp(files[i].form, "json") == 0)
            continue;
        arguments[count++] = files[i].form;
        arguments[count++] = files[i].path;
    }
    if (annotated)
        arguments[count++] = "--annotations";
    return kg__call_tool("publish.py", arguments, count);
}

/* Whether this is a job of GitHub Actions, which shows annotations next to the lines of a change.
 */
static bool is_github_job(void)
{
    const char *actions = getenv("GITHUB_ACTIONS");

    return actions != NULL && strcmp(actions, "true") == 0;
}

bool kg__publish_results(const char *folder, kg__results *results, kg__detail detail, FILE *console,
                         bool annotated)
{
    kg__report report = { .results = results, .detail = detail, .sources = "." };
    char path[KG__PATH_SIZE];
    kg__error error = { "" };
    bool written;

    kg__results_describe(results);
    kg__format_path(path, sizeof path, "%s/results.json", folder);
    written = kg__results_save(results, path, &error);
    if (!written)
        kg__complain("%s", error.text);
    if (console != NULL) {
        kg__console_write(&report, console);
        if (detail != KG__QUIET)
            print_files(results->out, console);
        written = kg__flush_output("the verdicts") && written;
    }
    return written && write_files(folder, annotated && is_github_job());
}
