/* A comparison as people publish it: rows by size and launch, variants side by side. Pure: a
 * results document in, figures out, and those as Markdown or CSV. */
#ifndef KG__REPORT_REPORT_TABLE_H
#define KG__REPORT_REPORT_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/message.h"
#include "judge/judge.h"
#include "suite/case_id.h"

/* The longest part of a case's id, and the most columns of figures that a target has. */
#define KG__REPORT_NAME_SIZE KG__CASE_PART_SIZE
#define KG__REPORT_COLUMNS 48

/* How a column's figures are shown in Markdown. CSV has them as they are. */
typedef enum kg__report_form {
    KG__FORM_MICROSECONDS, /* of nanoseconds */
    KG__FORM_FIGURE,
    KG__FORM_TIMES, /* "1.43x", with a proper sign */
    KG__FORM_PERCENT
} kg__report_form;

typedef struct kg__report_column {
    char name[KG__REPORT_NAME_SIZE];  /* "time_ns": its unit is in it */
    char title[KG__REPORT_NAME_SIZE]; /* over its own table; empty: in CSV alone */
    kg__report_form form;
    int beside; /* the column that stands in brackets behind each figure; -1: none */
} kg__report_column;

/* A case of the table: one that was timed or counted, or refused where others were. */
typedef struct kg__report_case {
    const json_t *entry; /* of the results; NULL: refused */
    const char *why;     /* of a refusal, or of the entry */
    kg__verdict verdict;
    size_t variant;
    size_t row;
    char size[KG__REPORT_NAME_SIZE];
    char launch[KG__REPORT_NAME_SIZE];
    unsigned long block;                /* threads, or a tile's edge; 0: nothing to choose */
    unsigned long grid;                 /* blocks; 0: not free */
    double figures[KG__REPORT_COLUMNS]; /* NaN: none, or none that counts */
    const char *clock;                  /* what took its time: "graph", "host", ...; or "" */
    const char *limited_by;             /* "bytes" or "operations", whichever takes longer; or "" */
} kg__report_case;

/* A row: a size and a launch. Variants that launch as many blocks as the size asks for, or a number
 * of their own, share the row of their threads; a variant with several numbers of blocks has a row
 * for each. */
typedef struct kg__report_row {
    const char *size;
    char launch[KG__REPORT_NAME_SIZE];
    unsigned long block;
    unsigned long grid;
    bool by_grid; /* its number of blocks is what tells it from its neighbours */
} kg__report_row;

/* What a target measured of a comparison. Borrows from the results document. */
typedef struct kg__report_table {
    const json_t *results;
    const char *comparison;
    const char *target;
    bool counted; /* the CPU model's: counters, not times */
    kg__report_column columns[KG__REPORT_COLUMNS];
    int column_count;
    char (*variants)[KG__REPORT_NAME_SIZE]; /* in the order of the comparison's table */
    size_t variant_count;
    kg__report_case *cases; /* by row, then by variant */
    size_t case_count;
    kg__report_row *rows;
    size_t row_count;
    size_t *places;    /* row_count x variant_count: a case's number, counted from 1; 0: none */
    double copy_limit; /* bytes and operations a second, as the target's sentinels */
    double operation_limit; /* reach them; NaN: not known */
} kg__report_table;

/* Makes the table of a target's cases of `comparison` that were timed or counted and that KG_FILTER
 * lets through; there may be none. False with `error` where an id is not a case's, or appears
 * twice. Free with kg__report_table_free() whatever came back. */
bool kg__report_table_make(const json_t *results, const char *comparison, const char *target,
                           kg__report_table *table, kg__error *error);

/* The case of a row and a variant; NULL where there is none. */
const kg__report_case *kg__report_case_at(const kg__report_table *table, size_t row,
                                          size_t variant);

/* Frees the table, and empties it; the results stay. */
void kg__report_table_free(kg__report_table *table);

/* Writes a heading, a table a column that has a title and figures, and notes. */
void kg__report_write_markdown(FILE *stream, const kg__report_table *table);

/* Writes a part of that: the line that says where it was measured. */
void kg__report_write_facts(FILE *stream, const kg__report_table *table);

/* Writes another: the notes, a line each that begins with "- ". */
void kg__report_write_notes(FILE *stream, const kg__report_table *table);

/* Writes one table of every case and every column of several targets' tables, a line a case. */
void kg__report_write_csv(FILE *stream, const kg__report_table *tables, size_t count);

#endif
