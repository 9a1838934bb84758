/* SPDX-License-Identifier: MIT */
#include "records/gpu_state.h"

#include <string.h>

#define NO_REASON "none"

/* Separator of two reasons. */
static const char comma[] = ", ";

#define FIGURE(member) KG__FIELD(kg__gpu_state, member, #member, FIGURE)

const kg__gpu_state kg__gpu_state_unknown = { -1, -1, -1, -1, -1, -1, "", false };

/* The highest value of the first is the worst, the lowest of the other figures. */
const kg__field kg__gpu_state_fields[] = {
    FIGURE(temperature_c),
    FIGURE(foreign_processes),
    FIGURE(batches_repeated),
    FIGURE(sm_clock_mhz),
    FIGURE(memory_clock_mhz),
    FIGURE(launch_ns),
    KG__FIELD_OWN_TEXT(kg__gpu_state, clock_reasons, "clock_reasons"),
    KG__FIELD(kg__gpu_state, throttled, "throttled", FLAG),
    { 0 },
};
enum { HIGHEST = 3, FIGURES = 6 };

static int64_t *figure_of(kg__gpu_state *state, size_t i)
{
    return (int64_t *)((char *)state + kg__gpu_state_fields[i].offset);
}

static int64_t known_figure(const kg__gpu_state *state, size_t i)
{
    return *figure_of((kg__gpu_state *)state, i);
}

bool kg__gpu_state_is_known(const kg__gpu_state *state)
{
    bool known = state->throttled || state->clock_reasons[0] != '\0';

    for (size_t i = 0; i < FIGURES; i++)
        known = known || known_figure(state, i) >= 0;
    return known;
}

/* Returns whether `list`, "a, b", contains the reason of `length` bytes at `reason`. */
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

static void join_reasons(char *joined, size_t size, const char *reasons)
{
    if (strcmp(joined, NO_REASON) == 0 && *reasons != '\0' && strcmp(reasons, NO_REASON) != 0)
        joined[0] = '\0';
    while (*reasons != '\0') {
        const char *end = strstr(reasons, comma);
        size_t length = end != NULL ? (size_t)(end - reasons) : strlen(reasons);
        size_t used = strlen(joined);

        if (!contains_reason(joined, reasons, length) &&
            (used == 0 || length != strlen(NO_REASON) || strncmp(reasons, NO_REASON, length) != 0))
            kg__append(joined, size, "%s%.*s", used > 0 ? comma : "", (int)length, reasons);
        reasons += length + (end != NULL ? strlen(comma) : 0);
    }
}

void kg__gpu_state_join(kg__gpu_state *worst, const kg__gpu_state *look)
{
    for (size_t i = 0; i < FIGURES; i++) {
        int64_t *before = figure_of(worst, i);
        int64_t now = known_figure(look, i);

        if (now >= 0 && (*before < 0 || (i < HIGHEST ? now > *before : now < *before)))
            *before = now;
    }
    join_reasons(worst->clock_reasons, sizeof worst->clock_reasons, look->clock_reasons);
    worst->throttled = worst->throttled || look->throttled;
}
