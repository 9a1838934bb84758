/* What a search found, for readers: tables of the best launches, of all launches and of sizes,
 * matrices of ratios, and a document of everything. Pure: a search in, text out. */
#ifndef KG__CLI_TUNE_REPORT_H
#define KG__CLI_TUNE_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "base/text_table.h"
#include "cli/tune_choice.h"

/* A search that has ended, and what surrounds it. Borrows everything. */
typedef struct kg__tuning_report {
    const kg__tuning *tuning;
    const kg__tuning_set *sets; /* that were named, beside one of each variant */
    size_t set_count;
    const json_t *target;     /* {"key", "name", ...} */
    const json_t *provenance; /* may be NULL */
    const json_t *edges;      /* true by comparison, where a block is the edge of a square */
    const char *mode;         /* "race", "exhaustive", "count" */
    double precision;         /* asked of a time: half of its interval, as a fraction */
    const char *filter;       /* "" where there is none */
    double seconds;           /* that it took */
} kg__tuning_report;

/* Writes, a problem after another, the best launches of its variants and its sets, and how these
 * compare with one another. `format` is text or Markdown. */
void kg__tuning_write_best(FILE *stream, const kg__tuning_report *report,
                           kg__text_table_format format);

/* Writes a table a problem: every launch by variant. */
void kg__tuning_write_launches(FILE *stream, const kg__tuning_report *report,
                               kg__text_table_format format);

/* Writes a table a comparison: the best launch by size and variant; and one a launch, where there
 * are no more of them than can be read. */
void kg__tuning_write_sizes(FILE *stream, const kg__tuning_report *report,
                            kg__text_table_format format);

/* Writes how many candidates there were, and why some of them have no figure. */
void kg__tuning_write_notes(FILE *stream, const kg__tuning_report *report,
                            kg__text_table_format format);

/* All of it as a document, "kernelgate-tuning/1"; owned by the caller. */
json_t *kg__tuning_document(const kg__tuning_report *report, int exit_code);

#endif
