/* kernelgate report: prints the measurements of a run as tables, or writes its page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "base/process.h"
#include "cli/command.h"
#include "records/records.h"
#include "report/report.h"
#include "report/report_names.h"
#include "report/report_table.h"
#include "results/results.h"
#include "suite/settings.h"

#define REPORT_SCHEMA "kernelgate-table/1"

static const char *comparison;
static const char *format;
static bool as_json;
static const char *target;
static const char *results_file;
static const char *out;
static const char *html;
static bool verbose;

/* Complains about a name that is not in a list, with the nearest one, or with all. */
static bool require_name(const char *path, const char *kind, const char *name,
                         const kg__report_names *names)
{
    char list[KG__MESSAGE_SIZE] = "";
    const char *nearest;

    for (size_t i = 0; i < names->count; i++) {
        size_t used = strlen(list);

        if (strcmp(names->names[i], name) == 0)
            return true;
        kg__format(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names->names[i]);
    }
    nearest = kg__nearest_name(name, (const char *const *)names->names, names->count);
    if (names->count == 0)
        kg__complain("report: %s holds no case: run ctest first", path);
    else if (nearest != NULL)
        kg__complain("report: %s has no %s \"%s\"; did you mean \"%s\"? It has %s", path, kind,
                     name, nearest, list);
    else
        kg__complain("report: %s has no %s \"%s\": it has %s", path, kind, name, list);
    return false;
}

/* A case of a table: its known figures by column name. */
static json_t *pack_case(const kg__report_table *table, const kg__report_case *c)
{
    json_t *figures = json_object();
    json_t *object = json_pack("{s:s, s:s, s:s, s:s}", "variant", table->variants[c->variant],
                               "size", c->size, "launch", c->launch, "verdict",
                               c->entry != NULL ? kg__verdict_name(c->verdict) : "refused");

    if (c->entry != NULL)
        json_object_set_new(object, "case", json_string(kg__json_text(c->entry, "case")));
    if (*c->why != '\0')
        json_object_set_new(object, "why", json_string(c->why));
    if (*c->clock != '\0')
        json_object_set_new(object, "clock", json_string(c->clock));
    if (*c->limited_by != '\0')
        json_object_set_new(object, "limited_by", json_string(c->limited_by));
    for (int i = 0; i < table->column_count; i++)
        kg__json_set_finite(figures, table->columns[i].name, c->figures[i]);
    json_object_set_new(object, "figures", figures);
    return object;
}

static json_t *pack_table(const kg__report_table *table)
{
    json_t *cases = json_array();
    json_t *object = json_pack("{s:s, s:s, s:o}", "comparison", table->comparison, "target",
                               table->target, "cases", cases);

    for (size_t i = 0; i < table->case_count; i++)
        json_array_append_new(cases, pack_case(table, &table->cases[i]));
    kg__json_set_finite(object, "copy_bytes_per_second", table->copy_limit);
    kg__json_set_finite(object, "operations_per_second", table->operation_limit);
    return object;
}

static int print_json(const kg__report_table *tables, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, pack_table(&tables[i]));
    return kg__json_print(json_pack("{s:s, s:o}", "schema", REPORT_SCHEMA, "tables", list),
                          JSON_INDENT(1), "report")
               ? KG__EXIT_PASS
               : KG__EXIT_ERROR;
}

static int write_tables(const kg__report_table *tables, size_t count)
{
    if (format != NULL && strcmp(format, "json") == 0)
        return print_json(tables, count);
    if (format != NULL && strcmp(format, "csv") == 0) {
        kg__report_write_csv(stdout, tables, count);
    } else {
        for (size_t i = 0; i < count; i++) {
            if (i > 0)
                fputc('\n', stdout);
            kg__report_write_markdown(stdout, &tables[i]);
        }
    }
    return kg__flush_output("report") ? KG__EXIT_PASS : KG__EXIT_ERROR;
}

/* Complains that the table would be empty. */
static void refuse_empty(const char *path)
{
    const char *filter = getenv("KG_FILTER");

    if (filter != NULL && *filter != '\0')
        kg__complain("report: KG_FILTER=%s leaves no case of %s that was timed or counted%s%s in "
                     "%s: give another, or none",
                     filter, comparison, target != NULL ? " on " : "", target != NULL ? target : "",
                     path);
    else
        kg__complain("report: no case of %s was timed or counted%s%s in %s, only checked: run "
                     "ctest -R '\\.%s\\.(time|count)$'",
                     comparison, target != NULL ? " on " : "", target != NULL ? target : "", path,
                     comparison);
}

/* Makes the tables of the chosen targets, and writes those that are not empty. */
static int report_targets(const char *path, const json_t *results, const kg__report_names *targets)
{
    kg__report_table *tables = kg__allocate(targets->count, sizeof *tables);
    kg__error error = { "" };
    size_t count = 0;
    bool made = true;
    int code = KG__EXIT_ERROR;

    for (size_t i = 0; i < targets->count && made; i++) {
        if (target != NULL && strcmp(target, targets->names[i]) != 0)
            continue;
        made =
            kg__report_table_make(results, comparison, targets->names[i], &tables[count], &error);
        if (made && tables[count].case_count > 0)
            count++;
        else
            kg__report_table_free(&tables[count]);
    }
    if (!made)
        kg__complain("report: %s: %s", path, error.text);
    else if (count == 0)
        refuse_empty(path);
    else
        code = write_tables(tables, count);
    for (size_t i = 0; i < count; i++)
        kg__report_table_free(&tables[i]);
    free(tables);
    return code;
}

static int report_on(const char *path, const json_t *results)
{
    kg__report_names comparisons = kg__report_comparisons(results);
    kg__report_names targets = { 0 };
    int code = KG__EXIT_ERROR;

    if (require_name(path, "comparison", comparison, &comparisons)) {
        targets = kg__report_targets(results, comparison);
        if (target == NULL || require_name(path, "target", target, &targets))
            code = report_targets(path, results, &targets);
    }
    kg__report_names_free(&comparisons);
    kg__report_names_free(&targets);
    return code;
}

/* Whether the page may be written: not over its results file, and not without cases. */
static bool page_fits(const char *path, const json_t *results)
{
    const json_t *cases = json_object_get(results, "cases");
    const json_t *entry;
    struct stat results_file_facts;
    struct stat html_file;
    bool any_case = json_array_size(cases) == 0;
    size_t i;

    if (stat(path, &results_file_facts) == 0 && stat(html, &html_file) == 0 &&
        results_file_facts.st_dev == html_file.st_dev &&
        results_file_facts.st_ino == html_file.st_ino) {
        kg__complain("report: --html %s: is the results file itself: name another", html);
        return false;
    }
    json_array_foreach (cases, i, entry)
        any_case = any_case || kg__filter_takes(kg__json_text(entry, "case"));
    if (!any_case)
        kg__complain(
            "report: KG_FILTER=%s leaves none of the %zu cases in %s: give another, or none",
            kg__setting("KG_FILTER"), json_array_size(cases), path);
    return any_case;
}

/* Writes the page of the whole run. */
static int write_page(const char *path, const json_t *results)
{
    kg__report report = { .results = results, .sources = ".", .prefix = "" };
    kg__error error = { "" };

    if (!page_fits(path, results))
        return KG__EXIT_ERROR;
    if (kg__printer_save(kg__printer_find("html"), &report, html, &error))
        return KG__EXIT_PASS;
    kg__complain("report: %s", error.text);
    return KG__EXIT_ERROR;
}

/* The whole run in one of the printers' forms. */
static int print_run(const json_t *results)
{
    kg__report report = { .results = results,
                          .detail = verbose ? KG__VERBOSE : KG__BRIEF,
                          .sources = ".",
                          .prefix = "" };

    if (!kg__printer_find(format)->write(&report, stdout)) {
        kg__complain("report: cannot be written as %s: a text is not UTF-8, or out of host memory",
                     format);
        return KG__EXIT_ERROR;
    }
    return kg__flush_output("report") ? KG__EXIT_PASS : KG__EXIT_ERROR;
}

/* Whether the format is one of a comparison's table, or of the whole run. */
static bool format_fits(void)
{
    char known[KG__MESSAGE_SIZE] = "markdown, csv or json";

    if (format == NULL)
        return true;
    if (comparison != NULL ? strcmp(format, "markdown") == 0 || strcmp(format, "csv") == 0 ||
                                 strcmp(format, "json") == 0
                           : kg__printer_find(format) != NULL)
        return true;
    if (comparison == NULL) {
        known[0] = '\0';
        for (const kg__printer *printer = kg__printers; printer->name != NULL; printer++) {
            size_t used = strlen(known);

            kg__format(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "",
                       printer->name);
        }
    }
    kg__complain("report: there is no format \"%s\": use %s", format, known);
    return false;
}

/* Whether the options fit together. */
static bool options_fit(void)
{
    if (html != NULL && (comparison != NULL || target != NULL || format != NULL)) {
        kg__complain("report: --html writes the page of the whole run: omit %s",
                     comparison != NULL ? "--table"
                     : target != NULL   ? "--target"
                                        : "--format");
        return false;
    }
    if (html == NULL && comparison == NULL && (format == NULL || target != NULL)) {
        kg__complain("report: name what to print: --table COMPARISON, or --format FORMAT for the "
                     "whole run, or what to write: --html FILE");
        return false;
    }
    return format_fits();
}

static int report(size_t count, char **operands)
{
    char path[KG__PATH_SIZE];
    kg__error error = { "" };
    json_t *results;
    int code;

    (void)count;
    (void)operands;
    if (!kg__merge_format("report", as_json, &format) || !options_fit())
        return KG__EXIT_ERROR;
    if (results_file != NULL && out != NULL) {
        kg__complain("report: --results names the file, --out its folder: give one");
        return KG__EXIT_ERROR;
    }
    if (results_file != NULL)
        kg__format_path(path, sizeof path, "%s", results_file);
    else
        kg__format_path(path, sizeof path, "%s/results.json", kg__results_folder(out));
    results = kg__results_load(path, &error);
    if (results == NULL) {
        kg__complain("report: %s", error.text);
        return KG__EXIT_ERROR;
    }
    code = html != NULL         ? write_page(path, results)
           : comparison != NULL ? report_on(path, results)
                                : print_run(results);
    json_decref(results);
    return code;
}

static const kg__option options[] = {
    { "--table", "COMPARISON", "print this comparison's table", &comparison, NULL },
    { "--format", "FORMAT",
      "markdown, variants side by side (the default), csv, one line per case, or json; without "
      "--table, of the whole run: console, html, json, junit, markdown, csv or annotations",
      &format, NULL },
    { "--verbose", NULL, "with --format console: one line per case", NULL, &verbose },
    KG__JSON_OPTION(as_json),
    { "--target", "KEY", "only this target (default: all, GPUs first)", &target, NULL },
    { "--html", "FILE", "write the page of the whole run instead, like out/report/index.html",
      &html, NULL },
    { "--results", "FILE", "read this results file (default: results.json in --out)", &results_file,
      NULL },
    { "--out", "DIR", "the folder of the results (default: KG_OUT, else out)", &out, NULL },
    { 0 },
};

const kg__command kg__report_command = {
    .name = "report",
    .operands = "",
    .summary = "Print what a run measured of a comparison, or make the page of a whole run",
    .details =
        "For a GPU: time, cold time, speedup over the comparison's first variant, GB/s, GFLOP/s,\n"
        "share of the GPU's measured limits, occupancy. For the CPU model: its counters, also\n"
        "relative to the first variant's. KG_FILTER selects cases.\n"
        "exit: 0 printed or written; 2 an error, or nothing to print\n",
    .options = options,
    .run = report,
};
