/* SPDX-License-Identifier: MIT */
/* The baseline store: one strict JSON file per target, baselines/<key>.json. Pure: knows no CUDA.
 *
 * A GPU's file holds times; the CPU model's, whose key is KG__MODEL_KEY, holds counters and nothing
 * else: whole numbers, without floor or noise, next to them the counters of each line of source.
 * It also lists the cases that are checked and not counted. What a time rests on, its noise and the
 * numbers of boards and sessions, is checked and not kept: it is for readers of the file. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"
#include "base/pool.h"
#include "judge/judge.h"
#include "records/kernel_code.h"
#include "records/line_counts.h"
#include "suite/target.h"

#define KG__BASELINE_SCHEMA "kernelgate-baseline/2"

/* A baseline file has some thousands of lines; a larger file than this, in bytes, is something
 * else. */
#define KG__BASELINE_LARGEST ((size_t)64 << 20)

/* The CPU model's key. */
#define KG__MODEL_KEY "cpu-model"

/* One metric of one case. Its unit is the end of its name: "_ns" nanoseconds, otherwise a count. */
typedef struct kg__baseline_metric {
    const char *name;
    double value;
    double band;       /* fraction; 0 for counters */
    bool band_by_hand; /* "band_by": "hand": kernelgate rebaseline keeps band and `gated` */
    double floor;      /* in the metric's unit; 0 for counters */
    bool gated;        /* false: "gated": false, reported and never judged */
} kg__baseline_metric;

typedef struct kg__baseline_case {
    const char *id;               /* "matmul_f32/naive/530/b16"; a sentinel's is its name */
    const char *commit;           /* the commit that it was recorded at; NULL for a sentinel */
    kg__kernel_code *code;        /* or NULL */
    kg__lines *lines;             /* the CPU model's counters by source line; or NULL */
    kg__baseline_metric *metrics; /* sorted by name */
    size_t metric_count;
} kg__baseline_case;

/* The errors of a checked case, in roundoffs of its output's type: the largest and the mean. */
#define KG__ERRORS 2
typedef struct kg__baseline_accuracy {
    const char *id;
    double errors[KG__ERRORS];
    double band; /* fraction; 0: exact on the CPU model, KG__ERROR_BAND on a GPU */
} kg__baseline_accuracy;

typedef struct kg__baseline {
    kg__pool pool; /* of all that follows */
    kg__target target;
    json_t *provenance;           /* named texts, numbers and booleans; NULL: none */
    kg__baseline_case *sentinels; /* sorted by id */
    size_t sentinel_count;
    kg__baseline_case *cases; /* sorted by id */
    size_t case_count;
    const char **checked; /* of the CPU model: the cases that are checked and not counted, sorted */
    size_t checked_count;
    kg__baseline_accuracy *accuracy; /* sorted by id; NULL: the file is older than accuracy */
    size_t accuracy_count;
} kg__baseline;

typedef enum kg__load_status {
    KG__LOADED, /* read whole */
    KG__ABSENT, /* there is no such file: not an error */
    KG__BAD     /* unreadable or wrong: what could be understood is in the baseline all the same */
} kg__load_status;

/* The member of a provenance that names another tool which measured, "nvbench 0.1.0"; absent where
 * this project's own programs measured. */
#define KG__MEASURED_BY "measured_by"

/* Whether two such values ("": absent) name one tool, whatever its version: their first words are
 * equal. */
bool kg__is_same_tool(const char *a, const char *b);

/* Says where the CPU model's baseline was recorded with another compiler, another version of the
 * model or other CXXFLAGS than this run has, whose target and provenance are given, and which
 * counters are not judged for it; false, with an empty text, where none differs. */
bool kg__recording_differences(const kg__baseline *baseline, const kg__target *target,
                               const json_t *provenance, char *text, size_t size);

/* Reads the baseline file at `path`. On KG__BAD, `error` says where (file, key) and what to do,
 * for the first thing wrong; `baseline` then holds the cases that were right (none if
 * the file is not JSON). Unknown keys, duplicate keys, NaN, wrong types, values out of range, a key
 * that is not the file's name, a name in the model's file that is not a counter, and any schema
 * other than KG__BASELINE_SCHEMA are errors. Free with kg__baseline_free() in any case. */
kg__load_status kg__baseline_load(const char *path, kg__baseline *baseline, kg__error *error);

/* The same of a text of `length` bytes followed by a NUL; `path` is what complaints call it. */
kg__load_status kg__baseline_parse(const char *path, const char *text, size_t length,
                                   kg__baseline *baseline, kg__error *error);

/* Reads the baseline of a target from `folder`, and leaves its path in `path` of `size` bytes.
 * Boards that share a name and differ in memory by more than KG__MEMORY_TOLERANCE are targets of
 * their own: where <key>.json is of such another board, the target's key becomes <key>-<memory>gib,
 * and its file is read. */
kg__load_status kg__baseline_load_for(const char *folder, kg__target *target, char *path,
                                      size_t size, kg__baseline *baseline, kg__error *error);

/* The same of this project's own programs: KG__BAD, and an empty baseline, where another tool
 * measured it. */
kg__load_status kg__baseline_load_own(const char *folder, kg__target *target,
                                      kg__baseline *baseline, kg__error *error);

#define KG__MEMORY_TOLERANCE 0.05

/* The case of an id, the baseline's own; NULL where it has no such case, or is NULL itself. */
kg__baseline_case *kg__baseline_find(const kg__baseline *baseline, const char *id);

/* The same of a sentinel, by its name, where there is a baseline. */
kg__baseline_case *kg__baseline_sentinel(const kg__baseline *baseline, const char *name);

/* The same of a metric of a case (NULL: none), by its name. */
kg__baseline_metric *kg__baseline_metric_of(const kg__baseline_case *entry, const char *name);

/* Whether the list of checked cases has this id. */
bool kg__baseline_lists(const kg__baseline *baseline, const char *id);

/* The recorded errors of a case; NULL where there are none. */
const kg__baseline_accuracy *kg__baseline_accuracy_of(const kg__baseline *baseline, const char *id);

/* What the judge needs of a metric. */
kg__expectation kg__baseline_expectation(const kg__baseline_metric *metric);

/* Frees what the baseline holds, and empties it; an empty one is fine too. */
void kg__baseline_free(kg__baseline *baseline);
