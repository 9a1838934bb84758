/* The page of a run: what goes into it, its frame, and what its parts share. */
#include "report/report_html.h"

#include <stdlib.h>
#include <string.h>

#include "report/chart_js.h"
#include "report/html.h"
#include "report/report.h"
#include "report/report_names.h"
#include "report/report_plots.h"
#include "results/failure_groups.h"
#include "results/results.h"
#include "results/results_text.h"

/* The style sheet and the script, made of files of the same names. */
extern const char kg__page_style[];
extern const char kg__page_script[];

/* Takes over the plots that are made of a table or a case. */
static kg__page_plots take_plots(kg__page *page, json_t *plots)
{
    kg__page_plots taken = { json_array_size(page->plots), json_array_size(plots) };

    json_array_extend(page->plots, plots);
    json_decref(plots);
    return taken;
}

/* Takes the tables and plots of a comparison, of which `part` of the results has all. */
static void take_comparison(kg__page *page, const char *comparison, const json_t *part)
{
    kg__report_names targets = kg__report_targets(part, comparison);

    for (size_t i = 0; i < targets.count; i++) {
        kg__page_section *section;
        kg__report_table table;

        if (!kg__report_table_make(part, comparison, targets.names[i], &table, &page->broken) ||
            table.case_count == 0) {
            kg__report_table_free(&table);
            continue;
        }
        page->sections = kg__grow(page->sections, page->section_count, &page->section_room,
                                  sizeof *page->sections);
        section = &page->sections[page->section_count++];
        section->table = table;
        /* What a table borrows must stay. */
        section->table.results = page->results;
        section->table.comparison = kg__copy_text(comparison);
        section->table.target = kg__copy_text(targets.names[i]);
        section->plots = take_plots(page, kg__report_table_plots(&table));
    }
    kg__report_names_free(&targets);
}

static void take_sections(kg__page *page)
{
    json_t *parts = kg__report_split(page->results);
    const char *comparison;
    json_t *part;

    json_object_foreach (parts, comparison, part)
        take_comparison(page, comparison, part);
    json_decref(parts);
}

static void take_failures(kg__page *page)
{
    bool strict = kg__results_strict(page->results);

    page->alike = kg__failure_groups_make(page->results);
    for (int verdict = KG__VERDICTS - 1; verdict > KG__PASS; verdict--) {
        const json_t *entry;
        size_t i;

        if (!kg__verdict_fails((kg__verdict)verdict, strict))
            continue;
        json_array_foreach (json_object_get(page->results, "cases"), i, entry) {
            kg__page_failure *failure;
            const json_t *led;

            if ((int)kg__results_verdict(entry) != verdict ||
                !kg__failure_group_leads(page->alike, entry, &led))
                continue;
            page->failures = kg__grow(page->failures, page->failure_count, &page->failure_room,
                                      sizeof *page->failures);
            failure = &page->failures[page->failure_count];
            *failure = (kg__page_failure){ .entry = entry, .led = led };
            if (page->failure_count++ < KG__PAGE_FAILURES)
                failure->plots = take_plots(page, kg__report_case_plots(entry));
        }
    }
}

static void free_page(kg__page *page)
{
    for (size_t i = 0; i < page->section_count; i++) {
        free((char *)page->sections[i].table.comparison);
        free((char *)page->sections[i].table.target);
        kg__report_table_free(&page->sections[i].table);
    }
    free(page->sections);
    free(page->failures);
    json_decref(page->alike);
    json_decref(page->plots);
    free(page->chart_js);
}

static void add_meta(xmlNode *head, const char *kind, const char *name, const char *content)
{
    xmlNode *meta = kg__html_add(head, "meta", NULL);

    kg__html_set(meta, kind, name);
    kg__html_set(meta, "content", content);
}

static void add_head(xmlNode *html, const char *outcome)
{
    xmlNode *head = kg__html_add(html, "head", NULL);

    kg__html_set(kg__html_add(head, "meta", NULL), "charset", "utf-8");
    kg__html_addf(head, "title", "kernelgate: %s", outcome);
    /* The page asks for nothing, and nothing that it shows could. */
    add_meta(head, "http-equiv", "Content-Security-Policy",
             "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'");
    add_meta(head, "name", "viewport", "width=device-width, initial-scale=1");
    add_meta(head, "name", "color-scheme", "light dark");
    kg__html_add_raw(head, "style", kg__page_style);
}

/* The field that rows are searched by, which is of no use without the script, and shown by it. */
static void add_filter(xmlNode *parent)
{
    xmlNode *form = kg__html_add_class(parent, "search", "filter", NULL);
    xmlNode *label = kg__html_add(form, "label", "Filter rows ");
    xmlNode *field = kg__html_add(label, "input", NULL);

    kg__html_set(form, "hidden", "");
    kg__html_set(field, "type", "search");
    kg__html_set(field, "id", "filter");
    kg__html_set(field, "placeholder", "matmul tiled 530");
    kg__html_set(field, "autocomplete", "off");
    kg__html_set(kg__html_add_class(form, "output", "count", NULL), "for", "filter");
}

static void add_contents(xmlNode *parent, const kg__page *page)
{
    xmlNode *navigation = kg__html_add(parent, "nav", NULL);
    const char *comparison = "";

    kg__html_set(navigation, "aria-label", "Parts of this page");
    for (size_t i = 0; i < page->section_count; i++) {
        const char *next = page->sections[i].table.comparison;
        char link[KG__MESSAGE_SIZE];

        if (strcmp(next, comparison) == 0)
            continue;
        comparison = next;
        kg__format(link, sizeof link, "#comparison-%s", next);
        kg__html_set(kg__html_add(navigation, "a", next), "href", link);
    }
    kg__html_set(kg__html_add(navigation, "a", "all cases"), "href", "#cases");
    kg__html_set(kg__html_add(navigation, "a", "machines"), "href", "#machines");
}

static xmlNode *build_page(const kg__page *page)
{
    char *outcome = kg__results_outcome(page->results);
    xmlNode *html = kg__html_new("en");
    xmlNode *body;
    xmlNode *parts;

    add_head(html, outcome);
    body = kg__html_add(html, "body", NULL);
    parts = kg__html_add(body, "main", NULL);
    kg__page_add_outcome(parts, page);
    add_contents(parts, page);
    add_filter(parts);
    kg__page_add_verdicts(parts, page);
    kg__page_add_comparisons(parts, page);
    kg__page_add_cases(parts, page);
    kg__page_add_machines(parts, page);
    if (page->chart_js != NULL) {
        kg__html_add_json(body, "plots", page->plots);
        kg__html_add_raw(body, "script", page->chart_js);
    }
    kg__html_add_raw(body, "script", kg__page_script);
    free(outcome);
    return html;
}

bool kg__html_write(const kg__report *report, FILE *stream)
{
    kg__page page = { .results = report->results, .plots = json_array() };
    bool written;
    xmlNode *html;

    take_failures(&page);
    take_sections(&page);
    if (json_array_size(page.plots) > 0)
        page.chart_js = kg__chart_js_read(&page.undrawn);
    html = build_page(&page);
    written = kg__html_print(stream, html);
    kg__html_free(html);
    free_page(&page);
    return written;
}
