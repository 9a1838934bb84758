/* What the lines of source of a case count on the CPU model, and the JSON of it in records,
 * baselines and results: {"kernels/matmul_f32/naive.cu:14": {"global_load_requests": 9495180, ...},
 * ...} without counters of 0. */
#ifndef KG__RECORDS_LINE_COUNTS_H
#define KG__RECORDS_LINE_COUNTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "suite/counters.h"

/* One line. */
typedef struct kg__line_counts {
    char *file;
    unsigned int line;
    kg__counts counts;
} kg__line_counts;

/* Lines by file, then by number. A pointer that is NULL means that they are not known. */
typedef struct kg__lines {
    kg__line_counts *list;
    size_t count;
    size_t capacity;
} kg__lines;

/* No lines yet; freed with kg__lines_free(). */
kg__lines *kg__lines_make(void);

/* Frees lines; NULL is fine too. */
void kg__lines_free(kg__lines *lines);

/* The counters of a line, which is added where it is missing; they stay where they are until the
 * next one is. `length` is that of the file's name. */
kg__counts *kg__lines_at(kg__lines *lines, const char *file, size_t length, unsigned int line);

/* What a counter comes to on all lines together; 0 of none (NULL). */
double kg__lines_sum(const kg__lines *lines, kg__counter counter);

/* The lines as JSON, in order, the counters of each by name; owned by the caller. */
json_t *kg__lines_json(const kg__lines *lines);

/* Adds what an object has to `lines`. Returns what is wrong with it, or NULL: every key is
 * FILE:LINE, every value an object of at least one counter, each a whole number from 1 to 2^53.
 * `key` and `counter` (NULL where it is the line itself) become where. */
const char *kg__lines_read(const json_t *json, kg__lines *lines, const char **key,
                           const char **counter);

#endif
