/* SPDX-License-Identifier: MIT */
/* The two costs, a third apart, that a launch in a graph has on some GPUs, and which of them
 * currently applies to a process (docs/measuring.md). Pure. */
#pragma once

#include <stdbool.h>

/* The costs that a process has seen. Initialize with zeros. */
typedef struct kg__launch_cost {
    double low_ns;  /* the lowest; 0: none yet */
    double high_ns; /* the highest */
} kg__launch_cost;

/* Adds the cost of an empty launch, the median of several readings. */
void kg__launch_cost_add(kg__launch_cost *cost, double ns);

/* Returns whether `ns` is the higher of two costs that were seen. */
bool kg__launch_cost_is_high(const kg__launch_cost *cost, double ns);

/* Returns whether two costs were seen. */
bool kg__launch_cost_has_two(const kg__launch_cost *cost);

/* Adds a single reading. Returns whether it is the higher cost, or two costs have not been seen.
 * A single reading may be delayed, so it can show a lower cost, but never a higher one. */
bool kg__launch_cost_check(kg__launch_cost *cost, double ns);

/* Replaces the higher cost, which is no longer reached, by `ns`, the present cost of a launch. */
void kg__launch_cost_settle_for(kg__launch_cost *cost, double ns);

/* Returns whether these are two different costs, rather than two readings of one. Both must be
 * above 0. */
bool kg__launch_costs_differ(double first, double second);
