/* Members of a results document, which may be missing or of another type. */
#ifndef KG__RESULTS_RESULTS_READ_H
#define KG__RESULTS_RESULTS_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "judge/judge.h"

/* A text of a list, or "" where it is none. */
const char *kg__list_text(const json_t *text);

/* The verdict member of a case or a metric; KG__ERROR when it has none that is known. */
kg__verdict kg__results_verdict(const json_t *entry);

/* Whether the run was strict (KG_STRICT=1). */
bool kg__results_strict(const json_t *results);

/* How many cases were judged. */
size_t kg__results_judged(const json_t *results);

/* How many of them have this verdict. */
size_t kg__results_count(const json_t *results, kg__verdict verdict);

/* Whether a verdict makes a run fail, by strictness. */
bool kg__verdict_fails(kg__verdict verdict, bool strict);

/* The exit code of a merged document. */
int kg__results_exit_code(const json_t *results);

#endif
