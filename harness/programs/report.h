/* The report of a program at its end. */
#ifndef KG__PROGRAMS_REPORT_H
#define KG__PROGRAMS_REPORT_H

#include "programs/options.h"

/* Prints what was found, one line for each, and the summary; writes the counters. `ended` says how
 * the program ended where it did not end by itself ("ended by signal 11"), or is NULL. Returns the
 * exit code that the program is to have, -1 for its own. */
int kg__program_report(const kg__program_options *options, const char *ended);

#endif
