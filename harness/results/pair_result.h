/* Settling: from pairs of observations of a base and of a head to the verdict of a suspect. Pure:
 * records in, an entry of the results changed. */
#ifndef KG__RESULTS_PAIR_RESULT_H
#define KG__RESULTS_PAIR_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "baseline/baseline.h"
#include "judge/pairs.h"
#include "results/time_result.h"

/* The metrics of a case that are held against its base's, at most. */
#define KG__SUSPECT_METRICS 4
/* The pairs that may be run of a suspect: of those that a look needs as many, and half of them
 * again, may be disturbed. */
#define KG__SUSPECT_PAIRS (KG__PAIRS_MAXIMUM + KG__PAIRS_MAXIMUM / 2 + 1)

/* One metric in doubt. */
typedef struct kg__contest {
    const char *metric;
    double base[KG__PAIRS_MAXIMUM];
    double head[KG__PAIRS_MAXIMUM];
    kg__hypothesis hypothesis;
} kg__contest;

/* What a suspect is held against. */
typedef struct kg__rivals {
    const char *ref;    /* what the base is called */
    const char *commit; /* what it is of; "" where that is not known */
    const kg__target *target;
    const kg__baseline *baseline; /* NULL: there is none */
    bool paired;                  /* every metric is in doubt */
} kg__rivals;

typedef struct kg__suspect {
    json_t *entry; /* in its verdicts document, borrowed */
    const char *id;
    const kg__rivals *rivals;
    kg__contest contests[KG__SUSPECT_METRICS];
    size_t contest_count;
    size_t pairs;   /* undisturbed ones */
    size_t dropped; /* pairs in which the card was throttled, or not alone */
    kg__measurement heads[1 + KG__SUSPECT_PAIRS]; /* of this build, the first observation first */
    size_t head_count;
    bool by_baseline; /* no base is to be had: the stored baseline judges, by the heads */
    char note[KG__MESSAGE_SIZE]; /* why, and whatever else is worth a note; or empty */
    bool settled;
} kg__suspect;

/* Takes up an entry with "suspect": true. In doubt are the metrics that tripped upwards; where none
 * did, or where all are paired, each that the baseline does not hold ungated; where none is left,
 * it is settled as it stands. False with `error` where the entry holds no first observation. */
bool kg__suspect_begin(kg__suspect *one, json_t *entry, const kg__rivals *rivals, kg__error *error);

/* Adds a pair. Where the base does not measure a metric in doubt as the head does, the suspect is
 * left to the baseline. */
void kg__suspect_add_pair(kg__suspect *one, const kg__measurement *base,
                          const kg__measurement *head);

/* Adds an observation of the head alone, for the baseline's rule. */
void kg__suspect_add_head(kg__suspect *one, const kg__measurement *head);

/* Leaves a suspect to the stored baseline, and notes why. */
void kg__suspect_leave(kg__suspect *one, const char *why);

/* Whether a suspect that is left to the baseline has the observations that its rule wants. */
bool kg__suspect_has_heads(const kg__suspect *one);

/* Whether so many pairs of a suspect were disturbed that `wanted` undisturbed ones are not to be
 * had: more than a third. */
bool kg__suspect_is_disturbed(const kg__suspect *one, size_t wanted);

/* Settles a suspect by its hypotheses, once all are decided; false where they are not. */
bool kg__suspect_settle_by_pairs(kg__suspect *one);

/* Settles a suspect of which no further pairs are to be had, where one of its hypotheses was found
 * already: that stands, whatever the others would have become. False where none was. */
bool kg__suspect_settle_by_finding(kg__suspect *one);

/* Settles a suspect by the baseline's rule. */
void kg__suspect_settle_by_baseline(kg__suspect *one);

/* Settles a suspect as a case whose surroundings forbid to judge it. */
void kg__suspect_settle_disturbed(kg__suspect *one);

/* Settles a suspect with a verdict that an observer of the head gave, and why. */
void kg__suspect_settle_as(kg__suspect *one, kg__verdict verdict, const char *why);

/* Lets go of what the head's observers measured of a suspect. */
void kg__suspect_free(kg__suspect *one);

#endif
