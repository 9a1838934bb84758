/* Writes the tables of a search: the stream, headings and figures. */
#ifndef KG__CLI_TUNE_WRITER_H
#define KG__CLI_TUNE_WRITER_H

#include "cli/tune_report.h"

/* The size of a cell: a name, a figure and its interval. */
#define KG__CELL_SIZE 192

/* The report being written, and the stream. */
typedef struct kg__tuning_writer {
    FILE *stream;
    const kg__tuning_report *report;
    const kg__tuning *tuning;
    kg__text_table_format format;
    bool timed;
    bool begun; /* a table was written before */
} kg__tuning_writer;

/* Begins to write a report's tables; report and stream stay the caller's. */
kg__tuning_writer kg__tuning_writer_begin(FILE *stream, const kg__tuning_report *report,
                                          kg__text_table_format format);

/* Writes a heading: "vector_add 1048576 on NVIDIA H200: time, in µs". `size` may be empty; `what`
 * follows the metric's name. */
void kg__tuning_heading(kg__tuning_writer *writer, const char *comparison, const char *size,
                        const char *what);

/* Writes a sentence below a table. */
void kg__tuning_remark(const kg__tuning_writer *writer, const char *text);

/* Formats a figure of the metric: a time in microseconds, or a count. */
void kg__tuning_show(const kg__tuning_writer *writer, char *text, size_t size, double value);

/* Adds a cell of text. */
void kg__tuning_add_text(kg__text_table *grid, const char *text);

/* Adds a cell with a figure, empty if it is NaN. */
void kg__tuning_add_known(kg__text_table *grid, double value);

#endif
