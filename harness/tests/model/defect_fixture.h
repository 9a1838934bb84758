/* SPDX-License-Identifier: MIT */
/* Launches of the kernels with defects, and the lines of their source that have a defect's name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"
#include "model/watch/watch.h"
#include "observer/check.h"
#include "suite/counters.h"
#include "tests/model/defect_kernels.h"

#define BOTH (KG__MODEL_COUNT | KG__MODEL_CHECK)
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What a kernel computes. */
typedef enum job {
    DOUBLE,
    SWAP,
    REVERSE, /* within each block */
    BACKWARD_DIFFERENCE,
    FORWARD_DIFFERENCE,
    WEIGH_ALL,
    WEIGH_IN_TURN,
    SUM_WINDOWS,
    SUM_ROWS,
    TRANSPOSE,
    MULTIPLY,
    TOTAL,
    ADD_UP,
    COUNT_VALUES
} job;

/* One defect. */
typedef struct defect {
    const char *name; /* as its line has it */
    defect_launcher *launch;
    job job;
    int n, block; /* where the defect shows; 0: 530 and 64 */
    /* A wrong access: */
    kg__finding found; /* its fields, as is_as_expected() compares them */
    uint64_t times;    /* how often in all, reads and writes apart; 0: not compared */
    /* A wrong result: */
    size_t wrong, unwritten; /* outputs */
    /* A needless cost: */
    kg__counter counter;
    uint64_t clean, defective; /* its value */
    bool lineless;             /* the source lines do not explain it */
} defect;

#define DEFECT(name_, job_) .name = #name_, .launch = launch_##name_, .job = (job_)

/* What came of one launch. The report holds until the next one. */
typedef struct run {
    cudaError_t error;
    bool right;
    kg_mismatch mismatch;
    size_t unwritten;
    const kg__model_report *report;
} run;

/* Launches the kernel with its defect, or its clean twin, on numbers of the row, or on these. */
run launch(const defect *row, bool defective, unsigned int watched);
run launch_with(const defect *row, int n, int block, bool defective, unsigned int watched);

/* Launches the clean twin on every kind of size and block, which must be right and clean. */
void expect_twin_clean(const defect *row);

#define MAX_MARKS 2

/* The lines that have a defect's name. */
typedef struct mark {
    const char *file;
    size_t count;
    unsigned int line[MAX_MARKS];
} mark;

mark find_mark(const char *name);
