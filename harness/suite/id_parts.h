/* SPDX-License-Identifier: MIT */
/* The parts of a case's id as text, for any comparison; suite/case_id.h parses them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Returns whether a name has only characters of a-z, 0-9 and _, as that of a comparison, a variant
 * or a metric. */
bool kg__name_is_plain(const char *name);

/* Returns whether a text can be an id: four parts, none empty, of letters, digits, '_', '-' and
 * '.'. */
bool kg__is_case_id(const char *id);

/* Returns the length of "comparison" at the front of an id. */
size_t kg__comparison_length(const char *id);

/* Returns the length of "comparison/variant/" at the front of an id, or of the whole id if it has
 * no more parts. */
size_t kg__variant_length(const char *id);

/* Writes the size in an id to `size`, of `bytes` bytes. */
void kg__case_id_size(const char *id, char *size, size_t bytes);

/* Writes to `glob`, of `bytes` bytes, the part after "comparison/variant/" in the ids of the cases
 * that are timed side by side with this one: its size, and its launch without a number of blocks.
 * "*" if the id has no launch. */
void kg__case_id_neighbors(const char *id, char *glob, size_t bytes);
