/* The words for what a results document says, which its printers share. Every text that comes out
 * is clean UTF-8 on one line. */
#ifndef KG__RESULTS_RESULTS_TEXT_H
#define KG__RESULTS_RESULTS_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "results/case_result.h"
#include "results/results_read.h"

/* The texts below are on the heap and are freed with free(). */

/* "1 slower of 54 cases on nvidia-h200, 60 on cpu-model"; "54 cases on nvidia-h200". */
char *kg__results_headline(const json_t *results);

/* "PASS (exit 0)", "NOTHING JUDGED (exit 77)", with what a reader must not overlook. */
char *kg__results_outcome(const json_t *results);

/* The outcome's word, two spaces and the headline: "PASS  54 cases on nvidia-h200". */
char *kg__results_verdict_line(const json_t *results);

/* Why a case has its verdict: its own words, or else the figures of its worst metric. "" for a
 * plain pass. */
char *kg__results_reason(const json_t *entry);

/* The same of a result. */
char *kg__case_result_reason(const kg__case_result *result);

/* A metric's figures: "time_ns 47 980 ns (baseline 45 130 ns, +6.3 %, limit 2.0 %): slower". */
char *kg__results_figures(const char *name, const json_t *metric);

/* The shell line that runs a case's test again with that case alone; of a whole test where `id` is
 * NULL; with KG_STRICT=1 where the case fails by that alone. NULL where the entry names no test.
 * The folder to run it in is the document's member "build", or else build/gpu or build/cpu. */
char *kg__results_reproduce(const json_t *results, const json_t *entry, const char *id);

/* A vanished case's reason: which file has it and what to do. */
char *kg__results_vanished(const json_t *entry);

/* What is to be done about the cases that the CPU model's baseline does not list, which are told
 * together; NULL where there are none. */
char *kg__results_unlisted(const json_t *results);

#endif
