/* Claims about times: whether one that this run does not bear out was lost. Pure. */
#ifndef KG__JUDGE_CLAIM_H
#define KG__JUDGE_CLAIM_H

#include <stdbool.h>

typedef enum kg__claim_standing {
    KG__CLAIM_HOLDS,
    KG__CLAIM_WITHIN_NOISE, /* held at recording, and has moved by no more than times do */
    KG__CLAIM_LOST,         /* held at recording, and no longer does */
    KG__CLAIM_NEVER_HELD    /* on this target, or nothing is recorded of it */
} kg__claim_standing;

/* A figure that a claim is about, such as a ratio of two times: in this run, and at recording (NAN:
 * none). */
typedef struct kg__claimed_figure {
    double now;
    double recorded;
    double limit; /* the fraction that the times in it may move by, the largest; NAN: none */
} kg__claimed_figure;

/* What has become of a claim, which `holds` by what was measured now, and `held` by what was
 * recorded. */
kg__claim_standing kg__judge_claim(const kg__claimed_figure *figure, bool holds, bool held);

#endif
