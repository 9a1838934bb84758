/* SPDX-License-Identifier: MIT */
#include "judge/judge.h"

#include <math.h>

#include "base/exit_code.h"

/* A figure that exceeds its limit by no more than this fraction counts as exactly at the limit:
 * far below any measurable difference, and above rounding errors. A limit of 0 is exact. */
#define ROUNDING 1e-12

const char *const kg__verdict_names[KG__VERDICTS + 1] = {
    [KG__PASS] = "pass",
    [KG__UNCHANGED] = "unchanged",
    [KG__MORE_ACCURATE] = "more-accurate",
    [KG__FASTER] = "faster",
    [KG__NO_BASELINE] = "no-baseline",
    [KG__NOISY] = "noisy",
    [KG__ENVIRONMENT] = "environment",
    [KG__SLOWER] = "slower",
    [KG__LESS_ACCURATE] = "less-accurate",
    [KG__WRONG] = "wrong",
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

/* The position of a value relative to the limits. */
typedef enum limit_side {
    BELOW = -1, /* faster than the limits allow */
    INSIDE,
    ABOVE /* slower */
} limit_side;

/* The limits around a baseline. A move must exceed both to count. */
typedef struct move_limits {
    double baseline;
    double log_limit; /* of |ln(value / baseline)| */
    double floor;     /* of |value - baseline|, in the metric's unit */
} move_limits;

/* Returns whether `amount` exceeds `limit`, where both come from arithmetic on figures of about
 * `scale`. */
static bool exceeds(double amount, double limit, double scale)
{
    return amount > (limit > 0.0 ? limit + ROUNDING * scale : 0.0);
}

static limit_side compare_to_limits(const move_limits *limits, double value)
{
    /* From a baseline of 0 the ratio is infinite for any rise, and NaN, which exceeds nothing,
     * for no rise. */
    double log_ratio = log(value / limits->baseline);
    double rise = value - limits->baseline;
    double scale = value + limits->baseline;

    if (exceeds(log_ratio, limits->log_limit, 1.0) && exceeds(rise, limits->floor, scale))
        return ABOVE;
    if (exceeds(-log_ratio, limits->log_limit, 1.0) && exceeds(-rise, limits->floor, scale))
        return BELOW;
    return INSIDE;
}

/* Returns whether an interval, a fraction of its value, is wider than half the band. Counters
 * have neither. */
static bool is_wide(double width, double band)
{
    return band > 0.0 && exceeds(width, 0.5 * band, 1.0);
}

/* Returns the first sentinel that the case depends on, that moved beyond its own limit, and
 * whose move accounts for the value's; KG__SENTINELS if no sentinel does. */
static size_t find_explaining_sentinel(const kg__surroundings *surroundings,
                                       const move_limits *limits, double value)
{
    size_t i;

    for (i = 0; i < KG__SENTINELS; i++) {
        double move = surroundings->sentinel_move[i];

        /* A sentinel without a baseline has NaN here, which exceeds no limit. */
        if (kg__bound_depends_on(surroundings->bound, (kg__sentinel)i) &&
            fabs(move) > surroundings->sentinel_limit[i] &&
            compare_to_limits(limits, value * exp(-move)) == INSIDE)
            break;
    }
    return i;
}

/* Returns an explanation of a move other than the kernel; KG__MOVED if nothing else explains it. If
 * the code is the same, a time did not move because of it. */
static kg__reason explain(kg__judgment *judgment, const kg__surroundings *surroundings,
                          const move_limits *limits, bool is_time)
{
    size_t sentinel;

    if (surroundings == NULL)
        return KG__MOVED;
    if (surroundings->throttled)
        return KG__GPU_THROTTLED;
    judgment->foreign_processes = surroundings->foreign_processes;
    if (surroundings->foreign_processes > 0)
        return KG__GPU_SHARED;
    sentinel = find_explaining_sentinel(surroundings, limits, judgment->value);
    if (sentinel < KG__SENTINELS) {
        judgment->sentinel = (kg__sentinel)sentinel;
        judgment->sentinel_change = expm1(surroundings->sentinel_move[sentinel]);
        judgment->sentinel_limit = expm1(surroundings->sentinel_limit[sentinel]);
        return KG__SENTINEL_MOVED;
    }
    return surroundings->same_code && is_time ? KG__SAME_CODE : KG__MOVED;
}

static bool is_fraction_or_figure(double value)
{
    return isfinite(value) && value >= 0.0;
}

/* Returns why nothing can be judged: the value or the baseline is unusable or missing; else
 * KG__WITHIN_LIMIT. An exact counter may fall to 0; a time may not. */
static kg__reason find_refusal(const kg__interval *observed, const kg__expectation *expectation,
                               bool is_time)
{
    double value = observed->value;

    if (isnan(value))
        return KG__VALUE_NAN;
    if (isinf(value))
        return KG__VALUE_INFINITE;
    if (value < 0.0)
        return KG__VALUE_NEGATIVE;
    if (!(observed->low <= value && value <= observed->high))
        return KG__VALUE_OUTSIDE;
    if (expectation == NULL)
        return KG__UNRECORDED;
    if (value == 0.0 && expectation->value > 0.0 && (is_time || expectation->floor > 0.0))
        return KG__VALUE_ZERO;
    /* No rise can be computed from -0. */
    if (!is_fraction_or_figure(expectation->value) || signbit(expectation->value) ||
        !is_fraction_or_figure(expectation->band) || !is_fraction_or_figure(expectation->floor))
        return KG__BAD_BASELINE;
    return KG__WITHIN_LIMIT;
}

/* Sets the figures of a judgment that has a baseline. */
static void set_figures(kg__judgment *judgment, const kg__interval *observed,
                        const move_limits *limits, double band)
{
    double floor = limits->floor > 0.0 ? limits->floor / limits->baseline : 0.0;

    judgment->baseline = limits->baseline;
    judgment->change =
        judgment->value == limits->baseline ? 0.0 : judgment->value / limits->baseline - 1.0;
    judgment->limit = band;
    judgment->smallest = fmax(band, floor);
    judgment->smallest_fall = fmax(-expm1(-limits->log_limit), floor);
    judgment->width = (observed->high - observed->low) / observed->value;
}

/* Judges a gated value by its limits and the width of its interval; the reason, unless it passes.
 */
static kg__verdict judge_gated(kg__judgment *judgment, const kg__interval *observed,
                               const kg__surroundings *surroundings, const move_limits *limits,
                               bool is_time)
{
    limit_side side = compare_to_limits(limits, judgment->value);
    bool wide = is_wide(judgment->width, judgment->limit);

    judgment->tripped = side != INSIDE;
    if (!judgment->tripped && !wide)
        return KG__PASS;
    judgment->reason =
        judgment->tripped ? explain(judgment, surroundings, limits, is_time) : KG__MOVED;
    if (judgment->reason != KG__MOVED)
        return KG__ENVIRONMENT;

    /* However wide it is, an interval entirely beyond the limit is conclusive. */
    double nearest = side == ABOVE ? observed->low : observed->high;

    if (wide && (!judgment->tripped || compare_to_limits(limits, nearest) != side)) {
        judgment->reason = isfinite(judgment->width) ? KG__TOO_NOISY : KG__TOO_FEW;
        return KG__NOISY;
    }
    return side == ABOVE ? KG__SLOWER : KG__FASTER;
}

kg__judgment kg__judge(const kg__interval *observed, const kg__expectation *expectation,
                       const kg__surroundings *surroundings, bool is_time)
{
    kg__judgment judgment = { .value = observed->value,
                              .baseline = NAN,
                              .change = NAN,
                              .limit = NAN,
                              .smallest = NAN,
                              .reason = find_refusal(observed, expectation, is_time) };

    if (judgment.reason != KG__WITHIN_LIMIT) {
        judgment.verdict = judgment.reason == KG__UNRECORDED ? KG__NO_BASELINE : KG__ERROR;
        return judgment;
    }

    move_limits limits = { .baseline = expectation->value,
                           .log_limit = log1p(expectation->band),
                           .floor = expectation->floor };

    set_figures(&judgment, observed, &limits, expectation->band);
    if (expectation->gated)
        judgment.verdict = judge_gated(&judgment, observed, surroundings, &limits, is_time);
    else
        judgment.reason = KG__NOT_GATED;
    return judgment;
}

kg__judgment kg__judge_error(double error, const kg__expectation *expectation, bool same_code)
{
    const kg__interval observed = { error, error, error };
    kg__judgment judgment = kg__judge(&observed, expectation, NULL, false);

    if (judgment.tripped && same_code) {
        judgment.verdict = KG__UNCHANGED;
        judgment.reason = KG__SAME_CODE;
    } else if (judgment.tripped && judgment.verdict == KG__SLOWER) {
        judgment.verdict = KG__LESS_ACCURATE;
    } else if (judgment.tripped) {
        judgment.verdict = expectation->band > KG__ERROR_BAND ? KG__PASS : KG__MORE_ACCURATE;
    }
    return judgment;
}

void kg__judge_kept(kg__judgment *judgment)
{
    if (judgment->verdict == KG__SLOWER && judgment->baseline == 0)
        judgment->verdict = KG__PASS;
    else if (judgment->verdict == KG__FASTER)
        judgment->verdict = judgment->value == 0 ? KG__SLOWER : KG__PASS;
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
    if (verdicts[KG__SLOWER] > 0 || verdicts[KG__LESS_ACCURATE] > 0 || verdicts[KG__WRONG] > 0 ||
        tally->failed_claims > 0)
        return KG__EXIT_FAIL;
    if (strict && tally->unavailable > 0)
        return KG__EXIT_ERROR;
    if (judged == 0 && !unrecorded && tally->unavailable == 0 && tally->filtered_out == 0)
        return KG__EXIT_ERROR; /* nothing ran, for no known reason */
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
