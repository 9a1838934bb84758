/* SPDX-License-Identifier: MIT */
/* Targets, which produce metrics: a GPU, or the CPU model. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json_fields.h"
#include "base/message.h"

/* The hardware (or model) that produced a baseline. Figures of 0 and empty texts are absent. */
typedef struct kg__target {
    char key[96];   /* "nvidia-h200", "cpu-model": the file's name */
    char name[160]; /* "NVIDIA H200" */
    char compute_capability[16];
    int64_t memory_mib;
    int64_t multiprocessors;
    char compiler[96]; /* of the CPU model: "gcc 12.2.0" */
} kg__target;

/* Makes a target's key from its name: lower case, each run of characters outside a-z 0-9 becomes
 * one '-', none at either end ("NVIDIA H200" -> "nvidia-h200"). A name longer than `size` is
 * cut. */
void kg__target_key(const char *name, char *key, size_t size);

/* The members of a target: {"key", "name", ...}. */
extern const kg__field kg__target_fields[];

/* Returns a target as JSON; owned by the caller. */
json_t *kg__target_json(const kg__target *target);

/* Reads the target of records and verdicts. False with `error` if it is not an object, or a
 * member is of another type; the members before it are read. */
bool kg__target_read(const json_t *described, kg__target *target, kg__error *error);
