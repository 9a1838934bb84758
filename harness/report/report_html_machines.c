/* Where a run's page was measured: targets, boards, and the tests that ran. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "records/records.h"
#include "report/html.h"
#include "report/report_html.h"

static void add_fact(xmlNode *body, const char *of, const char *key, const char *value)
{
    xmlNode *row = kg__html_add(body, "tr", NULL);

    kg__html_add(row, "td", of);
    kg__html_add(row, "td", key);
    kg__html_add_class(row, "td", "words", value);
}

/* Adds each member of an object, those within an object by both their names. */
static void add_facts(xmlNode *body, const char *of, const char *prefix, json_t *facts)
{
    const char *key;
    json_t *value;

    json_object_foreach (facts, key, value) {
        char name[KG__MESSAGE_SIZE];
        char *text;

        kg__format(name, sizeof name, "%s%s", prefix, key);
        if (json_is_object(value) && *prefix == '\0') {
            kg__format(name, sizeof name, "%s: ", key);
            add_facts(body, of, name, value);
            continue;
        }
        if (json_is_number(value)) {
            char figure[KG__FIGURE_SIZE];

            kg__show_figure(figure, sizeof figure, json_number_value(value), "");
            add_fact(body, of, name, figure);
            continue;
        }
        text = kg__json_shown(value);
        add_fact(body, of, name, text);
        free(text);
    }
}

/* Adds what is not among the facts of `known` already, by name and value: a compiler, say. */
static void add_further_facts(xmlNode *body, const char *of, const json_t *known, json_t *facts)
{
    json_t *further = json_object();
    const char *key;
    json_t *value;

    json_object_foreach (facts, key, value)
        if (!json_equal(json_object_get(known, key), value))
            json_object_set(further, key, value);
    add_facts(body, of, "", further);
    json_decref(further);
}

static void add_targets(xmlNode *parent, const kg__page *page)
{
    static const char *const headings[] = { "target", "fact", "value", NULL };
    json_t *provenance = json_object_get(page->results, "provenance");
    json_t *boards = json_object_get(page->results, "boards");
    const char *key;
    json_t *facts;
    xmlNode *body = kg__page_add_table(parent, "Targets and boards", headings);

    json_object_foreach (json_object_get(page->results, "targets"), key, facts) {
        const char *uuid;
        const json_t *board;
        size_t count = 0;

        add_facts(body, key, "", facts);
        /* One board is the target's provenance; several have each their own. */
        json_object_foreach (boards, uuid, board)
            count += strcmp(kg__json_text(board, "target"), key) == 0;
        if (count < 2)
            add_further_facts(body, key, facts, json_object_get(provenance, key));
    }
    json_object_foreach (boards, key, facts) {
        if (json_object_size(boards) > 1)
            add_facts(body, key, "", json_object_get(facts, "provenance"));
    }
}

static void add_tests(xmlNode *parent, const kg__page *page)
{
    static const char *const headings[] = { "test",       "target", "#seconds",
                                            "#exit code", "board",  "what became of it",
                                            NULL };
    const json_t *tests = json_object_get(page->results, "tests");
    const json_t *test;
    xmlNode *body;
    size_t i;

    if (json_array_size(tests) == 0)
        return;
    body = kg__page_add_table(kg__page_add_folded(parent, "Tests that ran"), "Tests", headings);
    json_array_foreach (tests, i, test) {
        xmlNode *row = kg__html_add(body, "tr", NULL);
        const char *skipped = kg__json_text(test, "skipped");
        const char *end = json_is_true(json_object_get(test, "complete"))
                              ? "finished"
                              : "ended before it was finished";
        char figure[KG__FIGURE_SIZE];

        kg__page_add_code(row, kg__json_text(test, "name"));
        kg__html_add(row, "td", kg__json_text(test, "target"));
        kg__format(figure, sizeof figure, "%.2f", kg__json_number(test, "seconds"));
        kg__page_add_figure(row, figure);
        kg__format(figure, sizeof figure, "%d",
                   (int)json_integer_value(json_object_get(test, "exit_code")));
        kg__page_add_figure(row, figure);
        kg__html_add(row, "td", kg__json_text(test, "board"));
        kg__html_add_class(row, "td", "words", *skipped != '\0' ? skipped : end);
    }
}

void kg__page_add_machines(xmlNode *parent, const kg__page *page)
{
    xmlNode *section = kg__html_add(parent, "section", NULL);

    kg__html_set(section, "id", "machines");
    kg__html_add(section, "h2", "Where it was measured");
    add_targets(section, page);
    add_tests(section, page);
}
