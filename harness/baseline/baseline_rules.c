/* SPDX-License-Identifier: MIT */
#include "baseline/baseline_rules.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "records/sentinel.h"
#include "suite/counters.h"
#include "suite/id_parts.h"

/* The members of a case that are not metrics. */
static const char *const other_members[] = { "boards", "code", "commit", "lines", "sessions" };

bool kg__is_metric_name(const char *name)
{
    for (size_t i = 0; i < sizeof other_members / sizeof *other_members; i++) {
        if (strcmp(name, other_members[i]) == 0)
            return false;
    }
    return kg__name_is_plain(name);
}

bool kg__is_time(const char *metric)
{
    return kg__ends_with(metric, "_ns");
}

bool kg__is_sentinel_name(const char *name)
{
    for (size_t i = 0; i < KG__SENTINELS; i++) {
        if (strcmp(name, kg__sentinel_kinds[i].name) == 0)
            return true;
    }
    return false;
}

bool kg__is_target_key(const char *key)
{
    return key[0] != '\0' && strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(key);
}

bool kg__is_file_of(const char *path, const char *key)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    size_t length = strlen(key);

    return strncmp(name, key, length) == 0 && strcmp(name + length, KG__BASELINE_SUFFIX) == 0;
}

/* A ratio is not a counter, it follows from two. A counter counts, and repeats exactly. */
static const char *counter_fault(const kg__baseline_metric *metric)
{
    if (!kg__counter_parse(metric->name, NULL))
        return "";
    if (metric->value != rint(metric->value))
        return "value";
    if (metric->band > 0.0 && !metric->band_by_hand)
        return "band";
    return metric->gated || metric->band_by_hand ? NULL : "gated";
}

const char *kg__metric_fault(const kg__baseline_metric *metric, bool model)
{
    /* Times are in ns. */
    static const char *const other_units[] = { "_us", "_ms", "_s", "_seconds" };

    for (size_t i = 0; i < sizeof other_units / sizeof *other_units; i++) {
        if (kg__ends_with(metric->name, other_units[i]))
            return "";
    }
    /* From -0 no rise can be computed. */
    if (!(metric->value >= 0.0 && metric->value <= KG__LARGEST_FIGURE) || signbit(metric->value) ||
        (kg__is_time(metric->name) && metric->value == 0.0))
        return "value";
    if (!(metric->band >= 0.0 && metric->band < 1.0))
        return "band";
    /* A floor that outweighs the noise of a long case would hide its slowdowns. */
    if (!(metric->floor >= 0.0 && metric->floor <= KG__LARGEST_FIGURE) ||
        (metric->gated && metric->floor > KG__TIME_FLOOR_NS &&
         metric->floor > KG__GATED_LIMIT * metric->value))
        return "floor";
    return model ? counter_fault(metric) : NULL;
}

/* Whether a counter is what its lines add up to: exactly, or within the band that a hand gave it,
 * by which recording keeps its value. */
static bool is_sum_of_lines(const kg__baseline_metric *metric, double sum)
{
    if (metric == NULL || metric->value == sum)
        return metric != NULL || sum == 0.0;
    return metric->value > 0.0 && sum > 0.0 &&
           fabs(log(sum / metric->value)) <= log1p(metric->band);
}

const char *kg__case_fault(const kg__baseline_case *entry, bool sentinel)
{
    /* Without its time a sentinel shows no drift of the machine. */
    if (entry->metric_count == 0 || (sentinel && kg__baseline_metric_of(entry, "time_ns") == NULL))
        return "";
    for (int i = 0; entry->lines != NULL && i < KG__COUNTERS; i++) {
        const char *name = kg__counter_name((kg__counter)i);

        if (kg__is_counted_by_line((kg__counter)i) &&
            !is_sum_of_lines(kg__baseline_metric_of(entry, name),
                             kg__lines_sum(entry->lines, (kg__counter)i)))
            return name;
    }
    return NULL;
}

/* Whether a target is a GPU as this project's own programs call it, by its name, and by its memory
 * where boards of that name differ. */
static bool is_own_key(const kg__target *target)
{
    char key[sizeof target->key];
    size_t length;

    kg__target_key(target->name, key, sizeof key);
    length = strlen(key);
    return length > 0 && strcmp(target->name, target->key) != 0 &&
           strncmp(target->key, key, length) == 0 &&
           (target->key[length] == '\0' || kg__ends_with(target->key, KG__MEMORY_SUFFIX));
}

const char *kg__origin_fault(const kg__baseline *baseline)
{
    bool model = strcmp(baseline->target.key, KG__MODEL_KEY) == 0;
    bool own = model || is_own_key(&baseline->target) || baseline->sentinel_count > 0;

    if (model && !kg__is_model_version(kg__json_text(baseline->provenance, "model")))
        return "model";
    return own && *kg__json_text(baseline->provenance, KG__MEASURED_BY) != '\0' ? KG__MEASURED_BY
                                                                                : NULL;
}
