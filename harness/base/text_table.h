/* A table of cells, written for a terminal, as Markdown or as CSV. Pure. */
#ifndef KG__BASE_TEXT_TABLE_H
#define KG__BASE_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum kg__text_table_format {
    KG__GRID_TEXT, /* columns aligned by spaces */
    KG__GRID_MARKDOWN,
    KG__GRID_CSV /* figures as exact as they are stored */
} kg__text_table_format;

/* "text", "markdown" or "csv"; false for any other name. */
bool kg__text_table_format_parse(const char *name, kg__text_table_format *format);

typedef struct kg__text_table_column {
    const char *title;
    bool right;    /* figures are aligned to the right */
    bool csv_only; /* says what a heading says elsewhere, such as the target */
} kg__text_table_column;

typedef struct kg__text_table kg__text_table;

/* Makes an empty table; the columns stay the caller's. */
kg__text_table *kg__text_table_new(const kg__text_table_column *columns, size_t count);

/* Adds the next cell, from left to right and row after row. `exact` is what CSV has instead of
 * `shown`; NULL where both are one. */
void kg__text_table_add(kg__text_table *table, const char *shown, const char *exact);

/* Adds a figure, which CSV has with all its digits, and an empty cell for NaN. */
void kg__text_table_add_figure(kg__text_table *table, const char *shown, double exact);

/* How many rows are whole. */
size_t kg__text_table_rows(const kg__text_table *table);

/* Has kg__text_table_write() color the words of verdicts in this column of a terminal's table,
 * where its stream wants color. */
void kg__text_table_color_words(kg__text_table *table, size_t column);

/* Writes the titles, where `titled`, and every row. */
void kg__text_table_write(FILE *stream, const kg__text_table *table, kg__text_table_format format,
                          bool titled);

/* Frees the table and its cells. */
void kg__text_table_free(kg__text_table *table);

#endif
