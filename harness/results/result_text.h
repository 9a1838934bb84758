/* The words for what the result of a case says. Every text that comes out is clean UTF-8 on one
 * line, on the heap, and is freed with free(). */
#ifndef KG__RESULTS_RESULT_TEXT_H
#define KG__RESULTS_RESULT_TEXT_H

#include "results/case_result.h"

/* Why a case has its verdict: its own words, or else the figures of its worst metric. "" for a
 * plain pass. */
char *kg__case_result_reason(const kg__case_result *result);

/* A metric's figures: "time_ns 47 980 ns (baseline 45 130 ns, +6.3 %, limit 2.0 %): slower". */
char *kg__metric_result_figures(const kg__metric_result *metric);

#endif
