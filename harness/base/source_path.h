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

/* The length of the place that a text begins with, "kernels/a/b.cu:14" or "b.cu:14", whether that
 * file is there or not; 0 where it begins with none. The line is 0 where none is named. */
size_t kg__source_place(const char *text, kg__source_line *source);

/* How many bytes to skip in a text that begins with no place, to look for the next one: the run of
 * a path's characters at its front, or else one. */
size_t kg__source_skip(const char *text);

/* Finds the line of the tree in `folder` that a message speaks of: the first place such as
 * "kernels/a/b.cu:14" whose file is there, or else the kernel in the first file that is named
 * without a line. Only source files below `folder` count. Returns whether there is one. */
bool kg__source_mentioned(const char *folder, const char *text, kg__source_line *source);

/* Finds the kernel of a case by its id: the first __global__ function of
 * kernels/<comparison>/<variant>.cu. A variant that shares another's file, as strided_managed does
 * with strided, is found there. Returns whether there is such a file. */
bool kg__source_of_case(const char *folder, const char *id, kg__source_line *source);

/* Finds the first line of a file below `folder` that holds `text`; line 1 where none does. Returns
 * whether the file is there. */
bool kg__source_line_with(const char *folder, const char *file, const char *text,
                          kg__source_line *source);

#endif
