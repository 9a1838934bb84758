/* SPDX-License-Identifier: MIT */
/* A run's settings: the places of its files, and the environment variables that control it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"

/* Returns whether KG_STRICT=1. */
bool kg__is_strict(void);

/* Returns whether KG_VERBOSE=1: tests also print passed cases. */
bool kg__is_verbose(void);

/* Returns the seconds of silence after which an observer counts as hung: KG_CASE_TIMEOUT, else
 * 60. */
double kg__silence_limit(void);

/* Returns the seconds of GPU time for sampling a case: KG_CASE_SECONDS, else 0.5. */
double kg__case_seconds(void);

/* Returns whether the timed cases' results were just found right, so that timing need not
 * compute the reference: KG__CHECKED=1, which a recording sets after its first session. */
bool kg__results_known_right(void);

/* Returns whether the fingerprint of each timed case's machine code is asked for: KG__FINGERPRINTS,
 * which a recording sets. A gate computes those of both builds itself. */
bool kg__wants_fingerprints(void);

/* Checks that KG_STRICT is 0 or 1, and that KG_CASE_TIMEOUT and KG_CASE_SECONDS are numbers in
 * their range; each may be empty or unset. False with `error` otherwise: "false" could mean
 * either, and an ignored limit is a wrong limit. */
bool kg__settings_are_valid(kg__error *error);

/* Checks that KG_BASELINES, if set, names a directory. The project's own baselines/ may be
 * absent before the first recording. */
bool kg__baselines_are_there(kg__error *error);

/* Checks that KG_FILTER may narrow the run. In strict mode it must come from the command line:
 * the program that parsed it sets KG_FILTER_GIVEN to the same list. A filter left in the
 * environment would make a partial run pass for a full gate. False with `error`. */
bool kg__filter_is_allowed(bool strict, kg__error *error);

/* Returns whether KG_FILTER selects a case: unset or empty selects all, else it is a
 * comma-separated list of globs, in which * also matches slashes. */
bool kg__filter_takes(const char *id);

/* Returns the folder with the programs of a base build, against which suspects are settled after
 * the run: KG_BASE, or NULL. */
const char *kg__base_folder(void);

/* Returns whether cases of unchanged launch and machine code are not timed: KG_CHANGED=1. */
bool kg__is_changed_only(void);

/* Returns whether a case is timed even if unchanged: KG_SAMPLE, globs as in KG_FILTER. */
bool kg__sample_takes(const char *id);

/* Returns whether every timed case is a suspect: KG_PAIRED=1, in a run with a base. */
bool kg__is_paired(void);

/* Writes the folder of a run's results: KG_OUT, else <home>/out. */
void kg__out_folder(const char *home, char *path, size_t size);

/* Writes the folder of the baselines: KG_BASELINES, else <home>/baselines. */
void kg__baselines_folder(const char *home, char *path, size_t size);

/* Writes the name of a CTest test, "gpu.matmul_f32.time": `kind` is "gpu" or "model". */
void kg__test_name(const char *kind, const char *comparison, const char *part, char *name,
                   size_t size);

/* The path of a test's verdicts file, in the folder of the results. */
#define KG__VERDICTS_SUFFIX ".verdicts.json"
void kg__verdicts_path(const char *home, const char *test, char *path, size_t size);

/* Returns the command that runs observers of a part, its words separated by spaces: KG_WRAPPER
 * for checks, else NULL. Timing and counting are never wrapped, since a wrapper changes what
 * they measure. */
const char *kg__wrapper(const char *part);
