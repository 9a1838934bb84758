#include "results/merge_case.h"

#include <string.h>

#include "base/json.h"
#include "judge/judge.h"
#include "records/finding.h"
#include "results/results_read.h"

/* Adds the metrics of one part to those of a case; of two of a name the one with the worse verdict
 * stays. */
static void merge_metrics(json_t *metrics, json_t *more)
{
    const char *name;
    json_t *metric;

    json_object_foreach (more, name, metric) {
        const json_t *known = json_object_get(metrics, name);

        if (known == NULL || kg__results_verdict(metric) > kg__results_verdict(known))
            json_object_set(metrics, name, metric);
    }
}

static double seconds_of(const json_t *entry)
{
    return json_number_value(json_object_get(entry, "seconds"));
}

json_t *kg__object_in(json_t *parent, const char *key)
{
    json_t *child = json_object_get(parent, key);

    if (child == NULL) {
        child = json_object();
        json_object_set_new(parent, key, child);
    }
    return child;
}

/* What belongs to the reason of a case. */
static const char *const reason_members[] = { "why",  "findings", "more_findings",
                                              "also", "failure",  KG__AT,
                                              NULL };

static bool is_of_reason(const char *key)
{
    const char *const *member = reason_members;

    while (*member != NULL && strcmp(*member, key) != 0)
        member++;
    return *member != NULL;
}

/* Gives a merged case the reason of one of its parts. */
static void take_reason(json_t *merged, const json_t *entry)
{
    for (const char *const *member = reason_members; *member != NULL; member++) {
        json_t *value = json_object_get(entry, *member);

        if (value != NULL)
            json_object_set(merged, *member, value);
        else
            (void)json_object_del(merged, *member);
    }
    json_object_set_new(merged, "why", json_string(kg__json_text(entry, "why")));
}

void kg__merge_case(json_t *targets, const json_t *entry, const char *test)
{
    const char *id = kg__json_text(entry, "case");
    json_t *cases = kg__object_in(targets, kg__json_text(entry, "target"));
    json_t *merged = json_object_get(cases, id);
    kg__verdict verdict = kg__results_verdict(entry);
    kg__verdict before = KG__PASS;
    const char *key;
    json_t *value;

    if (merged == NULL) {
        merged = json_object();
        json_object_set_new(merged, "case", json_string(id));
        json_object_set(merged, "target", json_object_get(entry, "target"));
        json_object_set_new(merged, "parts", json_array());
        json_object_set_new(merged, "seconds", json_real(0.0));
        json_object_set_new(merged, "metrics", json_object());
        json_object_set_new(cases, id, merged);
    } else {
        before = kg__results_verdict(merged);
    }
    if (json_object_get(entry, "part") != NULL)
        json_array_append(json_object_get(merged, "parts"), json_object_get(entry, "part"));
    json_real_set(json_object_get(merged, "seconds"), seconds_of(merged) + seconds_of(entry));
    merge_metrics(json_object_get(merged, "metrics"), json_object_get(entry, "metrics"));
    /* What else a part recorded (throttling, clocks) is kept; the first part that has it is heard.
     */
    json_object_foreach ((json_t *)entry, key, value) {
        if (json_object_get(merged, key) == NULL && strcmp(key, "part") != 0 &&
            strcmp(key, "verdict") != 0 && !is_of_reason(key) && strcmp(key, "first") != 0)
            json_object_set(merged, key, value);
    }
    /* The worst part gives the verdict, its reason and the test to run again; of equals the one
     * that gives a reason. */
    if (json_object_get(merged, "verdict") == NULL || verdict > before ||
        (verdict == before && *kg__json_text(merged, "why") == '\0')) {
        json_object_set_new(merged, "verdict", json_string(kg__verdict_name(verdict)));
        take_reason(merged, entry);
        json_object_set_new(merged, "test", json_string(test));
    }
}
