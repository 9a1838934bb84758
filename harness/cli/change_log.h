/* The log of what recording and adopting do to a baseline, for the document that --json prints:
 * what changed, what was left out, and why nothing was stored. */
#ifndef KG__CLI_CHANGE_LOG_H
#define KG__CLI_CHANGE_LOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "baseline/baseline.h"

typedef struct kg__change_log {
    json_t *document;
} kg__change_log;

/* What a complaint is about; NULL where there is none. */
typedef struct kg__entry_subject {
    const char *file;
    const char *id; /* a case's, or a sentinel's name */
    const char *metric;
} kg__entry_subject;

/* Begins the log of `command` ("baseline record"), whose sessions are added to the baseline's with
 * `merge`. */
void kg__change_log_begin(kg__change_log *log, const char *command, bool merge);

/* Frees the log's contents, not itself. */
void kg__change_log_free(kg__change_log *log);

/* Sets a member of the document, whose reference it takes. */
void kg__change_log_set(kg__change_log *log, const char *key, json_t *value);

/* Sets how many sessions there were, how many cases and sentinels were looked at, and how many of
 * those changed. */
void kg__change_log_set_counts(kg__change_log *log, size_t sessions, size_t looked_at,
                               size_t changed);

/* Complains in one line, "file: case: metric: why" as far as known, and logs it: the reason that
 * nothing may be stored. */
void kg__change_log_refuse(kg__change_log *log, kg__entry_subject subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for what is left out while the rest is stored. */
void kg__change_log_omit(kg__change_log *log, kg__entry_subject subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a metric whose sessions disagree. */
void kg__change_log_disagree(kg__change_log *log, kg__entry_subject subject, const char *format,
                             ...) __attribute__((format(printf, 3, 4)));

/* Logs a change of a case's or a sentinel's metric, whose old value is `old` (NaN: it is new). For
 * a time, `now` is what is stored, with its band and sessions; NULL for a counter. */
void kg__change_log_change(kg__change_log *log, const char *id, const char *metric, double old,
                           double value, const kg__baseline_metric *now);

/* Logs that a case (`metric` NULL), or one of its metrics, was removed. */
void kg__change_log_retire(kg__change_log *log, const char *id, const char *metric);

/* Logs another change of a case: `kind` is "code", with `notes` on what changed, or "lines". The
 * reference to notes is not taken. */
void kg__change_log_note(kg__change_log *log, const char *id, const char *kind, json_t *notes);

/* Ends a command whose exit code is `code`: prints its document with `as_json`, else flushes its
 * messages. Returns the exit code: an error, with a line that names the file written, if the
 * standard output cannot be written. */
int kg__change_log_end(kg__change_log *log, bool as_json, int code);

#endif
