/* SPDX-License-Identifier: MIT */
/* The judge: every verdict, both sides of every threshold, and the exit codes. */
#include "judge/judge.h"
#include "tests/fakes/drive.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Value, band, floor, and whether it is gated.
 *
 * A time of 100 000 ns with a band of 2 % and no absolute floor worth mentioning; and one whose
 * floor, 50 ns, is 5 % of it, more than its band. */
static const kg__expectation usual = { 100000, 0.02, 50, true };
static const kg__expectation small = { 1000, 0.02, 50, true };
/* The same with a fraction that binary cannot hold. */
static const kg__expectation odd = { 1000.1, 0.02, 50.2, true };
/* A band below that of any time. */
static const kg__expectation sure = { 100000, 0.001, 0, true };
/* Counters. */
static const kg__expectation requests = { 9550600, 0, 0, true };
static const kg__expectation most = { 9007199254740991.0, 0, 0, true };
static const kg__expectation hundred = { 100, 0, 0, true };
static const kg__expectation banded = { 100, 0.1, 0, true };
static const kg__expectation none = { 0, 0, 0, true };
static const kg__expectation none_or_five = { 0, 0, 5, true };
/* Times that can never be 0. */
static const kg__expectation with_band = { 7, 0.02, 0, true };
static const kg__expectation with_floor = { 7, 0, 50, true };

typedef struct row {
    const kg__expectation *expectation;
    kg__interval observed;
    kg__verdict verdict;
    kg__surroundings around;
    bool noisy_and_tripped, counter;
} row;

/* A value that is known exactly, or an interval; then the verdict, and further members of a row. */
#define OVER(e, v, low, high, ...)                                                                 \
    {                                                                                              \
        .expectation = (e), .observed = { v, low, high }, .verdict = __VA_ARGS__                   \
    }
#define AT(e, v, ...) OVER(e, v, v, v, __VA_ARGS__)

static kg__judgment judge(const row *row)
{
    return kg__judge(&row->observed, row->expectation, &row->around, !row->counter);
}

static void expect_verdicts(const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const kg__verdict verdict = rows[i].verdict;
        const bool tripped = rows[i].noisy_and_tripped || verdict == KG__SLOWER ||
                             verdict == KG__FASTER || verdict == KG__ENVIRONMENT;
        kg__judgment judgment = judge(&rows[i]);

        cr_expect(judgment.verdict == verdict, "row %zu: %s expected, got %s: reason %d", i,
                  kg__verdict_name(verdict), kg__verdict_name(judgment.verdict),
                  (int)judgment.reason);
        cr_expect(judgment.tripped == tripped, "row %zu", i);
        cr_expect((judgment.reason == KG__WITHIN_LIMIT) == (verdict == KG__PASS),
                  "row %zu: only a plain pass needs no reason: %d", i, (int)judgment.reason);
    }
}

#define EXPECT_VERDICTS(...)                                                                       \
    expect_verdicts((const row[]){ __VA_ARGS__ }, COUNT(((const row[]){ __VA_ARGS__ })))

Test(judge, verdicts_have_names_and_an_order)
{
    /* From the best on. */
    static const char *const names[] = { "pass",          "unchanged", "more-accurate", "faster",
                                         "no-baseline",   "noisy",     "environment",   "slower",
                                         "less-accurate", "wrong",     "error" };

    cr_expect_str_eq(kg__verdict_name(KG__VERDICTS), "unknown");
    cr_expect_str_eq(kg__verdict_name((kg__verdict)-1), "unknown");
    for (int i = 0; i < KG__VERDICTS; i++) {
        cr_expect_str_eq(kg__verdict_name((kg__verdict)i), names[i]);
        for (int other = 0; other < KG__VERDICTS; other++)
            cr_expect((int)kg__worse((kg__verdict)i, (kg__verdict)other) ==
                      (i > other ? i : other));
    }
}

/* Exact on the CPU model, within a band on a GPU; no error is none of unchanged code. */
Test(judge, errors)
{
    static const kg__expectation exact = { 0.8845, 0, 0, true };
    static const kg__expectation about = { 2, KG__ERROR_BAND, 0, true };
    static const kg__expectation wide = { 2, 0.5, 0, true };
    static const kg__expectation zero = { 0, KG__ERROR_BAND, 0, true };
    static const struct {
        const kg__expectation *expectation;
        double error;
        bool same_code;
        kg__verdict verdict;
    } rows[] = {
        { &exact, 0.8845, false, KG__PASS },
        { &exact, 0.8846, false, KG__LESS_ACCURATE },
        { &exact, 0.8844, false, KG__MORE_ACCURATE },
        { &exact, 0.8846, true, KG__UNCHANGED },
        { &exact, 0.8844, true, KG__UNCHANGED },
        { &exact, 0, false, KG__MORE_ACCURATE },
        { &about, 2.1, false, KG__PASS },
        { &about, 2.11, false, KG__LESS_ACCURATE },
        { &about, 1.9, false, KG__MORE_ACCURATE },
        { &wide, 3, false, KG__PASS },
        { &wide, 3.01, false, KG__LESS_ACCURATE },
        { &wide, 0.1, false, KG__PASS },
        { &zero, 0, false, KG__PASS },
        { &zero, 0.001, false, KG__LESS_ACCURATE },
        { NULL, 1, true, KG__NO_BASELINE },
        { &exact, NAN, false, KG__ERROR },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        kg__judgment judgment =
            kg__judge_error(rows[i].error, rows[i].expectation, rows[i].same_code);

        cr_expect(judgment.verdict == rows[i].verdict, "row %zu: %s", i,
                  kg__verdict_name(judgment.verdict));
        cr_expect((judgment.reason == KG__SAME_CODE) == (judgment.verdict == KG__UNCHANGED));
    }
}

Test(judge, both_sides_of_the_band_and_the_floor)
{
    EXPECT_VERDICTS(
        AT(&usual, 100000, KG__PASS), AT(&usual, 102000, KG__PASS),
        AT(&usual, 102000.1, KG__SLOWER), AT(&usual, 1e12, KG__SLOWER), AT(&usual, 1, KG__FASTER),
        /* The other way the same ratio holds. */
        AT(&usual, 100000 / 1.02, KG__PASS), AT(&usual, 100000 / 1.02 - 0.1, KG__FASTER),
        AT(&small, 1050, KG__PASS), AT(&small, 1050.01, KG__SLOWER), AT(&small, 950, KG__PASS),
        AT(&small, 949.99, KG__FASTER), AT(&odd, 1050.3, KG__PASS), AT(&odd, 949.9, KG__PASS));
}

/* What a threshold is in decimal is often a little less in binary; a value just at it passes all
 * the same. */
Test(judge, exactly_at_the_band_passes_for_any_baseline)
{
    static const double bands[] = { 0.001, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.3 };

    for (size_t i = 0; i < COUNT(bands) * 28; i++) {
        const double up = 1.0 + bands[i % 8];
        const size_t step = i / 8;
        const double value = 3000.1 * pow(1.7, (double)step);
        const kg__expectation time = { value, bands[i % 8], 0, true };

        EXPECT_VERDICTS(AT(&time, value * up, KG__PASS), AT(&time, value / up, KG__PASS),
                        AT(&time, value * up * (1.0 + 1e-9), KG__SLOWER),
                        AT(&time, value / up * (1.0 - 1e-9), KG__FASTER));
    }
}

/* The band alone is the limit, however narrow it is. */
Test(judge, a_narrow_band_is_the_limit)
{
    kg__judgment at = judge(&(const row)AT(&sure, 100000 * 1.001, KG__PASS));

    cr_expect(at.limit == 0.001 && at.smallest == 0.001);
    EXPECT_VERDICTS(AT(&sure, 100000 * 1.001, KG__PASS), AT(&sure, 100000 * 1.0011, KG__SLOWER),
                    AT(&sure, 100000 / 1.001, KG__PASS), AT(&sure, 100000 / 1.0011, KG__FASTER));
}

Test(judge, counters_are_exact)
{
    EXPECT_VERDICTS(
        AT(&requests, 9550600, KG__PASS, .counter = true),
        AT(&requests, 9550601, KG__SLOWER, .counter = true),
        AT(&requests, 9550599, KG__FASTER, .counter = true),
        /* One more in the largest count that a double holds exactly. */
        AT(&most, 9007199254740992.0, KG__SLOWER, .counter = true),
        AT(&most, 9007199254740990.0, KG__FASTER, .counter = true),
        AT(&most, 9007199254740991.0, KG__PASS, .counter = true),
        AT(&none, 0, KG__PASS, .counter = true), AT(&none, 1, KG__SLOWER, .counter = true),
        AT(&hundred, 0, KG__FASTER, .counter = true), AT(&banded, 0, KG__FASTER, .counter = true),
        AT(&none_or_five, 5, KG__PASS, .counter = true),
        AT(&none_or_five, 6, KG__SLOWER, .counter = true),
        AT(&none_or_five, 0, KG__PASS, .counter = true),
        /* They are never noisy. */
        OVER(&hundred, 100, 10, 1000, KG__PASS, .counter = true));
}

Test(judge, the_figures_of_a_judgment)
{
    kg__expectation ungated = usual;
    const struct {
        const kg__expectation *expectation;
        double value;
        double change, limit, smallest; /* NAN: none */
    } rows[] = { { &usual, 101000, 0.01, 0.02, 0.02 },
                 { &usual, 103000, 0.03, 0.02, 0.02 },
                 { &usual, 97000, -0.03, 0.02, 0.02 },
                 { &ungated, 200000, 1, 0.02, 0.02 },
                 { &none, 0, 0, 0, 0 },
                 { &none, 1, INFINITY, 0, 0 },
                 { &hundred, 0, -1, 0, 0 },
                 { NULL, 5, NAN, NAN, NAN },
                 { &odd, 1049, 48.9 / 1000.1, 0.02, 50.2 / 1000.1 },
                 { &none_or_five, 6, INFINITY, 0, INFINITY } };

    ungated.gated = false;
    for (size_t i = 0; i < COUNT(rows); i++) {
        kg__judgment judgment =
            judge(&(const row)AT(rows[i].expectation, rows[i].value, KG__PASS, .counter = true));
        const double got[] = { judgment.change, judgment.limit, judgment.smallest };
        const double wanted[] = { rows[i].change, rows[i].limit, rows[i].smallest };

        for (size_t j = 0; j < 3; j++)
            cr_expect(got[j] == wanted[j] || fabs(got[j] - wanted[j]) < 1e-12 ||
                          (isnan(got[j]) && isnan(wanted[j])),
                      "row %zu: %g, not %g", i, got[j], wanted[j]);
    }
}

Test(judge, what_is_not_a_value_or_an_interval_is_an_error)
{
    static const double values[] = { NAN, INFINITY, -INFINITY, -1 };
    kg__expectation ungated = usual;
    const kg__expectation minus_zero = { -0.0, 0, 0, true };

    ungated.gated = false;
    for (size_t i = 0; i < COUNT(values); i++) {
        kg__expectation value = usual;
        kg__expectation band = usual;
        kg__expectation floor = usual;

        value.value = band.band = floor.floor = values[i];
        EXPECT_VERDICTS(AT(&usual, values[i], KG__ERROR), AT(&hundred, values[i], KG__ERROR),
                        AT(NULL, values[i], KG__ERROR), AT(&value, 100000, KG__ERROR),
                        AT(&band, 100000, KG__ERROR), AT(&floor, 100000, KG__ERROR));
        cr_expect(isnan(judge(&(const row)AT(&usual, values[i], KG__ERROR)).change));
    }
    EXPECT_VERDICTS(AT(&ungated, NAN, KG__ERROR),
                    /* A time is never zero. */
                    AT(&with_band, 0, KG__ERROR), AT(&with_floor, 0, KG__ERROR),
                    OVER(&usual, 100000, 100001, 100002, KG__ERROR),
                    OVER(&usual, 100000, 99998, 99999, KG__ERROR),
                    OVER(&usual, 100000, NAN, 100001, KG__ERROR),
                    OVER(&usual, 100000, 99999, NAN, KG__ERROR),
                    /* The logarithm of a value over -0 is not a number, which no limit is below. */
                    AT(&minus_zero, 7, KG__ERROR, .counter = true), AT(NULL, 0, KG__NO_BASELINE),
                    AT(NULL, 5, KG__NO_BASELINE));
}

Test(judge, both_sides_of_the_noise_threshold)
{
    EXPECT_VERDICTS(
        OVER(&usual, 100000, 99400, 100400, KG__PASS), /* 1.0 %, half the band */
        OVER(&usual, 100000, 99400, 100400.1, KG__NOISY),
        /* Too few samples. */
        OVER(&usual, 100000, -INFINITY, INFINITY, KG__NOISY),
        OVER(&usual, 110000, -INFINITY, INFINITY, KG__NOISY, .noisy_and_tripped = true),
        OVER(&usual, 90000, -INFINITY, INFINITY, KG__NOISY, .noisy_and_tripped = true),
        /* An interval that reaches back within the limit is noisy, and to be confirmed. */
        OVER(&usual, 104000, 102000, 106000, KG__NOISY, .noisy_and_tripped = true),
        OVER(&usual, 104000, 102000.1, 106000, KG__SLOWER),
        OVER(&usual, 96000, 94000, 100000 / 1.02, KG__NOISY, .noisy_and_tripped = true),
        OVER(&usual, 96000, 94000, 100000 / 1.02 - 0.1, KG__FASTER),
        /* To the other limit and further. */
        OVER(&usual, 104000, 90000, 110000, KG__NOISY, .noisy_and_tripped = true),
        /* A narrow interval may touch the limit. */
        OVER(&usual, 102100, 101600, 102600, KG__SLOWER));
}

/* What each sentinel moved by: copy, fma and, where it is given, bus. */
#define MOVED_OF(bound_, ...)                                                                      \
    .around = { .sentinel_move = { __VA_ARGS__ },                                                  \
                .sentinel_limit = { 0.01, 0.01, 0.01 },                                            \
                .bound = (bound_) }
#define MOVED(...) MOVED_OF(KG__BOUND_UNKNOWN, __VA_ARGS__)

/* What explains a move takes the blame for it; where nothing moved there is nothing to blame. */
Test(judge, surroundings_take_the_blame_for_a_move)
{
    static const kg__surroundings blamed[] = { { .throttled = true }, { .foreign_processes = 2 } };

    for (size_t i = 0; i < COUNT(blamed); i++)
        EXPECT_VERDICTS(AT(&usual, 110000, KG__ENVIRONMENT, .around = blamed[i]),
                        AT(&usual, 90000, KG__ENVIRONMENT, .around = blamed[i]),
                        OVER(&usual, 104000, 100000, 108000, KG__ENVIRONMENT, .around = blamed[i]),
                        AT(&usual, 100000, KG__PASS, .around = blamed[i]),
                        AT(&usual, 102000, KG__PASS, .around = blamed[i]),
                        OVER(&usual, 100000, 90000, 110000, KG__NOISY, .around = blamed[i]));
    /* The same code explains a slower time alone. */
    EXPECT_VERDICTS(
        AT(&usual, 110000, KG__ENVIRONMENT, .around = { .same_code = true }),
        OVER(&usual, 104000, 100000, 108000, KG__ENVIRONMENT, .around = { .same_code = true }),
        AT(&usual, 90000, KG__ENVIRONMENT, .around = { .same_code = true }),
        AT(&usual, 102000, KG__PASS, .around = { .same_code = true }),
        AT(&hundred, 110, KG__SLOWER, .around = { .same_code = true }, .counter = true),
        AT(&usual, 110000, KG__SLOWER, MOVED(0, 0)), AT(&usual, 90000, KG__FASTER, MOVED(0, 0)));
}

Test(judge, a_sentinel_that_moved_along_takes_the_blame)
{
    const double log_1_029 = log(1.029);
    const double twice = 102000 * exp(0.02);

    EXPECT_VERDICTS(
        AT(&usual, 103000, KG__ENVIRONMENT, MOVED(log_1_029, 0)),
        AT(&usual, 103000, KG__ENVIRONMENT, MOVED(0, log_1_029)),
        AT(&usual, 96000, KG__ENVIRONMENT, MOVED(log(0.97), 0)),
        /* A move within its own noise is not evidence, even where it would be enough. */
        AT(&usual, 102500, KG__SLOWER, MOVED(0.01, 0)),
        AT(&usual, 102500, KG__ENVIRONMENT, MOVED(0.0100001, 0)),
        /* Both sides of what it explains; one so large that the case would be faster without it
         * explains nothing, nor does one the other way. */
        AT(&usual, twice, KG__ENVIRONMENT, MOVED(0.02, 0)),
        AT(&usual, twice, KG__SLOWER, MOVED(0.0199999, 0)),
        AT(&usual, twice, KG__SLOWER, MOVED(0.2, 0)),
        AT(&usual, 103000, KG__SLOWER, MOVED(-0.03, -0.03)),
        /* It leaves 3.8 %, more than the band and less than the floor; and 5.4 %. */
        AT(&small, 1070, KG__ENVIRONMENT, MOVED(0.03, 0)),
        AT(&small, 1070, KG__SLOWER, MOVED(0.015, 0)),
        /* Without a baseline it explains nothing. */
        AT(&usual, 103000, KG__SLOWER,
           .around = { .sentinel_move = { 0.03, NAN }, .sentinel_limit = { NAN, NAN } }),
        AT(&usual, 103000, KG__SLOWER, MOVED(INFINITY, NAN)),
        AT(&usual, 103000, KG__ENVIRONMENT, MOVED(NAN, 0.03)));
}

/* What a case does not depend on does not excuse it, however well its move would fit. */
Test(judge, a_sentinel_excuses_its_own_kind)
{
    const double log_1_029 = log(1.029);

    EXPECT_VERDICTS(AT(&usual, 103000, KG__ENVIRONMENT, MOVED_OF(KG__BOUND_MEMORY, log_1_029, 0)),
                    AT(&usual, 103000, KG__SLOWER, MOVED_OF(KG__BOUND_MEMORY, 0, log_1_029)),
                    AT(&usual, 103000, KG__SLOWER, MOVED_OF(KG__BOUND_MEMORY, 0, 0, log_1_029)),
                    AT(&usual, 103000, KG__SLOWER, MOVED_OF(KG__BOUND_COMPUTE, log_1_029, 0)),
                    AT(&usual, 103000, KG__ENVIRONMENT, MOVED_OF(KG__BOUND_COMPUTE, 0, log_1_029)),
                    AT(&usual, 103000, KG__SLOWER, MOVED_OF(KG__BOUND_COMPUTE, 0, 0, log_1_029)),
                    AT(&usual, 103000, KG__SLOWER, MOVED_OF(KG__BOUND_BUS, log_1_029, log_1_029)),
                    AT(&usual, 103000, KG__ENVIRONMENT, MOVED_OF(KG__BOUND_BUS, 0, 0, log_1_029)),
                    AT(&usual, 103000, KG__SLOWER, MOVED(0, 0, log_1_029)),
                    AT(&usual, 96000, KG__FASTER, MOVED_OF(KG__BOUND_MEMORY, 0, log(0.97))),
                    AT(&usual, 96000, KG__ENVIRONMENT, MOVED_OF(KG__BOUND_MEMORY, log(0.97), 0)),
                    /* An older baseline has no bus. */
                    AT(&usual, 103000, KG__SLOWER, MOVED_OF(KG__BOUND_BUS, 0, 0, NAN)));
}

/* The reason of each verdict. Of several causes the first one is named. */
Test(judge, reasons)
{
    kg__expectation ungated = usual;
    kg__expectation damaged = usual;
    const struct {
        row row;
        kg__reason reason;
    } rows[] = {
        { AT(&usual, 100000, KG__PASS), KG__WITHIN_LIMIT },
        { AT(&usual, 110000, KG__PASS), KG__MOVED },
        { AT(&usual, 90000, KG__PASS), KG__MOVED },
        { AT(&ungated, 110000, KG__PASS), KG__NOT_GATED },
        { OVER(&usual, 100000, 99000, 101500, KG__PASS), KG__TOO_NOISY },
        { OVER(&usual, 100000, -INFINITY, INFINITY, KG__PASS), KG__TOO_FEW },
        { AT(&usual, 110000, KG__PASS,
             .around = { .throttled = true, .foreign_processes = 1, .same_code = true }),
          KG__GPU_THROTTLED },
        { AT(&usual, 110000, KG__PASS, .around = { .foreign_processes = 2, .same_code = true }),
          KG__GPU_SHARED },
        { AT(&usual, 103000, KG__PASS, MOVED(0, log(1.029))), KG__SENTINEL_MOVED },
        { AT(&usual, 110000, KG__PASS, .around = { .same_code = true }), KG__SAME_CODE },
        { AT(NULL, 5, KG__PASS), KG__UNRECORDED },
        { AT(&damaged, 5, KG__PASS), KG__BAD_BASELINE },
        { AT(&usual, NAN, KG__PASS), KG__VALUE_NAN },
        { AT(&usual, INFINITY, KG__PASS), KG__VALUE_INFINITE },
        { AT(&usual, -1, KG__PASS), KG__VALUE_NEGATIVE },
        { OVER(&usual, 5, 6, 7, KG__PASS), KG__VALUE_OUTSIDE },
        { AT(&with_floor, 0, KG__PASS), KG__VALUE_ZERO },
    };

    ungated.gated = false;
    damaged.value = NAN;
    for (size_t i = 0; i < COUNT(rows); i++) {
        kg__judgment judgment = judge(&rows[i].row);

        cr_expect(judgment.reason == rows[i].reason, "row %zu: %d", i, (int)judgment.reason);
        if (judgment.reason == KG__GPU_SHARED)
            cr_expect(judgment.foreign_processes == 2);
        if (judgment.reason == KG__SENTINEL_MOVED)
            cr_expect(judgment.sentinel == KG__FMA_SENTINEL &&
                      fabs(judgment.sentinel_change - 0.029) < 1e-12 &&
                      fabs(judgment.sentinel_limit - expm1(0.01)) < 1e-12);
    }
}

/* How slow a verdict says that a case is. */
static int slowness(kg__verdict verdict)
{
    return verdict == KG__FASTER ? -1 : verdict == KG__SLOWER ? 1 : 0;
}

static void expect_monotonic(const kg__expectation *time, double width)
{
    int before = -1;

    for (int step = 0; step < 1542; step++) {
        double value = 50000.0 + 97.3 * step;
        kg__interval observed = { value, value * (1.0 - 0.5 * width), value * (1.0 + 0.5 * width) };
        kg__judgment judgment = kg__judge(&observed, time, NULL, true);
        int now = slowness(judgment.verdict);

        cr_assert(now >= before, "%g ns", value);
        cr_assert(judgment.verdict <= KG__SLOWER && judgment.verdict != KG__ENVIRONMENT);
        cr_assert(judgment.tripped || now == 0, "only a tripped case moves");
        before = now;
    }
    cr_assert(before == 1, "twice the time is always slower");
}

Test(judge, a_larger_value_is_never_judged_better)
{
    static const double widths[] = { 0.0, 0.005, 0.0099, 0.0101, 0.02, 0.1 };
    static const double floors[] = { 0, 50, 1000, 5000 };
    static const double bands[] = { 0.0, 0.005, 0.02, 0.1 };

    for (size_t i = 0; i < COUNT(widths) * COUNT(floors) * COUNT(bands); i++) {
        kg__expectation time = usual;

        time.floor = floors[i / 4 % 4];
        time.band = bands[i % 4];
        expect_monotonic(&time, widths[i / 16]);
    }
}

/* Adds `count` to a member of a tally; false for one that only runs have. */
static bool count_member(kg__tally *tally, const char *name, size_t count)
{
    struct {
        const char *name;
        size_t *count;
    } rest[] = { { "vanished", &tally->vanished },
                 { "failed_claims", &tally->failed_claims },
                 { "filtered_out", &tally->filtered_out },
                 { "unavailable", &tally->unavailable },
                 { "broken", &tally->broken } };

    for (int i = 0; i < KG__VERDICTS; i++) {
        if (strcmp(name, kg__verdict_name((kg__verdict)i)) == 0)
            tally->verdicts[i] += count;
    }
    for (size_t i = 0; i < COUNT(rest); i++) {
        if (strcmp(name, rest[i].name) == 0)
            *rest[i].count += count;
    }
    return strcmp(name, "unlisted") != 0 && strcmp(name, "unrecorded") != 0 &&
           strcmp(name, "checked") != 0 && strcmp(name, "excused") != 0;
}

/* The rows test the exit codes of runs in Python too: what tests left, and the codes, the second
 * one in strict mode. */
Test(judge, exit_codes)
{
    json_t *rows = read_rows(KG__EXIT_CODES);
    json_t *row;
    size_t i;
    size_t count = 0;

    json_array_foreach (rows, i, row) {
        kg__tally tally = { 0 };
        bool is_test = true;
        int plain = -1;
        int strict = -1;
        const char *name;
        json_t *value;

        cr_assert(json_unpack(row, "{s:[ii]}", "codes", &plain, &strict) == 0, "row %zu", i);
        json_object_foreach (json_object_get(row, "tally"), name, value)
            is_test &= count_member(&tally, name, (size_t)json_integer_value(value));
        cr_expect(!is_test || kg__exit_code(&tally, false) == plain, "row %zu", i);
        cr_expect(!is_test || kg__exit_code(&tally, true) == strict, "row %zu", i);
        count += is_test;
    }
    cr_expect(count > 35);
}
