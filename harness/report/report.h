/* Printers: one results document in, one form of it out. A printer is a function and its row in
 * report.c's table, which kernelgate results and kernelgate report read. */
#ifndef KG__REPORT_REPORT_H
#define KG__REPORT_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/message.h"

/* How much the console shows: the verdict alone, one line per comparison, or one per case. */
typedef enum kg__detail { KG__QUIET, KG__BRIEF, KG__VERBOSE } kg__detail;

/* What is printed. */
typedef struct kg__report {
    const json_t *results;
    kg__detail detail;   /* of the console */
    const char *sources; /* the folder that has kernels/, suites/ and baselines/ */
    const char *prefix;  /* of that folder in its repository, "" or "its/path/" */
} kg__report;

/* One form. */
typedef struct kg__printer {
    const char *name; /* as --format has it */
    const char *file; /* in the folder of the results; NULL: a run does not leave this form */
    /* Writes the report; false where it cannot be put into this form, or memory ran out. Errors of
     * the stream are the caller's to see. */
    bool (*write)(const kg__report *report, FILE *stream);
} kg__printer;

/* All printers; the last one is empty. */
extern const kg__printer kg__printers[];

/* The printer of a name; NULL where there is none. */
const kg__printer *kg__printer_find(const char *name);

/* Writes a report to the file `path` atomically, in a folder that is made where it is missing.
 * False with `error`; the file stays as it was then. */
bool kg__printer_save(const kg__printer *printer, const kg__report *report, const char *path,
                      kg__error *error);

/* For a terminal or a job's log: one line per comparison, failures as compilers print them, the
 * verdict last. */
bool kg__console_write(const kg__report *report, FILE *stream);

/* Markdown, for a job's summary page: counts, failures first, each with its reason and a line that
 * reproduces it. */
bool kg__summary_write(const kg__report *report, FILE *stream);

/* CSV: one line per case that was timed or counted, of every comparison and target. */
bool kg__csv_write(const kg__report *report, FILE *stream);

/* JUnit: one suite per target and comparison, one testcase per case; claims and errors outside of
 * cases are testcases as well. */
bool kg__junit_write(const kg__report *report, FILE *stream);

/* HTML: one file that refers to no other, with every comparison's tables and, where Chart.js is
 * installed, plots. */
bool kg__html_write(const kg__report *report, FILE *stream);

#endif
