/* SPDX-License-Identifier: MIT */
/* The state of a GPU over several readings, as in records: {"temperature_c", "sm_clock_mhz",
 * "memory_clock_mhz", "clock_reasons", "throttled", "foreign_processes", "launch_ns",
 * "batches_repeated"}. The last two are the cost of an empty launch, and the number of batches of
 * samples that were repeated because the cost fell meanwhile. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/json_fields.h"

/* -1: unknown. */
typedef struct kg__gpu_state {
    int64_t temperature_c;
    int64_t sm_clock_mhz;
    int64_t memory_clock_mhz;
    int64_t foreign_processes;
    int64_t launch_ns;
    int64_t batches_repeated;
    char clock_reasons[512]; /* "a, b"; "none"; "" if unknown */
    bool throttled;          /* one of them invalidates times */
} kg__gpu_state;

/* An unknown state. */
extern const kg__gpu_state kg__gpu_state_unknown;

/* The members of a state. */
extern const kg__field kg__gpu_state_fields[];

/* Returns whether anything is known of the state. */
bool kg__gpu_state_is_known(const kg__gpu_state *state);

/* Merges a further reading into `worst`: the highest temperature, the lowest clocks, the most
 * foreign processes, the lowest launch cost, the most repeated batches, and the union of all
 * reasons for lower clocks. */
void kg__gpu_state_join(kg__gpu_state *worst, const kg__gpu_state *look);
