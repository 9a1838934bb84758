/* SPDX-License-Identifier: MIT */
/* Judges a list of a document entry by entry. */
#pragma once

#include <jansson.h>

#include "base/message.h"

/* What makes a judgment of an entry; NULL, with the text of `fault`, where the entry is invalid. */
typedef json_t *kg__judge_entry(const json_t *figures, json_t *entry, json_error_t *fault);

/* Returns the judgments of `entries`, the list `name` of the file `path`, in the same order: the
 * caller's. `figures` is passed on. NULL with `error` if an entry is invalid, or with `absent` if
 * there is no list. */
json_t *kg__judge_each(const char *path, const char *name, const json_t *entries,
                       const char *absent, kg__judge_entry *judge, const json_t *figures,
                       kg__error *error);
