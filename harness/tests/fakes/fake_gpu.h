/* SPDX-License-Identifier: MIT */
/* What the GPU that is not there has in store for a case, by its plan. */
#pragma once

#include <stdbool.h>

typedef struct fake_fate {
    double hot;
    double cold;
    double width;
    double foreign;
    double launch_ns;
    double registers;
    double occupancy;
    bool throttled;
    char launch[32];
    char event[16]; /* "measured", or what else is to happen */
    char clock[16];
    char bound[16];
} fake_fate;

/* What the plan has in store for a case or a sentinel, which takes `hot` ns unless the plan says
 * otherwise. */
fake_fate fake_fate_of(const char *id, double hot);

/* Dies of SIGSEGV, whatever a sanitizer would make of that signal. */
void fake_crash(void);
