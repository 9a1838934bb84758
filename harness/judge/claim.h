/* SPDX-License-Identifier: MIT */
/* Claims about times: whether a claim that this run does not confirm has been lost. Pure. */
#pragma once

#include <stdbool.h>

typedef enum kg__claim_standing {
    KG__CLAIM_HOLDS,
    KG__CLAIM_WITHIN_NOISE, /* held at recording, and its times moved no more than their limits */
    KG__CLAIM_LOST,         /* held at recording, and no longer holds */
    KG__CLAIM_NEVER_HELD    /* on this target, or nothing is recorded */
} kg__claim_standing;

/* The figure of a claim, such as a ratio of two times: in this run, and at recording (NAN:
 * none). */
typedef struct kg__claimed_figure {
    double now;
    double recorded;
    double limit; /* the largest fraction that its times may move by; NAN: none */
} kg__claimed_figure;

/* Returns the standing of a claim that `holds` in this run, and `held` at recording. */
kg__claim_standing kg__judge_claim(const kg__claimed_figure *figure, bool holds, bool held);
