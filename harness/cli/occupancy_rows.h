/* Gathers the occupancy of launches from the programs of a build: from the driver if there is a
 * GPU, else from the CPU model's launches, the compiler's figures, and the CUDA Toolkit's occupancy
 * calculator. */
#ifndef KG__CLI_OCCUPANCY_ROWS_H
#define KG__CLI_OCCUPANCY_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "baseline/kernel_code.h"
#include "cli/occupancy_limits.h"

/* The most architectures that one call looks at. */
#define KG__ARCHITECTURES 16

/* One kernel of a launch of a case on an architecture. Strings belong to the rows. */
typedef struct kg__occupancy_row {
    const char *id;
    const char *kernel;
    int architecture; /* 90 is 9.0 */
    long grid[3];     /* blocks */
    long block[3];    /* threads */
    kg__resources resources;
    size_t dynamic_shared; /* bytes per block */
    int threads;           /* per block */
    kg__occupancy occupancy;
    bool by_driver;           /* a GPU's driver said so */
    kg__occupancy calculated; /* the calculator's result; the limits come from it */
} kg__occupancy_row;

/* What to gather. */
typedef struct kg__occupancy_question {
    const char *build;  /* the folder of the programs */
    const char *filter; /* a list of globs on case ids, "" for all; KG_FILTER narrows too */
    int architectures[KG__ARCHITECTURES]; /* none: those of the GPU here, else of the programs */
    size_t architecture_count;
} kg__occupancy_question;

typedef struct kg__occupancy_rows {
    kg__occupancy_row *rows; /* by architecture, then by comparison, then in the table's order */
    size_t count;
    size_t capacity;
    size_t without_kernel; /* cases that start no kernel */
    size_t unknown;        /* kernels without figures: each was complained about */
    json_t *listings;      /* the programs' answers, which own the rows' strings */
    kg__kernels kernels;   /* of the programs, each called by its comparison */
    char source[96];       /* where the figures are from, in words */
} kg__occupancy_rows;

/* Gathers the rows. Returns KG__EXIT_PASS, or another exit code with a complaint: KG__EXIT_NOTHING
 * if a tool is missing, KG__EXIT_ERROR if a program cannot be asked or nothing is left. Free the
 * rows with kg__occupancy_rows_free() in any case. */
int kg__occupancy_gather(const kg__occupancy_question *question, kg__occupancy_rows *rows);

/* Frees the rows, and empties them. */
void kg__occupancy_rows_free(kg__occupancy_rows *rows);

#endif
