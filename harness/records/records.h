/* SPDX-License-Identifier: MIT */
/* Records files: one JSON object per line, which an observer appends as it goes and its parent
 * reads while the file grows. observation.h describes the objects. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/message.h"
#include "base/pool.h"

/* Appends `record` as one line with a single write(), so that a crash can only truncate the last
 * line. Steals the reference. False with `error` when the file cannot be written. */
bool kg__record_append(int file, json_t *record, kg__error *error);

/* Reads a records file that may still be growing: each call returns the next complete line's
 * object, or NULL when there is none yet. */
typedef struct kg__record_reader {
    FILE *file;
    char *text; /* the line last read */
    size_t capacity;
    size_t line;      /* number of the complete line last read, returned or skipped */
    size_t bad_lines; /* complete lines that were not a JSON object: skipped, and counted here */
    bool torn;        /* the file ended in an incomplete line: its writer writes, or died */
} kg__record_reader;

/* Opens `path` for reading; false with `error` on failure. */
bool kg__record_open(kg__record_reader *reader, const char *path, kg__error *error);
/* Returns the next record, owned by the caller, or NULL if there is no further complete line. */
json_t *kg__record_next(kg__record_reader *reader);

/* Closes the file and frees the line; records that were returned stay valid. */
void kg__record_close(kg__record_reader *reader);

/* The member with the process's samples of a metric, and their maximum number. */
#define KG__SAMPLES_NS "samples_ns"
#define KG__RECORD_SAMPLES 100

/* Returns a list of a process's samples in ns for that member: all, or KG__RECORD_SAMPLES evenly
 * chosen ones, each rounded to an eighth of a nanosecond, which JSON writes in few digits. Owned
 * by the caller. */
json_t *kg__record_samples(const double *samples, size_t count);

/* Reads such a list into an array of the pool; false where it is no list of numbers. */
bool kg__samples_read(kg__pool *pool, const json_t *list, const double **samples, size_t *count);
