/* SPDX-License-Identifier: MIT */
/* Verdicts: what a CTest test leaves about its cases in out/records/<test>.verdicts.json, replaced
 * atomically as it goes. tools/kernelgate/verdicts.schema.json describes their JSON. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/message.h"
#include "base/pool.h"
#include "judge/judge.h"
#include "results/case_result.h"
#include "suite/target.h"

#define KG__VERDICTS_SCHEMA "kernelgate-verdicts/1"

/* Why a test judged nothing. */
typedef enum kg__skip {
    KG__NOT_SKIPPED,
    KG__SKIP_FILTER,      /* KG_FILTER leaves it no case */
    KG__SKIP_EMPTY,       /* the comparison's table has no case for it */
    KG__SKIP_UNAVAILABLE, /* no GPU, for one */
    KG__SKIP_NO_BASELINE,
    KG__SKIP_UNCHANGED, /* what it needs was not timed, since its code is unchanged */
    KG__SKIP_GPU_ONLY,  /* all of its cases are for GPUs alone */
    KG__SKIPS
} kg__skip;

/* The names of the reasons in JSON, the first one empty, and NULL. */
extern const char *const kg__skip_names[KG__SKIPS + 1];

/* A claim, and whether this run's figures bear it out. One that is only reported fails nothing: on
 * this target it has not held before. */
typedef struct kg__claim {
    const char *claim;
    bool holds;
    const char *why;
    bool reported_only;
} kg__claim;

/* A case that its comparison does not support, on the CPU model perhaps as one for GPUs alone. */
typedef struct kg__refusal {
    const char *id;
    const char *why;
    bool gpu_only;
} kg__refusal;

/* The verdicts of a test. What they point to belongs to their pool, or lives as long. */
typedef struct kg__verdicts {
    kg__pool *pool;
    const char *test;
    bool complete; /* the test is through: one that dies leaves no hole */
    double seconds;
    int64_t exit_code;   /* what its program's run of it came to; -1: not known */
    kg__target target;   /* without a key: no observer has named it */
    json_t *provenance;  /* borrowed; NULL: not known */
    const char *board;   /* the UUID of the GPU; NULL: not known */
    const char *skipped; /* why nothing was judged; NULL where something was */
    kg__skip skipped_by;
    kg__texts errors;   /* outside of any case */
    kg__texts vanished; /* baseline cases that an import no longer has */
    kg__refusal *refused;
    size_t refused_count;
    kg__claim *claims;
    size_t claim_count;
    kg__texts notes; /* remarks that decide nothing */
    kg__case_result **cases;
    size_t case_count;
} kg__verdicts;

/* The verdicts of a test that is through and has found nothing yet, every list empty. */
kg__verdicts *kg__verdicts_make(kg__pool *pool, const char *test);

/* Adds a case that is refused; the texts are copied. */
void kg__verdicts_add_refusal(kg__verdicts *verdicts, const kg__refusal *refusal);

/* Adds a claim; the texts are copied. */
void kg__verdicts_add_claim(kg__verdicts *verdicts, const kg__claim *claim);

/* Adds a result, which has to live as long as the pool. */
void kg__verdicts_add_case(kg__verdicts *verdicts, kg__case_result *result);

/* The document that kg__verdicts_save() writes, the caller's. */
json_t *kg__verdicts_json(const kg__verdicts *verdicts);

/* Writes them to `path` atomically, in a folder that it makes. False with `error`. */
bool kg__verdicts_save(const kg__verdicts *verdicts, const char *path, kg__error *error);

/* Reads a test's verdicts file, which the pool keeps as long as it lives; NULL with `error`,
 * "x.verdicts.json: cases[3]: why is not a text: run the test again". */
kg__verdicts *kg__verdicts_load(kg__pool *pool, const char *path, kg__error *error);

/* The result of a case in verdicts (NULL: none known); NULL where they have none. */
kg__case_result *kg__verdicts_find(const kg__verdicts *verdicts, const char *id);

/* Adds verdicts to a tally: their cases by verdict, claims, vanished cases, errors and reasons to
 * skip. Those that are not complete count as broken, and so do those that found nothing and give no
 * reason. */
void kg__verdicts_tally(const kg__verdicts *verdicts, kg__tally *tally);

/* Whether the verdicts of a part `check` (NULL: not known) say that a case is not right. */
bool kg__case_failed_check(const kg__verdicts *checks, const char *id);
