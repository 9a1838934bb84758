/* SPDX-License-Identifier: MIT */
#include "tests/fakes/made_baselines.h"

#include <criterion/criterion.h>
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
