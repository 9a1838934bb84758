#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/annotations.h"

static bool write_json(const kg__report *report, FILE *stream)
{
    return json_dumpf(report->results, stream, JSON_INDENT(1)) == 0 && fputc('\n', stream) != EOF;
}

static bool write_annotations(const kg__report *report, FILE *stream)
{
    kg__annotated_tree tree = { report->sources, report->prefix };

    kg__annotations_print(stream, report->results, &tree);
    return true;
}

const kg__printer kg__printers[] = {
    { "console", NULL, kg__console_write },
    { "html", "report/index.html", kg__html_write },
    { "json", "results.json", write_json },
    { "junit", "junit.xml", kg__junit_write },
    { "markdown", "summary.md", kg__summary_write },
    { "csv", NULL, kg__csv_write },
    { "annotations", NULL, write_annotations },
    { 0 },
};

const kg__printer *kg__printer_find(const char *name)
{
    for (const kg__printer *printer = kg__printers; printer->name != NULL; printer++)
        if (strcmp(printer->name, name) == 0)
            return printer;
    return NULL;
}

/* Makes the folder of a file. */
static bool make_folder_of(const char *path, kg__error *error)
{
    const char *slash = strrchr(path, '/');
    char folder[KG__PATH_SIZE];

    if (slash == NULL || slash == path)
        return true;
    kg__format_path(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    return kg__file_make_folder(folder, error);
}

bool kg__printer_save(const kg__printer *printer, const kg__report *report, const char *path,
                      kg__error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream;
    bool written;

    if (!kg__file_may_replace(path, error) || !make_folder_of(path, error))
        return false;
    stream = open_memstream(&text, &size);
    written = stream != NULL && printer->write(report, stream);
    if (stream != NULL && fclose(stream) != 0)
        written = false;
    if (!written)
        kg__fail(error,
                 "%s: cannot be written as %s (a text that is not UTF-8, or out of host memory); "
                 "the file stays as it was",
                 path, printer->name);
    else
        written = kg__file_replace(path, text, size, error);
    free(text);
    return written;
}
