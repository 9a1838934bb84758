/* A table of cells, written for a terminal, as Markdown or as CSV. Pure. */
#ifndef KG__GRID_H
#define KG__GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum kg__grid_format {
    KG__GRID_TEXT, /* columns aligned by spaces */
    KG__GRID_MARKDOWN,
    KG__GRID_CSV /* figures as exact as they are stored */
} kg__grid_format;

/* "text", "markdown" or "csv"; false for any other name. */
bool kg__grid_format_parse(const char *name, kg__grid_format *format);

typedef struct kg__grid_column {
    const char *title;
    bool right;    /* figures are aligned to the right */
    bool csv_only; /* says what a heading says elsewhere, such as the target */
} kg__grid_column;

typedef struct kg__grid kg__grid;

/* Makes an empty table; the columns stay the caller's. */
kg__grid *kg__grid_new(const kg__grid_column *columns, size_t count);

/* Adds the next cell, from left to right and row after row. `exact` is what CSV has instead of
 * `shown`; NULL where both are one. */
void kg__grid_add(kg__grid *grid, const char *shown, const char *exact);

/* Adds a figure, which CSV has with all its digits, and an empty cell for NaN. */
void kg__grid_add_figure(kg__grid *grid, const char *shown, double exact);

/* How many rows are whole. */
size_t kg__grid_rows(const kg__grid *grid);

/* Has kg__grid_write() colour the words of verdicts in this column of a terminal's table, where its
 * stream wants colour. */
void kg__grid_colour_words(kg__grid *grid, size_t column);

/* Writes the titles, where `titled`, and every row. */
void kg__grid_write(FILE *stream, const kg__grid *grid, kg__grid_format format, bool titled);

/* Frees the table and its cells. */
void kg__grid_free(kg__grid *grid);

#endif
