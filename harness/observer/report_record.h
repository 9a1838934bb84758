/* An observer's reports to the process that spawned it: a record per event, appended to a file. */
#ifndef KG__OBSERVER_REPORT_RECORD_H
#define KG__OBSERVER_REPORT_RECORD_H

#include "records/observation.h"
#include "suite/stub.h"

/* Appends an observation to a records file; a write that fails ends the process, for an observer
 * that cannot report is of no use. */
void kg__report_observation(int records, const kg__observation *observation);

/* Appends an event of a case and why it is so (without what is NULL), in the same way. */
void kg__report(int records, kg__event event, const char *id, const char *why);

/* Reports a case that needs what a stub is for: failed where that did not compile, refused where it
 * is for GPUs alone. */
void kg__report_stub(int records, const char *id, const kg__stub *stub);

/* The same of the case that was last reported as started, and ends the process: its launcher cannot
 * go on. `records` is an int. */
_Noreturn void kg__report_reached(void *records, const kg__stub *stub);

/* Reports a case that the last check found wrong as a "checked" record, with what the device found
 * in it; files are named from `home` on. */
void kg__report_wrong(int records, const char *home, const char *id, const char *why);

#endif
