/* The top of a run's page: its verdict in words, what failed, what is to be looked at. */
#include <stdint.h>
#include <stdlib.h>

#include "base/exit_code.h"
#include "base/json.h"
#include "records/records.h"
#include "report/html.h"
#include "report/report_html.h"
#include "results/failure_groups.h"
#include "results/results.h"
#include "results/results_read.h"
#include "results/results_text.h"
#include "results/time_result.h"

static void add_reproduction(xmlNode *parent, char *line)
{
    if (line != NULL)
        kg__html_add(kg__html_add_class(parent, "pre", "command", NULL), "code", line);
    free(line);
}

/* Takes a part off the page unless more than so many elements came into it. */
static void remove_unless_more(xmlNode *part, xmlNode *holder, unsigned long elements)
{
    if (xmlChildElementCount(holder) > elements)
        return;
    xmlUnlinkNode(part);
    xmlFreeNode(part);
}

static const char *const remark_headings[] = { "verdict", "what", "target", "why", NULL };

static void add_remark(xmlNode *body, const char *verdict, const char *name, const char *target,
                       const char *why)
{
    xmlNode *row = kg__html_add(body, "tr", NULL);

    kg__page_add_verdict(row, verdict);
    kg__page_add_code(row, name);
    kg__html_add(row, "td", target);
    kg__html_set(kg__html_add_words(row, "td", why), "class", "words");
}

static void add_case_remark(xmlNode *body, const json_t *entry, const json_t *led)
{
    char *reason = kg__failure_group_reason(entry, led, SIZE_MAX);

    add_remark(body, kg__verdict_name(kg__results_verdict(entry)), kg__json_text(entry, "case"),
               kg__json_text(entry, "target"), reason);
    free(reason);
}

/* A failure by itself: what, where, why, and how to see it again. */
static xmlNode *add_failure(xmlNode *parent, const char *verdict, const char *name,
                            const char *target, const char *why)
{
    xmlNode *card = kg__html_add_class(parent, "article", "failure", NULL);
    xmlNode *heading = kg__html_add(card, "h3", NULL);

    kg__html_set(kg__html_add_class(heading, "span", "verdict", verdict), "data-verdict", verdict);
    kg__html_text(heading, " ");
    kg__html_add(heading, "code", name);
    if (*target != '\0')
        kg__html_addf(heading, "small", " on %s", target);
    kg__html_add_words(card, "p", why);
    return card;
}

/* Names the cases for which one speaks. */
static void add_alike(xmlNode *card, const json_t *led)
{
    xmlNode *names;

    if (json_array_size(led) < 2)
        return;
    names = kg__html_addf(card, "p", "Also %zu other case%s: ", json_array_size(led) - 1,
                          json_array_size(led) == 2 ? "" : "s");
    for (size_t i = 1; i < json_array_size(led); i++) {
        if (i > 1)
            kg__html_text(names, ", ");
        kg__html_add(names, "code", kg__list_text(json_array_get(led, i)));
    }
}

static void add_failed_case(xmlNode *parent, const kg__page *page, const kg__page_failure *failure)
{
    const json_t *entry = failure->entry;
    const json_t *changed = json_object_get(entry, KG__CHANGED);
    char *reason = kg__results_reason(entry);
    xmlNode *card =
        add_failure(parent, kg__verdict_name(kg__results_verdict(entry)),
                    kg__json_text(entry, "case"), kg__json_text(entry, "target"), reason);
    const json_t *text;
    size_t i;

    add_alike(card, failure->led);
    if (json_array_size(changed) > 0) {
        xmlNode *list;

        kg__html_add(card, "p", "What changed beside it:");
        list = kg__html_add(card, "ul", NULL);
        json_array_foreach (changed, i, text)
            kg__html_add(list, "li", kg__list_text(text));
    }
    kg__page_add_plots(card, page, failure->plots);
    add_reproduction(card,
                     kg__results_reproduce(page->results, entry, kg__json_text(entry, "case")));
    free(reason);
}

static void add_failed_claims(xmlNode *parent, const kg__page *page)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(page->results, "claims"), i, entry) {
        xmlNode *card;

        if (json_is_true(json_object_get(entry, "holds")))
            continue;
        card = add_failure(parent, "claim", kg__json_text(entry, "claim"),
                           kg__json_text(entry, "target"), kg__json_text(entry, "why"));
        add_reproduction(card, kg__results_reproduce(page->results, entry, NULL));
    }
}

static void add_vanished(xmlNode *parent, const kg__page *page)
{
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(page->results, "vanished"), i, entry) {
        char *why = kg__results_vanished(entry);

        add_failure(parent, "vanished", kg__json_text(entry, "case"),
                    kg__json_text(entry, "target"), why);
        free(why);
    }
}

static void add_further_failures(xmlNode *parent, const kg__page *page)
{
    xmlNode *body;

    if (page->failure_count <= KG__PAGE_FAILURES)
        return;
    kg__html_addf(parent, "h3", "%zu more", page->failure_count - KG__PAGE_FAILURES);
    body = kg__page_add_table(parent, "More failed cases", remark_headings);
    for (size_t i = KG__PAGE_FAILURES; i < page->failure_count; i++)
        add_case_remark(body, page->failures[i].entry, page->failures[i].led);
}

static void add_failures(xmlNode *parent, const kg__page *page)
{
    xmlNode *section = kg__html_add(parent, "section", NULL);
    char *unlisted = kg__results_unlisted(page->results);
    const json_t *entry;
    size_t i;

    kg__html_add(section, "h2", "Failed");
    json_array_foreach (json_object_get(page->results, "errors"), i, entry) {
        const char *test = kg__json_text(entry, "test");

        add_failure(section, "error", *test != '\0' ? test : "kernelgate", "",
                    kg__json_text(entry, "why"));
    }
    for (i = 0; i < page->failure_count && i < KG__PAGE_FAILURES; i++)
        add_failed_case(section, page, &page->failures[i]);
    add_failed_claims(section, page);
    add_vanished(section, page);
    if (unlisted != NULL && kg__results_strict(page->results))
        add_failure(section, "unlisted", "baseline", "", unlisted);
    free(unlisted);
    add_further_failures(section, page);
    /* Its heading is there in any case. */
    remove_unless_more(section, section, 1);
}

static void add_doubtful_cases(xmlNode *body, const kg__page *page)
{
    bool strict = kg__results_strict(page->results);

    for (int verdict = KG__VERDICTS - 1; verdict > KG__PASS; verdict--) {
        const json_t *entry;
        size_t i;

        if (kg__verdict_fails((kg__verdict)verdict, strict))
            continue;
        json_array_foreach (json_object_get(page->results, "cases"), i, entry)
            if ((int)kg__results_verdict(entry) == verdict)
                add_case_remark(body, entry, NULL);
    }
}

/* What is not a failure and yet not a plain pass. */
static void add_remarks(xmlNode *parent, const kg__page *page)
{
    xmlNode *section = kg__html_add(parent, "section", NULL);
    char *unlisted = kg__results_unlisted(page->results);
    xmlNode *body;

    kg__html_add(section, "h2", "To look at");
    body = kg__page_add_table(section, "What is to be looked at", remark_headings);
    add_doubtful_cases(body, page);
    if (unlisted != NULL && !kg__results_strict(page->results))
        add_remark(body, "unlisted", "baseline", "", unlisted);
    free(unlisted);
    remove_unless_more(section, body, 0);
}

/* What was left out, each with its reason. */
static void add_omissions(xmlNode *parent, const kg__page *page)
{
    xmlNode *folded = kg__page_add_folded(parent, "Refused and skipped");
    xmlNode *body = kg__page_add_table(folded, "Refused and skipped", remark_headings);
    const json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(page->results, "refused"), i, entry)
        add_remark(body, "refused", kg__json_text(entry, "case"), kg__json_text(entry, "target"),
                   kg__json_text(entry, "why"));
    json_array_foreach (json_object_get(page->results, "tests"), i, entry)
        if (json_is_string(json_object_get(entry, "skipped")))
            add_remark(body, "skipped", kg__json_text(entry, "name"),
                       kg__json_text(entry, "target"), kg__json_text(entry, "skipped"));
    remove_unless_more(folded, body, 0);
}

static void add_claims(xmlNode *parent, const kg__page *page)
{
    static const char *const headings[] = { "holds", "claim", "target", "why", NULL };
    const json_t *claims = json_object_get(page->results, "claims");
    const json_t *entry;
    xmlNode *body;
    size_t i;

    if (json_array_size(claims) == 0)
        return;
    body = kg__page_add_table(kg__page_add_folded(parent, "Claims"), "Claims", headings);
    json_array_foreach (claims, i, entry)
        add_remark(body, json_is_true(json_object_get(entry, "holds")) ? "holds" : "claim",
                   kg__json_text(entry, "claim"), kg__json_text(entry, "target"),
                   kg__json_text(entry, "why"));
}

static void add_notes(xmlNode *parent, const kg__page *page)
{
    static const char *const headings[] = { "target", "note", NULL };
    const json_t *notes = json_object_get(page->results, "notes");
    const json_t *entry;
    xmlNode *body;
    size_t i;

    if (json_array_size(notes) == 0)
        return;
    body = kg__page_add_table(kg__page_add_folded(parent, "Speedups and notes"), "Notes", headings);
    json_array_foreach (notes, i, entry) {
        xmlNode *row = kg__html_add(body, "tr", NULL);

        kg__html_add(row, "td", kg__json_text(entry, "target"));
        kg__html_set(kg__html_add_words(row, "td", kg__json_text(entry, "note")), "class", "words");
    }
}

/* Which code was judged, and against what. */
static void add_origin(xmlNode *parent, const kg__page *page)
{
    const json_t *base = json_object_get(page->results, "base");
    const char *commit = kg__json_text(page->results, "commit");
    xmlNode *line;

    if (*commit == '\0' && base == NULL)
        return;
    line = kg__html_add_class(parent, "p", "note", NULL);
    if (*commit != '\0') {
        kg__html_text(line, "Commit ");
        kg__html_add(line, "code", commit);
    }
    if (base != NULL) {
        kg__html_text(line, *commit != '\0' ? ", suspects settled against " : "Base: ");
        kg__html_add(line, "code", kg__json_text(base, "ref"));
        if (*kg__json_text(base, "commit") != '\0') {
            kg__html_text(line, ", which is ");
            kg__html_add(line, "code", kg__json_text(base, "commit"));
        }
    }
    kg__html_text(line, ".");
}

void kg__page_add_outcome(xmlNode *parent, const kg__page *page)
{
    static const char *const states[] = { "passed", "failed", "failed" };
    char *outcome = kg__results_outcome(page->results);
    char *headline = kg__results_headline(page->results);
    int code = kg__results_exit_code(page->results);
    xmlNode *header = kg__html_add(parent, "header", NULL);
    xmlNode *title = kg__html_add(header, "h1", "kernelgate ");

    kg__html_add_class(title, "span", code <= KG__EXIT_ERROR ? states[code] : "doubtful", outcome);
    kg__html_addf(header, "p", "%s.", headline);
    add_origin(header, page);
    if (page->broken.text[0] != '\0')
        kg__html_set(
            kg__html_addf(header, "p", "A comparison has no table: %s.", page->broken.text),
            "class", "note");
    if (page->undrawn.text[0] != '\0')
        kg__html_set(kg__html_addf(header, "p", "No plots, tables alone: %s.", page->undrawn.text),
                     "class", "note");
    free(headline);
    free(outcome);
}

void kg__page_add_verdicts(xmlNode *parent, const kg__page *page)
{
    add_failures(parent, page);
    add_remarks(parent, page);
    add_omissions(parent, page);
    add_claims(parent, page);
    add_notes(parent, page);
}
