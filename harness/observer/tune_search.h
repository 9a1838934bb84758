/* SPDX-License-Identifier: MIT */
/* Searching: finds the best launch of a variant among its candidates of one size. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "observer/tuned_case.h"

/* The candidates of one variant at one size, in the table's order. */
typedef struct kg__tune_group {
    kg__tuned_case **list;
    size_t count;
} kg__tune_group;

/* Races them to the end: those that remain could not be separated. False when the device is
 * lost. */
bool kg__tune_group_race(kg__tune_run *run, const kg__tune_group *group);
