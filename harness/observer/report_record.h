/* What an observer reports to the process that spawned it: a record per event, appended to a file.
 */
#ifndef KG__OBSERVER_REPORT_RECORD_H
#define KG__OBSERVER_REPORT_RECORD_H

#include "records/observation.h"

/* Appends an observation to a records file; a write that fails ends the process, for an observer
 * that cannot report is of no use. */
void kg__report_observation(int records, const kg__observation *observation);

/* Appends an event of a case and why it is so (without what is NULL), in the same way. */
void kg__report(int records, kg__event event, const char *id, const char *why);

/* Reports a case that the last check found wrong as a "checked" record, with what the device found
 * in it; files are named from `home` on. */
void kg__report_wrong(int records, const char *home, const char *id, const char *why);

#endif
