/* SPDX-License-Identifier: MIT */
#include "baseline/baseline.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "suite/counters.h"

bool kg__is_same_tool(const char *a, const char *b)
{
    size_t length = strcspn(a, " ");

    return strcspn(b, " ") == length && strncmp(a, b, length) == 0;
}

/* A fact of how a baseline was recorded, and what it is in this run. */
typedef struct fact {
    const char *what;
    const char *then;
    const char *now;
    const char *none; /* what "" stands for; NULL: it is unknown */
} fact;

/* Writes the facts that differ, as they were or as they are: "gcc 12.2.0 and model 2". */
static void write_facts(char *text, size_t size, const fact *facts, size_t count, bool then)
{
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const fact *entry = &facts[i];
        const char *value = then ? entry->then : entry->now;
        bool unknown = entry->none == NULL && (*entry->then == '\0' || *entry->now == '\0');

        if (unknown || strcmp(entry->then, entry->now) == 0)
            continue;
        kg__append(text, size, "%s%s%s", *text != '\0' ? " and " : "",
                   *value != '\0' ? entry->what : entry->none, value);
    }
}

/* Appends the counters that are not judged by what another version of the model recorded. */
static void append_unjudged(char *text, size_t size, const char *model)
{
    const char *before = "; not judged until it is recorded again: ";

    for (int i = 0; i < KG__COUNTERS; i++) {
        if (kg__counter_is_of((kg__counter)i, model))
            continue;
        kg__append(text, size, "%s%s", before, kg__counter_name((kg__counter)i));
        before = ", ";
    }
}

bool kg__recording_differences(const kg__baseline *baseline, const kg__target *target,
                               const json_t *provenance, char *text, size_t size)
{
    const char *model = kg__json_text(baseline->provenance, "model");
    const fact facts[] = {
        { "", baseline->target.compiler, target->compiler, NULL },
        { "model ", model, kg__json_text(provenance, "model"), NULL },
        { "CXXFLAGS ", kg__json_text(baseline->provenance, "flags"),
          kg__json_text(provenance, "flags"), "no CXXFLAGS" },
    };
    const size_t count = sizeof facts / sizeof *facts;
    char then[KG__MESSAGE_SIZE];
    char now[KG__MESSAGE_SIZE];

    write_facts(then, sizeof then, facts, count, true);
    write_facts(now, sizeof now, facts, count, false);
    text[0] = '\0';
    if (then[0] == '\0')
        return false;
    kg__format(text, size, "the baseline was recorded with %s, this run has %s", then, now);
    append_unjudged(text, size, model);
    return true;
}

void kg__baseline_free(kg__baseline *baseline)
{
    kg__pool_free(&baseline->pool);
    *baseline = (kg__baseline){ 0 };
}

/* The item of a sorted list (NULL: an empty one) that begins with a pointer to the text. */
static void *find(const char *const *text, const void *list, size_t count, size_t size)
{
    return count > 0 ? bsearch(text, list, count, size, kg__compare_names) : NULL;
}

kg__baseline_case *kg__baseline_find(const kg__baseline *baseline, const char *id)
{
    if (baseline == NULL)
        return NULL;
    return find(&id, baseline->cases, baseline->case_count, sizeof *baseline->cases);
}

kg__baseline_case *kg__baseline_sentinel(const kg__baseline *baseline, const char *name)
{
    return find(&name, baseline->sentinels, baseline->sentinel_count, sizeof *baseline->sentinels);
}

kg__baseline_metric *kg__baseline_metric_of(const kg__baseline_case *entry, const char *name)
{
    for (size_t i = 0; entry != NULL && i < entry->metric_count; i++) {
        if (strcmp(entry->metrics[i].name, name) == 0)
            return &entry->metrics[i];
    }
    return NULL;
}

const kg__baseline_accuracy *kg__baseline_accuracy_of(const kg__baseline *baseline, const char *id)
{
    return find(&id, baseline->accuracy, baseline->accuracy_count, sizeof *baseline->accuracy);
}

kg__expectation kg__baseline_expectation(const kg__baseline_metric *metric)
{
    return (kg__expectation){
        .value = metric->value, .band = metric->band, .floor = metric->floor, .gated = metric->gated
    };
}

bool kg__baseline_lists(const kg__baseline *baseline, const char *id)
{
    return find(&id, baseline->checked, baseline->checked_count, sizeof *baseline->checked) != NULL;
}
