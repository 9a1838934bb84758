/* SPDX-License-Identifier: MIT */
/* Settling: the suspects of a comparison's timed cases against a base build, by pairs of new
 * processes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/child_process.h"
#include "base/message.h"
#include "baseline/baseline.h"
#include "judge/pairs.h"
#include "results/pair_result.h"
#include "results/verdicts.h"
#include "suite/settings.h"
#include "suite/table.h"

/* The program as `PROGRAM --settle BASE --seconds N --share X`: settles the suspects in the
 * verdicts of its part `time` within N seconds and rewrites those verdicts, where BASE is the
 * comparison's program of the base build and X the part of the error rate that this comparison may
 * spend. Prints {"suspects": [...]}, what became of each, as JSON, and its progress on the standard
 * error. Returns the exit code: 0 settled, whatever the verdicts; 2 with a complaint: suspects
 * keep their first verdicts. */
int kg__settle(const kg_comparison *comparison, int argc, char **argv);

enum { KG__BASE, KG__HEAD, KG__SIDES };

/* What one side's process measured of one suspect. */
typedef struct kg__side_result {
    kg__observation *measured;
    kg__verdict verdict; /* if its results are wrong, or it failed */
    char why[KG__MESSAGE_SIZE];
} kg__side_result;

/* A settling in progress. */
typedef struct kg__settlement {
    const kg_comparison *comparison;
    const char *base_program;
    char path[KG__PATH_SIZE]; /* of the verdicts */
    kg__pool pool;
    kg__verdicts *verdicts;
    kg__target target; /* theirs, with the key of the baseline */
    kg__baseline baseline;
    kg__pairs_base base;
    kg__case_list table;
    kg__listing base_cases;
    kg__suspect *suspects;
    const kg__case **cases; /* of the table, one per suspect */
    bool *reported;         /* one per suspect: its verdict was written */
    size_t count;
    kg__side_result *results[KG__SIDES]; /* one per suspect */
    kg__sentinel_log sentinels[KG__SIDES];
    kg__family family;
    size_t look; /* the next one */
    double began;
    double limit;         /* seconds, in all */
    double round_seconds; /* of the last round that ran the base */
    double last_report;
    bool broken; /* this build's observer does not run: was reported */
    bool failed; /* something could not be settled: was reported */
} kg__settlement;

/* settle_suspects.c */

/* The seconds since settling began. */
double kg__settle_elapsed(const kg__settlement *run);

/* Reads the suspects from the verdicts, and forms their family of hypotheses. False with a
 * complaint; kg__settle_release() is due either way. */
bool kg__settle_open(kg__settlement *run);

/* Frees what settling holds. */
void kg__settle_release(kg__settlement *run);

/* settle_rounds.c */

/* Whether a suspect needs another pair, or another observation of this build. */
bool kg__settle_wants(const kg__settlement *run, const kg__suspect *suspect);

/* Leaves all open suspects to the stored baseline. */
void kg__settle_leave(kg__settlement *run, const char *why);

/* Runs the base and this build, or this build alone where no suspect needs a pair. */
void kg__settle_run_round(kg__settlement *run, size_t round);

/* settle_looks.c */

/* Runs rounds and takes looks until all suspects are settled or the time is over. */
void kg__settle_all(kg__settlement *run);
