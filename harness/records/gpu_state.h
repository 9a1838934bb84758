/* The state of a card over several looks, as records have it: {"temperature_c", "sm_clock_mhz",
 * "memory_clock_mhz", "clock_reasons", "foreign_processes", "launch_ns", "batches_repeated"},
 * the last two being what an empty launch costs, and how many batches of samples were taken again
 * because one cost less meanwhile. Pure. */
#ifndef KG__RECORDS_GPU_STATE_H
#define KG__RECORDS_GPU_STATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Joins a further look into `worst`: the highest temperature, the lowest clocks, the most foreign
 * processes, the lowest launch overhead, the most batches repeated, and every reason that held the
 * clocks down at any of them. */
void kg__gpu_state_join(json_t *worst, const json_t *look);

/* Says what was seen: "1 410 of 1 980 MHz, 71 °C, a launch at 680 ns or more, software power cap, 2
 * other processes", without what is unknown or normal. `most_mhz` is the
 * card's highest clock, 0 where it is not known. Empty where nothing is known. */
void kg__gpu_state_describe(const json_t *card, double most_mhz, char *text, size_t size);

#endif
