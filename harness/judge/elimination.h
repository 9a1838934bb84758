/* Elimination: which of many candidates are sampled further. Pure: samples in, decisions out.
 *
 * Each round adds KG__ROUND_SAMPLES samples to every candidate that is still in. At its end those
 * drop out whose interval lies above the leader's (C. Maron and A. W. Moore, Hoeffding races:
 * accelerating model selection search for classification and function approximation, 1993), and the
 * slower half of those that came into the round, as far as that has not gone yet (K. Jamieson and
 * A. Talwalkar, Non-stochastic best arm identification and hyperparameter optimization, 2016). The
 * second rule bounds what a race costs where all are equal, and then any of them may win. The last
 * few are separated by intervals alone. */
#ifndef KG__JUDGE_ELIMINATION_H
#define KG__JUDGE_ELIMINATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/statistics.h"

/* Samples that a round adds: the fewest that give a median an interval at 95 %. */
#define KG__ROUND_SAMPLES 6
/* This many are never dropped for their rank, only by their interval. */
#define KG__RACERS_SPARED 4
/* A race ends with this round at the latest. */
#define KG__ROUNDS_MAXIMUM 24
/* Samples of fewer than this say too little of a median to stop at, however close they lie. */
#define KG__PRECISE_SAMPLES 12

/* A candidate in a race. Zeroed at first; its samples are freed with kg__racer_restart(). */
typedef struct kg__racer {
    double *samples; /* in the order in which they were taken */
    size_t count;
    size_t capacity;
    kg__interval interval; /* of their median at 95 %, as of kg__racer_look() */
    int dropped_in_round;  /* 0: it is in */
} kg__racer;

/* Adds a sample. */
void kg__racer_add(kg__racer *racer, double sample);

/* Forgets its samples, but not the interval: what is sampled otherwise does not add up. */
void kg__racer_restart(kg__racer *racer);

/* Finds the interval of its samples, and leaves them in their order. */
void kg__racer_look(kg__racer *racer);

/* Whether the median is known well enough, at the last look: half of its interval is at most
 * `precision` of it. */
bool kg__racer_is_precise(const kg__racer *racer, double precision);

/* Ends round number `round`, from 1, for the `count` racers that have been looked at since they got
 * its samples: drops some of those that are in. An interval must lie above the leader's by the
 * fraction `margin` of that one's end, for samples that were not interleaved. Returns whether
 * another round is due: not when one is left, when the last few are known to `precision`, or after
 * KG__ROUNDS_MAXIMUM. */
bool kg__race_end_round(kg__racer *const *racers, size_t count, int round, double margin,
                        double precision);

/* The racer with the least median of those that are in; `count` where none is. */
size_t kg__race_winner(kg__racer *const *racers, size_t count);

/* Whether a launch need not be tried because one of as many threads per block and at least twice as
 * many blocks is too slow: that one took `time`, against the `best` time of any, with `threads`
 * threads in all; the device runs `resident` at a time. While all of them run at a time,
 * each of fewer has more to do, and the rest of the device nothing. */
bool kg__race_passes_over(double time, double best, int64_t threads, int64_t resident);

#endif
