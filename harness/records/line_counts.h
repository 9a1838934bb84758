/* SPDX-License-Identifier: MIT */
/* The counters of a case's source lines on the CPU model, and their JSON in records, baselines
 * and results: {"kernels/matmul_f32/naive.cu:14": {"global_load_requests": 9495180, ...}, ...}
 * without counters of 0. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/json_fields.h"
#include "base/message.h"
#include "base/pool.h"
#include "suite/counters.h"

/* One line. */
typedef struct kg__line_counts {
    char *file;
    unsigned int line;
    kg__counts counts;
} kg__line_counts;

/* Lines by file, then by number. A NULL pointer means unknown. */
typedef struct kg__lines {
    kg__line_counts *list;
    size_t count;
    size_t capacity;
} kg__lines;

/* Returns an empty list; free it with kg__lines_free(). */
kg__lines *kg__lines_make(void);

/* The same, freed with a pool. */
kg__lines *kg__pool_lines(kg__pool *pool);

/* Frees lines; NULL is allowed. */
void kg__lines_free(kg__lines *lines);

/* Returns the counters of a line, added if new; valid until the next line is added. `length` is
 * that of the file's name. */
kg__counts *kg__lines_at(kg__lines *lines, const char *file, size_t length, unsigned int line);

/* Returns the sum of a counter over all lines; 0 for NULL. */
double kg__lines_sum(const kg__lines *lines, kg__counter counter);

/* Returns the lines as JSON, in order, the counters of each by name; owned by the caller. */
json_t *kg__lines_json(const kg__lines *lines);

/* Adds an object's lines to `lines`. Returns whether it is one: every key must be FILE:LINE, every
 * value an object of at least one counter, each a whole number from 1 to 2^53. Else `key` (NULL for
 * the object) and `counter` (NULL for the line itself) become the place of the error. */
bool kg__lines_read(const json_t *json, kg__lines *lines, const char **key, const char **counter);

/* A member that is a pointer to lines; reading adds them to the pool. */
#define KG__FIELD_LINES(struct_, member)                                                           \
    KG__FIELD_BY(struct_, member, "lines", kg__lines_make_field, kg__lines_read_field)

/* Returns the JSON of such a member; NULL where it is. */
json_t *kg__lines_make_field(const void *held);

/* Reads such a member, with results as `read` of kg__field has. */
const char *kg__lines_read_field(json_t *value, void *to, kg__pool *pool, kg__error *error);
