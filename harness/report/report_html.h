/* The parts that the page of a run shares: out/report/index.html, one file that refers to no other.
 * kg__html_write() of report.h puts them together. */
#ifndef KG__REPORT_REPORT_HTML_H
#define KG__REPORT_REPORT_HTML_H

#include <jansson.h>
#include <libxml/tree.h>
#include <stddef.h>

#include "report/report_table.h"

/* Some plots of the page's, which stand side by side. */
typedef struct kg__page_plots {
    size_t first;
    size_t count;
} kg__page_plots;

/* A comparison on a target. */
typedef struct kg__page_section {
    kg__report_table table;
    kg__page_plots plots;
} kg__page_section;

/* A case that is shown by itself, since the run fails by it, and speaks for those that failed
 * alike.
 */
typedef struct kg__page_failure {
    const json_t *entry;
    const json_t *led; /* by kg__failure_group_leads() */
    kg__page_plots plots;
} kg__page_failure;

/* So many failed cases are shown each by itself, with their samples; the others in a table. */
#define KG__PAGE_FAILURES 20

/* What a page is made of, before it is one. */
typedef struct kg__page {
    const json_t *results;
    kg__page_section *sections;
    size_t section_count;
    size_t section_room;
    kg__page_failure *failures; /* worst first */
    size_t failure_count;
    size_t failure_room;
    json_t *alike;     /* by kg__failure_groups_make() */
    json_t *plots;     /* by kg__report_table_plots() and kg__report_case_plots() */
    char *chart_js;    /* what draws them; NULL where nothing does */
    kg__error undrawn; /* why; empty where there is nothing to draw */
    kg__error broken;  /* why a comparison has no table; empty where all have */
} kg__page;

/* Adds the first part of the page to its <main>: how the run came out. The others follow in their
 * order. */
void kg__page_add_outcome(xmlNode *parent, const kg__page *page);

/* Adds the failures, the remarks, what was left out, the claims and the notes. */
void kg__page_add_verdicts(xmlNode *parent, const kg__page *page);

/* Adds the tables and plots of every comparison. */
void kg__page_add_comparisons(xmlNode *parent, const kg__page *page);

/* Adds the table of all cases. */
void kg__page_add_cases(xmlNode *parent, const kg__page *page);

/* Adds the machines, and what they were run with. */
void kg__page_add_machines(xmlNode *parent, const kg__page *page);

/* Adds a box that scrolls by itself with a table in it, which has a column a heading (ends with
 * NULL; those that begin with "#" are of figures, which stand to the right). Returns its body. */
xmlNode *kg__page_add_table(xmlNode *parent, const char *label, const char *const *headings);

/* Adds a cell of figures to a row. */
void kg__page_add_figure(xmlNode *row, const char *text);

/* Adds a cell of a verdict, in its colour. */
void kg__page_add_verdict(xmlNode *row, const char *verdict);

/* Adds a cell of a name, as code. */
void kg__page_add_code(xmlNode *row, const char *text);

/* Adds a section that is folded until it is opened; returns its inside. */
xmlNode *kg__page_add_folded(xmlNode *parent, const char *summary);

/* Adds a place for page.js to draw plots in, or nothing where nothing draws them. */
void kg__page_add_plots(xmlNode *parent, const kg__page *page, kg__page_plots which);

#endif
