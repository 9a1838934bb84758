/* The console's printer. The other forms of a run's results are made of results.json, by
 * tools/kernelgate/printers.py. */
#ifndef KG__REPORT_REPORT_H
#define KG__REPORT_REPORT_H

#include <stdio.h>

#include "results/results.h"

/* How much the console shows: the verdict alone, one line per comparison, or one per case. */
typedef enum kg__detail { KG__QUIET, KG__BRIEF, KG__VERBOSE } kg__detail;

/* What is printed. */
typedef struct kg__report {
    const kg__results *results; /* with their words, by kg__results_describe() */
    kg__detail detail;
    const char *sources; /* the folder that has kernels/, suites/ and baselines/ */
} kg__report;

/* Prints for a terminal or a job's log: one line per comparison, failures as compilers print them,
 * the verdict last. Errors of the stream are the caller's to see. */
void kg__console_write(const kg__report *report, FILE *stream);

#endif
