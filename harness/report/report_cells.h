/* A report's figures as its tables show them, whatever they are written in. Pure. */
#ifndef KG__REPORT_REPORT_CELLS_H
#define KG__REPORT_REPORT_CELLS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/report_table.h"

/* The room for a cell: a figure, and another in brackets. */
#define KG__REPORT_CELL_SIZE 160

/* Shows a case (NULL: none) in a column: its figure, that of the column beside it in brackets, or
 * what stands in their place. The first variant needs no ratio to itself, and 0 none to anything.
 */
void kg__report_show_case(const kg__report_table *table, const kg__report_case *one, int column,
                          char *text, size_t size);

/* Whether any row names a launch. */
bool kg__report_has_launches(const kg__report_table *table);

/* Whether a variant has a figure in a column, or would have one if it were right. */
bool kg__report_shows(const kg__report_table *table, size_t variant, int column);

/* Whether any case has a figure in a column that says something: a counter that is 0 throughout
 * does not. */
bool kg__report_tells(const kg__report_table *table, int column);

/* The number of the column of a name ("time_ns"), or -1. */
int kg__report_column_of(const kg__report_table *table, const char *name);

#endif
