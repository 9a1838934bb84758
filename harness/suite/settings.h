/* A run: where its files are, and how it is steered by the environment. */
#ifndef KG__SUITE_SETTINGS_H
#define KG__SUITE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"

/* True when KG_STRICT=1. */
bool kg__is_strict(void);

/* True when KG_VERBOSE=1: tests print what passed as well. */
bool kg__is_verbose(void);

/* Seconds of silence after which an observer counts as hung: KG_CASE_TIMEOUT, else 60. */
double kg__silence_limit(void);

/* Seconds of a GPU's time that a case may be sampled for: KG_CASE_SECONDS, else 0.5. */
double kg__case_seconds(void);

/* Whether the timed cases' results were found right just before, so that they are timed without
 * computing the reference: KG__CHECKED=1, which a recording sets after its first session. */
bool kg__results_known_right(void);

/* The compute capability, "9.0", for which a recording wants the fingerprint of each timed case's
 * machine code: KG__FINGERPRINTS; NULL in a gate, which finds those of both builds itself. */
const char *kg__fingerprinted_capability(void);

/* Whether KG_STRICT is 0 or 1, and KG_CASE_TIMEOUT and KG_CASE_SECONDS are numbers in their range,
 * or each is empty or unset, as whatever reads them demands; false with `error` where one is
 * anything else: "false" could mean either, and an ignored limit is a wrong limit.
 */
bool kg__settings_are_valid(kg__error *error);

/* Whether KG_BASELINES names a directory where it is set. The project's own baselines/ may be
 * absent before the first is recorded. */
bool kg__baselines_are_there(kg__error *error);

/* Whether KG_FILTER may narrow the run: in strict mode only from the command line,
 * which the program that read it says by KG_FILTER_GIVEN, the same list again. A filter left in the
 * environment would pass for a whole gate. False with `error`. */
bool kg__filter_is_allowed(bool strict, kg__error *error);

/* True when one of a comma-separated list of globs, in which * also matches slashes, matches an id.
 */
bool kg__globs_take(const char *list, const char *id);

/* True when KG_FILTER lets a case through: unset or empty lets all, else it is a list for
 * kg__globs_take(). */
bool kg__filter_takes(const char *id);

/* The one of `count` ids that was probably meant by a list of globs that takes none of them: the
 * nearest by letters, in as many parts as a glob has in front of its last stars. NULL where none is
 * near enough. */
const char *kg__suggest_case(const char *list, const char *const *ids, size_t count);

/* Those globs of a list that take none of `count` ids, separated by commas, "" where each takes
 * one. The caller frees it. */
char *kg__unmatched_globs(const char *list, const char *const *ids, size_t count);

/* The folder with the programs of a base build, which suspects are settled against after the run:
 * KG_BASE, or NULL. */
const char *kg__base_folder(void);

/* Whether cases of unchanged launch and machine code are not timed: KG_CHANGED=1. */
bool kg__is_changed_only(void);

/* Whether a case is timed whether it changed or not: KG_SAMPLE, globs as in KG_FILTER. */
bool kg__sample_takes(const char *id);

/* Whether every timed case is a suspect: KG_PAIRED=1, in a run that has a base. */
bool kg__is_paired(void);

/* The folder of a run's results: KG_OUT, else <home>/out. */
void kg__out_folder(const char *home, char *path, size_t size);

/* The folder of the baselines: KG_BASELINES, else <home>/baselines. */
void kg__baselines_folder(const char *home, char *path, size_t size);

/* The name of a CTest test, "gpu.matmul_f32.time": `kind` is "gpu" or "model". */
void kg__test_name(const char *kind, const char *comparison, const char *part, char *name,
                   size_t size);

/* The path of a test's verdicts file, in the folder of the results. */
#define KG__VERDICTS_SUFFIX ".verdicts.json"
void kg__verdicts_path(const char *home, const char *test, char *path, size_t size);

/* The command that observers of a part are run under, its words separated by spaces: KG_WRAPPER for
 * what checks, NULL for none. What is timed or counted is never wrapped: it would be measured
 * otherwise than ever before. */
const char *kg__wrapper(const char *part);

#endif
