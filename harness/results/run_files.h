/* The files that a run leaves in the folder of its results, which ci/run-files lists, and the
 * records of its tests below it. */
#ifndef KG__RESULTS_RUN_FILES_H
#define KG__RESULTS_RUN_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"

#define KG__RUN_FILES_MAXIMUM 8

/* A file, and its form as tools/kernelgate/printers.py names it. */
typedef struct kg__run_file {
    char path[64];
    char form[16];
} kg__run_file;

/* The files of a run in the order in which they are named; returns how many. */
size_t kg__run_files(kg__run_file files[KG__RUN_FILES_MAXIMUM]);

/* Starts a run: makes `out` and out/records, and removes what an earlier run left of the files
 * that this project writes (nothing else). False with `error` on failure. */
bool kg__results_begin(const char *out, kg__error *error);

/* The path of a file in a folder; the caller's. */
char *kg__join_path(const char *folder, const char *name);

#endif
