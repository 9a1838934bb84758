/* SPDX-License-Identifier: MIT */
/* A tuning's settings, from the environment of its observers. */
#pragma once

#include <stdbool.h>

#include "base/message.h"

/* The part of a GPU's program that tunes. */
#define KG__PART_TUNE "tune"

typedef struct kg__tuning_request {
    bool exhaustive; /* KG_TUNE_MODE=exhaustive: every candidate is timed to the full precision */
    /* KG_TUNE_PRECISION: half-width of the 95 % interval of a median, as a fraction of the
     * median, at which its sampling ends. */
    double precision;
} kg__tuning_request;

/* Reads the environment; by default a race to 0.005. False with `error`. */
bool kg__tuning_request_read(kg__tuning_request *request, kg__error *error);
