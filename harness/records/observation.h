/* SPDX-License-Identifier: MIT */
/* Observations: an observer's reports to the process that spawned it, one record per event. A
 * record is one line of JSON in the observer's file, which only this module writes and reads:
 *
 * - "target": the device, with "target": {"key", "name", ...} and "provenance": {...}; "watches" is
 *   true if every access of a kernel is checked
 * - "unavailable", "why": no GPU, so nothing can be judged
 * - "broken", "why": the driver or the device is unusable, an error
 * - "waiting", "why": alive, but waiting for the GPU's lock; "alive": still sampling
 * - "start", "case": a crash or a hang from here on costs this case
 * - "checked", "case", "right": true or false, "why"; "in_order" is true if the case relies on the
 *   order in which blocks start; if floats of plain kernels are right, "metrics":
 *   {"error_max": {"value"}, "error_mean": {"value"}} (docs/judging.md); if it is wrong,
 *   "findings" (finding.h), whose text is then the "why", and "more_findings", or "failure":
 *   {"kind": "wrong_elements", "input_written", "guard_zone", "not_repeatable" or
 *   "right_without_launch", "symbol": the argument}. After a "measured" of the part count it says
 *   that the case need not be checked with instrumented kernels again
 * - "measured", "case", "metrics": {"time_ns": {"value", "low", "high", "samples_ns", ...}},
 *   "absent": reasons by metric, "throttled", "gpu_state": its state while it worked, "work":
 *   {"operations", "bytes"} of the job, "kernel": {"name", "registers", "occupancy", ..., "names",
 *   "launch"}, absent if none was started; the last two, the input of a fingerprint, only if the
 *   launch could be described completely. With counters also "lines" (line_counts.h), and
 *   "sampled": {"blocks", "of"} if not all blocks ran
 * - "launched", "case", "kernels": how many kernels the launcher of a case starts
 * - "identified", "case", "kernel": as in "measured"
 * - "refused", "case", "why": the comparison does not support the case, or, in a tuning, the device
 *   does not accept its launch; "gpu_only" is true if its variant is only for GPUs
 * - "skipped", "case", "why": in a tuning, not tried, because another launch shows it to be slow
 * - "progress", "comparison", "size", "done", "of", "seconds_left": how far a tuning is, in
 *   candidates; the last one absent while it is unknown
 * - "failed", "case", "why": an error of this case; the rest goes on; "at" if it did not compile.
 *   The gate adds "hung", "at" and "findings" when it makes one for a process that ended
 * - "hung", "where": on the CPU model, where the running kernel was when the process got SIGTERM:
 *   "at kernels/a/b.cu:14, in kernel b, ..."; "at": {"file", "line"} of it, and "findings"
 * - "sentinels": by name {"value", ...} and the amount of sentinel.h, and "empty": {...}
 * - "done": every case of the call has its record
 *
 * A tuning's "measured" has, next to "metrics", "kernel" and "work": "dropped_in_round", absent
 * if it remained to the end; for a finalist "final": {"value", "low", "high", "samples_ns": one
 * per round, in the same rounds for all finalists of a size}, "throttled" and "gpu_state"; else
 * "no_final" if it could not be a finalist, with the reason. "low" and "high" are absent if there
 * are too few samples. */
#pragma once

#include <jansson.h>
#include <kernelgate/types.h>
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
#include "records/records.h"
#include "suite/target.h"

typedef enum kg__event {
    KG__EVENT_OTHER, /* an event of another version */
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
    KG__EVENT_OBJECTION, /* the gate's own: a wrapper found an error that belongs to no case */
    KG__EVENTS
} kg__event;

/* The reason why a metric is absent. */
typedef struct kg__absence {
    const char *metric;
    const char *why;
} kg__absence;

typedef struct kg__absences {
    const kg__absence *list;
    size_t count;
} kg__absences;

/* One record. Zero or NULL: absent. Borrowed data must live as long as the record. */
typedef struct kg__observation {
    kg__event event;
    const char *id; /* of the case */
    const char *why;
    bool right;
    bool hung; /* it failed by hanging */
    bool throttled;
    bool watches;
    bool gpu_only;
    bool in_order;        /* checked only in ascending order of blocks, which it relies on */
    bool imported;        /* measured by another tool; not in the record */
    kg__figures *metrics; /* of "sentinels", those */
    size_t metric_count;
    kg__absences absent;
    const kg__gpu_state *gpu_state;
    const kg_work *work;
    kg__kernel_code *kernel;
    const kg__lines *lines;
    int64_t sampled_blocks;
    int64_t sampled_of; /* 0: all blocks ran */
    const kg__findings *findings;
    const char *failure;        /* its kind */
    const char *failure_symbol; /* may be unknown */
    const char *at_file;
    unsigned int at_line;
    const char *where;
    const kg__target *target;
    json_t *provenance; /* of the device: named texts, numbers and booleans */
    unsigned int kernels;
    /* Of a tuning: */
    const char *comparison;
    const char *size;
    int64_t done;
    int64_t total;
    double seconds_left; /* 0: unknown */
    unsigned int dropped_in_round;
    const char *no_final;
    const kg__figures *final;
    json_t *record; /* as read; NULL if not read from a file */
} kg__observation;

/* Returns the figures of a metric or a sentinel; NULL if it has none. */
const kg__figures *kg__figures_of(const kg__observation *observation, const char *name);

/* Returns the value of a metric; NAN if it has none. */
double kg__value_of(const kg__observation *observation, const char *name);

/* Returns why a metric is absent; "" if no reason is given. */
const char *kg__absence_of(const kg__observation *observation, const char *metric);

/* A member that is the reasons, {metric: why}; reading adds them to the pool. */
#define KG__FIELD_ABSENCES(struct_, member)                                                        \
    KG__FIELD_BY(struct_, member, "absent", kg__absences_make_field, kg__absences_read_field)

/* Returns the JSON of such a member; NULL without a reason. */
json_t *kg__absences_make_field(const void *held);

/* Reads such a member, with results as `read` of kg__field has. */
const char *kg__absences_read_field(json_t *value, void *to, kg__pool *pool, kg__error *error);

/* Returns the record of an observation, owned by the caller. */
json_t *kg__observation_json(const kg__observation *observation);

/* Appends an observation to a records file. False with `error` when it cannot be written. */
bool kg__observation_append(int file, const kg__observation *observation, kg__error *error);

/* Returns the observation of a record; release it with kg__observation_release(). NULL with
 * `error` if a known member is of another type; unknown members are ignored, because another
 * version may have written them. */
kg__observation *kg__observation_read(json_t *record, kg__error *error);

/* Returns the next observation of a records file, or NULL if there is no further complete line.
 * An unusable record is an error of its case ("failed"), or a bad line if it has no case. */
kg__observation *kg__observation_next(kg__record_reader *reader);

/* Returns a copy of an observation, as if it had been read. */
kg__observation *kg__observation_copy(const kg__observation *observation);

/* Keeps an observation that was read for one more user. */
kg__observation *kg__observation_keep(const kg__observation *observation);

/* Keeps an observation that was read for as long as a pool lives. */
kg__observation *kg__observation_hold(kg__pool *pool, const kg__observation *observation);

/* The observation of a record, for as long as a pool lives; NULL with `error`, as
 * kg__observation_read(). */
kg__observation *kg__observation_load(kg__pool *pool, json_t *record, kg__error *error);

/* Releases an observation that was read or kept; NULL is allowed. */
void kg__observation_release(const kg__observation *observation);
