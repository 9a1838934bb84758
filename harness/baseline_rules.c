#include "baseline_rules.h"

#include <math.h>
#include <string.h>

#include "counters.h"
#include "text.h"

static const char *const sentinel_names[] = { "copy", "fma" };

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

static bool is_lower_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool kg__is_metric_name(const char *name)
{
    const char *c = name;

    while (is_lower_or_digit(*c) || *c == '_')
        c++;
    return c > name && *c == '\0' && strcmp(name, "commit") != 0 && strcmp(name, "code") != 0 &&
           strcmp(name, "lines") != 0;
}

bool kg__is_time(const char *metric)
{
    return kg__ends_with(metric, "_ns");
}

bool kg__is_case_id(const char *id)
{
    size_t parts = 1;
    size_t length = 0;

    for (const char *c = id; *c != '\0'; c++) {
        if (*c == '/') {
            if (length == 0)
                return false;
            parts++;
            length = 0;
        } else if (is_lower_or_digit(*c) || (*c >= 'A' && *c <= 'Z') || is_one_of(*c, "_-.")) {
            length++;
        } else {
            return false;
        }
    }
    return parts == 4 && length > 0;
}

bool kg__is_sentinel_name(const char *name)
{
    for (size_t i = 0; i < sizeof sentinel_names / sizeof *sentinel_names; i++) {
        if (strcmp(name, sentinel_names[i]) == 0)
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

bool kg__is_plain_value(const json_t *value)
{
    return json_is_string(value) || json_is_number(value) || json_is_boolean(value);
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
        return "is no counter of the CPU model's (a ratio is no counter, it follows from two)";
    *key = "value";
    if (metric->value != rint(metric->value))
        return "is no whole number: a counter counts";
    *key = "band";
    if (metric->band > 0.0 && !metric->band_by_hand)
        return "is not 0: a counter repeats exactly (with \"band_by\": \"hand\" it may be wider)";
    *key = "floor";
    if (metric->floor != 0.0)
        return "is for times: a counter has none";
    *key = "sessions";
    if (metric->sessions != NULL)
        return "are for times: a counter has none";
    *key = NULL;
    return NULL;
}

const char *kg__metric_fault(const kg__baseline_metric *metric, bool model, const char **key)
{
    bool time = kg__is_time(metric->name);

    *key = NULL;
    if (!kg__is_metric_name(metric->name))
        return "is no metric's name: use a-z, 0-9 and _";
    if (kg__ends_with(metric->name, "_us") || kg__ends_with(metric->name, "_ms") ||
        kg__ends_with(metric->name, "_s") || kg__ends_with(metric->name, "_seconds"))
        return "has a unit that is not used here: times are in ns";
    *key = "value";
    if (!(metric->value >= 0.0 && metric->value <= KG__LARGEST_FIGURE))
        return "is out of range: it has to be from 0 to 2^53";
    if (time && metric->value == 0.0)
        return "is out of range: a time has to be above 0";
    *key = "band";
    if (!(metric->band >= 0.0 && metric->band < 1.0))
        return "is out of range: it has to be a fraction from 0 to less than 1";
    *key = "floor";
    if (!(metric->floor >= 0.0 && metric->floor <= KG__LARGEST_FIGURE))
        return "is out of range: it has to be from 0 to 2^53";
    *key = "sessions";
    if (metric->sessions != NULL && metric->session_count == 0)
        return "is empty: leave it away where there are none";
    for (size_t i = 0; i < metric->session_count; i++) {
        if (!(metric->sessions[i] > 0.0 && metric->sessions[i] <= KG__LARGEST_FIGURE))
            return "holds a figure out of range: each has to be above 0 and up to 2^53";
    }
    *key = NULL;
    return model ? counter_fault(metric, key) : NULL;
}
