/* What a profiler saw: the table that Nsight Compute prints with `--csv --page raw`, a kernel a
 * row, a metric a column. */
#ifndef KG__CLI_PROFILE_H
#define KG__CLI_PROFILE_H

#include <stddef.h>

#include "base/message.h"

/* One line of the table. */
typedef struct kg__profile_row {
    char **field;
    size_t line; /* of the file, counted from 1 */
} kg__profile_row;

typedef struct kg__profile {
    char *path;
    char *text; /* the file's bytes; every field points into it */
    kg__profile_row header;
    kg__profile_row *kernels; /* in the order in which they ran */
    size_t kernel_count;
    size_t columns; /* fields of every row */
} kg__profile;

/* Reads the file at `path`. What the profiler says around its table is passed over, except for its
 * errors. False with `error`, which names the file and the line, for a file that cannot be read, is
 * cut off, has no table, rows of unequal length, or units other than the base ones. Free with
 * kg__profile_free() whatever came back. */
bool kg__profile_read(const char *path, kg__profile *profile, kg__error *error);

typedef enum kg__profile_status {
    KG__PROFILE_KNOWN,
    KG__PROFILE_UNKNOWN, /* no such column, or "n/a": this chip does not count it */
    KG__PROFILE_BAD      /* something that is no count; `error` says where */
} kg__profile_status;

/* The count in column `metric` of kernel number `kernel` (from 0). With `opcode` not NULL the count
 * of that instance of the metric, as in "25 (LDS: 20; BAR: 5)"; 0 for one that is not listed. */
kg__profile_status kg__profile_count(const kg__profile *profile, size_t kernel, const char *metric,
                                     const char *opcode, double *count, kg__error *error);

/* Warps of each block of kernel number `kernel`, by its block size. False with `error` where the
 * table does not tell it. */
bool kg__profile_warps(const kg__profile *profile, size_t kernel, double *warps, kg__error *error);

/* Frees the table that was read, and empties the profile. */
void kg__profile_free(kg__profile *profile);

#endif
