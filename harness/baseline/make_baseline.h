/* Recording: what the values of several fresh processes make of a baseline. Pure. */
#ifndef KG__BASELINE_MAKE_BASELINE_H
#define KG__BASELINE_MAKE_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"
#include "baseline/baseline.h"
#include "records/observation.h"

/* The fewest sessions that a baseline may rest on: fewer say too little of the noise. */
#define KG__SESSIONS_MINIMUM 5
/* More than anybody waits for. */
#define KG__SESSIONS_MAXIMUM 999
/* The smallest band of a time, and the largest that a baseline holds, long ungated. */
#define KG__BAND_MINIMUM 0.02
#define KG__BAND_MAXIMUM 0.999
/* Sessions further apart than this (largest over smallest, less 1), and than the floor, are not of
 * one machine state. */
#define KG__SESSIONS_APART 0.10

/* A time this many times as long as a stored one, or as short, is more likely a mistake than one
 * more session. */
#define KG__FAR_OFF 2.0

typedef enum kg__change {
    KG__UNCHANGED, /* within its band: the line stays as it was */
    KG__NEW,
    KG__MOVED
} kg__change;

/* Whether the sessions of a metric belong together; false with `error` naming the extremes. */
bool kg__sessions_agree(const double *sessions, size_t count, kg__error *error);

/* Whether a time is off the value of a metric that is gated by KG__FAR_OFF or more, either way;
 * what is not gated may be anything. */
bool kg__is_far_off(const kg__baseline_metric *metric, double value);

/* How far a value may be from the sessions' median by chance, as a fraction: exp(3 sigma) - 1,
 * with sigma the standard deviation of their logarithms, at least KG__SIGMA_MINIMUM. */
double kg__noise(const double *sessions, size_t count);

/* The same with what sigma may be, by 80 % confidence, where so many sessions say what it is:
 * kg__deviation_bound(). Of five sessions it is 1.55 times theirs. INFINITY of one. */
double kg__noise_bound(const double *sessions, size_t count);

/* The value that a metric has of its sessions: their median, rounded as values are. */
double kg__value_of_sessions(const double *sessions, size_t count);

/* The band that it has of them: their noise rounded up to 0.1 %, at least KG__BAND_MINIMUM. */
double kg__band_of_sessions(const double *sessions, size_t count);

/* Records a time into `entry`: value and band as the sessions have them (a band set by
 * hand is kept, and so is whether its metric is gated), floor KG__TIME_FLOOR_NS unless the entry
 * has one, ungated where their noise may, by kg__noise_bound(), exceed KG__GATED_LIMIT. A metric
 * that has not moved beyond its band and rests on enough sessions is left alone. With `merge` the
 * sessions join those that the metric has, and it is rewritten in any case: boards of one model
 * differ by more than one board from day to day, and a baseline of several holds for all of them.
 * `old_value` becomes what the value was, NaN when the metric is new. */
kg__change kg__record_time(kg__baseline_case *entry, const char *metric, const double *sessions,
                           size_t count, bool merge, double *old_value);

/* Records a counter into `entry`. A band or a gate that a hand wrote is kept, and a counter within
 * its band is left alone; one of 0 is removed, also what a hand wrote. `old_value` becomes what the
 * value was, 0 when there was none. */
kg__change kg__record_count(kg__baseline_case *entry, const char *counter, double value,
                            double *old_value);

/* Records the counters by source line; false when they are as they were. */
bool kg__record_lines(kg__baseline_case *entry, const kg__lines *lines);

/* Whether two runs counted the same of a case, the lines too, as counts must; false with `error`
 * naming the counter and both figures. */
bool kg__counts_agree(const kg__observation *first, const kg__observation *second,
                      kg__error *error);

#endif
