/* Recording: what several sessions make of a line of the baseline. */
#include "baseline/make_baseline.h"
#include "base/statistics.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static kg__baseline baseline;

static kg__baseline_case *entry(void)
{
    return kg__baseline_add(&baseline, "matmul/naive/530/b16");
}

static void release(void)
{
    kg__baseline_free(&baseline);
}

TestSuite(recording, .fini = release);

/* Adds a metric as an earlier recording left it: `count` equal sessions. */
static kg__baseline_metric *recorded_metric(const char *name, double value, double band,
                                            size_t count)
{
    kg__baseline_metric *metric = kg__baseline_add_metric(entry(), name);
    double *sessions = kg__allocate(count, sizeof *sessions);

    for (size_t i = 0; i < count; i++)
        sessions[i] = value;
    metric->value = value;
    metric->band = band;
    metric->floor = KG__TIME_FLOOR_NS;
    kg__baseline_set_sessions(metric, sessions, count);
    free(sessions);
    return metric;
}

static kg__change record(const char *name, const double *sessions, double *old_value)
{
    return kg__record_time(entry(), name, sessions, 5, false, old_value);
}

Test(recording, a_new_metric)
{
    static const double sessions[] = { 60010.4, 59930.6, 60180, 60020, 59990 };
    double old_value = 0;
    const kg__baseline_metric *metric;

    cr_assert(record("time_ns", sessions, &old_value) == KG__NEW);
    cr_assert(isnan(old_value));
    metric = kg__baseline_metric_of(entry(), "time_ns");
    cr_assert(metric != NULL);
    cr_assert(metric->value == 60010);
    cr_assert(metric->band == KG__BAND_MINIMUM);
    cr_assert(metric->floor == KG__TIME_FLOOR_NS);
    cr_assert(metric->gated && !metric->band_by_hand);
    cr_assert(metric->session_count == 5);
    cr_assert(metric->sessions[0] == 60010 && metric->sessions[1] == 59931);
}

/* The value is the median of what was measured, in the order of the sessions, which stays. */
Test(recording, the_sessions_keep_their_order)
{
    static const double sessions[] = { 30000, 10000, 20000, 50000, 40000 };
    double old_value;
    const kg__baseline_metric *metric;

    cr_assert(record("time_ns", sessions, &old_value) == KG__NEW);
    metric = kg__baseline_metric_of(entry(), "time_ns");
    cr_assert(metric->value == 30000);
    for (size_t i = 0; i < 5; i++)
        cr_assert(metric->sessions[i] == sessions[i]);
}

/* 0.1 ns below 1 us, 0.5 ns below 10 us, whole nanoseconds above. */
Test(recording, figures_are_rounded)
{
    static const struct {
        double measured;
        double stored;
    } figures[] = {
        { 512.3456, 512.3 }, { 999.94, 999.9 },   { 999.96, 1000 },
        { 1000.2, 1000 },    { 3652.26, 3652.5 }, { 9999.7, 9999.5 },
        { 9999.8, 10000 },   { 10000.4, 10000 },  { 341234.5, 341235.0 },
    };

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        double sessions[5];
        double old_value;
        const kg__baseline_metric *metric;

        for (size_t j = 0; j < 5; j++)
            sessions[j] = figures[i].measured;
        release();
        cr_assert(record("time_ns", sessions, &old_value) == KG__NEW);
        metric = kg__baseline_metric_of(entry(), "time_ns");
        cr_assert(epsilon_eq(dbl, metric->value, figures[i].stored, 1e-9));
        cr_assert(epsilon_eq(dbl, metric->sessions[4], figures[i].stored, 1e-9));
    }
}

/* Five sessions at 1, r, 1, r, 1 have the log deviation ln(r) sqrt(0.3): three of them, rounded up
 * to 0.1 %, are the band. */
static void alternate(double *sessions, double ratio)
{
    for (size_t i = 0; i < 5; i++)
        sessions[i] = i % 2 == 0 ? 100000 : 100000 * ratio;
}

Test(recording, the_band_follows_from_the_noise)
{
    double sessions[5];
    double old_value;
    const kg__baseline_metric *metric;
    double expected;

    alternate(sessions, 1.018);
    expected = expm1(3 * log(1.018) * sqrt(0.3));
    cr_assert(record("time_ns", sessions, &old_value) == KG__NEW);
    metric = kg__baseline_metric_of(entry(), "time_ns");
    cr_assert(epsilon_eq(dbl, metric->band, ceil(expected * 1000) / 1000, 1e-12));
    cr_assert(metric->band >= expected && metric->band < expected + 0.001);
    cr_assert(metric->gated);
}

/* Beyond 5 % a band is too wide to find anything by, on either side of that limit. What five
 * sessions say of the noise is not exact: it counts as 1.55 times what they say. */
Test(recording, what_may_be_too_noisy_is_not_gated)
{
    double most = log1p(KG__GATED_LIMIT) / 3 / kg__deviation_bound(1, 5);
    double limit = exp(most / sqrt(0.3));
    double sessions[5];
    double old_value;

    alternate(sessions, limit - 1e-4);
    cr_assert(record("time_ns", sessions, &old_value) == KG__NEW);
    cr_assert(kg__baseline_metric_of(entry(), "time_ns")->gated);
    cr_assert(lt(dbl, kg__noise_bound(sessions, 5), KG__GATED_LIMIT));
    alternate(sessions, limit + 1e-4);
    cr_assert(record("cold_time_ns", sessions, &old_value) == KG__NEW);
    cr_assert(not(kg__baseline_metric_of(entry(), "cold_time_ns")->gated));
    cr_assert(lt(dbl, KG__GATED_LIMIT, kg__noise_bound(sessions, 5)));
    cr_assert(lt(dbl, kg__baseline_metric_of(entry(), "cold_time_ns")->band, KG__GATED_LIMIT));
}

/* The more sessions, the less their noise may be beyond what they show, and never is it believed to
 * be less than the smallest that is. */
Test(recording, more_sessions_know_the_noise_better)
{
    double sessions[28];
    double bound = INFINITY;

    for (size_t i = 0; i < 28; i++)
        sessions[i] = i % 2 == 0 ? 100000 : 102000;
    for (size_t count = 4; count <= 28; count += 4) {
        cr_assert(lt(dbl, kg__noise_bound(sessions, count), bound));
        bound = kg__noise_bound(sessions, count);
        cr_assert(lt(dbl, kg__noise(sessions, count), bound));
    }
    cr_assert(isinf(kg__noise_bound(sessions, 1)));
    for (size_t i = 0; i < 28; i++)
        sessions[i] = 100000;
    cr_assert(epsilon_eq(dbl, kg__noise_bound(sessions, 28), expm1(3 * KG__SIGMA_MINIMUM), 1e-15));
}

static void repeat(double *sessions, double value)
{
    for (size_t i = 0; i < 5; i++)
        sessions[i] = value;
}

/* Within the band nothing changes, not even the sessions; beyond it, all but a hand's band. */
Test(recording, only_what_moved_is_rewritten)
{
    kg__baseline_metric *metric = recorded_metric("time_ns", 100000, 0.03, 6);
    double sessions[5];
    double old_value = 0;

    repeat(sessions, 102999);
    cr_assert(record("time_ns", sessions, &old_value) == KG__UNCHANGED);
    cr_assert(old_value == 100000 && metric->value == 100000 && metric->session_count == 6);
    cr_assert(metric->sessions[0] == 100000 && metric->band == 0.03);
    repeat(sessions, 100000 / 1.0299);
    cr_assert(record("time_ns", sessions, &old_value) == KG__UNCHANGED);

    repeat(sessions, 103001);
    cr_assert(record("time_ns", sessions, &old_value) == KG__MOVED);
    cr_assert(old_value == 100000 && metric->value == 103001 && metric->session_count == 5);
    cr_assert(metric->band == KG__BAND_MINIMUM);
    cr_assert(metric->sessions[4] == 103001);

    repeat(sessions, 90000);
    cr_assert(record("time_ns", sessions, &old_value) == KG__MOVED);
    cr_assert(old_value == 103001 && metric->value == 90000);
}

/* 50 ns of 500 are 10 %, and still less than a launch's cost varies. */
Test(recording, the_floor_counts_as_the_band_does)
{
    kg__baseline_metric *metric = recorded_metric("time_ns", 500, 0.02, 5);
    double sessions[5];
    double old_value;

    repeat(sessions, 549);
    cr_assert(record("time_ns", sessions, &old_value) == KG__UNCHANGED);
    repeat(sessions, 551);
    cr_assert(record("time_ns", sessions, &old_value) == KG__MOVED);
    cr_assert(metric->value == 551);
    metric->floor = 200;
    repeat(sessions, 700);
    cr_assert(record("time_ns", sessions, &old_value) == KG__UNCHANGED);
    repeat(sessions, 800);
    cr_assert(record("time_ns", sessions, &old_value) == KG__MOVED);
    cr_assert(metric->floor == 200, "a floor is kept");
}

Test(recording, a_band_set_by_hand_stays)
{
    kg__baseline_metric *metric = recorded_metric("time_ns", 100000, 0.01, 5);
    double sessions[5];
    double old_value;

    metric->band_by_hand = true;
    alternate(sessions, 1.02);
    for (size_t i = 0; i < 5; i++)
        sessions[i] *= 2;
    cr_assert(record("time_ns", sessions, &old_value) == KG__MOVED);
    cr_assert(metric->band == 0.01 && metric->band_by_hand && metric->value == 200000);
}

/* With the band a hand decides what is judged, however quiet or noisy the sessions are: lint asks
 * no more of it. */
Test(recording, a_gate_set_by_hand_stays)
{
    kg__baseline_metric *metric = recorded_metric("time_ns", 100000, 0.02, 5);
    double sessions[5];
    double old_value;

    metric->band_by_hand = true;
    metric->gated = false;
    repeat(sessions, 110000);
    cr_assert(record("time_ns", sessions, &old_value) == KG__MOVED);
    cr_assert(not(metric->gated));
    metric->gated = true;
    alternate(sessions, 1.2);
    cr_assert(lt(dbl, KG__GATED_LIMIT, kg__noise(sessions, 5)));
    for (size_t i = 0; i < 5; i++)
        sessions[i] *= 2;
    cr_assert(record("time_ns", sessions, &old_value) == KG__MOVED);
    cr_assert(metric->gated);
}

/* A line that rests on too few sessions is recorded again, wherever it stands. */
Test(recording, too_few_sessions_are_not_kept)
{
    kg__baseline_metric *metric =
        recorded_metric("time_ns", 100000, 0.02, KG__SESSIONS_MINIMUM - 1);
    double sessions[5];
    double old_value;

    repeat(sessions, 100001);
    cr_assert(record("time_ns", sessions, &old_value) == KG__MOVED);
    cr_assert(metric->value == 100001 && metric->session_count == 5);
}

Test(recording, sessions_that_disagree)
{
    static const double agreeing[] = { 100000, 109999, 104000, 105000, 103000 };
    static const double apart[] = { 100000, 110100, 104000, 105000, 103000 };
    static const double near_the_floor[] = { 300, 350, 310, 320, 330 };
    static const double beyond_the_floor[] = { 300, 350.1, 310, 320, 330 };
    kg__error error = { "" };

    cr_assert(kg__sessions_agree(agreeing, 5, &error));
    cr_assert(kg__sessions_agree(near_the_floor, 5, &error));
    cr_assert(eq(str, error.text, ""));
    cr_assert(not(kg__sessions_agree(apart, 5, &error)));
    cr_assert(strstr(error.text, "the sessions disagree") != NULL, "%s", error.text);
    cr_assert(strstr(error.text, "100 000 ns to 110 100 ns") != NULL, "%s", error.text);
    cr_assert(not(kg__sessions_agree(beyond_the_floor, 5, &error)));
}

/* Sessions of another board of the same model join those that are there, and the line holds for
 * both. */
Test(recording, merged_sessions_join_the_old_ones)
{
    static const double others[] = { 104000, 104100, 103900, 104000, 104200.4 };
    kg__baseline_metric *metric = recorded_metric("time_ns", 100000, 0.02, 5);
    double old_value;

    cr_assert(kg__record_time(entry(), "time_ns", others, 5, true, &old_value) == KG__MOVED);
    cr_assert(old_value == 100000);
    cr_assert(metric->session_count == 10);
    for (size_t i = 0; i < 10; i++)
        cr_assert(metric->sessions[i] == (i < 5 ? 100000 : round(others[i - 5])));
    cr_assert(metric->value == 101950 || metric->value == 102000, "%g", metric->value);
    cr_assert(lt(dbl, 0.06, metric->band), "the boards' difference is noise of the baseline's");
    cr_assert(not(metric->gated));

    cr_assert(kg__record_time(entry(), "cold_time_ns", others, 5, true, &old_value) == KG__NEW);
    cr_assert(kg__baseline_metric_of(entry(), "cold_time_ns")->session_count == 5);
}

/* Within the band too: a merge is asked for. */
Test(recording, a_merge_always_rewrites)
{
    kg__baseline_metric *metric = recorded_metric("time_ns", 100000, 0.02, 5);
    double sessions[5];
    double old_value;

    metric->band_by_hand = true;
    repeat(sessions, 100400);
    cr_assert(kg__record_time(entry(), "time_ns", sessions, 5, true, &old_value) == KG__MOVED);
    cr_assert(metric->session_count == 10 && metric->value == 100200 && metric->band == 0.02);
}

Test(recording, counts)
{
    kg__baseline_metric *metric;
    double old_value = NAN;

    cr_assert(kg__record_count(entry(), "barriers", 0, &old_value) == KG__UNCHANGED);
    cr_assert(old_value == 0 && entry()->metric_count == 0, "0 is omitted");
    cr_assert(kg__record_count(entry(), "barriers", 5, &old_value) == KG__NEW);
    metric = kg__baseline_metric_of(entry(), "barriers");
    cr_assert(metric->value == 5 && metric->band == 0 && metric->gated);
    metric->band = 0.1;
    metric->band_by_hand = true;
    cr_assert(kg__record_count(entry(), "barriers", 5, &old_value) == KG__UNCHANGED);
    cr_assert(kg__record_count(entry(), "barriers", 6, &old_value) == KG__MOVED);
    cr_assert(old_value == 5 && metric->value == 6 && metric->band == 0.1, "20 %% is beyond 10");
    cr_assert(kg__record_count(entry(), "barriers", 100, &old_value) == KG__MOVED);
    cr_assert(kg__record_count(entry(), "barriers", 109, &old_value) == KG__UNCHANGED);
    cr_assert(metric->value == 100, "or it would creep");
    cr_assert(kg__record_count(entry(), "barriers", 111, &old_value) == KG__MOVED);
    cr_assert(kg__record_count(entry(), "barriers", 0, &old_value) == KG__MOVED);
    cr_assert(old_value == 111 && entry()->metric_count == 0);
}

Test(recording, lines_of_counts)
{
    kg__lines *lines = kg__lines_make();

    kg__lines_at(lines, "k.cu", 4, 14)->value[KG__BARRIERS] = 1;
    kg__lines_at(lines, "k.cu", 4, 9)->value[KG__BARRIERS] = 2;
    (void)kg__lines_at(lines, "k.cu", 4, 20);
    cr_assert(not(kg__record_lines(entry(), NULL)));
    cr_assert(kg__record_lines(entry(), lines));
    cr_assert(entry()->lines->count == 2);
    cr_assert(not(kg__record_lines(entry(), lines)));
    kg__lines_at(lines, "k.cu", 4, 14)->value[KG__BARRIERS] = 0;
    cr_assert(kg__record_lines(entry(), lines));
    cr_assert(kg__record_lines(entry(), NULL) && entry()->lines == NULL);
    kg__lines_free(lines);
}

/* kg__counts_agree() of two records. */
static bool agree(json_t *one, json_t *other, kg__error *error)
{
    kg__observation *first = kg__observation_read(one, NULL);
    kg__observation *second = kg__observation_read(other, NULL);
    bool agreed;

    cr_assert(first != NULL && second != NULL);
    agreed = kg__counts_agree(first, second, error);
    kg__observation_release(first);
    kg__observation_release(second);
    return agreed;
}

Test(recording, counts_that_repeat_and_counts_that_do_not)
{
    json_t *one =
        json_pack("{s:s, s:{s:{s:I}}, s:{s:{s:i}}}", "event", "measured", "metrics", "barriers",
                  "value", (json_int_t)12345, "lines", "k.cu:1", "shuffles", 7);
    json_t *other = json_deep_copy(one);
    kg__error error = { "" };

    cr_assert(agree(one, other, &error));
    json_integer_set(
        json_object_get(json_object_get(json_object_get(other, "metrics"), "barriers"), "value"),
        12346);
    cr_assert(not(agree(one, other, &error)));
    cr_assert(strstr(error.text, "barriers is 12 345 in one run and 12 346 in another: "
                                 "counts have to repeat") == error.text,
              "%s", error.text);
    json_object_set(other, "metrics", json_object_get(one, "metrics"));
    json_integer_set(
        json_object_get(json_object_get(json_object_get(other, "lines"), "k.cu:1"), "shuffles"), 8);
    cr_assert(not(agree(one, other, &error)));
    cr_assert(strstr(error.text, "its lines have other counts") == error.text);
    json_object_del(other, "lines");
    cr_assert(not(agree(one, other, &error)));
    json_object_del(one, "lines");
    cr_assert(agree(one, other, &error));
    json_decref(one);
    json_decref(other);
}
