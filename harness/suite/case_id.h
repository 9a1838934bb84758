/* SPDX-License-Identifier: MIT */
/* The ids of cases, <comparison>/<variant>/<size>/<launch>: their grammar. A launch is the names
 * of its axes, each with its value: bm128bn64; "-" without axes. */
#pragma once

#include <kernelgate/kernelgate.h>

#include "base/message.h"

#define KG__CASE_ID_SIZE 192
/* Letters of an axis's name, so that six of them with their values fit an id. */
#define KG__AXIS_LENGTH 12

/* Returns how many axes a comparison has. */
int kg__axis_count(const kg_comparison *comparison);

/* Returns the name of axis `axis`, which must be below their count. */
const char *kg__axis_name(const kg_comparison *comparison, int axis);

/* Returns the axis of a name, from 0; -1 if the comparison has none. */
int kg__axis_of(const kg_comparison *comparison, const char *name);

/* Returns false with `error` if an axis's name is not of a-z and _, or equals another's in ids. */
bool kg__axes_are_good(const kg_comparison *comparison, kg__error *error);

/* Returns whether two launches are the same. */
bool kg__launches_equal(const kg_launch *a, const kg_launch *b);

/* Writes the id of a case. */
void kg__case_id_write(const kg_comparison *comparison, const kg_variant *variant,
                       const kg_size *size, const kg_launch *launch, char id[KG__CASE_ID_SIZE]);

/* An id in parts. */
typedef struct kg__case_id {
    const kg_variant *variant;
    const char *size; /* points into the id */
    int size_length;
    kg_launch launch;
} kg__case_id;

/* Parses an id, whose variant must be the comparison's; its size and launch need not be in the
 * table. False with `why`. */
bool kg__case_id_read(const kg_comparison *comparison, const char *id, kg__case_id *parts,
                      kg__error *why);
