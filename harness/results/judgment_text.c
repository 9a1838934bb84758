/* SPDX-License-Identifier: MIT */
#include "results/judgment_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

/* The reasons that are the same whatever the figures are. */
static const char *const fixed_texts[] = {
    [KG__UNRECORDED] = "no baseline: record one with kernelgate rebaseline",
    [KG__BAD_BASELINE] =
        "the baseline's figures are unusable: record it again with kernelgate rebaseline",
    [KG__VALUE_NAN] = "the value is not a number",
    [KG__VALUE_INFINITE] = "the value is infinite",
    [KG__VALUE_NEGATIVE] = "the value is negative",
    [KG__VALUE_OUTSIDE] = "the value lies outside of its own confidence interval",
    [KG__VALUE_ZERO] = "the value is zero",
};

/* Prints a fraction as a percentage with `decimals` decimals, without a unit. */
static void print_percentage(char *text, size_t size, double fraction, int decimals)
{
    char plain[KG__FIGURE_SIZE];
    double percent = 100.0 * fraction;

    if (fabs(percent) < 1e15)
        (void)snprintf(plain, sizeof plain, "%.*f", decimals, percent);
    else
        (void)snprintf(plain, sizeof plain, "%.6g", percent);
    kg__group_digits(text, size, plain);
}

/* Prints two fractions as percentages, with as many digits as it takes to distinguish them, and the
 * first one from 0. */
static void print_percentages(char *first, char *second, size_t size, double a, double b)
{
    for (int decimals = 1; decimals <= 9; decimals++) {
        char zero[KG__FIGURE_SIZE];

        print_percentage(first, size, a, decimals);
        print_percentage(second, size, b, decimals);
        print_percentage(zero, sizeof zero, 0.0, decimals);
        if (a == b || (strcmp(first, second) != 0 && (a == 0.0 || strcmp(first, zero) != 0)))
            return;
    }
}

/* What a move is called: a time gets slower, a counter, which has no unit, rises. */
static const char *move_word(bool up, const char *unit)
{
    if (*unit == '\0')
        return up ? "rose" : "fell";
    return up ? "slower" : "faster";
}

/* Describes a move with the figures that it rests on: "slower by 3.1 % (61 870 ns against 60 010
 * ns, limit 2.0 %)", or "rose by 100.0 % (1 225 360 against 612 680)", for any rise of a counter
 * counts. */
static void describe_move(char *text, size_t size, const kg__judgment *judgment, const char *unit)
{
    bool up = judgment->value > judgment->baseline;
    double smallest = up ? judgment->smallest : judgment->smallest_fall;
    const char *word = move_word(up, unit);
    char now[KG__FIGURE_SIZE];
    char then[KG__FIGURE_SIZE];
    char moved[KG__FIGURE_SIZE];
    char limit[KG__FIGURE_SIZE];

    kg__show_figure(now, sizeof now, judgment->value, unit);
    kg__show_figure(then, sizeof then, judgment->baseline, unit);
    if (judgment->value == judgment->baseline) {
        kg__format(text, size, "unchanged at %s", now);
        return;
    }
    if (!isfinite(judgment->change)) {
        kg__format(text, size, "%s (%s against %s)", word, now, then);
        return;
    }
    print_percentages(moved, limit, sizeof moved, fabs(judgment->change), smallest);
    if (smallest > 0.0)
        kg__format(text, size, "%s by %s %% (%s against %s, limit %s %%)", word, moved, now, then,
                   limit);
    else
        kg__format(text, size, "%s by %s %% (%s against %s)", word, moved, now, then);
}

/* Adds to a move what explains it without the kernel. */
static void describe_cause(char *text, size_t size, const kg__judgment *judgment, const char *move)
{
    char moved[KG__FIGURE_SIZE];
    char limit[KG__FIGURE_SIZE];

    if (judgment->reason == KG__GPU_THROTTLED) {
        kg__format(text, size, "%s; the GPU throttled", move);
    } else if (judgment->reason == KG__GPU_SHARED) {
        kg__format(text, size, "%s; %d other process%s computed on the GPU", move,
                   judgment->foreign_processes, judgment->foreign_processes == 1 ? "" : "es");
    } else if (judgment->reason == KG__SAME_CODE) {
        kg__format(text, size, "%s; its launch and machine code are unchanged: the machine got %s",
                   move, judgment->value > judgment->baseline ? "slower" : "faster");
    } else {
        print_percentages(moved, limit, sizeof moved, fabs(judgment->sentinel_change),
                          judgment->sentinel_limit);
        kg__format(text, size, "%s; the %s sentinel moved by %c%s %% (limit %s %%)", move,
                   kg__sentinel_kinds[judgment->sentinel].name,
                   judgment->sentinel_change > 0.0 ? '+' : '-', moved, limit);
    }
}

void kg__judgment_text(char *text, size_t size, const kg__judgment *judgment, const char *unit)
{
    char move[KG__JUDGMENT_TEXT_SIZE] = "";
    char figure[KG__FIGURE_SIZE];
    char allowed[KG__FIGURE_SIZE];

    if (!isnan(judgment->baseline))
        describe_move(move, sizeof move, judgment, unit);
    switch (judgment->reason) {
    case KG__WITHIN_LIMIT:
        kg__format(text, size, "%s", "");
        break;
    case KG__NOT_GATED:
        kg__format(text, size, "not gated: %s", move);
        break;
    case KG__MOVED:
        kg__format(text, size, "%s", move);
        break;
    case KG__TOO_NOISY:
        print_percentages(figure, allowed, sizeof figure, judgment->width, 0.5 * judgment->limit);
        kg__format(text, size,
                   "too noisy: interval %s %%, needs %s %% (KG_CASE_SECONDS=2 measures longer)",
                   figure, allowed);
        break;
    case KG__TOO_FEW:
        kg__show_figure(figure, sizeof figure, judgment->value, unit);
        kg__format(text, size, "too few samples for a confidence interval of %s", figure);
        break;
    case KG__GPU_SHARED:
    case KG__GPU_THROTTLED:
    case KG__SENTINEL_MOVED:
    case KG__SAME_CODE:
        describe_cause(text, size, judgment, move);
        break;
    case KG__UNRECORDED:
    case KG__BAD_BASELINE:
    case KG__VALUE_NAN:
    case KG__VALUE_INFINITE:
    case KG__VALUE_NEGATIVE:
    case KG__VALUE_OUTSIDE:
    case KG__VALUE_ZERO:
        kg__format(text, size, "%s", fixed_texts[judgment->reason]);
        break;
    }
}
