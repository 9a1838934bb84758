/* Reports a search: tables of the best launches, of all launches and of sizes, matrices of ratios,
 * and a JSON document. Pure: a search in, text out. */
#ifndef KG__CLI_TUNE_REPORT_H
#define KG__CLI_TUNE_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "base/text_table.h"
#include "cli/tune_choice.h"

/* A finished search with its settings. Borrows everything. */
typedef struct kg__tuning_report {
    const kg__tuning *tuning;
    const kg__tuning_set *sets; /* from --set, in addition to one of each variant */
    size_t set_count;
    const json_t *target;     /* {"key", "name", ...} */
    const json_t *provenance; /* may be NULL */
    const json_t *edges;      /* by comparison: true if `block` is the edge of a square block */
    const char *mode;         /* "race", "exhaustive", "count" */
    double precision;         /* of a time: half of its interval, as a fraction */
    const char *filter;       /* "" for none */
    double seconds;           /* of the search */
} kg__tuning_report;

/* Writes for each problem the best launches of its variants and sets, and their ratios. `format` is
 * text or Markdown. */
void kg__tuning_write_best(FILE *stream, const kg__tuning_report *report,
                           kg__text_table_format format);

/* Writes one table per problem: every launch by variant. */
void kg__tuning_write_launches(FILE *stream, const kg__tuning_report *report,
                               kg__text_table_format format);

/* Writes one table per comparison: the best launch by size and variant; and one per launch, if
 * there are few. */
void kg__tuning_write_sizes(FILE *stream, const kg__tuning_report *report,
                            kg__text_table_format format);

/* Writes how many candidates there were, and why some have no figure. */
void kg__tuning_write_notes(FILE *stream, const kg__tuning_report *report,
                            kg__text_table_format format);

/* The JSON document, "kernelgate-tuning/1"; owned by the caller. */
json_t *kg__tuning_document(const kg__tuning_report *report, int exit_code);

#endif
