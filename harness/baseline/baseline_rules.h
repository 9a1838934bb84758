/* SPDX-License-Identifier: MIT */
/* What a baseline may hold: the rules that its reader keeps. Internal to the baseline store. */
#pragma once

#include "base/json.h"
#include "base/json_file.h"
#include "baseline/baseline.h"

#define KG__BASELINE_SUFFIX ".json"

/* What every complaint about the content of a file ends in. */
#define KG__BASELINE_REMEDY "fix the file, or record it again with kernelgate rebaseline"

/* The end of the key of a board that differs from its namesake in memory. */
#define KG__MEMORY_SUFFIX "gib"

/* Whether a text can be a metric's name: a-z, 0-9 and _, and no other member of a case. */
bool kg__is_metric_name(const char *name);

/* Whether a metric is a time, by the end of its name. */
bool kg__is_time(const char *metric);

/* Whether a text is the name of a sentinel. */
bool kg__is_sentinel_name(const char *name);

/* Whether a text can be a target's key: a-z, 0-9 and -. */
bool kg__is_target_key(const char *key);

/* Whether `path` names the file that the target of this key belongs in. */
bool kg__is_file_of(const char *path, const char *key);

/* What is wrong with a part of a baseline, and what to do. */
typedef struct kg__fault {
    const char *key; /* the member that is at fault; NULL for the part itself */
    char text[224];
} kg__fault;

/* Whether a metric's figures are wrong, or do not fit each other. `model` is that of the CPU
 * model's file. */
bool kg__metric_is_faulty(const kg__baseline_metric *metric, bool model, kg__fault *fault);

/* Whether a case, or a sentinel, whose metrics are right lacks one that it needs, or has counters
 * that are not the sums of its lines. */
bool kg__case_is_faulty(const kg__baseline_case *entry, bool sentinel, kg__fault *fault);

/* Whether a baseline names another tool that measured it, but its target is a GPU that this
 * project's own programs measure, or it has their sentinels, which no other tool has; or is
 * the CPU model's and does not name the version of the model that counted. */
bool kg__origin_is_faulty(const kg__baseline *baseline, kg__fault *fault);

/* Reads the errors of the checked cases, sorted; those that are wrong are left out, with a
 * complaint.
 */
void kg__baseline_read_accuracy(kg__reading *file, const kg__json_place *where, json_t *object,
                                kg__baseline *baseline);

/* Frees what a case holds, not the case. */
void kg__baseline_case_free(kg__baseline_case *entry);
