/* Source files as messages and baselines name them. */
#ifndef KG__BASE_SOURCE_PATH_H
#define KG__BASE_SOURCE_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* The part of `file` below the folder `home`: "kernels/matmul_f32/naive.cu"; all of it when it is
 * elsewhere. */
const char *kg__source_name(const char *home, const char *file);

/* A line of a file below a tree's folder. */
typedef struct kg__source_line {
    char file[512];
    size_t line; /* from 1 */
} kg__source_line;

/* Finds the kernel of a case by its id: the first __global__ function of
 * kernels/<comparison>/<variant>.cu. A variant that shares another's file, as strided_managed does
 * with strided, is found there. Returns whether there is such a file. */
bool kg__source_of_case(const char *folder, const char *id, kg__source_line *source);

/* Finds the first line of a file below `folder` that holds `text`; line 1 where none does. Returns
 * whether the file is there. */
bool kg__source_line_with(const char *folder, const char *file, const char *text,
                          kg__source_line *source);

#endif
