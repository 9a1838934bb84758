/* The tables of a run's page: each comparison's, and that of all cases. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "records/records.h"
#include "report/html.h"
#include "report/report_cells.h"
#include "report/report_html.h"
#include "results/count_result.h"
#include "results/results_text.h"
#include "suite/counters.h"

/* A table with more rows than this, or more cells, is slow to show; the rest is in results.json. */
#define LONGEST_TABLE 2000
#define MOST_CELLS 100000

/* Adds what one of the Markdown writers writes of a table: a paragraph, and a list of its lines
 * that begin with "- ". */
static void add_markdown(xmlNode *parent, const kg__report_table *table,
                         void (*write)(FILE *, const kg__report_table *))
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    xmlNode *list = NULL;
    char *rest = NULL;

    if (stream == NULL)
        return;
    write(stream, table);
    fclose(stream);
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(line, "- ", 2) == 0) {
            if (list == NULL)
                list = kg__html_add_class(parent, "ul", "notes", NULL);
            kg__html_add_markdown(kg__html_add(list, "li", NULL), line + 2);
        } else {
            kg__html_add_markdown(kg__html_add(parent, "p", NULL), line);
        }
    }
    free(text);
}

/* Adds a row's places in a column of the report's table, of the variants that are shown. */
static void add_row(xmlNode *body, const kg__report_table *table, size_t row, int column,
                    const bool *shown)
{
    xmlNode *line = kg__html_add(body, "tr", NULL);

    kg__html_set(kg__html_add(line, "th", table->rows[row].size), "scope", "row");
    if (kg__report_has_launches(table))
        kg__html_add(line, "td", table->rows[row].launch);
    for (size_t variant = 0; variant < table->variant_count; variant++) {
        char cell[KG__REPORT_CELL_SIZE];

        if (!shown[variant])
            continue;
        kg__report_show_case(table, kg__report_case_at(table, row, variant), column, cell,
                             sizeof cell);
        kg__page_add_figure(line, cell);
    }
}

/* Adds one column's figures: sizes and launches down, variants across. */
static void add_column(xmlNode *parent, const kg__report_table *table, int column)
{
    const char **headings = kg__allocate(table->variant_count + 3, sizeof *headings);
    char(*names)[KG__REPORT_NAME_SIZE + 1] = kg__allocate(table->variant_count, sizeof *names);
    bool *shown = kg__allocate(table->variant_count, sizeof *shown);
    char keywords[KG__MESSAGE_SIZE] = "";
    size_t rows = table->row_count;
    size_t used = 0;
    xmlNode *body;

    headings[used++] = "size";
    if (kg__report_has_launches(table))
        headings[used++] = "launch";
    kg__format(keywords, sizeof keywords, "%s %s", table->comparison, table->target);
    for (size_t variant = 0; variant < table->variant_count; variant++) {
        size_t length = strlen(keywords);

        shown[variant] = kg__report_shows(table, variant, column);
        if (!shown[variant])
            continue;
        kg__format(names[variant], sizeof names[variant], "#%s", table->variants[variant]);
        kg__format(keywords + length, sizeof keywords - length, " %s", table->variants[variant]);
        headings[used++] = names[variant];
    }
    body = kg__page_add_table(parent, table->columns[column].title, headings);
    /* Who looks for a variant finds the rows that it is in. */
    kg__html_set(body, "data-keywords", keywords);
    if (rows > MOST_CELLS / used)
        rows = MOST_CELLS / used;
    for (size_t row = 0; row < rows; row++)
        add_row(body, table, row, column, shown);
    if (rows < table->row_count)
        kg__html_addf(parent, "p", "%zu more rows are in results.json.", table->row_count - rows);
    free(shown);
    free(names);
    free(headings);
}

/* Whether any line of source of the table's cases has a counter. */
static bool is_on_lines(const kg__report_table *table, const char *counter)
{
    for (size_t i = 0; i < table->case_count; i++) {
        const char *line;
        json_t *counts;

        json_object_foreach (json_object_get(table->cases[i].entry, "lines"), line, counts)
            if (json_object_get(counts, counter) != NULL)
                return true;
    }
    return false;
}

static void add_lines(xmlNode *body, const kg__report_table *table, const kg__report_case *one,
                      const bool *shown)
{
    const char *line;
    json_t *counts;

    json_object_foreach (json_object_get(one->entry, "lines"), line, counts) {
        xmlNode *row = kg__html_add(body, "tr", NULL);
        char id[3 * KG__REPORT_NAME_SIZE];

        kg__format(id, sizeof id, "%s/%s/%s", table->variants[one->variant], one->size,
                   one->launch);
        kg__page_add_code(row, line);
        kg__page_add_code(row, id);
        for (int i = 0; i < KG__COUNTERS; i++) {
            char figure[KG__FIGURE_SIZE] = "";
            double count = kg__json_number(counts, kg__counter_name((kg__counter)i));

            if (!shown[i])
                continue;
            if (!isnan(count))
                kg__show_figure(figure, sizeof figure, count, "");
            kg__page_add_figure(row, figure);
        }
    }
}

/* Adds what each line of source counts, a variant after the other: of each its largest case. */
static void add_line_table(xmlNode *parent, const kg__report_table *table)
{
    const char *headings[KG__COUNTERS + 3] = { "line", "case" };
    char names[KG__COUNTERS][KG__REPORT_NAME_SIZE];
    bool shown[KG__COUNTERS];
    size_t used = 2;
    bool any = false;
    xmlNode *body;

    for (int i = 0; i < KG__COUNTERS; i++) {
        const char *name = kg__counter_name((kg__counter)i);

        shown[i] = is_on_lines(table, name);
        any = any || shown[i];
        if (!shown[i])
            continue;
        kg__format(names[i], sizeof names[i], "#%s", name);
        for (char *c = names[i]; *c != '\0'; c++)
            if (*c == '_')
                *c = ' ';
        headings[used++] = names[i];
    }
    if (!any)
        return;
    body = kg__page_add_table(kg__page_add_folded(parent, "Counters by line of source"),
                              "Counters by line of source", headings);
    kg__html_set(body, "data-keywords", table->comparison);
    for (size_t variant = 0; variant < table->variant_count; variant++) {
        const kg__report_case *last = NULL;

        for (size_t i = 0; i < table->case_count; i++)
            if (table->cases[i].variant == variant &&
                json_object_size(json_object_get(table->cases[i].entry, "lines")) > 0)
                last = &table->cases[i];
        if (last != NULL)
            add_lines(body, table, last, shown);
    }
}

static void add_tables(xmlNode *parent, const kg__report_table *table)
{
    bool first = true;

    for (int column = 0; column < table->column_count; column++) {
        const char *title = table->columns[column].title;

        if (title[0] == '\0' || !kg__report_tells(table, column))
            continue;
        if (first)
            kg__html_add(parent, "h4", title);
        add_column(first ? parent : kg__page_add_folded(parent, title), table, column);
        first = false;
    }
    /* Where every case is wrong there is nothing but that to show. */
    if (first)
        add_column(parent, table, 0);
    if (table->counted)
        add_line_table(parent, table);
    add_markdown(parent, table, kg__report_write_notes);
}

void kg__page_add_comparisons(xmlNode *parent, const kg__page *page)
{
    const char *comparison = "";
    xmlNode *section = NULL;

    for (size_t i = 0; i < page->section_count; i++) {
        const kg__report_table *table = &page->sections[i].table;
        char place[KG__MESSAGE_SIZE];

        if (section == NULL || strcmp(table->comparison, comparison) != 0) {
            section = kg__html_add(parent, "section", NULL);
            comparison = table->comparison;
            kg__format(place, sizeof place, "comparison-%s", comparison);
            kg__html_set(section, "id", place);
            kg__html_add(section, "h2", comparison);
        }
        kg__html_addf(section, "h3", "on %s", table->target);
        add_markdown(section, table, kg__report_write_facts);
        kg__page_add_plots(section, page, page->sections[i].plots);
        add_tables(section, table);
    }
}

static void add_metric_cell(xmlNode *row, const char *metric, double value)
{
    char figure[KG__FIGURE_SIZE];

    kg__show_known_figure(figure, sizeof figure, value, metric);
    kg__page_add_figure(row, figure);
}

static void add_percent_cell(xmlNode *row, double fraction, bool sign)
{
    char figure[KG__FIGURE_SIZE];

    kg__show_known_percent(figure, sizeof figure, fraction, sign);
    kg__page_add_figure(row, figure);
}

static void add_metric_row(xmlNode *body, const json_t *entry, const char *name,
                           const json_t *metric)
{
    bool judged = *kg__json_text(metric, "verdict") != '\0';
    xmlNode *row = kg__html_add(body, "tr", NULL);

    kg__page_add_code(row, kg__json_text(entry, "case"));
    kg__html_add(row, "td", kg__json_text(entry, "target"));
    kg__page_add_verdict(row, kg__verdict_name(kg__results_verdict(judged ? metric : entry)));
    kg__html_add(row, "td", name);
    if (metric == NULL)
        return;
    add_metric_cell(row, name, kg__json_number(metric, "value"));
    add_metric_cell(row, name, kg__json_number(metric, "baseline"));
    add_percent_cell(row, kg__json_number(metric, "change"), true);
    add_percent_cell(row, kg__json_number(metric, "smallest"), false);
    kg__html_add(row, "td", json_is_false(json_object_get(metric, "gated")) ? "no" : "yes");
}

static void add_case_rows(xmlNode *body, const json_t *entry)
{
    const char *name;
    json_t *metric;
    bool any = false;

    json_object_foreach (json_object_get(entry, "metrics"), name, metric) {
        if (!kg__is_shown(name, metric))
            continue;
        add_metric_row(body, entry, name, metric);
        any = true;
    }
    if (!any)
        add_metric_row(body, entry, "result", NULL);
}

void kg__page_add_cases(xmlNode *parent, const kg__page *page)
{
    static const char *const headings[] = { "case",    "target",
                                            "verdict", "metric",
                                            "#value",  "#baseline",
                                            "#change", "#smallest slowdown that would show",
                                            "gated",   NULL };
    const json_t *cases = json_object_get(page->results, "cases");
    size_t count = json_array_size(cases);
    const json_t *entry;
    char summary[64];
    xmlNode *folded;
    xmlNode *body;
    size_t i;

    kg__format(summary, sizeof summary, count == 1 ? "%zu case" : "All %zu cases", count);
    folded = kg__page_add_folded(parent, summary);
    kg__html_set(folded, "id", "cases");
    body = kg__page_add_table(folded, "All cases", headings);
    for (int verdict = KG__VERDICTS - 1, rows = 0; verdict >= KG__PASS; verdict--) {
        json_array_foreach (cases, i, entry) {
            if ((int)kg__results_verdict(entry) == verdict && rows++ < LONGEST_TABLE)
                add_case_rows(body, entry);
        }
    }
    if (count > LONGEST_TABLE)
        kg__html_addf(folded, "p", "%zu more stand in results.json.", count - LONGEST_TABLE);
}
