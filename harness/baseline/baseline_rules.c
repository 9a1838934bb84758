/* SPDX-License-Identifier: MIT */
#include "baseline/baseline_rules.h"

#include <math.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "records/sentinel.h"
#include "suite/counters.h"

/* The members of a case that are not metrics. */
static const char *const other_members[] = { "boards", "code", "commit", "lines", "sessions" };

static bool is_lower_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool kg__is_metric_name(const char *name)
{
    const char *c = name;

    while (is_lower_or_digit(*c) || *c == '_')
        c++;
    for (size_t i = 0; i < sizeof other_members / sizeof *other_members; i++) {
        if (strcmp(name, other_members[i]) == 0)
            return false;
    }
    return c > name && *c == '\0';
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
    const char *c = key;

    while (is_lower_or_digit(*c) || *c == '-')
        c++;
    return c > key && *c == '\0';
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

bool kg__is_file_of(const char *path, const char *key)
{
    const char *name = base_name(path);
    size_t length = strlen(key);

    return strncmp(name, key, length) == 0 && strcmp(name + length, KG__BASELINE_SUFFIX) == 0;
}

/* What is wrong with a counter of the CPU model's beyond what is wrong with any metric. */
static const char *counter_fault(const kg__baseline_metric *metric, const char **key)
{
    if (!kg__counter_parse(metric->name, NULL))
        return "is not a counter of the CPU model (a ratio is not a counter, it follows from two)";
    *key = "value";
    if (metric->value != rint(metric->value))
        return "is not a whole number: a counter counts";
    *key = "band";
    if (metric->band > 0.0 && !metric->band_by_hand)
        return "is not 0: a counter repeats exactly (with \"band_by\": \"hand\" it may be wider)";
    *key = "gated";
    if (!metric->gated && !metric->band_by_hand)
        return "is false, and a counter repeats exactly: take it out, or add \"band_by\": \"hand\"";
    *key = "floor";
    if (metric->floor != 0.0)
        return "is for times: a counter has none";
    *key = NULL;
    return NULL;
}

/* What is wrong with a metric's figures, each by itself; NULL where nothing is. */
static const char *figure_fault(const kg__baseline_metric *metric, const char **key)
{
    bool time = kg__is_time(metric->name);

    *key = NULL;
    if (!kg__is_metric_name(metric->name))
        return "is not a metric's name: use a-z, 0-9 and _";
    if (kg__ends_with(metric->name, "_us") || kg__ends_with(metric->name, "_ms") ||
        kg__ends_with(metric->name, "_s") || kg__ends_with(metric->name, "_seconds"))
        return "has a unit that is not used here: times are in ns";
    *key = "value";
    if (!(metric->value >= 0.0 && metric->value <= KG__LARGEST_FIGURE))
        return "is out of range: it has to be from 0 to 2^53";
    if (signbit(metric->value))
        return "is -0, from which no rise can be computed: write 0";
    if (time && metric->value == 0.0)
        return "is out of range: a time has to be above 0";
    *key = "band";
    if (!(metric->band >= 0.0 && metric->band < 1.0))
        return "is out of range: it has to be a fraction from 0 to less than 1";
    *key = "floor";
    if (!(metric->floor >= 0.0 && metric->floor <= KG__LARGEST_FIGURE))
        return "is out of range: it has to be from 0 to 2^53";
    *key = NULL;
    return NULL;
}

/* Whether a metric that is judged lets more pass than its band says, by a floor that outweighs the
 * noise of a long case. */
static bool hides_slowdowns(const kg__baseline_metric *metric, kg__fault *fault)
{
    char written[KG__FIGURE_SIZE];
    char hidden[KG__FIGURE_SIZE];

    if (!metric->gated || metric->floor <= KG__TIME_FLOOR_NS ||
        metric->floor <= KG__GATED_LIMIT * metric->value)
        return false;
    fault->key = "floor";
    kg__show_figure(written, sizeof written, metric->floor, kg__metric_unit(metric->name));
    kg__show_percent(hidden, sizeof hidden, metric->floor / metric->value, false);
    kg__format(fault->text, sizeof fault->text,
               "is %s, which hides any slowdown of up to %s: lower it, or write \"gated\": false "
               "and \"band_by\": \"hand\"",
               written, hidden);
    return true;
}

bool kg__metric_is_faulty(const kg__baseline_metric *metric, bool model, kg__fault *fault)
{
    const char *text = figure_fault(metric, &fault->key);

    if (text == NULL && model)
        text = counter_fault(metric, &fault->key);
    kg__format(fault->text, sizeof fault->text, "%s", text != NULL ? text : "");
    return text != NULL || hides_slowdowns(metric, fault);
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

bool kg__case_is_faulty(const kg__baseline_case *entry, bool sentinel, kg__fault *fault)
{
    fault->key = NULL;
    if (entry->metric_count == 0) {
        kg__format(fault->text, sizeof fault->text, "has no metric");
        return true;
    }
    if (sentinel && kg__baseline_metric_of(entry, "time_ns") == NULL) {
        kg__format(fault->text, sizeof fault->text,
                   "has no \"time_ns\", so drift of the machine would go unnoticed");
        return true;
    }
    for (int i = 0; entry->lines != NULL && i < KG__COUNTERS; i++) {
        const char *name = kg__counter_name((kg__counter)i);
        const kg__baseline_metric *metric = kg__baseline_metric_of(entry, name);
        double sum = kg__lines_sum(entry->lines, (kg__counter)i);
        char value[KG__FIGURE_SIZE];
        char lines[KG__FIGURE_SIZE];

        if (!kg__is_counted_by_line((kg__counter)i) || is_sum_of_lines(metric, sum))
            continue;
        fault->key = name;
        kg__show_figure(value, sizeof value, metric != NULL ? metric->value : 0.0, "");
        kg__show_figure(lines, sizeof lines, sum, "");
        kg__format(fault->text, sizeof fault->text, "is %s, and its lines add up to %s", value,
                   lines);
        return true;
    }
    return false;
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

bool kg__origin_is_faulty(const kg__baseline *baseline, kg__fault *fault)
{
    bool model = strcmp(baseline->target.key, KG__MODEL_KEY) == 0;
    bool own = model || is_own_key(&baseline->target);

    fault->key = "model";
    kg__format(fault->text, sizeof fault->text,
               "is not the version of the CPU model that counted, from \"1\" to \"%s\"",
               KG__MODEL_VERSION);
    if (model && !kg__is_model_version(kg__provenance_text(&baseline->provenance, "model")))
        return true;
    if (*kg__measured_by(&baseline->provenance) == '\0' || (!own && baseline->sentinel_count == 0))
        return false;
    fault->key = KG__MEASURED_BY;
    kg__format(fault->text, sizeof fault->text,
               "names another tool, and %s this project's own programs: take it out, or import to "
               "another --target",
               own ? "the target is that of" : "the sentinels are those of");
    return true;
}
