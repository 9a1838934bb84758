/* SPDX-License-Identifier: MIT */
/* Judges a list of a document entry by entry. */
#pragma once

#include "judge_records/judges.h"

/* What makes a judgment of an entry; NULL, with the text of `fault`, where the entry is invalid.
 * `figures` are the document's, or NULL. */
typedef json_t *kg__judge_entry(const json_t *figures, json_t *entry, json_error_t *fault);

/* Returns an object with one member, `answer`: the judgments of the entries of the document's list
 * `name`, in the same order. The caller's; NULL with `error` if an entry is invalid, or if there is
 * no list. */
json_t *kg__judge_each(const kg__judged_file *file, const char *name, const char *answer,
                       kg__judge_entry *judge, kg__error *error);
