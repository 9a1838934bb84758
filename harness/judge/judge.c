#include "judge/judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/message.h"

/* A figure that exceeds its limit by no more than this part counts as exactly at the limit: far
 * less than anything that can be measured, and more than rounding does. A limit of 0 needs no such
 * mercy and gets none. */
#define ROUNDING 1e-12

/* Room for a figure with its unit, and for a percentage. */
#define FIGURE_SIZE 64

const char *const kg__verdict_names[KG__VERDICTS + 1] = {
    [KG__PASS] = "pass",     [KG__UNCHANGED] = "unchanged",
    [KG__FASTER] = "faster", [KG__NO_BASELINE] = "no-baseline",
    [KG__NOISY] = "noisy",   [KG__ENVIRONMENT] = "environment",
    [KG__SLOWER] = "slower", [KG__WRONG] = "wrong",
    [KG__ERROR] = "error",
};

const char *kg__verdict_name(kg__verdict verdict)
{
    return (unsigned)verdict < KG__VERDICTS ? kg__verdict_names[verdict] : "unknown";
}

kg__verdict kg__worse(kg__verdict a, kg__verdict b)
{
    return a > b ? a : b;
}

/* Whether a value is within the limits or beyond one of them. */
typedef enum limit_side {
    BELOW = -1, /* faster than the limits allow for */
    INSIDE,
    ABOVE /* slower */
} limit_side;

/* The limits around a baseline. A move has to exceed both to count. */
typedef struct move_limits {
    double baseline;
    double log_limit; /* of |ln(value / baseline)| */
    double floor;     /* of |value - baseline|, in the metric's unit */
} move_limits;

/* Whether `amount` is beyond `limit`, where both come from arithmetic on figures of about `scale`.
 */
static bool exceeds(double amount, double limit, double scale)
{
    return amount > (limit > 0.0 ? limit + ROUNDING * scale : 0.0);
}

static limit_side compare_to_limits(const move_limits *limits, double value)
{
    /* From a baseline of 0 the quotient is infinite for any rise, and no number, which exceeds
     * nothing, for no rise. */
    double log_ratio = log(value / limits->baseline);
    double rise = value - limits->baseline;
    double scale = value + limits->baseline;

    if (exceeds(log_ratio, limits->log_limit, 1.0) && exceeds(rise, limits->floor, scale))
        return ABOVE;
    if (exceeds(-log_ratio, limits->log_limit, 1.0) && exceeds(-rise, limits->floor, scale))
        return BELOW;
    return INSIDE;
}

/* Prints a number of `decimals` digits after the point, its thousands set apart by spaces ("61
 * 870"), the same in every locale. */
static void print_number(char *text, size_t size, double value, int decimals)
{
    char digits[FIGURE_SIZE];
    unsigned long long scale = 1;
    size_t used = 0;

    for (int i = 0; i < decimals; i++)
        scale *= 10;
    if (!(fabs(value) * (double)scale < 1e15)) {
        kg__format(text, size, "%.6g", value);
        return;
    }

    unsigned long long scaled = (unsigned long long)llround(fabs(value) * (double)scale);
    int length = snprintf(digits, sizeof digits, "%llu", scaled / scale);

    if (value < 0.0 && scaled > 0 && used + 1 < size)
        text[used++] = '-';
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0 && used + 1 < size)
            text[used++] = ' ';
        if (used + 1 < size)
            text[used++] = digits[i];
    }
    text[used] = '\0';
    if (decimals > 0)
        kg__format(text + used, size - used, ".%0*llu", decimals, scaled % scale);
}

/* Prints a figure with its unit: whole where it is whole or large enough for a fraction to say
 * nothing. */
static void print_figure(char *text, size_t size, double value, const char *unit)
{
    char number[FIGURE_SIZE];

    print_number(number, sizeof number, value,
                 value == rint(value) || fabs(value) >= 1000.0 ? 0 : 1);
    kg__format(text, size, "%s%s%s", number, *unit != '\0' ? " " : "", unit);
}

/* Prints two fractions as percentages, with as many digits as it takes to distinguish them, and the
 * first one from 0. */
static void print_percentages(char *first, char *second, size_t size, double a, double b)
{
    for (int decimals = 1; decimals <= 9; decimals++) {
        char zero[FIGURE_SIZE];

        print_number(first, size, 100.0 * a, decimals);
        print_number(second, size, 100.0 * b, decimals);
        print_number(zero, sizeof zero, 0.0, decimals);
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
static void describe_move(char *text, size_t size, double value, const move_limits *limits,
                          const kg__judgment *judgment, const char *unit)
{
    char now[FIGURE_SIZE];
    char then[FIGURE_SIZE];
    char moved[FIGURE_SIZE];
    char limit[FIGURE_SIZE];
    const char *word = move_word(value > limits->baseline, unit);

    print_figure(now, sizeof now, value, unit);
    print_figure(then, sizeof then, limits->baseline, unit);
    if (value == limits->baseline) {
        kg__format(text, size, "unchanged at %s", now);
        return;
    }
    if (!isfinite(judgment->change)) {
        kg__format(text, size, "%s (%s against %s)", word, now, then);
        return;
    }
    /* The limit holds for the logarithm, so a fall needs a slightly smaller fraction than a rise.
     */
    double smallest = value > limits->baseline
                          ? judgment->smallest
                          : fmax(-expm1(-limits->log_limit), limits->floor / limits->baseline);

    print_percentages(moved, limit, sizeof moved, fabs(judgment->change), smallest);
    if (smallest > 0.0)
        kg__format(text, size, "%s by %s %% (%s against %s, limit %s %%)", word, moved, now, then,
                   limit);
    else
        kg__format(text, size, "%s by %s %% (%s against %s)", word, moved, now, then);
}

static void describe_noise(char *text, size_t size, const kg__interval *observed, double band,
                           const char *unit)
{
    char now[FIGURE_SIZE];
    char width[FIGURE_SIZE];
    char allowed[FIGURE_SIZE];
    double relative = (observed->high - observed->low) / observed->value;

    print_figure(now, sizeof now, observed->value, unit);
    if (!isfinite(relative)) {
        kg__format(text, size, "too few samples for a confidence interval of %s", now);
        return;
    }
    print_percentages(width, allowed, sizeof width, relative, 0.5 * band);
    kg__format(text, size,
               "too noisy: interval %s %%, needs %s %% (KG_CASE_SECONDS=2 measures longer)", width,
               allowed);
}

/* Whether the value's own confidence interval is wider than half the band. Counters have neither.
 */
static bool is_wide(const kg__interval *observed, double band)
{
    return band > 0.0 &&
           exceeds((observed->high - observed->low) / observed->value, 0.5 * band, 1.0);
}

/* The first sentinel that the case depends on, that moved beyond its own limit, and whose move
 * accounts for the value's; KG__SENTINELS where none does. */
static size_t find_explaining_sentinel(const kg__surroundings *surroundings,
                                       const move_limits *limits, double value)
{
    size_t i;

    for (i = 0; i < KG__SENTINELS; i++) {
        double move = surroundings->sentinel_move[i];

        /* A sentinel without a baseline has NaN here, which is beyond no limit. */
        if (kg__bound_depends_on(surroundings->bound, (kg__sentinel)i) &&
            fabs(move) > surroundings->sentinel_limit[i] &&
            compare_to_limits(limits, value * exp(-move)) == INSIDE)
            break;
    }
    return i;
}

/* Writes into `why` which sentinel moved as the value did; false when none did. */
static bool blame_sentinel(char *why, size_t size, const kg__surroundings *surroundings,
                           const move_limits *limits, double value, const char *move)
{
    size_t sentinel = find_explaining_sentinel(surroundings, limits, value);

    if (sentinel == KG__SENTINELS)
        return false;

    char moved[FIGURE_SIZE];
    char limit[FIGURE_SIZE];
    double change = expm1(surroundings->sentinel_move[sentinel]);

    print_percentages(moved, limit, sizeof moved, change,
                      expm1(surroundings->sentinel_limit[sentinel]));
    kg__format(why, size, "the %s sentinel moved by %s%s %% (limit %s %%): %s",
               kg__sentinel_kinds[sentinel].name, change > 0.0 ? "+" : "", moved, limit, move);
    return true;
}

/* Writes into `why` what makes the surroundings answer for a move; false when they do not. A time
 * that moved with the same code did not do so by the code. */
static bool blame_surroundings(char *why, size_t size, const kg__surroundings *surroundings,
                               const move_limits *limits, double value, const char *move,
                               bool is_time)
{
    int foreign = surroundings != NULL ? surroundings->foreign_processes : 0;

    if (surroundings == NULL)
        return false;
    if (surroundings->throttled)
        kg__format(why, size, "the GPU throttled: %s", move);
    else if (foreign > 0)
        kg__format(why, size, "%d other process%s computed on the GPU: %s", foreign,
                   foreign == 1 ? "" : "es", move);
    else if (blame_sentinel(why, size, surroundings, limits, value, move))
        return true;
    else if (surroundings->same_code && is_time)
        kg__format(why, size, "its launch and machine code are unchanged: %s; the machine moved",
                   move);
    else
        return false;
    return true;
}

/* What makes an observed value unusable, or NULL. An exact counter may fall to 0; a time may not.
 */
static const char *unusable_value(const kg__interval *observed, const kg__expectation *expectation,
                                  const char *unit)
{
    double value = observed->value;

    if (isnan(value))
        return "the value is not a number";
    if (isinf(value))
        return "the value is infinite";
    if (value < 0.0)
        return "the value is negative";
    if (!(observed->low <= value && value <= observed->high))
        return "the value lies outside of its own confidence interval";
    if (expectation != NULL && value == 0.0 && expectation->value > 0.0 &&
        (*unit != '\0' || expectation->floor > 0.0))
        return "the value is zero";
    return NULL;
}

static bool is_fraction_or_figure(double value)
{
    return isfinite(value) && value >= 0.0;
}

/* Whether nothing can be judged: the value or the baseline is unusable, or there is none; the
 * judgment says so then. */
static bool is_refused(const kg__interval *observed, const kg__expectation *expectation,
                       const char *unit, kg__judgment *judgment)
{
    const char *unusable = unusable_value(observed, expectation, unit);

    judgment->verdict = KG__ERROR;
    if (unusable != NULL) {
        kg__format(judgment->why, sizeof judgment->why, "%s", unusable);
        return true;
    }
    if (expectation == NULL) {
        judgment->verdict = KG__NO_BASELINE;
        kg__format(judgment->why, sizeof judgment->why,
                   "no baseline: record one with ci/rebaseline");
        return true;
    }
    /* No rise can be computed from -0. */
    if (!is_fraction_or_figure(expectation->value) || signbit(expectation->value) ||
        !is_fraction_or_figure(expectation->band) || !is_fraction_or_figure(expectation->floor)) {
        kg__format(judgment->why, sizeof judgment->why,
                   "the baseline's figures are unusable: record it again with ci/rebaseline");
        return true;
    }
    judgment->verdict = KG__PASS;
    return false;
}

kg__judgment kg__judge(const kg__interval *observed, const kg__expectation *expectation,
                       const kg__surroundings *surroundings, const char *unit)
{
    kg__judgment judgment = { .change = NAN, .limit = NAN, .smallest = NAN };
    double value = observed->value;

    if (is_refused(observed, expectation, unit, &judgment))
        return judgment;

    move_limits limits = { .baseline = expectation->value,
                           .log_limit = log1p(expectation->band),
                           .floor = expectation->floor };
    limit_side side = compare_to_limits(&limits, value);
    bool wide = is_wide(observed, expectation->band);
    char move[sizeof judgment.why];

    judgment.change = value == limits.baseline ? 0.0 : value / limits.baseline - 1.0;
    judgment.limit = expectation->band;
    judgment.smallest =
        limits.floor > 0.0 ? fmax(judgment.limit, limits.floor / limits.baseline) : judgment.limit;
    describe_move(move, sizeof move, value, &limits, &judgment, unit);

    if (!expectation->gated) {
        kg__format(judgment.why, sizeof judgment.why, "not gated: %s", move);
        return judgment;
    }
    judgment.tripped = side != INSIDE;
    if (!judgment.tripped && !wide)
        return judgment;
    if (judgment.tripped && blame_surroundings(judgment.why, sizeof judgment.why, surroundings,
                                               &limits, value, move, *unit != '\0')) {
        judgment.verdict = KG__ENVIRONMENT;
        return judgment;
    }

    /* However wide an interval is, one that lies beyond the limit as a whole leaves no doubt. */
    double nearest = side == ABOVE ? observed->low : observed->high;

    if (wide && (!judgment.tripped || compare_to_limits(&limits, nearest) != side)) {
        judgment.verdict = KG__NOISY;
        describe_noise(judgment.why, sizeof judgment.why, observed, expectation->band, unit);
        return judgment;
    }
    judgment.verdict = side == ABOVE ? KG__SLOWER : KG__FASTER;
    kg__format(judgment.why, sizeof judgment.why, "%s", move);
    return judgment;
}

int kg__exit_code(const kg__tally *tally, bool strict)
{
    const size_t *verdicts = tally->verdicts;
    bool unrecorded = verdicts[KG__NO_BASELINE] > 0;
    size_t judged = 0;

    for (int i = 0; i < KG__VERDICTS; i++)
        judged += i != KG__NO_BASELINE ? verdicts[i] : 0;

    if (verdicts[KG__ERROR] > 0 || tally->broken > 0)
        return KG__EXIT_ERROR;
    if (verdicts[KG__SLOWER] > 0 || verdicts[KG__WRONG] > 0 || tally->failed_claims > 0)
        return KG__EXIT_FAIL;
    if (strict && tally->unavailable > 0)
        return KG__EXIT_ERROR;
    if (judged == 0 && !unrecorded && tally->unavailable == 0 && tally->filtered_out == 0)
        return KG__EXIT_ERROR; /* nothing ran, and nothing says why */
    if (judged == 0 && unrecorded && strict)
        return KG__EXIT_ERROR;
    if (tally->vanished > 0)
        return KG__EXIT_FAIL;
    if (judged == 0)
        return KG__EXIT_NOTHING;
    if (strict &&
        (verdicts[KG__ENVIRONMENT] > 0 || verdicts[KG__NOISY] > 0 || verdicts[KG__NO_BASELINE] > 0))
        return KG__EXIT_FAIL;
    return KG__EXIT_PASS;
}
