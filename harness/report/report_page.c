/* The elements that the parts of a run's page share. */
#include "report/html.h"
#include "report/report_html.h"

xmlNode *kg__page_add_table(xmlNode *parent, const char *label, const char *const *headings)
{
    xmlNode *box = kg__html_add_class(parent, "div", "box", NULL);
    xmlNode *table;
    xmlNode *head;

    /* What scrolls has to be reached by keyboard, and so to have a name. */
    kg__html_set(box, "role", "region");
    kg__html_set(box, "tabindex", "0");
    kg__html_set(box, "aria-label", label);
    table = kg__html_add_class(box, "table", "rows", NULL);
    head = kg__html_add(kg__html_add(table, "thead", NULL), "tr", NULL);
    for (; *headings != NULL; headings++) {
        bool figures = **headings == '#';
        xmlNode *heading = kg__html_add(head, "th", *headings + figures);

        kg__html_set(heading, "scope", "col");
        if (figures)
            kg__html_set(heading, "class", "figure");
    }
    return kg__html_add(table, "tbody", NULL);
}

void kg__page_add_figure(xmlNode *row, const char *text)
{
    kg__html_add_class(row, "td", "figure", text);
}

void kg__page_add_verdict(xmlNode *row, const char *verdict)
{
    xmlNode *cell = kg__html_add(row, "td", NULL);
    xmlNode *mark = kg__html_add_class(cell, "span", "verdict", verdict);

    kg__html_set(mark, "data-verdict", verdict);
}

void kg__page_add_code(xmlNode *row, const char *text)
{
    kg__html_add(kg__html_add(row, "td", NULL), "code", text);
}

xmlNode *kg__page_add_folded(xmlNode *parent, const char *summary)
{
    xmlNode *folded = kg__html_add(parent, "details", NULL);

    kg__html_add(folded, "summary", summary);
    return folded;
}

void kg__page_add_plots(xmlNode *parent, const kg__page *page, kg__page_plots which)
{
    char range[48];

    if (which.count == 0 || page->chart_js == NULL)
        return;
    kg__format(range, sizeof range, "%zu,%zu", which.first, which.first + which.count);
    kg__html_set(kg__html_add_class(parent, "div", "plots", NULL), "data-plots", range);
}
