/* Observations: what an observer tells the process that spawned it, one record per event. A record
 * is one line of JSON in the observer's file, which this module alone writes and reads:
 *
 * - "target": the device, with "target": {"key", "name", ...} and "provenance": {...}; "watches" is
 *   true where every access of a kernel is looked at
 * - "unavailable", "why": no GPU, so nothing can be judged
 * - "broken", "why": the driver or the device is unusable, an error
 * - "waiting", "why": alive, but waiting for the GPU's lock; "alive": still sampling
 * - "start", "case": a crash or a hang from here on costs this case
 * - "checked", "case", "right": true or false, "why"; "in_order" is true where it relies on the
 *   order in which blocks start; where floats of plain kernels are right, "metrics":
 *   {"error_max": {"value"}, "error_mean": {"value"}} (docs/judging.md); where it is wrong,
 *   "findings" (finding.h), whose text is then the "why", and "more_findings", or "failure":
 *   {"kind": "wrong_elements", "input_written" or "guard_zone", "symbol": the argument}
 * - "measured", "case", "metrics": {"time_ns": {"value", "low", "high", "samples_ns", ...}},
 *   "absent": reasons by metric, "throttled", "gpu_state": its state while it worked, "work":
 *   {"operations", "bytes"} of the job, "kernel": {"name", "registers", "occupancy", ..., "names",
 *   "launch"}, absent where none was started; the last two, the input of a fingerprint, where all
 *   of the launch is known. Of counters also "lines" (line_counts.h), and "sampled":
 *   {"blocks", "of"} where not all blocks were run
 * - "launched", "case", "kernels": how many kernels the launcher of a case starts
 * - "identified", "case", "kernel": as of "measured"
 * - "refused", "case", "why": the comparison does not support the case, or, of a tuning, the device
 *   does not take its launch; "gpu_only" is true where its variant is for GPUs alone
 * - "skipped", "case", "why": of a tuning, not tried, since another launch shows it to be slow
 * - "progress", "comparison", "size", "done", "of", "seconds_left": how far a tuning is, in
 *   candidates; the last one absent while it is unknown
 * - "failed", "case", "why": an error of this case; the rest goes on; "at" where it did not
 * compile. The gate adds "hung", "at" and "findings" where it makes one of a process that ended
 * - "hung", "where": of the CPU model, where the running kernel was when the process got SIGTERM:
 *   "at kernels/a/b.cu:14, in kernel b, ..."; "at": {"file", "line"} of it, and "findings"
 * - "sentinels": by name {"value", ...} and the amount of sentinel.h, and "empty": {...}
 * - "done": every case of the call has its record
 *
 * A tuning's "measured" has, next to "metrics", "kernel" and "work": "dropped_in_round", absent
 * where it was in to the end; of a finalist "final": {"value", "low", "high", "samples_ns": one of
 * each round, which all finalists of a size have in common}, "throttled" and "gpu_state"; and
 * "no_final", why it could not be one. "low" and "high" are absent where too few samples were
 * taken. */
#ifndef KG__RECORDS_OBSERVATION_H
#define KG__RECORDS_OBSERVATION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/message.h"
#include "base/pool.h"
#include "records/figures.h"
#include "records/finding.h"
#include "records/gpu_state.h"
#include "records/kernel_code.h"
#include "records/line_counts.h"
#include "records/provenance.h"
#include "records/records.h"
#include "suite/target.h"
#include "suite/work.h"

typedef enum kg__event {
    KG__EVENT_OTHER, /* one that another version may know */
    KG__EVENT_TARGET,
    KG__EVENT_UNAVAILABLE,
    KG__EVENT_BROKEN,
    KG__EVENT_WAITING,
    KG__EVENT_ALIVE,
    KG__EVENT_START,
    KG__EVENT_CHECKED,
    KG__EVENT_MEASURED,
    KG__EVENT_LAUNCHED,
    KG__EVENT_IDENTIFIED,
    KG__EVENT_REFUSED,
    KG__EVENT_SKIPPED,
    KG__EVENT_PROGRESS,
    KG__EVENT_FAILED,
    KG__EVENT_HUNG,
    KG__EVENT_SENTINELS,
    KG__EVENT_DONE,
    KG__EVENT_OBJECTION, /* the gate's own: a wrapper is not content, and no case is to blame */
    KG__EVENTS
} kg__event;

/* Why a metric is absent. */
typedef struct kg__absence {
    const char *metric;
    const char *why;
} kg__absence;

/* One record. Zero or NULL: not told. What is borrowed has to live as long as it does. */
typedef struct kg__observation {
    kg__event event;
    const char *id; /* of the case */
    const char *why;
    bool right;
    bool hung; /* it failed so */
    bool throttled;
    bool watches;
    bool gpu_only;
    bool in_order;        /* it was checked in ascending order of blocks alone, and relies on it */
    bool imported;        /* another tool measured it; not in the record */
    kg__figures *metrics; /* of "sentinels" these */
    size_t metric_count;
    kg__absence *absent;
    size_t absent_count;
    const kg__gpu_state *gpu_state;
    const kg__work *work;
    kg__kernel_code *kernel;
    const kg__lines *lines;
    int64_t sampled_blocks;
    int64_t sampled_of; /* 0: all blocks were run */
    const kg__findings *findings;
    const char *failure;        /* its kind */
    const char *failure_symbol; /* may be unknown */
    const char *at_file;
    unsigned int at_line;
    const char *where;
    const kg__target *target;
    const kg__provenance *provenance;
    unsigned int kernels;
    /* A tuning's. */
    const char *comparison;
    const char *size;
    int64_t done;
    int64_t total;
    double seconds_left; /* 0: not known */
    unsigned int dropped_in_round;
    const char *no_final;
    const kg__figures *final;
    json_t *record; /* as it was read; NULL of one that was not */
} kg__observation;

/* The figures of a metric or a sentinel; NULL where it has none. */
const kg__figures *kg__figures_of(const kg__observation *observation, const char *name);

/* The value of a metric; NAN where it has none. */
double kg__value_of(const kg__observation *observation, const char *name);

/* Why a metric is absent; "" where nothing says so. */
const char *kg__absence_of(const kg__observation *observation, const char *metric);

/* The record of an observation, owned by the caller. */
json_t *kg__observation_json(const kg__observation *observation);

/* Appends an observation to a records file. False with `error` when it cannot be written. */
bool kg__observation_append(int file, const kg__observation *observation, kg__error *error);

/* The observation of a record, to be let go of with kg__observation_release(). NULL with `error`
 * where a member that is known is of another type; members that are not known are ignored, for
 * another version may have written them. */
kg__observation *kg__observation_read(json_t *record, kg__error *error);

/* The next observation of a records file, or NULL when no further whole line is there. A record
 * that is not usable is an error of its case ("failed"); of no case, it counts as a bad line. */
kg__observation *kg__observation_next(kg__record_reader *reader);

/* A copy of an observation, as if it had been read. */
kg__observation *kg__observation_copy(const kg__observation *observation);

/* Keeps an observation that was read for one more user. */
kg__observation *kg__observation_keep(const kg__observation *observation);

/* Keeps an observation that was read for as long as a pool lives. */
kg__observation *kg__observation_hold(kg__pool *pool, const kg__observation *observation);

/* Lets go of an observation that was read or kept; NULL is fine too. */
void kg__observation_release(const kg__observation *observation);

#endif
