/* Which plots a report has: a comparison's table, or a case that failed, in; what page.js draws
 * out. Pure. */
#ifndef KG__REPORT_REPORT_PLOTS_H
#define KG__REPORT_REPORT_PLOTS_H

#include <jansson.h>

#include "report/report_table.h"

/* The colours and shapes of series; the page's style sheet has the colours "--s1" to "--s8". */
#define KG__PLOT_STYLES 8

/* The plots of a comparison on a target: of a GPU time by size and by launch, variants side by side
 * and share of the limit, of the CPU model the counters in which variants differ. Those that would
 * show a single figure are left out. Returns a new array of
 * {"kind": "lines", "bars" or "dots", "title", "place_title", "value_title", "places": [name],
 * "series": [{"name", "style" (from 0), "values": [a number or null of each place; of dots any
 * number of numbers]}], "marks": [{"name", "value"}] (lines across), and of a logarithmic axis
 * "log_from", where it begins}. */
json_t *kg__report_table_plots(const kg__report_table *table);

/* The plots of a case's samples, a process beside the other, with its baseline and what it may take
 * at most, of each metric that is not right. Empty where its entry holds no samples. */
json_t *kg__report_case_plots(const json_t *entry);

#endif
