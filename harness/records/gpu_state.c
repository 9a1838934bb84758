#include "records/gpu_state.h"

#include <string.h>

#include "base/json.h"
#include "base/message.h"
#include "base/text.h"
#include "records/records.h"

#define REASONS "clock_reasons"
#define NO_REASON "none"

/* Between two reasons. */
static const char comma[] = ", ";

static const struct {
    const char *key;
    bool highest; /* the highest is the worst */
} figures[] = {
    { "temperature_c", true },     { "sm_clock_mhz", false }, { "memory_clock_mhz", false },
    { "foreign_processes", true }, { "launch_ns", false },    { "batches_repeated", true },
};

/* Whether `list`, "a, b", holds the reason of `length` bytes at `reason`. */
static bool contains_reason(const char *list, const char *reason, size_t length)
{
    while (*list != '\0') {
        const char *end = strstr(list, comma);
        size_t item_length = end != NULL ? (size_t)(end - list) : strlen(list);

        if (item_length == length && strncmp(list, reason, length) == 0)
            return true;
        list += item_length + (end != NULL ? strlen(comma) : 0);
    }
    return false;
}

static void join_reasons(json_t *worst, const char *reasons)
{
    char joined[512];

    if (*reasons == '\0')
        return;
    kg__format(joined, sizeof joined, "%s", kg__json_text(worst, REASONS));
    if (strcmp(joined, NO_REASON) == 0 && strcmp(reasons, NO_REASON) != 0)
        joined[0] = '\0';
    while (*reasons != '\0') {
        const char *end = strstr(reasons, comma);
        size_t length = end != NULL ? (size_t)(end - reasons) : strlen(reasons);
        size_t used = strlen(joined);

        if (!contains_reason(joined, reasons, length) &&
            (used == 0 || length != strlen(NO_REASON) || strncmp(reasons, NO_REASON, length) != 0))
            kg__format(joined + used, sizeof joined - used, "%s%.*s", used > 0 ? comma : "",
                       (int)length, reasons);
        reasons += length + (end != NULL ? strlen(comma) : 0);
    }
    json_object_set_new(worst, REASONS, json_string(joined));
}

void kg__gpu_state_join(json_t *worst, const json_t *look)
{
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const char *key = figures[i].key;
        const json_t *before = json_object_get(worst, key);
        json_t *now = json_object_get(look, key);

        if (!json_is_integer(now))
            continue;
        if (!json_is_integer(before) ||
            (figures[i].highest ? json_integer_value(now) > json_integer_value(before)
                                : json_integer_value(now) < json_integer_value(before)))
            json_object_set(worst, key, now);
    }
    join_reasons(worst, kg__json_text(look, REASONS));
}

static void append(char *text, size_t size, const char *what)
{
    size_t used = strlen(text);

    kg__format(text + used, size - used, "%s%s", used > 0 ? comma : "", what);
}

void kg__gpu_state_describe(const json_t *card, double most_mhz, char *text, size_t size)
{
    const json_t *clock = json_object_get(card, "sm_clock_mhz");
    const json_t *temperature = json_object_get(card, "temperature_c");
    const json_t *launch = json_object_get(card, "launch_ns");
    json_int_t foreign = json_integer_value(json_object_get(card, "foreign_processes"));
    const char *reasons = kg__json_text(card, REASONS);
    char figure[KG__FIGURE_SIZE];
    char most[KG__FIGURE_SIZE];
    char part[3 * KG__FIGURE_SIZE];

    text[0] = '\0';
    if (json_is_integer(clock)) {
        kg__show_figure(figure, sizeof figure, json_number_value(clock), most_mhz > 0 ? "" : "MHz");
        kg__show_figure(most, sizeof most, most_mhz, "MHz");
        kg__format(part, sizeof part, "%s%s%s", figure, most_mhz > 0 ? " of " : "",
                   most_mhz > 0 ? most : "");
        append(text, size, part);
    }
    if (json_is_integer(temperature)) {
        kg__format(part, sizeof part, "%d °C", (int)json_integer_value(temperature));
        append(text, size, part);
    }
    if (json_is_integer(launch)) {
        kg__show_figure(figure, sizeof figure, json_number_value(launch), "ns");
        kg__format(part, sizeof part, "a launch at %s or more", figure);
        append(text, size, part);
    }
    if (*reasons != '\0' && strcmp(reasons, NO_REASON) != 0)
        append(text, size, reasons);
    if (foreign > 0) {
        kg__format(part, sizeof part, "%d other process%s", (int)foreign, foreign == 1 ? "" : "es");
        append(text, size, part);
    }
}
