#include "baseline/make_baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "base/text.h"
#include "suite/counters.h"

/* Four digits below 1 us, whole nanoseconds above 10 us: finer than any band, and easy to read in a
 * diff. */
static double rounded(double value)
{
    double unit = value < 1000 ? 0.1 : value < 10000 ? 0.5 : 1;

    return round(value / unit) * unit;
}

static double median_of_copy(const double *values, size_t count)
{
    double *copy = kg__allocate(count, sizeof *copy);
    double median;

    memcpy(copy, values, count * sizeof *copy);
    median = kg__median(copy, count);
    free(copy);
    return median;
}

bool kg__sessions_agree(const double *sessions, size_t count, kg__error *error)
{
    double least = INFINITY;
    double most = 0;
    char low[KG__FIGURE_SIZE];
    char high[KG__FIGURE_SIZE];

    for (size_t i = 0; i < count; i++) {
        least = fmin(least, sessions[i]);
        most = fmax(most, sessions[i]);
    }
    if (!(most / least - 1 > KG__SESSIONS_APART) || most - least <= KG__TIME_FLOOR_NS)
        return true;
    kg__show_figure(low, sizeof low, least, "ns");
    kg__show_figure(high, sizeof high, most, "ns");
    return kg__fail(error, "the sessions disagree, %s to %s: quiet the machine", low, high);
}

bool kg__is_far_off(const kg__baseline_metric *metric, double value)
{
    return metric->gated &&
           (value >= KG__FAR_OFF * metric->value || KG__FAR_OFF * value <= metric->value);
}

static double noise_from_sigma(double sigma)
{
    return expm1(3 * fmax(sigma, KG__SIGMA_MINIMUM));
}

double kg__noise(const double *sessions, size_t count)
{
    return noise_from_sigma(kg__log_deviation(sessions, count));
}

double kg__noise_bound(const double *sessions, size_t count)
{
    return noise_from_sigma(kg__deviation_bound(kg__log_deviation(sessions, count), count));
}

double kg__value_of_sessions(const double *sessions, size_t count)
{
    return rounded(median_of_copy(sessions, count));
}

double kg__band_of_sessions(const double *sessions, size_t count)
{
    double noise = ceil(kg__noise(sessions, count) * 1000 - 1e-9) / 1000;

    return fmin(KG__BAND_MAXIMUM, fmax(KG__BAND_MINIMUM, noise));
}

/* Stores sessions, and what follows from them, in a metric. */
static void store_sessions(kg__baseline_metric *metric, const double *sessions, size_t count)
{
    metric->value = kg__value_of_sessions(sessions, count);
    if (!metric->band_by_hand) {
        metric->band = kg__band_of_sessions(sessions, count);
        metric->gated = kg__noise_bound(sessions, count) <= KG__GATED_LIMIT;
    }
    kg__baseline_set_sessions(metric, sessions, count);
}

kg__change kg__record_time(kg__baseline_case *entry, const char *name, const double *sessions,
                           size_t count, bool merge, double *old_value)
{
    kg__baseline_metric *metric = kg__baseline_metric_of(entry, name);
    double value = kg__value_of_sessions(sessions, count);
    bool is_new = metric == NULL;
    size_t kept_count;
    double *combined;

    *old_value = is_new ? NAN : metric->value;
    if (!is_new && !merge && metric->session_count >= KG__SESSIONS_MINIMUM &&
        (fabs(log(value / metric->value)) <= log1p(metric->band) ||
         fabs(value - metric->value) <= metric->floor))
        return KG__UNCHANGED;
    if (is_new) {
        metric = kg__baseline_add_metric(entry, name);
        metric->floor = KG__TIME_FLOOR_NS;
    }
    kept_count = merge ? metric->session_count : 0;
    combined = kg__allocate(kept_count + count, sizeof *combined);
    for (size_t i = 0; i < kept_count; i++)
        combined[i] = metric->sessions[i];
    for (size_t i = 0; i < count; i++)
        combined[kept_count + i] = rounded(sessions[i]);
    store_sessions(metric, combined, kept_count + count);
    free(combined);
    return is_new ? KG__NEW : KG__MOVED;
}

kg__change kg__record_count(kg__baseline_case *entry, const char *counter, double value,
                            double *old_value)
{
    kg__baseline_metric *metric = kg__baseline_metric_of(entry, counter);
    bool is_new = metric == NULL;

    *old_value = is_new ? 0 : metric->value;
    if (value == *old_value)
        return KG__UNCHANGED;
    if (!is_new && value > 0 && fabs(log(value / metric->value)) <= log1p(metric->band))
        return KG__UNCHANGED;
    if (value == 0) {
        (void)kg__baseline_remove_metric(entry, counter);
        return KG__MOVED;
    }
    if (is_new)
        metric = kg__baseline_add_metric(entry, counter);
    metric->value = value;
    return is_new ? KG__NEW : KG__MOVED;
}

bool kg__record_lines(kg__baseline_case *entry, const kg__lines *lines)
{
    kg__lines *copy = kg__lines_copy(lines);
    bool same = kg__lines_equal(entry->lines, copy);

    kg__lines_free(entry->lines);
    entry->lines = copy;
    return !same;
}

bool kg__counts_agree(const kg__observation *first, const kg__observation *second, kg__error *error)
{
    static const char remedy[] =
        "counts have to repeat: does the kernel depend on chance, or on the "
        "order of its threads?";
    const kg__observation *runs[2] = { first, second };

    for (int i = 0; i < KG__COUNTERS; i++) {
        const char *counter = kg__counter_name((kg__counter)i);
        char text[2][KG__FIGURE_SIZE];
        double value[2];

        for (int run = 0; run < 2; run++) {
            value[run] = fmax(kg__value_of(runs[run], counter), 0);
            kg__show_figure(text[run], sizeof text[run], value[run], "");
        }
        if (value[0] != value[1])
            return kg__fail(error, "%s is %s in one run and %s in another: %s", counter, text[0],
                            text[1], remedy);
    }
    if (!kg__lines_equal(first->lines, second->lines))
        return kg__fail(error, "its lines have other counts in another run: %s", remedy);
    return true;
}
