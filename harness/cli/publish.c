/* Publishes the results of a run: its files, console output and commits. */
#include "cli/publish.h"

#include <stdio.h>

#include "base/child_process.h"
#include "base/message.h"
#include "base/process.h"
#include "cli/command.h"
#include "results/results.h"
#include "suite/settings.h"

void kg__name_commits(json_t *results, const char *commit)
{
    const char *ref = kg__setting("KG_BASE_REF");
    const char *base_commit = kg__setting("KG_BASE_COMMIT");
    char current_commit[128];
    json_t *base;

    if (commit == NULL && kg__current_commit(current_commit, sizeof current_commit))
        commit = current_commit;
    if (commit != NULL)
        json_object_set_new(results, "commit", json_string(commit));
    if (kg__base_folder() == NULL || ref == NULL)
        return;
    base = json_pack("{s:s}", "ref", ref);
    if (base_commit != NULL)
        json_object_set_new(base, "commit", json_string(base_commit));
    json_object_set_new(results, "base", base);
}

static bool write_results(const char *path, const json_t *results, kg__error *error)
{
    return kg__results_write_json(path, results, 1, error);
}

/* Writes every file, even if another one fails. */
static bool write_files(const char *folder, const json_t *results)
{
    static const struct {
        const char *name;
        bool (*write)(const char *path, const json_t *results, kg__error *error);
    } files[] = {
        { "results.json", write_results },
        { "junit.xml", kg__results_write_junit },
        { "summary.md", kg__results_write_summary },
        { "report/index.html", kg__results_write_html },
    };
    bool written = true;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[KG__PATH_SIZE];
        kg__error error = { "" };

        kg__format_path(path, sizeof path, "%s/%s", folder, files[i].name);
        if (files[i].write(path, results, &error))
            continue;
        kg__complain("%s", error.text);
        written = false;
    }
    return written;
}

bool kg__publish_results(const char *folder, const json_t *results, FILE *console)
{
    bool written = write_files(folder, results);

    if (console == NULL)
        return written;
    kg__results_print(console, results);
    return kg__flush_output("the verdicts") && written;
}
