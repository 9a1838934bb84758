#include "results/results_describe.h"

#include <stdlib.h>

#include "base/json.h"
#include "baseline/baseline_changes.h"
#include "results/failure_groups.h"
#include "results/results_read.h"
#include "results/results_text.h"

/* Sets a member to a text on the heap, which is freed; NULL removes it. */
static void set_text(json_t *object, const char *key, char *text)
{
    if (text != NULL)
        json_object_set_new(object, key, json_string(text));
    else
        json_object_del(object, key);
    free(text);
}

static void describe_cases(json_t *results)
{
    json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(results, "cases"), i, entry) {
        kg__verdict verdict = kg__results_verdict(entry);
        const char *id = kg__json_text(entry, "case");

        if (verdict != KG__PASS)
            set_text(entry, "reason", kg__results_reason(entry));
        if (verdict > KG__FASTER)
            set_text(entry, "reproduce", kg__results_reproduce(results, entry, id));
    }
}

/* Adds the lines that reproduce the entries of a list. */
static void describe_tests(json_t *results, const char *key)
{
    json_t *entry;
    size_t i;

    json_array_foreach (json_object_get(results, key), i, entry) {
        if (!json_is_true(json_object_get(entry, "holds")))
            set_text(entry, "reproduce", kg__results_reproduce(results, entry, NULL));
    }
}

void kg__results_describe(json_t *results)
{
    json_t *summary = json_object();
    json_t *loosened = kg__baseline_changes_lines(results);
    json_t *entry;
    size_t i;

    set_text(summary, "outcome", kg__results_outcome(results));
    set_text(summary, "headline", kg__results_headline(results));
    set_text(summary, "unlisted", kg__results_unlisted(results));
    set_text(summary, "baselines", kg__baseline_changes_sentence(results));
    if (json_array_size(loosened) > 0)
        json_object_set(summary, "loosened", loosened);
    json_decref(loosened);
    json_object_set_new(results, "summary", summary);
    json_object_set_new(results, "failure_groups", kg__failure_groups_make(results));
    describe_cases(results);
    describe_tests(results, "errors");
    describe_tests(results, "claims");
    json_array_foreach (json_object_get(results, "vanished"), i, entry)
        set_text(entry, "why", kg__results_vanished(entry));
}
