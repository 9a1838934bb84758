/* What an observer reports to the process that spawned it: a record per event, appended to a file.
 */
#ifndef KG__OBSERVER_REPORT_RECORD_H
#define KG__OBSERVER_REPORT_RECORD_H

#include <jansson.h>
#include <stdbool.h>

/* Appends a record to a records file, stealing the reference; a write that fails ends the process,
 * for an observer that cannot report is of no use. */
void kg__report_record(int records, json_t *record);

/* Appends {"event": event, "case": id, "why": why} (without what is NULL), in the same way.
 */
void kg__report(int records, const char *event, const char *id, const char *why);

/* Reports what a check found as a "checked" or "failed" record. */
void kg__report_outcome(int records, const char *id, bool right, const char *why);

#endif
