/* Records: what an observer appends to its file, one JSON object per line, as it goes. "event" says
 * what each is:
 *
 * - "target": the device, with "target": {"key", "name", ...} and "provenance": {...}; "watches" is
 *   true where every access of a kernel is looked at
 * - "unavailable", "why": no GPU, so nothing can be judged
 * - "broken", "why": the driver or the device is unusable, an error
 * - "waiting", "why": alive, but waiting for the GPU's lock; "alive": still sampling
 * - "start", "case": a crash or a hang from here on costs this case
 * - "checked", "case", "right": true or false, "why"; where it is wrong, "findings" (finding.h),
 *   whose text is then the "why", and "more_findings", or "failure": {"kind": "wrong_elements",
 *   "input_written" or "guard_zone", "symbol": the argument}
 * - "measured", "case", "metrics": {"time_ns": {"value", "low", "high", "samples_ns", ...}},
 *   "absent": reasons by metric, "throttled", "card": its state while it worked, "work":
 *   {"operations", "bytes"} of the job, "kernel": {"name", "registers", "occupancy", ..., "names",
 *   "launch"}, absent where none was started; the last two, of which a fingerprint is made, where
 *   all of the launch is known
 * - "refused", "case", "why": the comparison does not support the case, or, of a tuning, the device
 *   does not take its launch
 * - "passed_over", "case", "why": of a tuning, not tried, since another launch shows it to be slow
 * - "progress", "comparison", "size", "done", "of", "seconds_left": how far a tuning is, in
 *   candidates; the last one absent while it is unknown
 * - "failed", "case", "why": an error of this case; the rest goes on. The gate adds "hung", "at"
 *   and "findings" where it makes one of a process that ended
 * - "hung", "where": of the CPU model, where the running kernel was when the process got SIGTERM:
 *   "at kernels/a/b.cu:14, in kernel b, ..."; "at": {"file", "line"} of it, and "findings"
 * - "sentinels": {"copy": {"value", "bytes", ...}, "fma": {"value", "operations", ...},
 *   "empty": {...}}
 * - "done": every case that was asked for has its record
 *
 * A tuning's "measured" has, next to "metrics", "kernel" and "work": "dropped_in_round", absent
 * where it was in to the end; of a finalist "final": {"value", "low", "high", "samples_ns": one of
 * each round, which all finalists of a size have in common}, "throttled" and "card"; and
 * "no_final", why it could not be one. "low" and "high" are absent where too few samples were
 * taken.
 */
#ifndef KG__RECORDS_RECORDS_H
#define KG__RECORDS_RECORDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"
#include "base/statistics.h"

/* Appends `record` as one line with a single write(), so that a crash tears no line but the last.
 * Steals the reference. False with `error` when the file cannot be written. */
bool kg__record_append(int file, json_t *record, kg__error *error);

/* Reads a records file that may still be growing: each call returns the next whole line's object,
 * or NULL when there is none yet. */
typedef struct kg__record_reader {
    int file;
    char *buffer;
    size_t length;
    size_t capacity;
    size_t consumed;
    size_t line;      /* number of the whole line last read, returned or passed over */
    size_t bad_lines; /* whole lines that were not a JSON object: skipped, and counted here */
} kg__record_reader;

/* Opens `path` for reading; false with `error` when it cannot be. */
bool kg__record_open(kg__record_reader *reader, const char *path, kg__error *error);
/* The next record, owned by the caller, or NULL when no further whole line is there. */
json_t *kg__record_next(kg__record_reader *reader);
/* True when bytes of an unfinished line remain: the writer died in mid-write. */
bool kg__record_torn(const kg__record_reader *reader);

/* Closes the file and frees what was read of it; records that were handed out stay. */
void kg__record_close(kg__record_reader *reader);

/* The member of a metric that has samples of the process, and how many at the most. */
#define KG__SAMPLES_NS "samples_ns"
#define KG__RECORD_SAMPLES 100

/* A list of a process's samples in ns for that member: all, or so many that are evenly chosen, each
 * to an eighth of a nanosecond, which JSON writes in few digits. Owned by the caller. */
json_t *kg__record_samples(const double *samples, size_t count);

#endif
