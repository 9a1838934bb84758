/* SPDX-License-Identifier: MIT */
#include "tests/fakes/made_baselines.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* What the made baselines consist of, until the process ends. */
static kg__pool made;

/* Opens a zeroed gap at `index` of an array of `count` items, which moves; returns the array. */
static void *open_gap(void *items, size_t count, size_t size, size_t index)
{
    char *larger = kg__pool_array(&made, count + 1, size);

    if (count > 0) {
        memcpy(larger, items, index * size);
        memcpy(larger + (index + 1) * size, (char *)items + index * size, (count - index) * size);
    }
    return larger;
}

static kg__baseline_case *add_case(kg__baseline_case **cases, size_t *count, const char *id)
{
    size_t index = 0;

    while (index < *count && strcmp((*cases)[index].id, id) < 0)
        index++;
    if (index == *count || strcmp((*cases)[index].id, id) != 0) {
        *cases = open_gap(*cases, (*count)++, sizeof **cases, index);
        (*cases)[index].id = kg__pool_text(&made, id);
    }
    return &(*cases)[index];
}

kg__baseline_case *add_baseline_case(kg__baseline *baseline, const char *id)
{
    return add_case(&baseline->cases, &baseline->case_count, id);
}

kg__baseline_case *add_baseline_sentinel(kg__baseline *baseline, const char *name)
{
    return add_case(&baseline->sentinels, &baseline->sentinel_count, name);
}

kg__baseline_metric *add_baseline_metric(kg__baseline_case *entry, const char *name)
{
    size_t index = 0;

    while (index < entry->metric_count && strcmp(entry->metrics[index].name, name) < 0)
        index++;
    if (index == entry->metric_count || strcmp(entry->metrics[index].name, name) != 0) {
        entry->metrics =
            open_gap(entry->metrics, entry->metric_count++, sizeof *entry->metrics, index);
        entry->metrics[index].name = kg__pool_text(&made, name);
        entry->metrics[index].gated = true;
    }
    return &entry->metrics[index];
}

void remove_baseline_metric(kg__baseline_case *entry, const char *name)
{
    kg__baseline_metric *metric = kg__baseline_metric_of(entry, name);

    cr_assert(metric != NULL, "%s has no %s", entry->id, name);
    entry->metric_count--;
    memmove(metric, metric + 1,
            (entry->metric_count - (size_t)(metric - entry->metrics)) * sizeof *metric);
}

void set_baseline_code(kg__baseline_case *entry, const kg__kernel_code *code)
{
    entry->code = kg__kernel_code_keep(&made, code);
}

/* Whole numbers as a baseline has them, for tests that change its text. */
static json_t *number(double value)
{
    return value == rint(value) ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *metric_json(const kg__baseline_metric *metric)
{
    json_t *object =
        json_pack("{s:o, s:o}", "value", number(metric->value), "band", number(metric->band));

    if (!metric->gated)
        json_object_set_new(object, "gated", json_false());
    if (metric->band_by_hand)
        json_object_set_new(object, "band_by", json_string("hand"));
    json_object_set_new(object, "floor", number(metric->floor));
    return object;
}

static json_t *cases_json(const kg__baseline_case *cases, size_t count)
{
    json_t *all = json_object();

    for (size_t i = 0; i < count; i++) {
        json_t *object = json_pack(
            "{s:s*, s:o*}", "commit", cases[i].commit, "code",
            cases[i].code != NULL ? kg__fields_json(kg__kernel_code_fields, cases[i].code) : NULL);

        for (size_t m = 0; m < cases[i].metric_count; m++)
            json_object_set_new(object, cases[i].metrics[m].name,
                                metric_json(&cases[i].metrics[m]));
        if (cases[i].lines != NULL)
            json_object_set_new(object, "lines", kg__lines_json(cases[i].lines));
        json_object_set_new(all, cases[i].id, object);
    }
    return all;
}

void write_baseline(const char *path, const kg__baseline *baseline)
{
    json_t *document =
        json_pack("{s:s, s:o, s:o, s:o}", "schema", KG__BASELINE_SCHEMA, "target",
                  kg__target_json(&baseline->target), "provenance",
                  baseline->provenance != NULL ? json_incref(baseline->provenance) : json_object(),
                  "cases", cases_json(baseline->cases, baseline->case_count));
    kg__baseline read;
    kg__error error = { "" };

    if (baseline->sentinel_count > 0)
        json_object_set_new(document, "sentinels",
                            cases_json(baseline->sentinels, baseline->sentinel_count));
    cr_assert(json_dump_file(document, path, 0) == 0, "%s", path);
    cr_assert(kg__baseline_load(path, &read, &error) == KG__LOADED, "%s", error.text);
    kg__baseline_free(&read);
    json_decref(document);
}
