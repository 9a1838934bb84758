/* SPDX-License-Identifier: MIT */
/* An observer's reports to the process that spawned it: a record per event, appended to a file. */
#pragma once

#include "records/observation.h"
#include "suite/stub.h"

/* Appends an observation to a records file. A failed write ends the process, because an observer
 * that cannot report is useless. */
void kg__report_observation(int records, const kg__observation *observation);

/* Appends an event of a case, with a reason (both may be NULL), in the same way. */
void kg__report(int records, kg__event event, const char *id, const char *why);

/* Reports a case that needs a stubbed launcher: failed if that did not compile, refused if it is
 * only for GPUs. */
void kg__report_stub(int records, const char *id, const kg__stub *stub);

/* Reports the same of the case that was last reported as started, and ends the process, because
 * its launcher cannot go on. `records` is an int. */
_Noreturn void kg__report_reached(void *records, const kg__stub *stub);

/* Reports a case that the last check found wrong as a "checked" record, with the device's
 * findings. Files are named relative to `home`. */
void kg__report_wrong(int records, const char *home, const char *id, const char *why);
