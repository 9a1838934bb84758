/* Publishes the results of a run: its files, console output and commits. */
#include "cli/publish.h"

#include <stdio.h>

#include "base/child_process.h"
#include "base/json.h"
#include "base/message.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/command.h"
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

/* Writes every file, even if another one fails. */
static bool write_files(const char *folder, const kg__report *report)
{
    bool written = true;

    for (const kg__printer *printer = kg__printers; printer->name != NULL; printer++) {
        char path[KG__PATH_SIZE];
        kg__error error = { "" };

        if (printer->file == NULL)
            continue;
        kg__format_path(path, sizeof path, "%s/%s", folder, printer->file);
        if (kg__printer_save(printer, report, path, &error))
            continue;
        kg__complain("%s", error.text);
        written = false;
    }
    return written;
}

/* The last line of a run: the files that it left. */
static void print_files(const char *folder, FILE *console)
{
    const char *gap = "";

    for (const kg__printer *printer = kg__printers; printer->name != NULL; printer++) {
        if (printer->file == NULL)
            continue;
        kg__print(console, "%s%s/%s", gap, folder, printer->file);
        gap = "  ";
    }
    fputc('\n', console);
}

bool kg__publish_results(const char *folder, const json_t *results, kg__detail detail,
                         FILE *console)
{
    kg__report report = { .results = results, .detail = detail, .sources = ".", .prefix = "" };
    bool written = write_files(folder, &report);

    if (console == NULL)
        return written;
    (void)kg__console_write(&report, console);
    if (detail != KG__QUIET)
        print_files(kg__json_text(results, "out"), console);
    return kg__flush_output("the verdicts") && written;
}
