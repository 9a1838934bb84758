/* Which plots a report has: a comparison's table, or a case that failed, in; plots to draw out.
 * Pure. */
#ifndef KG__REPORT_PLOTS_H
#define KG__REPORT_PLOTS_H

#include <jansson.h>
#include <stddef.h>

#include "report/plots.h"
#include "report/report_table.h"

/* The most plots that one call gives. */
#define KG__REPORT_PLOTS 8

/* The plots of a comparison on a target: of a GPU time by size and by launch, variants side by side
 * and share of the limit, of the CPU model the counters in which variants differ. Those that would
 * show a single figure are left out. Returns how many there are; each is freed by kg__plot_free().
 */
size_t kg__report_table_plots(const kg__report_table *table, kg__plot plots[KG__REPORT_PLOTS]);

/* The plots of a case's samples, a process beside the other, with its baseline and what it may take
 * at most, of each metric that is not right. 0 where its entry holds no samples. */
size_t kg__report_case_plots(const json_t *entry, kg__plot plots[KG__REPORT_PLOTS]);

#endif
