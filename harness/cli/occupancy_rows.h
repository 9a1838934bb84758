/* What launches take of a multiprocessor, gathered from the programs of a build: from the driver
 * where there is a GPU, else from the CPU model's launches, the compiler's figures, and the CUDA
 * Toolkit's occupancy calculator. */
#ifndef KG__CLI_OCCUPANCY_ROWS_H
#define KG__CLI_OCCUPANCY_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "baseline/resource_usage.h"
#include "cli/occupancy_limits.h"

/* The most architectures that one call looks at. */
#define KG__ARCHITECTURES 16

/* One kernel of a launch of a case on an architecture. Texts are the gathering's. */
typedef struct kg__occupancy_row {
    const char *id;
    const char *kernel;
    int architecture; /* 90 is 9.0 */
    long grid[3];     /* blocks */
    long block[3];    /* threads */
    kg__resources resources;
    size_t dynamic_shared; /* bytes a block */
    int threads;           /* a block */
    kg__occupancy occupancy;
    bool by_driver; /* a GPU's driver said so */
    kg__occupancy
        calculated; /* what the calculator says of a driver's kernel; limits are from here */
} kg__occupancy_row;

/* What is to be looked at. */
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
    size_t unknown;        /* kernels that nothing is known of: each was complained of */
    json_t *listings;      /* what the programs said, which the rows borrow from */
    json_t *usage;         /* by comparison, as kg__resource_usage_add() makes them */
    char source[96];       /* where the figures are from, in words */
} kg__occupancy_rows;

/* Gathers the rows. Returns KG__EXIT_PASS, or another exit code with a complaint: KG__EXIT_NOTHING
 * where a tool is missing, KG__EXIT_ERROR where a program cannot be asked or nothing is left. Free
 * with kg__occupancy_rows_free() whatever came back. */
int kg__occupancy_gather(const kg__occupancy_question *question, kg__occupancy_rows *rows);

/* Frees what kg__occupancy_gather() left, and empties it. */
void kg__occupancy_rows_free(kg__occupancy_rows *rows);

#endif
