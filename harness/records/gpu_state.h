/* The state of a GPU over several looks, as records have it: {"temperature_c", "sm_clock_mhz",
 * "memory_clock_mhz", "clock_reasons", "throttled", "foreign_processes", "launch_ns",
 * "batches_repeated"}, the last two being what an empty launch costs, and how many batches of
 * samples were taken again because one cost less meanwhile. Pure. */
#ifndef KG__RECORDS_GPU_STATE_H
#define KG__RECORDS_GPU_STATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/message.h"

/* -1: not known. */
typedef struct kg__gpu_state {
    int64_t temperature_c;
    int64_t sm_clock_mhz;
    int64_t memory_clock_mhz;
    int64_t foreign_processes;
    int64_t launch_ns;
    int64_t batches_repeated;
    char clock_reasons[512]; /* "a, b"; "none"; "" where they are not known */
    bool throttled;          /* one of them makes times worthless */
} kg__gpu_state;

/* An unknown state. */
#define KG__GPU_STATE_UNKNOWN                                                                      \
    {                                                                                              \
        -1, -1, -1, -1, -1, -1, "", false                                                          \
    }

/* Whether anything is known of it. */
bool kg__gpu_state_is_known(const kg__gpu_state *state);

/* Joins a further look into `worst`: the highest temperature, the lowest clocks, the most foreign
 * processes, the lowest launch overhead, the most batches repeated, and every reason that held the
 * clocks down at any of them. */
void kg__gpu_state_join(kg__gpu_state *worst, const kg__gpu_state *look);

/* The state as JSON, without what is not known; owned by the caller. */
json_t *kg__gpu_state_json(const kg__gpu_state *state);

/* Reads it. Anything but an object, NULL included, says nothing; false with `error` where a member
 * is of another type, and then nothing is known. */
bool kg__gpu_state_read(const json_t *json, kg__gpu_state *state, kg__error *error);

#endif
