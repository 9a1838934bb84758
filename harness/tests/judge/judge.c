/* The judge: every verdict, both sides of every threshold, and the exit codes. */
#include "judge/judge.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* Five sessions that deviate less than the least that is believed, so that 3 sigma is 0.9 %. */
static const double calm[] = { 100000, 100010, 99990, 100020, 99980 };

/* A time of 100 000 ns with a band of 2 % and no absolute floor worth the name. */
static kg__expectation usual_time(void)
{
    return (kg__expectation){ .value = 100000,
                              .band = 0.02,
                              .floor = 50,
                              .sessions = calm,
                              .session_count = 5,
                              .gated = true };
}

static kg__expectation counter(double value)
{
    return (kg__expectation){ .value = value, .gated = true };
}

static kg__interval exactly(double value)
{
    return (kg__interval){ value, value, value };
}

static kg__surroundings calm_surroundings(void)
{
    return (kg__surroundings){ .sentinel_move = { 0.0, 0.0 }, .sentinel_limit = { 0.01, 0.01 } };
}

static kg__judgement judge(double value, const kg__expectation *expectation)
{
    kg__interval observed = exactly(value);

    return kg__judge(&observed, expectation, NULL, "ns");
}

static void expect_verdict(kg__judgement judgement, kg__verdict verdict)
{
    cr_expect(judgement.verdict == verdict, "%s expected, got %s: %s", kg__verdict_name(verdict),
              kg__verdict_name(judgement.verdict), judgement.why);
    cr_expect((judgement.why[0] == '\0') == (verdict == KG__PASS),
              "only a plain pass needs no reason: %s", judgement.why);
}

static void expect_why(const kg__judgement *judgement, const char *why)
{
    cr_expect(strcmp(judgement->why, why) == 0, "expected: %s\ngot: %s", why, judgement->why);
}

Test(judge, verdict_names_round_trip)
{
    static const char *const names[] = { "pass",        "faster", "no-baseline", "noisy",
                                         "environment", "slower", "wrong",       "error" };

    for (int i = 0; i < KG__VERDICTS; i++) {
        kg__verdict parsed = KG__VERDICTS;

        cr_expect_str_eq(kg__verdict_name((kg__verdict)i), names[i]);
        cr_expect(kg__verdict_parse(names[i], &parsed));
        cr_expect(parsed == (kg__verdict)i);
    }
}

Test(judge, unknown_verdicts_are_refused)
{
    kg__verdict verdict = KG__SLOWER;

    cr_expect_not(kg__verdict_parse("slow", &verdict));
    cr_expect_not(kg__verdict_parse("Slower", &verdict));
    cr_expect_not(kg__verdict_parse("", &verdict));
    cr_expect_not(kg__verdict_parse(NULL, &verdict));
    cr_expect(verdict == KG__SLOWER, "left alone");
    cr_expect_str_eq(kg__verdict_name(KG__VERDICTS), "unknown");
    cr_expect_str_eq(kg__verdict_name((kg__verdict)-1), "unknown");
}

Test(judge, the_worse_of_two)
{
    static const kg__verdict from_best[] = { KG__PASS,  KG__FASTER,      KG__NO_BASELINE,
                                             KG__NOISY, KG__ENVIRONMENT, KG__SLOWER,
                                             KG__WRONG, KG__ERROR };

    for (int a = 0; a < KG__VERDICTS; a++) {
        for (int b = 0; b < KG__VERDICTS; b++)
            cr_expect(kg__worse(from_best[a], from_best[b]) == from_best[a > b ? a : b]);
    }
}

Test(judge, both_sides_of_the_band)
{
    kg__expectation time = usual_time();

    expect_verdict(judge(100000, &time), KG__PASS);
    expect_verdict(judge(102000, &time), KG__PASS);
    expect_verdict(judge(102000.1, &time), KG__SLOWER);
    /* The other way the same ratio holds. */
    expect_verdict(judge(100000 / 1.02, &time), KG__PASS);
    expect_verdict(judge(100000 / 1.02 - 0.1, &time), KG__FASTER);
    expect_verdict(judge(1e12, &time), KG__SLOWER);
    expect_verdict(judge(1, &time), KG__FASTER);
}

/* What a threshold is in decimal is often a little less in binary; a value just at it passes all
 * the same. */
Test(judge, exactly_at_the_band_passes_for_any_baseline)
{
    static const double bands[] = { 0.001, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.3 };

    for (size_t i = 0; i < sizeof bands / sizeof *bands; i++) {
        for (int step = 0; step < 28; step++) {
            double baseline = 3000.1 * pow(1.7, step);
            kg__expectation time = { .value = baseline, .band = bands[i], .gated = true };

            expect_verdict(judge(baseline * (1.0 + bands[i]), &time), KG__PASS);
            expect_verdict(judge(baseline / (1.0 + bands[i]), &time), KG__PASS);
            expect_verdict(judge(baseline * (1.0 + bands[i]) * (1.0 + 1e-9), &time), KG__SLOWER);
            expect_verdict(judge(baseline / (1.0 + bands[i]) * (1.0 - 1e-9), &time), KG__FASTER);
        }
    }
}

Test(judge, both_sides_of_the_floor)
{
    /* 50 ns are 5 % of this time, more than its band. */
    kg__expectation time = { .value = 1000, .band = 0.02, .floor = 50, .gated = true };

    expect_verdict(judge(1050, &time), KG__PASS);
    expect_verdict(judge(1050.01, &time), KG__SLOWER);
    expect_verdict(judge(950, &time), KG__PASS);
    expect_verdict(judge(949.99, &time), KG__FASTER);
    /* A fraction that binary cannot hold, at the floor exactly. */
    time.value = 1000.1;
    time.floor = 50.2;
    expect_verdict(judge(1050.3, &time), KG__PASS);
    expect_verdict(judge(949.9, &time), KG__PASS);

    kg__judgement judgement = judge(1049, &time);

    cr_expect(fabs(judgement.smallest - 50.2 / 1000.1) < 1e-15, "the floor decides");
    cr_expect(fabs(judgement.limit - 0.02) < 1e-15, "the limit is the band's all the same");
}

Test(judge, beyond_the_floor_but_inside_the_band)
{
    kg__expectation time = usual_time();

    expect_verdict(judge(101000, &time), KG__PASS);
    expect_verdict(judge(99000, &time), KG__PASS);
}

Test(judge, three_sigma_decides_where_it_is_wider_than_the_band)
{
    double spread = 0.01; /* of the log */
    double step = spread / sqrt(0.5);
    const double sessions[] = { 100000, 100000 * exp(step) };
    kg__expectation time = usual_time();

    time.sessions = sessions;
    time.session_count = 2;

    kg__judgement at = judge(100000 * exp(3.0 * spread), &time);

    expect_verdict(at, KG__PASS);
    cr_expect(fabs(at.limit - expm1(3.0 * spread)) < 1e-12);
    cr_expect(at.smallest == at.limit);
    expect_verdict(judge(100000 * exp(3.0 * spread + 1e-9), &time), KG__SLOWER);
    expect_verdict(judge(100000 * exp(-3.0 * spread), &time), KG__PASS);
    expect_verdict(judge(100000 * exp(-3.0 * spread - 1e-9), &time), KG__FASTER);
}

Test(judge, sigma_is_never_believed_below_its_minimum)
{
    const double same[] = { 100000, 100000, 100000, 100000, 100000 };
    kg__expectation time = usual_time();

    time.band = 0.001;
    time.sessions = same;
    expect_verdict(judge(100000 * exp(3.0 * KG__SIGMA_MINIMUM), &time), KG__PASS);
    expect_verdict(judge(100000 * exp(3.0 * KG__SIGMA_MINIMUM + 1e-9), &time), KG__SLOWER);
    /* A single session shows no spread at all. */
    time.session_count = 1;
    expect_verdict(judge(100000 * exp(3.0 * KG__SIGMA_MINIMUM), &time), KG__PASS);
    expect_verdict(judge(100000 * exp(3.0 * KG__SIGMA_MINIMUM + 1e-9), &time), KG__SLOWER);
    /* Without sessions only the band is left. */
    time.sessions = NULL;
    time.session_count = 0;
    expect_verdict(judge(100000 * 1.001, &time), KG__PASS);
    expect_verdict(judge(100000 * 1.001 + 60, &time), KG__SLOWER);
}

Test(judge, counters_are_exact)
{
    kg__expectation requests = counter(9550600);

    expect_verdict(judge(9550600, &requests), KG__PASS);
    expect_verdict(judge(9550601, &requests), KG__SLOWER);
    expect_verdict(judge(9550599, &requests), KG__FASTER);
    /* One more in the largest count that a double holds exactly. */
    requests.value = 9007199254740991.0;
    expect_verdict(judge(9007199254740992.0, &requests), KG__SLOWER);
    expect_verdict(judge(9007199254740990.0, &requests), KG__FASTER);
    expect_verdict(judge(9007199254740991.0, &requests), KG__PASS);
}

Test(judge, counters_at_zero)
{
    kg__expectation none = counter(0);
    kg__expectation some = counter(100);

    kg__judgement unchanged = judge(0, &none);

    expect_verdict(unchanged, KG__PASS);
    cr_expect(unchanged.change == 0.0 && !unchanged.tripped);

    kg__interval one = exactly(1);
    kg__judgement risen = kg__judge(&one, &none, NULL, "");

    expect_verdict(risen, KG__SLOWER);
    cr_expect(risen.change == INFINITY && risen.tripped);
    expect_why(&risen, "rose (1 against 0)");

    kg__interval nothing = exactly(0);
    kg__judgement gone = kg__judge(&nothing, &some, NULL, "");

    expect_verdict(gone, KG__FASTER);
    cr_expect(gone.change == -1.0);
    /* With a band that a hand wrote it is no less of a counter. */
    some.band = 0.1;
    expect_verdict(kg__judge(&nothing, &some, NULL, ""), KG__FASTER);
}

Test(judge, a_floor_holds_from_zero_too)
{
    kg__expectation none = counter(0);

    none.floor = 5;
    expect_verdict(judge(5, &none), KG__PASS);
    expect_verdict(judge(6, &none), KG__SLOWER);
    expect_verdict(judge(0, &none), KG__PASS);
    cr_expect(judge(6, &none).smallest == INFINITY);
}

Test(judge, no_baseline)
{
    kg__judgement judgement = judge(5, NULL);

    expect_verdict(judgement, KG__NO_BASELINE);
    cr_expect(isnan(judgement.change) && isnan(judgement.limit) && isnan(judgement.smallest));
    cr_expect(!judgement.tripped);
    cr_expect_not_null(strstr(judgement.why, "ci/rebaseline"));
    expect_verdict(judge(0, NULL), KG__NO_BASELINE);
}

Test(judge, values_that_are_no_values)
{
    kg__expectation time = usual_time();
    kg__expectation exact = counter(7);
    static const double values[] = { NAN, INFINITY, -INFINITY, -1 };

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        expect_verdict(judge(values[i], &time), KG__ERROR);
        expect_verdict(judge(values[i], &exact), KG__ERROR);
        expect_verdict(judge(values[i], NULL), KG__ERROR);
        cr_expect(isnan(judge(values[i], &time).change));
    }
    time.gated = false;
    expect_verdict(judge(NAN, &time), KG__ERROR);
}

Test(judge, a_time_is_never_zero)
{
    kg__expectation with_band = { .value = 7, .band = 0.02, .gated = true };
    kg__expectation with_floor = { .value = 7, .floor = 50, .gated = true };
    kg__expectation with_sessions = {
        .value = 7, .sessions = calm, .session_count = 5, .gated = true
    };

    expect_verdict(judge(0, &with_band), KG__ERROR);
    expect_verdict(judge(0, &with_floor), KG__ERROR);
    expect_verdict(judge(0, &with_sessions), KG__ERROR);
}

Test(judge, intervals_that_are_no_intervals)
{
    kg__expectation time = usual_time();
    static const kg__interval broken[] = { { 100000, 100001, 100002 },
                                           { 100000, 99998, 99999 },
                                           { 100000, NAN, 100001 },
                                           { 100000, 99999, NAN },
                                           { 100000, 0, 0 } };

    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        expect_verdict(kg__judge(&broken[i], &time, NULL, "ns"), KG__ERROR);
}

Test(judge, baselines_that_are_no_baselines)
{
    static const double bad[] = { NAN, INFINITY, -1 };
    const double no_times[] = { 100000, -5 };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kg__expectation value = usual_time();
        kg__expectation band = usual_time();
        kg__expectation floor = usual_time();

        value.value = bad[i];
        band.band = bad[i];
        floor.floor = bad[i];
        expect_verdict(judge(100000, &value), KG__ERROR);
        expect_verdict(judge(100000, &band), KG__ERROR);
        expect_verdict(judge(100000, &floor), KG__ERROR);
    }

    kg__expectation time = usual_time();

    time.sessions = no_times;
    time.session_count = 2;
    expect_verdict(judge(100000, &time), KG__ERROR);
}

/* The logarithm of a value over -0 is not a number, which no limit is below. */
Test(judge, a_counter_of_minus_0_is_no_baseline)
{
    kg__expectation nothing = counter(0.0);
    kg__expectation minus = counter(-0.0);
    kg__interval some = { 7, 7, 7 };
    kg__interval none = { 0, 0, 0 };

    expect_verdict(kg__judge(&some, &nothing, NULL, ""), KG__SLOWER);
    expect_verdict(kg__judge(&some, &minus, NULL, ""), KG__ERROR);
    expect_verdict(kg__judge(&none, &nothing, NULL, ""), KG__PASS);
}

Test(judge, ungated_metrics_are_reported_only)
{
    kg__expectation time = usual_time();

    time.gated = false;

    kg__judgement slower = judge(200000, &time);

    cr_expect(slower.verdict == KG__PASS && !slower.tripped);
    cr_expect(slower.change == 1.0);
    expect_why(&slower,
               "not gated: slower by 100.0 % (200 000 ns against 100 000 ns, limit 2.0 %)");

    kg__judgement same = judge(100000, &time);

    cr_expect(same.verdict == KG__PASS);
    expect_why(&same, "not gated: unchanged at 100 000 ns");

    kg__interval wide = { 100000, 50000, 150000 };

    cr_expect(kg__judge(&wide, &time, NULL, "ns").verdict == KG__PASS);
}

Test(judge, the_figures_of_a_judgement)
{
    kg__expectation time = usual_time();
    kg__judgement pass = judge(101000, &time);
    kg__judgement slower = judge(103000, &time);
    kg__judgement faster = judge(97000, &time);

    cr_expect(fabs(pass.change - 0.01) < 1e-12 && !pass.tripped);
    cr_expect(fabs(slower.change - 0.03) < 1e-12 && slower.tripped);
    cr_expect(fabs(faster.change + 0.03) < 1e-12 && faster.tripped);
    cr_expect(fabs(pass.limit - 0.02) < 1e-12 && fabs(pass.smallest - 0.02) < 1e-12);
}

Test(judge, reasons_hold_the_figures)
{
    kg__expectation time = usual_time();
    kg__expectation small = { .value = 812.5, .band = 0.02, .floor = 50, .gated = true };
    kg__expectation requests = counter(9550600);
    kg__judgement judgement;

    time.value = 60010;
    judgement = judge(61870, &time);
    expect_why(&judgement, "slower by 3.1 % (61 870 ns against 60 010 ns, limit 2.0 %)");
    judgement = judge(58100.4, &time);
    expect_why(&judgement, "faster by 3.2 % (58 100 ns against 60 010 ns, limit 2.0 %)");
    /* As many digits as it takes to tell the change from its limit. */
    judgement = judge(61216, &time);
    expect_why(&judgement, "slower by 2.01 % (61 216 ns against 60 010 ns, limit 2.00 %)");
    judgement = judge(58831, &time);
    expect_why(&judgement, "faster by 1.965 % (58 831 ns against 60 010 ns, limit 1.961 %)");
    judgement = judge(900.25, &small);
    expect_why(&judgement, "slower by 10.8 % (900.3 ns against 812.5 ns, limit 6.2 %)");

    kg__interval more = exactly(9550601);

    judgement = kg__judge(&more, &requests, NULL, "");
    expect_why(&judgement, "rose by 0.00001 % (9 550 601 against 9 550 600)");

    kg__interval fewer = exactly(612680);

    judgement = kg__judge(&fewer, &requests, NULL, "");
    expect_why(&judgement, "fell by 93.6 % (612 680 against 9 550 600)");

    /* A band that was set by hand is a limit of a counter's too. */
    requests.band = 0.01;
    more = exactly(9741612);
    judgement = kg__judge(&more, &requests, NULL, "");
    expect_why(&judgement, "rose by 2.0 % (9 741 612 against 9 550 600, limit 1.0 %)");
}

Test(judge, reasons_of_enormous_figures_stay_readable)
{
    kg__expectation time = usual_time();
    kg__judgement judgement = judge(1e300, &time);

    expect_verdict(judgement, KG__SLOWER);
    cr_expect_not_null(strstr(judgement.why, "1e+300 ns against 100 000 ns"), "%s", judgement.why);
}

Test(judge, both_sides_of_the_noise_threshold)
{
    kg__expectation time = usual_time();
    kg__interval at = { 100000, 99400, 100400 }; /* 1.0 %, half the band */
    kg__interval beyond = { 100000, 99400, 100400.1 };

    expect_verdict(kg__judge(&at, &time, NULL, "ns"), KG__PASS);

    kg__judgement noisy = kg__judge(&beyond, &time, NULL, "ns");

    expect_verdict(noisy, KG__NOISY);
    cr_expect(!noisy.tripped);
}

Test(judge, noise_within_the_limits)
{
    kg__expectation time = usual_time();
    kg__interval wide = { 100000, 99000, 101500 };
    kg__judgement judgement = kg__judge(&wide, &time, NULL, "ns");

    expect_verdict(judgement, KG__NOISY);
    expect_why(&judgement,
               "too noisy: interval 2.5 %, needs 1.0 % (KG_CASE_SECONDS=2 measures longer)");
}

Test(judge, noise_without_enough_samples)
{
    kg__expectation time = usual_time();
    kg__interval unknown = { 100000, -INFINITY, INFINITY };
    kg__interval unknown_slow = { 110000, -INFINITY, INFINITY };
    kg__interval unknown_fast = { 90000, -INFINITY, INFINITY };
    kg__judgement judgement = kg__judge(&unknown, &time, NULL, "ns");

    expect_verdict(judgement, KG__NOISY);
    expect_why(&judgement, "too few samples to know how near 100 000 ns is to the truth");
    expect_verdict(kg__judge(&unknown_slow, &time, NULL, "ns"), KG__NOISY);
    expect_verdict(kg__judge(&unknown_fast, &time, NULL, "ns"), KG__NOISY);
}

Test(judge, a_wide_interval_that_reaches_back_is_noisy)
{
    kg__expectation time = usual_time();
    kg__interval slow_reaching = { 104000, 102000, 106000 };
    kg__interval slow_clear = { 104000, 102000.1, 106000 };
    kg__interval fast_reaching = { 96000, 94000, 100000 / 1.02 };
    kg__interval fast_clear = { 96000, 94000, 100000 / 1.02 - 0.1 };
    kg__judgement reaching = kg__judge(&slow_reaching, &time, NULL, "ns");

    expect_verdict(reaching, KG__NOISY);
    cr_expect(reaching.tripped, "noisy or not, it is to be confirmed");
    expect_verdict(kg__judge(&slow_clear, &time, NULL, "ns"), KG__SLOWER);
    expect_verdict(kg__judge(&fast_reaching, &time, NULL, "ns"), KG__NOISY);
    expect_verdict(kg__judge(&fast_clear, &time, NULL, "ns"), KG__FASTER);
}

/* A far away interval can be wide enough to reach across, to the other limit and beyond. */
Test(judge, a_wide_interval_that_reaches_across_is_noisy)
{
    kg__expectation time = usual_time();
    kg__interval across = { 104000, 90000, 110000 };

    expect_verdict(kg__judge(&across, &time, NULL, "ns"), KG__NOISY);
}

Test(judge, a_narrow_interval_may_touch_the_limit)
{
    kg__expectation time = usual_time();
    kg__interval narrow = { 102100, 101600, 102600 };

    expect_verdict(kg__judge(&narrow, &time, NULL, "ns"), KG__SLOWER);
}

Test(judge, counters_are_never_noisy)
{
    kg__expectation exact = counter(100);
    kg__interval wide = { 100, 10, 1000 };

    expect_verdict(kg__judge(&wide, &exact, NULL, ""), KG__PASS);
}

Test(judge, throttling_takes_the_blame_for_a_move)
{
    kg__expectation time = usual_time();
    kg__surroundings throttled = calm_surroundings();
    kg__interval slower = exactly(110000);
    kg__interval faster = exactly(90000);
    kg__interval same = exactly(100000);
    kg__interval at = exactly(102000);
    kg__interval noisy = { 100000, 90000, 110000 };
    kg__interval noisy_and_slower = { 104000, 100000, 108000 };

    throttled.throttled = true;

    kg__judgement judgement = kg__judge(&slower, &time, &throttled, "ns");

    expect_verdict(judgement, KG__ENVIRONMENT);
    cr_expect(judgement.tripped);
    expect_why(&judgement, "the card throttled: slower by 10.0 % (110 000 ns against 100 000 ns, "
                           "limit 2.0 %)");
    expect_verdict(kg__judge(&faster, &time, &throttled, "ns"), KG__ENVIRONMENT);
    expect_verdict(kg__judge(&noisy_and_slower, &time, &throttled, "ns"), KG__ENVIRONMENT);
    /* Where nothing moved there is nothing to be blamed for. */
    expect_verdict(kg__judge(&same, &time, &throttled, "ns"), KG__PASS);
    expect_verdict(kg__judge(&at, &time, &throttled, "ns"), KG__PASS);
    expect_verdict(kg__judge(&noisy, &time, &throttled, "ns"), KG__NOISY);
}

Test(judge, other_processes_on_the_card_take_the_blame_for_a_move)
{
    kg__expectation time = usual_time();
    kg__surroundings busy = calm_surroundings();
    kg__interval slower = exactly(110000);
    kg__interval faster = exactly(90000);
    kg__interval at = exactly(102000);

    busy.foreign_processes = 2;

    kg__judgement judgement = kg__judge(&slower, &time, &busy, "ns");

    expect_verdict(judgement, KG__ENVIRONMENT);
    cr_expect(judgement.tripped);
    expect_why(&judgement, "2 other processes computed on the card: slower by 10.0 % (110 000 ns "
                           "against 100 000 ns, limit 2.0 %)");
    expect_verdict(kg__judge(&faster, &time, &busy, "ns"), KG__ENVIRONMENT);
    expect_verdict(kg__judge(&at, &time, &busy, "ns"), KG__PASS);
    busy.foreign_processes = 1;
    judgement = kg__judge(&slower, &time, &busy, "ns");
    expect_why(&judgement, "1 other process computed on the card: slower by 10.0 % (110 000 ns "
                           "against 100 000 ns, limit 2.0 %)");
    busy.foreign_processes = 0;
    expect_verdict(kg__judge(&slower, &time, &busy, "ns"), KG__SLOWER);
}

Test(judge, the_same_code_takes_the_blame_from_a_slower_time_alone)
{
    kg__expectation time = usual_time();
    kg__expectation count = counter(100);
    kg__surroundings same = calm_surroundings();
    kg__interval slower = exactly(110000);
    kg__interval noisy_and_slower = { 104000, 100000, 108000 };
    kg__interval faster = exactly(90000);
    kg__interval at = exactly(102000);
    kg__interval more = exactly(110);

    same.same_code = true;

    kg__judgement judgement = kg__judge(&slower, &time, &same, "ns");

    expect_verdict(judgement, KG__ENVIRONMENT);
    cr_expect(judgement.tripped);
    expect_why(
        &judgement,
        "its machine code is the baseline's, and so is its launch: slower by 10.0 % (110 000 "
        "ns against 100 000 ns, limit 2.0 %); the machine moved");
    expect_verdict(kg__judge(&noisy_and_slower, &time, &same, "ns"), KG__ENVIRONMENT);
    expect_verdict(kg__judge(&faster, &time, &same, "ns"), KG__FASTER);
    expect_verdict(kg__judge(&at, &time, &same, "ns"), KG__PASS);
    expect_verdict(kg__judge(&more, &count, &same, ""), KG__SLOWER);
}

/* The longest reason that there is must not lose its end, where the machine is named. */
Test(judge, the_same_code_is_told_in_full)
{
    kg__expectation time = usual_time();
    kg__surroundings same = calm_surroundings();
    kg__interval slower = exactly(9e14);

    time.value = 1e14;
    same.same_code = true;

    kg__judgement judgement = kg__judge(&slower, &time, &same, "ns");

    cr_expect(strstr(judgement.why, "; the machine moved") != NULL, "%s", judgement.why);
}

Test(judge, the_first_evidence_is_named)
{
    kg__expectation time = usual_time();
    kg__surroundings all = calm_surroundings();
    kg__interval slower = exactly(110000);

    all.throttled = true;
    all.foreign_processes = 1;
    all.sentinel_move[0] = log(1.1);
    all.same_code = true;
    cr_expect(strstr(kg__judge(&slower, &time, &all, "ns").why, "the card throttled: ") != NULL);
    all.throttled = false;
    cr_expect(strstr(kg__judge(&slower, &time, &all, "ns").why, "1 other process ") != NULL);
    all.foreign_processes = 0;
    cr_expect(strstr(kg__judge(&slower, &time, &all, "ns").why, "the copy sentinel ") != NULL);
    all.sentinel_move[0] = 0.0;
    cr_expect(strstr(kg__judge(&slower, &time, &all, "ns").why, "its machine code ") != NULL);
    all.same_code = false;
    expect_verdict(kg__judge(&slower, &time, &all, "ns"), KG__SLOWER);
}

Test(judge, calm_surroundings_change_nothing)
{
    kg__expectation time = usual_time();
    kg__surroundings calm_ones = calm_surroundings();
    kg__interval slower = exactly(110000);
    kg__interval faster = exactly(90000);

    expect_verdict(kg__judge(&slower, &time, &calm_ones, "ns"), KG__SLOWER);
    expect_verdict(kg__judge(&faster, &time, &calm_ones, "ns"), KG__FASTER);
}

Test(judge, a_sentinel_that_moved_along_takes_the_blame)
{
    kg__expectation time = usual_time();
    kg__surroundings copy_moved = calm_surroundings();
    kg__surroundings fma_moved = calm_surroundings();
    kg__interval slower = exactly(103000);
    kg__judgement judgement;

    copy_moved.sentinel_move[0] = log(1.029);
    judgement = kg__judge(&slower, &time, &copy_moved, "ns");
    expect_verdict(judgement, KG__ENVIRONMENT);
    expect_why(&judgement, "the copy sentinel moved by +2.9 % (limit 1.0 %): slower by 3.0 % (103 "
                           "000 ns against 100 000 ns, limit 2.0 %)");
    fma_moved.sentinel_move[1] = log(1.029);
    judgement = kg__judge(&slower, &time, &fma_moved, "ns");
    expect_verdict(judgement, KG__ENVIRONMENT);
    cr_expect_not_null(strstr(judgement.why, "the fma sentinel moved by +2.9 %"));
}

Test(judge, a_sentinel_that_sped_up_explains_a_faster_case)
{
    kg__expectation time = usual_time();
    kg__surroundings around = calm_surroundings();
    kg__interval faster = exactly(96000);

    around.sentinel_move[0] = log(0.97);

    kg__judgement judgement = kg__judge(&faster, &time, &around, "ns");

    expect_verdict(judgement, KG__ENVIRONMENT);
    cr_expect_not_null(strstr(judgement.why, "the copy sentinel moved by -3.0 % (limit 1.0 %): "
                                             "faster by 4.0 %"),
                       "%s", judgement.why);
}

/* A sentinel's move within its own noise is not an evidence, even where it would be enough. */
Test(judge, both_sides_of_a_sentinels_own_limit)
{
    kg__expectation time = usual_time();
    kg__surroundings around = calm_surroundings();
    kg__interval slower = exactly(102500);

    around.sentinel_move[0] = 0.01;
    expect_verdict(kg__judge(&slower, &time, &around, "ns"), KG__SLOWER);
    around.sentinel_move[0] = 0.0100001;
    expect_verdict(kg__judge(&slower, &time, &around, "ns"), KG__ENVIRONMENT);
}

Test(judge, both_sides_of_a_sentinels_explanation)
{
    kg__expectation time = usual_time();
    kg__surroundings around = calm_surroundings();
    kg__interval slower = exactly(102000 * exp(0.02));

    around.sentinel_move[0] = 0.02;
    expect_verdict(kg__judge(&slower, &time, &around, "ns"), KG__ENVIRONMENT);
    around.sentinel_move[0] = 0.0199999;
    expect_verdict(kg__judge(&slower, &time, &around, "ns"), KG__SLOWER);
    /* A sentinel that moved so far that the case would be faster without it explains nothing. */
    around.sentinel_move[0] = 0.2;
    expect_verdict(kg__judge(&slower, &time, &around, "ns"), KG__SLOWER);
}

Test(judge, a_sentinel_that_moved_the_other_way_explains_nothing)
{
    kg__expectation time = usual_time();
    kg__surroundings around = calm_surroundings();
    kg__interval slower = exactly(103000);

    around.sentinel_move[0] = -0.03;
    around.sentinel_move[1] = -0.03;
    expect_verdict(kg__judge(&slower, &time, &around, "ns"), KG__SLOWER);
}

Test(judge, a_sentinel_brings_a_case_back_within_its_floor)
{
    kg__expectation time = { .value = 1000, .band = 0.02, .floor = 50, .gated = true };
    kg__surroundings around = calm_surroundings();
    kg__interval slower = exactly(1070);

    around.sentinel_move[0] = 0.03; /* leaves 3.8 %, more than the band and less than the floor */
    expect_verdict(kg__judge(&slower, &time, &around, "ns"), KG__ENVIRONMENT);
    around.sentinel_move[0] = 0.015; /* leaves 5.4 % */
    expect_verdict(kg__judge(&slower, &time, &around, "ns"), KG__SLOWER);
}

Test(judge, sentinels_without_a_baseline_explain_nothing)
{
    kg__expectation time = usual_time();
    kg__surroundings around = { .sentinel_move = { NAN, NAN }, .sentinel_limit = { NAN, NAN } };
    kg__interval slower = exactly(103000);

    expect_verdict(kg__judge(&slower, &time, &around, "ns"), KG__SLOWER);
    around.sentinel_move[0] = 0.03;
    expect_verdict(kg__judge(&slower, &time, &around, "ns"), KG__SLOWER);
    around.sentinel_move[0] = INFINITY;
    around.sentinel_limit[0] = 0.01;
    expect_verdict(kg__judge(&slower, &time, &around, "ns"), KG__SLOWER);
    around.sentinel_move[0] = NAN;
    around.sentinel_move[1] = 0.03;
    around.sentinel_limit[1] = 0.01;
    expect_verdict(kg__judge(&slower, &time, &around, "ns"), KG__ENVIRONMENT);
}

/* How slow a verdict says that a case is. */
static int slowness(kg__verdict verdict)
{
    return verdict == KG__FASTER ? -1 : verdict == KG__SLOWER ? 1 : 0;
}

Test(judge, a_larger_value_is_never_judged_better)
{
    static const double widths[] = { 0.0, 0.005, 0.0099, 0.0101, 0.02, 0.1 };
    static const double floors[] = { 0, 50, 1000, 5000 };
    static const double bands[] = { 0.0, 0.005, 0.02, 0.1 };

    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        for (size_t f = 0; f < sizeof floors / sizeof *floors; f++) {
            for (size_t b = 0; b < sizeof bands / sizeof *bands; b++) {
                kg__expectation time = usual_time();
                int before = -1;
                bool slower_seen = false;

                time.floor = floors[f];
                time.band = bands[b];
                for (int step = 0; step < 1542; step++) {
                    double value = 50000.0 + 97.3 * step;
                    kg__interval observed = { value, value * (1.0 - 0.5 * widths[w]),
                                              value * (1.0 + 0.5 * widths[w]) };
                    kg__judgement judgement = kg__judge(&observed, &time, NULL, "ns");
                    int now = slowness(judgement.verdict);

                    cr_assert(now >= before, "%g ns: %s", value, judgement.why);
                    cr_assert(judgement.verdict <= KG__SLOWER &&
                              judgement.verdict != KG__ENVIRONMENT);
                    cr_assert(judgement.tripped || now == 0, "only a tripped case moves");
                    before = now;
                    slower_seen = slower_seen || now == 1;
                }
                cr_assert(slower_seen, "twice the time is always slower");
            }
        }
    }
}

Test(judge, wider_limits_never_judge_worse)
{
    for (int at = 0; at < 42; at++) {
        double value = 90000.0 + 501.7 * at;
        bool tripped = true;

        for (int step = 0; step < 154; step++) {
            double band = 0.0013 * step;
            kg__expectation time = usual_time();

            time.band = band;

            kg__judgement judgement = judge(value, &time);

            cr_assert(tripped || !judgement.tripped, "%g ns at a band of %g", value, band);
            tripped = judgement.tripped;
        }
    }
}

static void expect_exit(const kg__tally *tally, int plain, int strict)
{
    int plain_got = kg__exit_code(tally, false);
    int strict_got = kg__exit_code(tally, true);

    cr_expect(plain_got == plain && strict_got == strict,
              "expected %d and strict %d, got %d and %d", plain, strict, plain_got, strict_got);
}

static kg__tally with(kg__verdict verdict)
{
    kg__tally tally = { .verdicts = { [KG__PASS] = 10 } };

    tally.verdicts[verdict]++;
    return tally;
}

Test(exit_code, each_verdict_beside_passes)
{
    static const struct {
        kg__verdict verdict;
        int plain, strict;
    } table[] = {
        { KG__PASS, 0, 0 },  { KG__FASTER, 0, 0 },      { KG__NO_BASELINE, 0, 1 },
        { KG__NOISY, 0, 1 }, { KG__ENVIRONMENT, 0, 1 }, { KG__SLOWER, 1, 1 },
        { KG__WRONG, 1, 1 }, { KG__ERROR, 2, 2 },
    };

    cr_assert(sizeof table / sizeof *table == KG__VERDICTS);
    for (size_t i = 0; i < KG__VERDICTS; i++) {
        kg__tally tally = with(table[i].verdict);

        expect_exit(&tally, table[i].plain, table[i].strict);
    }
}

/* All but no-baseline count as judged, even when no case passed. */
Test(exit_code, each_verdict_alone)
{
    static const struct {
        kg__verdict verdict;
        int plain, strict;
    } table[] = {
        { KG__PASS, 0, 0 },  { KG__FASTER, 0, 0 },      { KG__NO_BASELINE, 77, 2 },
        { KG__NOISY, 0, 1 }, { KG__ENVIRONMENT, 0, 1 }, { KG__SLOWER, 1, 1 },
        { KG__WRONG, 1, 1 }, { KG__ERROR, 2, 2 },
    };

    for (size_t i = 0; i < KG__VERDICTS; i++) {
        kg__tally tally = { .verdicts = { 0 } };

        tally.verdicts[table[i].verdict] = 3;
        expect_exit(&tally, table[i].plain, table[i].strict);
    }
}

Test(exit_code, what_is_outside_of_cases)
{
    kg__tally vanished = with(KG__PASS);
    kg__tally unlisted = with(KG__PASS);
    kg__tally claim = with(KG__PASS);
    kg__tally broken = with(KG__PASS);

    vanished.vanished = 1;
    expect_exit(&vanished, 1, 1);
    unlisted.unlisted = 1;
    expect_exit(&unlisted, 0, 1);
    claim.failed_claims = 1;
    expect_exit(&claim, 1, 1);
    broken.broken = 1;
    expect_exit(&broken, 2, 2);
}

Test(exit_code, an_error_outweighs_a_regression)
{
    kg__tally error = with(KG__ERROR);
    kg__tally broken = with(KG__SLOWER);

    error.verdicts[KG__SLOWER] = 1;
    expect_exit(&error, 2, 2);
    broken.broken = 1;
    expect_exit(&broken, 2, 2);
}

Test(exit_code, nothing_at_all_is_an_error)
{
    kg__tally nothing = { .verdicts = { 0 } };
    kg__tally only_vanished = { .vanished = 3 };

    expect_exit(&nothing, 2, 2);
    expect_exit(&only_vanished, 2, 2);
}

Test(exit_code, nothing_judged_for_a_reason)
{
    kg__tally unavailable = { .unavailable = 2 };
    kg__tally filtered = { .filtered_out = 2 };
    kg__tally both = { .unavailable = 1, .filtered_out = 1 };
    kg__tally unrecorded = { .verdicts = { [KG__NO_BASELINE] = 4 }, .filtered_out = 1 };

    expect_exit(&unavailable, 77, 2);
    expect_exit(&filtered, 77, 77);
    expect_exit(&both, 77, 2);
    expect_exit(&unrecorded, 77, 2);
}

/* A deleted case cannot hide behind a filter. */
Test(exit_code, vanished_cases_beside_nothing_judged)
{
    kg__tally filtered = { .filtered_out = 2, .vanished = 1 };
    kg__tally unavailable = { .unavailable = 2, .vanished = 1 };

    expect_exit(&filtered, 1, 1);
    expect_exit(&unavailable, 1, 2);
}

Test(exit_code, failures_outweigh_nothing_judged)
{
    kg__tally claim = { .filtered_out = 2, .failed_claims = 1 };
    kg__tally broken = { .unavailable = 2, .broken = 1 };

    expect_exit(&claim, 1, 1);
    expect_exit(&broken, 2, 2);
}

Test(exit_code, some_judged_and_some_not)
{
    kg__tally unavailable = with(KG__PASS);
    kg__tally filtered = with(KG__PASS);
    kg__tally noisy = with(KG__NOISY);
    kg__tally slower = with(KG__SLOWER);

    unavailable.unavailable = 1;
    expect_exit(&unavailable, 0, 2);
    filtered.filtered_out = 5;
    expect_exit(&filtered, 0, 0);
    /* What strict mode takes for an error outweighs what it takes for a failure ... */
    noisy.unavailable = 1;
    expect_exit(&noisy, 0, 2);
    /* ... and a regression that was found is one in either mode. */
    slower.unavailable = 1;
    expect_exit(&slower, 1, 1);
}
