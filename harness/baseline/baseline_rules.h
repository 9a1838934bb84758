/* SPDX-License-Identifier: MIT */
/* What a baseline may hold: the rules that its reader keeps. Internal to the baseline store. */
#pragma once

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

/* The member of a metric whose figure is wrong, or does not fit the others; "" for the metric
 * itself, NULL where all is right. `model` is that of the CPU model's file. */
const char *kg__metric_fault(const kg__baseline_metric *metric, bool model);

/* The same of a case, or a sentinel, whose metrics are right: the counter that is not the sum of
 * its lines; "" where it lacks a metric that it needs. */
const char *kg__case_fault(const kg__baseline_case *entry, bool sentinel);

/* The same of a baseline's provenance: it names another tool that measured, but the target is a GPU
 * that this project's own programs measure, or has their sentinels, which no other tool has; or it
 * is the CPU model's and does not name the version of the model that counted. */
const char *kg__origin_fault(const kg__baseline *baseline);
