/* What recording and adopting do to a baseline, kept for the document that --json prints: what
 * changed, what was left out, and what forbade to store anything. */
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

/* Begins the ledger of `command` ("baseline record"), whose sessions join those that the baseline
 * has with `merge`. */
void kg__change_log_begin(kg__change_log *log, const char *command, bool merge);

/* Frees what the ledger keeps, not itself. */
void kg__change_log_free(kg__change_log *log);

/* Sets a member of the document, whose reference it takes. */
void kg__change_log_set(kg__change_log *log, const char *key, json_t *value);

/* Sets how many sessions there were, how many cases and sentinels were looked at, and how many of
 * those changed. */
void kg__change_log_set_counts(kg__change_log *log, size_t sessions, size_t looked_at,
                               size_t changed);

/* Complains in one line, "file: case: metric: why" of what is known, and keeps it: why nothing may
 * be stored. */
void kg__change_log_refuse(kg__change_log *log, kg__entry_subject subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same of what is left out while the rest is stored. */
void kg__change_log_omit(kg__change_log *log, kg__entry_subject subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same of a metric whose sessions disagree. */
void kg__change_log_disagree(kg__change_log *log, kg__entry_subject subject, const char *format,
                             ...) __attribute__((format(printf, 3, 4)));

/* Keeps a change of a case's or a sentinel's metric, whose former value is `old` (NaN: it is new).
 * Of a time `now` is what is stored, with its band and sessions; NULL for a counter. */
void kg__change_log_change(kg__change_log *log, const char *id, const char *metric, double old,
                           double value, const kg__baseline_metric *now);

/* Keeps that a case (`metric` NULL), or one of its metrics, was taken out. */
void kg__change_log_retire(kg__change_log *log, const char *id, const char *metric);

/* Keeps another change of a case: `kind` is "code", whose `notes` say what of it, or "lines". The
 * notes' reference is not taken. */
void kg__change_log_note(kg__change_log *log, const char *id, const char *kind, json_t *notes);

/* Ends a command that ends with `code`: with `as_json` by printing its document, else by seeing
 * that its narration reached the standard output. Returns what it ends with then: an error, with a
 * line that names the file that was written, where that takes no more. */
int kg__change_log_end(kg__change_log *log, bool as_json, int code);

#endif
